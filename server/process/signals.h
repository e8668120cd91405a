/* SPDX-License-Identifier: MIT */
/* server/process/signals.h - signals as calls on a loop. */
#ifndef SERVER_PROCESS_SIGNALS_H
#define SERVER_PROCESS_SIGNALS_H

#include "core/loop/loop.h"

struct signals;

struct signals_hooks {
    void *owner;
    void (*on_stop)(void *owner);   /* SIGTERM, SIGINT; a second one ends the process at once */
    void (*on_reload)(void *owner); /* SIGHUP */
};

/* A peer that closed, and a file that may not grow, are error codes of the write, not signals. For
 * the whole process. */
void signals_ignore_failed_writes(void);
/* NULL: no memory. */
struct signals *signals_open(struct loop *loop, const struct signals_hooks *hooks);
/* Frees itself later. NULL is fine. */
void signals_close(struct signals *signals);

#endif

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

/* Let a write to a closed peer, or to a file that may not grow, fail with an error code instead of
 * a signal. For the whole process. */
void signals_ignore_failed_writes(void);
/* NULL: no memory. */
struct signals *signals_open(struct loop *loop, const struct signals_hooks *hooks);
/* Frees itself later. NULL is fine. */
void signals_close(struct signals *signals);

#endif

/* SPDX-License-Identifier: MIT */
/* core/loop/closing.h - the one way to close a backend: what is out is counted, and waited for.
 *
 * Out is whatever of the backend comes back by itself: an operation, a thread, a part that closes
 * on its own. Told to close, the backend gives up what is out; when nothing is, its steps run in
 * their order, each once nothing is out again (a step that closes a part has it out until then).
 * The last step frees the backend, and on_closed follows. Steps and on_closed run on a later turn,
 * after the done of every operation that was out. One loop, one thread. */
#ifndef CORE_LOOP_CLOSING_H
#define CORE_LOOP_CLOSING_H

#include "core/loop/loop.h"

struct closing;
typedef void closing_fn(struct closing *closing);

struct closing { /* embedded in the backend to be closed */
    /* private */
    struct loop *loop;
    closing_fn *const *steps;
    size_t out;
    bool is_begun;
    void (*on_closed)(void *owner);
    void *owner;
    struct loop_task task;
};

/* steps: borrowed until closed, ended by NULL; the last one frees the backend that closing is in.
 */
void closing_init(struct closing *closing, struct loop *loop, closing_fn *const *steps);
/* closing_enter: one more is out; closing_leave: one came back. */
void closing_enter(struct closing *closing);
void closing_leave(struct closing *closing);
/* closing_leave as the on_closed of a part: its owner is the closing. */
void closing_leave_part(void *closing);
/* Close; once. on_closed(owner), which may be NULL, is called once, never from inside. The caller
 * gives up what is out, before or after. */
void closing_begin(struct closing *closing, void (*on_closed)(void *owner), void *owner);

/* Whether closing_begin was called: from then on the backend begins nothing. */
static inline bool closing_is_begun(const struct closing *closing)
{
    return closing->is_begun;
}

#endif

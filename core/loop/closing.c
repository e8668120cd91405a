/* SPDX-License-Identifier: MIT */
/* core/loop/closing.c - a count of what is out, and two rounds of the loop once it is none.
 *
 * Happy path: the last one to come back queues a look; the look queues the next step; nothing being
 * out even then, the step runs. Two rounds, because whoever came back last may say so before it
 * queues its own end: that end goes first all the same.
 * Failure: none; what is out that never comes back is the backend's own mistake. */
#include "core/loop/closing.h"

static void run_steps(struct loop_task *task)
{
    struct closing *closing = container_of(task, struct closing, task);
    void (*on_closed)(void *owner) = closing->on_closed;
    void *owner = closing->owner;
    /* linked: a part came back from inside its step */
    while (closing->out == 0 && !list_is_linked(&closing->task.link)) {
        closing_fn *step = *closing->steps++;
        bool is_last = *closing->steps == NULL;
        step(closing);
        if (!is_last)
            continue;
        if (on_closed != NULL) /* closing is no more */
            on_closed(owner);
        return;
    }
}

static void look(struct loop_task *task)
{
    struct closing *closing = container_of(task, struct closing, task);
    if (closing->out == 0)
        loop_post(closing->loop, task, run_steps);
}

static void consider(struct closing *closing)
{
    if (closing->is_begun && closing->out == 0)
        loop_post(closing->loop, &closing->task, look);
}

void closing_init(struct closing *closing, struct loop *loop, closing_fn *const *steps)
{
    *closing = (struct closing){.loop = loop, .steps = steps};
}

void closing_enter(struct closing *closing)
{
    closing->out++;
}

void closing_leave(struct closing *closing)
{
    CHECK(closing->out > 0);
    closing->out--;
    consider(closing);
}

void closing_leave_part(void *closing)
{
    closing_leave(closing);
}

void closing_begin(struct closing *closing, void (*on_closed)(void *owner), void *owner)
{
    CHECK(!closing->is_begun);
    closing->is_begun = true;
    closing->on_closed = on_closed;
    closing->owner = owner;
    consider(closing);
}

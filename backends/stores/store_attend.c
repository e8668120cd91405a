/* SPDX-License-Identifier: MIT */
/* backends/stores/store_attend.c - a timer between the ends of an operation and its next start.
 *
 * Happy path: show, its end, a long pause, show. Failure: what was not shown is shown again after a
 * short pause, and what was, at once when its connection is lost; a name longer than an instance's
 * is not shown at all. */
#include "backends/stores/store_attend.h"

#include <string.h>

enum { HOLD_MS = 2000, AGAIN_MS = 100 };

static void begin(struct store_attend *attend)
{
    closing_enter(attend->closing);
    attend->show(attend);
}

static void on_time(struct timer *timer)
{
    begin(container_of(timer, struct store_attend, timer));
}

void store_attend_start(struct store_attend *attend, struct loop *loop, struct closing *closing,
                        struct str instance, void (*show)(struct store_attend *attend))
{
    if (instance.len == 0 || instance.len >= sizeof attend->instance.text)
        return;
    memcpy(attend->instance.text, instance.at, instance.len);
    attend->instance.text[instance.len] = '\0';
    attend->loop = loop;
    attend->closing = closing;
    attend->show = show;
    begin(attend);
}

void store_attend_again(struct store_attend *attend, bool is_shown)
{
    struct closing *closing = attend->closing;
    if (!closing_is_begun(closing))
        timer_start(&attend->timer, attend->loop, is_shown ? HOLD_MS : AGAIN_MS, on_time);
    closing_leave(closing);
}

void store_attend_lost(struct store_attend *attend)
{
    if (timer_is_running(&attend->timer)) /* else it is being shown, or nobody attends */
        timer_start(&attend->timer, attend->loop, 0, on_time);
}

void store_attend_stop(struct store_attend *attend)
{
    timer_stop(&attend->timer);
}

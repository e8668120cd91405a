/* SPDX-License-Identifier: MIT */
/* backends/stores/store_attend.c - a timer between the ends of an operation and its next start.
 *
 * Happy path: show, its end, a pause, show. Failure: a show that fails is shown again like any
 * other; a name longer than an instance's is not shown at all. */
#include "backends/stores/store_attend.h"

#include <string.h>

enum { AGAIN_MS = 200 };

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

void store_attend_again(struct store_attend *attend)
{
    struct closing *closing = attend->closing;
    if (!closing_is_begun(closing))
        timer_start(&attend->timer, attend->loop, AGAIN_MS, on_time);
    closing_leave(closing);
}

void store_attend_stop(struct store_attend *attend)
{
    timer_stop(&attend->timer);
}

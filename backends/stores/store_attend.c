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
    attend->is_coming = true;
    list_init(&attend->waiting);
    begin(attend);
}

bool store_attend_await(struct store_attend *attend, enum store_verb verb,
                        struct store_attend_wait *wait, void (*go)(struct store_attend_wait *wait))
{
    if (!attend->is_coming || (verb != STORE_BEGIN && verb != STORE_RESUME))
        return false;
    wait->go = go;
    list_push(&attend->waiting, &wait->link);
    return true;
}

/* The first time is over. */
static void let_go(struct store_attend *attend)
{
    attend->is_coming = false;
    for (struct list *link; (link = list_take_first(&attend->waiting)) != NULL;) {
        struct store_attend_wait *wait = list_item(link, struct store_attend_wait, link);
        wait->go(wait);
    }
}

void store_attend_again(struct store_attend *attend, bool is_shown)
{
    struct closing *closing = attend->closing;
    if (!closing_is_begun(closing))
        timer_start(&attend->timer, attend->loop, is_shown ? HOLD_MS : AGAIN_MS, on_time);
    if (attend->is_coming)
        let_go(attend);
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

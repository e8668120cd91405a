/* SPDX-License-Identifier: MIT */
/* server/runs_line.c - those that wait hear where they stand in line.
 *
 * Happy path: within a second of beginning to wait, then once a second while their place changes.
 * The same timer lines up again whom there was no memory for.
 * Failure: beyond MOST_TOLD in line the last ones are not told. */
#include "server/runs_entry.h"

enum { TELL_MS = 1000, MOST_TOLD = 1024 };

static void on_time(struct timer *timer)
{
    runs_start_waiting(container_of(timer, struct runs, line_timer));
}

static void tell(struct runs_entry *entry, size_t position)
{
    const struct event event = {
        .kind = EVENT_QUEUED, .name = STR("runs"), .number = (int64_t)position};
    if (entry->position == position || run_detail(entry->run) < EVENT_NODES)
        return;
    entry->position = position;
    (void)event_log_append(run_log(entry->run), &event); /* a full log has told enough */
}

void runs_tell_line(struct runs *runs)
{
    struct admission_ticket *tickets[MOST_TOLD];
    uint64_t now_ms = loop_now_ms(runs->options.loop);
    if (runs->counts[RUNS_WAITING] == 0) {
        timer_stop(&runs->line_timer);
        return;
    }
    if (now_ms < runs->told_ms + TELL_MS && timer_is_running(&runs->line_timer))
        return;
    runs->told_ms = now_ms;
    timer_start(&runs->line_timer, runs->options.loop, TELL_MS, on_time);
    size_t count = admission_order(runs->options.admission, tickets, MOST_TOLD);
    for (size_t i = 0; i < count; i++)
        tell(container_of(tickets[i], struct runs_entry, ticket), i + 1);
}

/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_after.c - one walk over the runs: in the order of their ends, behind
 * the one seen last.
 *
 * Failure: batches that are damaged have no code. */
#include "server/schedules/schedule_after.h"

#include "core/store/event_bytes.h"

enum { SETTLE_MS = 2000 };

bool schedule_after_status(struct str word, enum store_status *status)
{
    static const struct {
        const char *word;
        enum store_status status;
    } words[] = {
        {"complete", STORE_COMPLETE}, {"failed", STORE_FAILED}, {"cancelled", STORE_CANCELLED}};
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal(word, str_of(words[i].word))) {
            *status = words[i].status;
            return true;
        }
    return false;
}

static int compare_ends(const struct store_run *run, uint64_t ms, struct str id)
{
    if (run->changed_ms != ms)
        return run->changed_ms < ms ? -1 : 1;
    return str_compare(run->run_id, id);
}

static bool fits(const struct schedule *schedule, const struct store_run *run, uint64_t now_ms)
{
    enum store_status status;
    bool has_ended = run->status == STORE_COMPLETE || run->status == STORE_FAILED ||
                     run->status == STORE_CANCELLED;
    bool is_chased = str_starts_with(run->idempotency_key, STR("sch_")) &&
                     str_find_char(run->idempotency_key, SCHEDULE_RUN) != STR_NONE;
    return has_ended && !is_chased && str_equal(run->graph, schedule->after_graph) &&
           (!schedule_after_status(schedule->after_status, &status) || run->status == status) &&
           run->changed_ms + SETTLE_MS <= now_ms &&
           compare_ends(run, schedule->seen_ms, schedule->seen_id) > 0;
}

const struct store_run *schedule_after_find(const struct schedule *schedule,
                                            const struct store_call *call, uint64_t now_ms,
                                            bool *is_more)
{
    const struct store_run *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < call->run_count; i++) {
        const struct store_run *run = &call->runs[i];
        if (!fits(schedule, run, now_ms))
            continue;
        count++;
        if (first == NULL || compare_ends(run, first->changed_ms, first->run_id) < 0)
            first = run;
    }
    *is_more = count > 1;
    return first;
}

bool schedule_after_has_code(const struct store_call *call, struct str code)
{
    bool has = false;
    for (size_t i = 0; i < call->batch_count; i++) {
        const struct store_batch *batch = &call->batches[i];
        struct str rest;
        struct event event;
        struct err err;
        if (event_bytes_open(batch->bytes, &rest, &err) != ERR_OK)
            return false;
        for (uint64_t n = 0; event_bytes_take(&rest, batch->first_id + n, &event); n++)
            has = event.kind == EVENT_ERROR && str_equal(event.name, code);
    }
    return has;
}

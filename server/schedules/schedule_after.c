/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_after.c - one walk over runs in the order of their ends.
 *
 * Failure: batches that are damaged have no code. */
#include "server/schedules/schedule_after.h"

#include "core/store/event_bytes.h"

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

static bool fits(const struct schedule *schedule, const struct store_run *run)
{
    enum store_status status;
    bool is_chased = str_starts_with(run->idempotency_key, STR("sch_")) &&
                     str_find_char(run->idempotency_key, SCHEDULE_RUN) != STR_NONE;
    return !is_chased && str_equal(run->graph, schedule->after_graph) &&
           (!schedule_after_status(schedule->after_status, &status) || run->status == status);
}

size_t schedule_after_find(const struct schedule *schedule, const struct store_call *call)
{
    size_t place = 0;
    while (place < call->run_count && !fits(schedule, &call->runs[place]))
        place++;
    return place;
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

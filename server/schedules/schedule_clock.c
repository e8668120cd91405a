/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_clock.c - parse, load, seek; on another thread.
 *
 * Failure: no such zone, no such expression, or one that is never due. */
#include "server/schedules/schedule_clock.h"

#include "core/base/mem.h"
#include "server/schedules/cron.h"

enum { SECOND_MS = 1000 };

static enum err_code seek(const struct schedule_clock *clock, struct zone *zone, uint64_t *next_ms,
                          struct err *err)
{
    struct cron cron;
    int64_t next_s = 0;
    if (cron_parse(clock->cron, &cron, err) != ERR_OK) {
        err_prefix(err, "/cron");
        return err->code;
    }
    if (zone_load(str_is_empty(clock->zone) ? STR("UTC") : clock->zone, zone, err) != ERR_OK) {
        err_prefix(err, "/timezone");
        return err->code;
    }
    if (cron_next(&cron, zone, (int64_t)(clock->after_ms / SECOND_MS), &next_s))
        *next_ms = (uint64_t)next_s * SECOND_MS;
    return ERR_OK;
}

static enum err_code run(struct work *work, struct err *err)
{
    struct schedule_clock *clock = work->arg;
    struct zone *zone = mem_alloc(sizeof *zone);
    clock->next_ms = 0;
    enum err_code code = zone == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for a time zone")
                                      : seek(clock, zone, &clock->next_ms, err);
    mem_free(zone);
    return code;
}

void schedule_clock_start(struct schedule_clock *clock, struct loop *loop, struct op_waiter waiter)
{
    work_start(&clock->work, loop, run, clock, waiter);
}

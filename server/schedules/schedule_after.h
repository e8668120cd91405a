/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_after.h - which of a user's runs is the next one that a schedule comes
 * after. Any thread. */
#ifndef SERVER_SCHEDULES_SCHEDULE_AFTER_H
#define SERVER_SCHEDULES_SCHEDULE_AFTER_H

#include "core/store/store.h"
#include "server/schedules/schedule.h"

enum { SCHEDULE_AFTER_RUNS = 200 }; /* of a user that are looked at, those that began last */

/* The status that word names; false: none. An empty word: any. */
MUST_USE bool schedule_after_status(struct str word, enum store_status *status);
/* Of the runs that call answered with, the one of the schedule's graph and status that ended first
 * after the one seen last; NULL: none. A run that itself came after a run is none: schedules cannot
 * chase each other. is_more: another one follows. Runs that ended in the last two seconds wait, so
 * that none that is stored late is passed over. */
const struct store_run *schedule_after_find(const struct schedule *schedule,
                                            const struct store_call *call, uint64_t now_ms,
                                            bool *is_more);
/* Whether the batches that call answered with end with an error of this code. */
bool schedule_after_has_code(const struct store_call *call, struct str code);

#endif

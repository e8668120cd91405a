/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_after.h - which of a user's runs that have ended is the next one that a
 * schedule comes after. Any thread. */
#ifndef SERVER_SCHEDULES_SCHEDULE_AFTER_H
#define SERVER_SCHEDULES_SCHEDULE_AFTER_H

#include "core/store/store.h"
#include "server/schedules/schedule.h"

enum { SCHEDULE_AFTER_RUNS = 50 }; /* that are looked at in one turn */

/* The status that word names; false: none. An empty word: any. */
MUST_USE bool schedule_after_status(struct str word, enum store_status *status);
/* Of the runs that call answered with, which ended one after the other, the place of the first one
 * of the schedule's graph and status; their count: none. A run that itself came after a run is
 * none: schedules cannot chase each other. */
size_t schedule_after_find(const struct schedule *schedule, const struct store_call *call);
/* Whether the batches that call answered with end with an error of this code. */
bool schedule_after_has_code(const struct store_call *call, struct str code);

#endif

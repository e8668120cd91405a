/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/periods.h - the one period that a question names by what day it is.
 *
 * Periods are read by themselves, in English ("last week", "in May", "the last quarter"), whether
 * or not the offline engine understands the question as a whole. Pure. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_PERIODS_H
#define AGENTS_OFFLINE_SECOND_LOOK_PERIODS_H

#include "agents/english/dates.h"

struct offline_period {
    struct offline_range range;
    struct str words; /* of the question */
    bool is_rolling;  /* it begins or ends today: "the last 7 days" */
};

/* Set *period to the only period of the question that has both ends and is no single day and no
 * whole year. False: there is none, or several. today is a day number; arena: for the question's
 * words. */
bool offline_periods_find(struct str question, int32_t today, struct arena *arena,
                          struct offline_period *period);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/finish.h - what is still open when a question has been walked through. */
#ifndef AGENTS_OFFLINE_READING_FINISH_H
#define AGENTS_OFFLINE_READING_FINISH_H

#include "agents/offline/reading/parse.h"

/* Choose the target, group a list by its target where a measure is over other rows, and refuse
 * what has no meaning. False: p->reading->cannot says why. */
MUST_USE bool offline_finish_reading(struct parse *p);

/* Whether some row can meet all conditions; conditions of parted outputs are given to them. */
MUST_USE bool offline_finish_conditions(struct parse *p);

#endif

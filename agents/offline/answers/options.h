/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/options.h - what a question that was left open may mean, to choose from.
 */
#ifndef AGENTS_OFFLINE_ANSWERS_OPTIONS_H
#define AGENTS_OFFLINE_ANSWERS_OPTIONS_H

#include "agents/offline/answers/turn.h"

/* What could settle a question that was left open, as options: dates, numbers to rank by, ways to
 * join; and the words of options that are there already. A single one is none. */
MUST_USE enum err_code offline_options_find(const struct turn *turn,
                                            const struct jointree_ways *ways,
                                            struct offline_answer *answer);
/* Words for the options of answer that have none; those that read the same are one, and fewer than
 * two are none. */
MUST_USE enum err_code offline_options_tell(const struct turn *turn, struct offline_answer *answer);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/periods.h - compares the one period that a question names with the
 * days that a statement is written with.
 *
 * For questions that the offline engine does not understand as a whole: periods are read by
 * themselves, in English ("last week", "in May", "the last quarter"). Pure. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_PERIODS_H
#define AGENTS_OFFLINE_SECOND_LOOK_PERIODS_H

#include "agents/offline/second_look/compare.h"

/* Call say when the question names one period and the statement has days that are not its ends.
 * today is a day number; arena: for the question's words. */
void offline_periods_compare(const struct lexicon *lexicon, struct str question, int32_t today,
                             const struct sql_parse *parse, struct arena *arena,
                             offline_compare_fn *say, void *owner);

#endif

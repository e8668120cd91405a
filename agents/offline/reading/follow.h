/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/follow.h - a question that only says what is different from the one
 * before. */
#ifndef AGENTS_OFFLINE_READING_FOLLOW_H
#define AGENTS_OFFLINE_READING_FOLLOW_H

#include "agents/lexicon/link.h"
#include "agents/offline/reading/reading.h"

enum offline_follow {
    FOLLOW_NOT,
    FOLLOW_MAY,  /* "and ...", "only ...": when it cannot be read by itself */
    FOLLOW_MUST, /* "... of them": it speaks of what was found before */
};

/* Whether the items (linked, not resolved) continue something. */
enum offline_follow offline_follow_is(const struct lexicon_item *items, size_t count);
/* Tables the reading speaks of, for resolving the items beside them; returns how many of max. */
size_t offline_follow_tables(const struct offline_reading *reading, int *tables, size_t max);
/* Change reading, that of the question before, as the items say: a condition on a column it has
 * one on takes that one's place, others are added; "by" is another group, "top 3" another limit,
 * "how many of them" counts what was listed. False: reading->cannot says why. */
MUST_USE bool offline_follow_patch(const struct lexicon *lexicon, struct lexicon_item *items,
                                   size_t count, struct offline_reading *reading);

#endif

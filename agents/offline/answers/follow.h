/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/follow.h - whether a question goes on from the one before it. Pure. */
#ifndef AGENTS_OFFLINE_ANSWERS_FOLLOW_H
#define AGENTS_OFFLINE_ANSWERS_FOLLOW_H

#include "agents/lexicon/item.h"

enum offline_follow {
    FOLLOW_NOT,
    FOLLOW_MAY, /* it may also be a question by itself */
    FOLLOW_MUST /* it speaks of what was asked: "which of them", "by priority instead" */
};

enum offline_follow offline_follow_is(const struct lexicon_item *items, size_t count);

#endif

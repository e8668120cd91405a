/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/change.h - what a fragment ("and in May?", "by priority instead") makes of
 * the question before it. */
#ifndef AGENTS_OFFLINE_GRAMMAR_CHANGE_H
#define AGENTS_OFFLINE_GRAMMAR_CHANGE_H

#include "agents/offline/grammar/sense.h"

/* *made is before, changed; it shares the parts of both, which lie in arena. False: the change
 * makes nothing else of it, or does not fit; or no memory. *cost: how far it is from the rows that
 * were asked for. */
MUST_USE bool grammar_change(struct arena *arena, const struct lexicon *lexicon, int32_t today,
                             const struct sense *before, const struct sense *change,
                             struct sense *made, int *cost);

#endif

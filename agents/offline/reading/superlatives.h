/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/superlatives.h - words for an extreme in the walk. */
#ifndef AGENTS_OFFLINE_READING_SUPERLATIVES_H
#define AGENTS_OFFLINE_READING_SUPERLATIVES_H

#include "agents/offline/reading/parse.h"

/* Take the superlative at p->at and what belongs to it. False: p->reading->cannot says why. */
MUST_USE bool offline_superlatives_take(struct parse *p);

#endif

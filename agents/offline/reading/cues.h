/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/cues.h - operator words in the walk. */
#ifndef AGENTS_OFFLINE_READING_CUES_H
#define AGENTS_OFFLINE_READING_CUES_H

#include "agents/offline/reading/parse.h"

/* Take the cue at p->at. False: p->reading->cannot says why. */
MUST_USE bool offline_cues_take(struct parse *p);

#endif

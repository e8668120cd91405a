/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/ratios.h - shares and differences in the walk. */
#ifndef AGENTS_OFFLINE_READING_RATIOS_H
#define AGENTS_OFFLINE_READING_RATIOS_H

#include "agents/offline/reading/parse.h"

/* Each takes the cue at p->at: "share of", "net", "minus". False: p->reading->cannot says why. */
MUST_USE bool offline_ratios_take(struct parse *p);
MUST_USE bool offline_ratios_net(struct parse *p);
MUST_USE bool offline_ratios_minus(struct parse *p);
/* The end of a question for a share. */
MUST_USE bool offline_ratios_finish(struct parse *p);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/contrasts.h - comparisons without a number: with another column of the
 * row, or of rows of one value with those of another. */
#ifndef AGENTS_OFFLINE_READING_CONTRASTS_H
#define AGENTS_OFFLINE_READING_CONTRASTS_H

#include "agents/offline/reading/parse.h"

/* Take the comparison at p->at, whose first item behind it is after, if it is such a one. False:
 * it is, and p->reading->cannot says why it is not understood. */
MUST_USE bool offline_contrasts_take(struct parse *p, size_t after, bool *taken);

#endif

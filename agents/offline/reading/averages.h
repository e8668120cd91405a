/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/averages.h - whose average something is compared with. */
#ifndef AGENTS_OFFLINE_READING_AVERAGES_H
#define AGENTS_OFFLINE_READING_AVERAGES_H

#include "agents/offline/reading/parse.h"

/* Read what stands behind "average" at p->at: "electrician" (rows of that value), "of their city"
 * (rows like the one that is compared), or nothing of it (all rows). table: whose rows are
 * compared. False: p->reading->cannot says why. */
MUST_USE bool offline_averages_read(struct parse *p, int table, struct reading_mean *mean);

#endif

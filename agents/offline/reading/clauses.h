/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/clauses.h - comparisons. */
#ifndef AGENTS_OFFLINE_READING_CLAUSES_H
#define AGENTS_OFFLINE_READING_CLAUSES_H

#include "agents/offline/reading/parse.h"

/* Take the comparison at p->at and what belongs to it. False: p->reading->cannot says why. */
MUST_USE bool offline_clauses_compare(struct parse *p);

#endif

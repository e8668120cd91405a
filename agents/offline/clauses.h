/* SPDX-License-Identifier: MIT */
/* agents/offline/clauses.h - comparisons, superlatives and top-N. */
#ifndef AGENTS_OFFLINE_CLAUSES_H
#define AGENTS_OFFLINE_CLAUSES_H

#include "agents/offline/parse.h"

/* Each takes the cue at p->at and what belongs to it. False: p->reading->cannot says why. */
MUST_USE bool offline_clauses_compare(struct parse *p);
MUST_USE bool offline_clauses_super(struct parse *p);
MUST_USE bool offline_clauses_top(struct parse *p);
/* Order by the table's default measure. */
MUST_USE bool offline_clauses_order_default(struct parse *p, int table);

#endif

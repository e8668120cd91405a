/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/orders.h - top-N and orders. */
#ifndef AGENTS_OFFLINE_READING_ORDERS_H
#define AGENTS_OFFLINE_READING_ORDERS_H

#include "agents/offline/reading/parse.h"
#include "agents/english/verbs.h"

/* Take "top" at p->at and what belongs to it. False: p->reading->cannot says why. */
MUST_USE bool offline_orders_top(struct parse *p);
/* "Big customers": never understood, but which rows are meant can be asked. */
MUST_USE bool offline_orders_vague(struct parse *p);
/* Order by a column, the first limit rows unless that is 0. */
MUST_USE bool offline_orders_set(struct parse *p, struct reading_column on, bool descending,
                                 unsigned limit);
/* A number beside the superlative at cue, past which p->at is left: "the 3 largest", "largest 3".
 * 0: there is none. */
unsigned offline_orders_limit(struct parse *p, size_t cue);
/* Order by the table's default measure. */
MUST_USE bool offline_orders_default(struct parse *p, int table);

/* The one column of table that holds what a scale measures, or CATALOG_NONE. */
int offline_orders_scale(const struct parse *p, int table, enum offline_scale scale);

#endif

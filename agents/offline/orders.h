/* SPDX-License-Identifier: MIT */
/* agents/offline/orders.h - superlatives, top-N and orders. */
#ifndef AGENTS_OFFLINE_ORDERS_H
#define AGENTS_OFFLINE_ORDERS_H

#include "agents/offline/parse.h"
#include "agents/offline/verbs.h"

/* Each takes the cue at p->at and what belongs to it. False: p->reading->cannot says why. */
MUST_USE bool offline_orders_super(struct parse *p);
MUST_USE bool offline_orders_top(struct parse *p);
/* "Big customers": never understood, but which rows are meant can be asked. */
MUST_USE bool offline_orders_vague(struct parse *p);
/* Order by the table's default measure. */
MUST_USE bool offline_orders_default(struct parse *p, int table);

/* The one column of table that holds what a scale measures, or CATALOG_NONE. */
int offline_orders_scale(const struct parse *p, int table, enum offline_scale scale);

#endif

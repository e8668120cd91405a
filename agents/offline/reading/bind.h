/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/bind.h - values, booleans, literals and dates -> filters of a scope. */
#ifndef AGENTS_OFFLINE_READING_BIND_H
#define AGENTS_OFFLINE_READING_BIND_H

#include "agents/offline/reading/parse.h"

/* Each takes the item at p->at. False: p->reading->cannot says why. */
MUST_USE bool offline_bind_value(struct parse *p);
MUST_USE bool offline_bind_boolean(struct parse *p);
MUST_USE bool offline_bind_literal(struct parse *p);
MUST_USE bool offline_bind_like(struct parse *p);
MUST_USE bool offline_bind_date(struct parse *p);
/* A filter on column added to the scope that fits it. NULL: there are too many. */
struct reading_filter *offline_bind_filter(struct parse *p, struct reading_column on);

#endif

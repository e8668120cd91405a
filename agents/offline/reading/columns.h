/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/columns.h - columns in the walk. */
#ifndef AGENTS_OFFLINE_READING_COLUMNS_H
#define AGENTS_OFFLINE_READING_COLUMNS_H

#include "agents/offline/reading/parse.h"

/* Take the column at p->at. False: p->reading->cannot says why. */
MUST_USE bool offline_columns_take(struct parse *p);
/* Whether what begins at item i compares the column before it with something. */
bool offline_columns_is_compared(const struct parse *p, size_t i);

#endif

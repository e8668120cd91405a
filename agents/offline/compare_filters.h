/* SPDX-License-Identifier: MIT */
/* agents/offline/compare_filters.h - the conditions of a question against those of a statement. */
#ifndef AGENTS_OFFLINE_COMPARE_FILTERS_H
#define AGENTS_OFFLINE_COMPARE_FILTERS_H

#include "agents/offline/claims.h"
#include "agents/offline/compare.h"

/* One remark for each condition of the reading that the statement does not have, has with another
 * number or the other way round; and one for a text it compares with that nobody spoke of. */
void offline_compare_filters_say(const struct claims *claims, const struct offline_reading *reading,
                                 offline_compare_fn *say, void *owner);

/* Whether a scope only says that there is one at least, which needs no number. */
bool offline_compare_filters_is_one(const struct reading_scope *scope);

#endif

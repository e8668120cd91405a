/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/extremes.h - "the most expensive product of each category": rows, not
 * numbers. */
#ifndef AGENTS_OFFLINE_COMPOSE_EXTREMES_H
#define AGENTS_OFFLINE_COMPOSE_EXTREMES_H

#include "agents/offline/compose/statement.h"

/* SELECT group, row, value. ERR_INVALID: it cannot be said so. */
MUST_USE enum err_code offline_extremes_compose(struct statement *s);
/* Where no row can be told to be its group's extreme, that of each group is shown instead. */
void offline_extremes_settle(const struct lexicon *lexicon, struct offline_reading *reading);

#endif

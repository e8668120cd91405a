/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/extremes.h - statements such as "the most expensive product of each
 * category": rows, not numbers. */
#ifndef AGENTS_OFFLINE_COMPOSE_EXTREMES_H
#define AGENTS_OFFLINE_COMPOSE_EXTREMES_H

#include "agents/offline/compose/statement.h"

/* Compose SELECT group, row, value. ERR_INVALID: the reading cannot be said in this form. */
MUST_USE enum err_code offline_extremes_compose(struct statement *s);
/* Change reading to show the extreme value of each group where no row can be told to be the extreme
 * of its group. */
void offline_extremes_settle(const struct lexicon *lexicon, struct offline_reading *reading);

#endif

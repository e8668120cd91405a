/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/beside.h - the amounts that a list is bounded by, which it shows beside
 * the columns of its rows. */
#ifndef AGENTS_OFFLINE_COMPOSE_BESIDE_H
#define AGENTS_OFFLINE_COMPOSE_BESIDE_H

#include "agents/offline/compose/statement.h"

/* Append ", (SELECT COUNT(*) ...) AS orders_count" for each amount that the list is bounded by. */
MUST_USE enum err_code offline_beside_amounts(struct statement *s);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/statement/graph.h - one SQL statement of the caller's own: the guard, then the database.
 */
#ifndef AGENTS_STATEMENT_GRAPH_H
#define AGENTS_STATEMENT_GRAPH_H

#include "agents/registry.h"

extern const struct registry_entry statement_entry;

#endif

/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/graph.h - the text-to-SQL graph of seed 001. */
#ifndef AGENTS_TEXT_TO_SQL_GRAPH_H
#define AGENTS_TEXT_TO_SQL_GRAPH_H

#include "agents/registry.h"

extern const struct registry_entry text_to_sql_entry;

#endif

/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/retrieval.h - the node that gathers context: similar questions with their SQL,
 * comments of the database, the tables the question is about, and the earlier messages. */
#ifndef AGENTS_TEXT_TO_SQL_RETRIEVAL_H
#define AGENTS_TEXT_TO_SQL_RETRIEVAL_H

#include "agents/services/services.h"

extern const struct graph_node_type text_to_sql_retrieval_node;

#endif

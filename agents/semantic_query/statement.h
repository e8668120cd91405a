/* SPDX-License-Identifier: MIT */
/* agents/semantic_query/statement.h - queries over metrics in the place of statements, as nodes
 * meet them. */
#ifndef AGENTS_SEMANTIC_QUERY_STATEMENT_H
#define AGENTS_SEMANTIC_QUERY_STATEMENT_H

#include "agents/services/services.h"

/* Whether what a model wrote is a query (read.h) and no statement. */
bool semantic_query_is(struct str text);
/* The statement that a query means, in the arena of the node; text itself when it is no query, or
 * one that cannot be written. */
struct str semantic_query_statement(struct node *node, struct str text);
/* Why a query cannot be written as a statement; false: it can, or text is none. */
bool semantic_query_problem(struct node *node, struct str text, struct err *err);
/* A rule of a prompt: when and how a query is written. Empty: there are no metrics to ask for. */
struct str semantic_query_rule(struct node *node);

#endif

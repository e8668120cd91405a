/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/respond.h - the responder: the fields of its prompt, and what it keeps. */
#ifndef AGENTS_TEXT_TO_SQL_RESPOND_H
#define AGENTS_TEXT_TO_SQL_RESPOND_H

#include "agents/services/services.h"

/* Whether a model is asked: when the generator could not write a statement its refusal is the
 * answer. */
enum step text_to_sql_respond_first(struct node *node);
/* Keep the answer, in the state and in the conversation. */
enum step text_to_sql_respond_keep(struct node *node, struct str answer);

/* Fields of the prompt: the fate of the question in a sentence; why it failed, or ""; the rows. */
struct str text_to_sql_respond_status(struct node *node);
struct str text_to_sql_respond_error(struct node *node);
struct str text_to_sql_respond_rows(struct node *node);
struct str text_to_sql_respond_row_count(struct node *node);
struct str text_to_sql_respond_truncated(struct node *node);

#endif

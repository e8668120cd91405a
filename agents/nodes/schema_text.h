/* SPDX-License-Identifier: MIT */
/* agents/nodes/schema_text.h - what a model is shown of the schema for one question.
 *
 * Columns that only say who touched a row (createdBy) and the column that says whose a row is are
 * left out, as are the relationships by them, unless a word of the question names them: on a large
 * schema they are close to half of the text, and a statement that uses them is nearly always wrong.
 * Whose rows a statement sees is the guard's matter. */
#ifndef AGENTS_NODES_SCHEMA_TEXT_H
#define AGENTS_NODES_SCHEMA_TEXT_H

#include "agents/services/services.h"

struct join_edge;

enum { SCHEMA_TEXT_WORDS = 64 };

/* A question's words of three letters and more, at most SCHEMA_TEXT_WORDS; views of the question.
 */
struct schema_text_words {
    struct str at[SCHEMA_TEXT_WORDS];
    size_t count;
};

struct schema_text_words schema_text_words(struct str question);
/* Whether a prompt for the question leaves the column of the table out; of a secure view by its
 * base table's column. Keys are never left out. */
bool schema_text_omits(const struct knowledge *knows, const struct schema_text_words *words,
                       int table, int column);
/* The same for what the guard says of a statement that answers the question, which is borrowed. */
struct sql_unasked schema_text_unasked(const struct knowledge *knows, struct str question);
/* Whether a prompt leaves the relationship out. */
bool schema_text_omits_edge(const struct schema_text_words *words, const struct join_edge *edge);
/* Append the tables as catalog_write_prompt does, then what the semantic file says of them. today:
 * as of semantic_prompt_write. */
void schema_text_write(const struct knowledge *knows, struct str question, const int *tables,
                       size_t count, size_t max_columns, struct str today, struct buf *out);
/* Verified questions like this one, with their statements, of those that read nothing but the
 * tables (agents/search/alike.h). In the arena of the node; empty: none. */
struct str schema_text_examples(struct node *node, struct str question, const int *tables,
                                size_t count);
/* A line of a prompt's rules: whose rows a statement sees. Empty where rows are nobody's. */
struct str schema_text_scope(struct node *node);

#endif

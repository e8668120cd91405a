/* SPDX-License-Identifier: MIT */
/* agents/semantic/prompt.h - what a model is told besides the schema: metrics, named filters,
 * words, and questions with verified statements.
 *
 * Labels, synonyms and units reach it as comments of the catalog (bind.h). */
#ifndef AGENTS_SEMANTIC_PROMPT_H
#define AGENTS_SEMANTIC_PROMPT_H

#include "agents/semantic/model.h"

/* Append what concerns the tables, as Markdown after the schema; nothing when there is nothing.
 * semantic may be NULL. */
void semantic_prompt_write(const struct semantic *semantic, const struct catalog *catalog,
                           const int *tables, size_t count, struct buf *out);

/* The same behind what is said of the tables and their columns, for a schema that is not written
 * from the catalog and so lacks its comments. */
void semantic_prompt_write_all(const struct semantic *semantic, const struct catalog *catalog,
                               const int *tables, size_t count, struct buf *out);

#endif

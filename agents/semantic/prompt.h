/* SPDX-License-Identifier: MIT */
/* agents/semantic/prompt.h - what a prompt says about the data besides the schema: metrics, named
 * filters and words. agents/search/alike.h has the verified questions, which depend on what is
 * asked.
 *
 * Labels, synonyms and units reach a prompt as comments of the catalog (bind.h). */
#ifndef AGENTS_SEMANTIC_PROMPT_H
#define AGENTS_SEMANTIC_PROMPT_H

#include "agents/semantic/model.h"

/* Append everything that concerns the tables, as Markdown that follows the schema; nothing when
 * there is none. today ("2025-06-30") takes the place of {today}; empty: nobody knows the day.
 * semantic may be NULL. */
void semantic_prompt_write(const struct semantic *semantic, const struct catalog *catalog,
                           const int *tables, size_t count, struct str today, struct buf *out);

/* Append what semantic_prompt_write appends, after what the model says of the tables and their
 * columns: for a schema that is not written from the catalog and so lacks its comments. */
void semantic_prompt_write_all(const struct semantic *semantic, const struct catalog *catalog,
                               const int *tables, size_t count, struct str today, struct buf *out);

#endif

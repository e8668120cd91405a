/* SPDX-License-Identifier: MIT */
/* agents/lexicon/owned.h - which companies have a value, where rows belong to companies.
 *
 * A value that one or two companies have is a word for these companies only; a value that more
 * companies have (a status, say) is a word for everybody. A company is known by a hash of its id.
 */
#ifndef AGENTS_LEXICON_OWNED_H
#define AGENTS_LEXICON_OWNED_H

#include "agents/lexicon/render_names.h"
#include "backends/sql.h"

enum { LEXICON_OWNED_STEPS = 8 };

/* Whether the rows of the table belong to companies: by a column, by a table they refer to, or
 * because they are the companies themselves. */
bool lexicon_owned_is(const struct catalog *catalog, int table);
/* Append "SELECT column AS v, owner AS o FROM ...", through secure views; the table has the alias
 * t1. */
void lexicon_owned_push(const struct render *render, int table, int column);
/* Read the owners of a value from a row of v, COUNT(DISTINCT o), MIN(o), MAX(o). */
void lexicon_owned_read(const struct sql_result *result, size_t row, uint64_t owners[2]);
/* The hash of a company's id; never 0, which stands for everybody. */
uint64_t lexicon_owned_hash(struct str company);

#endif

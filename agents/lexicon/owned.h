/* SPDX-License-Identifier: MIT */
/* agents/lexicon/owned.h - whose a value is, where rows belong to companies.
 *
 * A value that one or two companies have is a word to them only; one that more have is a word to
 * all, as a status is. Companies are known by a hash of their ids. */
#ifndef AGENTS_LEXICON_OWNED_H
#define AGENTS_LEXICON_OWNED_H

#include "agents/lexicon/render_names.h"
#include "backends/sql.h"

enum { LEXICON_OWNED_STEPS = 8 };

/* Whether rows of the table belong to companies: by a column, by what they refer to, or as the
 * companies themselves. */
bool lexicon_owned_is(const struct catalog *catalog, int table);
/* "SELECT column AS v, owner AS o FROM ...", through secure views; the table is t1. */
void lexicon_owned_push(const struct render *render, int table, int column);
/* The owners of the value in a row of v, COUNT(DISTINCT o), MIN(o), MAX(o). */
void lexicon_owned_read(const struct sql_result *result, size_t row, uint64_t owners[2]);
/* Never 0, which stands for everybody. */
uint64_t lexicon_owned_hash(struct str company);

#endif

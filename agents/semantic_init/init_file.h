/* SPDX-License-Identifier: MIT */
/* agents/semantic_init/init_file.h - a first semantic file for a person to edit, guessed from the
 * names, keys and values of a database. */
#ifndef AGENTS_SEMANTIC_INIT_INIT_FILE_H
#define AGENTS_SEMANTIC_INIT_INIT_FILE_H

#include "agents/lexicon/index.h"
#include "backends/sql.h"

/* Append the file as one JSON value. Of tables: labels with abbreviations written out, label
 * columns, the default date, rows that do not count, references that nobody declared, lookups. Of
 * columns: labels of names that nobody says as they are, units, what looks private. Then sums of
 * sales as a metric, states as filters, codes whose meaning is known as words. Without values in
 * the lexicon there are no states. Names are spelled in the dialect. A full out is the caller's to
 * notice. */
void semantic_init_write(const struct lexicon *lexicon, enum sql_dialect dialect, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/lexicon/describe_names.h - names of tables and columns as words of a sentence. */
#ifndef AGENTS_LEXICON_DESCRIBE_NAMES_H
#define AGENTS_LEXICON_DESCRIBE_NAMES_H

#include "agents/lexicon/index.h"

/* Append the words of a name, in lower case with blanks between; the "id" of a key is kept. */
void lexicon_describe_words(struct str name, struct buf *out);
/* Append the words of a table's name, in the plural when plural is set; the words of a column's
 * name. */
void lexicon_describe_table(const struct lexicon *lexicon, int table, bool plural, struct buf *out);
void lexicon_describe_column(const struct lexicon *lexicon, int table, int column, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/lexicon/describe_names.h - what a table or a column is called in a sentence. */
#ifndef AGENTS_LEXICON_DESCRIBE_NAMES_H
#define AGENTS_LEXICON_DESCRIBE_NAMES_H

#include "agents/lexicon/index.h"

/* The words of a name, in lower case with blanks; a key's "id" is kept. */
void lexicon_describe_words(struct str name, struct buf *out);
/* Words of a table's name, in the plural or not; of a column's name. */
void lexicon_describe_table(const struct lexicon *lexicon, int table, bool plural, struct buf *out);
void lexicon_describe_column(const struct lexicon *lexicon, int table, int column, struct buf *out);

#endif

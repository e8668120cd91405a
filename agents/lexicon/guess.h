/* SPDX-License-Identifier: MIT */
/* agents/lexicon/guess.h - a first semantic file, for a person to edit: what the names and keys of
 * a database suggest. */
#ifndef AGENTS_LEXICON_GUESS_H
#define AGENTS_LEXICON_GUESS_H

#include "agents/lexicon/index.h"

/* Append it as one JSON value: of each table a label, the columns that name a row, the date that is
 * meant when none is named, whether it is a lookup; of columns, those that look private and the
 * roles of references; and empty lists for the rest. */
void lexicon_guess_write(const struct lexicon *lexicon, struct buf *out);

#endif

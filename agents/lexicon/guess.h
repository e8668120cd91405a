/* SPDX-License-Identifier: MIT */
/* agents/lexicon/guess.h - a first semantic file for a person to edit, guessed from the names and
 * keys of a database. */
#ifndef AGENTS_LEXICON_GUESS_H
#define AGENTS_LEXICON_GUESS_H

#include "agents/lexicon/index.h"

/* Append the file as one JSON value. Of each table: a label, the columns that name a row, the date
 * that is meant when none is named, whether it is a lookup table. Of columns: those that look
 * private, and the roles of references. All else as empty lists. */
void lexicon_guess_write(const struct lexicon *lexicon, struct buf *out);

#endif

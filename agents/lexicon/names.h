/* SPDX-License-Identifier: MIT */
/* agents/lexicon/names.h - the names of a table and of its columns, as people say them. */
#ifndef AGENTS_LEXICON_NAMES_H
#define AGENTS_LEXICON_NAMES_H

#include "agents/lexicon/index.h"

/* Enter the names of table and of its columns into the index. False: no memory. */
MUST_USE bool lexicon_names_enter(struct lexicon *lexicon, int table);

#endif

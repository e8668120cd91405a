/* SPDX-License-Identifier: MIT */
/* agents/lexicon/mentioned.h - the values of a database that the words of a question are. Pure. */
#ifndef AGENTS_LEXICON_MENTIONED_H
#define AGENTS_LEXICON_MENTIONED_H

#include "agents/lexicon/index.h"

struct lexicon_mentioned { /* views of the lexicon */
    int table, column;
    struct str value;
};

/* Write to found the values of text in columns of tables[0..count), each once, in the order of
 * text; how many, at most max. Works in arena; without memory nothing is found. */
size_t lexicon_mentioned_in(const struct lexicon *lexicon, struct str text, const int *tables,
                            size_t count, struct arena *arena, struct lexicon_mentioned *found,
                            size_t max);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/english/spellings.h - what words in names of tables and columns stand for: abbreviations,
 * and nouns of other languages. The table is made of words/names.txt, which says its sections. */
#ifndef AGENTS_ENGLISH_SPELLINGS_H
#define AGENTS_ENGLISH_SPELLINGS_H

#include "core/base/str.h"

struct english_spelling {
    const char *section, *word, *meaning; /* meaning: "" in a section of single words */
};

/* All entries by sections, in the order of the file; the last has no section. */
extern const struct english_spelling spellings_table[];

#endif

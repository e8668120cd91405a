/* SPDX-License-Identifier: MIT */
/* agents/lexicon/glossary.h - enters what a semantic file says into a lexicon. */
#ifndef AGENTS_LEXICON_GLOSSARY_H
#define AGENTS_LEXICON_GLOSSARY_H

#include "agents/lexicon/index.h"

/* Replace the guessed labels and dates in facts by those that the file names for table. */
void lexicon_glossary_facts(const struct lexicon *lexicon, int table, struct lexicon_facts *facts);
/* Whether the file says that nobody is to see the column's values. */
bool lexicon_glossary_hides(const struct lexicon *lexicon, int table, int column);
/* Enter labels, synonyms, metrics, filters and words. False: no memory. */
MUST_USE bool lexicon_glossary_enter(struct lexicon *lexicon);

#endif

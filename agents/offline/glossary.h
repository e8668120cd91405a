/* SPDX-License-Identifier: MIT */
/* agents/offline/glossary.h - what a semantic file says, as entries of a lexicon. */
#ifndef AGENTS_OFFLINE_GLOSSARY_H
#define AGENTS_OFFLINE_GLOSSARY_H

#include "agents/offline/index.h"

/* Labels and dates that the file names instead of those that were guessed. */
void offline_glossary_facts(const struct lexicon *lexicon, int table, struct offline_facts *facts);
/* Whether the file says that nobody is to see the column's values. */
bool offline_glossary_hides(const struct lexicon *lexicon, int table, int column);
/* Enter labels, synonyms, metrics, filters and words. False: no memory. */
MUST_USE bool offline_glossary_enter(struct lexicon *lexicon);

#endif

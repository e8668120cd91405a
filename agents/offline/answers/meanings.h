/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/meanings.h - answers "what does churn mean?" from the semantic file. */
#ifndef AGENTS_OFFLINE_ANSWERS_MEANINGS_H
#define AGENTS_OFFLINE_ANSWERS_MEANINGS_H

#include "agents/lexicon/index.h"

/* Append the meaning of the word that question asks about: what a row of a table is, a metric, a
 * named filter or a word of the glossary. False: the question asks about no word, or about one that
 * is explained nowhere. */
bool offline_meanings_write(const struct lexicon *lexicon, struct str question, struct buf *out);

#endif

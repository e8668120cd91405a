/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/meanings.h - "what does churn mean?", out of the semantic file. */
#ifndef AGENTS_OFFLINE_ANSWERS_MEANINGS_H
#define AGENTS_OFFLINE_ANSWERS_MEANINGS_H

#include "agents/lexicon/index.h"

/* Append what the word that question asks for means: a table's row, a metric, a named filter or a
 * word of the glossary. False: it asks for none, or for one that is explained nowhere. */
bool offline_meanings_write(const struct lexicon *lexicon, struct str question, struct buf *out);

#endif

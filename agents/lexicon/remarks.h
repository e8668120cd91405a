/* SPDX-License-Identifier: MIT */
/* agents/lexicon/remarks.h - what comments call columns: "PTS -- penalty points". */
#ifndef AGENTS_LEXICON_REMARKS_H
#define AGENTS_LEXICON_REMARKS_H

#include "agents/lexicon/index.h"

enum { REMARKS_WORDS = 5 };

/* The words, in small letters, by which a comment calls its column, made in arena; 0: it explains
 * something else, or is a sentence. */
size_t lexicon_remarks_words(struct arena *arena, struct str comment, struct str *words);
/* Enter comments as further names of their columns. False: no memory. */
MUST_USE bool lexicon_remarks_enter(struct lexicon *lexicon);

#endif

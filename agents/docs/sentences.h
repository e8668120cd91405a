/* SPDX-License-Identifier: MIT */
/* agents/docs/sentences.h - prose cut into sentences, by punctuation and a few abbreviations. */
#ifndef AGENTS_DOCS_SENTENCES_H
#define AGENTS_DOCS_SENTENCES_H

#include "core/base/str.h"

/* Cut the first sentence, trimmed, off *rest. A newline always ends one; ". " does unless the word
 * before is an abbreviation ("e.g."), an initial or a list number, or what follows begins in lower
 * case; marks of sources ("[2]") after it belong to it. Absent when nothing but blanks is left. */
struct str docs_sentences_next(struct str *rest);

#endif

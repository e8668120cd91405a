/* SPDX-License-Identifier: MIT */
/* agents/docs/sentences.h - prose cut into sentences, by punctuation and a few abbreviations. */
#ifndef AGENTS_DOCS_SENTENCES_H
#define AGENTS_DOCS_SENTENCES_H

#include "core/base/str.h"

/* Cut the first sentence, trimmed, off *rest. A newline always ends a sentence; ". " ends one
 * unless the word before is an abbreviation ("e.g."), an initial or a list number, or the next word
 * begins in lower case; source marks ("[2]") after a sentence belong to it. Absent when only blanks
 * are left. */
struct str docs_sentences_next(struct str *rest);

#endif

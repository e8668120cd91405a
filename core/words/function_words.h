/* SPDX-License-Identifier: MIT */
/* core/words/function_words.h - words that say nothing about a text's subject.
 *
 * English, and the most frequent of German, Spanish, French, Portuguese, Italian and Dutch. Any
 * thread. */
#ifndef CORE_WORDS_FUNCTION_WORDS_H
#define CORE_WORDS_FUNCTION_WORDS_H

#include "core/base/str.h"

/* word: folded, as fold_next gives it. */
bool function_words_has(struct str word);
/* Whether it is one of another language than English. word: folded. */
bool function_words_is_foreign(struct str word);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/words/text_words.h - what somebody typed -> the words to look for.
 *
 * Everything but letters and digits parts words; words of grammar go when others remain. What comes
 * out holds no sign a query language could mean something by. Any thread; no allocation. */
#ifndef BACKENDS_WORDS_TEXT_WORDS_H
#define BACKENDS_WORDS_TEXT_WORDS_H

#include "core/base/str.h"

enum { TEXT_WORDS_MAX = 64, TEXT_WORDS_BYTES = 64 };

/* Up to TEXT_WORDS_MAX different words, as views of typed, in its order; longer ones are cut at
 * TEXT_WORDS_BYTES. Returns how many. */
size_t text_words_split(struct str typed, struct str words[TEXT_WORDS_MAX]);

#endif

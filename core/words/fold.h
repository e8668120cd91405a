/* SPDX-License-Identifier: MIT */
/* core/words/fold.h - text as people compare it: lower case, without accents.
 *
 * UTF-8 in and out. Latin, Greek and Cyrillic letters lose case and accents ("Über" and "uber"
 * meet), full-width forms become ASCII; other scripts pass unchanged. Not for identity, only for
 * search. Any thread; no allocation. */
#ifndef CORE_WORDS_FOLD_H
#define CORE_WORDS_FOLD_H

#include "core/base/str.h"

enum { FOLD_BYTES = 4 }; /* most that one character becomes */

enum fold_kind {
    FOLD_END,      /* *rest was empty */
    FOLD_SIGN,     /* blank, punctuation, symbol, a byte that is not UTF-8 */
    FOLD_LETTER,   /* letter or digit */
    FOLD_IDEOGRAPH /* a character of a script without blanks between words */
};

struct fold_char {
    enum fold_kind kind;
    bool is_upper; /* it was a capital */
    size_t len;    /* bytes of text; 0: a combining accent, gone */
    char text[FOLD_BYTES];
};

/* The next character, cut from *rest. */
struct fold_char fold_next(struct str *rest);

#endif

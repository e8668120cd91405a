/* SPDX-License-Identifier: MIT */
/* core/words/stem.h - word -> stem, by a few suffix rules, the same for questions and names.
 *
 * A stem need not be a word; it only has to be equal for the forms of one word. Any thread. */
#ifndef CORE_WORDS_STEM_H
#define CORE_WORDS_STEM_H

#include "core/base/arena.h"

enum { STEM_BYTES = 48 };

/* Whether a small letter is a vowel, y among them. */
bool stem_is_vowel(char c);
/* Stem of an ASCII-lower-cased word into to (STEM_BYTES); a view of to. A longer word is
 * cut. */
struct str stem_of(struct str word, char *to);
/* A name or value split into lower-case words: camelCase, snake_case, blanks and other signs part
 * them, digits stay with their letters. Up to max views made in arena; returns how many. */
size_t stem_split(struct arena *arena, struct str name, struct str *words, size_t max);
/* The stems of words joined by one blank, in arena; absent: no memory. */
struct str stem_key(struct arena *arena, const struct str *words, size_t count);
/* The key, as of stem_key, of a name or value that is split as by stem_split; made without
 * allocating, in to (max times STEM_BYTES + 1). *count: how many words there are, max at most. */
struct str stem_phrase(struct str name, size_t max, char *to, size_t *count);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/held/written.h - what people write around the digits of a number, in several languages:
 * words of percent, blanks that group digits, marks that are no numbers. Pure; any thread. */
#ifndef AGENTS_HELD_WRITTEN_H
#define AGENTS_HELD_WRITTEN_H

#include "core/base/str.h"

/* The bytes of a blank that does not break a line (no-break, narrow or thin) at the beginning of
 * text; 0: none. */
size_t held_written_blank(struct str text);
/* The letters at the beginning of text, those of Latin languages too; empty: none. */
struct str held_written_word(struct str text);

/* "percent", "Prozent", "por ciento": whether text begins with the word of percent, or its sign;
 * *len: its bytes. */
MUST_USE bool held_written_percent(struct str text, size_t *len);

/* Whether the digits of text from begin to end number an item of a list: "1. ", "2) ". */
bool held_written_is_item(struct str text, size_t begin, size_t end);
/* Whether they are, or are among, marks of sources: "[2]", "[1, 3]". */
bool held_written_is_mark(struct str text, size_t begin, size_t end);

#endif

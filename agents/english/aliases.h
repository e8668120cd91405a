/* SPDX-License-Identifier: MIT */
/* agents/english/aliases.h - other words for a value that a database spells by a code: the people
 * of a country, the name of a state or a language, men and women; nothing of any schema. */
#ifndef AGENTS_ENGLISH_ALIASES_H
#define AGENTS_ENGLISH_ALIASES_H

#include "core/base/str.h"

enum { ENGLISH_ALIASES = 4 };

/* Write the other words for value in a column of this name to out (static texts, at most
 * ENGLISH_ALIASES). Returns how many. Any thread. */
size_t english_aliases_of(struct str column, struct str value, struct str *out);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/english/aliases.h - what people say for a value that a database spells by a code: the
 * people of a country, the name of a state, men and women.
 *
 * General English and ISO 3166 (countries, and the states of North America); no schema's. */
#ifndef AGENTS_ENGLISH_ALIASES_H
#define AGENTS_ENGLISH_ALIASES_H

#include "core/base/str.h"

enum { ENGLISH_ALIASES = 4 };

/* What else value is called in a column of this name, into out (static texts, at most
 * ENGLISH_ALIASES); how many. Any thread. */
size_t english_aliases_of(struct str column, struct str value, struct str *out);

#endif

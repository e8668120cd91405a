/* SPDX-License-Identifier: MIT */
/* agents/english/aliases_table.h - words/aliases.txt as a table that the build makes; texts have
 * "|" between their words. Immutable; any thread. */
#ifndef AGENTS_ENGLISH_ALIASES_TABLE_H
#define AGENTS_ENGLISH_ALIASES_TABLE_H

#include "core/base/str.h"

struct english_alias {
    const char *columns; /* parts of names of columns that have such values; NULL: no more */
    const char *codes, *said;
};

extern const struct english_alias aliases_table[];

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/name_words.h - a name of a table or column as words: camelCase, snake_case and
 * digits part them. Pure. */
#ifndef AGENTS_SQL_CATALOG_NAME_WORDS_H
#define AGENTS_SQL_CATALOG_NAME_WORDS_H

#include "core/base/str.h"

enum { NAME_WORDS_MAX = 12 };

struct name_words { /* views of the name */
    struct str at[NAME_WORDS_MAX];
    size_t count; /* words past NAME_WORDS_MAX are left out */
};

struct name_words name_words_split(struct str name);
/* Whether the words of phrase ("api key"; "token $": at the end of the name; "^ pin": at its
 * beginning) stand at words->at[first], in any case. */
bool name_words_stand_at(const struct name_words *words, size_t first, const char *phrase);

#endif

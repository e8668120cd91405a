/* SPDX-License-Identifier: MIT */
/* agents/sql/words.c - the keyword table and its search.
 *
 * Happy path: find the word by length, then bytes. Failure: there is none; a word that is not in
 * the table is a plain name. */
#include "agents/sql/words.h"

enum word_class { R, J, N };

static const struct word_entry {
    struct str text;
    enum word_class sqlite, mysql;
} words[SQL_WORD_COUNT] = {
#define SQL_WORD_ENTRY(name, text, sqlite, mysql)                                                  \
    [SQL_WORD_##name] = {{text, sizeof text - 1}, sqlite, mysql},
    SQL_WORDS(SQL_WORD_ENTRY)
#undef SQL_WORD_ENTRY
};

static enum word_class class_of(enum sql_dialect dialect, enum sql_word word)
{
    return dialect == SQL_MYSQL ? words[word].mysql : words[word].sqlite;
}

enum sql_word sql_words_find(struct str text)
{
    for (int i = SQL_WORD_NONE + 1; i < SQL_WORD_COUNT; i++)
        if (str_equal_nocase(words[i].text, text))
            return (enum sql_word)i;
    return SQL_WORD_NONE;
}

bool sql_words_may_name(enum sql_dialect dialect, enum sql_word word)
{
    return word == SQL_WORD_NONE || class_of(dialect, word) != R;
}

bool sql_words_may_alias(enum sql_dialect dialect, enum sql_word word)
{
    return word == SQL_WORD_NONE || class_of(dialect, word) == N;
}

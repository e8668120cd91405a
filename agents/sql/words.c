/* SPDX-License-Identifier: MIT */
/* agents/sql/words.c - the keyword table and its search.
 *
 * Happy path: search the sorted table. Failure: there is none; a word that is not in
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

/* As str_compare, with text's case ignored; words are lower case. */
static int compare(struct str text, struct str word)
{
    for (size_t i = 0; i < text.len && i < word.len; i++) {
        char byte = str_lower(text.at[i]);
        if (byte != word.at[i])
            return (unsigned char)byte < (unsigned char)word.at[i] ? -1 : 1;
    }
    return (text.len > word.len) - (text.len < word.len);
}

enum sql_word sql_words_find(struct str text)
{
    int low = SQL_WORD_NONE + 1, high = SQL_WORD_COUNT;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = compare(text, words[middle].text);
        if (order == 0)
            return (enum sql_word)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
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

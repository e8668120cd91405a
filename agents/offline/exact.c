/* SPDX-License-Identifier: MIT */
/* agents/offline/exact.c - a set of "table.column=value" keys in the lexicon's arena; a key without
 * a value says that the column is whole. Values over 256 bytes make a column never whole. */
#include "agents/offline/exact.h"

#include <stdio.h>

enum { MAX_VALUE_BYTES = 256, KEY_BYTES = MAX_VALUE_BYTES + 32 };

/* Write the key into text; its length, 0: the value is too long. */
static size_t write_key(char *text, int table, int column, struct str value)
{
    if (value.len > MAX_VALUE_BYTES)
        return 0;
    size_t len = (size_t)snprintf(text, KEY_BYTES, "%d.%d=", table, column);
    for (size_t i = 0; i < value.len; i++)
        text[len++] = str_lower(value.at[i]);
    return len;
}

static bool put_key(struct lexicon *lexicon, int table, int column, struct str value)
{
    char text[KEY_BYTES];
    size_t len = write_key(text, table, column, value);
    if (len == 0 || map_find(&lexicon->exact, str_make(text, len)) != NULL)
        return true;
    struct str key = arena_str(&lexicon->arena, str_make(text, len));
    return !str_is_absent(key) && map_put(&lexicon->exact, key, lexicon);
}

bool offline_exact_add(struct lexicon *lexicon, int table, int column, struct str value)
{
    return str_is_empty(value) || put_key(lexicon, table, column, value);
}

bool offline_exact_is_whole(struct lexicon *lexicon, int table, int column)
{
    return put_key(lexicon, table, column, STR(""));
}

static bool has_key(const struct lexicon *lexicon, int table, int column, struct str value)
{
    char text[KEY_BYTES];
    size_t len = write_key(text, table, column, value);
    return len > 0 && map_find(&lexicon->exact, str_make(text, len)) != NULL;
}

bool offline_exact_lacks(const struct lexicon *lexicon, int table, int column, struct str value)
{
    return value.len > 0 && value.len <= MAX_VALUE_BYTES &&
           has_key(lexicon, table, column, STR("")) && !has_key(lexicon, table, column, value);
}

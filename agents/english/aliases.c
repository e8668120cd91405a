/* SPDX-License-Identifier: MIT */
/* agents/english/aliases.c - searches the table of words/aliases.txt.
 *
 * Happy path: the column's name says which rows of the table may hold the value; the row that does
 * has the rest. Failure: it finds none and says so; no state, no memory. */
#include "agents/english/aliases.h"

#include "agents/english/aliases_table.h"

static bool has_word(const char *words, struct str word)
{
    struct str rest = str_of(words);
    while (!str_is_absent(rest))
        if (str_equal_nocase(str_split(&rest, '|'), word))
            return true;
    return false;
}

/* Whether name has one of parts in it, in any case. */
static bool speaks_of(struct str name, const char *parts)
{
    struct str rest = str_of(parts);
    while (!str_is_absent(rest)) {
        struct str part = str_split(&rest, '|');
        for (size_t i = 0; i + part.len <= name.len; i++)
            if (str_equal_nocase(str_slice(name, i, i + part.len), part))
                return true;
    }
    return false;
}

size_t english_aliases_of(struct str column, struct str value, struct str *out)
{
    for (const struct english_alias *a = aliases_table; a->columns != NULL; a++) {
        if ((!has_word(a->codes, value) && !has_word(a->said, value)) ||
            !speaks_of(column, a->columns))
            continue;
        size_t found = 0;
        struct str rest = str_of(a->said);
        while (!str_is_absent(rest) && found < ENGLISH_ALIASES)
            out[found++] = str_split(&rest, '|');
        return found;
    }
    return 0;
}

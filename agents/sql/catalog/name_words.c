/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/name_words.c - where one word ends and the next begins.
 *
 * Cannot fail. */
#include "agents/sql/catalog/name_words.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
    return str_is_alpha(c) || str_is_digit(c);
}

/* Whether a new word begins at i: after a separator, at aB, and at the last capital of ABc. */
static bool begins(struct str name, size_t i)
{
    char before = name.at[i - 1], here = name.at[i];
    if (!is_word(before))
        return true;
    if (str_is_digit(before) != str_is_digit(here))
        return true;
    if (!is_upper(here))
        return false;
    return !is_upper(before) ||
           (i + 1 < name.len && str_is_alpha(name.at[i + 1]) && !is_upper(name.at[i + 1]));
}

struct name_words name_words_split(struct str name)
{
    struct name_words words = {.count = 0};
    size_t start = 0;
    for (size_t i = 0; i <= name.len; i++) {
        bool ends = i == name.len || !is_word(name.at[i]) || (i > start && begins(name, i));
        if (!ends)
            continue;
        if (i > start && words.count < NAME_WORDS_MAX)
            words.at[words.count++] = str_slice(name, start, i);
        start = i < name.len && is_word(name.at[i]) ? i : i + 1;
    }
    return words;
}

bool name_words_stand_at(const struct name_words *words, size_t first, const char *phrase)
{
    struct str rest = str_of(phrase);
    if (str_starts_with(rest, STR("^ "))) {
        if (first > 0)
            return false;
        rest = str_from(rest, 2);
    }
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (str_equal(word, STR("$")))
            return first == words->count;
        if (first == words->count || !str_equal_nocase(words->at[first], word))
            return false;
        first++;
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/phrasing.c - the count at the end moves to the front.
 *
 * Happy path: "show me orders of Ada, how many are there" -> "how many orders of Ada".
 * Failure: what does not end so, or has nothing before it, stays as it is. */
#include "agents/offline/reading/phrasing.h"

#include <string.h>

enum { ENDING_WORDS = 6 };

/* What asks for a count: the first cue words of it are kept. after_comma: only there, since the
 * same words may be a name's. */
static const struct {
    const char *words;
    size_t cue;
    bool after_comma;
} endings[] = {
    {"how many", 2, false},
    {"how many are there", 2, false},
    {"how many are there in total", 2, false},
    {"how many is that", 2, false},
    {"how many is it", 2, false},
    {"how many of them", 2, false},
    {"how many of them are there", 2, false},
    {"how many do we have", 2, false},
    {"how many have we got", 2, false},
    {"how many in total", 2, false},
    {"how many altogether", 2, false},
    {"count", 1, true},
    {"count please", 1, true},
    {"count only", 1, true},
    {"just count", 2, true},
    {"just the count", 3, true},
    {"count them", 1, true},
    {"number of them", 2, true},
};

static bool is_sign(const struct offline_token *token)
{
    return token->kind == TOKEN_SIGN;
}

/* Whether words are tokens [at, at + *n). */
static bool match(const struct offline_token *tokens, size_t count, const char *words, size_t *n)
{
    struct str rest = str_of(words);
    size_t length = 1;
    for (size_t i = 0; i < rest.len; i++)
        length += rest.at[i] == ' ';
    if (length >= count)
        return false;
    *n = length;
    for (size_t i = count - length; i < count; i++)
        if (tokens[i].kind != TOKEN_WORD || !str_equal(tokens[i].lower, str_split(&rest, ' ')))
            return false;
    return true;
}

/* How many tokens at the front only announce a list. */
static size_t skip_opening(const struct offline_token *tokens, size_t count)
{
    static const char *const words[] = {"show", "list", "give", "tell",  "me",
                                        "us",   "all",  "the",  "please"};
    size_t i = 0;
    for (bool opens = true; i < count && opens; i += opens) {
        opens = false;
        for (size_t k = 0; k < countof(words); k++)
            opens = opens || str_equal(tokens[i].lower, str_of(words[k]));
    }
    return i;
}

/* "show every genre" is "show genre": nothing is said of each. */
static size_t drop_every(struct offline_token *tokens, size_t count)
{
    static const char *const numbers[] = {"number", "many", "much",  "total",   "average",
                                          "count",  "sum",  "most",  "least",   "and",
                                          "with",   "its",  "their", "highest", "lowest"};
    size_t at = skip_opening(tokens, count);
    if (at == 0 || at + 1 >= count || !str_equal(tokens[at].lower, STR("every")))
        return count;
    for (size_t i = at + 1; i < count; i++)
        for (size_t k = 0; k < countof(numbers); k++)
            if (str_equal(tokens[i].lower, str_of(numbers[k])))
                return count;
    memmove(&tokens[at], &tokens[at + 1], (count - at - 1) * sizeof tokens[0]);
    return count - 1;
}

size_t offline_phrasing_arrange(struct offline_token *tokens, size_t count)
{
    size_t best = 0, cue = 0;
    count = drop_every(tokens, count);
    for (size_t e = 0; e < countof(endings); e++) {
        size_t n = 0;
        if (!match(tokens, count, endings[e].words, &n) || n < best ||
            (endings[e].after_comma && !is_sign(&tokens[count - n - 1])))
            continue;
        best = n;
        cue = endings[e].cue;
    }
    if (best == 0)
        return count;
    struct offline_token kept[ENDING_WORDS];
    memcpy(kept, &tokens[count - best], cue * sizeof kept[0]);
    size_t end = count - best;
    while (end > 0 && is_sign(&tokens[end - 1]))
        end--;
    size_t start = skip_opening(tokens, end);
    if (start == end)
        return count;
    memmove(&tokens[cue], &tokens[start], (end - start) * sizeof tokens[0]);
    memcpy(tokens, kept, cue * sizeof kept[0]);
    return cue + end - start;
}

/* SPDX-License-Identifier: MIT */
/* agents/lexicon/column_values.c - sorted arrays, one a column, in a list for each table.
 *
 * Happy path: a text is looked up as it is; where it is none of the values, the one with the same
 * letters but for case and separators is meant, or among few values the one that is a slip of the
 * pen away. Failure: two that may be meant are none; of a column that was not read whole nothing is
 * certain. */
#include "agents/lexicon/column_values.h"

#include <stdlib.h>

#include "agents/sql/catalog/visible.h"

enum { SLIP = 2, SLIP_LETTERS = 4, SHARED = 3 };

struct lexicon_column { /* in the lexicon's arena */
    int column;
    bool has_long; /* and these are left out */
    const struct lexicon_value *values;
    size_t count;
    struct lexicon_column *next;
};

static int by_text(const void *a, const void *b)
{
    const struct lexicon_value *left = a, *right = b;
    return str_compare(left->text, right->text);
}

bool lexicon_column_values_keep(struct lexicon *lexicon, int table, int column,
                                struct lexicon_value *values, size_t count, bool has_long)
{
    struct lexicon_column *kept = arena_alloc(&lexicon->arena, sizeof *kept);
    if (kept == NULL)
        return false;
    qsort(values, count, sizeof *values, by_text);
    *kept = (struct lexicon_column){column, has_long, values, count, lexicon->columns[table]};
    lexicon->columns[table] = kept;
    return true;
}

static const struct lexicon_column *find_column(const struct lexicon *lexicon, int table,
                                                int column)
{
    const struct lexicon_column *at = lexicon->columns[table];
    while (at != NULL && at->column != column)
        at = at->next;
    return at;
}

const struct lexicon_value *lexicon_column_values_all(const struct lexicon *lexicon, int table,
                                                      int column, size_t *count)
{
    const struct lexicon_column *at = find_column(lexicon, table, column);
    *count = at == NULL ? 0 : at->count;
    return at == NULL ? NULL : at->values;
}

/* Whether the company that asks may see the value. */
static bool is_seen(const struct lexicon *lexicon, const struct lexicon_value *value)
{
    return lexicon_index_is_seen(lexicon, value->owners);
}

size_t lexicon_column_values_few(const struct lexicon *lexicon, int table, int column,
                                 struct str values[LEXICON_FEW], bool *has_all)
{
    const struct lexicon_column *at = find_column(lexicon, table, column);
    size_t count = 0;
    if (at == NULL || at->has_long)
        return 0;
    *has_all = lexicon_exact_is_read(&lexicon->exact, table, column);
    for (size_t i = 0; i < at->count; i++) {
        if (!is_seen(lexicon, &at->values[i]))
            continue;
        if (count == LEXICON_FEW)
            return 0;
        values[count++] = at->values[i].text;
    }
    return count;
}

static bool has_exactly(const struct lexicon *lexicon, const struct lexicon_column *at,
                        struct str text)
{
    const struct lexicon_value wanted = {.text = text};
    const struct lexicon_value *found =
        at->count == 0 ? NULL
                       : bsearch(&wanted, at->values, at->count, sizeof *at->values, by_text);
    return found != NULL && is_seen(lexicon, found);
}

static bool separates(char c)
{
    return c == ' ' || c == '_' || c == '-';
}

bool lexicon_column_values_same(struct str a, struct str b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.len && separates(a.at[i]))
            i++;
        while (j < b.len && separates(b.at[j]))
            j++;
        if (i == a.len || j == b.len)
            return i == a.len && j == b.len;
        if (str_lower(a.at[i++]) != str_lower(b.at[j++]))
            return false;
    }
}

static size_t count_letters(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += !separates(text.at[i]);
    return count;
}

/* Whether both have the same digits in the same order: "type1" is no slip for "type2". */
static bool has_same_digits(struct str a, struct str b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.len && !str_is_digit(a.at[i]))
            i++;
        while (j < b.len && !str_is_digit(b.at[j]))
            j++;
        if (i == a.len || j == b.len)
            return i == a.len && j == b.len;
        if (a.at[i++] != b.at[j++])
            return false;
    }
}

/* The only value with the letters of text; absent: none, or several. */
static struct str same_letters(const struct lexicon *lexicon, const struct lexicon_column *at,
                               struct str text)
{
    struct str meant = {NULL, 0};
    if (count_letters(text) == 0)
        return meant;
    for (size_t i = 0; i < at->count; i++) {
        if (!is_seen(lexicon, &at->values[i]) ||
            !lexicon_column_values_same(at->values[i].text, text))
            continue;
        if (!str_is_absent(meant))
            return (struct str){NULL, 0};
        meant = at->values[i].text;
    }
    return meant;
}

/* The only value a slip of the pen away from text, where the next is two slips further; absent:
 * none. A slip is a letter of four, and never the first. */
static struct str slip_of(struct str text, const struct str *values, size_t count)
{
    size_t most = size_min(text.len / SLIP_LETTERS, SLIP), best = most + 1, second = best + SLIP;
    struct str meant = {NULL, 0};
    for (size_t i = 0; i < count && most > 0; i++) {
        size_t distance = sql_visible_distance(text, values[i], most + SLIP);
        if (distance < best) {
            second = best;
            best = distance;
            meant = values[i];
        } else if (distance < second) {
            second = distance;
        }
    }
    bool clear = !str_is_absent(meant) && best <= most && second >= best + SLIP && meant.len > 0 &&
                 str_lower(meant.at[0]) == str_lower(text.at[0]) && has_same_digits(meant, text);
    return clear ? meant : (struct str){NULL, 0};
}

enum lexicon_spelling lexicon_column_values_spelling(const struct lexicon *lexicon, int table,
                                                     int column, struct str text, bool folds,
                                                     struct str *meant)
{
    const struct lexicon_column *at = find_column(lexicon, table, column);
    struct str few[LEXICON_FEW];
    bool has_all = false;
    if (at == NULL || text.len == 0 || !lexicon_exact_is_read(&lexicon->exact, table, column))
        return LEXICON_SPELLING_OPEN;
    bool lacks = lexicon_exact_lacks(&lexicon->exact, table, column, text, lexicon->company);
    if ((!lacks && folds) || has_exactly(lexicon, at, text) || text.len > LEXICON_VALUE_BYTES)
        return lacks ? LEXICON_SPELLING_LACKING : LEXICON_SPELLING_RIGHT;
    *meant = same_letters(lexicon, at, text);
    if (!str_is_absent(*meant))
        return LEXICON_SPELLING_NEAR;
    size_t count = lexicon_column_values_few(lexicon, table, column, few, &has_all);
    *meant = slip_of(text, few, count);
    return str_is_absent(*meant) ? LEXICON_SPELLING_LACKING : LEXICON_SPELLING_NEAR;
}

bool lexicon_column_values_may_have(const struct lexicon *lexicon, int table, int column,
                                    struct str text)
{
    const struct lexicon_column *at = find_column(lexicon, table, column);
    return at == NULL || lexicon_exact_is_read(&lexicon->exact, table, column) ||
           lexicon_exact_has(&lexicon->exact, table, column, text, lexicon->company);
}

/* How many letters of the longest word of text that value has, too; 0: fewer than SHARED. */
static size_t count_shared(struct str value, struct str text)
{
    size_t most = 0;
    for (size_t start = 0; start < text.len;) {
        size_t end = start;
        while (end < text.len && !separates(text.at[end]))
            end++;
        size_t len = end - start;
        for (size_t i = 0; len > most && len >= SHARED && i + len <= value.len; i++)
            if (str_equal_nocase(str_slice(value, i, i + len), str_slice(text, start, end)))
                most = len;
        start = end + 1;
    }
    return most;
}

struct near {
    struct str value;
    size_t shared, distance;
};

static bool is_nearer(const struct near *a, const struct near *b)
{
    return a->shared != b->shared ? a->shared > b->shared : a->distance < b->distance;
}

size_t lexicon_column_values_nearest(const struct lexicon *lexicon, int table, int column,
                                     struct str text, struct str *values, size_t max)
{
    enum { NEAREST = 8 };
    const struct lexicon_column *at = find_column(lexicon, table, column);
    struct near best[NEAREST];
    size_t count = 0;
    max = size_min(max, NEAREST);
    for (size_t i = 0; at != NULL && i < at->count; i++) {
        struct str value = at->values[i].text;
        const struct near near = {value, count_shared(value, text),
                                  sql_visible_distance(text, value, text.len / SLIP)};
        if (!is_seen(lexicon, &at->values[i]) ||
            (near.shared == 0 && near.distance > text.len / SLIP))
            continue;
        size_t to = count;
        while (to > 0 && is_nearer(&near, &best[to - 1]))
            to--;
        if (to == max)
            continue;
        for (size_t j = size_min(count, max - 1); j > to; j--)
            best[j] = best[j - 1];
        best[to] = near;
        count = size_min(count + 1, max);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = best[i].value;
    return count;
}

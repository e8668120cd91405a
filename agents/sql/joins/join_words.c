/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_words.c - stems of column names, and of a question's words.
 *
 * Happy path: the stems of all edges' columns lie sorted; a word's stem is looked up among them,
 * and the edges found become cheaper. Of two columns that a word names the one that a second word
 * names, too, is meant: "billing address" is billToAddressId, not shipToAddressId. Failure: no
 * memory for the stems, which the finder's creation reports. */
#include "agents/sql/joins/join_words.h"

#include <stdlib.h>

#include "agents/sql/catalog/naming.h"
#include "agents/sql/joins/join_finder.h"
#include "agents/sql/joins/join_graph_internal.h"

enum {
    STEM_BYTES = 48,
    MIN_STEM = 3,
    COLUMN_STEMS = 32,
    WORD_BONUS = 600,
    MORE_BONUS = 200,
    AUDIT_COST = 8000
};

static bool is_filler(struct str word)
{
    static const char *const fillers[] = {"id",  "by", "to",   "of", "the", "ref",
                                          "key", "fk", "code", "no", "is",  "has"};
    for (size_t i = 0; i < countof(fillers); i++) {
        if (str_equal_nocase(word, str_of(fillers[i])))
            return true;
    }
    return false;
}

/* Created, creates, creator -> creat. Crude, but the same for both sides. 0: too long. */
static uint64_t hash_stem(struct str word)
{
    static const char *const endings[] = {"ing", "ed", "er", "or", "ee"};
    char text[STEM_BYTES];
    if (word.len > sizeof text)
        return 0;
    for (size_t i = 0; i < word.len; i++)
        text[i] = str_lower(word.at[i]);
    struct str stem = str_make(text, word.len);
    if (str_ends_with(stem, STR("s")) && !str_ends_with(stem, STR("ss")) && stem.len > MIN_STEM)
        stem.len--;
    for (size_t i = 0; i < countof(endings); i++) {
        struct str ending = str_of(endings[i]);
        if (str_ends_with(stem, ending) && stem.len >= ending.len + MIN_STEM) {
            stem.len -= ending.len;
            break;
        }
    }
    char last = stem.at[stem.len - 1];
    if (stem.len > MIN_STEM && last == stem.at[stem.len - 2] && last != 'l' && last != 's')
        stem.len--; /* shipping */
    if (str_ends_with(stem, STR("e")) && stem.len > MIN_STEM)
        stem.len--;
    if (text[stem.len - 1] == 'y')
        text[stem.len - 1] = 'i'; /* company, companies */
    return str_hash(stem);
}

static int compare_stems(const void *left, const void *right)
{
    const struct join_stem *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

/* What is between "is" and "by", or after "has", in a name without capitals; absent: nothing. */
static struct str within(struct str word)
{
    static const char *const endings[] = {"by", "of", "in"};
    if (word.len > 3 + MIN_STEM && str_equal_nocase(str_slice(word, 0, 3), STR("has")))
        return str_from(word, 3);
    for (size_t i = 0; i < countof(endings); i++) {
        if (word.len > 4 + MIN_STEM && str_equal_nocase(str_slice(word, 0, 2), STR("is")) &&
            str_equal_nocase(str_from(word, word.len - 2), str_of(endings[i])))
            return str_slice(word, 2, word.len - 2);
    }
    return (struct str){NULL, 0};
}

/* Count the stems of columns, and write them when to is not NULL. */
static size_t put_stems(struct join_stem *to, int edge, const struct str *columns, size_t count)
{
    size_t stems = 0;
    for (size_t i = 0; i < count; i++) {
        for (struct str rest = columns[i], word;
             word = sql_naming_next_word(&rest), !str_is_absent(word);) {
            if (is_filler(word) || word.len < MIN_STEM)
                continue;
            const struct str names[] = {word, within(word)};
            for (size_t k = 0; k < countof(names) && !str_is_absent(names[k]); k++) {
                if (to != NULL)
                    to[stems] = (struct join_stem){hash_stem(names[k]), edge};
                stems++;
            }
        }
    }
    return stems;
}

static size_t put_all(const struct join_graph *graph, struct join_stem *to)
{
    size_t stems = 0;
    for (size_t i = 0; i < join_graph_edge_count(graph); i++) {
        const struct join_edge *edge = join_graph_edge(graph, i);
        stems += put_stems(to == NULL ? NULL : to + stems, (int)i, edge->from_columns,
                           edge->column_count);
        if (edge->cardinality == JOIN_N_TO_N)
            stems += put_stems(to == NULL ? NULL : to + stems, (int)i, edge->to_columns,
                               edge->column_count);
    }
    return stems;
}

bool join_words_index(struct join_finder *finder)
{
    finder->stem_count = put_all(finder->graph, NULL);
    finder->stems = arena_array(&finder->arena, finder->stem_count + 1, sizeof *finder->stems);
    if (finder->stems == NULL)
        return false;
    put_all(finder->graph, finder->stems);
    if (finder->stem_count > 0)
        qsort(finder->stems, finder->stem_count, sizeof *finder->stems, compare_stems);
    return true;
}

static size_t first_of(const struct join_finder *finder, uint64_t hash)
{
    size_t low = 0, high = finder->stem_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (finder->stems[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Cheaper by the first word that names the edge, and a little by the second. */
static void name_edge(struct join_finder *finder, int edge)
{
    uint32_t less = MORE_BONUS;
    if (finder->edge_stamp[edge] == finder->stamp)
        return;
    if (finder->edge_stamp[edge] == finder->stamp - 1) {
        finder->edge_stamp[edge] = finder->stamp;
    } else {
        finder->edge_stamp[edge] = finder->stamp - 1;
        less = WORD_BONUS;
        if (join_graph_edge(finder->graph, (size_t)edge)->audit)
            less += AUDIT_COST;
    }
    less <<= JOIN_COST_SHIFT;
    finder->cost[edge] -= less < finder->cost[edge] ? less : finder->cost[edge] - 1;
}

/* Whether a word before words[i] has the same stem. */
static bool is_said_before(const struct str *words, size_t i, uint64_t hash)
{
    for (size_t k = 0; k < i; k++) {
        if (words[k].len >= MIN_STEM && hash_stem(words[k]) == hash)
            return true;
    }
    return false;
}

bool join_words_name(struct str column, const struct str *words, size_t count)
{
    struct join_stem stems[COLUMN_STEMS];
    if (put_stems(NULL, 0, &column, 1) > COLUMN_STEMS)
        return true; /* a name of so many words is not a common one */
    size_t stem_count = put_stems(stems, 0, &column, 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = words[i].len < MIN_STEM || is_filler(words[i]) ? 0 : hash_stem(words[i]);
        for (size_t k = 0; hash != 0 && k < stem_count; k++)
            if (stems[k].hash == hash)
                return true;
    }
    return false;
}

void join_words_apply(struct join_finder *finder, const struct str *words, size_t count)
{
    finder->stamp += 2; /* named twice; named once is one less */
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = words[i].len < MIN_STEM || is_filler(words[i]) ? 0 : hash_stem(words[i]);
        if (hash == 0 || is_said_before(words, i, hash))
            continue;
        int last = CATALOG_NONE; /* a composite key may have the stem in two columns */
        for (size_t k = first_of(finder, hash);
             k < finder->stem_count && finder->stems[k].hash == hash; k++) {
            if (finder->stems[k].edge != last)
                name_edge(finder, finder->stems[k].edge);
            last = finder->stems[k].edge;
        }
    }
}

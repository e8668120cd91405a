/* SPDX-License-Identifier: MIT */
/* agents/sql/join_path_words.c - edges that the question names become cheaper.
 *
 * "Who inspected ..." means inspectorId, and "created by" means createdBy, audit column or not.
 * Happy path: the stems of all edges' columns lie sorted; a word's stem is looked up among them.
 * Failure paths: no memory at creation; a word longer than a stem may be names nothing. */
#include "agents/sql/join_finder.h"

#include <stdlib.h>
#include <string.h>

#include "agents/sql/join_graph_build.h"

enum { STEM_BYTES = 48, MIN_STEM = 3, WORD_BONUS = 600, AUDIT_COST = 8000 };

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
    if (str_ends_with(stem, STR("e")) && stem.len > MIN_STEM)
        stem.len--;
    return str_hash(stem);
}

static int compare_stems(const void *left, const void *right)
{
    const struct join_stem *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

/* Count the stems of columns, and write them when to is not NULL. */
static size_t put_stems(struct join_stem *to, int edge, const struct str *columns, size_t count)
{
    size_t stems = 0;
    for (size_t i = 0; i < count; i++) {
        for (struct str rest = columns[i], word;
             word = join_graph_next_word(&rest), !str_is_absent(word);) {
            if (is_filler(word) || word.len < MIN_STEM)
                continue;
            if (to != NULL)
                to[stems] = (struct join_stem){hash_stem(word), edge};
            stems++;
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

void join_words_apply(struct join_finder *finder, const struct str *words, size_t count)
{
    finder->stamp++;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = words[i].len < MIN_STEM || is_filler(words[i]) ? 0 : hash_stem(words[i]);
        if (hash == 0)
            continue;
        for (size_t k = first_of(finder, hash);
             k < finder->stem_count && finder->stems[k].hash == hash; k++) {
            int edge = finder->stems[k].edge;
            if (finder->edge_stamp[edge] == finder->stamp)
                continue;
            finder->edge_stamp[edge] = finder->stamp;
            uint32_t less = WORD_BONUS;
            if (join_graph_edge(finder->graph, (size_t)edge)->audit)
                less += AUDIT_COST;
            finder->cost[edge] -= less << JOIN_COST_SHIFT;
        }
    }
}

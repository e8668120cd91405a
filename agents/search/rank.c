/* SPDX-License-Identifier: MIT */
/* agents/search/rank.c - words of a question against the words of a schema.
 *
 * Happy path: every table notes how strongly it is meant by each word (its name, its columns,
 * comments, values), a word counts the more the fewer tables it reaches, neighbours by reference
 * inherit a little, and the tables are sorted by the sum.
 * Failure: without memory no table is ranked. */
#include "agents/search/rank.h"

#include <math.h>
#include <stdlib.h>

#include "agents/common/content.h"
#include "agents/lexicon/index.h"
#include "core/words/stem.h"

enum { MAX_NAME_WORDS = 32, MAX_LINKS = 32, MAX_PHRASE = 3, LONG_PART = 8, LONG_WORD = 4 };

/* How much a word says about a table, by where it is found. */
enum { BY_NAME = 60, BY_SYNONYM = 45, BY_COLUMN = 15, BY_VALUE = 30, BY_COMMENT = 10 };

#define NEIGHBOUR_SHARE 0.15
#define WELL            3 /* within this factor of the best */
/* Of reciprocal rank fusion. A table whose name is said is meant: words weigh more. Measured on 300
 * questions over 152 tables: more of the tables needed among the first 5, as many among the first
 * 10; with a weight of 2 fewer were. */
#define RANK_DAMPING 20.0
#define WORDS_WEIGHT 6.0

struct ranking {
    const struct knowledge *knows;
    struct str company; /* that asks */
    struct arena *arena;
    struct str words[CONTENT_MAX_WORDS];
    size_t word_count;
    uint8_t *met; /* table x word: the strongest meeting */
};

struct ranked {
    double score;
    int table;
    bool named;
};

bool search_rank_is_visible(const struct catalog_table *table)
{
    return (!table->hidden || table->secure_view != CATALOG_NONE) && table->secures == CATALOG_NONE;
}

static void meet(struct ranking *ranking, size_t table, int word, uint8_t strength)
{
    if (word < 0)
        return;
    uint8_t *met = &ranking->met[table * CONTENT_MAX_WORDS + (size_t)word];
    if (*met < strength)
        *met = strength;
}

/* Names that run together (LISTEDSECURITY): by the share of them that a word is. */
static void meet_within(struct ranking *ranking, size_t table, struct str part, unsigned strength)
{
    for (size_t i = 0; i < ranking->word_count && part.len >= LONG_PART; i++) {
        struct str word = ranking->words[i];
        if (word.len >= LONG_WORD && word.len < part.len && str_find(part, word) != STR_NONE)
            meet(ranking, table, (int)i,
                 (uint8_t)(strength * (part.len + word.len) / (2 * part.len)));
    }
}

/* Meet by the words of text; a name that is only partly meant counts less. */
static void meet_text(struct ranking *ranking, size_t table, struct str text, unsigned strength,
                      bool is_name)
{
    struct str parts[MAX_NAME_WORDS];
    int found[MAX_NAME_WORDS];
    size_t hits = 0, count = stem_split(ranking->arena, text, parts, MAX_NAME_WORDS);
    for (size_t i = 0; i < count; i++) {
        char room[STEM_BYTES];
        found[i] = content_find(ranking->words, ranking->word_count, stem_of(parts[i], room));
        hits += found[i] >= 0;
    }
    if (is_name && hits > 0)
        strength = (unsigned)(strength * (count + hits) / (2 * count));
    for (size_t i = 0; i < count; i++) {
        meet(ranking, table, found[i], (uint8_t)strength);
        if (is_name && found[i] < 0)
            meet_within(ranking, table, parts[i], strength);
    }
}

static void meet_table(struct ranking *ranking, size_t table)
{
    const struct catalog *catalog = ranking->knows->catalog;
    const struct catalog_table *named = &catalog->tables[table], *read = named;
    if (named->secure_view != CATALOG_NONE)
        read = &catalog->tables[named->secure_view];
    meet_text(ranking, table, named->name, BY_NAME, true);
    meet_text(ranking, table, named->comment, BY_COMMENT, false);
    for (size_t i = 0; i < read->column_count; i++) {
        if (read->columns[i].hidden)
            continue;
        meet_text(ranking, table, read->columns[i].name, BY_COLUMN, true);
        meet_text(ranking, table, read->columns[i].comment, BY_COMMENT, false);
    }
}

static uint8_t strength_of(const struct lexicon_link *link)
{
    switch (link->kind) {
    case LINK_TABLE:
        return link->score >= 100 ? BY_NAME : BY_SYNONYM;
    case LINK_VALUE:
    case LINK_ROLE:
    case LINK_MOMENT:
    case LINK_BOOL:
    case LINK_METRIC:
        return BY_VALUE;
    case LINK_COLUMN:
    case LINK_LABEL:
        return BY_COLUMN;
    }
    return 0;
}

/* Score the tables that phrases of the question mean by the index of names, synonyms and values. */
static void meet_links(struct ranking *ranking)
{
    struct lexicon_link links[MAX_LINKS];
    const struct knowledge *knows = ranking->knows;
    const struct lexicon seen = lexicon_index_seen_by(knows->lexicon, ranking->company);
    for (size_t i = 0; i < ranking->word_count; i++) {
        for (size_t len = 1; len <= MAX_PHRASE && i + len <= ranking->word_count; len++) {
            size_t count = lexicon_index_find(&seen, &ranking->words[i], len, links, MAX_LINKS);
            for (size_t j = 0; j < count; j++) {
                int table = links[j].table;
                if (table < 0 || (size_t)table >= knows->catalog->table_count)
                    continue;
                for (size_t k = i; k < i + len; k++)
                    meet(ranking, (size_t)table, (int)k, strength_of(&links[j]));
            }
        }
    }
}

/* A word that reaches few tables says more: 1 when it reaches all, log2 of the share else. */
static void weigh_words(const struct ranking *ranking, double *weights)
{
    size_t table_count = ranking->knows->catalog->table_count;
    for (size_t word = 0; word < ranking->word_count; word++) {
        size_t reached = 0;
        for (size_t table = 0; table < table_count; table++)
            reached += ranking->met[table * CONTENT_MAX_WORDS + word] > 0;
        weights[word] = reached == 0 ? 0 : 1 + log2((double)table_count / (double)reached);
    }
}

static void add_neighbours(const struct catalog *catalog, struct ranked *ranked)
{
    for (size_t i = 0; i < catalog->table_count; i++) {
        for (size_t j = 0; j < catalog->tables[i].reference_count; j++) {
            struct ranked *from = &ranked[i];
            struct ranked *to = &ranked[catalog->tables[i].references[j].to_table];
            if (!from->named && to->named)
                from->score = fmax(from->score, to->score * NEIGHBOUR_SHARE);
            else if (from->named && !to->named)
                to->score = fmax(to->score, from->score * NEIGHBOUR_SHARE);
        }
    }
}

static int by_score(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    if (one->named != two->named)
        return one->named ? -1 : 1;
    if (one->score > two->score || one->score < two->score)
        return one->score > two->score ? -1 : 1;
    return one->table - two->table;
}

static struct ranked *score_tables(struct ranking *ranking)
{
    double weights[CONTENT_MAX_WORDS];
    const struct catalog *catalog = ranking->knows->catalog;
    size_t table_count = catalog->table_count;
    struct ranked *ranked = arena_array(ranking->arena, table_count, sizeof *ranked);
    ranking->met = arena_array(ranking->arena, table_count, CONTENT_MAX_WORDS);
    if (ranked == NULL || ranking->met == NULL)
        return NULL;
    for (size_t i = 0; i < table_count; i++)
        if (search_rank_is_visible(&catalog->tables[i]))
            meet_table(ranking, i);
    if (ranking->knows->lexicon != NULL)
        meet_links(ranking);
    weigh_words(ranking, weights);
    for (size_t i = 0; i < table_count; i++) {
        ranked[i].table = (int)i;
        for (size_t word = 0; word < ranking->word_count; word++)
            ranked[i].score += ranking->met[i * CONTENT_MAX_WORDS + word] * weights[word];
        ranked[i].named = ranked[i].score > 0;
    }
    add_neighbours(catalog, ranked);
    return ranked;
}

size_t search_rank_tables(const struct session *session, struct str question, struct arena *arena,
                          int *tables, size_t max, size_t *named)
{
    const struct knowledge *knows = session->knows;
    struct ranking ranking = {
        .knows = knows, .company = session->caller.company_id, .arena = arena};
    size_t count = 0, reached = 0;
    ranking.word_count = content_words(arena, question, ranking.words, CONTENT_MAX_WORDS);
    struct ranked *ranked = score_tables(&ranking);
    size_t table_count = ranked == NULL ? 0 : knows->catalog->table_count;
    if (table_count > 0)
        qsort(ranked, table_count, sizeof *ranked, by_score);
    for (size_t i = 0; i < table_count && count < max; i++) {
        if (!search_rank_is_visible(&knows->catalog->tables[ranked[i].table]))
            continue;
        reached += ranked[i].named && ranked[i].score * WELL >= ranked[0].score;
        tables[count++] = ranked[i].table;
    }
    if (named != NULL)
        *named = reached;
    return count;
}

/* Reciprocal rank of a table that stands at place at, from 0. */
static double share_of(size_t at)
{
    return 1 / (RANK_DAMPING + (double)at + 1);
}

size_t search_rank_fused(const struct session *session, struct str question, const int *near,
                         size_t near_count, struct arena *arena, int *tables, size_t max)
{
    size_t table_count = session->knows->catalog->table_count, named;
    int *by_words = arena_array(arena, table_count + 1, sizeof *by_words);
    struct ranked *ranked = arena_array(arena, table_count + 1, sizeof *ranked);
    if (by_words == NULL || ranked == NULL)
        return 0;
    size_t count = search_rank_tables(session, question, arena, by_words, table_count, &named);
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){.score = WORDS_WEIGHT * share_of(i), .table = by_words[i]};
    for (size_t i = 0; i < near_count; i++)
        for (size_t j = 0; j < count; j++)
            if (ranked[j].table == near[i])
                ranked[j].score += share_of(i);
    qsort(ranked, count, sizeof *ranked, by_score);
    count = size_min(count, max);
    for (size_t i = 0; i < count; i++)
        tables[i] = ranked[i].table;
    return count;
}

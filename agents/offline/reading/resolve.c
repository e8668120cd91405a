/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/resolve.c - scores of meanings in context.
 *
 * Happy path: tables named outright are the ground; every other mention takes the meaning nearest
 * to it: in the noun it stands beside, in a table that is mentioned, else by fewest references.
 * Two rounds, so that a column that is unique helps the ones that are not. A metric becomes an
 * aggregate of what it measures.
 * Failure: a tie between different meanings is ERR_INVALID and names both. */
#include "agents/offline/reading/resolve.h"

#include "agents/lexicon/facts.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

#include <string.h>

enum {
    GROUND_MAX = 16,
    BESIDE = 40,
    MENTIONED = 60,
    MARGIN = 4,
    MOMENT = 60,
    WHOSE = 20,
    LIKE_LABEL = 8,
    PARENT = 12,
    HAPPENED = 40,
    UNREACHED = 70
};

struct ground {
    int tables[GROUND_MAX];
    size_t count;
};

struct around {
    const struct lexicon *lexicon;
    const struct lexicon_item *items;
    size_t count;
    const struct ground *ground;
};

static bool is_cue(const struct around *a, size_t i, enum offline_cue cue)
{
    return i < a->count && a->items[i].kind == ITEM_CUE && a->items[i].cue == cue;
}

/* The next or previous item that is not an article; count: none. */
static size_t neighbour(const struct around *a, size_t i, int step)
{
    for (size_t k = i + (size_t)step; k < a->count; k += (size_t)step)
        if (!is_cue(a, k, CUE_SKIP))
            return k;
    return a->count;
}

static bool is_ground(const struct ground *ground, int table)
{
    for (size_t i = 0; i < ground->count; i++)
        if (ground->tables[i] == table)
            return true;
    return false;
}

static void add_ground(struct ground *ground, int table)
{
    if (!is_ground(ground, table) && ground->count < GROUND_MAX)
        ground->tables[ground->count++] = table;
}

/* Whether item k can be the table. */
static bool may_be_table(const struct around *a, size_t k, int table)
{
    if (k >= a->count || a->items[k].kind != ITEM_MENTION)
        return false;
    for (size_t i = 0; i < a->items[k].link_count; i++)
        if (a->items[k].links[i].kind == LINK_TABLE && a->items[k].links[i].table == table)
            return true;
    return false;
}

static bool may_be_column(const struct around *a, size_t k, const struct lexicon_link *link)
{
    if (k >= a->count || a->items[k].kind != ITEM_MENTION)
        return false;
    for (size_t i = 0; i < a->items[k].link_count; i++)
        if (a->items[k].links[i].kind == LINK_COLUMN && a->items[k].links[i].table == link->table &&
            a->items[k].links[i].column == link->column)
            return true;
    return false;
}

/* A value of another column of the same table beside it: first and last name. */
static bool completes_name(const struct around *a, size_t k, const struct lexicon_link *link)
{
    if (k >= a->count || a->items[k].kind != ITEM_MENTION || !a->lexicon->facts[link->table].person)
        return false;
    for (size_t i = 0; i < a->items[k].link_count; i++) {
        const struct lexicon_link *other = &a->items[k].links[i];
        if (other->kind == LINK_VALUE && other->table == link->table &&
            other->column != link->column)
            return true;
    }
    return false;
}

/* "albums by Iron Maiden", "tracks of the Beatles": whose they are is not what they are called.
 * "customers in London": the noun before is the one that has the city. */
static int score_owner(const struct around *a, size_t prev, const struct lexicon_link *link)
{
    size_t noun = neighbour(a, prev, -1);
    if (!may_be_table(a, noun, link->table))
        return 0;
    struct str word = a->items[prev].text;
    bool whose = is_cue(a, prev, CUE_BY) || str_equal_nocase(word, STR("of"));
    bool label = lexicon_index_is_label(a->lexicon, link->table, link->column);
    if (whose && (label || is_cue(a, prev, CUE_BY)))
        return label ? -MENTIONED : LIKE_LABEL - MENTIONED;
    if (whose)
        return 0;
    return is_cue(a, prev, CUE_PREP) ? WHOSE : 0;
}

/* Whether each row of a table that item k may be has one of table. */
static bool is_parent(const struct around *a, size_t k, int table)
{
    for (size_t i = 0; k < a->count && i < a->items[k].link_count; i++) {
        const struct lexicon_link *of = &a->items[k].links[i];
        const struct catalog_table *t = &a->lexicon->catalog->tables[of->table];
        for (size_t r = 0; of->kind == LINK_TABLE && r < t->reference_count; r++)
            if (t->references[r].to_table == table && of->table != table)
                return true;
    }
    return false;
}

/* "how many albums has Iron Maiden made": who made them is not what one is called. */
static int score_subject(const struct around *a, size_t k, const struct lexicon_link *link)
{
    size_t noun = neighbour(a, k, -1), next = neighbour(a, k, 1);
    bool has = is_cue(a, noun, CUE_REL);
    bool did = k > 0 && is_cue(a, k - 1, CUE_SKIP) &&
               str_equal_nocase(str_slice(a->items[k - 1].text, 0, 1), STR("d"));
    if (has)
        noun = neighbour(a, noun, -1);
    bool verb = next < a->count && (a->items[next].cue == CUE_BEGAN || is_cue(a, next, CUE_REL) ||
                                    is_cue(a, next, CUE_SKIP));
    bool label = lexicon_index_is_label(a->lexicon, link->table, link->column);
    if ((!did && !(has && verb)) || !label || !(is_cue(a, 0, CUE_COUNT) || is_cue(a, 0, CUE_WHICH)))
        return 0;
    return may_be_table(a, noun, link->table) ? -MENTIONED - BESIDE
           : is_parent(a, noun, link->table)  ? PARENT
                                              : 0;
}

/* The verb before a value names its column: "directed by X" of a director. */
static int score_verb(const struct around *a, size_t k, const struct lexicon_link *link)
{
    enum { LEAST = 4 };
    size_t by = neighbour(a, k, -1), verb = by < a->count ? neighbour(a, by, -1) : a->count;
    if (!is_cue(a, by, CUE_BY) || verb >= a->count)
        return 0;
    char stem[STEM_BYTES];
    struct str said = stem_of(a->items[verb].text, stem);
    struct str name = a->lexicon->catalog->tables[link->table].columns[link->column].name;
    for (size_t i = 0; said.len >= LEAST && i + said.len <= name.len; i++)
        if (str_equal_nocase(str_slice(name, i, i + said.len), said))
            return BESIDE;
    return 0;
}

/* "albums of Iron Maiden": an album has one artist and many tracks. */
static int score_parent(const struct around *a, size_t prev, const struct lexicon_link *link)
{
    size_t noun = neighbour(a, prev, -1);
    if (!is_cue(a, prev, CUE_PREP) && !is_cue(a, prev, CUE_BY))
        return 0;
    return is_parent(a, noun, link->table) ? PARENT : 0;
}

static int score_beside(const struct around *a, size_t k, const struct lexicon_link *link)
{
    size_t next = neighbour(a, k, 1), prev = neighbour(a, k, -1);
    int score = 0;
    if (may_be_table(a, next, link->table))
        score += BESIDE;
    else if (may_be_table(a, prev, link->table))
        score += BESIDE - 10;
    else if (is_cue(a, next, CUE_PREP) && may_be_table(a, neighbour(a, next, 1), link->table))
        score += BESIDE;
    if (link->kind == LINK_VALUE) {
        while (is_cue(a, prev, CUE_NEG))
            prev = neighbour(a, prev, -1);
        size_t before = is_cue(a, prev, CUE_COPULA) || is_cue(a, prev, CUE_PREP)
                            ? neighbour(a, prev, -1)
                            : prev;
        if (may_be_column(a, before, link))
            score += BESIDE;
        if (completes_name(a, next, link) || completes_name(a, prev, link))
            score += BESIDE - 10;
        score += score_owner(a, prev, link) + score_parent(a, prev, link) +
                 score_subject(a, k, link) + score_verb(a, k, link);
    }
    return score;
}

static unsigned hops_of(const struct around *a, const struct lexicon_link *link)
{
    unsigned least = OFFLINE_FAR;
    for (size_t i = 0; i < a->ground->count; i++) {
        unsigned hops = lexicon_index_hops(a->lexicon, link->table, a->ground->tables[i]);
        least = hops < least ? hops : least;
    }
    return least;
}

/* What some row far away is like: "artists from Sweden" are not those whose songs went there. A
 * name is another matter: it says which row. */
static bool is_far(const struct around *a, const struct lexicon_link *link)
{
    enum { NEAR = 2 };
    bool label = lexicon_index_is_label(a->lexicon, link->table, link->column);
    return link->kind == LINK_VALUE && !label && a->ground->count > 0 && hops_of(a, link) > NEAR;
}

static int score_nearness(const struct around *a, const struct lexicon_link *link)
{
    unsigned least = hops_of(a, link);
    if (a->ground->count == 0)
        return 0;
    return least == 0 ? MENTIONED : least > 4 ? -20 : 10 - 5 * (int)least;
}

/* "books not printed so far": whether there is a date says whether it happened. */
static bool has_happened(const struct around *a, size_t k, const struct lexicon_link *link)
{
    size_t prev = neighbour(a, k, -1), next = neighbour(a, k, 1);
    bool closes = next >= a->count || is_cue(a, next, CUE_AND) || is_cue(a, next, CUE_BUT) ||
                  is_cue(a, next, CUE_COMMA);
    return closes && !a->lexicon->catalog->tables[link->table].columns[link->column].not_null &&
           is_ground(a->ground, link->table) && str_ends_with(a->items[k].text, STR("ed")) &&
           (is_cue(a, prev, CUE_NEG) || is_cue(a, prev, CUE_COPULA) || is_cue(a, prev, CUE_REL));
}

/* "reports to Jane Doe": the row that is referred to is named. */
static bool names_role(const struct around *a, size_t k, const struct lexicon_link *link)
{
    const struct catalog_reference *ref =
        lexicon_index_reference(a->lexicon->catalog, link->table, link->column);
    size_t next = neighbour(a, k, 1);
    if (is_cue(a, next, CUE_PREP) || is_cue(a, next, CUE_COPULA))
        next = neighbour(a, next, 1);
    for (size_t i = 0; ref != NULL && next < a->count && i < a->items[next].link_count; i++)
        if (a->items[next].kind == ITEM_MENTION && a->items[next].links[i].kind == LINK_VALUE &&
            a->items[next].links[i].table == ref->to_table)
            return true;
    return false;
}

static int score_kind(const struct around *a, size_t k, const struct lexicon_link *link)
{
    size_t next = neighbour(a, k, 1), prev = neighbour(a, k, -1);
    switch (link->kind) {
    case LINK_TABLE:
        return link->score >= 95 ? 30 : 8;
    case LINK_COLUMN:
        return 6;
    case LINK_METRIC:
        return 20;
    case LINK_LABEL:
        return 0;
    case LINK_ROLE:
        return names_role(a, k, link) ? MOMENT : 5;
    case LINK_BOOL:
        return 7;
    case LINK_MOMENT:
        if (a->items[k].inverse)
            return MOMENT;
        if ((next < a->count && a->items[next].kind == ITEM_DATE) || is_cue(a, 0, CUE_WHEN) ||
            (is_cue(a, prev, CUE_SUPER) && (a->items[prev].arg & SUPER_DATE) != 0) ||
            (is_cue(a, next, CUE_SUPER) && (a->items[next].arg & SUPER_DATE) != 0))
            return MOMENT;
        return has_happened(a, k, link) ? -HAPPENED : -1000;
    default: /* what a thing is called rather than what it is like */
        return lexicon_index_is_label(a->lexicon, link->table, link->column) ? 13 : 5;
    }
}

static bool same_column(const struct lexicon_link *a, const struct lexicon_link *b)
{
    bool role = (a->kind == LINK_ROLE && b->kind == LINK_COLUMN) ||
                (a->kind == LINK_COLUMN && b->kind == LINK_ROLE);
    return a->table == b->table && a->column == b->column && a->named == b->named &&
           (a->kind == b->kind || a->kind == LINK_BOOL || b->kind == LINK_BOOL || role);
}

/* Sums are over rows that have one of each thing that is named: revenue per genre is not that of
 * whole invoices. */
static int score_reach(const struct around *a, const struct lexicon_link *link)
{
    for (size_t i = 0; link->kind == LINK_METRIC && i < a->ground->count; i++)
        if (!lexicon_facts_reaches(a->lexicon->catalog, link->table, a->ground->tables[i]))
            return -UNREACHED;
    return 0;
}

static int score_of(const struct around *a, size_t k, const struct lexicon_link *link)
{
    return link->score + score_kind(a, k, link) + score_beside(a, k, link) +
           score_nearness(a, link) + score_reach(a, link);
}

/* The best meaning, the one beside it, and all others that are as good. */
static void fill_tie(const struct around *a, size_t k, const struct lexicon_link *best,
                     const struct lexicon_link *other, struct offline_tie *tie)
{
    if (tie == NULL)
        return;
    *tie = (struct offline_tie){.item = k, .links = {*best, *other}, .count = 2};
    for (size_t i = 0; i < a->items[k].link_count && tie->count < OFFLINE_TIED; i++) {
        const struct lexicon_link *link = &a->items[k].links[i];
        bool known = score_of(a, k, link) < score_of(a, k, best) - MARGIN;
        for (size_t t = 0; t < tie->count && !known; t++)
            known = same_column(link, &tie->links[t]) || link == best || link == other;
        if (!known)
            tie->links[tie->count++] = *link;
    }
}

/* Choose for item k; *tie is the runner-up when it is as good. */
static const struct lexicon_link *choose(const struct around *a, size_t k,
                                         const struct lexicon_link **tie)
{
    const struct lexicon_item *item = &a->items[k];
    const struct lexicon_link *best = NULL;
    int best_score = 0, second = 0;
    *tie = NULL;
    for (size_t i = 0; i < item->link_count; i++) {
        const struct lexicon_link *link = &item->links[i];
        int score = score_of(a, k, link);
        if (best == NULL || score > best_score) {
            second = best_score;
            *tie = best;
            best = link;
            best_score = score;
        } else if (*tie == NULL || score > second) {
            second = score;
            *tie = link;
        }
    }
    if (*tie != NULL && (second < best_score - MARGIN || same_column(*tie, best)))
        *tie = NULL;
    for (size_t i = 0; best->kind == LINK_VALUE && *tie == NULL && i < item->link_count; i++) {
        const struct lexicon_link *other = &item->links[i];
        if (other->kind == LINK_VALUE && other->table == best->table &&
            other->column != best->column && score_beside(a, k, best) <= score_beside(a, k, other))
            *tie = other; /* a value of two columns of one table says too little */
    }
    if (is_far(a, best))
        return NULL;
    size_t prev = neighbour(a, k, -1);
    bool asked = is_cue(a, prev, CUE_PER) || is_cue(a, prev, CUE_BY) || is_cue(a, prev, CUE_EACH) ||
                 is_cue(a, prev, CUE_WHICH);
    if (item->cue == CUE_BEGAN && best->kind == LINK_COLUMN && !asked &&
        !is_ground(a->ground, best->table))
        return NULL; /* "made": no car's make */
    if (item->cue == CUE_GRAIN && best->kind == LINK_COLUMN && a->ground->count > 0 &&
        !is_ground(a->ground, best->table))
        return NULL; /* "by year": of no other table's year */
    if (best->score <= OFFLINE_SCORE_GENERAL && best->kind == LINK_COLUMN &&
        !is_ground(a->ground, best->table))
        return NULL;
    return best_score < -500 ? NULL : best;
}

static void name_meaning(const struct catalog *catalog, const struct lexicon_link *link, char *to,
                         size_t size)
{
    const struct catalog_table *table = &catalog->tables[link->table];
    struct err text;
    if (link->named != NULL)
        err_set(&text, ERR_INVALID, "%.*s of %.*s", STR_ARG(link->named->name),
                STR_ARG(table->name));
    else if (link->column == CATALOG_NONE)
        err_set(&text, ERR_INVALID, "%.*s", STR_ARG(table->name));
    else
        err_set(&text, ERR_INVALID, "%.*s.%.*s", STR_ARG(table->name),
                STR_ARG(table->columns[link->column].name));
    size_t len = size_min(str_of(text.text).len, size - 1);
    for (size_t i = 0; i < len; i++)
        to[i] = text.text[i];
    to[len] = '\0';
}

static void find_ground(const struct around *a, struct ground *ground)
{
    for (size_t k = 0; k < a->count; k++) {
        const struct lexicon_item *item = &a->items[k];
        int table = CATALOG_NONE, score = 0;
        bool shared = false;
        for (size_t i = 0; item->kind == ITEM_MENTION && i < item->link_count; i++) {
            const struct lexicon_link *link = &item->links[i];
            if (link->kind != LINK_TABLE || link->score < score)
                continue;
            shared = link->score == score;
            score = link->score;
            table = link->table;
        }
        if (table != CATALOG_NONE && score >= 80 && !shared)
            add_ground(ground, table);
    }
    for (size_t k = 0; ground->count == 0 && k < a->count; k++) {
        const struct lexicon_item *item = &a->items[k];
        bool one = item->kind == ITEM_MENTION && item->link_count > 0;
        for (size_t i = 1; one && i < item->link_count; i++)
            one = item->links[i].table == item->links[0].table;
        if (one)
            add_ground(ground, item->links[0].table);
    }
}

/* Whether the words of item are the very name of the table that link means: "customers" is the
 * table customers before it is the table customer. */
static bool is_spelled(const struct lexicon *lexicon, const struct lexicon_item *item,
                       const struct lexicon_link *link)
{
    return link->kind == LINK_TABLE &&
           str_equal_nocase(item->text, lexicon->catalog->tables[link->table].name);
}

enum err_code offline_resolve_items(const struct lexicon *lexicon, struct lexicon_item *items,
                                    size_t count, struct offline_tie *tie, struct err *err)
{
    return offline_resolve_items_near(lexicon, items, count, NULL, 0, tie, err);
}

enum err_code offline_resolve_items_near(const struct lexicon *lexicon, struct lexicon_item *items,
                                         size_t count, const int *tables, size_t table_count,
                                         struct offline_tie *tied, struct err *err)
{
    struct ground ground = {.count = 0};
    const struct around a = {lexicon, items, count, &ground};
    for (size_t i = 0; i < table_count; i++)
        add_ground(&ground, tables[i]);
    find_ground(&a, &ground);
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < count; k++) {
            const struct lexicon_link *tie;
            if (items[k].kind != ITEM_MENTION)
                continue;
            const struct lexicon_link *best = choose(&a, k, &tie);
            if (best == NULL && round == 1) {
                items[k].kind = items[k].cue != CUE_NONE ? ITEM_CUE : ITEM_UNKNOWN;
                continue;
            }
            if (best == NULL || (tie != NULL && round == 0))
                continue;
            if (tie != NULL && lexicon->catalog->tables[best->table].is_view !=
                                   lexicon->catalog->tables[tie->table].is_view) {
                if (lexicon->catalog->tables[best->table].is_view)
                    best = tie; /* a view shows again what a table holds */
                tie = NULL;
            }
            if (tie != NULL && is_spelled(lexicon, &items[k], tie) &&
                !is_spelled(lexicon, &items[k], best)) {
                best = tie;
                tie = NULL;
            }
            if (tie != NULL && !is_spelled(lexicon, &items[k], best)) {
                char one[128], other[128];
                fill_tie(&a, k, best, tie, tied);
                name_meaning(lexicon->catalog, best, one, sizeof one);
                name_meaning(lexicon->catalog, tie, other, sizeof other);
                return err_set(err, ERR_INVALID, "'%.*s' could mean %s or %s",
                               STR_ARG(items[k].text), one, other);
            }
            items[k].is = *best;
            add_ground(&ground, best->table);
        }
    return ERR_OK;
}

/* ---- metrics ---- */

/* The cue before item i that a sum or a count says once more ("total revenue"); i: there is none.
 */
static size_t said_again(const struct lexicon_item *items, size_t i)
{
    size_t at = i;
    while (at > 0 && items[at - 1].kind == ITEM_CUE && items[at - 1].cue == CUE_SKIP)
        at--;
    const struct lexicon_item *before = at > 0 ? &items[at - 1] : &items[i];
    bool again =
        items[i].is.named->additive && /* "total" may also be a column */
        ((before->kind == ITEM_CUE && before->cue == CUE_COUNT && items[i].is.named->usable) ||
         (before->kind != ITEM_UNKNOWN && before->cue == CUE_AGG && before->arg == AGG_SUM));
    return again ? at - 1 : i;
}

size_t offline_resolve_metrics(struct lexicon_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != ITEM_MENTION || items[i].is.kind != LINK_METRIC)
            continue;
        size_t cue = said_again(items, i);
        if (cue == i) {
            memmove(&items[i + 1], &items[i], (count - i) * sizeof items[0]);
            count++;
            i++;
        }
        items[i].is.kind = LINK_COLUMN;
        items[cue].kind = ITEM_CUE;
        items[cue].cue = CUE_AGG;
        items[cue].arg = AGG_METRIC;
    }
    return count;
}

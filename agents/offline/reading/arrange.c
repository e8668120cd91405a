/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/arrange.c - resolved items in the order and the words they are read in.
 *
 * Happy path: each rule finds its turn of phrase and puts the plain one in its place.
 * Failure: none fits, and the items stay as they are. */
#include "agents/offline/reading/arrange.h"

#include "agents/lexicon/spelling.h"
#include "core/words/stem.h"

enum { NAME_BYTES = 4096 };

static bool is_cue(const struct lexicon_item *item, enum offline_cue cue)
{
    return item->kind == ITEM_CUE && item->cue == cue;
}

/* A column that a verb stands for, or a metric. */
static bool is_measure(const struct lexicon *lexicon, const struct lexicon_item *item)
{
    const struct lexicon_link *link = &item->is;
    return item->kind == ITEM_MENTION &&
           (link->kind == LINK_METRIC ||
            (link->kind == LINK_COLUMN &&
             lexicon_index_is_number(lexicon->catalog, link->table, link->column)));
}

static void move(struct lexicon_item *items, size_t from, size_t to)
{
    struct lexicon_item item = items[from];
    for (; from > to; from--)
        items[from] = items[from - 1];
    items[to] = item;
}

/* "spent the most": the superlative before what it is of. */
static void turn_superlative(const struct lexicon *lexicon, struct lexicon_item *items,
                             size_t count, size_t i)
{
    size_t super = i + 1;
    while (super < count && is_cue(&items[super], CUE_SKIP))
        super++;
    if (super >= count || !is_cue(&items[super], CUE_SUPER) ||
        (items[super].arg & SUPER_COUNT) == 0 || !is_measure(lexicon, &items[i]))
        return;
    size_t after = super + 1;
    if (after < count && str_equal_nocase(items[after].text, STR("money"))) {
        items[after].kind = ITEM_CUE;
        items[after].cue = CUE_SKIP;
        items[after++].arg = 0;
    }
    bool closes = after == count || is_cue(&items[after], CUE_PREP) ||
                  is_cue(&items[after], CUE_COMMA) || is_cue(&items[after], CUE_AND) ||
                  items[after].kind == ITEM_DATE;
    bool open = i == 0 || !(is_cue(&items[i - 1], CUE_AGG) || is_cue(&items[i - 1], CUE_PER) ||
                            is_cue(&items[i - 1], CUE_BY) || is_cue(&items[i - 1], CUE_COUNT));
    if (!closes || !open)
        return;
    items[super].arg &= ~SUPER_COUNT;
    move(items, super, i);
}

/* "2 or more orders", "three orders or more": the comparison before its number. */
static void turn_comparison(struct lexicon_item *items, size_t count, size_t i)
{
    size_t after = i + 1;
    if (items[i].kind != ITEM_NUMBER)
        return;
    if (after < count && items[after].kind == ITEM_MENTION)
        after++;
    if (after < count && is_cue(&items[after], CUE_COMPARE) &&
        str_equal_nocase(str_slice(items[after].text, 0, 3), STR("or ")))
        move(items, after, i);
}

/* Whether the item only says how a row is called, or says again what is counted. */
static bool only_names(const struct lexicon *lexicon, const struct lexicon_item *item)
{
    const struct lexicon_link *link = &item->is;
    if (item->kind == ITEM_CUE)
        return item->cue == CUE_SKIP || item->cue == CUE_AND || item->cue == CUE_COMMA ||
               item->cue == CUE_PREP || item->cue == CUE_SHOW || item->cue == CUE_COUNT;
    if (item->kind != ITEM_MENTION)
        return false;
    return link->kind == LINK_LABEL || link->kind == LINK_TABLE ||
           (link->kind == LINK_COLUMN &&
            (link->column == lexicon->facts[link->table].key ||
             lexicon_index_is_label(lexicon, link->table, link->column)));
}

/* "Which shop has the most staff? Give me the shop name": a name is shown anyway. */
static size_t drop_last_sentence(const struct lexicon *lexicon, struct lexicon_item *items,
                                 size_t count)
{
    enum { LEAST = 3 };
    size_t begin = count;
    for (size_t i = LEAST; i < count; i++)
        if (is_cue(&items[i], CUE_SHOW))
            begin = i;
    int shown = READING_NONE;
    for (size_t i = begin; i-- > 0;) { /* what the question before it shows */
        bool each = i > 0 && (is_cue(&items[i - 1], CUE_EACH) || is_cue(&items[i - 1], CUE_PER));
        if (items[i].kind == ITEM_MENTION && items[i].is.kind == LINK_TABLE)
            shown = items[i].is.table;
        if (each && shown != READING_NONE)
            break;
    }
    for (size_t i = begin; i < count; i++) {
        bool known = items[i].kind != ITEM_MENTION || items[i].is.table == shown;
        if (!known || shown == READING_NONE || lexicon->facts[shown].label_count == 0 ||
            !only_names(lexicon, &items[i]))
            return count;
    }
    return begin;
}

static bool is_column(const struct lexicon_item *item)
{
    return item->kind == ITEM_MENTION && item->is.kind == LINK_COLUMN && item->is.named == NULL;
}

static void drop(struct lexicon_item *item)
{
    item->kind = ITEM_CUE;
    item->cue = CUE_SKIP;
    item->arg = 0;
}

/* The column of table that is called like name but has the word to where that has from. */
static int find_sibling(const struct catalog *catalog, int table, struct str name, struct str from,
                        struct str to)
{
    const struct catalog_table *t = &catalog->tables[table];
    for (size_t at = 0; at + from.len <= name.len; at++) {
        if (!str_equal_nocase(str_slice(name, at, at + from.len), from))
            continue;
        struct str before = str_slice(name, 0, at), after = str_from(name, at + from.len);
        for (size_t c = 0; c < t->column_count; c++) {
            struct str other = t->columns[c].name;
            size_t end = at + to.len;
            if (other.len == end + after.len && !t->columns[c].hidden &&
                str_equal_nocase(str_slice(other, 0, at), before) &&
                str_equal_nocase(str_slice(other, at, end), to) &&
                str_equal_nocase(str_from(other, end), after))
                return (int)c;
        }
    }
    return CATALOG_NONE;
}

/* "first and last name": the first word is of the same noun. */
static void complete_pair(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                          size_t i)
{
    bool first = str_equal_nocase(items[i].text, STR("first"));
    if (!is_cue(&items[i], CUE_TOP) || (!first && !str_equal_nocase(items[i].text, STR("last"))) ||
        i + 2 >= count || !is_cue(&items[i + 1], CUE_AND) || !is_column(&items[i + 2]))
        return;
    const struct lexicon_link *link = &items[i + 2].is;
    struct str name = lexicon->catalog->tables[link->table].columns[link->column].name;
    int column = find_sibling(lexicon->catalog, link->table, name,
                              first ? STR("last") : STR("first"), items[i].text);
    if (column == CATALOG_NONE)
        return;
    items[i].kind = ITEM_MENTION;
    items[i].is = *link;
    items[i].is.column = column;
    items[i].links[0] = items[i].is;
    items[i].link_count = 1;
}

/* "pays the highest average salary": the verb says no more than the noun of the same column. */
static void drop_verb(struct lexicon_item *items, size_t count, size_t i)
{
    size_t noun = i + 1;
    bool says = false;
    while (
        noun < count && items[noun].kind == ITEM_CUE &&
        (items[noun].cue == CUE_SKIP || items[noun].cue == CUE_SUPER || items[noun].cue == CUE_AGG))
        says = items[noun++].cue != CUE_SKIP || says;
    if (is_column(&items[i]) && says && noun < count && is_column(&items[noun]) &&
        items[noun].is.table == items[i].is.table && items[noun].is.column == items[i].is.column)
        drop(&items[i]);
}

/* "best paid employees": what they are best in is said. */
static void name_best(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                      size_t i)
{
    bool vague = is_cue(&items[i], CUE_VAGUE) && (items[i].arg & SUPER_DATE) == 0;
    bool most = is_cue(&items[i], CUE_SUPER) && (items[i].arg & SUPER_COUNT) != 0;
    if (i + 2 >= count || !(vague || most) || !is_column(&items[i + 1]) ||
        !is_measure(lexicon, &items[i + 1]) || items[i + 2].kind != ITEM_MENTION ||
        items[i + 2].is.kind != LINK_TABLE || items[i + 2].is.table != items[i + 1].is.table ||
        items[i + 1].plural)
        return;
    items[i].cue = CUE_SUPER;
    items[i].arg &= SUPER_DESC;
}

/* "How many books does each author have on average": the average of those numbers. */
static void lead_average(struct lexicon_item *items, size_t count)
{
    size_t last = count - 1;
    if (count > 3 && is_cue(&items[last], CUE_AGG) && items[last].arg == AGG_AVG &&
        is_cue(&items[0], CUE_COUNT))
        move(items, last, 0);
    if (count > 2 && is_cue(&items[0], CUE_AGG) && items[0].arg == AGG_AVG &&
        is_cue(&items[1], CUE_COMMA))
        drop(&items[1]);
}

/* "shipped after the due date": the date of the same row that the verb is. */
static void name_moment(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                        size_t i)
{
    size_t other = i + 2;
    char verb[STEM_BYTES], word[STEM_BYTES];
    while (other < count && is_cue(&items[other], CUE_SKIP))
        other++;
    if (other >= count || !is_cue(&items[i + 1], CUE_COMPARE) ||
        items[other].kind != ITEM_MENTION || items[other].is.column == CATALOG_NONE ||
        !lexicon_index_is_date(lexicon->catalog, items[other].is.table, items[other].is.column))
        return;
    const struct catalog_table *t = &lexicon->catalog->tables[items[other].is.table];
    struct str stem = stem_of(items[i].text, verb);
    int column = CATALOG_NONE;
    for (size_t c = 0; c < t->column_count && column == CATALOG_NONE; c++) {
        const struct lexicon_words *name =
            lexicon_spelling_column(lexicon, items[other].is.table, (int)c);
        if ((int)c != items[other].is.column && !t->columns[c].hidden &&
            lexicon_index_is_date(lexicon->catalog, items[other].is.table, (int)c) &&
            name->count > 0 && str_equal(stem, stem_of(name->words[0], word)))
            column = (int)c;
    }
    if (column == CATALOG_NONE)
        return;
    items[i].kind = ITEM_MENTION;
    items[i].is = items[other].is;
    items[i].is.kind = LINK_COLUMN;
    items[i].is.column = column;
    items[i].links[0] = items[i].is;
    items[i].link_count = 1;
}

/* "How much is the cheapest ticket": the ticket, with what it costs. */
static void drop_how_much(struct lexicon_item *items, size_t count)
{
    size_t super = 1;
    if (!is_cue(&items[0], CUE_AGG) || !str_equal_nocase(items[0].text, STR("how much")))
        return;
    while (super < count && (is_cue(&items[super], CUE_SKIP) || is_cue(&items[super], CUE_COPULA)))
        super++;
    if (super < count && is_cue(&items[super], CUE_SUPER) &&
        (items[super].arg & SUPER_COUNT) == 0) {
        drop(&items[0]);
        items[0].cue = CUE_SHOW;
    }
}

/* Whether the name of the column says per which time: hourlyRate. */
static bool is_rate_per(const struct lexicon *lexicon, const struct lexicon_item *item,
                        struct str unit)
{
    struct str name = lexicon->catalog->tables[item->is.table].columns[item->is.column].name;
    for (size_t at = 0; at + unit.len <= name.len; at++)
        if (str_equal_nocase(str_slice(name, at, at + unit.len), unit))
            return true;
    return false;
}

/* "earns more per hour than", "more than 30 per hour": what the column is anyway. */
static void drop_unit(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                      size_t i)
{
    if (i < 2 || i + 1 >= count || !is_cue(&items[i], CUE_PER) ||
        !(is_cue(&items[i - 1], CUE_COMPARE) || items[i - 1].kind == ITEM_NUMBER))
        return;
    for (size_t k = i; k-- > 0;)
        if (is_column(&items[k]) && is_rate_per(lexicon, &items[k], items[i + 1].text)) {
            drop(&items[i]);
            drop(&items[i + 1]);
            return;
        }
}

static bool is_table(const struct lexicon_item *item)
{
    return item->kind == ITEM_MENTION && item->is.kind == LINK_TABLE;
}

/* "the client orders": orders, each of which is a client's anyway. In "which client orders", "each
 * client orders" the second may be what the first does. */
static void drop_owner(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                       size_t i)
{
    enum { NEAR = 2 }; /* through a table that joins the two */
    if (i + 1 >= count || !is_table(&items[i]) || !is_table(&items[i + 1]) || items[i].plural ||
        !items[i + 1].plural || items[i].is.table == items[i + 1].is.table)
        return;
    bool acts = i > 0 && (is_cue(&items[i - 1], CUE_WHICH) || is_cue(&items[i - 1], CUE_EACH) ||
                          is_cue(&items[i - 1], CUE_PER) || is_cue(&items[i - 1], CUE_BY));
    bool owns = str_find_char(items[i].text, '\'') != STR_NONE;
    if (!acts && !owns &&
        lexicon_index_hops(lexicon, items[i + 1].is.table, items[i].is.table) <= NEAR)
        drop(&items[i]);
}

/* "the price total of each shop": the total of the price. */
static void turn_total(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                       size_t i)
{
    bool ends = i + 2 >= count || is_cue(&items[i + 2], CUE_PER) || is_cue(&items[i + 2], CUE_BY);
    bool said = i > 0 && (is_cue(&items[i - 1], CUE_AGG) || is_cue(&items[i - 1], CUE_SUPER));
    if (i + 1 < count && is_column(&items[i]) && is_measure(lexicon, &items[i]) && ends && !said &&
        is_cue(&items[i + 1], CUE_AGG))
        move(items, i + 1, i);
}

size_t offline_arrange_items(const struct lexicon *lexicon, struct lexicon_item *items,
                             size_t count)
{
    bool how_much =
        count > 0 && is_cue(&items[0], CUE_AGG) && str_equal_nocase(items[0].text, STR("how much"));
    count = drop_last_sentence(lexicon, items, count);
    if (count > 0) {
        lead_average(items, count);
        drop_how_much(items, count);
    }
    for (size_t i = 0; i < count; i++) {
        complete_pair(lexicon, items, count, i);
        drop_verb(items, count, i);
        name_best(lexicon, items, count, i);
        drop_unit(lexicon, items, count, i);
        name_moment(lexicon, items, count, i);
        turn_total(lexicon, items, count, i);
        drop_owner(lexicon, items, count, i);
    }
    for (size_t i = 1; i < count; i++) {
        turn_comparison(items, count, i);
        turn_superlative(lexicon, items, count, i);
        bool said = i > 1 && (is_cue(&items[i - 1], CUE_AGG) || is_cue(&items[i - 1], CUE_BY));
        if (how_much && !said && items[i].kind == ITEM_MENTION && items[i].is.kind == LINK_METRIC) {
            move(items, i, 1);
            how_much = false;
        }
    }
    return count;
}

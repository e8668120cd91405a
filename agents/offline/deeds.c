/* SPDX-License-Identifier: MIT */
/* agents/offline/deeds.c - what a verb of trade asks for where it stands.
 *
 * Happy path: "how many X were sold" counts sales of X, or adds up their quantity; "sold in May"
 * dates the sale; otherwise the verb ties its nouns, whose tables join over the sales anyway.
 * Failure: none of these, and the verb says nothing; what cannot be joined is found later. */
#include "agents/offline/deeds.h"

#include "agents/offline/bind.h"

static size_t past_articles(const struct parse *p, size_t i, bool preps)
{
    while (i < p->count && (offline_parse_is_cue(p, i, CUE_SKIP) ||
                            (preps && offline_parse_is_cue(p, i, CUE_PREP))))
        i++;
    return i;
}

/* "were sold", "tracks sold": what is before it is what was sold. */
static bool is_passive(const struct parse *p)
{
    size_t at = p->at;
    while (at > 0 && offline_parse_is_cue(p, at - 1, CUE_SKIP))
        at--;
    struct str text = p->items[p->at].text;
    bool base = str_equal_nocase(text, STR("sell")) || str_equal_nocase(text, STR("sells")) ||
                str_equal_nocase(text, STR("buy")) || str_equal_nocase(text, STR("buys"));
    return at > 0 && !base &&
           (offline_parse_is_cue(p, at - 1, CUE_COPULA) ||
            offline_parse_is(p, at - 1, LINK_TABLE) || offline_parse_is_cue(p, at - 1, CUE_REL));
}

/* The count of a thing becomes that of its sales. */
static void count_sales(struct parse *p, int deed)
{
    struct offline_reading *r = p->reading;
    const struct offline_facts *facts = &p->lexicon->facts[deed];
    struct reading_out *out = &r->outs[r->out_count - 1];
    bool many = facts->quantity != CATALOG_NONE;
    *out = (struct reading_out){many ? AGG_SUM : AGG_COUNT,
                                {deed, many ? facts->quantity : READING_NONE, NULL}};
    r->counted = p->noun = deed;
}

bool offline_deeds_take(struct parse *p)
{
    struct offline_reading *r = p->reading;
    int deed = p->items[p->at].is.table;
    size_t next = past_articles(p, p->at + 1, true);
    const struct reading_out *out = r->out_count > 0 ? &r->outs[r->out_count - 1] : NULL;
    bool counted = out != NULL && out->agg == AGG_COUNT && out->on.column == READING_NONE &&
                   out->on.table == p->lexicon->facts[deed].thing && out->on.table != READING_NONE;
    if (p->expect == EXPECT_NOTHING && counted && is_passive(p)) {
        count_sales(p, deed);
    } else if (next < p->count && p->items[next].kind == ITEM_DATE && r->counted != deed &&
               p->expect == EXPECT_NOTHING) {
        if (!offline_parse_relate(p, p->scope, deed))
            return false;
        p->clause_noun = deed;
    }
    p->in_clause = true;
    p->at++;
    return true;
}

static bool is_cue(const struct offline_item *item, enum offline_cue cue)
{
    return item->kind == ITEM_CUE && item->cue == cue;
}

/* A column that a verb stands for, or a metric. */
static bool is_measure(const struct lexicon *lexicon, const struct offline_item *item)
{
    const struct offline_link *link = &item->is;
    return item->kind == ITEM_MENTION &&
           (link->kind == LINK_METRIC ||
            (link->kind == LINK_COLUMN &&
             offline_index_is_number(lexicon->catalog, link->table, link->column)));
}

static void move(struct offline_item *items, size_t from, size_t to)
{
    struct offline_item item = items[from];
    for (; from > to; from--)
        items[from] = items[from - 1];
    items[to] = item;
}

/* "spent the most": the superlative before what it is of. */
static void turn_superlative(const struct lexicon *lexicon, struct offline_item *items,
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
static void turn_comparison(struct offline_item *items, size_t count, size_t i)
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
static bool only_names(const struct lexicon *lexicon, const struct offline_item *item)
{
    const struct offline_link *link = &item->is;
    const struct offline_facts *facts = &lexicon->facts[link->table];
    if (item->kind == ITEM_CUE)
        return item->cue == CUE_SKIP || item->cue == CUE_AND || item->cue == CUE_COMMA ||
               item->cue == CUE_PREP || item->cue == CUE_SHOW || item->cue == CUE_COUNT;
    if (item->kind != ITEM_MENTION)
        return false;
    bool label = link->kind == LINK_LABEL || link->kind == LINK_TABLE ||
                 (link->kind == LINK_COLUMN && link->column == facts->key);
    for (size_t i = 0; link->kind == LINK_COLUMN && i < facts->label_count; i++)
        label = label || facts->labels[i] == link->column;
    return label;
}

/* "Which shop has the most staff? Give me the shop name": a name is shown anyway. */
static size_t drop_last_sentence(const struct lexicon *lexicon, struct offline_item *items,
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

size_t offline_deeds_arrange(const struct lexicon *lexicon, struct offline_item *items,
                             size_t count)
{
    bool how_much =
        count > 0 && is_cue(&items[0], CUE_AGG) && str_equal_nocase(items[0].text, STR("how much"));
    count = drop_last_sentence(lexicon, items, count);
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

/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/orders.c - what is ordered by what, and how many are wanted.
 *
 * Happy path: "top 5" waits for what comes behind "by", "last 3" is ordered by the table's date.
 * Failure: nothing to order by, or how many is not said. */
#include "agents/offline/reading/orders.h"

#include "agents/lexicon/spelling.h"
#include "agents/english/synonyms.h"
#include "core/words/stem.h"

enum { NAME_BYTES = 64 << 10 };

bool offline_orders_set(struct parse *p, struct reading_column on, bool descending, unsigned limit)
{
    struct offline_reading *r = p->reading;
    if (r->ordered)
        return offline_parse_stop(p, "two orders are asked for");
    r->ordered = true;
    r->descending = descending;
    r->order_out = READING_NONE;
    r->order_on = on;
    if (limit > 0)
        r->limit = limit;
    return true;
}

bool offline_orders_default(struct parse *p, int table)
{
    int measure = p->lexicon->facts[table].measure;
    if (measure == CATALOG_NONE)
        return offline_parse_want(p, READING_WANTS_NUMBER, table,
                                  "it is not clear by which number to order");
    p->wants_order = false;
    return offline_orders_set(p, (struct reading_column){table, measure}, p->top_descending, 0);
}

static int price_column(const struct parse *p, int table)
{
    const struct catalog_table *t = &p->catalog->tables[table];
    int found = CATALOG_NONE;
    for (size_t c = 0; c < t->column_count; c++) {
        char name[STEM_BYTES];
        if (!lexicon_index_is_number(p->catalog, table, (int)c))
            continue;
        for (size_t at = 0; at < t->columns[c].name.len; at++)
            for (size_t len = 4; len <= 5 && at + len <= t->columns[c].name.len; len++) {
                struct str piece = str_slice(t->columns[c].name, at, at + len);
                for (size_t i = 0; i < len; i++)
                    name[i] = str_lower(piece.at[i]);
                if (!english_synonyms_is_price(str_make(name, len)))
                    continue;
                if (found != CATALOG_NONE && found != (int)c)
                    return CATALOG_NONE;
                found = (int)c;
            }
    }
    return found != CATALOG_NONE ? found : p->lexicon->facts[table].measure;
}

int offline_orders_scale(const struct parse *p, int table, enum offline_scale scale)
{
    const struct catalog_table *t = &p->catalog->tables[table];
    int found = CATALOG_NONE, columns = 0;
    for (size_t c = 0; c < t->column_count && scale != SCALE_PRICE; c++) {
        const struct lexicon_words *name = lexicon_spelling_column(p->lexicon, table, (int)c);
        char stem[STEM_BYTES];
        bool holds = false;
        for (size_t i = 0; i < name->count; i++)
            holds = holds || english_verbs_measures(scale, stem_of(name->words[i], stem));
        if (!holds || t->columns[c].hidden || !lexicon_index_is_number(p->catalog, table, (int)c))
            continue;
        if (name->count == 1) { /* length before rental_duration */
            found = (int)c;
            columns = 1;
            break;
        }
        found = (int)c;
        columns++;
    }
    if (scale == SCALE_PRICE)
        return price_column(p, table);
    return columns == 1 ? found : CATALOG_NONE;
}

unsigned offline_orders_limit(struct parse *p, size_t cue)
{
    size_t next = offline_parse_next(p, cue + 1);
    if (next < p->count && p->items[next].kind == ITEM_NUMBER && p->items[next].unit.len == 0 &&
        p->items[next].number >= 1 && p->items[next].number <= 10000) {
        p->at = next + 1;
        return (unsigned)p->items[next].number;
    }
    return 0;
}

/* "which shop was opened first": the one with the first date. */
static bool order_by_beginning(struct parse *p)
{
    const struct offline_reading *r = p->reading;
    bool plural = false;
    if (r->target == READING_NONE && p->who && !offline_parse_person(p, READING_NONE))
        return false;
    for (size_t i = 0; i < p->at; i++)
        plural = plural || (offline_parse_is(p, i, LINK_TABLE) && p->items[i].plural &&
                            p->items[i].is.table == r->target);
    int began = r->target == READING_NONE ? CATALOG_NONE : p->lexicon->facts[r->target].began;
    if (began == CATALOG_NONE || (plural && r->limit == 0) || r->out_count > 0)
        return offline_parse_stop(p, "'%.*s' of what is not clear", STR_ARG(p->items[p->at].text));
    bool descending = (p->items[p->at++].arg & SUPER_DESC) != 0;
    return offline_orders_set(p, (struct reading_column){r->target, began}, descending,
                              r->limit > 0 ? r->limit : 1);
}

bool offline_orders_top(struct parse *p)
{
    enum { SOME = 10 }; /* "the latest orders" */
    struct offline_reading *r = p->reading;
    const struct lexicon_item *cue = &p->items[p->at];
    int flags = cue->arg;
    if ((flags & SUPER_DATE) != 0 && p->at > 0 && offline_parse_is_cue(p, p->at - 1, CUE_BEGAN) &&
        offline_parse_next(p, p->at + 1) == p->count)
        return order_by_beginning(p);
    p->at++;
    unsigned limit = offline_orders_limit(p, p->at - 1);
    size_t noun = offline_parse_past_adjectives(p, p->at);
    if (offline_parse_is_cue(p, offline_parse_next(p, p->at), CUE_SUPER)) {
        r->limit = limit;
        return limit > 0;
    }
    size_t next = offline_parse_next(p, p->at);
    if (!offline_parse_is(p, noun, LINK_TABLE) && offline_parse_is(p, next, LINK_VALUE) &&
        p->items[next].plural && noun == next + 1) {
        noun = next; /* "top 5 technicians" */
        p->listing = true;
    }
    bool named = offline_parse_is(p, noun, LINK_TABLE) || noun == next;
    if (!named || p->items[noun].kind != ITEM_MENTION || r->target != READING_NONE ||
        r->out_count > 0)
        return offline_parse_stop(p, "'%.*s' of what is not clear", STR_ARG(cue->text));
    bool plural = p->items[noun].plural;
    if (limit == 0 && plural && (flags & SUPER_DATE) == 0)
        return offline_parse_want(p, READING_WANTS_RANK, p->items[noun].is.table,
                                  "how many is not said");
    r->limit = limit > 0 ? limit : plural ? SOME : 1;
    p->top_descending = (flags & SUPER_DESC) != 0;
    if ((flags & SUPER_DATE) == 0) {
        p->wants_order = true;
        return true;
    }
    int began = p->lexicon->facts[p->items[noun].is.table].began;
    if (began == CATALOG_NONE && limit == 0 && plural) /* a look at some rows */
        began = p->lexicon->facts[p->items[noun].is.table].key;
    if (began == CATALOG_NONE)
        return offline_parse_want(p, READING_WANTS_DATE, p->items[noun].is.table,
                                  "it is not clear by which date to order");
    return offline_orders_set(p, (struct reading_column){p->items[noun].is.table, began},
                              p->top_descending, r->limit);
}

bool offline_orders_vague(struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    const struct offline_reading *r = p->reading;
    size_t noun = offline_parse_past_adjectives(p, p->at + 1);
    int table = offline_parse_is(p, noun, LINK_TABLE)                ? p->items[noun].is.table
                : noun == p->count && r->scopes[0].filter_count == 0 ? r->target
                                                                     : READING_NONE;
    bool ranks = table != READING_NONE && (cue->arg & SUPER_DATE) == 0;
    return offline_parse_want(p, ranks ? READING_WANTS_RANK : READING_WANTS_NOTHING, table,
                              "'%.*s' does not say by which measure", STR_ARG(cue->text));
}

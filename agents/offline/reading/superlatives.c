/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/superlatives.c - rows by an extreme: "the highest", "the most", "the
 * newest".
 *
 * Happy path: a superlative before a column picks by it, before a table by its default measure or
 * date, before a counted table by their number.
 * Failure: nothing to order by, or how many is not said. */
#include "agents/offline/reading/superlatives.h"

#include "agents/offline/reading/orders.h"
#include "core/words/stem.h"

/* The item before i that is no article; i: there is none. */
static size_t before_articles(const struct parse *p, size_t i)
{
    size_t at = i;
    while (at > 0 && offline_parse_is_cue(p, at - 1, CUE_SKIP))
        at--;
    return at > 0 ? at - 1 : i;
}

/* Whether a verb that stands for a table comes before the superlative: "paid the most". */
static bool says_verb(const struct parse *p, size_t cue)
{
    size_t before = before_articles(p, cue);
    return before != cue && offline_parse_is(p, before, LINK_TABLE) &&
           p->items[before].is.score <= OFFLINE_SCORE_VERB;
}

/* A value ends the question and is what is counted: "received the most credits". */
static bool last_is_plural(const struct parse *p)
{
    return (offline_parse_is(p, p->at, LINK_VALUE) || offline_parse_is(p, p->at, LINK_BOOL)) &&
           p->items[p->at].plural;
}

/* "most accounts", "most hours", "most often": a group of the target by what follows. */
static bool most(struct parse *p, size_t cue, bool descending)
{
    struct offline_reading *r = p->reading;
    size_t noun = offline_parse_past_adjectives(p, p->at);
    struct reading_column on = {p->clause_noun != READING_NONE ? p->clause_noun : p->noun,
                                READING_NONE};
    enum offline_agg agg = AGG_COUNT;
    if (offline_parse_is(p, noun, LINK_TABLE)) {
        on.table = p->items[noun].is.table;
        size_t verb = before_articles(p, cue);
        if (verb != cue && offline_parse_is(p, verb, LINK_TABLE) &&
            p->lexicon->facts[p->items[verb].is.table].thing == on.table &&
            p->items[verb].is.score == OFFLINE_SCORE_DEED) { /* "sold the most cars" */
            on.table = p->items[verb].is.table;
            on.column = p->lexicon->facts[on.table].quantity;
            agg = on.column == CATALOG_NONE ? AGG_COUNT : AGG_SUM;
            on.column = on.column == CATALOG_NONE ? READING_NONE : on.column;
        }
    } else if (offline_parse_is(p, noun, LINK_COLUMN) &&
               offline_parse_is_measure(p, &p->items[noun].is)) {
        on = (struct reading_column){p->items[noun].is.table, p->items[noun].is.column};
        p->items[noun].kind = ITEM_CUE;
        p->items[noun].cue = CUE_SKIP;
        if (on.table == r->target && p->attribute == READING_NONE)
            return offline_orders_set(p, on, descending, r->limit > 0 ? r->limit : 1);
        agg = AGG_SUM;
    } else if (noun != p->at && (noun < p->count || last_is_plural(p))) {
        on.table = p->items[p->at].is.table; /* "the most debits" */
    } else if (says_verb(p, cue)) {          /* "who paid the most": money, not payments */
        char stem[STEM_BYTES];
        int measure = on.table == READING_NONE ? CATALOG_NONE : p->lexicon->facts[on.table].measure;
        if (measure == CATALOG_NONE ||
            !english_verbs_is_payment(stem_of(p->items[before_articles(p, cue)].text, stem)))
            return offline_parse_stop(p, "the most of what is not said");
        on.column = measure;
        agg = AGG_SUM;
    } else if (offline_parse_is(p, p->at, LINK_BOOL) && noun == p->count &&
               p->lexicon->facts[p->items[p->at].is.table].measure != CATALOG_NONE &&
               p->items[p->at].is.table != r->target) { /* "worked the most overtime" */
        on.table = p->items[p->at].is.table;
        on.column = p->lexicon->facts[on.table].measure;
        agg = AGG_SUM;
    } else if (r->scopes[0].filter_count > 0) {
        on.table = r->scopes[0].filters[r->scopes[0].filter_count - 1].on.table;
    }
    if (on.table == READING_NONE ||
        (on.table == r->target && p->attribute == READING_NONE && r->group_count == 0))
        return offline_parse_stop(p, "it is not clear what is most");
    if (!offline_parse_add_out(p, agg, on))
        return false;
    r->ordered = true;
    r->descending = descending;
    r->order_out = (int)r->out_count - 1;
    r->limit = r->limit > 0 ? r->limit : 1;
    r->counted = on.table;
    r->keep_zero = !descending && r->target != READING_NONE;
    p->wants_order = false;
    return true;
}

/* Rows of the target by an extreme of rows that belong to them. */
static bool pick_by(struct parse *p, struct reading_column on, bool descending, unsigned limit)
{
    struct offline_reading *r = p->reading;
    if (!offline_parse_add_out(p, descending ? AGG_MAX : AGG_MIN, on))
        return false;
    r->ordered = true;
    r->descending = descending;
    r->order_out = (int)r->out_count - 1;
    r->limit = limit;
    r->counted = on.table;
    return true;
}

/* "highest balance": the extreme itself, or the row that has it. */
static bool super_column(struct parse *p, size_t noun, bool descending, unsigned limit)
{
    struct offline_reading *r = p->reading;
    const struct lexicon_link link = p->items[noun].is;
    struct reading_column on = {link.table, link.column};
    p->at = noun + 1;
    if (p->who && r->target == READING_NONE && r->out_count == 0 &&
        !offline_parse_person(p, on.table))
        return false;
    bool attribute_asked = r->target == READING_NONE && !p->which;
    if (r->target == READING_NONE || (r->out_count > 0 && r->outs[0].agg != AGG_NONE)) {
        if (limit > 0)
            return offline_parse_stop(p, "it is not clear whose extremes are asked for");
        if (!attribute_asked)
            return offline_parse_stop(p, "it is not clear whose extreme is asked for");
        r->counted = on.table;
        p->noun = on.table;
        return offline_parse_add_out(p, descending ? AGG_MAX : AGG_MIN, on);
    }
    limit = limit > 0 ? limit : r->limit > 0 ? r->limit : 1;
    if (on.table == r->target || lexicon_index_hops(p->lexicon, on.table, r->target) == 0)
        return offline_orders_set(p, on, descending, limit);
    return pick_by(p, on, descending, limit);
}

/* "whose book is the longest": one row that belongs to those asked for. */
static bool is_of_target(struct parse *p, size_t cue, size_t noun, unsigned limit)
{
    const struct offline_reading *r = p->reading;
    size_t before = cue;
    while (before > 0 && offline_parse_is_cue(p, before - 1, CUE_SKIP))
        before--;
    bool listed = before == 0 || offline_parse_is_cue(p, before - 1, CUE_AND) ||
                  offline_parse_is_cue(p, before - 1, CUE_COMMA);
    return r->target != READING_NONE && r->target != p->items[noun].is.table && r->out_count == 0 &&
           r->group_count == 0 && r->scope_count == 1 && !r->ordered &&
           p->expect == EXPECT_NOTHING && !p->negated && limit == 0 && r->limit == 0 && !listed &&
           (p->in_clause || p->which || p->who) && !p->items[noun].plural;
}

/* The date a person was born, or CATALOG_NONE. */
static int birth_column(const struct parse *p, int table)
{
    const struct catalog_table *t = &p->catalog->tables[table];
    for (size_t c = 0; c < t->column_count; c++) {
        struct str name = t->columns[c].name;
        bool birth = str_equal_nocase(name, STR("dob"));
        for (size_t i = 0; i + 5 <= name.len; i++)
            birth = birth || str_equal_nocase(str_slice(name, i, i + 5), STR("birth"));
        if (birth && !t->columns[c].hidden && lexicon_index_is_date(p->catalog, table, (int)c))
            return (int)c;
    }
    return CATALOG_NONE;
}

static void mark_said(struct parse *p, size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++) {
        p->items[i].kind = ITEM_CUE;
        p->items[i].cue = CUE_SKIP;
        p->items[i].arg = 0;
    }
}

/* Whether item i is a number of rows of the table at item noun. */
static bool is_own_measure(const struct parse *p, size_t i, size_t noun)
{
    return offline_parse_is(p, i, LINK_COLUMN) && p->items[i].is.table == p->items[noun].is.table &&
           offline_parse_is_measure(p, &p->items[i].is);
}

/* "the largest order by weight", "the highest paid nurse": the column behind "by", or the one
 * between, which then has been said. */
static int said_measure(struct parse *p, size_t noun, int flags)
{
    size_t by = noun + 1, column = offline_parse_next(p, by + 1);
    size_t between = offline_parse_next(p, p->at);
    if ((flags & SUPER_DATE) == 0 && between < noun && is_own_measure(p, between, noun)) {
        int said = p->items[between].is.column;
        mark_said(p, between, between);
        return said;
    }
    if (flags & (SUPER_DATE | SUPER_PRICE) || !offline_parse_is_cue(p, by, CUE_BY) ||
        !is_own_measure(p, column, noun))
        return CATALOG_NONE;
    int said = p->items[column].is.column;
    mark_said(p, by, column);
    return said;
}

/* Whether nothing is shown but columns of the table: "the weight of the oldest horse". */
static bool shows_only(const struct offline_reading *r, int table)
{
    for (size_t i = 0; i < r->out_count; i++)
        if (r->outs[i].agg != AGG_NONE || r->outs[i].on.table != table)
            return false;
    return true;
}

/* "largest transactions", "newest customer": rows of the table after it. */
static bool super_table(struct parse *p, size_t cue, size_t noun, unsigned limit)
{
    int flags = p->items[cue].arg;
    struct offline_reading *r = p->reading;
    int table = p->items[noun].is.table;
    const struct lexicon_facts *facts = &p->lexicon->facts[table];
    enum offline_scale scale = (enum offline_scale)(flags >> SCALE_SHIFT);
    int said = said_measure(p, noun, flags);
    int birth = facts->person ? birth_column(p, table) : CATALOG_NONE;
    bool born = birth != CATALOG_NONE &&
                (scale == SCALE_AGE || (flags & (SUPER_DATE | SUPER_DESC)) == SUPER_DATE) &&
                !str_equal_nocase(p->items[cue].text, STR("earliest"));
    int column = said != CATALOG_NONE         ? said
                 : born                       ? birth
                 : scale != SCALE_NONE        ? offline_orders_scale(p, table, scale)
                 : (flags & SUPER_DATE) != 0  ? facts->began
                 : (flags & SUPER_PRICE) != 0 ? offline_orders_scale(p, table, SCALE_PRICE)
                                              : facts->measure;
    if (column == CATALOG_NONE)
        return offline_parse_want(p,
                                  scale != SCALE_NONE         ? READING_WANTS_NOTHING
                                  : (flags & SUPER_DATE) != 0 ? READING_WANTS_DATE
                                                              : READING_WANTS_NUMBER,
                                  table, "it is not clear by what '%.*s' are ordered",
                                  STR_ARG(p->items[noun].text));
    if (p->who && r->target == READING_NONE && r->out_count == 0 && !facts->person &&
        !offline_parse_person(p, table))
        return false;
    if (born)
        flags = scale == SCALE_AGE ? flags ^ SUPER_DESC : flags;
    if (is_of_target(p, cue, noun, limit))
        return pick_by(p, (struct reading_column){table, column}, (flags & SUPER_DESC) != 0, 1);
    if (r->target != READING_NONE || !shows_only(r, table) || p->expect != EXPECT_NOTHING)
        return offline_parse_stop(p, "an extreme inside another question is not understood");
    if (limit == 0 && r->limit == 0 && p->items[noun].plural)
        return offline_parse_stop(p, "how many of '%.*s' is not said",
                                  STR_ARG(p->items[noun].text));
    r->target = table;
    p->noun = table;
    return offline_orders_set(p, (struct reading_column){table, column}, (flags & SUPER_DESC) != 0,
                              limit > 0      ? limit
                              : r->limit > 0 ? r->limit
                                             : 1);
}

/* An extreme that shares its column with the aggregates around it. */
static bool super_pending(struct parse *p, bool descending)
{
    if (p->expect != EXPECT_MEASURE)
        p->pending_from = p->reading->out_count;
    p->expect = EXPECT_MEASURE;
    return offline_parse_add_out(p, descending ? AGG_MAX : AGG_MIN,
                                 (struct reading_column){READING_NONE, READING_NONE});
}

static bool super_count(struct parse *p, size_t cue, size_t noun, bool descending)
{
    const struct offline_reading *r = p->reading;
    size_t what = noun == p->count && offline_parse_is(p, p->at, LINK_BOOL) ? p->at : noun;
    if (p->who && r->target == READING_NONE && what < p->count &&
        p->items[what].kind == ITEM_MENTION && !offline_parse_person(p, p->items[what].is.table))
        return false;
    if (r->target == READING_NONE && p->attribute == READING_NONE && r->group_count == 0)
        return offline_parse_stop(p, "it is not clear who has the most");
    return most(p, cue, descending);
}

/* "the last completed order": rows of the table by the date that the verb is. */
static bool super_moment(struct parse *p, size_t next, bool descending, unsigned limit)
{
    size_t table = offline_parse_past_adjectives(p, next + 1);
    const struct reading_column on = {p->items[next].is.table, p->items[next].is.column};
    if (!offline_parse_is(p, table, LINK_TABLE) || p->items[table].is.table != on.table ||
        (p->items[table].plural && limit == 0))
        return offline_parse_stop(p, "it is not clear what is asked for");
    p->reading->target = on.table;
    p->at = next + 1;
    return offline_orders_set(p, on, descending, limit > 0 ? limit : 1);
}

/* "the most common city of clients": values of a column by how many rows have them. */
static bool super_common(struct parse *p, size_t noun, bool descending, unsigned limit)
{
    struct offline_reading *r = p->reading;
    const struct lexicon_link *link = noun < p->count ? &p->items[noun].is : NULL;
    size_t of = offline_parse_next(p, noun + 1), owner = offline_parse_next(p, of + 1);
    if (!offline_parse_is(p, noun, LINK_COLUMN) || link->named != NULL || r->out_count > 0 ||
        r->target != READING_NONE || r->group_count > 0 || p->expect != EXPECT_NOTHING ||
        (p->items[noun].plural && limit == 0))
        return offline_parse_stop(p, "what is common is not clear");
    bool owned = offline_parse_is_cue(p, of, CUE_PREP) && offline_parse_is(p, owner, LINK_TABLE);
    if (owned && p->items[owner].is.table != link->table)
        return offline_parse_stop(p, "%.*s have no '%.*s'", STR_ARG(p->items[owner].text),
                                  STR_ARG(p->items[noun].text));
    if (!offline_parse_add_out(p, AGG_COUNT, (struct reading_column){link->table, READING_NONE}))
        return false;
    r->groups[r->group_count++] =
        (struct reading_group){{link->table, link->column, NULL}, GRAIN_NONE};
    r->ordered = true;
    r->descending = descending;
    r->order_out = 0;
    r->limit = limit > 0 ? limit : 1;
    r->counted = p->noun = link->table;
    p->at = owned ? owner + 1 : noun + 1;
    return true;
}

bool offline_superlatives_take(struct parse *p)
{
    struct offline_reading *r = p->reading;
    size_t cue = p->at;
    int flags = p->items[cue].arg;
    bool descending = (flags & SUPER_DESC) != 0;
    p->at++;
    unsigned limit = offline_orders_limit(p, cue);
    if (limit == 0 && cue > 0 && r->limit > 0)
        limit = r->limit;
    size_t next = offline_parse_next(p, p->at);
    size_t noun = offline_parse_past_adjectives(p, p->at);
    if ((flags & SUPER_COMMON) != 0)
        return super_common(p, next, descending, limit);
    if (offline_parse_is_cue(p, next, CUE_AGG) || offline_parse_is_cue(p, next, CUE_COUNT)) {
        size_t what = offline_parse_past_adjectives(p, next + 1);
        bool spent = what < p->count && p->items[what].kind == ITEM_MENTION &&
                     str_equal_nocase(str_slice(p->items[what].text, 0, 4), STR("spen"));
        if (p->who && r->target == READING_NONE && r->out_count == 0 && what < p->count &&
            p->items[what].kind == ITEM_MENTION &&
            !(spent ? offline_parse_actor(p, p->items[what].is.table)
                    : offline_parse_person(p, p->items[what].is.table)))
            return false;
        if (p->expect != EXPECT_NOTHING ||
            (r->target == READING_NONE && r->group_count == 0 && p->attribute == READING_NONE))
            return offline_parse_stop(p, "whose extreme is asked for is not clear");
        p->order_next_out = true;
        p->top_descending = descending;
        r->limit = limit > 0 ? limit : 1;
        return true;
    }
    if ((flags & SUPER_COUNT) != 0)
        return super_count(p, cue, noun, descending);
    if (p->expect == EXPECT_MEASURE &&
        (flags >> SCALE_SHIFT != SCALE_NONE || (flags & SUPER_DATE) != 0))
        return offline_parse_stop(p, "a number of an extreme is not understood");
    /* "mean, least and most pages" */
    if (p->expect == EXPECT_MEASURE || offline_parse_is_cue(p, next, CUE_AND) ||
        offline_parse_is_cue(p, next, CUE_COMMA))
        return super_pending(p, descending);
    if ((flags & SUPER_DATE) != 0 && offline_parse_is(p, next, LINK_MOMENT))
        return super_moment(p, next, descending, limit);
    size_t behind = offline_parse_past_adjectives(p, next + 1);
    if (offline_parse_is(p, behind, LINK_TABLE) && is_own_measure(p, next, behind))
        return super_table(p, cue, behind, limit);
    if (offline_parse_is(p, noun, LINK_TABLE)) {
        size_t after = offline_parse_next(p, noun + 1);
        bool own = (flags & (SUPER_PRICE | SUPER_DATE)) != 0 || flags >> SCALE_SHIFT != SCALE_NONE;
        if (offline_parse_is(p, after, LINK_COLUMN) && !own &&
            offline_parse_is_measure(p, &p->items[after].is) && after == noun + 1)
            return noun == next ? super_column(p, after, descending, limit)
                                : offline_parse_stop(p, "this superlative is not understood");
        return super_table(p, cue, noun, limit);
    }
    if (noun != next && !offline_parse_is(p, noun, LINK_COLUMN) &&
        offline_parse_is(p, next, LINK_VALUE)) /* "the largest debit" */
        return super_table(p, cue, next, limit);
    if (noun == next && offline_parse_is(p, noun, LINK_COLUMN) &&
        (offline_parse_is_measure(p, &p->items[noun].is) ||
         lexicon_index_is_date(p->catalog, p->items[noun].is.table, p->items[noun].is.column)))
        return super_column(p, noun, descending, limit);
    return offline_parse_stop(p, "'%.*s' of what is not clear", STR_ARG(p->items[cue].text));
}

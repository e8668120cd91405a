/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/columns.c - what a column does where it stands.
 *
 * Happy path: what is expected takes it; else it is compared, denied, matched, added up, grouped by
 * or shown. Failure: nothing expects it and nothing can be made of it. */
#include "agents/offline/reading/columns.h"

#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/moments.h"
#include "agents/offline/reading/mentions.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

bool offline_columns_is_compared(const struct parse *p, size_t i)
{
    while (offline_parse_is_cue(p, i, CUE_COPULA) || offline_parse_is_cue(p, i, CUE_SKIP) ||
           (offline_parse_is_cue(p, i, CUE_PREP) && (offline_parse_is_cue(p, i + 1, CUE_COMPARE) ||
                                                     offline_parse_is_cue(p, i + 2, CUE_COMPARE))))
        i++;
    return offline_parse_is_cue(p, i, CUE_COMPARE) || offline_parse_is_cue(p, i, CUE_BETWEEN) ||
           offline_parse_is_cue(p, i, CUE_LIKE) ||
           (offline_parse_is_cue(p, i, CUE_NEG) && offline_parse_is_cue(p, i + 1, CUE_LIKE)) ||
           (i < p->count && p->items[i].kind == ITEM_DATE);
}

static bool value_follows(const struct parse *p, size_t i, const struct lexicon_link *link)
{
    while (offline_parse_is_cue(p, i, CUE_COPULA) || offline_parse_is_cue(p, i, CUE_SKIP) ||
           offline_parse_is_cue(p, i, CUE_NEG) ||
           (offline_parse_is_cue(p, i, CUE_COMPARE) && p->items[i].arg == OP_EQ))
        i++;
    return (offline_parse_is(p, i, LINK_VALUE) && p->items[i].is.table == link->table &&
            p->items[i].is.column == link->column) ||
           (i < p->count && p->items[i].kind == ITEM_LITERAL);
}

static bool project(struct parse *p, const struct lexicon_link *link)
{
    if (link->kind != LINK_LABEL)
        return offline_parse_add_out(p, AGG_NONE,
                                     (struct reading_column){link->table, link->column});
    const struct lexicon_facts *facts = &p->lexicon->facts[link->table];
    for (size_t i = 0; i < facts->label_count; i++)
        if (!offline_parse_add_out(p, AGG_NONE,
                                   (struct reading_column){link->table, facts->labels[i]}))
            return false;
    return true;
}

/* "score 80", "postal code 78701": equality with the number that follows. */
static bool equals_number(struct parse *p, struct reading_column on)
{
    size_t next = offline_parse_next(p, p->at + 1);
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL || p->negated)
        return offline_parse_stop(p, "this condition is not understood");
    filter->op = OP_EQ;
    filter->number = p->items[next].number;
    if (!lexicon_index_is_number(p->catalog, on.table, on.column))
        filter->values[filter->value_count++] = p->items[next].text;
    p->at = next + 1;
    return true;
}

/* "total cost", where that is the name of a numeric column. */
static bool names_total(const struct parse *p, const struct lexicon_link *link)
{
    struct str text = p->items[p->at].text;
    return link->kind == LINK_COLUMN && offline_parse_is_measure(p, link) && text.len > 6 &&
           str_equal_nocase(str_slice(text, 0, 6), STR("total "));
}

/* "hours", "units": a number of things, which adds up where a rate or a score does not. */
static bool names_quantity(const struct parse *p, const struct lexicon_link *link)
{
    if (link->kind != LINK_COLUMN || link->named != NULL || !offline_parse_is_measure(p, link))
        return false;
    struct str name = p->catalog->tables[link->table].columns[link->column].name;
    return p->items[p->at].plural && str_ends_with(name, STR("s")) &&
           !str_ends_with(name, STR("ss")) && !str_ends_with(name, STR("us"));
}

/* "overtime hours per employee": the sum, in a question that says no more of it. */
static bool is_summed(const struct parse *p, const struct lexicon_link *link, size_t next)
{
    const struct offline_reading *r = p->reading;
    return names_quantity(p, link) && r->out_count == 0 && r->target == READING_NONE &&
           r->counted == READING_NONE && !p->which && !p->who &&
           (!p->listing || offline_parse_is_cue(p, next, CUE_PER) ||
            offline_parse_is_cue(p, next, CUE_BY));
}

/* The same, opening the question: the sum of it, unless rows are listed and not all of them. */
static bool says_total(const struct parse *p, const struct lexicon_link *link)
{
    bool all = p->at + 2 < p->count && str_equal_nocase(p->items[p->at + 2].text, STR("all"));
    return names_total(p, link) && p->reading->out_count == 0 &&
           p->reading->target == READING_NONE && (!offline_parse_is_cue(p, 0, CUE_SHOW) || all);
}

static bool is_missing(struct parse *p, struct reading_column on, size_t end)
{
    bool is_not = p->negated && p->at > 1 && offline_parse_is_cue(p, p->at - 2, CUE_COPULA);
    if (is_not || p->catalog->tables[on.table].columns[on.column].not_null ||
        (end < p->count && p->items[end].kind == ITEM_DATE))
        return offline_parse_stop(p, "'%.*s' is never missing, so the 'not' is not understood",
                                  STR_ARG(p->items[p->at].text));
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL)
        return false;
    filter->op = OP_IS_NULL;
    p->negated = false;
    p->at = end;
    return true;
}

/* "the city with the most shops", "what is the city that has": the column begins the question. */
static bool opens_most(const struct parse *p)
{
    size_t first = p->at, super = offline_parse_next(p, p->at + 2);
    while (first > 0 && (offline_parse_is_cue(p, first - 1, CUE_SKIP) ||
                         offline_parse_is_cue(p, first - 1, CUE_COPULA) ||
                         offline_parse_is_cue(p, first - 1, CUE_WHICH) ||
                         offline_parse_is_cue(p, first - 1, CUE_SHOW)))
        first--;
    if (offline_parse_is_cue(p, super, CUE_REL))
        super = offline_parse_next(p, super + 1);
    return first == 0 && offline_parse_is_cue(p, p->at + 1, CUE_REL) &&
           offline_parse_is_cue(p, super, CUE_SUPER) && (p->items[super].arg & SUPER_COUNT) != 0;
}

/* "which city has", "which type of order has", "countries with": what is asked for is the column.
 * Returns where the question goes on; 0: it is not so. */
static size_t asked_for(struct parse *p, const struct lexicon_link *link, size_t next)
{
    const struct offline_reading *r = p->reading;
    if ((p->at == 0 && offline_parse_is_cue(p, 1, CUE_REL)) || opens_most(p))
        p->which = true;
    if (!p->which || r->target != READING_NONE || r->out_count > 0 || link->kind != LINK_COLUMN)
        return 0;
    size_t owner = offline_parse_next(p, next + 1);
    if (offline_parse_is_cue(p, next, CUE_PREP) && offline_parse_is(p, owner, LINK_TABLE) &&
        p->items[owner].is.table == link->table)
        return owner + 1;
    if (offline_parse_is_cue(p, next, CUE_PREP) || offline_parse_is_cue(p, next, CUE_AND) ||
        offline_parse_is_cue(p, next, CUE_COMMA) || offline_parse_is_cue(p, next, CUE_COPULA))
        return 0;
    return p->at + 1;
}

/* Whether an adjective before the column says which of its rows there must be: "had overtime
 * hours". */
static bool is_filtered(const struct parse *p, const struct lexicon_link *link)
{
    bool adjective = p->at > 0 && (offline_parse_is(p, p->at - 1, LINK_VALUE) ||
                                   offline_parse_is(p, p->at - 1, LINK_BOOL) ||
                                   (offline_parse_is_cue(p, p->at - 1, CUE_BEGAN) &&
                                    names_quantity(p, link))); /* "logged hours" */
    return adjective && (p->in_clause || p->reading->counted != READING_NONE) &&
           link->table != p->reading->target;
}

/* "for each shop, the number of sales and its name" */
static bool is_grouped(const struct offline_reading *r, int table)
{
    return r->group_count == 1 && r->groups[0].on.table == table &&
           r->groups[0].on.column == READING_NONE && r->target == READING_NONE;
}

static bool show_column(struct parse *p, const struct lexicon_link *link)
{
    const struct offline_reading *r = p->reading;
    if (p->attribute != READING_NONE || p->scope->kind != SCOPE_MAIN ||
        (!p->listing && r->target == READING_NONE && !offline_parse_opens(p, p->at) &&
         r->out_count == 0) ||
        (r->counted != READING_NONE && !is_grouped(r, link->table)))
        return offline_parse_stop(p, "what '%.*s' is for is not clear",
                                  STR_ARG(p->items[p->at].text));
    size_t owner = offline_parse_next(p, p->at + 2);
    bool owned = p->at > 0 && offline_parse_is(p, p->at - 1, LINK_TABLE) &&
                 p->items[p->at - 1].is.table == link->table;
    if (offline_parse_is_cue(p, p->at + 1, CUE_PREP) && offline_parse_is(p, owner, LINK_TABLE) &&
        p->items[owner].is.table != link->table && !owned)
        return offline_parse_stop(p, "%.*s have no '%.*s'", STR_ARG(p->items[owner].text),
                                  STR_ARG(p->items[p->at].text));
    if (!project(p, link))
        return false;
    bool id = p->catalog->tables[link->table].columns[link->column].primary_key &&
              p->lexicon->facts[link->table].key == link->column;
    if (id && r->target == READING_NONE && offline_parse_is_cue(p, p->at + 1, CUE_REL))
        p->reading->target = link->table; /* "the order id with ..." */
    p->noun = p->noun == READING_NONE ? link->table : p->noun;
    p->at++;
    return true;
}

/* "has not read any pages": there is no row that has them. */
static bool denies_quantity(const struct parse *p, const struct lexicon_link *link, size_t next)
{
    const struct offline_reading *r = p->reading;
    return names_quantity(p, link) && !value_follows(p, next, link) &&
           !offline_parse_is_cue(p, next, CUE_COMPARE) && r->target != READING_NONE &&
           r->target != link->table && r->counted == READING_NONE && p->scope->kind == SCOPE_MAIN;
}

/* Whether a date behind the column is a value of it. */
static bool has_time(const struct parse *p, const struct lexicon_link *link)
{
    return lexicon_index_is_date(p->catalog, link->table, link->column) ||
           offline_moments_names_year(p->catalog, link->table, link->column);
}

/* "that have a phone number": that there is one. "With their phone numbers" shows them. */
static bool is_present(const struct parse *p, const struct lexicon_link *link, size_t next)
{
    bool closes = next >= p->count || offline_parse_is_cue(p, next, CUE_AND) ||
                  offline_parse_is_cue(p, next, CUE_COMMA);
    return closes && p->at > 1 && link->kind == LINK_COLUMN && link->table == p->reading->target &&
           (str_equal_nocase(p->items[p->at - 1].text, STR("a")) ||
            str_equal_nocase(p->items[p->at - 1].text, STR("an"))) &&
           (offline_parse_is_cue(p, p->at - 2, CUE_REL) ||
            (offline_parse_is_cue(p, p->at - 2, CUE_SHOW) && p->at > 2) || /* "which get a" */
            offline_parse_is_cue(p, p->at - 2, CUE_BEGAN));
}

static bool require(struct parse *p, const struct lexicon_link *link)
{
    if (p->catalog->tables[link->table].columns[link->column].not_null)
        return offline_parse_stop(p, "which '%.*s' there must be is not said",
                                  STR_ARG(p->items[p->at].text));
    struct reading_filter *filter =
        offline_bind_filter(p, (struct reading_column){link->table, link->column});
    if (filter == NULL)
        return false;
    filter->op = OP_NOT_NULL;
    p->at++;
    return true;
}

/* A column that nothing expects: denied, compared, matched, added up, related through, asked for or
 * shown. */
static bool free_column(struct parse *p, const struct lexicon_link *link)
{
    struct offline_reading *r = p->reading;
    struct reading_column on = {link->table, link->column};
    size_t next = offline_parse_next(p, p->at + 1);
    if (p->negated && denies_quantity(p, link, next)) {
        p->at++;
        return offline_parse_open_scope(p, SCOPE_NOT, link->table);
    }
    if (p->negated && !value_follows(p, next, link))
        return is_missing(p, on, p->at + 1);
    if (!p->negated && is_present(p, link, next))
        return require(p, link);
    if (offline_moments_is_done(p, link)) {
        p->noun = p->clause_noun = link->table;
        p->at++;
        return offline_parse_relate(p, p->scope, link->table);
    }
    bool dated = next < p->count && p->items[next].kind == ITEM_DATE;
    if ((dated ? has_time(p, link) : offline_columns_is_compared(p, next)) ||
        value_follows(p, next, link)) {
        p->subject_column = (int)p->at++;
        return true;
    }
    if (next < p->count && p->items[next].kind == ITEM_NUMBER)
        return equals_number(p, on);
    if (offline_parse_is_cue(p, next, CUE_MISSING))
        return is_missing(p, on, next + 1);
    if (says_total(p, link) || is_summed(p, link, next)) {
        p->pending_from = r->out_count;
        if (!offline_parse_add_out(p, AGG_SUM, on) || !offline_parse_fill_measures(p, on))
            return false;
        p->at++;
        return true;
    }
    if (is_filtered(p, link)) {
        p->noun = p->clause_noun = link->table;
        p->at++;
        return link->table == r->counted || offline_parse_relate(p, p->scope, link->table);
    }
    size_t end = asked_for(p, link, next);
    if (end == 0)
        return show_column(p, link);
    p->attribute = (int)p->at;
    p->noun = link->table;
    p->at = end;
    return true;
}

/* "amount": money that is moved adds up; a price or what somebody earns does not. */
static bool names_amount(const struct parse *p, const struct lexicon_link *link)
{
    char stem[STEM_BYTES];
    struct str text = p->items[p->at].text, word = text;
    while (!str_is_absent(text))
        word = str_split(&text, ' ');
    return link->kind == LINK_COLUMN && link->named == NULL && offline_parse_is_measure(p, link) &&
           str_equal(stem_of(word, stem), STR("amount"));
}

/* "the first authors by pages", where pages is a column of their books. */
static bool order_by_sum(struct parse *p, struct reading_column on, const struct lexicon_link *link)
{
    struct offline_reading *r = p->reading;
    if (r->out_count > 0 ||
        (!names_total(p, link) && !names_quantity(p, link) && !names_amount(p, link)))
        return offline_parse_stop(p, "whether '%.*s' is to be added up is not clear",
                                  STR_ARG(p->items[p->at].text));
    p->pending_from = r->out_count;
    p->order_next_out = true;
    if (!offline_parse_add_out(p, AGG_SUM, on) || !offline_parse_fill_measures(p, on))
        return false;
    p->at++;
    return true;
}

/* "total" that is also a column: the sum of what follows, or of that column itself. */
static bool take_total(struct parse *p)
{
    const struct lexicon_link link = p->items[p->at].is;
    size_t next = offline_parse_next(p, p->at + 1);
    bool rows = offline_parse_is(p, next, LINK_TABLE) && p->items[next].plural;
    if (offline_parse_is(p, next, LINK_TABLE))
        next = offline_parse_next(p, next + 1);
    if (rows && !offline_parse_is(p, next, LINK_COLUMN))
        return offline_parse_stop(p, "whether rows are counted or added up is not clear");
    p->pending_from = p->reading->out_count;
    p->measure_filters = p->reading->scopes[0].filter_count;
    if (!offline_parse_add_out(p, AGG_SUM, (struct reading_column){READING_NONE, READING_NONE}))
        return false;
    if (offline_parse_is(p, next, LINK_COLUMN) && offline_parse_is_measure(p, &p->items[next].is))
        p->expect = EXPECT_MEASURE;
    else if (!offline_parse_fill_measures(p, (struct reading_column){link.table, link.column}))
        return false;
    p->at++;
    return true;
}

/* The rows that a metric is about are a condition like any other. */
static bool bind_metric(struct parse *p, const struct lexicon_link *link)
{
    if (link->named == NULL || link->named->filter.text.len == 0)
        return true;
    if (p->reading->out_count > 1)
        return offline_parse_stop(p, "'%.*s' beside another number is not understood",
                                  STR_ARG(p->items[p->at].text));
    struct reading_filter *filter =
        offline_bind_filter(p, (struct reading_column){link->table, CATALOG_NONE, NULL});
    if (filter == NULL)
        return false;
    filter->op = OP_EQ;
    filter->named = link->named;
    filter->number = 1;
    return true;
}

bool offline_columns_take(struct parse *p)
{
    struct offline_reading *r = p->reading;
    if (p->expect == EXPECT_NOTHING && p->items[p->at].cue == CUE_AGG && !p->negated &&
        p->items[p->at].arg == AGG_SUM && offline_parse_is_measure(p, &p->items[p->at].is) &&
        !(p->items[p->at].is.table == r->target &&
          offline_columns_is_compared(
              p, offline_parse_next(p, p->at + 1)))) /* "orders with a total above 5" */
        return take_total(p);
    const struct lexicon_link *link = &p->items[p->at].is;
    struct reading_column on = {link->table, link->column, link->named};
    bool measure = link->kind == LINK_COLUMN && offline_parse_is_measure(p, link);
    switch (p->expect) {
    case EXPECT_GROUP:
        if (link->kind == LINK_LABEL)
            on.column = READING_NONE;
        if (lexicon_index_is_date(p->catalog, link->table, link->column))
            return offline_parse_add_group(p, on, GRAIN_DAY);
        return offline_parse_add_group(p, on, GRAIN_NONE);
    case EXPECT_MEASURE:
        if (!measure)
            return offline_parse_stop(p, "'%.*s' is not a number", STR_ARG(p->items[p->at].text));
        if (!offline_parse_fill_measures(p, on) || !bind_metric(p, link))
            return false;
        p->at++;
        return true;
    case EXPECT_COUNT:
        for (size_t i = 0; i < p->items[p->at].link_count; i++)
            if (p->items[p->at].links[i].kind == LINK_TABLE && !measure) {
                p->items[p->at].is = p->items[p->at].links[i]; /* rows rather than values */
                return offline_mentions_table(p);
            }
        if (!offline_parse_fill_count(p, on, measure ? AGG_SUM : AGG_DISTINCT))
            return false;
        p->at++;
        return true;
    case EXPECT_ORDER:
        if (r->ordered)
            return offline_parse_stop(p, "two orders are asked for");
        if (on.table != r->target && r->target != READING_NONE) {
            p->expect = EXPECT_NOTHING;
            return lexicon_index_hops(p->lexicon, on.table, r->target) > 0 &&
                   order_by_sum(p, on, link);
        }
        r->ordered = true;
        r->order_on = on;
        r->descending = p->wants_order && p->top_descending;
        p->wants_order = false;
        p->expect = EXPECT_NOTHING;
        p->at++;
        return true;
    default:
        return free_column(p, link);
    }
}

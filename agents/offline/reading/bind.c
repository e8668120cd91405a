/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/bind.c - where a filter belongs.
 *
 * Happy path: values in a row of one column become one IN; "not" before one turns it; a date goes
 * to the column its verb names, else to the date of the clause's noun, the measure or the target.
 * Failure: no date column fits, or too many filters. */
#include "agents/offline/reading/bind.h"

#include "agents/lexicon/facts.h"

#include "agents/offline/reading/moments.h"

struct reading_filter *offline_bind_filter(struct parse *p, struct reading_column on)
{
    struct reading_scope *scope = p->scope;
    if (scope->kind != SCOPE_MAIN && on.table == p->reading->target)
        scope = &p->reading->scopes[0];
    if (scope->filter_count == READING_FILTERS) {
        (void)offline_parse_stop(p, "there are too many conditions");
        return NULL;
    }
    struct reading_filter *filter = &scope->filters[scope->filter_count++];
    *filter = (struct reading_filter){.on = on, .out = READING_NONE, .said_with = READING_NONE};
    if (scope == &p->reading->scopes[0] && !p->in_clause && p->reading->out_count > 0)
        filter->said_with = (int)p->reading->out_count - 1;
    filter->numerator = p->reading->ratio && p->after_copula;
    filter->out = scope == &p->reading->scopes[0] ? p->current_out : READING_NONE;
    return filter;
}

/* Whether "not" here denies a row of another table ("no overdue invoices"): a scope of its own. */
static bool denies_rows(const struct parse *p, int table)
{
    const struct offline_reading *r = p->reading;
    return p->negated && table != r->target && table != r->counted && table != p->clause_noun &&
           (r->target != READING_NONE || r->counted != READING_NONE);
}

/* A category ("overdue") is said of the noun beside it; names of things may stand anywhere. */
static bool fits_noun(struct parse *p, const struct lexicon_link *link)
{
    const struct offline_reading *r = p->reading;
    if (link->kind == LINK_VALUE && lexicon_index_is_label(p->lexicon, link->table, link->column))
        return true;
    size_t next = p->at + 1;
    while (offline_parse_is(p, next, LINK_VALUE) || offline_parse_is(p, next, LINK_BOOL))
        next++;
    bool beside = offline_parse_is(p, next, LINK_TABLE) || offline_parse_is(p, next, LINK_COLUMN);
    if (beside && p->items[next].is.table != link->table)
        return offline_parse_stop(p, "'%.*s' is not said of %.*s here",
                                  STR_ARG(p->items[p->at].text), STR_ARG(p->items[next].text));
    if (!beside && p->at > 0 && offline_parse_is_cue(p, p->at - 1, CUE_COPULA) &&
        link->table != r->target && link->table != r->counted && link->table != p->noun &&
        link->table != p->clause_noun && (r->target != READING_NONE || r->counted != READING_NONE))
        return offline_parse_stop(p, "'%.*s' is not said of the rows asked for",
                                  STR_ARG(p->items[p->at].text));
    return true;
}

/* An adjective without a noun is the noun: "debits", "how many technicians". */
static bool stand_as_noun(struct parse *p, int table)
{
    struct offline_reading *r = p->reading;
    size_t next = offline_parse_past_adjectives(p, p->at + 1);
    if (offline_parse_is(p, next, LINK_TABLE) || offline_parse_is(p, next, LINK_COLUMN))
        return true;
    if (p->expect == EXPECT_COUNT) {
        r->outs[r->out_count - 1].on = (struct reading_column){table, READING_NONE};
        r->counted = r->counted == READING_NONE ? table : r->counted;
        p->expect = EXPECT_NOTHING;
        p->noun = table;
    } else if (p->expect == EXPECT_MEASURE) {
        int measure = p->lexicon->facts[table].measure;
        if (measure == CATALOG_NONE)
            return offline_parse_want(p, READING_WANTS_NUMBER, table,
                                      "'%.*s' does not say which number is meant",
                                      STR_ARG(p->items[p->at].text));
        return offline_parse_fill_measures(p, (struct reading_column){table, measure});
    } else if (p->listing && r->target == READING_NONE && r->out_count == 0) {
        r->target = table;
        p->noun = table;
    } else if (p->at > 0 && p->in_clause && !offline_parse_is_cue(p, p->at - 1, CUE_PREP) &&
               !offline_parse_is_cue(p, p->at - 1, CUE_COPULA)) {
        p->noun = table; /* "made a debit above 500" */
        p->clause_noun = table;
    }
    return true;
}

/* The filter an adjective makes, in a scope of its own where it denies rows; NULL: it fits not. */
static struct reading_filter *begin_adjective(struct parse *p, const struct lexicon_link *link)
{
    /* before it becomes the noun of its clause: "have no lead" denies rows, not a value of one */
    bool denies = denies_rows(p, link->table);
    if (!fits_noun(p, link) || !stand_as_noun(p, link->table))
        return NULL;
    if (denies && !offline_parse_open_scope(p, SCOPE_NOT, link->table))
        return NULL;
    return offline_bind_filter(p, (struct reading_column){link->table, link->column});
}

/* "Austin or Denver": the next value of the same column, past "and", "or" and commas. */
static size_t next_alternative(const struct parse *p, size_t i, const struct lexicon_link *link)
{
    size_t k = i + 1;
    while (k < p->count &&
           (offline_parse_is_cue(p, k, CUE_OR) || offline_parse_is_cue(p, k, CUE_AND) ||
            offline_parse_is_cue(p, k, CUE_COMMA) || offline_parse_is_cue(p, k, CUE_SKIP)))
        k++;
    if (k == i + 1 || !offline_parse_is(p, k, LINK_VALUE) || p->items[k].is.table != link->table ||
        p->items[k].is.column != link->column)
        return p->count;
    return k;
}

/* "scheduled in each month": a status, or the date it is also the name of. */
static bool may_be_moment(const struct parse *p, const struct lexicon_link *value)
{
    const struct lexicon_item *item = &p->items[p->at];
    size_t next = p->at + 1;
    while (offline_parse_is_cue(p, next, CUE_PREP) || offline_parse_is_cue(p, next, CUE_PER) ||
           offline_parse_is_cue(p, next, CUE_BY) || offline_parse_is_cue(p, next, CUE_EACH))
        next++;
    for (size_t i = 0; i < item->link_count; i++)
        if (item->links[i].kind == LINK_MOMENT && item->links[i].table == value->table)
            return next > p->at + 1 && offline_parse_is_cue(p, next, CUE_GRAIN);
    return false;
}

/* Whether "both" asks for rows of each value that belong to what is asked for. */
static bool wants_each(const struct parse *p, const struct lexicon_link *link,
                       const struct reading_filter *filter)
{
    const struct offline_reading *r = p->reading;
    return link->table != r->target && link->table != r->counted && filter->op == OP_EQ &&
           (r->target != READING_NONE || r->counted != READING_NONE) && p->scope == &r->scopes[0] &&
           p->expect == EXPECT_NOTHING && r->scopes[0].table_count == 0 &&
           filter == &r->scopes[0].filters[r->scopes[0].filter_count - 1];
}

/* "both kitchen and garden products": as many different values as were named. */
static bool have_each(struct parse *p, const struct lexicon_link *link)
{
    struct reading_scope *main = &p->reading->scopes[0];
    const struct reading_filter filter = main->filters[--main->filter_count];
    p->all_of = false;
    if (!offline_parse_open_scope(p, SCOPE_HAVING, link->table))
        return false;
    p->scope->agg = AGG_DISTINCT;
    p->scope->measure = (struct reading_column){link->table, link->column, NULL};
    p->scope->op = OP_EQ;
    p->scope->number = (double)filter.value_count;
    p->scope->filters[p->scope->filter_count++] = filter;
    p->at++;
    return true;
}

bool offline_bind_value(struct parse *p)
{
    const struct lexicon_link *link = &p->items[p->at].is;
    if (may_be_moment(p, link))
        return offline_parse_stop(p, "whether '%.*s' is a value or a date is not clear",
                                  STR_ARG(p->items[p->at].text));
    struct reading_filter *filter = begin_adjective(p, link);
    if (filter == NULL)
        return false;
    filter->op = p->negated != p->items[p->at].inverse ? OP_NE : OP_EQ;
    p->negated = false;
    filter->values[filter->value_count++] = link->value;
    size_t first = p->at;
    for (size_t k = next_alternative(p, p->at, link); k < p->count;
         k = next_alternative(p, k, link)) {
        if (filter->value_count == READING_VALUES)
            return offline_parse_stop(p, "there are too many values");
        filter->values[filter->value_count++] = p->items[k].is.value;
        p->at = k;
    }
    if (p->all_of && filter->value_count == 1 && link->table != p->reading->target &&
        link->table != p->reading->counted)
        return offline_parse_stop(p, "whether both are meant of one row is not clear");
    bool each = p->all_of;
    for (size_t k = first; k < p->at; k++)
        each = each || offline_parse_is_cue(p, k, CUE_AND);
    for (size_t k = first; k < p->at; k++)
        each = each && !offline_parse_is_cue(p, k, CUE_OR);
    if (filter->value_count > 1 && p->all_of && wants_each(p, link, filter))
        return have_each(p, link);
    if (filter->value_count > 1 && each && link->table != p->reading->target &&
        link->table != p->reading->counted)
        return offline_parse_stop(p, "whether one or each of several values is meant is not clear");
    p->at++;
    /* "high priority": the column after its value says nothing new */
    if (offline_parse_is(p, p->at, LINK_COLUMN) && p->items[p->at].is.table == link->table &&
        p->items[p->at].is.column == link->column)
        p->at++;
    return true;
}

bool offline_bind_boolean(struct parse *p)
{
    const struct lexicon_link *link = &p->items[p->at].is;
    struct reading_filter *filter = begin_adjective(p, link);
    if (filter == NULL)
        return false;
    filter->op = OP_EQ;
    filter->named = link->named;
    filter->number = link->negative != p->negated ? 0 : 1;
    p->negated = false;
    p->at++;
    return true;
}

/* The column a literal after "account" is compared with: its only unique label. */
static struct reading_column label_before(const struct parse *p)
{
    struct reading_column on = {READING_NONE, READING_NONE};
    if (p->at == 0 || !offline_parse_is(p, p->at - 1, LINK_TABLE))
        return on;
    int table = p->items[p->at - 1].is.table;
    const struct lexicon_facts *facts = &p->lexicon->facts[table];
    for (size_t i = 0; i < facts->label_count; i++)
        if (p->catalog->tables[table].columns[facts->labels[i]].unique) {
            if (on.table != READING_NONE)
                return (struct reading_column){READING_NONE, READING_NONE};
            on = (struct reading_column){table, facts->labels[i]};
        }
    return on;
}

/* Quoted text or a code: equality on the column, or with the name of the table, before it. */
bool offline_bind_literal(struct parse *p)
{
    const struct lexicon_item *item = &p->items[p->at];
    struct reading_column on = label_before(p);
    if (p->subject_column != READING_NONE)
        on = (struct reading_column){p->items[p->subject_column].is.table,
                                     p->items[p->subject_column].is.column};
    if (on.table == READING_NONE)
        return offline_parse_stop(p, "no value '%.*s' is known", STR_ARG(item->text));
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL)
        return false;
    filter->op = p->negated ? OP_NE : OP_EQ;
    p->negated = false;
    filter->values[filter->value_count++] = item->text;
    p->subject_column = READING_NONE;
    p->at++;
    return true;
}

/* "whose name starts with A", "tracks containing the word blue": part of a text. */
bool offline_bind_like(struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    size_t next = offline_parse_next(p, p->at + 1);
    struct reading_column on = {READING_NONE, READING_NONE};
    if (p->subject_column != READING_NONE) {
        const struct lexicon_link *link = &p->items[p->subject_column].is;
        const struct lexicon_facts *facts = &p->lexicon->facts[link->table];
        on = (struct reading_column){link->table, link->column};
        if (link->kind == LINK_LABEL && facts->person && facts->label_count > 1)
            return offline_parse_stop(p, "which part of the name '%.*s' is meant is not clear",
                                      STR_ARG(p->items[p->subject_column].text));
    } else if (p->noun != READING_NONE && p->lexicon->facts[p->noun].label_count == 1) {
        on = (struct reading_column){p->noun, p->lexicon->facts[p->noun].labels[0]};
    }
    size_t end = next + 1, column = offline_parse_next(p, next + 2);
    if (offline_parse_is_cue(p, next + 1, CUE_PREP) && column < p->count &&
        p->items[column].kind == ITEM_MENTION) { /* "contains 'x' in its title" */
        const struct lexicon_link *link = &p->items[column].is;
        if (p->subject_column != READING_NONE || link->kind != LINK_COLUMN ||
            link->table != p->noun)
            return offline_parse_stop(p, "which text '%.*s' is said of is not clear",
                                      STR_ARG(cue->text));
        on = (struct reading_column){link->table, link->column};
        end = column + 1;
    }
    if (on.table == READING_NONE || next >= p->count || p->items[next].kind != ITEM_LITERAL ||
        p->catalog->tables[on.table].columns[on.column].type != CATALOG_TEXT)
        return offline_parse_stop(p, "which text '%.*s' is said of is not clear",
                                  STR_ARG(cue->text));
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL)
        return false;
    filter->op = p->negated ? OP_NOT_LIKE : OP_LIKE;
    filter->number = cue->arg;
    filter->values[filter->value_count++] = p->items[next].text;
    p->negated = false;
    p->subject_column = READING_NONE;
    p->at = end;
    return true;
}

static bool has_date(const struct parse *p, int table)
{
    int column = CATALOG_NONE;
    if (table != READING_NONE)
        lexicon_facts_dated(p->lexicon, table, &column);
    return column != CATALOG_NONE;
}

/* "completed work orders in May": the adjective is also a date of that table. */
static int date_of_adjective(const struct parse *p, int table)
{
    int found = CATALOG_NONE;
    for (size_t k = 0; k < p->at; k++)
        for (size_t i = 0; p->items[k].kind == ITEM_MENTION && i < p->items[k].link_count; i++) {
            const struct lexicon_link *link = &p->items[k].links[i];
            if (link->kind == LINK_MOMENT && link->table == table &&
                p->items[k].is.kind == LINK_VALUE && p->items[k].is.table == table)
                found = link->column;
        }
    return found;
}

/* Whether a condition is about rows that hang on table and have a date of their own: then a date
 * could be theirs ("employees with overtime in May"). */
static bool has_dated_child(const struct parse *p, int table)
{
    const struct reading_scope *main = &p->reading->scopes[0];
    for (size_t i = 0; i < main->filter_count + main->table_count; i++) {
        int child = i < main->filter_count ? main->filters[i].on.table
                                           : main->tables[i - main->filter_count];
        const struct catalog_table *t = &p->catalog->tables[child];
        for (size_t r = 0; child != table && has_date(p, child) && r < t->reference_count; r++)
            if (t->references[r].to_table == table)
                return true;
    }
    return false;
}

/* The column a date without a verb of its own speaks of; *several: or the table that has too many
 * to tell. */
static struct reading_column choose_date(const struct parse *p, int *several)
{
    const struct offline_reading *r = p->reading;
    int measured = r->out_count > 0 && r->outs[r->out_count - 1].agg != AGG_NONE
                       ? r->outs[r->out_count - 1].on.table
                       : READING_NONE;
    const int order[] = {p->scope->kind != SCOPE_MAIN && p->scope->table_count > 0
                             ? p->scope->tables[0]
                             : READING_NONE,
                         p->clause_noun,
                         measured,
                         r->counted,
                         r->target,
                         p->noun};
    for (size_t i = 0; i < countof(order); i++) {
        int said = order[i] == READING_NONE ? CATALOG_NONE : date_of_adjective(p, order[i]);
        if (said != CATALOG_NONE)
            return (struct reading_column){order[i], said};
        if (has_date(p, order[i]) && order[i] != p->clause_noun && p->scope->kind == SCOPE_MAIN &&
            has_dated_child(p, order[i]))
            return (struct reading_column){READING_NONE, READING_NONE};
        struct reading_column on = {READING_NONE, READING_NONE};
        if (has_date(p, order[i])) {
            on.table = lexicon_facts_dated(p->lexicon, order[i], &on.column);
            return on;
        }
        /* a table with several dates and none meant: do not look further away */
        for (size_t c = 0;
             order[i] != READING_NONE && c < p->catalog->tables[order[i]].column_count; c++)
            if (lexicon_index_is_date(p->catalog, order[i], (int)c)) {
                *several = order[i];
                return (struct reading_column){READING_NONE, READING_NONE};
            }
    }
    return (struct reading_column){READING_NONE, READING_NONE};
}

bool offline_bind_date(struct parse *p)
{
    const struct lexicon_item *item = &p->items[p->at];
    struct reading_column on = {READING_NONE, READING_NONE};
    int several = READING_NONE;
    size_t before = p->at;
    while (before > 0 && (offline_parse_is_cue(p, before - 1, CUE_SKIP) ||
                          offline_parse_is_cue(p, before - 1, CUE_PREP)))
        before--;
    if (before > 0 && offline_parse_is(p, before - 1, LINK_MOMENT))
        on = (struct reading_column){p->items[before - 1].is.table, p->items[before - 1].is.column};
    else if (p->subject_column != READING_NONE &&
             lexicon_index_is_date(p->catalog, p->items[p->subject_column].is.table,
                                   p->items[p->subject_column].is.column))
        on = (struct reading_column){p->items[p->subject_column].is.table,
                                     p->items[p->subject_column].is.column};
    else
        on = choose_date(p, &several);
    bool years = false;
    bool said = before > 0 &&
                (offline_parse_is_cue(p, before - 1, CUE_BEGAN) ||
                 offline_parse_is(p, before - 1, LINK_MOMENT) || p->subject_column != READING_NONE);
    bool may_be_year = on.table == READING_NONE || offline_moments_says_year(p) ||
                       (!said && offline_moments_has_year(p->catalog, on.table));
    if (may_be_year && !offline_moments_year(p, &years))
        return false;
    if (years)
        return true;
    if (on.table == READING_NONE && p->reading->target == READING_NONE &&
        p->reading->counted == READING_NONE && p->pending_date == READING_NONE) {
        p->pending_date = (int)p->at++;
        return true;
    }
    if (on.table == READING_NONE)
        return offline_parse_want(
            p, several == READING_NONE ? READING_WANTS_NOTHING : READING_WANTS_DATE, several,
            "it is not clear which date '%.*s' is about", STR_ARG(item->text));
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL)
        return false;
    filter->op = OP_RANGE;
    filter->range = item->range;
    /* in a ratio a date belongs below the line too, unless its verb is what is asked */
    filter->numerator =
        filter->numerator && before > 0 && offline_parse_is(p, before - 1, LINK_MOMENT);
    p->at++;
    return p->negated ? offline_parse_stop(p, "a negated date is not understood") : true;
}

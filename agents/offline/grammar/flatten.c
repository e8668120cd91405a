/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/flatten.c - conditions nested in a sense become filters of scopes.
 *
 * Happy path: each related table is meant once, and its conditions go where its rows are joined;
 * what must not be, and amounts, become scopes of their own. Dates that nothing names go to the
 * date of the rows they stand beside. Failure: a sense that needs one table twice, or a date that
 * no column is clear for, has no reading. */
#include "agents/offline/grammar/flatten.h"

#include <stdio.h>
#include <string.h>

#include "agents/lexicon/codes.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "agents/offline/grammar/actions.h"
#include "agents/offline/grammar/tables.h"

struct flat {
    const struct lexicon *lexicon;
    struct offline_reading *reading;
};

static bool stop(struct flat *f, const char *why)
{
    snprintf(f->reading->cannot, sizeof f->reading->cannot, "%s", why);
    return false;
}

/* What a yes or a no must be, or with *is_not must not be, of rows that count by a condition of the
 * file on one column; absent: it says something else. */
static struct str counted_by(const struct semantic_expression *rows, int column, bool *is_not)
{
    if (rows->piece_count != 2 || rows->pieces[0].column != column || rows->pieces[0].today ||
        str_trim(rows->pieces[0].text).len > 0 || rows->pieces[1].column != CATALOG_NONE ||
        rows->pieces[1].today)
        return (struct str){NULL, 0};
    struct str text = str_trim(rows->pieces[1].text);
    *is_not = str_starts_with(text, STR("<>")) || str_starts_with(text, STR("!="));
    if (!*is_not && !str_starts_with(text, STR("=")))
        return (struct str){NULL, 0};
    text = str_trim(str_from(text, *is_not ? 2 : 1));
    bool quoted = text.len > 2 && text.at[0] == '\'' && text.at[text.len - 1] == '\'';
    return quoted ? str_slice(text, 1, text.len - 1) : text;
}

/* Whether only rows meet the filter that do not count: voided ones, where voided = 'N' counts. */
static bool asks_left_out(const struct lexicon *lexicon, const struct reading_filter *filter)
{
    const struct semantic_named *living = lexicon->facts[filter->on.table].living;
    bool is_not = false, none = filter->op == OP_NE;
    if (living == NULL || living->name.len > 0 || filter->named != NULL || filter->vs_column ||
        (filter->op != OP_EQ && filter->op != OP_NE) || filter->value_count > 1)
        return false;
    struct str counted = counted_by(&living->expression, filter->on.column, &is_not);
    struct str said = filter->value_count == 1 ? filter->values[0]
                      : filter->number > 0     ? STR("1")
                                               : STR("0");
    if (str_is_absent(counted))
        return false;
    return is_not == none ? lexicon_codes_are_opposite(said, counted)
                          : str_equal_nocase(said, counted) && counted.len == 1;
}

static bool add_filter(struct flat *f, struct reading_scope *scope,
                       const struct reading_filter *filter)
{
    if (scope->filter_count == READING_FILTERS)
        return stop(f, "there are too many conditions");
    if (asks_left_out(f->lexicon, filter))
        return stop(f, "it asks for rows that do not count here");
    for (size_t i = 0; i < scope->filter_count; i++)
        if (scope->filters[i].on.table == filter->on.table && filter->named == NULL &&
            scope->filters[i].named == NULL && scope->filters[i].on.column == filter->on.column &&
            (scope->filters[i].op == OP_IS_NULL) != (filter->op == OP_IS_NULL))
            return stop(f, "the conditions exclude each other");
    scope->filters[scope->filter_count++] = *filter;
    return true;
}

static bool has_table(const struct reading_scope *scope, int table)
{
    for (size_t i = 0; i < scope->table_count; i++)
        if (scope->tables[i] == table)
            return true;
    return false;
}

/* under: whose row it belongs to. */
static bool add_table(struct flat *f, struct reading_scope *scope, int table, int under)
{
    if (has_table(scope, table))
        return stop(f, "two different rows of one table are meant");
    if (scope->table_count == READING_TABLES)
        return stop(f, "too many tables are involved");
    scope->under[scope->table_count] = under;
    scope->tables[scope->table_count++] = table;
    return true;
}

static bool want(struct flat *f, enum reading_want what, int table, const char *why)
{
    f->reading->wants = what;
    f->reading->wants_of = table;
    return stop(f, why);
}

/* A date goes to the date of the rows of table. */
static bool add_date(struct flat *f, struct reading_scope *scope, int table,
                     const struct reading_filter *date, const struct sense_cond *beside)
{
    struct reading_filter filter = *date;
    filter.on.table = grammar_dated_by_default(f->lexicon, table, &filter.on.column);
    bool named = false; /* by which date */
    for (const struct sense_cond *c = beside; c != NULL; c = c->next)
        if (c->kind == COND_LEAF && c->filter->op == OP_NOT_NULL &&
            lexicon_index_is_date(f->lexicon->catalog, c->table, c->filter->on.column))
            filter.on = c->filter->on, named = true; /* "scheduled ... in 2024" */
    for (size_t i = 0; i < f->reading->group_count; i++)
        if (f->reading->groups[i].grain != GRAIN_NONE && f->reading->groups[i].on.table == table)
            filter.on = f->reading->groups[i].on, named = true; /* "scheduled per month in 2024" */
    bool clear = filter.on.column != CATALOG_NONE &&
                 (named || filter.on.table != table || /* a bare period means no date that is due */
                  !grammar_has_word(lexicon_spelling_column(f->lexicon, table, filter.on.column),
                                    grammar_due));
    if (!clear &&
        grammar_year_filter(
            (struct reading_column){table, grammar_year_column(f->lexicon, table), NULL, 0},
            date->range, &filter))
        return add_filter(f, scope, &filter);
    return clear ? add_filter(f, scope, &filter)
                 : want(f, READING_WANTS_DATE, table, "it is not clear which date is meant");
}

static bool add_scope(struct flat *f, int about, const struct sense_cond *c);
static bool add_any(struct flat *f, int about, const struct sense_cond *any);

enum { CONDS = 24 };

/* The conditions in the order in which they are said; how many. */
static size_t sort_conds(const struct sense_cond *conds, const struct sense_cond *sorted[CONDS])
{
    size_t count = 0;
    for (const struct sense_cond *c = conds; c != NULL && count < CONDS; c = c->next) {
        size_t at = count++;
        for (; at > 0 && sorted[at - 1]->place >= c->place; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = c;
    }
    return count;
}

/* Whether a date is only said to be known, and a period is said of it. */
static bool is_dated_later(const struct flat *f, const struct sense_cond *conds,
                           const struct sense_cond *known)
{
    if (known->kind != COND_LEAF || known->filter->op != OP_NOT_NULL ||
        !lexicon_index_is_date(f->lexicon->catalog, known->table, known->filter->on.column))
        return false;
    for (const struct sense_cond *c = conds; c != NULL; c = c->next)
        if (c->kind == COND_DATE)
            return true;
    return false;
}

/* The column of table that holds what the condition, all there is on another row, says of that
 * row's key; CATALOG_NONE. */
static int find_copy(const struct flat *f, int table, const struct sense_cond *of)
{
    int found = CATALOG_NONE;
    const struct catalog_table *t = &f->lexicon->catalog->tables[table];
    if (of == NULL || of->next != NULL || of->kind != COND_LEAF || of->filter->named != NULL ||
        of->filter->vs_column || of->filter->through || of->filter->op == OP_IS_NULL)
        return CATALOG_NONE;
    for (size_t r = 0; r < t->reference_count; r++) {
        const struct catalog_reference *ref = &t->references[r];
        if (ref->to_table != of->table)
            continue;
        if (found != CATALOG_NONE || ref->column_count != 1 ||
            ref->to_columns[0] != of->filter->on.column)
            return CATALOG_NONE;
        found = ref->columns[0];
    }
    return found;
}

/* The same condition on the rows themselves. */
static bool add_copied(struct flat *f, struct reading_scope *scope, int table, int column,
                       const struct sense_cond *of)
{
    struct reading_filter filter = *of->filter;
    filter.on = (struct reading_column){table, column, NULL, 0};
    return add_filter(f, scope, &filter);
}

/* Conditions on a row of table, in scope; deep: inside another row's. */
static bool add_conds(struct flat *f, struct reading_scope *scope, int table,
                      const struct sense_cond *conds, bool deep)
{
    const struct sense_cond *sorted[CONDS];
    size_t count = sort_conds(conds, sorted);
    if (count == CONDS)
        return stop(f, "there are too many conditions");
    for (size_t i = 0; i < count; i++) {
        const struct sense_cond *c = sorted[i];
        bool ok = true;
        int copy;
        switch (c->kind) {
        case COND_LEAF:
        case COND_MEAN:
            ok = is_dated_later(f, conds, c) || add_filter(f, scope, c->filter);
            break;
        case COND_DATE:
            ok = add_date(f, scope, table, c->filter, conds);
            break;
        case COND_EXISTS:
            copy = find_copy(f, table, c->of);
            ok = copy != CATALOG_NONE ? add_copied(f, scope, table, copy, c->of)
                 : !deep && has_table(scope, c->table) && c->of != NULL
                     ? add_scope(f, table, c) /* another row of that table */
                     : add_table(f, scope, c->table, table) &&
                           add_conds(f, scope, c->table, c->of, true);
            break;
        case COND_NONE:
        case COND_AMOUNT:
            ok = deep ? stop(f, "a condition inside a condition is not understood here")
                      : add_scope(f, table, c);
            break;
        case COND_ANY:
            ok = deep ? stop(f, "a condition inside a condition is not understood here")
                      : add_any(f, table, c);
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool add_scope(struct flat *f, int about, const struct sense_cond *c)
{
    struct offline_reading *r = f->reading;
    if (r->scope_count == READING_SCOPES)
        return stop(f, "there are too many conditions");
    if (r->target != READING_NONE && r->target != about)
        return stop(f, "what the condition is about is not clear");
    bool own = c->kind == COND_LEAF || c->kind == COND_MEAN || c->kind == COND_DATE;
    struct reading_scope *scope = &r->scopes[r->scope_count++];
    *scope = (struct reading_scope){.kind = own                    ? SCOPE_ROW
                                            : c->kind == COND_NONE ? SCOPE_NOT
                                                                   : SCOPE_HAVING};
    if (r->target == READING_NONE)
        r->target = about;
    if (own)
        return c->kind == COND_DATE ? add_date(f, scope, about, c->filter, NULL)
                                    : add_filter(f, scope, c->filter);
    if (c->kind == COND_AMOUNT) {
        scope->agg = c->agg;
        scope->measure = c->on;
        scope->op = c->op;
        scope->number = c->number;
        scope->high = c->high;
        scope->vs_average = c->vs_average;
        scope->factor = c->factor;
    }
    if (c->kind == COND_EXISTS) {
        scope->agg = AGG_COUNT;
        scope->measure = (struct reading_column){c->table, READING_NONE, NULL, 0};
        scope->op = OP_GE;
        scope->number = 1;
    }
    scope->under[scope->table_count] = about;
    scope->tables[scope->table_count++] = c->table;
    if (!add_conds(f, scope, c->table, c->of, true))
        return false;
    for (size_t i = 0; i < scope->filter_count && c->agg == AGG_NET; i++)
        scope->filters[i].out = 0; /* they say what is added and what is taken away */
    return true;
}

/* A scope for each condition, of which one must hold. */
static bool add_any(struct flat *f, int about, const struct sense_cond *any)
{
    unsigned either = (unsigned)f->reading->scope_count;
    for (const struct sense_cond *c = any->of; c != NULL; c = c->next) {
        size_t at = f->reading->scope_count;
        if (!add_scope(f, about, c))
            return false;
        f->reading->scopes[at].either = either;
    }
    return true;
}

static size_t count_columns(const struct sense_column *c)
{
    size_t count = 0;
    for (; c != NULL; c = c->next)
        count++;
    return count;
}

/* Whether a group for each row shows the column as it is: it is the row's key, or names it. */
static bool is_shown(const struct flat *f, struct reading_column on)
{
    const struct offline_reading *r = f->reading;
    bool names = f->lexicon->facts[on.table].key == on.column ||
                 lexicon_index_is_label(f->lexicon, on.table, on.column);
    for (size_t i = 0; i < r->group_count; i++)
        if (names && r->groups[i].on.table == on.table && r->groups[i].on.column == READING_NONE)
            return true;
    return false;
}

static bool add_columns(struct flat *f, const struct sense_column *c)
{
    struct offline_reading *r = f->reading;
    struct reading_column said[READING_OUTS]; /* the last first */
    size_t count = count_columns(c), kept = 0;
    if (count > READING_OUTS - r->out_count)
        return stop(f, "too many columns are asked for");
    for (; c != NULL; c = c->next)
        if (!is_shown(f, c->on))
            said[kept++] = c->on;
    while (kept > 0) {
        kept--;
        if (r->group_count > 0 && r->group_count < READING_GROUPS) /* each group has one */
            r->groups[r->group_count++] = (struct reading_group){said[kept], GRAIN_NONE};
        else
            r->outs[r->out_count++] = (struct reading_out){AGG_NONE, said[kept]};
    }
    return true;
}

/* A filter of one output, or of the upper part of a ratio (out READING_NONE). */
static bool add_part(struct flat *f, const struct sense_cond *c, int out)
{
    struct reading_scope *main = &f->reading->scopes[0];
    struct reading_filter filter = *c->filter;
    filter.out = out;
    filter.numerator = out == READING_NONE;
    return c->kind == COND_DATE ? add_date(f, main, f->reading->counted, &filter, NULL)
                                : add_filter(f, main, &filter);
}

/* Conditions on the rows of one output. */
static bool add_only(struct flat *f, int out, const struct sense_cond *conds)
{
    for (; conds != NULL; conds = conds->next)
        if (!add_part(f, conds, out))
            return false;
    return true;
}

static bool add_measures(struct flat *f, const struct sense_measure *m)
{
    struct offline_reading *r = f->reading;
    size_t count = 0;
    for (const struct sense_measure *k = m; k != NULL; k = k->next)
        count++;
    if (count > READING_OUTS)
        return stop(f, "too many numbers are asked for");
    r->out_count = count;
    for (size_t i = count; m != NULL; m = m->next) {
        r->outs[--i] = (struct reading_out){m->agg, m->on};
        if (!add_only(f, (int)i, m->only))
            return false;
    }
    return true;
}

/* Groups that others show already: "for each player and their first name". */
static void drop_shown(struct flat *f)
{
    struct offline_reading *r = f->reading;
    size_t kept = 0;
    for (size_t i = 0; i < r->group_count; i++)
        if (r->groups[i].on.column == READING_NONE || r->groups[i].grain != GRAIN_NONE ||
            !is_shown(f, r->groups[i].on))
            r->groups[kept++] = r->groups[i];
    r->group_count = kept;
}

static bool add_groups(struct flat *f, int table, const struct sense_group *g)
{
    struct offline_reading *r = f->reading;
    size_t count = 0;
    for (const struct sense_group *k = g; k != NULL; k = k->next)
        count++;
    if (count > READING_GROUPS)
        return stop(f, "there are too many groups");
    r->group_count = count;
    for (size_t i = count; g != NULL; g = g->next) {
        struct reading_column on = g->on;
        if (on.table == READING_NONE)
            on.table = grammar_dated_by_default(f->lexicon, table, &on.column);
        if (g->on.table == READING_NONE && on.column == CATALOG_NONE)
            return want(f, READING_WANTS_DATE, table, "it is not clear which date is meant");
        r->groups[--i] = (struct reading_group){on, g->grain};
    }
    drop_shown(f);
    return true;
}

static void add_rank(struct flat *f, const struct sense *s)
{
    struct offline_reading *r = f->reading;
    if (!s->rank.is)
        return;
    r->ordered = true;
    r->descending = s->rank.descending;
    r->limit = s->rank.limit;
    if (s->rank.by_measure != AGG_NONE)
        r->order_out = 0;
    else
        r->order_on = s->rank.on;
}

/* "share of tracks are rock": a condition on the one row that is referred to. */
static bool refer_through(const struct flat *f, struct reading_filter *filter)
{
    const struct catalog_table *t = &f->lexicon->catalog->tables[f->reading->counted];
    int column = CATALOG_NONE;
    for (size_t i = 0; i < t->reference_count; i++)
        if (t->references[i].to_table == filter->on.table && t->references[i].column_count == 1) {
            if (column != CATALOG_NONE)
                return false;
            column = t->references[i].columns[0];
        }
    if (column == CATALOG_NONE || filter->op != OP_EQ || filter->value_count != 1 ||
        filter->through)
        return false;
    filter->columns[0] = filter->on.column;
    filter->on = (struct reading_column){f->reading->counted, column, NULL, 0};
    filter->through = true;
    return true;
}

static bool add_numerator(struct flat *f, const struct sense_cond *conds)
{
    for (; conds != NULL; conds = conds->next) {
        struct reading_filter filter = *conds->filter;
        struct sense_cond through = *conds;
        if (conds->kind == COND_LEAF && conds->table != f->reading->counted) {
            if (!refer_through(f, &filter))
                return stop(f, "a ratio over related rows is not understood");
            through.filter = &filter;
        }
        if (!add_part(f, &through, READING_NONE))
            return false;
    }
    return true;
}

bool grammar_flatten(const struct lexicon *lexicon, const struct sense *s,
                     struct offline_reading *r)
{
    struct flat f = {lexicon, r};
    *r = (struct offline_reading){.target = READING_NONE,
                                  .counted = READING_NONE,
                                  .scope_count = 1,
                                  .order_out = READING_NONE,
                                  .order_on = {READING_NONE, READING_NONE, NULL, 0}};
    bool rows = s->kind == SENSE_ROWS;
    if (s->vague)
        return want(&f, s->rank.limit > 0 ? READING_WANTS_NUMBER : READING_WANTS_RANK, s->table,
                    "by which measure they are ranked is not said");
    if (rows)
        r->target = s->table;
    else
        r->counted = s->table;
    r->distinct = s->distinct;
    r->nested = s->nested;
    r->ratio = s->ratio;
    r->over = s->over;
    r->keep_zero = s->keep_zero;
    r->of_group = s->of_group;
    r->bounded = s->bound.is;
    r->bound_op = s->bound.op;
    r->bound_number = s->bound.number;
    r->bound_agg = s->bound.agg;
    r->bound_on = s->bound.on;
    bool ok = (rows || add_measures(&f, s->measures)) && add_groups(&f, s->table, s->groups) &&
              add_columns(&f, s->columns) &&
              add_conds(&f, &r->scopes[0], s->table, s->conds, false) &&
              add_numerator(&f, s->numerator);
    add_rank(&f, s);
    return ok;
}

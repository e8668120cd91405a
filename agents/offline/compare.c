/* SPDX-License-Identifier: MIT */
/* agents/offline/compare.c - one check for each part of a reading.
 *
 * Happy path: what was read is looked for in the statement's resolved tables, columns, functions
 * and text; each part that is not there is a remark.
 * Failure: a full buffer cuts a remark short. */
#include "agents/offline/compare.h"

#include <inttypes.h>

#include "agents/offline/describe.h"

enum { REMARK_BYTES = 600 };

struct comparison {
    const struct lexicon *lexicon;
    const struct offline_reading *reading;
    const struct sql_parse *parse;
    offline_compare_fn *say;
    void *owner;
};

/* The table a statement reads, whatever view it reads it through. */
static int base_of(const struct comparison *c, int table)
{
    if (table == CATALOG_NONE || c->lexicon->catalog->tables[table].secures == CATALOG_NONE)
        return table;
    return c->lexicon->catalog->tables[table].secures;
}

static bool reads_table(const struct comparison *c, int table)
{
    for (size_t i = 0; i < c->parse->table_count; i++)
        if (base_of(c, c->parse->tables[i].table) == table)
            return true;
    return false;
}

static bool names_column(const struct comparison *c, int table, int column)
{
    struct str name = c->lexicon->catalog->tables[table].columns[column].name;
    for (size_t i = 0; i < c->parse->column_count; i++) {
        const struct sql_column_ref *ref = &c->parse->columns[i];
        if (ref->use == SQL_COLUMN_NAMED && ref->table_ref >= 0 &&
            base_of(c, c->parse->tables[ref->table_ref].table) == table &&
            str_equal_nocase(ref->name, name))
            return true;
    }
    return false;
}

static bool has_text(const struct comparison *c, struct str text)
{
    struct str sql = c->parse->text;
    for (size_t i = 0; i + text.len <= sql.len; i++)
        if (str_equal_nocase(str_slice(sql, i, i + text.len), text))
            return true;
    return false;
}

static bool calls(const struct comparison *c, const char *const *names, size_t count)
{
    for (size_t i = 0; i < c->parse->function_count; i++)
        for (size_t k = 0; k < count; k++)
            if (str_equal(c->parse->functions[i].name, str_of(names[k])))
                return true;
    return false;
}

static void say_of_table(const struct comparison *c, int table)
{
    struct buf out;
    if (table == READING_NONE || reads_table(c, table))
        return;
    buf_init(&out, REMARK_BYTES);
    buf_push(&out, STR("the question speaks of "));
    offline_describe_table(c->lexicon, table, true, &out);
    buf_push(&out, STR(", which the statement does not read"));
    c->say(c->owner, buf_str(&out));
    buf_fini(&out);
}

/* Whether a condition may be there under another column: any date of the table for a time. */
static bool has_condition(const struct comparison *c, const struct reading_filter *filter)
{
    const struct catalog_table *t = &c->lexicon->catalog->tables[filter->on.table];
    if (filter->named != NULL || !reads_table(c, filter->on.table))
        return true; /* the table is said to be missing already; an expression may be written so or
                        so */
    if (filter->op == OP_RANGE) {
        for (size_t i = 0; i < t->column_count; i++)
            if (offline_index_is_date(c->lexicon->catalog, filter->on.table, (int)i) &&
                names_column(c, filter->on.table, (int)i))
                return true;
        return false;
    }
    return names_column(c, filter->on.table, filter->on.column);
}

static void say_of_filter(const struct comparison *c, const struct reading_filter *filter)
{
    struct buf out;
    struct str missing = {NULL, 0};
    bool there = has_condition(c, filter);
    for (size_t i = 0; there && i < filter->value_count && filter->named == NULL; i++)
        if (!has_text(c, filter->values[i]))
            missing = filter->values[i];
    if (there && (str_is_absent(missing) || !reads_table(c, filter->on.table)))
        return;
    buf_init(&out, REMARK_BYTES);
    if (!there) {
        buf_push(&out, STR("the question has a condition on "));
        offline_describe_column(c->lexicon, filter->on.table, filter->on.column, &out);
        buf_push(&out, STR(" of "));
        offline_describe_table(c->lexicon, filter->on.table, true, &out);
        buf_push(&out, STR(", the statement has none"));
    } else {
        buf_printf(&out, "the question says '%.*s', which is not in the statement",
                   STR_ARG(missing));
    }
    c->say(c->owner, buf_str(&out));
    buf_fini(&out);
}

static void say_of_scope(const struct comparison *c, const struct reading_scope *scope)
{
    for (size_t i = 0; i < scope->table_count; i++)
        say_of_table(c, scope->tables[i]);
    for (size_t i = 0; i < scope->filter_count; i++) {
        bool known = false;
        for (size_t t = 0; t < scope->table_count; t++)
            known = known || scope->tables[t] == scope->filters[i].on.table;
        if (!known && scope->filters[i].on.table != c->reading->target &&
            scope->filters[i].on.table != c->reading->counted)
            say_of_table(c, scope->filters[i].on.table);
        say_of_filter(c, &scope->filters[i]);
    }
    bool denied = has_text(c, STR("not ")) || has_text(c, STR("except")) ||
                  has_text(c, STR("is null")) || has_text(c, STR("= 0"));
    if (scope->kind == SCOPE_NOT && !denied)
        c->say(c->owner, STR("the question asks for rows without something, the statement excludes "
                             "nothing"));
    if (scope->kind == SCOPE_HAVING && !c->parse->has_aggregate)
        c->say(c->owner, STR("the question compares a number of related rows, the statement "
                             "computes none"));
}

static void say_of_output(const struct comparison *c, const struct reading_out *out)
{
    static const char *const sums[] = {"sum", "total", "avg", "count"};
    static const char *const averages[] = {"avg", "sum", "count"};
    static const char *const counts[] = {"count", "sum"};
    bool fine = true;
    if (out->agg == AGG_COUNT || out->agg == AGG_DISTINCT)
        fine = calls(c, counts, countof(counts));
    else if (out->agg == AGG_AVG)
        fine = calls(c, averages, countof(averages));
    else if (out->agg == AGG_SUM || out->agg == AGG_NET)
        fine = calls(c, sums, countof(sums));
    else if (out->agg == AGG_METRIC)
        fine = c->parse->has_aggregate;
    if (fine)
        return;
    struct buf text;
    buf_init(&text, REMARK_BYTES);
    buf_push(&text, STR("the question asks for the "));
    offline_describe_measure(c->lexicon, out, &text);
    buf_push(&text, STR(", the statement does not compute it"));
    c->say(c->owner, buf_str(&text));
    buf_fini(&text);
}

static void say_of_limit(const struct comparison *c)
{
    const struct sql_limit *limit = &c->parse->limit;
    unsigned wanted = c->reading->limit;
    if (wanted == 0 || (limit->present && !limit->is_number))
        return;
    if (limit->present && limit->number == (int64_t)wanted)
        return;
    if (!limit->present && wanted == 1 && c->parse->has_aggregate)
        return; /* by a maximum */
    struct buf out;
    buf_init(&out, REMARK_BYTES);
    buf_printf(&out, "the question asks for %u, the statement ", wanted);
    if (limit->present)
        buf_printf(&out, "takes %" PRId64, limit->number);
    else
        buf_push(&out, STR("takes all"));
    c->say(c->owner, buf_str(&out));
    buf_fini(&out);
}

void offline_compare_statement(const struct lexicon *lexicon, const struct offline_answer *answer,
                               const struct sql_parse *parse, offline_compare_fn *say, void *owner)
{
    const struct offline_reading *r = &answer->reading;
    const struct comparison c = {lexicon, r, parse, say, owner};
    if (!answer->understood || answer->verified != NULL)
        return;
    int first = r->counted != READING_NONE ? r->counted : r->target;
    say_of_table(&c, first);
    if (r->target != first)
        say_of_table(&c, r->target);
    for (size_t i = 0; i < r->out_count; i++)
        say_of_output(&c, &r->outs[i]);
    for (size_t i = 0; i < r->scope_count; i++)
        say_of_scope(&c, &r->scopes[i]);
    bool grouped = r->group_count > 0 && r->out_count > 0 && r->outs[0].agg != AGG_NONE;
    if (grouped && !parse->has_group_by && !parse->has_subquery)
        say(owner, STR("the question asks for a number for each group, the statement has no GROUP "
                       "BY"));
    say_of_limit(&c);
}

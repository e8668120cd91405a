/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/beside.c - subqueries about each row of a list, so that no row is lost or
 * repeated: amounts of what belongs to it.
 *
 * Happy path: each is a column more. Failure: that of the plan of an amount. */
#include "agents/offline/compose/beside.h"

#include "agents/lexicon/facts.h"

#include <stdio.h>

enum { NAME_BYTES = 120 };

/* Whether the scope bounds an amount that says more than that there is such a row, or none. */
static bool is_amount(const struct reading_scope *scope)
{
    bool counts = scope->agg == AGG_COUNT || scope->agg == AGG_DISTINCT;
    bool exists = counts && scope->op == OP_GE && scope->number <= 1;
    bool none = counts && scope->number <= 0;
    return scope->kind == SCOPE_HAVING && scope->either == 0 && !exists && !none &&
           scope->agg != AGG_NET && scope->agg != AGG_METRIC;
}

/* The amount in the unit that it is said in; a number of rows is in none. */
static struct reading_out said_amount(const struct statement *s, const struct reading_scope *scope)
{
    bool counts = scope->agg == AGG_COUNT || scope->agg == AGG_DISTINCT;
    const struct reading_out none = {.agg = scope->agg};
    return counts ? none
                  : offline_statement_list_out(s->k.schema->lexicon, s->reading, scope->measure);
}

static void push_amount_name(struct statement *s, const struct reading_scope *scope)
{
    static const char *const before[] = {
        [AGG_COUNT] = "",       [AGG_DISTINCT] = "different_", [AGG_SUM] = "total_",
        [AGG_AVG] = "average_", [AGG_MIN] = "lowest_",         [AGG_MAX] = "highest_"};
    const struct reading_column on = scope->measure;
    const struct catalog_table *t = &s->k.schema->lexicon->catalog->tables[on.table];
    char name[NAME_BYTES];
    struct str of =
        str_utf8_prefix(on.column == READING_NONE ? t->name
                        : said_amount(s, scope).over > 1
                            ? lexicon_facts_units_name(s->k.schema->lexicon, on.table, on.column)
                            : t->columns[on.column].name,
                        NAME_BYTES / 2);
    snprintf(name, sizeof name, "%s%.*s%s", before[scope->agg], STR_ARG(of),
             on.column == READING_NONE ? "_count" : "");
    lexicon_render_name(&s->k.render, str_of(name));
}

enum err_code offline_beside_amounts(struct statement *s)
{
    for (size_t i = 1; i < s->reading->scope_count; i++) {
        const struct reading_scope *scope = &s->reading->scopes[i];
        if (!is_amount(scope))
            continue;
        buf_push(offline_statement_out(s), STR(", "));
        enum err_code code = offline_keyed_amount(&s->k, &s->tree, s->anchor, scope);
        if (code != ERR_OK)
            return code;
        const struct reading_out amount = said_amount(s, scope);
        offline_statement_units(s, &amount);
        buf_push(offline_statement_out(s), STR(" AS "));
        push_amount_name(s, scope);
    }
    return ERR_OK;
}

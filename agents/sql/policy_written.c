/* SPDX-License-Identifier: MIT */
/* agents/sql/policy_written.c - counts the rewriter's filters against the tables that need one.
 *
 * Happy path: each filter stands in a derived table around one table, or is a conjunct of WHERE
 * whose column resolves to one table; no table is left.
 * Failure paths: a table without a filter, a filter that is about none or another, since something
 * made the text mean other than the rewriter meant; a LIMIT that is not the rewriter's; no memory.
 */
#include "agents/sql/policy_written.h"

#include "agents/sql/grammar.h"
#include "agents/sql/tenancy.h"
#include "agents/sql/tree_walk.h"

enum { NONE = -1, SEVERAL = -2 };

struct seen {          /* of one filter */
    bool conjunct;     /* it is a conjunct of some WHERE, or all of one */
    int named, within; /* the table its column is of; the tenants' table around it */
};

struct search {
    const struct sql_policy_case *at;
    struct seen *seen; /* by filter */
    bool *covered;     /* by table reference */
};

/* Whether the reference must be filtered. What a filter itself reads stands in its predicate. */
static bool is_tenants(const struct sql_policy_case *at, const struct sql_table_ref *ref)
{
    struct sql_tenancy tenancy;
    return ref->table != CATALOG_NONE && !sql_rewrite_wrote(at->rewrite, ref->span) &&
           sql_tenancy_find(at->sees, ref->table, &tenancy) && tenancy.filters;
}

static void note_table(int *noted, int table)
{
    *noted = *noted == NONE || *noted == table ? table : SEVERAL;
}

static void note_conjunct(struct search *search, const struct sql_expr *expr)
{
    const struct sql_rewrite *rewrite = search->at->rewrite;
    size_t i = sql_rewrite_filter_at(rewrite, expr->span);
    if (i < rewrite->filter_count && expr->span.start == rewrite->filters[i].predicate.start &&
        expr->span.end == rewrite->filters[i].predicate.end)
        search->seen[i].conjunct = true;
}

static void note_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    const struct sql_expr *where = branch->where;
    if (where == NULL)
        return;
    note_conjunct(walk->owner, where);
    for (const struct sql_expr *part = where->kind == SQL_EXPR_AND ? where->children : NULL;
         part != NULL; part = part->next)
        note_conjunct(walk->owner, part);
}

/* Whether the reference is to the table by a column its filter compares. */
static bool is_by_tenancy(const struct sql_policy_case *at, const struct sql_column_ref *ref)
{
    struct sql_tenancy tenancy;
    int table = at->parse->tables[ref->table_ref].table;
    return table != CATALOG_NONE && ref->column != CATALOG_NONE &&
           sql_tenancy_find(at->sees, table, &tenancy) && tenancy.filters &&
           sql_tenancy_names(at->sees, &tenancy, ref->column);
}

/* Which table each predicate names, beside those it reads itself: one, by the columns that tie it
 * to a company, and nothing else. */
static void note_columns(struct search *search)
{
    const struct sql_policy_case *at = search->at;
    for (size_t i = 0; i < at->parse->column_count; i++) {
        const struct sql_column_ref *ref = &at->parse->columns[i];
        size_t filter = sql_rewrite_filter_at(at->rewrite, ref->span);
        if (filter == at->rewrite->filter_count)
            continue;
        bool known = ref->table_ref >= 0 && ref->column != CATALOG_NONE;
        size_t within =
            known ? sql_rewrite_filter_at(at->rewrite, at->parse->tables[ref->table_ref].span)
                  : at->rewrite->filter_count;
        if (within == filter)
            continue;
        note_table(&search->seen[filter].named,
                   known && is_by_tenancy(at, ref) ? ref->table_ref : SEVERAL);
    }
}

/* Which table stands in the derived table of each filter: both come in the order of the text. */
static void note_tables(struct search *search)
{
    const struct sql_policy_case *at = search->at;
    for (size_t i = 0; i < at->parse->table_count; i++) {
        const struct sql_table_ref *ref = &at->parse->tables[i];
        size_t filter = sql_rewrite_filter_around(at->rewrite, ref->span);
        if (filter < at->rewrite->filter_count && is_tenants(at, ref))
            note_table(&search->seen[filter].within, (int)i);
    }
}

static bool covers(struct search *search, size_t i)
{
    const struct sql_policy_case *at = search->at;
    const struct sql_rewrite_filter *filter = &at->rewrite->filters[i];
    const struct seen *seen = &search->seen[i];
    bool derived = filter->around.end > filter->around.start;
    if (!seen->conjunct || seen->named < 0 || search->covered[seen->named])
        return false;
    if (derived ? seen->within != seen->named : !at->parse->tables[seen->named].inner)
        return false;
    search->covered[seen->named] = true;
    return true;
}

static bool all_are_filtered(struct search *search)
{
    const struct sql_policy_case *at = search->at;
    note_columns(search);
    note_tables(search);
    for (size_t i = 0; i < at->rewrite->filter_count; i++) {
        if (!covers(search, i))
            return false;
    }
    for (size_t i = 0; i < at->parse->table_count; i++) {
        if (is_tenants(at, &at->parse->tables[i]) && !search->covered[i])
            return false;
    }
    return true;
}

enum err_code sql_policy_written_check_tenant(struct sql_policy_case *at,
                                              struct sql_finding *finding)
{
    if (at->rewrite == NULL || !at->tenant.on)
        return ERR_OK;
    struct search search = {
        .at = at,
        .seen = arena_array(at->arena, at->rewrite->filter_count, sizeof *search.seen),
        .covered = arena_array(at->arena, at->parse->table_count, sizeof *search.covered),
    };
    if (!arena_ok(at->arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to check the company filters");
    for (size_t i = 0; i < at->rewrite->filter_count; i++)
        search.seen[i].named = search.seen[i].within = NONE;
    struct sql_tree_walk walk = {.on_branch = note_branch, .owner = &search};
    sql_tree_walk_select(&walk, at->parse->tree);
    if (all_are_filtered(&search))
        return ERR_OK;
    finding->rule = "tenant";
    return err_set(&finding->err, ERR_REJECTED,
                   "The statement cannot be filtered by company; write it more simply.");
}

enum err_code sql_policy_written_check_limit(struct sql_policy_case *at,
                                             struct sql_finding *finding)
{
    const struct sql_limit *limit = &at->parse->limit;
    size_t max = at->sees.policy->max_limit;
    if (at->rewrite == NULL || max == 0 ||
        (limit->present && limit->is_number && !limit->with_ties && limit->number >= 0 &&
         (uint64_t)limit->number <= max))
        return ERR_OK;
    finding->rule = "limit";
    finding->span = limit->clause_span;
    return err_set(&finding->err, ERR_REJECTED,
                   "The number of rows cannot be bounded; write LIMIT and a number.");
}

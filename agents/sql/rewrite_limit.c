/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_limit.c - decides by what is written: nothing, a number, anything else.
 *
 * Cannot fail. What is added begins on a line of its own: nothing that stands before it can swallow
 * it. */
#include "agents/sql/rewrite_limit.h"

#include "agents/sql/grammar_tree.h"

/* LIMIT -1 and the like: no limit at all to SQLite. */
static bool is_negative(const struct sql_parse *parse)
{
    struct sql_span span = parse->limit.count_span;
    struct str text = str_slice(parse->text, span.start, span.end);
    uint64_t number;
    return parse->dialect == SQL_SQLITE && text.len > 1 && text.at[0] == '-' &&
           str_to_u64(str_trim(str_from(text, 1)), &number);
}

/* SQLite takes no LIMIT after VALUES. */
static bool ends_in_values(const struct sql_parse *parse)
{
    const struct sql_branch *last = parse->tree->branches;
    while (last != NULL && last->next != NULL)
        last = last->next;
    return parse->dialect == SQL_SQLITE && last != NULL && last->values;
}

static void wrap(struct sql_rewrite_limit *plan)
{
    plan->before = STR("SELECT * FROM (\n");
    plan->after = STR("\n) AS limited LIMIT ");
}

static void add(const struct sql_policy *policy, const struct sql_parse *parse,
                struct sql_rewrite_limit *plan)
{
    plan->number = policy->default_limit > 0 ? policy->default_limit : policy->max_limit;
    if (policy->max_limit > 0)
        plan->number = size_min(plan->number, policy->max_limit);
    if (plan->number == 0)
        return;
    if (ends_in_values(parse)) {
        wrap(plan);
        return;
    }
    /* MariaDB's OFFSET n ROWS takes no LIMIT after it. */
    bool fetch = parse->dialect == SQL_MYSQL && parse->limit.has_skip;
    plan->after = fetch ? STR("\nFETCH FIRST ") : STR("\nLIMIT ");
    plan->end = fetch ? STR(" ROWS ONLY") : STR("");
    struct sql_span locking = parse->tree->locking_span;
    if (locking.end > locking.start) {
        plan->added_at = locking.start;
        plan->end = STR("\n");
    }
}

void sql_rewrite_limit_plan(const struct sql_policy *policy, const struct sql_parse *parse,
                            struct sql_rewrite_limit *plan)
{
    const struct sql_limit *limit = &parse->limit;
    *plan =
        (struct sql_rewrite_limit){.number = policy->max_limit, .added_at = parse->statement.end};
    if (!limit->present) {
        add(policy, parse, plan);
        return;
    }
    if (policy->max_limit == 0)
        return;
    bool counted = limit->is_number && !limit->with_ties;
    if (counted && (uint64_t)limit->number <= policy->max_limit)
        return;
    if (counted || limit->all || is_negative(parse)) {
        plan->count = limit->count_span;
        return;
    }
    wrap(plan);
}

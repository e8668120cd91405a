/* SPDX-License-Identifier: MIT */
/* agents/sql/cost.c - asks, reads, compares.
 *
 * Failure: a plan nobody can read gives no cost, and what is not known is not refused: the timeout
 * and the row limits still hold. */
#include "agents/sql/cost.h"

#include "agents/sql/cost_plan.h"

struct str sql_cost_question(enum sql_dialect dialect, struct str sql, struct arena *arena)
{
    static const char *const words[] = {
        [SQL_SQLITE] = "EXPLAIN QUERY PLAN ",
        [SQL_POSTGRES] = "EXPLAIN (FORMAT JSON) ",
        [SQL_MYSQL] = "EXPLAIN FORMAT=JSON ",
    };
    return arena_printf(arena, "%s%.*s", words[dialect], STR_ARG(sql));
}

bool sql_cost_read(enum sql_dialect dialect, const struct sql_result *plan,
                   const struct catalog *catalog, const struct sql_parse *parse,
                   struct arena *arena, struct sql_cost *cost)
{
    *cost = (struct sql_cost){.cost = -1, .what = STR("")};
    if (dialect == SQL_SQLITE)
        return sql_cost_plan_sqlite(plan, catalog, parse, arena, cost);
    if (plan->row_count != 1 || plan->column_count != 1 ||
        sql_result_at(plan, 0, 0)->type != SQL_TEXT)
        return false;
    struct str json = sql_result_at(plan, 0, 0)->text;
    return dialect == SQL_POSTGRES ? sql_cost_plan_postgres(json, arena, cost)
                                   : sql_cost_plan_mysql(json, arena, cost);
}

bool sql_cost_is_small(const struct catalog *catalog, const struct sql_parse *parse,
                       double max_rows)
{
    double product = 1;
    if (parse == NULL || parse->has_recursive || max_rows <= 0)
        return false;
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].in_from)
            return false;
    for (size_t i = 0; i < parse->table_count; i++) {
        int table = parse->tables[i].table;
        if (table != CATALOG_NONE && catalog->tables[table].secures != CATALOG_NONE)
            table = catalog->tables[table].secures;
        if (table == CATALOG_NONE || catalog->tables[table].row_count < 0)
            return false;
        product *= (double)catalog->tables[table].row_count + 1;
    }
    return product <= max_rows;
}

/* "1,200", "3.4 million", "12 billion". */
static void write_count(struct buf *out, double count)
{
    if (count < 1e6)
        buf_printf(out, "%.0f", count);
    else if (count < 1e9)
        buf_printf(out, "%.1f million", count / 1e6);
    else if (count < 1e12)
        buf_printf(out, "%.1f billion", count / 1e9);
    else
        buf_printf(out, "%.1e", count);
}

enum err_code sql_cost_check(const struct sql_cost *cost, const struct sql_cost_limits *limits,
                             struct err *err)
{
    struct buf text;
    bool rows = limits->max_rows > 0 && cost->rows > limits->max_rows;
    bool dear = limits->max_cost > 0 && cost->cost > limits->max_cost;
    if (!rows && !dear)
        return ERR_OK;
    buf_init(&text, ERR_TEXT_BYTES * 4);
    buf_push(&text, STR("The statement is too expensive to run: "));
    if (rows) {
        buf_push(&text, STR("about "));
        write_count(&text, cost->rows);
        buf_push(&text, STR(" rows, at most "));
        write_count(&text, limits->max_rows);
    } else {
        buf_push(&text, STR("cost "));
        write_count(&text, cost->cost);
        buf_push(&text, STR(", at most "));
        write_count(&text, limits->max_cost);
    }
    if (cost->what.len > 0)
        buf_printf(&text, "; most of it is %.*s", STR_ARG(cost->what));
    buf_push(&text,
             STR(". Join the tables by their keys, or add a condition that leaves fewer rows "
                 "of each."));
    enum err_code code = err_set(err, ERR_REJECTED, "%.*s", STR_ARG(buf_str(&text)));
    buf_fini(&text);
    return code;
}

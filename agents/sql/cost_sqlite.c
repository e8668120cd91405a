/* SPDX-License-Identifier: MIT */
/* agents/sql/cost_sqlite.c - SQLite's query plan, line by line, times the catalog's row counts.
 *
 * Happy path: lines with one parent that scan or search tables are loops within each other; a scan
 * reads the whole table, a search by a whole key one row, by an index a few, by a range a quarter.
 * Correlated subqueries run once per row of the loops around them.
 * Failure: a table nobody knows, or a line of another shape, counts one row. */
#include "agents/sql/cost_plan.h"

enum { MAX_LINES = 512, PER_KEY = 10, MAX_DEPTH = 32, COLUMNS = 4 };

struct line {
    int64_t id, parent;
    struct str detail;
};

struct plan {
    const struct catalog *catalog;
    const struct sql_parse *parse;
    struct arena *arena;
    struct sql_cost *cost;
    struct line *lines;
    size_t count;
};

static double rows_of_table(const struct catalog *catalog, int table)
{
    if (table != CATALOG_NONE && catalog->tables[table].row_count < 0 &&
        catalog->tables[table].secures != CATALOG_NONE)
        table = catalog->tables[table].secures;
    return table == CATALOG_NONE || catalog->tables[table].row_count < 0
               ? 1
               : (double)catalog->tables[table].row_count;
}

/* The plan names a table by its alias; several of one alias give the largest. */
static double rows_of(const struct plan *plan, struct str name)
{
    double rows = rows_of_table(plan->catalog, catalog_find_table(plan->catalog, STR(""), name));
    for (size_t i = 0; plan->parse != NULL && i < plan->parse->table_count; i++) {
        const struct sql_table_ref *ref = &plan->parse->tables[i];
        if (!str_equal_nocase(ref->alias, name))
            continue;
        double other = rows_of_table(plan->catalog, ref->table);
        rows = other > rows ? other : rows;
    }
    return rows < 1 ? 1 : rows;
}

static bool has(struct str text, const char *piece)
{
    return str_find(text, str_of(piece)) != STR_NONE;
}

/* Whether the line reads a table: its name, and the rows read each time. */
static bool reads(const struct plan *plan, const struct line *line, struct str *name, double *rows)
{
    struct str rest = line->detail;
    bool scan = str_starts_with(rest, STR("SCAN "));
    if (!scan && !str_starts_with(rest, STR("SEARCH ")))
        return false;
    (void)str_split(&rest, ' ');
    *name = str_split(&rest, ' ');
    *rows = rows_of(plan, *name);
    if (scan)
        return true;
    if (has(line->detail, ">?") || has(line->detail, "<?"))
        *rows = *rows / 4;
    else if (has(line->detail, "PRIMARY KEY (") || has(line->detail, "sqlite_autoindex"))
        *rows = 1;
    else
        *rows = *rows < PER_KEY ? *rows : PER_KEY;
    *rows = *rows < 1 ? 1 : *rows;
    return true;
}

static bool is_correlated(const struct line *line)
{
    return str_starts_with(line->detail, STR("CORRELATED"));
}

/* Rows read by the lines below parent, once for each of the rows around them. */
static void walk(struct plan *plan, int64_t parent, double around, unsigned depth)
{
    double product = around;
    struct buf names;
    size_t named = 0;
    buf_init(&names, 4096);
    for (size_t i = 0; i < plan->count; i++) {
        struct str name;
        double rows;
        if (plan->lines[i].parent != parent || !reads(plan, &plan->lines[i], &name, &rows))
            continue;
        product *= rows;
        if (named++ < SQL_COST_PLAN_NAMES)
            buf_printf(&names, "%s%.*s", named > 1 ? " and " : " ", STR_ARG(name));
    }
    if (product > plan->cost->rows && named > 0) {
        plan->cost->rows = product;
        plan->cost->what =
            arena_printf(plan->arena, "%s%.*s", named > 1 ? "the nested reading of" : "reading",
                         STR_ARG(buf_str(&names)));
    }
    buf_fini(&names);
    for (size_t i = 0; i < plan->count && depth > 0; i++)
        if (plan->lines[i].parent == parent && plan->lines[i].id != parent)
            walk(plan, plan->lines[i].id, is_correlated(&plan->lines[i]) ? product : around,
                 depth - 1);
}

bool sql_cost_plan_sqlite(const struct sql_result *result, const struct catalog *catalog,
                          const struct sql_parse *parse, struct arena *arena, struct sql_cost *cost)
{
    struct plan plan = {catalog, parse, arena, cost, NULL, 0};
    if (result->column_count != COLUMNS || result->row_count == 0 || catalog == NULL)
        return false;
    plan.lines = arena_array(arena, size_min(result->row_count, MAX_LINES), sizeof *plan.lines);
    for (size_t i = 0; plan.lines != NULL && i < result->row_count && i < MAX_LINES; i++) {
        const struct sql_value *detail = sql_result_at(result, i, COLUMNS - 1);
        if (detail->type != SQL_TEXT)
            return false;
        plan.lines[plan.count++] =
            (struct line){sql_result_at(result, i, 0)->integer,
                          sql_result_at(result, i, 1)->integer, detail->text};
    }
    walk(&plan, 0, 1, MAX_DEPTH);
    return plan.count > 0;
}

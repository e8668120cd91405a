/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/cost.c - asks, reads the engine's plan, compares.
 *
 * Happy path: PostgreSQL's and MySQL's plans are JSON: the tree is walked, and the dearest part is
 * kept with the tables under it; SQLite's is lines, which are multiplied by the catalog's row
 * counts.
 * Failure: a plan nobody can read gives no cost, and what is not known is not refused: the timeout
 * and the row limits still hold. Members nobody knows are passed over. */
#include "agents/sql/guard/cost.h"

#include "proto/json_value.h"

enum { MAX_NAMES = 4 }; /* tables named in what is dear */

/* ---- PostgreSQL and MySQL ----
 *
 * A LIMIT means that what streams into it is read in part only, as PostgreSQL's own cost says; a
 * sort or an aggregate in between reads all. */

struct names { /* tables under a part of a plan */
    struct str at[MAX_NAMES];
    size_t count;
};

static void add_name(struct names *names, struct str name)
{
    if (names->count < MAX_NAMES)
        names->at[names->count++] = name;
}

static struct str describe(struct arena *arena, const char *what, const struct names *names)
{
    struct buf out;
    buf_init(&out, 4096);
    buf_printf(&out, "%s", what);
    for (size_t i = 0; i < names->count; i++)
        buf_printf(&out, "%s%.*s", i == 0 ? " " : " and ", STR_ARG(names->at[i]));
    struct str text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

static double number_of(const struct json_value *object, const char *key)
{
    double number = 0;
    const struct json_value *value = json_value_member(object, str_of(key));
    if (value == NULL)
        return 0;
    if (value->type == JSON_STRING) /* MySQL writes costs as texts */
        return str_to_double(value->text, &number) ? number : 0;
    return value->type == JSON_INT || value->type == JSON_DOUBLE ? value->number : 0;
}

static bool is_text(const struct json_value *object, const char *key, const char *want)
{
    const struct json_value *value = json_value_member(object, str_of(key));
    return value != NULL && value->type == JSON_STRING && str_equal(value->text, str_of(want));
}

/* ---- PostgreSQL ---- */

struct postgres_walk {
    struct arena *arena;
    struct sql_cost *cost;
};

/* The share of a node's child that is read when only part of the node is. */
static double share_of_child(const struct json_value *node, const struct json_value *child,
                             double share)
{
    static const char *const reads_all[] = {"Sort", "Aggregate", "Hash", "Materialize", "SetOp"};
    for (size_t i = 0; i < countof(reads_all); i++)
        if (is_text(node, "Node Type", reads_all[i]))
            return 1;
    if (!is_text(node, "Node Type", "Limit"))
        return share;
    double start = number_of(child, "Startup Cost"), total = number_of(child, "Total Cost") - start;
    double read = number_of(node, "Total Cost") - start;
    return total > 0 && read >= 0 && read < total ? share * read / total : share;
}

static bool is_cross(const struct json_value *node)
{
    const struct json_value *inner = json_value_find(node, "/Plans/1");
    return is_text(node, "Node Type", "Nested Loop") &&
           json_value_member(node, STR("Join Filter")) == NULL &&
           json_value_member(inner, STR("Index Cond")) == NULL;
}

static void walk_postgres(struct postgres_walk *walk, const struct json_value *node, double share,
                          struct names *names)
{
    const struct json_value *relation = json_value_member(node, STR("Relation Name"));
    const struct json_value *plans = json_value_member(node, STR("Plans"));
    struct names under = {.count = 0};
    if (relation != NULL)
        add_name(&under, relation->text);
    for (const struct json_value *child = plans == NULL ? NULL : plans->first; child != NULL;
         child = child->next)
        walk_postgres(walk, child, share_of_child(node, child, share), &under);
    bool join = plans != NULL && plans->count > 1;
    double rows = number_of(node, "Plan Rows") * share;
    if (rows > walk->cost->rows) {
        const char *what = !join            ? "reading"
                           : is_cross(node) ? "every pair of rows of"
                                            : "the join of";
        walk->cost->rows = rows;
        walk->cost->what = describe(walk->arena, what, &under);
    }
    for (size_t i = 0; i < under.count; i++)
        add_name(names, under.at[i]);
}

static bool read_postgres(struct str json, struct arena *arena, struct sql_cost *cost)
{
    struct postgres_walk walk = {arena, cost};
    struct names names = {.count = 0};
    const struct json_value *plan =
        json_value_find(json_value_parse(arena, json, NULL, NULL), "/0/Plan");
    if (plan == NULL || json_value_member(plan, STR("Total Cost")) == NULL)
        return false;
    cost->cost = number_of(plan, "Total Cost");
    walk_postgres(&walk, plan, 1, &names);
    return true;
}

/* ---- MySQL and MariaDB ---- */

struct loop {    /* tables read within each other */
    double made; /* rows of the tables so far, after their conditions */
    double read;
    struct names names;
};

/* The table in a step of a loop, however wrapped ("block-nl-join", "read_sorted_file"). */
static const struct json_value *find_table(const struct json_value *step, unsigned depth)
{
    const struct json_value *table = json_value_member(step, STR("table"));
    if (table != NULL || depth == 0 || step->type != JSON_OBJECT)
        return table;
    for (const struct json_value *member = step->first; member != NULL && table == NULL;
         member = member->next)
        if (member->type == JSON_OBJECT)
            table = find_table(member, depth - 1);
    return table;
}

static void read_table(struct loop *loop, const struct json_value *table)
{
    const struct json_value *name = json_value_member(table, STR("table_name"));
    double rows = number_of(table, "rows"), filtered = number_of(table, "filtered");
    if (rows <= 0)
        rows = number_of(table, "rows_examined_per_scan");
    if (name != NULL)
        add_name(&loop->names, name->text);
    rows = rows < 1 ? 1 : rows;
    loop->read += loop->made * rows;
    loop->made *= filtered > 0 ? rows * filtered / 100 : rows;
}

static void keep_loop(struct arena *arena, const struct loop *loop, struct sql_cost *cost)
{
    if (loop->read <= cost->rows)
        return;
    cost->rows = loop->read;
    cost->what =
        describe(arena, loop->names.count > 1 ? "the nested reading of" : "reading", &loop->names);
}

static void walk_mysql(struct arena *arena, const struct json_value *value, struct sql_cost *cost)
{
    struct loop loop = {.made = 1};
    const struct json_value *steps = json_value_member(value, STR("nested_loop"));
    const struct json_value *table = json_value_member(value, STR("table"));
    const struct json_value *info = json_value_member(value, STR("cost_info"));
    if (info != NULL && number_of(info, "query_cost") > cost->cost)
        cost->cost = number_of(info, "query_cost");
    for (const struct json_value *step = steps == NULL ? NULL : steps->first; step != NULL;
         step = step->next) {
        const struct json_value *read = find_table(step, 4);
        if (read != NULL)
            read_table(&loop, read);
    }
    if (steps == NULL && table != NULL)
        read_table(&loop, table);
    keep_loop(arena, &loop, cost);
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
        return;
    JSON_EACH(member, value)
        walk_mysql(arena, member, cost);
}

static bool read_mysql(struct str json, struct arena *arena, struct sql_cost *cost)
{
    const struct json_value *root = json_value_parse(arena, json, NULL, NULL);
    if (json_value_member(root, STR("query_block")) == NULL)
        return false;
    walk_mysql(arena, root, cost);
    return true;
}

/* ---- SQLite ----
 *
 * Lines with one parent that scan or search tables are loops within each other; a scan reads the
 * whole table, a search by a whole key one row, by an index a few, by a range a quarter. Correlated
 * subqueries run once per row of the loops around them. A table nobody knows, or a line of another
 * shape, counts one row. */

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
        if (named++ < MAX_NAMES)
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

static bool read_sqlite(const struct sql_result *result, const struct catalog *catalog,
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

/* ---- */

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
        return read_sqlite(plan, catalog, parse, arena, cost);
    if (plan->row_count != 1 || plan->column_count != 1 ||
        sql_result_at(plan, 0, 0)->type != SQL_TEXT)
        return false;
    struct str json = sql_result_at(plan, 0, 0)->text;
    return dialect == SQL_POSTGRES ? read_postgres(json, arena, cost)
                                   : read_mysql(json, arena, cost);
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

bool sql_cost_matters(const struct sql_cost_limits *limits, const struct catalog *catalog,
                      const struct sql_parse *parse)
{
    double most = limits->max_rows > 0 ? limits->max_rows : limits->max_cost;
    return most > 0 && !sql_cost_is_small(catalog, parse, most);
}

static void write_excess(const struct sql_cost *cost, const struct sql_cost_limits *limits,
                         bool is_rows, struct buf *text)
{
    buf_push(text, is_rows ? STR(": about ") : STR(": cost "));
    write_count(text, is_rows ? cost->rows : cost->cost);
    buf_push(text, is_rows ? STR(" rows, at most ") : STR(", at most "));
    write_count(text, is_rows ? limits->max_rows : limits->max_cost);
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
    buf_push(&text, STR("The statement is too expensive to run"));
    if (!limits->is_secret)
        write_excess(cost, limits, rows, &text);
    if (!limits->is_secret && cost->what.len > 0)
        buf_printf(&text, "; most of it is %.*s", STR_ARG(cost->what));
    buf_push(&text,
             STR(". Join the tables by their keys, or add a condition that leaves fewer rows "
                 "of each."));
    enum err_code code = err_set(err, ERR_REJECTED, "%.*s", STR_ARG(buf_str(&text)));
    buf_fini(&text);
    return code;
}

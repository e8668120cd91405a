/* SPDX-License-Identifier: MIT */
/* agents/sql/cost_plan.c - PostgreSQL's and MySQL's plans, which are JSON.
 *
 * Happy path: the tree is walked; the dearest part is kept with the tables under it. A LIMIT means
 * that what streams into it is read in part only, as PostgreSQL's own cost says; a sort or an
 * aggregate in between reads all. Members nobody knows are passed over. */
#include "agents/sql/cost_plan.h"

#include "proto/json_value.h"

struct names { /* tables under a part of a plan */
    struct str at[SQL_COST_PLAN_NAMES];
    size_t count;
};

static void add_name(struct names *names, struct str name)
{
    if (names->count < SQL_COST_PLAN_NAMES)
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

bool sql_cost_plan_postgres(struct str json, struct arena *arena, struct sql_cost *cost)
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

bool sql_cost_plan_mysql(struct str json, struct arena *arena, struct sql_cost *cost)
{
    const struct json_value *root = json_value_parse(arena, json, NULL, NULL);
    if (json_value_member(root, STR("query_block")) == NULL)
        return false;
    walk_mysql(arena, root, cost);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/joins.c - writes steps and remarks twice: for the state, then for the prompt.
 *
 * Happy path: each step notes how it multiplies rows, whether rows may be without it, and other
 * relationships of the same tables; from these come the FROM clause and a sentence for each trap.
 * Failure: parts that do not fit are left out; without a plan the text says why there is none. */
#include "agents/sql_agent/joins.h"

#include "agents/sql_agent/state.h"
#include "proto/json_value.h"

enum { CONDITION_BYTES = 4096, TEXT_BYTES = 256 * 1024, MAX_WAYS = 4 };

/* ---- for the state ---- */

static void write_condition(struct json_write *writer, const struct join_graph *graph,
                            const struct join_edge *edge)
{
    struct buf on;
    struct str from = join_graph_table_name(graph, edge->from_table);
    struct str to = join_graph_table_name(graph, edge->to_table);
    buf_init(&on, CONDITION_BYTES);
    for (size_t i = 0; i < edge->column_count; i++)
        buf_printf(&on, "%s%.*s.%.*s = %.*s.%.*s", i > 0 ? " AND " : "", STR_ARG(from),
                   STR_ARG(edge->from_columns[i]), STR_ARG(to), STR_ARG(edge->to_columns[i]));
    json_write_str(writer, buf_str(&on));
    buf_fini(&on);
}

/* Whether one row of the parent meets many of the child. */
static bool meets_many(const struct join_step *step)
{
    return step->edge->cardinality == JOIN_N_TO_N ||
           (step->edge->cardinality == JOIN_N_TO_1 && !step->forward);
}

/* Whether rows of the parent may refer to nothing. A table of which no column is NOT NULL says
 * nothing about it. */
static bool may_be_null(const struct sql_agent_joins *joins, const struct join_step *step)
{
    const struct catalog *catalog = joins->knows->catalog;
    struct str name = join_graph_table_name(joins->knows->joins, step->parent);
    int table = step->forward ? catalog_find_dotted(catalog, name) : CATALOG_NONE;
    bool known = false, optional = false;
    if (table == CATALOG_NONE)
        return false;
    for (size_t i = 0; i < catalog->tables[table].column_count; i++)
        known = known || catalog->tables[table].columns[i].not_null;
    for (size_t i = 0; i < step->edge->column_count; i++) {
        int column = catalog_find_column(catalog, table, step->edge->from_columns[i]);
        optional = optional ||
                   (column != CATALOG_NONE && !catalog->tables[table].columns[column].not_null &&
                    !catalog->tables[table].columns[column].primary_key);
    }
    return known && optional;
}

/* Relationships between the two tables, but for the one that is taken: other roles. */
static void write_ways(const struct sql_agent_joins *joins, int one, int other,
                       const struct join_edge *taken, struct json_write *writer)
{
    size_t count, shown = 0;
    const struct join_graph *graph = joins->knows->joins;
    const int *edges = join_graph_edges_of(graph, one, &count);
    json_write_array(writer);
    for (size_t i = 0; i < count && shown < MAX_WAYS; i++) {
        const struct join_edge *edge = join_graph_edge(graph, (size_t)edges[i]);
        bool same = (edge->from_table == one && edge->to_table == other) ||
                    (edge->from_table == other && edge->to_table == one);
        if (!same || edge == taken || edge->confidence < joins->threshold)
            continue;
        write_condition(writer, graph, edge);
        shown++;
    }
    json_write_array_end(writer);
}

/* LEFT: for "each", from the root down what it may have none of, and all behind that. */
static bool is_left(const struct sql_agent_joins *joins, size_t at)
{
    const struct join_step *step = &joins->plan->steps[at];
    if (!joins->every || meets_many(step))
        return joins->every;
    for (size_t i = 0; i < at; i++)
        if (joins->plan->steps[i].child == step->parent)
            return is_left(joins, i);
    return false;
}

static void write_step(const struct sql_agent_joins *joins, size_t at, struct json_write *writer)
{
    static const char *const cardinalities[] = {"N:1", "1:1", "1:N", "N:N"};
    const struct join_graph *graph = joins->knows->joins;
    const struct join_step *step = &joins->plan->steps[at];
    json_write_object(writer);
    json_write_member_str(writer, STR("parent"), join_graph_table_name(graph, step->parent));
    json_write_member_str(writer, STR("child"), join_graph_table_name(graph, step->child));
    json_write_key(writer, STR("on"));
    write_condition(writer, graph, step->edge);
    json_write_member_str(writer, STR("cardinality"),
                          str_of(cardinalities[step->edge->cardinality]));
    json_write_member_bool(writer, STR("many"), meets_many(step));
    json_write_member_bool(writer, STR("left"), is_left(joins, at));
    json_write_member_bool(writer, STR("optional"), may_be_null(joins, step));
    json_write_key(writer, STR("ways"));
    write_ways(joins, step->parent, step->child, step->edge, writer);
    json_write_object_end(writer);
}

/* Of the tables asked for: what refers to its own table. */
static void write_itself(const struct sql_agent_joins *joins, struct json_write *writer)
{
    const struct join_graph *graph = joins->knows->joins;
    json_write_key(writer, STR("itself"));
    json_write_array(writer);
    for (size_t t = 0; t < joins->table_count; t++) {
        size_t count;
        const int *edges = join_graph_edges_of(graph, joins->tables[t], &count);
        for (size_t i = 0; i < count; i++) {
            const struct join_edge *edge = join_graph_edge(graph, (size_t)edges[i]);
            bool again = i > 0 && edges[i - 1] == edges[i];
            if (edge->from_table == edge->to_table && edge->confidence >= joins->threshold &&
                !edge->audit && !again)
                write_condition(writer, graph, edge);
        }
    }
    json_write_array_end(writer);
}

void sql_agent_joins_members(const struct sql_agent_joins *joins, struct json_write *writer)
{
    const struct join_plan *plan = joins->plan;
    json_write_key(writer, STR("steps"));
    json_write_array(writer);
    for (size_t i = 0; i < plan->step_count; i++)
        write_step(joins, i, writer);
    json_write_array_end(writer);
    write_itself(joins, writer);
    json_write_member_bool(writer, STR("fans_out"), plan->fans_out);
    json_write_member_bool(writer, STR("beyond_max_hops"), plan->is_far);
}

/* ---- for the prompt ---- */

static struct str text_at(const struct json_value *object, struct str key)
{
    const struct json_value *value = json_value_member(object, key);
    return value == NULL ? STR("") : value->text;
}

static bool is_true(const struct json_value *object, struct str key)
{
    const struct json_value *value = json_value_member(object, key);
    return value != NULL && value->boolean;
}

static const struct json_value *first_of(const struct json_value *object, struct str key)
{
    const struct json_value *value = json_value_member(object, key);
    return value == NULL ? NULL : value->first;
}

static void say_from(struct buf *out, const struct json_value *steps)
{
    buf_printf(out, "FROM %.*s\n", STR_ARG(text_at(steps->first, STR("parent"))));
    JSON_EACH(step, steps) {
        struct str parent = text_at(step, STR("parent")), child = text_at(step, STR("child"));
        buf_printf(out, "%sJOIN %.*s ON %.*s   (%s %.*s for one %.*s%s)\n",
                   is_true(step, STR("left")) ? "LEFT " : "", STR_ARG(child),
                   STR_ARG(text_at(step, STR("on"))), is_true(step, STR("many")) ? "many" : "one",
                   STR_ARG(child), STR_ARG(parent),
                   is_true(step, STR("optional")) ? ", or none: LEFT JOIN where it is no filter"
                                                  : "");
    }
}

/* Whether the step below joins, directly or not, to what the step above joined. */
static bool is_below(const struct json_value *steps, const struct json_value *below,
                     struct str table)
{
    struct str parent = text_at(below, STR("parent"));
    for (size_t i = 0; i < steps->count && !str_equal(parent, table); i++) {
        const struct json_value *step = steps->first;
        while (step != NULL && !str_equal(text_at(step, STR("child")), parent))
            step = step->next;
        if (step == NULL)
            return false;
        parent = text_at(step, STR("parent"));
    }
    return str_equal(parent, table);
}

/* Two branches that each multiply, and so multiply each other. */
static void say_chasm(struct buf *out, const struct json_value *steps)
{
    JSON_EACH(one, steps) {
        for (const struct json_value *two = one->next; two != NULL; two = two->next) {
            if (!is_true(one, STR("many")) || !is_true(two, STR("many")) ||
                is_below(steps, two, text_at(one, STR("child"))))
                continue;
            buf_printf(out,
                       "%.*s and %.*s multiply each other: for measures of both, one derived table "
                       "for each, joined on the shared key.\n",
                       STR_ARG(text_at(one, STR("child"))), STR_ARG(text_at(two, STR("child"))));
            return;
        }
    }
}

static void say_fan_out(struct buf *out, const struct json_value *steps)
{
    buf_push(out, STR("Some joins multiply rows: "));
    bool first = true;
    JSON_EACH(step, steps) {
        if (!is_true(step, STR("many")))
            continue;
        buf_printf(out, "%s%.*s those of %.*s", first ? "" : ", ",
                   STR_ARG(text_at(step, STR("child"))), STR_ARG(text_at(step, STR("parent"))));
        first = false;
    }
    buf_push(out, STR(". Count rows that are multiplied with COUNT(DISTINCT key); before a SUM or "
                      "AVG of them aggregate the other table in a derived table, or use EXISTS "
                      "where it only filters. MIN and MAX stay right.\n"));
    say_chasm(out, steps);
}

static void say_roles(struct buf *out, const struct json_value *steps,
                      const struct json_value *itself)
{
    for (const struct json_value *step = steps->first; step != NULL; step = step->next) {
        const struct json_value *way = first_of(step, STR("ways"));
        if (way == NULL)
            continue;
        buf_printf(out, "%.*s and %.*s are related in other roles, too:",
                   STR_ARG(text_at(step, STR("parent"))), STR_ARG(text_at(step, STR("child"))));
        for (; way != NULL; way = way->next)
            buf_printf(out, " %.*s%s", STR_ARG(way->text), way->next == NULL ? "" : ",");
        buf_push(out, STR(". For two roles at once join the table twice, under two aliases.\n"));
    }
    for (; itself != NULL; itself = itself->next)
        buf_printf(out, "A table refers to itself: %.*s. For that join it again under an alias.\n",
                   STR_ARG(itself->text));
}

static void say_doubts(struct buf *out, const struct json_value *paths, unsigned max_hops)
{
    if (is_true(paths, STR("beyond_max_hops")))
        buf_printf(out,
                   "Nothing shorter joins them, and it is longer than %u joins (SQL_MAX_HOPS): see "
                   "that every step is what the question means.\n",
                   max_hops);
    const struct json_value *other = first_of(paths, STR("others"));
    if (other != NULL)
        buf_push(out,
                 STR("Other ways to join them that are nearly as good; take the one whose every "
                     "step is what the question means:\n"));
    for (; other != NULL; other = other->next)
        buf_printf(out, "- %.*s\n", STR_ARG(other->text));
}

void sql_agent_joins_put(struct node *node)
{
    struct buf out;
    const struct json_value *paths =
        json_value_parse(node_arena(node), node_str(node, SQL_AGENT_PATHS), NULL, NULL);
    const struct json_value *steps = json_value_member(paths, STR("steps"));
    const struct json_value *problem = json_value_member(paths, STR("problem"));
    buf_init(&out, TEXT_BYTES);
    if (steps != NULL && steps->count > 0)
        say_from(&out, steps);
    else if (problem != NULL)
        buf_printf(&out, "These tables do not join: %.*s\n", STR_ARG(problem->text));
    else
        buf_push(&out, STR("One table: no join is needed.\n"));
    if (steps != NULL && is_true(paths, STR("fans_out")))
        say_fan_out(&out, steps);
    if (steps != NULL)
        say_roles(&out, steps, first_of(paths, STR("itself")));
    say_doubts(&out, paths, services(node)->limits->sql_max_hops);
    node_put_str(node, SQL_AGENT_JOIN_PLAN,
                 buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR(""));
    buf_fini(&out);
}

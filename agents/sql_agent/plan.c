/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/plan.c - chooses relationships for the chosen tables, and plans their joins.
 *
 * Happy path: relationships that touch the chosen tables are filtered by confidence, the cheapest
 * join tree is found and written out as a plan that the model can follow. Failure: without a known
 * table name the question's words choose the tables; where tables do not join the plan says so: one
 * statement may still answer from one of them. */
#include "agents/sql_agent/plan.h"

#include "agents/common/extract.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/values.h"
#include "agents/sql/joins/join_graph_seen.h"
#include "agents/sql/joins/join_path.h"
#include "agents/sql_agent/joins.h"
#include "agents/sql_agent/root.h"
#include "agents/sql_agent/state.h"
#include "agents/sql_agent/whole.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    MAX_TABLES = JOIN_PATH_MAX_TABLES, /* C25 */
    MAX_PLAN_TABLES = 24,              /* with the tables in between */
    MAX_SUGGESTED = 8,
    TEXT_BYTES = 256 * 1024,
    NAME_BYTES = 4096,
};

/* The buf's text in the node's arena; frees the buf. */
static struct str take_text(struct node *node, struct buf *buf)
{
    struct str text = buf_ok(buf) ? arena_str(node_arena(node), buf_str(buf)) : STR("");
    buf_fini(buf);
    return text;
}

size_t sql_agent_plan_tables(struct node *node, int *tables, size_t max)
{
    size_t count = 0;
    const struct catalog *catalog = knowledge(node)->catalog;
    const struct json_value *names =
        json_value_parse(node_arena(node), node_str(node, SQL_AGENT_TABLES), NULL, NULL);
    if (names == NULL || catalog == NULL)
        return 0;
    JSON_EACH(name, names) {
        int table = catalog_find_dotted(catalog, name->text);
        if (table != CATALOG_NONE && count < max)
            tables[count++] = table;
    }
    return count;
}

struct str sql_agent_plan_table_name(struct node *node, int table)
{
    struct buf name;
    buf_init(&name, NAME_BYTES);
    catalog_push_name(knowledge(node)->catalog, table, &name);
    return take_text(node, &name);
}

static bool has_table(const int *tables, size_t count, int table)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i] == table)
            return true;
    return false;
}

/* ---- filter_relationships ---- */

static void write_names(struct json_write *writer, const char *key, const struct str *names,
                        size_t count)
{
    json_write_key(writer, str_of(key));
    if (count == 1) {
        json_write_str(writer, names[0]);
        return;
    }
    json_write_array(writer);
    for (size_t i = 0; i < count; i++)
        json_write_str(writer, names[i]);
    json_write_array_end(writer);
}

static void write_edge(struct json_write *writer, const struct join_graph *joins,
                       const struct join_edge *edge)
{
    static const char *const types[] = {"foreign_key", "association", "manual", "inferred"};
    static const char *const cardinalities[] = {"N:1", "1:1", "1:N", "N:N"};
    json_write_object(writer);
    json_write_member_str(writer, STR("from_table"),
                          join_graph_table_name(joins, edge->from_table));
    write_names(writer, "from_column", edge->from_columns, edge->column_count);
    json_write_member_str(writer, STR("to_table"), join_graph_table_name(joins, edge->to_table));
    write_names(writer, "to_column", edge->to_columns, edge->column_count);
    json_write_member_str(writer, STR("type"), str_of(types[edge->type]));
    json_write_member_double(writer, STR("confidence"), edge->confidence);
    json_write_member_str(writer, STR("cardinality"), str_of(cardinalities[edge->cardinality]));
    json_write_object_end(writer);
}

/* The join graph's indices of the chosen tables, at most max; the first is where the joins begin.
 * every: see sql_agent_root. */
static size_t joined_tables(struct node *node, int *tables, size_t max, bool *every)
{
    int chosen[MAX_TABLES];
    size_t count = 0, chosen_count = sql_agent_plan_tables(node, chosen, MAX_TABLES);
    const struct knowledge *knows = knowledge(node);
    if (chosen_count == 0)
        return 0;
    struct sql_agent_root root = sql_agent_root_of(
        knows->catalog, node_str(node, SQL_AGENT_QUESTION), chosen, chosen_count, node_arena(node));
    int first = chosen[root.index];
    chosen[root.index] = chosen[0];
    chosen[0] = first;
    for (size_t i = 0; knows->joins != NULL && i < chosen_count && count < max; i++) {
        int table = join_graph_seen_table(knows->joins, knows->catalog, chosen[i]);
        if (table != CATALOG_NONE)
            tables[count++] = table;
    }
    *every = root.every;
    return count;
}

static enum step filter(struct node *node)
{
    const struct join_graph *joins = knowledge(node)->joins;
    const struct limits *limits = services(node)->limits;
    int tables[MAX_TABLES];
    bool every = false;
    size_t count = joined_tables(node, tables, MAX_TABLES, &every), shown = 0;
    struct schema_text_words words = schema_text_words(node_str(node, SQL_AGENT_QUESTION));
    struct buf out;
    struct json_write writer;
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    /* those between chosen tables first, then those that lead away */
    for (int both = 1; both >= 0 && joins != NULL; both--) {
        for (size_t i = 0; i < join_graph_edge_count(joins); i++) {
            const struct join_edge *edge = join_graph_edge(joins, i);
            bool from = has_table(tables, count, edge->from_table);
            bool to = has_table(tables, count, edge->to_table);
            if (edge->confidence < limits->sql_confidence_threshold || (!from && !to) ||
                (from && to) != (both == 1) || schema_text_omits_edge(&words, edge) ||
                shown >= limits->sql_max_relationships_display)
                continue;
            write_edge(&writer, joins, edge);
            shown++;
        }
    }
    json_write_array_end(&writer);
    node_put_str(node, SQL_AGENT_ALLOWED_RELATIONSHIPS, take_text(node, &out));
    return STEP_DONE;
}

const struct graph_node_type sql_agent_plan_filter_node = {.enter = filter};

/* ---- path_finder ---- */

/* Whether the edges are those of the plan, or of its next best: each edge is in a way once. */
static bool is_way_of(const struct join_plan *plan, bool next_best, const struct join_edge **edges,
                      size_t count)
{
    size_t same = 0, of = next_best ? plan->other_count : plan->step_count;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < of; k++)
            same += edges[i] == (next_best ? plan->other[k] : plan->steps[k].edge);
    return same == count && of == count;
}

/* "a.x = b.y, b.z = c.w": the conditions of a way to join, as one item. */
static void write_way(struct json_write *writer, const struct join_graph *joins,
                      const struct join_edge *const *edges, size_t count)
{
    struct buf text;
    buf_init(&text, 8192);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push(&text, STR(", "));
        join_graph_write_edge(joins, edges[i], &text);
    }
    json_write_str(writer, buf_str(&text));
    buf_fini(&text);
}

/* The other ways: the next best plan where it is nearly as good, and between two tables the paths
 * that cost at most half as much again; SQL_MAX_SUGGESTED_PATHS with the plan's own, 1: none. */
static void write_others(struct node *node, struct join_finder *finder, const int *tables,
                         size_t count, const struct join_plan *plan, struct json_write *writer)
{
    const struct join_graph *joins = knowledge(node)->joins;
    struct join_plan paths[MAX_SUGGESTED];
    size_t max = size_min(services(node)->limits->sql_max_suggested_paths, MAX_SUGGESTED);
    if (finder == NULL || plan->step_count == 0 || max < 2)
        return;
    bool rival = join_plan_has_rival(plan) && plan->other_count > 0;
    if (rival)
        write_way(writer, joins, plan->other, plan->other_count);
    if (count != 2)
        return;
    max = join_path_suggest(finder, tables[0], tables[1], paths, max);
    for (size_t i = 0; i < max; i++) {
        const struct join_edge *edges[JOIN_PATH_MAX_EDGES];
        for (size_t k = 0; k < paths[i].step_count; k++)
            edges[k] = paths[i].steps[k].edge;
        if (paths[i].cost <= plan->cost + plan->cost / 2 &&
            !is_way_of(plan, false, edges, paths[i].step_count) &&
            !(rival && is_way_of(plan, true, edges, paths[i].step_count)))
            write_way(writer, joins, edges, paths[i].step_count);
    }
}

static enum step find_paths(struct node *node)
{
    const struct knowledge *knows = knowledge(node);
    struct join_plan plan = {0};
    struct services_kept own = {0}, *kept = services(node)->kept;
    struct join_finder *finder = NULL;
    int tables[MAX_TABLES];
    struct err err = {0};
    bool every = false;
    size_t count = joined_tables(node, tables, MAX_TABLES, &every);
    struct schema_text_words words = schema_text_words(node_str(node, SQL_AGENT_QUESTION));
    if (count > 1) {
        finder = services_keep_finder(kept == NULL ? &own : kept, knows, services(node)->limits);
        if (finder == NULL)
            err_set(&err, ERR_NO_MEMORY, "no memory for a join path");
        else if (join_path_plan(finder, tables, count, words.at, words.count, &plan, &err) !=
                 ERR_OK)
            plan.step_count = 0;
    }
    struct buf out;
    struct json_write writer;
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    const struct sql_agent_joins joins = {
        .knows = knows,
        .plan = &plan,
        .threshold = services(node)->limits->sql_confidence_threshold,
        .every = every,
        .tables = tables,
        .table_count = count,
    };
    sql_agent_joins_members(&joins, &writer);
    json_write_key(&writer, STR("others"));
    json_write_array(&writer);
    write_others(node, finder, tables, count, &plan, &writer);
    json_write_array_end(&writer);
    services_drop_kept(&own);
    if (err.code != ERR_OK)
        json_write_member_str(&writer, STR("problem"), str_of(err.text));
    json_write_object_end(&writer);
    node_put_str(node, SQL_AGENT_PATHS, take_text(node, &out));
    return STEP_DONE;
}

const struct graph_node_type sql_agent_plan_paths_node = {.enter = find_paths};

/* ---- prompt fields ---- */

static struct str text_at(const struct json_value *object, struct str key)
{
    const struct json_value *value = json_value_member(object, key);
    return value == NULL ? STR("") : value->text;
}

/* The chosen tables and those the paths run through. */
static size_t plan_tables(struct node *node, int *tables, size_t max)
{
    size_t count = sql_agent_plan_tables(node, tables, size_min(max, MAX_TABLES));
    const struct catalog *catalog = knowledge(node)->catalog;
    const struct json_value *paths =
        json_value_parse(node_arena(node), node_str(node, SQL_AGENT_PATHS), NULL, NULL);
    const struct json_value *steps = json_value_member(paths, STR("steps"));
    if (steps == NULL)
        return count;
    JSON_EACH(step, steps) {
        int table = catalog_find_dotted(catalog, text_at(step, STR("child")));
        if (table != CATALOG_NONE && count < max && !has_table(tables, count, table))
            tables[count++] = table;
    }
    return count;
}

struct str sql_agent_plan_schema(struct node *node)
{
    struct buf out;
    int tables[MAX_PLAN_TABLES];
    const struct limits *limits = services(node)->limits;
    struct str whole = sql_agent_whole_schema(node, node_str(node, SQL_AGENT_QUESTION));
    if (whole.len > 0)
        return whole;
    size_t count =
        plan_tables(node, tables, size_min(MAX_PLAN_TABLES, limits->sql_max_tables_in_context));
    buf_init(&out, TEXT_BYTES);
    if (count > 0) {
        schema_text_write(knowledge(node), node_str(node, SQL_AGENT_QUESTION), tables, count,
                          limits->sql_max_columns_in_schema, facts_today(node), &out);
    }
    return take_text(node, &out);
}

/* The question; what it means as a follow-up, where that is known. */
static struct str meant_question(struct node *node)
{
    struct str meant = remember_meant(node, SQL_AGENT_MESSAGES);
    return str_is_empty(meant) ? node_str(node, SQL_AGENT_QUESTION) : meant;
}

struct str sql_agent_plan_values_among(struct node *node, const int *tables, size_t count)
{
    return values_write(node, tables, count, meant_question(node));
}

struct str sql_agent_plan_values(struct node *node)
{
    int tables[MAX_PLAN_TABLES];
    if (sql_agent_whole_fits(node, node_str(node, SQL_AGENT_QUESTION)))
        return sql_agent_whole_values(node, meant_question(node));
    return sql_agent_plan_values_among(node, tables, plan_tables(node, tables, MAX_PLAN_TABLES));
}

struct str sql_agent_plan_examples(struct node *node)
{
    int tables[MAX_PLAN_TABLES];
    if (sql_agent_whole_fits(node, node_str(node, SQL_AGENT_QUESTION)))
        return sql_agent_whole_examples(node, meant_question(node));
    return schema_text_examples(node, meant_question(node), tables,
                                plan_tables(node, tables, MAX_PLAN_TABLES));
}

struct among { /* tables to be joined */
    const int *tables;
    size_t count;
    struct str text;
};

static bool is_among(struct node *node, const struct among *among, struct str name)
{
    int table = catalog_find_dotted(knowledge(node)->catalog, name);
    return has_table(among->tables, among->count, table) ||
           (among->text.len > 0 && str_find(among->text, name) != STR_NONE);
}

static struct str write_relationships(struct node *node, const struct among *among)
{
    struct buf out;
    size_t left = services(node)->limits->sql_max_relationships_in_prompt;
    const struct json_value *edges = json_value_parse(
        node_arena(node), node_str(node, SQL_AGENT_ALLOWED_RELATIONSHIPS), NULL, NULL);
    buf_init(&out, TEXT_BYTES);
    for (const struct json_value *edge = edges == NULL ? NULL : edges->first;
         edge != NULL && left > 0; edge = edge->next) {
        if (!is_among(node, among, text_at(edge, STR("from_table"))) ||
            !is_among(node, among, text_at(edge, STR("to_table"))))
            continue;
        left--;
        buf_printf(
            &out, "- %.*s.%.*s = %.*s.%.*s (%.*s)\n", STR_ARG(text_at(edge, STR("from_table"))),
            STR_ARG(text_at(edge, STR("from_column"))), STR_ARG(text_at(edge, STR("to_table"))),
            STR_ARG(text_at(edge, STR("to_column"))), STR_ARG(text_at(edge, STR("cardinality"))));
    }
    return take_text(node, &out);
}

struct str sql_agent_plan_relationships(struct node *node)
{
    int tables[MAX_PLAN_TABLES];
    if (sql_agent_whole_fits(node, node_str(node, SQL_AGENT_QUESTION)))
        return sql_agent_whole_relationships(node, node_str(node, SQL_AGENT_QUESTION));
    size_t count = plan_tables(node, tables, MAX_PLAN_TABLES);
    return write_relationships(node, &(struct among){.tables = tables, .count = count});
}

struct str sql_agent_plan_relationships_among(struct node *node, const int *tables, size_t count,
                                              struct str text)
{
    return write_relationships(node, &(struct among){tables, count, text});
}

struct str sql_agent_plan_joins(struct node *node)
{
    bool is_chosen = node_has(node, SQL_AGENT_DRAFT) ||
                     !sql_agent_whole_fits(node, node_str(node, SQL_AGENT_QUESTION));
    return is_chosen ? node_str(node, SQL_AGENT_JOIN_PLAN) : STR("");
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/join_graph_write.c - a graph in the file's format, and an edge for people.
 *
 * Happy path: tables as they are, relationships as normalised. Failure paths: none but buf's. */
#include "agents/sql/join_graph_build.h"

#include "proto/json_write.h"

static void write_names(struct json_write *writer, struct str key, const struct str *names,
                        size_t count)
{
    json_write_key(writer, key);
    json_write_array(writer);
    for (size_t i = 0; i < count; i++)
        json_write_str(writer, names[i]);
    json_write_array_end(writer);
}

static void write_table(struct json_write *writer, const struct join_table *table)
{
    json_write_key(writer, table->name);
    json_write_object(writer);
    write_names(writer, STR("columns"), table->columns, table->column_count);
    if (table->primary_count > 0)
        write_names(writer, STR("primary_key"), table->primary_key, table->primary_count);
    write_names(writer, STR("unique_columns"), table->unique_columns, table->unique_count);
    if (table->flagged_lookup)
        json_write_member_bool(writer, STR("lookup"), true);
    if (table->row_count >= 0)
        json_write_member_i64(writer, STR("row_count"), table->row_count);
    json_write_object_end(writer);
}

void join_graph_write_relationship(const struct join_graph *graph, const struct join_edge *edge,
                                   struct json_write *writer)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("from_table"), graph->tables[edge->from_table].name);
    json_write_member_str(writer, STR("from_column"), edge->from_columns[0]);
    json_write_member_str(writer, STR("to_table"), graph->tables[edge->to_table].name);
    json_write_member_str(writer, STR("to_column"), edge->to_columns[0]);
    if (edge->column_count > 1) {
        write_names(writer, STR("from_columns"), edge->from_columns, edge->column_count);
        write_names(writer, STR("to_columns"), edge->to_columns, edge->column_count);
    }
    json_write_member_str(writer, STR("type"), str_of(join_graph_type_name(edge->type)));
    json_write_member_double(writer, STR("confidence"), edge->confidence);
    json_write_member_str(writer, STR("cardinality"),
                          str_of(join_graph_cardinality_name(edge->cardinality)));
    if (edge->verdict != JOIN_UNJUDGED)
        json_write_member_str(writer, STR("verdict"),
                              str_of(join_graph_verdict_name(edge->verdict)));
    if (edge->verified)
        json_write_member_bool(writer, STR("verified"), true);
    json_write_object_end(writer);
}

static void write_counts(struct json_write *writer, const struct join_graph_counts *counts)
{
    json_write_key(writer, STR("counts"));
    json_write_object(writer);
    json_write_member_u64(writer, STR("given"), counts->given);
    json_write_member_u64(writer, STR("many_to_many"), counts->through);
    json_write_member_u64(writer, STR("inverses"), counts->inverses);
    json_write_member_u64(writer, STR("repeated"), counts->repeated);
    json_write_member_u64(writer, STR("siblings"), counts->siblings);
    json_write_member_u64(writer, STR("normalised"), counts->left);
    json_write_object_end(writer);
}

void join_graph_write(const struct join_graph *graph, struct buf *out)
{
    struct json_write writer;
    struct str tenant_column = {NULL, 0};
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("version"), 1);
    write_counts(&writer, &graph->counts);
    json_write_key(&writer, STR("tables"));
    json_write_object(&writer);
    for (size_t t = 0; t < graph->table_count; t++) {
        write_table(&writer, &graph->tables[t]);
        if (!str_is_absent(graph->tables[t].tenant_column))
            tenant_column = graph->tables[t].tenant_column;
    }
    json_write_object_end(&writer);
    json_write_key(&writer, STR("relationships"));
    json_write_array(&writer);
    for (size_t i = 0; i < graph->edge_count; i++)
        join_graph_write_relationship(graph, &graph->edges[i], &writer);
    json_write_array_end(&writer);
    json_write_member_str(&writer, STR("tenant_column"), tenant_column);
    json_write_object_end(&writer);
}

void join_graph_write_edge(const struct join_graph *graph, const struct join_edge *edge,
                           struct buf *out)
{
    struct str from = graph->tables[edge->from_table].name, to = graph->tables[edge->to_table].name;
    for (size_t i = 0; i < edge->column_count; i++) {
        if (i > 0)
            buf_push(out, STR(" AND "));
        buf_push(out, from);
        buf_push_char(out, '.');
        buf_push(out, edge->from_columns[i]);
        buf_push(out, STR(" = "));
        buf_push(out, to);
        buf_push_char(out, '.');
        buf_push(out, edge->to_columns[i]);
    }
    buf_push(out, STR(" ("));
    buf_push(out, str_of(join_graph_cardinality_name(edge->cardinality)));
    buf_push_char(out, ')');
}

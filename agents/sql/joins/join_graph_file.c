/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_file.c - a join-graph file (docs/joins.md), read and written; an edge
 * for people.
 *
 * {"version":1,"tables":{name:{"columns":[..],"unique_columns":[..]}},"relationships":[{from_table,
 * from_column, to_table, to_column, type, confidence, cardinality}]}. A composite key is
 * "from_columns" and "to_columns", or "column_pairs". A many-to-many names its junction: "through",
 * "through_columns". Ours: a table may say "lookup" and "row_count", the file "tenant_column".
 * Association and manual files may leave tables out; then relationships name them.
 * Happy path: parse, count, put tables, put edges (a many-to-many as the junction's two), finish.
 * Failure paths: not JSON, a wrong type, an unknown cardinality, a confidence outside 0..1, a table
 * or column that the file's own tables lack: ERR_INVALID with the JSON pointer. */
#include "agents/sql/joins/join_graph_internal.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { PARSE_ARENA_BYTES = 512 << 20, TABLES_PER_EDGE = 3, EDGES_PER_EDGE = 2, PAIR = 2 };

struct reading {
    struct join_graph *graph;
    bool strict;  /* the file lists its tables: names must be among them */
    size_t place; /* of the relationship being read */
    struct err *err;
};

struct columns {
    struct str from[JOIN_GRAPH_MAX_COLUMNS], to[JOIN_GRAPH_MAX_COLUMNS];
    size_t count;
};

static const struct {
    const char *name;
    enum join_type type;
    double confidence; /* when the file says none */
} types[] = {
    {"foreign_key", JOIN_FOREIGN_KEY, 1.0},
    {"association", JOIN_ASSOCIATION, 0.9},
    {"manual", JOIN_MANUAL, 1.0},
    {"inferred", JOIN_INFERRED, 0.5},
    {"many_to_many", JOIN_ASSOCIATION, 0.9},
    {"belongs_to", JOIN_ASSOCIATION, 0.9},
    {"has_many", JOIN_ASSOCIATION, 0.9},
    {"has_one", JOIN_ASSOCIATION, 0.9},
};

static const struct {
    const char *name;
    enum join_cardinality cardinality;
} cardinalities[] = {
    {"N:1", JOIN_N_TO_1},        {"1:1", JOIN_1_TO_1},         {"1:N", JOIN_1_TO_N},
    {"N:M", JOIN_N_TO_N},        {"N:N", JOIN_N_TO_N},         {"M:N", JOIN_N_TO_N},
    {"M:1", JOIN_N_TO_1},        {"1:M", JOIN_1_TO_N},         {"many_to_one", JOIN_N_TO_1},
    {"one_to_one", JOIN_1_TO_1}, {"one_to_many", JOIN_1_TO_N}, {"many_to_many", JOIN_N_TO_N},
};

const char *join_graph_type_name(enum join_type type)
{
    return types[type].name;
}

const char *join_graph_verdict_name(enum join_verdict verdict)
{
    static const char *const names[] = {
        [JOIN_CONFIRMED] = "confirmed", [JOIN_REFUSED] = "refused", [JOIN_UNCLEAR] = "unclear"};
    return names[verdict];
}

const char *join_graph_cardinality_name(enum join_cardinality cardinality)
{
    return cardinalities[cardinality].name;
}

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the join graph");
}

/* ---- tables */

/* The names in list; the i-th item may be {"name":...} instead of a text. */
static enum err_code put_names(struct join_graph *graph, const struct json_value *table,
                               const char *member, const struct str **names, size_t *count,
                               struct err *err)
{
    const struct json_value *list = json_value_member(table, str_of(member));
    *count = 0;
    if (list == NULL || list->type == JSON_NULL)
        return ERR_OK;
    if (list->type != JSON_ARRAY)
        return err_set(err, ERR_INVALID, "/tables/%.*s/%s: expected an array, got %s",
                       STR_ARG(table->key), member, json_value_type_name(list));
    struct str *copy = arena_array(&graph->arena, size_max(list->count, 1), sizeof *copy);
    if (copy == NULL)
        return no_memory(err);
    JSON_EACH(item, list) {
        const struct json_value *name =
            item->type == JSON_OBJECT ? json_value_member(item, STR("name")) : item;
        if (name == NULL || name->type != JSON_STRING || name->text.len == 0)
            return err_set(err, ERR_INVALID, "/tables/%.*s/%s/%zu: expected a name, got %s",
                           STR_ARG(table->key), member, *count, json_value_type_name(name));
        copy[(*count)++] = arena_str(&graph->arena, name->text);
    }
    *names = copy;
    return arena_ok(&graph->arena) ? ERR_OK : no_memory(err);
}

static bool has_name(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(names[i], name))
            return true;
    }
    return false;
}

static enum err_code put_table(struct join_graph *graph, const struct json_value *value,
                               struct str tenant_column, struct err *err)
{
    if (value->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "/tables/%.*s: expected an object, got %s",
                       STR_ARG(value->key), json_value_type_name(value));
    int index = join_graph_put_table(graph, value->key);
    if (index == CATALOG_NONE)
        return no_memory(err);
    struct join_table *table = &graph->tables[index];
    enum err_code code =
        put_names(graph, value, "columns", &table->columns, &table->column_count, err);
    if (code == ERR_OK)
        code = put_names(graph, value, "unique_columns", &table->unique_columns,
                         &table->unique_count, err);
    if (code == ERR_OK)
        code =
            put_names(graph, value, "primary_key", &table->primary_key, &table->primary_count, err);
    const struct json_value *lookup = json_value_member(value, STR("lookup"));
    const struct json_value *rows = json_value_member(value, STR("row_count"));
    table->flagged_lookup = lookup != NULL && lookup->type == JSON_BOOL && lookup->boolean;
    if (rows != NULL && rows->type == JSON_INT && rows->integer >= 0)
        table->row_count = rows->integer;
    for (size_t i = 0; code == ERR_OK && i < table->column_count; i++) {
        if (!str_is_absent(tenant_column) && str_equal_nocase(table->columns[i], tenant_column))
            table->tenant_column = table->columns[i];
    }
    return code;
}

static enum err_code put_tables(struct reading *reading, const struct json_value *root)
{
    struct str tenant_column = {NULL, 0};
    const struct json_value *tables = json_value_member(root, STR("tables"));
    enum err_code code = json_value_str(root, "/tenant_column", &tenant_column, reading->err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return code;
    if (tables == NULL)
        return ERR_OK;
    reading->strict = tables->count > 0;
    code = ERR_OK;
    JSON_EACH(table, tables) {
        code = put_table(reading->graph, table, tenant_column, reading->err);
        if (code != ERR_OK)
            break;
    }
    return code;
}

/* ---- relationships */

static enum err_code bad_edge(const struct reading *reading, const char *member,
                              const char *expected, const struct json_value *got)
{
    bool says = got != NULL &&
                (got->type == JSON_STRING || got->type == JSON_INT || got->type == JSON_DOUBLE);
    struct str text = says ? str_utf8_prefix(got->text, 64) : str_of(json_value_type_name(got));
    return err_set(reading->err, ERR_INVALID, "/relationships/%zu/%s: expected %s, got %.*s",
                   reading->place, member, expected, STR_ARG(text));
}

static enum err_code find_table(struct reading *reading, const struct json_value *edge,
                                const char *member, int *table)
{
    const struct json_value *name = json_value_member(edge, str_of(member));
    if (name == NULL || name->type != JSON_STRING || name->text.len == 0)
        return bad_edge(reading, member, "a table's name", name);
    if (reading->strict) {
        *table = join_graph_table(reading->graph, name->text);
        return *table == CATALOG_NONE ? bad_edge(reading, member, "one of the file's tables", name)
                                      : ERR_OK;
    }
    *table = join_graph_put_table(reading->graph, name->text);
    return *table == CATALOG_NONE ? no_memory(reading->err) : ERR_OK;
}

static enum err_code check_column(const struct reading *reading, int table, struct str column)
{
    const struct join_table *has = &reading->graph->tables[table];
    if (has->column_count == 0 || has_name(has->columns, has->column_count, column))
        return ERR_OK;
    return err_set(reading->err, ERR_INVALID,
                   "/relationships/%zu: column '%.*s' is not among the columns of '%.*s'",
                   reading->place, STR_ARG(column), STR_ARG(has->name));
}

static enum err_code read_list(const struct reading *reading, const struct json_value *edge,
                               const char *one, const char *many, struct str *names, size_t *count)
{
    const struct json_value *list = json_value_member(edge, str_of(many));
    const struct json_value *name = json_value_member(edge, str_of(one));
    *count = 0;
    if (list == NULL || list->type == JSON_NULL) {
        if (name == NULL || name->type != JSON_STRING || name->text.len == 0)
            return bad_edge(reading, one, "a column's name", name);
        names[(*count)++] = name->text;
        return ERR_OK;
    }
    if (list->type != JSON_ARRAY || list->count == 0 || list->count > JOIN_GRAPH_MAX_COLUMNS)
        return bad_edge(reading, many, "an array of 1 to 16 column names", list);
    JSON_EACH(item, list) {
        if (item->type != JSON_STRING || item->text.len == 0)
            return bad_edge(reading, many, "column names", item);
        names[(*count)++] = item->text;
    }
    return ERR_OK;
}

/* "column_pairs":[["a","x"],["b","y"]] */
static enum err_code read_pairs(const struct reading *reading, const struct json_value *pairs,
                                struct columns *columns)
{
    if (pairs->type != JSON_ARRAY || pairs->count == 0 || pairs->count > JOIN_GRAPH_MAX_COLUMNS)
        return bad_edge(reading, "column_pairs", "an array of 1 to 16 pairs", pairs);
    columns->count = 0;
    JSON_EACH(pair, pairs) {
        if (pair->type != JSON_ARRAY || pair->count != PAIR || pair->first->type != JSON_STRING ||
            pair->first->next->type != JSON_STRING)
            return bad_edge(reading, "column_pairs", "pairs of column names", pair);
        columns->from[columns->count] = pair->first->text;
        columns->to[columns->count++] = pair->first->next->text;
    }
    return ERR_OK;
}

static enum err_code read_columns(const struct reading *reading, const struct json_value *value,
                                  const struct join_edge *edge, struct columns *columns)
{
    const struct json_value *pairs = json_value_member(value, STR("column_pairs"));
    size_t to_count = 0;
    enum err_code code;
    if (pairs != NULL) {
        code = read_pairs(reading, pairs, columns);
    } else {
        code = read_list(reading, value, "from_column", "from_columns", columns->from,
                         &columns->count);
        if (code == ERR_OK)
            code = read_list(reading, value, "to_column", "to_columns", columns->to, &to_count);
        if (code == ERR_OK && to_count != columns->count)
            return bad_edge(reading, "to_columns", "as many columns as from_columns",
                            json_value_member(value, STR("to_columns")));
    }
    for (size_t i = 0; code == ERR_OK && i < columns->count; i++) {
        code = check_column(reading, edge->from_table, columns->from[i]);
        if (code == ERR_OK)
            code = check_column(reading, edge->to_table, columns->to[i]);
    }
    return code;
}

/* A word we do not know is no verdict: the edge is asked about again. */
static enum join_verdict read_verdict(const struct json_value *value)
{
    const struct json_value *verdict = json_value_member(value, STR("verdict"));
    for (int v = JOIN_CONFIRMED; v <= JOIN_UNCLEAR; v++) {
        if (verdict != NULL && verdict->type == JSON_STRING &&
            str_equal(verdict->text, str_of(join_graph_verdict_name((enum join_verdict)v))))
            return (enum join_verdict)v;
    }
    return JOIN_UNJUDGED;
}

/* type, confidence and cardinality. A type we do not know is as good as a guess. */
static enum err_code read_traits(const struct reading *reading, const struct json_value *value,
                                 struct join_edge *edge)
{
    const struct json_value *type = json_value_member(value, STR("type"));
    const struct json_value *confidence = json_value_member(value, STR("confidence"));
    const struct json_value *cardinality = json_value_member(value, STR("cardinality"));
    if (type != NULL && type->type != JSON_STRING)
        return bad_edge(reading, "type", "a text", type);
    edge->type = type == NULL ? JOIN_FOREIGN_KEY : JOIN_INFERRED;
    edge->confidence = type == NULL ? 1.0 : 0.5;
    for (size_t i = 0; type != NULL && i < countof(types); i++) {
        if (str_equal_nocase(type->text, str_of(types[i].name))) {
            edge->type = types[i].type;
            edge->confidence = types[i].confidence;
        }
    }
    if (confidence != NULL) {
        bool number = confidence->type == JSON_INT || confidence->type == JSON_DOUBLE;
        if (!number || !(confidence->number >= 0.0 && confidence->number <= 1.0))
            return bad_edge(reading, "confidence", "a number from 0 to 1", confidence);
        edge->confidence = confidence->number;
    }
    const struct json_value *verified = json_value_member(value, STR("verified"));
    edge->verified = verified != NULL && verified->type == JSON_BOOL && verified->boolean;
    edge->verdict = read_verdict(value);
    edge->cardinality = JOIN_N_TO_1;
    if (cardinality == NULL)
        return ERR_OK;
    for (size_t i = 0; cardinality->type == JSON_STRING && i < countof(cardinalities); i++) {
        if (str_equal_nocase(cardinality->text, str_of(cardinalities[i].name))) {
            edge->cardinality = cardinalities[i].cardinality;
            return ERR_OK;
        }
    }
    return bad_edge(reading, "cardinality", "N:1, 1:1, 1:N or N:M", cardinality);
}

/* A many-to-many through a junction is two edges of the junction. */
static enum err_code put_through(struct reading *reading, const struct json_value *value,
                                 const struct join_edge *edge)
{
    const struct json_value *columns = json_value_member(value, STR("through_columns"));
    int junction = CATALOG_NONE;
    enum err_code code = find_table(reading, value, "through", &junction);
    if (code != ERR_OK)
        return code;
    if (columns == NULL || columns->type != JSON_ARRAY || columns->count != PAIR ||
        columns->first->type != JSON_STRING || columns->first->next->type != JSON_STRING)
        return bad_edge(reading, "through_columns", "two columns of the junction", columns);
    const int ends[PAIR] = {edge->from_table, edge->to_table};
    const struct str *end_columns[PAIR] = {edge->from_columns, edge->to_columns};
    const struct str own[PAIR] = {columns->first->text, columns->first->next->text};
    reading->graph->counts.through++;
    for (size_t i = 0; i < PAIR; i++) {
        struct join_edge half = *edge;
        half.from_table = junction;
        half.from_columns = &own[i];
        half.to_table = ends[i];
        half.to_columns = end_columns[i];
        half.column_count = 1;
        half.cardinality = JOIN_N_TO_1;
        code = check_column(reading, junction, own[i]);
        if (code == ERR_OK)
            code = join_graph_put_edge(reading->graph, &half, reading->err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static enum err_code put_relationship(struct reading *reading, const struct json_value *value)
{
    struct join_edge edge = {0};
    struct columns columns = {.count = 0};
    if (value->type != JSON_OBJECT)
        return err_set(reading->err, ERR_INVALID, "/relationships/%zu: expected an object, got %s",
                       reading->place, json_value_type_name(value));
    enum err_code code = find_table(reading, value, "from_table", &edge.from_table);
    if (code == ERR_OK)
        code = find_table(reading, value, "to_table", &edge.to_table);
    if (code == ERR_OK)
        code = read_columns(reading, value, &edge, &columns);
    if (code == ERR_OK)
        code = read_traits(reading, value, &edge);
    if (code != ERR_OK)
        return code;
    edge.from_columns = columns.from;
    edge.to_columns = columns.to;
    edge.column_count = columns.count;
    const struct json_value *through = json_value_member(value, STR("through"));
    if (through != NULL && through->type != JSON_NULL)
        return put_through(reading, value, &edge);
    return join_graph_put_edge(reading->graph, &edge, reading->err);
}

/* ---- the whole file */

static enum err_code check_shape(const struct json_value *root, size_t *tables, size_t *edges,
                                 struct err *err)
{
    int64_t version = 1;
    const struct json_value *found = NULL;
    if (root->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "a join graph is a JSON object, got %s",
                       json_value_type_name(root));
    enum err_code code = json_value_i64(root, "/version", &version, err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return code;
    if (version != 1)
        return err_set(err, ERR_INVALID, "/version: expected 1, got %lld", (long long)version);
    code = json_value_object(root, "/tables", &found, err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return code;
    *tables = code == ERR_OK ? found->count : 0;
    bool bare = code != ERR_OK;
    code = json_value_array(root, "/relationships", &found, err);
    if (code == ERR_NOT_FOUND && bare)
        return err_set(err, ERR_INVALID, "a join graph has the member relationships");
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return code;
    *edges = code == ERR_OK ? found->count : 0;
    return ERR_OK;
}

static enum err_code put_all(struct reading *reading, const struct json_value *root)
{
    enum err_code code = put_tables(reading, root);
    const struct json_value *edges = json_value_member(root, STR("relationships"));
    if (code != ERR_OK || edges == NULL || edges->type != JSON_ARRAY)
        return code;
    JSON_EACH(edge, edges) {
        code = put_relationship(reading, edge);
        if (code != ERR_OK)
            return code;
        reading->place++;
    }
    return ERR_OK;
}

enum err_code join_graph_from_json(struct str json, struct join_graph **out, struct err *err)
{
    struct arena arena;
    struct join_graph *graph = NULL;
    size_t tables = 0, edges = 0;
    arena_init(&arena, PARSE_ARENA_BYTES);
    const struct json_value *root =
        json_value_parse(&arena, json, &(struct json_limits){.depth = 16}, err);
    enum err_code code = root == NULL ? err->code : check_shape(root, &tables, &edges, err);
    if (code == ERR_OK) {
        graph = join_graph_make(tables + edges * TABLES_PER_EDGE, edges * EDGES_PER_EDGE);
        struct reading reading = {.graph = graph, .err = err};
        code = graph == NULL ? no_memory(err) : put_all(&reading, root);
    }
    arena_fini(&arena);
    if (code != ERR_OK) {
        join_graph_destroy(graph);
        return code;
    }
    graph->counts.given = edges;
    *err = (struct err){0}; /* of what the file may leave out */
    return join_graph_finish(graph, out, err);
}

/* ---- written: tables as they are, relationships as normalised ---- */

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

/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_words.c - reads requests, and writes plans for people and for programs.
 *
 * Happy path: the members of a line one by one; one pass over the steps for each part of a text.
 * Failure paths: a member of the wrong type or over its limit: ERR_INVALID or ERR_TOO_LARGE with
 * its JSON pointer; a full buf. */
#include "server/cli/cmd_joins_words.h"

#include <inttypes.h>

#include "agents/sql/catalog/quote.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { JOIN_BYTES = 64 << 10 };

/* ---- requests */

void cmd_joins_words_split(struct str text, struct cmd_joins_request *request)
{
    while (!str_is_absent(text) && request->word_count < CMD_JOINS_WORDS) {
        struct str word = str_split(&text, ' ');
        while (word.len > 0 && !str_is_alpha(word.at[word.len - 1]))
            word.len--;
        if (word.len > 0)
            request->words[request->word_count++] = word;
    }
}

static enum err_code read_texts(const struct json_value *list, const char *name, size_t max,
                                struct str *texts, size_t *count, struct err *err)
{
    JSON_EACH(item, list) {
        if (item->type != JSON_STRING)
            return err_set(err, ERR_INVALID, "/%s/%zu: expected a string, got %s", name, *count,
                           json_value_type_name(item));
        if (*count == max)
            return err_set(err, ERR_TOO_LARGE, "/%s: at most %zu", name, max);
        texts[(*count)++] = item->text;
    }
    return ERR_OK;
}

static enum err_code read_tables(const struct json_value *line, struct cmd_joins_request *request,
                                 struct err *err)
{
    const struct json_value *list = json_value_member(line, STR("tables"));
    if (list != NULL) {
        enum err_code code = json_value_array(line, "/tables", &list, err);
        return code != ERR_OK ? code
                              : read_texts(list, "tables", CMD_JOINS_TABLES, request->tables,
                                           &request->table_count, err);
    }
    static const char *const ends[] = {"/from", "/to"};
    request->table_count = countof(ends);
    for (size_t i = 0; i < countof(ends); i++) {
        enum err_code code = json_value_str(line, ends[i], &request->tables[i], err);
        if (code == ERR_NOT_FOUND)
            return err_set(err, ERR_INVALID, "%s: expected a table's name, got nothing", ends[i]);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

enum err_code cmd_joins_words_request(const struct json_value *line, unsigned max_hops,
                                      struct cmd_joins_request *request, struct err *err)
{
    const struct json_value *words = json_value_member(line, STR("words"));
    if (words == NULL)
        words = json_value_member(line, STR("question"));
    int64_t hops = max_hops;
    enum err_code code = read_tables(line, request, err);
    if (code != ERR_OK)
        return code;
    code = json_value_i64(line, "/max_hops", &hops, err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return code;
    if (hops < 1)
        return err_set(err, ERR_INVALID, "/max_hops: expected 1 or more");
    request->max_hops = hops > CMD_JOINS_HOPS ? CMD_JOINS_HOPS : (unsigned)hops;
    if (words != NULL && words->type == JSON_STRING)
        cmd_joins_words_split(words->text, request);
    else if (words != NULL && words->type == JSON_ARRAY)
        return read_texts(words, "words", CMD_JOINS_WORDS, request->words, &request->word_count,
                          err);
    else if (words != NULL && words->type != JSON_NULL)
        return err_set(err, ERR_INVALID, "/words: expected a string or an array, got %s",
                       json_value_type_name(words));
    return ERR_OK;
}

/* ---- plans */

static bool is_plain(struct str name)
{
    static const char *const reserved[] = {"user",  "order", "group", "table", "index",  "column",
                                           "check", "end",   "from",  "to",    "select", "where",
                                           "join",  "on",    "as",    "by",    "role",   "case"};
    if (name.len == 0 || str_is_digit(name.at[0]))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (!str_is_alpha(name.at[i]) && !str_is_digit(name.at[i]) && name.at[i] != '_')
            return false;
    }
    for (size_t i = 0; i < countof(reserved); i++) {
        if (str_equal_nocase(name, str_of(reserved[i])))
            return false;
    }
    return true;
}

static void push_name(struct str name, struct buf *out)
{
    if (is_plain(name)) {
        buf_push(out, name);
        return;
    }
    sql_quote_name(SQL_SQLITE, name, out);
}

static void push_column(const struct join_graph *graph, int table, struct str column,
                        struct buf *out)
{
    push_name(join_graph_table_name(graph, table), out);
    buf_push_char(out, '.');
    push_name(column, out);
}

static void push_from_clause(const struct join_graph *graph, const struct join_plan *plan,
                             struct buf *out)
{
    buf_push(out, STR("FROM "));
    push_name(join_graph_table_name(graph, plan->root), out);
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct join_edge *edge = plan->steps[i].edge;
        buf_push(out, STR("\nJOIN "));
        push_name(join_graph_table_name(graph, plan->steps[i].child), out);
        for (size_t c = 0; c < edge->column_count; c++) {
            buf_push(out, c == 0 ? STR(" ON ") : STR(" AND "));
            push_column(graph, edge->from_table, edge->from_columns[c], out);
            buf_push(out, STR(" = "));
            push_column(graph, edge->to_table, edge->to_columns[c], out);
        }
    }
    buf_push_char(out, '\n');
}

void cmd_joins_words_plan(const struct join_graph *graph, const struct join_plan *plan,
                          struct buf *out)
{
    buf_push(out, join_graph_table_name(graph, plan->root));
    for (size_t i = 0; i < plan->step_count; i++) {
        buf_push(out, STR(" -> "));
        buf_push(out, join_graph_table_name(graph, plan->steps[i].child));
    }
    buf_push_char(out, '\n');
    for (size_t i = 0; i < plan->step_count; i++) {
        buf_push(out, STR("  "));
        join_graph_write_edge(graph, plan->steps[i].edge, out);
        if (plan->steps[i].edge->confidence < 1.0)
            buf_printf(out, " confidence %.2f", plan->steps[i].edge->confidence);
        buf_push_char(out, '\n');
    }
    buf_printf(out, "relationships %zu, cost %" PRIu64 ", confidence %.2f", plan->step_count,
               plan->cost, plan->confidence);
    if (join_plan_has_rival(plan))
        buf_printf(out, ", the next best costs %" PRIu64, plan->runner_up);
    buf_push_char(out, '\n');
    if (plan->is_far)
        buf_push(out, STR("longer than max_hops: nothing shorter joins them\n"));
    if (plan->fans_out)
        buf_printf(out, "rows of %.*s repeat: count them distinct, sum them before joining\n",
                   STR_ARG(join_graph_table_name(graph, plan->root)));
    push_from_clause(graph, plan, out);
}

/* Append "child.fk=parent.key"; for a composite key with " AND " between the pairs. */
static void write_join(const struct join_graph *graph, const struct join_edge *edge,
                       struct json_write *writer)
{
    struct str from = join_graph_table_name(graph, edge->from_table);
    struct str to = join_graph_table_name(graph, edge->to_table);
    struct buf text;
    buf_init(&text, JOIN_BYTES);
    for (size_t i = 0; i < edge->column_count; i++)
        buf_printf(&text, "%s%.*s.%.*s=%.*s.%.*s", i == 0 ? "" : " AND ", STR_ARG(from),
                   STR_ARG(edge->from_columns[i]), STR_ARG(to), STR_ARG(edge->to_columns[i]));
    json_write_str(writer, buf_str(&text));
    buf_fini(&text);
}

void cmd_joins_words_members(const struct join_graph *graph, const struct join_plan *plan,
                             struct json_write *writer)
{
    json_write_key(writer, STR("joins"));
    json_write_array(writer);
    for (size_t i = 0; i < plan->step_count; i++)
        write_join(graph, plan->steps[i].edge, writer);
    json_write_array_end(writer);
    json_write_key(writer, STR("path"));
    json_write_array(writer);
    for (size_t i = 0; i < plan->step_count; i++)
        join_graph_write_relationship(graph, plan->steps[i].edge, writer);
    json_write_array_end(writer);
    json_write_member_u64(writer, STR("hops"), plan->step_count);
    json_write_member_u64(writer, STR("cost"), plan->cost);
    json_write_key(writer, STR("tables"));
    json_write_array(writer);
    json_write_str(writer, join_graph_table_name(graph, plan->root));
    for (size_t i = 0; i < plan->step_count; i++)
        json_write_str(writer, join_graph_table_name(graph, plan->steps[i].child));
    json_write_array_end(writer);
    json_write_member_double(writer, STR("confidence"), plan->confidence);
    if (join_plan_has_rival(plan))
        json_write_member_u64(writer, STR("runner_up"), plan->runner_up);
    json_write_member_bool(writer, STR("fans_out"), plan->fans_out);
    if (plan->is_far)
        json_write_member_bool(writer, STR("beyond_max_hops"), true);
}

/* Count the parts into which the usable relationships divide the graph, and the tables without
 * any. */
static bool count_parts(const struct join_graph *graph, double threshold, size_t *parts,
                        size_t *alone)
{
    size_t tables = join_graph_table_count(graph);
    int *part = mem_zalloc(tables, sizeof *part);
    *parts = *alone = 0;
    if (part == NULL)
        return false;
    for (size_t t = 0; t < tables; t++)
        part[t] = (int)t;
    for (size_t i = 0; i < join_graph_edge_count(graph); i++) {
        const struct join_edge *edge = join_graph_edge(graph, i);
        int from = part[edge->from_table], to = part[edge->to_table];
        for (size_t t = 0; from != to && edge->confidence >= threshold && t < tables; t++)
            part[t] = part[t] == from ? to : part[t];
    }
    for (size_t t = 0; t < tables; t++) {
        size_t members = 0;
        for (size_t k = 0; part[t] == (int)t && k < tables; k++)
            members += part[k] == (int)t;
        *parts += members > 0;
        *alone += members == 1;
    }
    mem_free(part);
    return true;
}

void cmd_joins_words_stats(const struct join_graph *graph, double threshold, struct buf *out)
{
    static const char *const names[] = {[JOIN_FOREIGN_KEY] = "foreign_key",
                                        [JOIN_ASSOCIATION] = "association",
                                        [JOIN_MANUAL] = "manual",
                                        [JOIN_INFERRED] = "inferred"};
    size_t by_type[countof(names)] = {0}, usable = 0, audit = 0, tenant = 0, parts, alone;
    for (size_t i = 0; i < join_graph_edge_count(graph); i++) {
        const struct join_edge *edge = join_graph_edge(graph, i);
        by_type[edge->type]++;
        usable += edge->confidence >= threshold;
        audit += edge->audit;
        tenant += edge->tenant;
    }
    buf_printf(out, "tables %zu\nrelationships given %zu\nrelationships normalised %zu\n",
               join_graph_table_count(graph), join_graph_given_count(graph),
               join_graph_edge_count(graph));
    buf_printf(out, "of them at confidence %.2f or more %zu\n", threshold, usable);
    for (size_t i = 0; i < countof(names); i++)
        buf_printf(out, "%s %zu\n", names[i], by_type[i]);
    struct join_graph_counts counts = join_graph_counts(graph);
    buf_printf(out, "inverses folded %zu\nrepeated folded %zu\nsiblings folded %zu\n",
               counts.inverses, counts.repeated, counts.siblings);
    buf_printf(out, "many-to-many through junctions %zu\n", counts.through);
    buf_printf(out, "audit %zu\ntenant %zu\n", audit, tenant);
    if (count_parts(graph, threshold, &parts, &alone))
        buf_printf(out, "parts %zu\ntables alone %zu\n", parts, alone);
}

/* SPDX-License-Identifier: MIT */
/* agents/tools/join_path.c - the tool that says how tables join: the cheapest tree over them, by
 * the relationships that the database and the deployment know. */
#include "agents/nodes/schema_text.h"
#include "agents/search/rank.h"
#include "agents/sql/joins/join_graph_seen.h"
#include "agents/sql/joins/join_path.h"
#include "agents/tools/call.h"
#include "proto/json_value.h"

enum { TEXT_BYTES = 64 * 1024 };

/* False: the call has ended with what is wrong. */
static bool find_tables(struct tool_call *call, int tables[JOIN_PATH_MAX_TABLES], size_t *count)
{
    const struct knowledge *knows = knowledge(call->node);
    const struct json_value *names = json_value_member(call->arguments, STR("tables"));
    *count = 0;
    JSON_EACH(name, names) {
        int table = catalog_find_dotted(knows->catalog, name->text);
        int joined =
            table == CATALOG_NONE || !search_rank_is_visible(&knows->catalog->tables[table])
                ? CATALOG_NONE
                : join_graph_seen_table(knows->joins, knows->catalog, table);
        if (joined == CATALOG_NONE) {
            tools_call_fail(call, "Nothing joins a table '%.*s': list_tables names the tables.",
                            STR_ARG(str_utf8_prefix(name->text, 80)));
            return false;
        }
        tables[(*count)++] = joined;
    }
    return true;
}

static void write_plan(const struct join_graph *joins, const struct join_plan *plan,
                       struct buf *out)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        buf_printf(out, "JOIN %.*s ON ",
                   STR_ARG(join_graph_table_name(joins, plan->steps[i].child)));
        join_graph_write_edge(joins, plan->steps[i].edge, out);
        buf_push_char(out, '\n');
    }
    if (plan->fans_out)
        buf_push(out, STR("A row of the first table meets several of another: count and sum what "
                          "you mean, once.\n"));
    if (!join_plan_has_rival(plan))
        return;
    buf_push(out, STR("Nearly as good:\n"));
    for (size_t i = 0; i < plan->other_count; i++) {
        join_graph_write_edge(joins, plan->other[i], out);
        buf_push_char(out, '\n');
    }
}

static void start(struct tool_call *call)
{
    const struct knowledge *knows = knowledge(call->node);
    const struct services *has = services(call->node);
    struct schema_text_words words = schema_text_words(call->question);
    struct services_kept own = {0};
    struct join_plan plan;
    struct err err = {0};
    struct buf out;
    int tables[JOIN_PATH_MAX_TABLES];
    size_t count;
    if (knows->catalog == NULL || knows->joins == NULL) {
        tools_call_fail(call, "How tables join is not known here.");
        return;
    }
    if (!find_tables(call, tables, &count))
        return;
    struct join_finder *finder =
        services_keep_finder(has->kept == NULL ? &own : has->kept, knows, has->limits);
    buf_init(&out, TEXT_BYTES);
    if (finder == NULL) {
        tools_call_fail(call, "There is no memory to look for a join path.");
    } else if (join_path_plan(finder, tables, count, words.at, words.count, &plan, &err) !=
               ERR_OK) {
        tools_call_fail(call, "%s", err.text);
    } else {
        buf_printf(&out, "FROM %.*s\n", STR_ARG(join_graph_table_name(knows->joins, tables[0])));
        write_plan(knows->joins, &plan, &out);
        tools_call_done(call, buf_str(&out));
    }
    buf_fini(&out);
    services_drop_kept(&own);
}

static bool is_there(const struct services *has, const struct knowledge *knows)
{
    return has->sql != NULL && knows->joins != NULL;
}

const struct tool tools_join_path = {
    .name = "join_path",
    .description =
        "Says how tables join: the conditions of the shortest way between them, with the "
        "tables in between, and whether rows are counted several times on it.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"tables\":{\"type\":\"array\",\"items\":{"
                  "\"type\":\"string\"},\"minItems\":2,\"maxItems\":8}},\"required\":[\"tables\"],"
                  "\"additionalProperties\":false}",
    .start = start,
    .is_there = is_there,
};

/* SPDX-License-Identifier: MIT */
/* agents/tools/describe_tables.c - the tool that shows tables whole: columns, types, keys,
 * references, what the semantic file says, and the values of columns that have few. */
#include "agents/nodes/facts.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/values.h"
#include "agents/search/rank.h"
#include "agents/tools/call.h"
#include "proto/json_value.h"

enum { MOST_TABLES = 8, TEXT_BYTES = 1 << 20 };

/* False: the call has ended with what is wrong. */
static bool find_tables(struct tool_call *call, int tables[MOST_TABLES], size_t *count)
{
    const struct catalog *catalog = knowledge(call->node)->catalog;
    const struct json_value *names = json_value_member(call->arguments, STR("tables"));
    *count = 0;
    JSON_EACH(name, names) {
        int table = catalog_find_dotted(catalog, name->text);
        if (table == CATALOG_NONE || !search_rank_is_visible(&catalog->tables[table])) {
            tools_call_fail(call, "There is no table '%.*s': list_tables names them.",
                            STR_ARG(str_utf8_prefix(name->text, 80)));
            return false;
        }
        tables[(*count)++] = table;
    }
    return true;
}

static void start(struct tool_call *call)
{
    const struct knowledge *knows = knowledge(call->node);
    int tables[MOST_TABLES];
    size_t count;
    struct buf out;
    if (knows->catalog == NULL) {
        tools_call_fail(call, "The database cannot be read now: %s", knows->catalog_err.text);
        return;
    }
    if (!find_tables(call, tables, &count))
        return;
    buf_init(&out, TEXT_BYTES);
    schema_text_write(knows, call->question, tables, count,
                      services(call->node)->limits->sql_max_columns_in_schema,
                      facts_today(call->node), &out);
    struct str values = values_write(call->node, tables, count, call->question);
    struct str examples = schema_text_examples(call->node, call->question, tables, count);
    if (examples.len > 0)
        buf_printf(&out, "\nQuestions like this one with statements that are right:\n%.*s",
                   STR_ARG(examples));
    if (values.len > 0)
        buf_printf(&out, "\nValues as the database spells them:\n%.*s", STR_ARG(values));
    if (buf_ok(&out))
        tools_call_done(call, buf_str(&out));
    else
        tools_call_fail(call, "The description does not fit into memory: name fewer tables.");
    buf_fini(&out);
}

static bool is_there(const struct services *has, const struct knowledge *knows UNUSED)
{
    return has->sql != NULL;
}

const struct tool tools_describe_tables = {
    .name = "describe_tables",
    .description = "Shows the columns, types, keys and references of tables, what they mean, and "
                   "the values of columns that have few. Look before you write a statement.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"tables\":{\"type\":\"array\",\"items\":{"
                  "\"type\":\"string\"},\"minItems\":1,\"maxItems\":8}},\"required\":[\"tables\"],"
                  "\"additionalProperties\":false}",
    .start = start,
    .is_there = is_there,
};

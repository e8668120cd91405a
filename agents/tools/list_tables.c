/* SPDX-License-Identifier: MIT */
/* agents/tools/list_tables.c - the tool that lists the tables that a caller may ask about, those
 * that fit some words first. */
#include "agents/sql_agent/select.h"
#include "agents/tools/call.h"

static void start(struct tool_call *call)
{
    struct str about = tools_call_str(call, STR("about"));
    struct str tables =
        sql_agent_select_list(call->node, str_is_empty(about) ? call->question : about);
    if (str_is_empty(tables))
        tools_call_fail(call, "There are no tables to ask about.");
    else
        tools_call_done(call, tables);
}

static bool is_there(const struct services *has, const struct knowledge *knows UNUSED)
{
    return has->sql != NULL;
}

const struct tool tools_list_tables = {
    .name = "list_tables",
    .description = "Lists the tables of the database with their first columns; where there are "
                   "many, those that the words of `about` are most likely about.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"about\":{\"type\":\"string\","
                  "\"description\":\"Words of what is looked for; empty: the user's question.\"}},"
                  "\"additionalProperties\":false}",
    .start = start,
    .is_there = is_there,
};

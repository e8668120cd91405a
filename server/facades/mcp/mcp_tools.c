/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_tools.c - one table: names, descriptions, schemas, arguments.
 *
 * Happy path: a call's arguments are read by the tool's own row of the table.
 * Failure: an argument that is missing, of another type, empty, too long or unknown. */
#include "server/facades/mcp/mcp_tools.h"
#include "server/runs/shard.h"

#include "proto/json_write.h"

enum { MAX_ARGUMENTS = 3, ID_BYTES = 128, NAME_BYTES = 256 };

struct argument {
    const char *name, *description;
    size_t place;     /* of the str in struct mcp_arguments */
    size_t max_bytes; /* 0: as long as a message may be */
    bool is_needed, is_graph;
};

#define PLACE(field) offsetof(struct mcp_arguments, field)

static const struct tool {
    const char *name, *title, *description;
    const char *graph; /* the one it runs; NULL: an argument says, or none */
    struct argument arguments[MAX_ARGUMENTS];
    const char *output; /* JSON schema of structuredContent */
} tools[] = {
    [MCP_ASK] =
        {.name = "ask",
         .title = "Ask a question",
         .description =
             "Answer a question in plain words from the database or from documents. It finds the "
             "tables, writes and checks the SQL, runs it and says what the rows mean.",
         .arguments = {{"question", "What to answer, in plain words.", PLACE(message), 0, true,
                        false},
                       {"graph", "Which agent answers; the first is the default.", PLACE(graph),
                        NAME_BYTES, false, true},
                       {"conversation_id",
                        "Goes on with a conversation: questions of the same id know of each "
                        "other.",
                        PLACE(conversation_id), ID_BYTES, false, false}},
         .output = "{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\"},"
                   "\"run_id\":{\"type\":\"string\"},\"conversation_id\":{\"type\":\"string\"},"
                   "\"route\":{\"type\":\"string\"},\"sql\":{\"type\":\"string\"},"
                   "\"data\":{\"type\":\"object\"},\"stats\":{\"type\":\"object\"}},"
                   "\"required\":[\"answer\",\"run_id\"]}"},
    [MCP_RUN_SQL] =
        {.name = "run_sql",
         .title = "Run a SQL statement",
         .description =
             "Run one SELECT statement, read-only. It is checked before it runs: only tables and "
             "columns that list_tables shows, only the caller's own rows, at most so many rows. A "
             "refusal says what is wrong and what to write instead.",
         .graph = "statement",
         .arguments = {{"sql", "One SELECT statement in the database's dialect.", PLACE(message), 0,
                        true, false}},
         .output = "{\"type\":\"object\",\"properties\":{\"sql\":{\"type\":\"string\"},"
                   "\"data\":{\"type\":\"object\",\"properties\":{\"columns\":{\"type\":\"array\","
                   "\"items\":{\"type\":\"string\"}},\"rows\":{\"type\":\"array\",\"items\":"
                   "{\"type\":\"array\"}},\"row_count\":{\"type\":\"integer\"},\"truncated\":"
                   "{\"type\":\"boolean\"}}},\"warnings\":{\"type\":\"array\"},"
                   "\"run_id\":{\"type\":\"string\"}},\"required\":[\"run_id\"]}"},
    [MCP_SEARCH_DOCS] =
        {.name = "search_docs",
         .title = "Search documents",
         .description = "Find the passages of documents that are nearest to a question, by meaning "
                        "and by keyword, best first.",
         .graph = "passages",
         .arguments = {{"query", "What to look for.", PLACE(message), 0, true, false}},
         .output = "{\"type\":\"object\",\"properties\":{\"passages\":{\"type\":\"array\","
                   "\"items\":{\"type\":\"object\",\"properties\":{\"document\":{\"type\":"
                   "\"string\"},\"heading\":{\"type\":\"string\"},\"chunk\":{\"type\":\"string\"},"
                   "\"score\":{\"type\":\"number\"},\"text\":{\"type\":\"string\"}}}},"
                   "\"run_id\":{\"type\":\"string\"}},\"required\":[\"run_id\"]}"},
    [MCP_LIST_TABLES] =
        {.name = "list_tables",
         .title = "List tables",
         .description =
             "The tables that run_sql may read; with a table's name, its columns and the tables it "
             "refers to.",
         .arguments = {{"table", "Show the columns of this table.", PLACE(table), NAME_BYTES, false,
                        false}},
         .output = "{\"type\":\"object\",\"properties\":{\"dialect\":{\"type\":\"string\"},"
                   "\"tables\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
                   "{\"name\":{\"type\":\"string\"},\"columns\":{\"type\":\"array\"}}}}},"
                   "\"required\":[\"dialect\",\"tables\"]}"},
};

bool mcp_tools_find(struct str name, enum mcp_tool *tool)
{
    for (unsigned i = 0; i < countof(tools); i++)
        if (str_equal(name, str_of(tools[i].name))) {
            *tool = (enum mcp_tool)i;
            return true;
        }
    return false;
}

/* ---- arguments ---- */

static const struct argument *find_argument(const struct tool *tool, struct str name)
{
    for (size_t i = 0; i < MAX_ARGUMENTS && tool->arguments[i].name != NULL; i++)
        if (str_equal(name, str_of(tool->arguments[i].name)))
            return &tool->arguments[i];
    return NULL;
}

static struct str *place_of(const struct argument *argument, struct mcp_arguments *read)
{
    return (struct str *)(void *)((char *)read + argument->place);
}

static enum err_code read_argument(const struct argument *argument, const struct json_value *value,
                                   size_t max_message_bytes, struct mcp_arguments *read,
                                   struct err *err)
{
    size_t max = argument->max_bytes == 0 ? max_message_bytes : argument->max_bytes;
    if (value->type == JSON_NULL && !argument->is_needed)
        return ERR_OK;
    if (value->type != JSON_STRING)
        return err_set(err, ERR_INVALID, "%s: expected a string, got %s", argument->name,
                       json_value_type_name(value));
    if (value->text.len > max || str_trim(value->text).len == 0)
        return err_set(err, ERR_INVALID, "%s: expected 1 to %zu bytes that are not blank, got %zu",
                       argument->name, max, value->text.len);
    *place_of(argument, read) = value->text;
    return ERR_OK;
}

enum err_code mcp_tools_read(enum mcp_tool tool, const struct json_value *arguments,
                             size_t max_message_bytes, struct mcp_arguments *read, struct err *err)
{
    const struct tool *row = &tools[tool];
    *read = (struct mcp_arguments){.graph = str_of(row->graph)};
    for (const struct json_value *value = arguments == NULL ? NULL : arguments->first;
         value != NULL; value = value->next) {
        const struct argument *argument = find_argument(row, value->key);
        if (argument == NULL)
            return err_set(err, ERR_INVALID, "%s has no argument '%.*s'", row->name,
                           STR_ARG(str_utf8_prefix(value->key, 64)));
        if (read_argument(argument, value, max_message_bytes, read, err) != ERR_OK)
            return err->code;
    }
    for (size_t i = 0; i < MAX_ARGUMENTS && row->arguments[i].name != NULL; i++)
        if (row->arguments[i].is_needed && str_is_absent(*place_of(&row->arguments[i], read)))
            return err_set(err, ERR_INVALID, "%s: expected a string, got nothing",
                           row->arguments[i].name);
    return ERR_OK;
}

/* ---- schemas ---- */

static void write_graphs(const struct shard *shard, struct json_write *json)
{
    const struct registry *registry = shard->group->registry;
    json_write_key(json, STR("enum"));
    json_write_array(json);
    for (size_t i = 0; i < registry_count(registry); i++)
        if (shard_offers(shard, i))
            json_write_str(json, str_of(registry_entry(registry, i)->def->name));
    json_write_array_end(json);
}

static void write_argument(const struct shard *shard, const struct argument *argument,
                           struct json_write *json)
{
    json_write_key(json, str_of(argument->name));
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("string"));
    json_write_member_str(json, STR("description"), str_of(argument->description));
    if (argument->is_graph)
        write_graphs(shard, json);
    json_write_object_end(json);
}

static void write_input(const struct shard *shard, const struct tool *tool, struct json_write *json)
{
    json_write_key(json, STR("inputSchema"));
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("object"));
    json_write_key(json, STR("properties"));
    json_write_object(json);
    for (size_t i = 0; i < MAX_ARGUMENTS && tool->arguments[i].name != NULL; i++)
        write_argument(shard, &tool->arguments[i], json);
    json_write_object_end(json);
    json_write_key(json, STR("required"));
    json_write_array(json);
    for (size_t i = 0; i < MAX_ARGUMENTS && tool->arguments[i].name != NULL; i++)
        if (tool->arguments[i].is_needed)
            json_write_str(json, str_of(tool->arguments[i].name));
    json_write_array_end(json);
    json_write_member_bool(json, STR("additionalProperties"), false);
    json_write_object_end(json);
}

void mcp_tools_write(const struct shard *shard, struct json_write *json)
{
    json_write_array(json);
    for (size_t i = 0; i < countof(tools); i++) {
        json_write_object(json);
        json_write_member_str(json, STR("name"), str_of(tools[i].name));
        json_write_member_str(json, STR("title"), str_of(tools[i].title));
        json_write_member_str(json, STR("description"), str_of(tools[i].description));
        write_input(shard, &tools[i], json);
        json_write_member_raw(json, STR("outputSchema"), str_of(tools[i].output));
        json_write_member_raw(json, STR("annotations"),
                              STR("{\"readOnlyHint\":true,\"openWorldHint\":false}"));
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

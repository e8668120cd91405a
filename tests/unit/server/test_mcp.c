/* SPDX-License-Identifier: MIT */
/* The Model Context Protocol without a socket: messages of both families, arguments of tools, and
 * the bytes of what is said back. */
#include <stdio.h>

#include "agents/sql/catalog/catalog.h"
#include "server/facades/mcp/mcp_message.h"
#include "server/results/tables_json.h"
#include "server/facades/mcp/mcp_tools.h"
#include "server/facades/mcp/mcp_write.h"
#include "tests/lib/test.h"

enum { BUDGET = 1 << 20 };

#define MODERN "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"

static const struct {
    const char *name, *body;
    struct mcp_headers headers;
    int code, status; /* 0: it is taken */
    const char *method;
    bool has_id, is_stateless;
} messages[] = {
    {"a request", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", .method = "ping",
     .has_id = true},
    {"a request with a name",
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{}}",
     {.version = STR("2025-06-18")},
     .method = "ping",
     .has_id = true},
    {"a notification", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
     .method = "notifications/initialized"},
    {"an answer", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", .method = ""},
    {"the stateless revision",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
     "{\"name\":\"ask\"," MODERN "}}",
     {STR("2026-07-28"), STR("tools/call"), STR("ask")},
     .method = "tools/call",
     .has_id = true,
     .is_stateless = true},
    {"no JSON", "{\"jsonrpc\":", .code = MCP_PARSE_ERROR, .status = 400},
    {"nothing", "", .code = MCP_PARSE_ERROR, .status = 400},
    {"a text", "\"ping\"", .code = MCP_INVALID_REQUEST, .status = 400},
    {"a batch", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", .code = MCP_INVALID_REQUEST,
     .status = 501},
    {"another JSON-RPC", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
     .code = MCP_INVALID_REQUEST, .status = 400},
    {"no method", "{\"jsonrpc\":\"2.0\",\"id\":1}", .code = MCP_INVALID_REQUEST, .status = 400},
    {"a number for a method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
     .code = MCP_INVALID_REQUEST, .status = 400},
    {"null for an id", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
     .code = MCP_INVALID_REQUEST, .status = 400},
    {"a fraction for an id", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
     .code = MCP_INVALID_REQUEST, .status = 400},
    {"a list of params", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
     .code = MCP_INVALID_REQUEST, .status = 400},
    {"a revision of nobody",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
     {.version = STR("1999-01-01")},
     .code = MCP_UNSUPPORTED_VERSION,
     .status = 400},
    {"an envelope of nobody",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{"
     "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2999-01-01\"}}}",
     .code = MCP_UNSUPPORTED_VERSION, .status = 400},
    {"initialize settles the revision",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}",
     {.version = STR("1999-01-01")},
     .method = "initialize",
     .has_id = true},
    {"header and envelope differ",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" MODERN "}}",
     {.version = STR("2025-06-18")},
     .code = MCP_HEADER_MISMATCH,
     .status = 400},
    {"another method in the header",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" MODERN "}}",
     {STR("2026-07-28"), STR("tools/list"), {NULL, 0}},
     .code = MCP_HEADER_MISMATCH,
     .status = 400},
    {"another tool in the header",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
     "\"params\":{\"name\":\"ask\"," MODERN "}}",
     {STR("2026-07-28"), STR("tools/call"), STR("run_sql")},
     .code = MCP_HEADER_MISMATCH,
     .status = 400},
    {"no envelope",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
     {.version = STR("2026-07-28")},
     .code = MCP_INVALID_PARAMS,
     .status = 400},
};

TEST(messages_are_read)
{
    TEST_EACH(c, messages) {
        struct arena arena;
        struct mcp_message message;
        struct mcp_problem problem = {0};
        arena_init(&arena, BUDGET);
        bool fine = mcp_message_read(&arena, str_of(c->body), &c->headers, &message, &problem);
        EXPECT_INT(c->name, problem.code, c->code);
        EXPECT_INT(c->name, problem.status, c->status);
        EXPECT_INT(c->name, fine, c->code == 0);
        if (fine) {
            EXPECT_STR(c->name, message.method, str_of(c->method));
            EXPECT_INT(c->name, message.id != NULL, c->has_id);
            EXPECT_INT(c->name, message.is_stateless, c->is_stateless);
        }
        arena_fini(&arena);
    }
}

TEST(revisions)
{
    EXPECT_STR("known", mcp_message_choose_version(STR("2025-03-26")), STR("2025-03-26"));
    EXPECT_STR("unknown", mcp_message_choose_version(STR("2024-11-05")), STR("2025-11-25"));
    EXPECT_STR("has no initialize", mcp_message_choose_version(STR("2026-07-28")),
               STR("2025-11-25"));
}

static const struct {
    const char *name;
    enum mcp_tool tool;
    const char *arguments; /* NULL: none */
    const char *error;     /* NULL: taken */
} calls[] = {
    {"a question", MCP_ASK, "{\"question\":\"how many?\"}", NULL},
    {"all of ask's", MCP_ASK,
     "{\"question\":\"how many?\",\"graph\":\"banking\",\"conversation_id\":\"c\"}", NULL},
    {"null is nothing", MCP_ASK, "{\"question\":\"how many?\",\"graph\":null}", NULL},
    {"no arguments", MCP_ASK, NULL, "question: expected a string, got nothing"},
    {"another type", MCP_RUN_SQL, "{\"sql\":1}", "sql: expected a string, got an integer"},
    {"blank", MCP_RUN_SQL, "{\"sql\":\" \"}",
     "sql: expected 1 to 64 bytes that are not blank, got 1"},
    {"null where one is needed", MCP_RUN_SQL, "{\"sql\":null}", "sql: expected a string, got null"},
    {"who calls is no argument", MCP_RUN_SQL, "{\"sql\":\"SELECT 1\",\"company_id\":\"x\"}",
     "run_sql has no argument 'company_id'"},
    {"too long", MCP_SEARCH_DOCS,
     "{\"query\":\"00000000000000000000000000000000000000000000000000000000000000000\"}",
     "query: expected 1 to 64 bytes that are not blank, got 65"},
    {"no table", MCP_LIST_TABLES, NULL, NULL},
};

TEST(arguments_are_read)
{
    TEST_EACH(c, calls) {
        struct arena arena;
        struct mcp_arguments read;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        const struct json_value *arguments =
            c->arguments == NULL ? NULL
                                 : json_value_parse(&arena, str_of(c->arguments), NULL, &err);
        enum err_code code = mcp_tools_read(c->tool, arguments, 64, &read, &err);
        EXPECT_INT(c->name, code, c->error == NULL ? ERR_OK : ERR_INVALID);
        EXPECT_STR(c->name, str_of(err.text), str_of(c->error == NULL ? "" : c->error));
        arena_fini(&arena);
    }
}

/* ---- bytes ---- */

#define TOKEN(kind_, name_, text_, number_)                                                        \
    {                                                                                              \
        .kind = EVENT_##kind_, .name = STR(name_), .text = STR(text_), .number = number_           \
    }

static const struct {
    struct event event;
    const char *message; /* NULL: of no interest */
} steps[] = {
    {TOKEN(ROUTE_DECISION, "sql", "", 0), "route: sql"},
    {TOKEN(TOOL_START, "sql_agent", "", 0), "sql_agent"},
    {TOKEN(NODE_START, "sql_agent/select_tables", "", 0), "sql_agent/select_tables"},
    {TOKEN(RETRY, "correction", "no such column", 1), "correction: no such column"},
    {TOKEN(WARNING, "rule", "careful", 0), "rule: careful"},
    {TOKEN(QUEUED, "llm", "", 3), "waiting, place 3"},
    {TOKEN(TOKEN, "final", "hello", 1), NULL},
    {TOKEN(NODE_END, "sql_agent", "", 5), NULL},
    {TOKEN(STATE, "sql_agent", "\"a\":1", 0), NULL},
};

TEST(progress)
{
    const struct json_value token = {.type = JSON_STRING, .text = STR("t")};
    TEST_EACH(c, steps) {
        char want[256] = "";
        struct buf out;
        buf_init(&out, 4096);
        bool wrote = mcp_write_progress(&token, 3, &c->event, &out);
        if (c->message != NULL)
            snprintf(want, sizeof want,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                     "\"progressToken\":\"t\",\"progress\":3,\"message\":\"%s\"}}",
                     c->message);
        EXPECT_INT(event_name(c->event.kind), wrote, c->message != NULL);
        EXPECT_STR(event_name(c->event.kind), buf_str(&out), str_of(want));
        buf_fini(&out);
    }
}

TEST(results)
{
    const struct json_value id = {.type = JSON_INT, .integer = 7, .number = 7, .text = STR("7")};
    struct mcp_message message = {.id = &id, .method = STR("tools/call")};
    const struct mcp_result fine = {STR("42"), STR("{\"answer\":\"42\"}"), false};
    const struct mcp_result wrong = {STR("sql_rejected: no"), {NULL, 0}, true};
    struct buf out;
    buf_init(&out, 4096);
    mcp_write_result(&message, &fine, &out);
    EXPECT_STR("fine", buf_str(&out),
               STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\","
                   "\"text\":\"42\"}],\"structuredContent\":{\"answer\":\"42\"}}}"));
    buf_clear(&out);
    mcp_write_result(&message, &wrong, &out);
    EXPECT_STR("wrong", buf_str(&out),
               STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\","
                   "\"text\":\"sql_rejected: no\"}],\"isError\":true}}"));
    buf_clear(&out);
    message.is_stateless = true;
    mcp_write_empty(&message, &out);
    EXPECT_STR("stateless", buf_str(&out),
               STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"resultType\":\"complete\"}}"));
    buf_fini(&out);
}

TEST(problems)
{
    const struct mcp_message none = {.method = {NULL, 0}};
    struct mcp_problem problem;
    struct buf out;
    buf_init(&out, 4096);
    mcp_message_refuse(&problem, &none, 400, MCP_PARSE_ERROR, "no \"JSON\"");
    mcp_write_problem(&problem, &out);
    EXPECT_STR("no id", buf_str(&out),
               STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no "
                   "\\\"JSON\\\"\"}}"));
    buf_clear(&out);
    mcp_message_refuse(&problem, &none, 400, MCP_UNSUPPORTED_VERSION, "no");
    problem.requested = STR("x");
    mcp_write_problem(&problem, &out);
    EXPECT_STR("a revision", buf_str(&out),
               STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32022,\"message\":\"no\","
                   "\"data\":{\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\","
                   "\"2025-03-26\"],\"requested\":\"x\"}}}"));
    buf_fini(&out);
}

/* ---- list_tables ---- */

static const char schema[] =
    "{\"version\":1,\"tables\":{\"employee\":{\"columns\":[\"id\",\"salary\"],\"unique_columns\":"
    "[\"id\"]},\"secure_employee\":{\"columns\":[\"id\"]},\"crew\":{\"columns\":[\"id\","
    "\"lead\"],\"unique_columns\":[\"id\"]}},\"relationships\":[]}";

TEST(tables)
{
    struct err err = {0};
    struct catalog *catalog;
    struct sql_policy policy = sql_policy_default;
    const struct sql_secure_pair pair = {STR("employee"), STR("secure_employee")};
    struct knowledge knows = {.dialect = SQL_POSTGRES, .policy = &policy};
    struct buf out;
    policy.secure_views = &pair;
    policy.secure_view_count = 1;
    buf_init(&out, 4096);
    EXPECT_INT("no catalog", tables_json_write(&knows, (struct str){NULL, 0}, &out, &err),
               ERR_UNAVAILABLE);
    assert_int_equal(catalog_from_join_graph(str_of(schema), &catalog, &err), ERR_OK);
    knows.catalog = catalog;
    EXPECT_INT("all", tables_json_write(&knows, (struct str){NULL, 0}, &out, &err), ERR_OK);
    EXPECT_STR("a view is shown as its table", buf_str(&out),
               STR("{\"dialect\":\"postgresql\",\"tables\":[{\"name\":\"employee\"},"
                   "{\"name\":\"crew\"}]}"));
    buf_clear(&out);
    EXPECT_INT("one", tables_json_write(&knows, STR("employee"), &out, &err), ERR_OK);
    EXPECT_STR("what the view lets through", buf_str(&out),
               STR("{\"dialect\":\"postgresql\",\"tables\":[{\"name\":\"employee\",\"columns\":"
                   "[{\"name\":\"id\",\"type\":\"\"}],\"references\":[]}]}"));
    buf_clear(&out);
    EXPECT_INT("none", tables_json_write(&knows, STR("payroll"), &out, &err), ERR_NOT_FOUND);
    EXPECT_INT("nothing was written", buf_len(&out), 0);
    buf_fini(&out);
    catalog_destroy(catalog);
}

RUN_TESTS(T(messages_are_read), T(revisions), T(arguments_are_read), T(progress), T(results),
          T(problems), T(tables))

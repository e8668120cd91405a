/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_http.c - the server in-process on a free port, against a client that sends
 * exactly what it is told: HTTP, streams, rejoin, limits. Runs are flow_runs.c's. */
#include "tests/lib/http_peer.h"
#include "tests/lib/test.h"

#include <poll.h>
#include <stdio.h>

#include "core/base/id.h"

#define JSON "Content-Type: application/json\r\n"
#define CHAT "/internal/chat/stream"

static char body[256 * 1024];

static const char *ask(const char *message, const char *conversation, const char *options)
{
    snprintf(body, sizeof body,
             "{\"input\":{\"message\":\"%s\"},\"conversation\":{\"id\":\"%s\",\"user_id\":\"u\","
             "\"company_id\":\"c\"},\"options\":{%s}}",
             message, conversation, options);
    return body;
}

static bool has(struct str text, const char *needle)
{
    return str_find(text, str_of(needle)) != STR_NONE;
}

static size_t count_of(struct str text, const char *needle)
{
    size_t count = 0;
    for (ptrdiff_t at; (at = str_find(text, str_of(needle))) != STR_NONE; count++)
        text = str_from(text, (size_t)at + 1);
    return count;
}

static struct str run_id_of(const struct http_answer *answer, char *room)
{
    ptrdiff_t at = str_find(answer->head, STR("X-Run-Id: "));
    assert_true(at != STR_NONE);
    memcpy(room, answer->head.at + at + 10, ID_RUN_BYTES);
    room[ID_RUN_BYTES] = '\0';
    return str_make(room, ID_RUN_BYTES);
}

/* text with every run id as RUN, up to the terminal event's ids. */
static void normalise(struct str text, struct str run_id, struct buf *out)
{
    ptrdiff_t at;
    while ((at = str_find(text, run_id)) != STR_NONE) {
        buf_push(out, str_slice(text, 0, (size_t)at));
        buf_push(out, STR("RUN"));
        text = str_from(text, (size_t)at + run_id.len);
    }
    buf_push(out, text);
    at = str_find(buf_str(out), STR(",\"duration_ms\""));
    if (at != STR_NONE)
        buf_truncate(out, (size_t)at);
}

TEST(a_whole_stream)
{
    static const char want[] =
        ": ok\n"
        "id: RUN:1\ndata: {\"event\":\"route_decision\",\"route\":\"orchestrator\"}\n\n"
        "id: RUN:2\ndata: {\"event\":\"tool_start\",\"tool\":\"talk\"}\n\n"
        "id: RUN:3\ndata: {\"event\":\"token\",\"channel\":\"final\",\"content\":\"t0 \"}\n\n"
        "id: RUN:4\ndata: {\"event\":\"token\",\"channel\":\"final\",\"content\":\"t1 \"}\n\n"
        "id: RUN:5\ndata: {\"event\":\"complete\",\"run_id\":\"RUN\",\"conversation_id\":\"c1\","
        "\"route\":\"orchestrator\",\"stats\":{\"tokens\":2,\"estimated\":true,"
        "\"prompt_tokens\":0,\"completion_tokens\":0,\"llm_calls\":0,\"sql_attempts\":0";
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    struct http_answer answer;
    char room[64];
    struct buf text;
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_post(&peer, CHAT, "", ask("stream 2 0 0", "c1", ""));
    http_peer_take(&peer, &answer);
    EXPECT_INT("status", answer.status, 200);
    EXPECT_TRUE("last chunk", answer.complete);
    EXPECT_TRUE("type", has(answer.head, "Content-Type: text/event-stream; charset=utf-8\r\n"));
    EXPECT_TRUE("cache", has(answer.head, "Cache-Control: no-cache, no-transform\r\n"));
    EXPECT_TRUE("buffering", has(answer.head, "X-Accel-Buffering: no\r\n"));
    EXPECT_TRUE("no length", !has(answer.head, "Content-Length"));
    buf_init(&text, 65536);
    normalise(buf_str(&answer.body), run_id_of(&answer, room), &text);
    EXPECT_STR("transcript", buf_str(&text), str_of(want));
    buf_fini(&text);
    buf_fini(&answer.body);
    http_peer_get(&peer, "/healthz", "");
    EXPECT_INT("the connection serves another", http_peer_status(&peer), 200);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

TEST(pipelined_requests_are_answered_in_order)
{
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    struct http_answer answer;
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_get(&peer, "/healthz", "");
    http_peer_post(&peer, CHAT, "", ask("stream 3 1 0", "c1", ""));
    http_peer_get(&peer, "/version", "");
    http_peer_get(&peer, "/nowhere", "Connection: close\r\n");
    EXPECT_INT("health", http_peer_status(&peer), 200);
    http_peer_take(&peer, &answer);
    EXPECT_INT("tokens", count_of(buf_str(&answer.body), "\"token\""), 3);
    buf_fini(&answer.body);
    http_peer_take(&peer, &answer);
    EXPECT_TRUE("version", has(buf_str(&answer.body), "\"askd\""));
    buf_fini(&answer.body);
    EXPECT_INT("nowhere", http_peer_status(&peer), 404);
    EXPECT_TRUE("closed", http_peer_at_end(&peer));
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

TEST(a_request_byte_by_byte)
{
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    char text[2048];
    const char *json = ask("stream 1 0 0", "c1", "");
    int len = snprintf(text, sizeof text,
                       "POST " CHAT " HTTP/1.1\r\nHost: t\r\n" JSON
                       "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
                       strlen(json), json);
    http_peer_open(&peer, server_rig_port(rig));
    for (int i = 0; i < len; i++)
        http_peer_send(&peer, str_make(text + i, 1));
    EXPECT_INT("status", http_peer_status(&peer), 200);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

static const struct {
    const char *name, *bytes;
    int status;
} malformed[] = {
    {"both lengths",
     "POST /ask HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n"
     "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400},
    {"two lengths",
     "POST /ask HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n"
     "Content-Length: 6\r\n\r\nhello",
     400},
    {"a sign", "POST /ask HTTP/1.1\r\nHost: t\r\nContent-Length: +5\r\n\r\nhello", 400},
    {"fold", "GET /healthz HTTP/1.1\r\nHost: t\r\n X: y\r\n\r\n", 400},
    {"blank before colon", "GET /healthz HTTP/1.1\r\nHost : t\r\n\r\n", 400},
    {"bare LF", "GET /healthz HTTP/1.1\nHost: t\n\n", 400},
    {"CR alone", "GET /healthz HTTP/1.1\r\nHost: t\r\n\rX", 400},
    {"no host", "GET /healthz HTTP/1.1\r\n\r\n", 400},
    {"two hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    {"no version", "GET /healthz\r\n\r\n", 400},
    {"version 2", "GET /healthz HTTP/2.0\r\nHost: t\r\n\r\n", 400},
    {"chunk size", "POST /ask HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     400},
    {"chunk end",
     "POST /ask HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
     "2\r\nabXX0\r\n\r\n",
     400},
    {"too long a body", "POST /ask HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999\r\n\r\n", 413},
};

TEST(malformed_requests_are_refused_and_closed)
{
    struct server_rig *rig = server_rig_start(NULL);
    TEST_EACH(c, malformed) {
        struct http_peer peer;
        http_peer_open(&peer, server_rig_port(rig));
        http_peer_send(&peer, str_of(c->bytes));
        EXPECT_INT(c->name, http_peer_status(&peer), c->status);
        EXPECT_TRUE(c->name, http_peer_at_end(&peer));
        EXPECT_INT(c->name, buf_len(&peer.in), 0);
        http_peer_close(&peer);
    }
    assert_true(server_rig_stop(rig));
}

static const struct {
    const char *name, *path, *body;
    int status;
    const char *says;
} bodies[] = {
    {"none", CHAT, "", 400, "got none"},
    {"no JSON", CHAT, "{", 400, "not JSON"},
    {"NUL", CHAT, "{\"input\":{\"message\":\"a\\u0000\"}}", 400, "not JSON"},
    {"lone surrogate", CHAT, "{\"input\":{\"message\":\"\\ud800\"}}", 400, "not JSON"},
    {"bad UTF-8", CHAT, "{\"input\":{\"message\":\"\xff\"}}", 400, "not JSON"},
    {"an array", CHAT, "[]", 422, "JSON object"},
    {"no message", CHAT, "{\"input\":{}}", 422, "\"pointer\":\"/input/message\""},
    {"a number", CHAT, "{\"input\":{\"message\":5}}", 422, "\"pointer\":\"/input/message\""},
    {"blank", CHAT, "{\"input\":{\"message\":\" \\n\"}}", 422, "\"pointer\":\"/input/message\""},
    {"input is text", CHAT, "{\"input\":\"x\"}", 422, "\"pointer\":\"/input\""},
    {"no conversation", CHAT, "{\"input\":{\"message\":\"x\"}}", 422,
     "\"pointer\":\"/conversation/id\""},
    {"no company", CHAT,
     "{\"input\":{\"message\":\"x\"},\"conversation\":{\"id\":\"a\",\"user_id\":\"b\"}}", 422,
     "\"pointer\":\"/conversation/company_id\""},
    {"empty id", CHAT, "{\"input\":{\"message\":\"x\"},\"conversation\":{\"id\":\"\"}}", 422,
     "\"pointer\":\"/conversation/id\""},
    {"no such graph", "/internal/graphs/none/stream", "{\"input\":{\"message\":\"x\"}}", 404,
     "no graph 'none'"},
    {"the graph refuses", "/internal/graphs/orchestrator/stream",
     "{\"input\":{\"message\":\"refuse\"}}", 422, "\"pointer\":\"/input/message\""},
    {"no query", "/ask", "{}", 422, "\"pointer\":\"/query\""},
    {"blank query", "/ask", "{\"query\":\" \"}", 200, "\"error\":\"the query is empty"},
};

static const struct {
    const char *options, *pointer;
} bad_options[] = {
    {"\"colour\":1", "/options/colour"},
    {"\"graph\":\"none\"", "/options/graph"},
    {"\"graph\":1", "/options/graph"},
    {"\"detail\":\"all\"", "/options/detail"},
    {"\"on_disconnect\":false", "/options/on_disconnect"},
    {"\"multitask\":\"both\"", "/options/multitask"},
};

static void expect_problem(struct http_peer *peer, const char *name, int status, const char *says)
{
    struct http_answer answer;
    http_peer_take(peer, &answer);
    EXPECT_INT(name, answer.status, status);
    if (!has(buf_str(&answer.body), says))
        fail_msg("%s: no %s in %.*s", name, says, STR_ARG(buf_str(&answer.body)));
    buf_fini(&answer.body);
}

TEST(bad_bodies_name_the_field)
{
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    char pointer[128];
    http_peer_open(&peer, server_rig_port(rig));
    TEST_EACH(c, bodies) {
        http_peer_post(&peer, c->path, "", c->body);
        expect_problem(&peer, c->name, c->status, c->says);
    }
    TEST_EACH(c, bad_options) {
        snprintf(pointer, sizeof pointer, "\"pointer\":\"%s\"", c->pointer);
        http_peer_post(&peer, CHAT, "", ask("x", "c", c->options));
        expect_problem(&peer, c->options, 422, pointer);
    }
    http_peer_post(&peer, CHAT, "", ask("stream 1 0 0", "c", "\"detail\":\"nodes\""));
    EXPECT_INT("the next good one", http_peer_status(&peer), 200);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

static void fill(char *to, size_t len)
{
    memset(to, 'x', len);
    to[len] = '\0';
}

TEST(limits_in_bytes)
{
    static char long_text[70000];
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    http_peer_open(&peer, server_rig_port(rig));
    fill(long_text, 32768);
    http_peer_post(&peer, CHAT, "", ask(long_text, "c", ""));
    EXPECT_INT("a message of 32 KiB", http_peer_status(&peer), 200);
    fill(long_text, 32769);
    http_peer_post(&peer, CHAT, "", ask(long_text, "c", ""));
    expect_problem(&peer, "one byte more", 422, "/input/message");
    fill(long_text, 129);
    http_peer_post(&peer, CHAT, "", ask("x", long_text, ""));
    expect_problem(&peer, "a long id", 422, "/conversation/id");
    fill(long_text, 9000);
    long_text[0] = '/';
    http_peer_get(&peer, long_text, "");
    EXPECT_INT("a long target", http_peer_status(&peer), 414);
    http_peer_close(&peer);
    http_peer_open(&peer, server_rig_port(rig));
    fill(long_text, 40000);
    memcpy(long_text, "A: ", 3);
    memcpy(long_text + 39998, "\r\n", 3);
    http_peer_get(&peer, "/healthz", long_text);
    EXPECT_INT("long headers", http_peer_status(&peer), 431);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

TEST(old_clients_and_careful_ones)
{
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    struct http_answer answer;
    char text[1024];
    const char *json = ask("stream 1 0 0", "c1", "");
    http_peer_open(&peer, server_rig_port(rig));
    int len = snprintf(text, sizeof text,
                       "POST " CHAT " HTTP/1.0\r\n" JSON "Content-Length: %zu\r\n\r\n%s",
                       strlen(json), json);
    http_peer_send(&peer, str_make(text, (size_t)len));
    http_peer_take(&peer, &answer);
    EXPECT_TRUE("not chunked", !has(answer.head, "chunked"));
    EXPECT_TRUE("complete", has(buf_str(&answer.body), "\"complete\""));
    buf_fini(&answer.body);
    http_peer_close(&peer);
    http_peer_open(&peer, server_rig_port(rig));
    len = snprintf(text, sizeof text,
                   "POST " CHAT " HTTP/1.1\r\nHost: t\r\n" JSON "Expect: 100-continue\r\n"
                   "Content-Length: %zu\r\n\r\n",
                   strlen(json));
    http_peer_send(&peer, str_make(text, (size_t)len));
    EXPECT_INT("continue", http_peer_status(&peer), 100);
    http_peer_send(&peer, str_of(json));
    EXPECT_INT("answer", http_peer_status(&peer), 200);
    http_peer_send(&peer, STR("HEAD /healthz HTTP/1.1\r\nHost: t\r\n\r\n"
                              "PUT /healthz HTTP/1.1\r\nHost: t\r\n\r\n"));
    EXPECT_TRUE("head", http_peer_wait(&peer, "Content-Length: 3\r\n"));
    EXPECT_TRUE("no body", http_peer_wait(&peer, "\r\n\r\nHTTP/1.1 405"));
    EXPECT_TRUE("allow", http_peer_wait(&peer, "Allow: GET, HEAD\r\n"));
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

/* A request has one deadline for its head and one for its body, however many bytes come. */
TEST(slow_requests_are_given_up)
{
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer half, drip; /* both at once */
    unsigned bytes = 0;
    http_peer_open(&half, server_rig_port(rig));
    http_peer_send(&half, STR("GET /healthz HT"));
    http_peer_open(&drip, server_rig_port(rig));
    http_peer_send(&drip,
                   STR("POST /ask HTTP/1.1\r\nHost: t\r\n" JSON "Content-Length: 100000\r\n\r\n"));
    for (struct pollfd read = {.fd = drip.fd, .events = POLLIN}; poll(&read, 1, 200) == 0; bytes++)
        http_peer_send(&drip, STR("x"));
    EXPECT_INT("body", http_peer_status(&drip), 408);
    EXPECT_TRUE("it had time", bytes > 10);
    EXPECT_INT("headers", http_peer_status(&half), 408);
    EXPECT_TRUE("closed", http_peer_at_end(&half));
    http_peer_close(&half);
    http_peer_close(&drip);
    assert_true(server_rig_stop(rig));
}

TEST(keys)
{
    static const char *const settings[] = {"ASKD_API_KEYS=one, two", NULL};
    struct server_rig *rig = server_rig_start(settings);
    struct http_peer peer;
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_get(&peer, "/internal/graphs", "");
    EXPECT_INT("none", http_peer_status(&peer), 401);
    http_peer_get(&peer, "/internal/graphs", "Authorization: Bearer three\r\n");
    EXPECT_INT("wrong", http_peer_status(&peer), 401);
    http_peer_get(&peer, "/internal/graphs", "Authorization: Bearer two\r\n");
    EXPECT_INT("right", http_peer_status(&peer), 200);
    http_peer_get(&peer, "/healthz", "");
    EXPECT_INT("open", http_peer_status(&peer), 200);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

RUN_TESTS(T(a_whole_stream), T(pipelined_requests_are_answered_in_order), T(a_request_byte_by_byte),
          T(malformed_requests_are_refused_and_closed), T(bad_bodies_name_the_field),
          T(limits_in_bytes), T(old_clients_and_careful_ones), T(slow_requests_are_given_up),
          T(keys))

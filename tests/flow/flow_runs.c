/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_runs.c - the life of runs behind HTTP: rejoin, abort, grace, cancel, slow
 * readers, conversations, hand-over, drain. */
#include "tests/lib/http_peer.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/id.h"

#define CHAT "/internal/chat/stream"
enum { MAX_POLLS = 200000 };

static char body[4096];

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

/* Wait for a stream's head and read its run id. */
static void read_run_id(struct http_peer *peer, char *room)
{
    assert_true(http_peer_wait(peer, "\r\n\r\n"));
    struct str text = buf_str(&peer->in);
    ptrdiff_t at = str_find(text, STR("X-Run-Id: "));
    if (at == STR_NONE)
        fail_msg("no run id in %.*s", STR_ARG(text));
    memcpy(room, text.at + at + 10, ID_RUN_BYTES);
    room[ID_RUN_BYTES] = '\0';
}

static void open_stream(struct http_peer *peer, unsigned port, const char *headers,
                        const char *json)
{
    http_peer_open(peer, port);
    http_peer_post(peer, CHAT, headers, json);
}

/* Ask for path until its answer holds needle. Each poll is a request of its own: no sleeping. */
static bool poll_for(unsigned port, const char *path, const char *needle)
{
    struct http_peer peer;
    bool found = false;
    http_peer_open(&peer, port);
    for (unsigned i = 0; i < MAX_POLLS && !found; i++) {
        struct http_answer answer;
        http_peer_get(&peer, path, "");
        http_peer_take(&peer, &answer);
        found = has(buf_str(&answer.body), needle);
        if (!found && i + 1 == MAX_POLLS)
            print_error("%s: %.*s\n", path, STR_ARG(buf_str(&answer.body)));
        buf_fini(&answer.body);
    }
    http_peer_close(&peer);
    return found;
}

static int rejoin(unsigned port, const char *run, unsigned long long after,
                  struct http_answer *answer)
{
    struct http_peer peer;
    char path[128], header[128];
    snprintf(path, sizeof path, "/internal/runs/%s/stream?company_id=c&user_id=u", run);
    snprintf(header, sizeof header, "Last-Event-ID: %s:%llu\r\n", run, after);
    http_peer_open(&peer, port);
    http_peer_get(&peer, path, header);
    http_peer_take(&peer, answer);
    http_peer_close(&peer);
    return answer->status;
}

TEST(rejoin_at_every_event)
{
    enum { EVENTS = 9 }; /* route, tool, six tokens, complete */
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    struct http_peer peer;
    struct http_answer whole, rest;
    char run[64], needle[96];
    open_stream(&peer, port, "", ask("stream 6 0 0", "c1", ""));
    read_run_id(&peer, run);
    http_peer_take(&peer, &whole);
    for (unsigned after = 0; after < EVENTS; after++) {
        EXPECT_INT("status", rejoin(port, run, after, &rest), 200);
        snprintf(needle, sizeof needle, "id: %s:%u\n", run, after + 1);
        ptrdiff_t at = str_find(buf_str(&whole.body), str_of(needle));
        assert_true(at != STR_NONE);
        EXPECT_STR("the rest, byte for byte", str_from(buf_str(&rest.body), 5),
                   str_from(buf_str(&whole.body), (size_t)at));
        buf_fini(&rest.body);
    }
    EXPECT_INT("nothing follows", rejoin(port, run, EVENTS, &rest), 204);
    buf_fini(&rest.body);
    EXPECT_INT("never said", rejoin(port, run, EVENTS + 1, &rest), 400);
    buf_fini(&rest.body);
    EXPECT_INT("no such run", rejoin(port, "run_00aaaaaaaaaaaaaaaaaaaaaaaa", 0, &rest), 410);
    buf_fini(&rest.body);
    snprintf(needle, sizeof needle, "Last-Event-ID: %s:7\r\n", run);
    http_peer_post(&peer, CHAT, needle, ask("stream 6 0 0", "c1", ""));
    http_peer_take(&peer, &rest);
    EXPECT_INT("by POST", count_of(buf_str(&rest.body), "data: "), 2);
    buf_fini(&rest.body);
    http_peer_post(&peer, CHAT, needle, ask("stream 6 0 0", "c2", ""));
    EXPECT_INT("another conversation", http_peer_status(&peer), 404);
    http_peer_close(&peer);
    buf_fini(&whole.body);
    assert_true(server_rig_stop(rig));
}

TEST(the_same_key_joins_the_same_run)
{
    struct server_rig *rig = server_rig_start(NULL);
    struct http_peer peer;
    struct http_answer first, second;
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_post(&peer, CHAT, "Idempotency-Key: k\r\n", ask("stream 2 0 0", "c1", ""));
    http_peer_take(&peer, &first);
    http_peer_post(&peer, CHAT, "Idempotency-Key: k\r\n", ask("stream 2 0 0", "c1", ""));
    http_peer_take(&peer, &second);
    EXPECT_STR("the same events", buf_str(&second.body), buf_str(&first.body));
    http_peer_post(&peer, CHAT, "Idempotency-Key: k\r\n", ask("stream 3 0 0", "c1", ""));
    EXPECT_INT("another message", http_peer_status(&peer), 422);
    http_peer_post(&peer, "/internal/graphs/banking/stream", "Idempotency-Key: k\r\n",
                   ask("stream 2 0 0", "c1", ""));
    EXPECT_INT("another graph", http_peer_status(&peer), 422);
    http_peer_post(&peer, "/internal/graphs/orchestrator/invoke", "Idempotency-Key: k\r\n",
                   ask("stream 3 0 0", "c1", ""));
    EXPECT_INT("another message, invoked", http_peer_status(&peer), 422);
    buf_fini(&first.body);
    buf_fini(&second.body);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

TEST(a_client_that_leaves)
{
    static const char *const settings[] = {"ASKD_DISCONNECT_GRACE_SECONDS=0.05", NULL};
    static const char *const options[] = {"", "\"on_disconnect\":\"cancel\""};
    struct server_rig *rig = server_rig_start(settings);
    unsigned port = server_rig_port(rig);
    for (unsigned i = 0; i < 4; i++) {
        struct http_peer peer;
        struct http_answer answer;
        char run[64], conversation[16];
        snprintf(conversation, sizeof conversation, "c%u", i);
        open_stream(&peer, port, "", ask("stall 2 0 0", conversation, options[i / 2]));
        read_run_id(&peer, run);
        assert_true(http_peer_wait(&peer, "t1 "));
        if (i % 2 == 0)
            http_peer_close(&peer);
        else
            http_peer_reset(&peer);
        assert_true(poll_for(port, "/admin/runs", "\"ended\""));
        assert_true(poll_for(port, "/metrics", "askd_runs_active 0\n"));
        EXPECT_INT("its end", rejoin(port, run, 0, &answer), 200);
        EXPECT_TRUE("cancelled", has(buf_str(&answer.body), "\"code\":\"cancelled\""));
        EXPECT_TRUE("with what was used", has(buf_str(&answer.body), "\"tokens\":2"));
        buf_fini(&answer.body);
    }
    assert_true(poll_for(port, "/metrics", "outcome=\"client_gone\"} 4\n"));
    assert_true(server_rig_stop(rig));
}

TEST(a_client_that_comes_back_in_time)
{
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    struct http_peer peer;
    struct http_answer answer;
    char run[64];
    open_stream(&peer, port, "", ask("stream 40 5 0", "c1", ""));
    read_run_id(&peer, run);
    assert_true(http_peer_wait(&peer, "t3 "));
    http_peer_reset(&peer);
    EXPECT_INT("rejoined", rejoin(port, run, 6, &answer), 200);
    EXPECT_INT("the rest", count_of(buf_str(&answer.body), "\"token\""), 40 - 4);
    EXPECT_TRUE("to the end", has(buf_str(&answer.body), "\"complete\""));
    buf_fini(&answer.body);
    assert_true(server_rig_stop(rig));
}

TEST(a_run_that_fails_and_one_that_is_cancelled)
{
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    struct http_peer peer, other;
    struct http_answer answer;
    char run[64], path[128];
    open_stream(&peer, port, "", ask("fail 1 0 0", "c1", ""));
    http_peer_take(&peer, &answer);
    EXPECT_TRUE("complete chunks", answer.complete);
    EXPECT_TRUE("its code", has(buf_str(&answer.body), "\"code\":\"model_unavailable\""));
    EXPECT_INT("one end", count_of(buf_str(&answer.body), "\"event\":\"error\""), 1);
    buf_fini(&answer.body);
    http_peer_post(&peer, CHAT, "", ask("stall 1 0 0", "c1", ""));
    read_run_id(&peer, run);
    snprintf(path, sizeof path, "/internal/runs/%s/cancel?company_id=c&user_id=u", run);
    http_peer_open(&other, port);
    http_peer_post(&other, path, "", "");
    EXPECT_INT("accepted", http_peer_status(&other), 202);
    http_peer_take(&peer, &answer);
    EXPECT_TRUE("cancelled", has(buf_str(&answer.body), "\"code\":\"cancelled\""));
    buf_fini(&answer.body);
    http_peer_post(&other, "/internal/graphs/orchestrator/invoke", "",
                   "{\"input\":{\"message\":\"hello\"}}");
    http_peer_take(&other, &answer);
    EXPECT_TRUE("one answer", has(buf_str(&answer.body), "\"error\":null,\"run_id\":\"run_"));
    buf_fini(&answer.body);
    http_peer_post(&other, "/ask", "", "{\"query\":\"fail 1 0 0\"}");
    http_peer_take(&other, &answer);
    EXPECT_STR("five keys", buf_str(&answer.body),
               STR("{\"validated_sql\":null,\"execution_result\":null,\"chart_suggestion\":null,"
                   "\"error\":\"the model is unavailable\"}"));
    buf_fini(&answer.body);
    http_peer_close(&other);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

TEST(a_busy_conversation)
{
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    struct http_peer first, second, third;
    struct http_answer answer;
    open_stream(&first, port, "", ask("stall 1 0 0", "c1", ""));
    assert_true(http_peer_wait(&first, "t0 "));
    open_stream(&second, port, "", ask("stream 1 0 0", "c1", ""));
    EXPECT_INT("rejected", http_peer_status(&second), 409);
    http_peer_post(&second, CHAT, "", ask("stream 1 0 0", "c1", "\"multitask\":\"enqueue\""));
    assert_true(http_peer_wait(&second, ": ok\n"));
    open_stream(&third, port, "", ask("stream 2 0 0", "c1", "\"multitask\":\"interrupt\""));
    http_peer_take(&first, &answer);
    EXPECT_TRUE("interrupted", has(buf_str(&answer.body), "\"code\":\"cancelled\""));
    buf_fini(&answer.body);
    http_peer_take(&second, &answer);
    EXPECT_TRUE("its turn came", has(buf_str(&answer.body), "\"complete\""));
    buf_fini(&answer.body);
    http_peer_take(&third, &answer);
    EXPECT_TRUE("then the third's", has(buf_str(&answer.body), "\"complete\""));
    buf_fini(&answer.body);
    http_peer_close(&first);
    http_peer_close(&second);
    http_peer_close(&third);
    assert_true(server_rig_stop(rig));
}

static const char *const full_settings[] = {"ASKD_MAX_RUNS=1", "ASKD_MAX_QUEUED_RUNS=1",
                                            "ASKD_MAX_CONNECTIONS=3", NULL};

/* Whoever is turned away reads why, however much it had to say. */
static void expect_shed(unsigned port)
{
    enum { TRIES = 50, LONG_BYTES = 32 * 1024 };
    char *text = calloc(1, LONG_BYTES + 1);
    assert_non_null(text);
    memset(text, 'x', LONG_BYTES);
    for (unsigned i = 0; i < TRIES; i++) {
        struct http_peer peer;
        http_peer_open(&peer, port);
        http_peer_post(&peer, CHAT, "", text);
        EXPECT_INT("told", http_peer_status(&peer), 503);
        http_peer_close(&peer);
    }
    free(text);
}

TEST(no_place_left)
{
    struct server_rig *rig = server_rig_start(full_settings);
    unsigned port = server_rig_port(rig);
    struct http_peer peers[4];
    open_stream(&peers[0], port, "", ask("stall 1 0 0", "c1", ""));
    assert_true(http_peer_wait(&peers[0], "t0 "));
    open_stream(&peers[1], port, "", ask("stream 1 0 0", "c2", ""));
    assert_true(http_peer_wait(&peers[1], ": ok\n"));
    open_stream(&peers[2], port, "", ask("stream 1 0 0", "c3", ""));
    assert_true(http_peer_wait(&peers[2], "Retry-After: 1\r\n"));
    EXPECT_INT("too many runs", http_peer_status(&peers[2]), 429);
    http_peer_open(&peers[3], port);
    EXPECT_INT("too many connections", http_peer_status(&peers[3]), 503);
    expect_shed(server_rig_port(rig));
    for (unsigned i = 0; i < 4; i++)
        http_peer_close(&peers[i]);
    assert_true(server_rig_stop(rig));
}

/* A reader that does not read: the run is paused, then everything arrives. */
TEST(a_slow_reader_holds_its_run)
{
    enum { TOKENS = 12000, TOKEN_BYTES = 4000 }; /* more than a run's log and the sockets hold */
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    struct http_peer peer;
    struct http_answer answer;
    char message[64];
    snprintf(message, sizeof message, "stream %d 0 %d", TOKENS, TOKEN_BYTES);
    open_stream(&peer, port, "", ask(message, "c1", ""));
    assert_true(http_peer_wait(&peer, "t0 "));
    assert_true(poll_for(port, "/metrics", "askd_sse_backpressure_pauses_total 1\n"));
    EXPECT_TRUE("it goes on", poll_for(port, "/admin/runs", "\"active\""));
    http_peer_take(&peer, &answer);
    EXPECT_INT("all of it", count_of(buf_str(&answer.body), "\"token\""), TOKENS);
    EXPECT_TRUE("complete", has(buf_str(&answer.body), "\"complete\""));
    EXPECT_TRUE("not lagged", !has(buf_str(&answer.body), "lagged"));
    buf_fini(&answer.body);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

/* Of two readers the slow one is told that it lags; the other gets everything. */
TEST(a_slow_reader_beside_a_fast_one)
{
    enum { TOKENS = 20000, TOKEN_BYTES = 4000 }; /* more than a run's log and the sockets hold */
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    struct http_peer fast, slow;
    struct http_answer answer;
    char message[64], run[64], path[128];
    snprintf(message, sizeof message, "stream %d 0 %d", TOKENS, TOKEN_BYTES);
    open_stream(&fast, port, "", ask(message, "c1", ""));
    read_run_id(&fast, run);
    snprintf(path, sizeof path, "/internal/runs/%s/stream?company_id=c&user_id=u", run);
    http_peer_open(&slow, port);
    http_peer_get(&slow, path, "");
    assert_true(http_peer_wait(&slow, "t0 "));
    http_peer_take(&fast, &answer);
    EXPECT_INT("all of it", count_of(buf_str(&answer.body), "\"token\""), TOKENS);
    EXPECT_TRUE("complete", has(buf_str(&answer.body), "\"complete\""));
    buf_fini(&answer.body);
    http_peer_take(&slow, &answer);
    EXPECT_TRUE("told", has(buf_str(&answer.body), "\"code\":\"lagged\""));
    buf_fini(&answer.body);
    http_peer_close(&fast);
    http_peer_close(&slow);
    assert_true(server_rig_stop(rig));
}

TEST(silence_has_a_heartbeat)
{
    static const char *const settings[] = {"ASKD_HEARTBEAT_SECONDS=0.05", NULL};
    struct server_rig *rig = server_rig_start(settings);
    struct http_peer peer;
    open_stream(&peer, server_rig_port(rig), "", ask("stall 1 0 0", "c1", ""));
    EXPECT_TRUE("one line", http_peer_wait(&peer, "\r\n: hb\n\r\n"));
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

/* How many runs path lists. */
static void expect_runs(unsigned port, const char *path, size_t count)
{
    struct http_peer peer;
    struct http_answer answer;
    http_peer_open(&peer, port);
    http_peer_get(&peer, path, "");
    http_peer_take(&peer, &answer);
    EXPECT_INT(path, answer.status, 200);
    EXPECT_INT(path, count_of(buf_str(&answer.body), "\"run_id\""), count);
    buf_fini(&answer.body);
    http_peer_close(&peer);
}

static int status_of(unsigned port, const char *method, const char *run, const char *rest)
{
    struct http_peer peer;
    char path[256];
    snprintf(path, sizeof path, "/internal/runs/%s/%s", run, rest);
    http_peer_open(&peer, port);
    if (strcmp(method, "GET") == 0)
        http_peer_get(&peer, path, "");
    else
        http_peer_post(&peer, path, "", "");
    int status = http_peer_status(&peer);
    http_peer_close(&peer);
    return status;
}

TEST(a_run_is_its_callers)
{
    static const char *const settings[] = {"ASKD_WORKERS=2", NULL};
    struct server_rig *rig = server_rig_start(settings);
    unsigned port = server_rig_port(rig);
    struct http_peer peer;
    struct http_answer answer;
    char run[64];
    open_stream(&peer, port, "", ask("stall 1 0 0", "c1", ""));
    read_run_id(&peer, run);
    EXPECT_INT("a stranger", status_of(port, "GET", run, "stream?company_id=x&user_id=u"), 404);
    EXPECT_INT("a colleague", status_of(port, "GET", run, "stream?user_id=v"), 404);
    EXPECT_INT("nobody", status_of(port, "GET", run, "stream"), 404);
    EXPECT_INT("nobody, written", status_of(port, "GET", run, "stream?company_id=&user_id="), 404);
    EXPECT_INT("half of its name", status_of(port, "GET", run, "stream?company_id=c"), 404);
    EXPECT_INT("nobody", status_of(port, "POST", run, "cancel"), 404);
    EXPECT_INT("nobody", status_of(port, "POST", run, "cancel?company_id=&user_id="), 404);
    expect_runs(port, "/internal/runs", 0);
    expect_runs(port, "/internal/runs?company_id=&user_id=", 0);
    expect_runs(port, "/internal/runs?company_id=c&user_id=u", 1);
    expect_runs(port, "/admin/runs", 1);
    EXPECT_INT("a stranger", status_of(port, "POST", run, "cancel?company_id=x"), 404);
    EXPECT_INT("a bad query", status_of(port, "POST", run, "cancel?company_id=%zz"), 400);
    EXPECT_INT("itself", status_of(port, "POST", run, "cancel?company_id=c&user_id=u"), 202);
    http_peer_take(&peer, &answer);
    EXPECT_TRUE("cancelled", has(buf_str(&answer.body), "\"code\":\"cancelled\""));
    buf_fini(&answer.body);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

TEST(two_workers_are_one_server)
{
    static const char *const settings[] = {"ASKD_WORKERS=2", NULL};
    enum { STREAMS = 40 };
    struct server_rig *rig = server_rig_start(settings);
    unsigned port = server_rig_port(rig), seen = 0;
    for (unsigned i = 0; i < STREAMS; i++) {
        struct http_peer peer;
        struct http_answer answer, rest;
        char run[64], conversation[16];
        snprintf(conversation, sizeof conversation, "c%u", i % 10);
        open_stream(&peer, port, "Idempotency-Key: x\r\n", ask("stream 3 0 0", conversation, ""));
        read_run_id(&peer, run);
        http_peer_take(&peer, &answer);
        EXPECT_TRUE("complete", has(buf_str(&answer.body), "\"complete\""));
        seen |= 1u << (run[5] - '0');
        EXPECT_INT("from any connection", rejoin(port, run, 0, &rest), 200);
        EXPECT_STR("the same", buf_str(&rest.body), buf_str(&answer.body));
        http_peer_get(&peer, "/healthz", "");
        EXPECT_INT("the connection lives on", http_peer_status(&peer), 200);
        buf_fini(&answer.body);
        buf_fini(&rest.body);
        http_peer_close(&peer);
    }
    EXPECT_INT("both ran some", seen, 3);
    expect_runs(port, "/admin/runs", 10);
    expect_runs(port, "/internal/runs?company_id=c&user_id=u", 10);
    expect_runs(port, "/internal/runs?company_id=c&user_id=v", 0);
    EXPECT_TRUE(
        "ten runs",
        poll_for(port, "/metrics",
                 "graph=\"orchestrator\",route=\"orchestrator\",outcome=\"complete\"} 10\n"));
    assert_true(server_rig_stop(rig));
}

static const char *const drain_settings[] = {"ASKD_WORKERS=2", "ASKD_DRAIN_TIMEOUT_SECONDS=6",
                                             "ASKD_DRAIN_DELAY_SECONDS=0.05", NULL};

TEST(a_drain_lets_streams_finish)
{
    struct server_rig *rig = server_rig_start(drain_settings);
    unsigned port = server_rig_port(rig);
    struct http_peer short_one, long_one, idle;
    struct http_answer answer;
    open_stream(&short_one, port, "", ask("stream 10 5 0", "c1", ""));
    open_stream(&long_one, port, "", ask("stall 1 0 0", "c2", ""));
    http_peer_open(&idle, port);
    http_peer_get(&idle, "/healthz", "");
    EXPECT_INT("before", http_peer_status(&idle), 200);
    assert_true(http_peer_wait(&short_one, "t0 "));
    assert_true(http_peer_wait(&long_one, "t0 "));
    server_rig_ask_stop(rig);
    http_peer_take(&short_one, &answer);
    EXPECT_TRUE("it finished", has(buf_str(&answer.body), "\"complete\"") && answer.complete);
    buf_fini(&answer.body);
    http_peer_take(&long_one, &answer);
    EXPECT_TRUE("it was told", has(buf_str(&answer.body), "\"code\":\"server_shutdown\""));
    EXPECT_TRUE("to try again", has(buf_str(&answer.body), "\"retryable\":true"));
    EXPECT_TRUE("last chunk", answer.complete);
    buf_fini(&answer.body);
    EXPECT_TRUE("idle ones are closed", http_peer_at_end(&idle));
    http_peer_close(&short_one);
    http_peer_close(&long_one);
    http_peer_close(&idle);
    assert_true(server_rig_stop(rig));
}

RUN_TESTS(T(rejoin_at_every_event), T(the_same_key_joins_the_same_run), T(a_client_that_leaves),
          T(a_client_that_comes_back_in_time), T(a_run_that_fails_and_one_that_is_cancelled),
          T(a_busy_conversation), T(no_place_left), T(a_slow_reader_holds_its_run),
          T(a_slow_reader_beside_a_fast_one), T(silence_has_a_heartbeat), T(a_run_is_its_callers),
          T(two_workers_are_one_server), T(a_drain_lets_streams_finish))

/* SPDX-License-Identifier: MIT */
/* backends/http_client against a server on the same loop: answers right and wrong, limits,
 * deadlines, reuse, cancel and close at every turn, memory. */
#include "backends/http/http_client.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/starve.h"
#include "tests/unit/backends/stub_server.h"

static const struct str fine = STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");

struct client_rig {
    struct rig rig;
    struct stub_server server;
    struct http_client *client;
    struct http_call call;
    struct buf body;
    unsigned heads, cancel_in_head, cancel_in_body;
    size_t hold_in_body; /* once there are so many bytes */
};

/* Every test runs twice: over connections of the client's own, and over libcurl's. */
static bool only_libcurl;

static void on_head(struct http_call *call)
{
    struct client_rig *f = container_of(call, struct client_rig, call);
    f->heads++;
    if (f->cancel_in_head)
        op_cancel(&call->op);
}

static void on_body(struct http_call *call, struct str bytes)
{
    struct client_rig *f = container_of(call, struct client_rig, call);
    EXPECT_INT("head before body", f->heads, 1);
    EXPECT_TRUE("pending", op_is_pending(&call->op));
    buf_push(&f->body, bytes);
    if (f->hold_in_body > 0 && buf_len(&f->body) >= f->hold_in_body)
        op_hold(&call->op);
    if (f->cancel_in_body)
        op_cancel(&call->op);
}

static void client_rig_begin(struct client_rig *f, struct str reply, enum stub_after after)
{
    *f = (struct client_rig){0};
    rig_begin(&f->rig);
    stub_server_start(&f->server, &f->rig, reply, after);
    buf_init(&f->body, 1 << 20);
    f->client = http_client_create(
        f->rig.loop, &(struct http_client_options){
                         .spread = 2, .max_connections = 2, .only_libcurl = only_libcurl});
    assert_non_null(f->client);
}

static void client_rig_end(struct client_rig *f)
{
    op_release(&f->call.op);
    if (f->client != NULL)
        http_client_close(f->client, rig_on_closed, &f->rig);
    stub_server_stop(&f->server);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    buf_fini(&f->body);
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static void start(struct client_rig *f, struct http_call_options options)
{
    f->heads = 0;
    buf_clear(&f->body);
    op_release(&f->call.op);
    options.url = options.url == NULL ? f->server.url : options.url;
    options.method = "GET";
    http_call_start(&f->call, f->client, &options, on_head, on_body, rig_waiter(&f->rig));
}

static enum err_code call(struct client_rig *f, struct http_call_options options)
{
    unsigned before = f->rig.done_calls;
    start(f, options);
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    rig_wait("call", &f->rig, before + 1);
    return f->call.op.err.code;
}

static const struct {
    const char *name, *reply;
    enum stub_after after;
    enum err_code want;
    int status;
    const char *body;
    enum err_code libcurl_wants; /* where libcurl says something else */
} replies[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", STUB_KEEP, ERR_OK, 200, "hi"},
    {"chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
     STUB_KEEP, ERR_OK, 200, "hi"},
    {"until close", "HTTP/1.0 200 OK\r\n\r\nhi", STUB_CLOSE, ERR_OK, 200, "hi"},
    {"error status is an answer", "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nhi", STUB_KEEP,
     ERR_OK, 500, "hi"},
    {"empty", "HTTP/1.1 204 None\r\n\r\n", STUB_KEEP, ERR_OK, 204, ""},
    {"redirect is not followed",
     "HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", STUB_KEEP,
     ERR_OK, 302, ""},
    {"short length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", STUB_CLOSE, ERR_PROTOCOL,
     200, "hi"},
    {"chunk cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhi", STUB_CLOSE,
     ERR_PROTOCOL, 200, "hi"},
    {"chunk size nonsense", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n",
     STUB_KEEP, ERR_PROTOCOL, 200, "", ERR_UNAVAILABLE},
    {"interim answers first",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", STUB_KEEP,
     ERR_OK, 200, "hi"},
    {"reset within", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", STUB_RESET, ERR_OK, 0, NULL},
    {"closed at once", "", STUB_CLOSE, ERR_UNAVAILABLE, 0, ""},
    {"HTTP/0.9", "hello there, this is not HTTP at all\n", STUB_CLOSE, ERR_PROTOCOL, 0, ""},
    {"gzip is not decoded",
     "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", STUB_KEEP, ERR_OK,
     200, "hi"},
};

TEST(answers_right_and_wrong)
{
    TEST_EACH(c, replies) {
        struct client_rig f;
        client_rig_begin(&f, str_of(c->reply), c->after);
        enum err_code code = call(&f, (struct http_call_options){0});
        if (c->body == NULL) /* a race between the bytes and the reset: any failure will do */
            EXPECT_TRUE(c->name, code != ERR_OK);
        else if (code != (only_libcurl && c->libcurl_wants != ERR_OK ? c->libcurl_wants : c->want))
            fail_msg("%s: %s: %s", c->name, err_name(code), f.call.op.err.text);
        if (c->body != NULL) {
            EXPECT_INT(c->name, f.call.status, c->status);
            EXPECT_STR(c->name, buf_str(&f.body), str_of(c->body));
        }
        client_rig_end(&f);
    }
}

TEST(absurd_headers)
{
    struct buf reply;
    buf_init(&reply, 32 << 20);
    for (unsigned kind = 0; kind < 2; kind++) {
        struct client_rig f;
        buf_clear(&reply);
        buf_push(&reply, STR("HTTP/1.1 200 OK\r\n"));
        if (kind == 0)
            for (unsigned i = 0; i < 5000; i++)
                buf_push(&reply, STR("X-Filler: 0123456789012345678901234567890\r\n"));
        else
            for (unsigned i = 0; i < 200000; i++)
                buf_push(&reply, STR("X: 0123456789012345678901234567890123456789"));
        client_rig_begin(&f, buf_str(&reply), STUB_KEEP);
        EXPECT_INT(kind == 0 ? "flood" : "line", call(&f, (struct http_call_options){0}),
                   ERR_PROTOCOL);
        client_rig_end(&f);
    }
    buf_fini(&reply);
}

TEST(limits_and_addresses)
{
    struct client_rig f;
    client_rig_begin(&f, fine, STUB_KEEP);
    EXPECT_INT("body", call(&f, (struct http_call_options){.max_body_bytes = 1}), ERR_TOO_LARGE);
    EXPECT_INT("exact", call(&f, (struct http_call_options){.max_body_bytes = 2}), ERR_OK);
    EXPECT_INT("file", call(&f, (struct http_call_options){.url = "file:///dev/null"}),
               ERR_INVALID);
    EXPECT_INT("nonsense", call(&f, (struct http_call_options){.url = "http://[bad"}), ERR_INVALID);
    EXPECT_INT("refused", call(&f, (struct http_call_options){.url = "http://127.0.0.1:9/"}),
               ERR_UNAVAILABLE);
    const struct http_header smuggled = {STR("X-A"), STR("a\r\nX-B: b")};
    EXPECT_INT("header",
               call(&f, (struct http_call_options){.headers = &smuggled, .header_count = 1}),
               ERR_INVALID);
    EXPECT_INT("still well", call(&f, (struct http_call_options){0}), ERR_OK);
    client_rig_end(&f);
}

TEST(connections_are_reused_and_bounded)
{
    struct client_rig f;
    struct http_call calls[6] = {0};
    client_rig_begin(&f, fine, STUB_KEEP);
    for (unsigned i = 0; i < 5; i++)
        EXPECT_INT("call", call(&f, (struct http_call_options){0}), ERR_OK);
    EXPECT_INT("one connection", f.server.connections, 1);
    EXPECT_INT("five requests", f.server.requests, 5);
    unsigned before = f.rig.done_calls;
    const struct http_call_options get = {.url = f.server.url, .method = "GET"};
    for (size_t i = 0; i < countof(calls); i++)
        http_call_start(&calls[i], f.client, &get, NULL, NULL, rig_waiter(&f.rig));
    rig_wait("all", &f.rig, before + (unsigned)countof(calls));
    for (size_t i = 0; i < countof(calls); i++) {
        EXPECT_INT("each", calls[i].op.err.code, ERR_OK);
        op_release(&calls[i].op);
    }
    EXPECT_INT("never more than two", f.server.connections, 2);
    client_rig_end(&f);
}

/* The server closes a kept connection just as the next request comes: it is sent again, once. */
TEST(a_request_outlives_a_kept_connection)
{
    const struct str script[] = {fine, STR(""), fine};
    struct client_rig f;
    client_rig_begin(&f, STR(""), STUB_KEEP);
    f.server.script = script;
    f.server.script_count = countof(script);
    EXPECT_INT("first", call(&f, (struct http_call_options){0}), ERR_OK);
    f.server.after = STUB_CLOSE;
    EXPECT_INT("again", call(&f, (struct http_call_options){0}), ERR_OK);
    EXPECT_STR("answered", buf_str(&f.body), STR("hi"));
    EXPECT_INT("three requests", f.server.requests, 3);
    EXPECT_INT("over two connections", f.server.connections, 2);
    EXPECT_INT("a new one is not tried again", call(&f, (struct http_call_options){0}),
               ERR_UNAVAILABLE);
    client_rig_end(&f);
}

/* A call that is held gets nothing more of the body, whatever has been read by then. */
TEST(a_held_call_gets_nothing)
{
    static const struct str chunks = STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                         "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n");
    struct client_rig f;
    client_rig_begin(&f, chunks, STUB_KEEP);
    f.hold_in_body = 1;
    start(&f, (struct http_call_options){0});
    for (unsigned turn = 0; turn < RIG_TURNS && buf_len(&f.body) == 0; turn++)
        loop_turn(f.rig.loop, 1);
    for (unsigned turn = 0; turn < 50; turn++)
        loop_turn(f.rig.loop, 1);
    EXPECT_STR("held", buf_str(&f.body), STR("a"));
    f.hold_in_body = 2;
    op_go(&f.call.op);
    for (unsigned turn = 0; turn < 50; turn++)
        loop_turn(f.rig.loop, 1);
    if (!only_libcurl) /* which puts what it kept into one piece */
        EXPECT_STR("held again", buf_str(&f.body), STR("ab"));
    f.hold_in_body = 0;
    op_go(&f.call.op);
    rig_wait("ends", &f.rig, 1);
    EXPECT_INT("well", f.call.op.err.code, ERR_OK);
    EXPECT_STR("all", buf_str(&f.body), STR("abc"));
    client_rig_end(&f);
}

/* libcurl's handles have descriptors, which a client that asks nobody does not take. */
TEST(an_idle_client_has_few_descriptors)
{
    enum { SPREAD = 64, FEW = 8 };
    struct rig rig;
    rig_begin(&rig);
    size_t before = count_descriptors();
    struct http_client *client = http_client_create(
        rig.loop, &(struct http_client_options){.spread = SPREAD, .only_libcurl = only_libcurl});
    assert_non_null(client);
    EXPECT_TRUE("few", count_descriptors() < before + FEW);
    http_client_close(client, rig_on_closed, &rig);
    rig_end(&rig);
}

/* It is no fault of the server that this process may open nothing more. */
TEST(without_descriptors_the_client_is_busy)
{
    struct client_rig f;
    struct rlimit limit, low;
    int used[64], count = 0;
    client_rig_begin(&f, fine, STUB_KEEP);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = limit;
    low.rlim_cur = size_min(count_descriptors() + countof(used) / 2, limit.rlim_cur);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    while (count < (int)countof(used) && (used[count] = dup(STDERR_FILENO)) >= 0)
        count++;
    EXPECT_TRUE("all are taken", count < (int)countof(used));
    EXPECT_INT("ours", call(&f, (struct http_call_options){0}), ERR_BUSY);
    while (count > 0)
        close(used[--count]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_INT("afterwards", call(&f, (struct http_call_options){0}), ERR_OK);
    client_rig_end(&f);
}

/* A connection that nobody uses is closed from this side, whether or not the peer keeps it. */
TEST(unused_connections_are_closed)
{
    struct rig rig;
    struct stub_server server;
    struct http_call one = {0};
    rig_begin(&rig);
    stub_server_start(&server, &rig, fine, STUB_KEEP);
    struct http_client *client = http_client_create(
        rig.loop,
        &(struct http_client_options){.spread = 2, .kept_ms = 5, .only_libcurl = only_libcurl});
    const struct http_call_options get = {.url = server.url, .method = "GET"};
    assert_non_null(client);
    for (unsigned i = 1; i <= 3; i++) {
        http_call_start(&one, client, &get, NULL, NULL, rig_waiter(&rig));
        rig_wait("call", &rig, i);
        EXPECT_INT("fine", one.op.err.code, ERR_OK);
        op_release(&one.op);
        EXPECT_TRUE("kept at first", !list_is_empty(&server.conns));
        for (unsigned turn = 0; turn < RIG_TURNS && !list_is_empty(&server.conns); turn++)
            loop_turn(rig.loop, 1);
        EXPECT_TRUE("then closed", list_is_empty(&server.conns));
        EXPECT_INT("a connection each time", server.connections, i);
    }
    http_client_close(client, rig_on_closed, &rig);
    stub_server_stop(&server);
    rig_end(&rig);
}

TEST(a_header_may_be_empty)
{
    static const struct http_header headers[] = {{STR("X-Empty"), STR("")},
                                                 {STR("X-Full"), STR("a;b")}};
    struct client_rig f;
    client_rig_begin(&f, fine, STUB_KEEP);
    EXPECT_INT("fine", call(&f, (struct http_call_options){.headers = headers, .header_count = 2}),
               ERR_OK);
    EXPECT_TRUE("empty", strstr(f.server.heard, "\r\nX-Empty:\r\n") != NULL ||
                             strstr(f.server.heard, "\r\nX-Empty: \r\n") != NULL);
    EXPECT_TRUE("full", strstr(f.server.heard, "\r\nX-Full: a;b\r\n") != NULL);
    client_rig_end(&f);
}

/* A call that waits for a place and ends meanwhile is not begun when a place becomes free. */
TEST(what_ended_while_waiting_is_not_begun)
{
    static const struct http_header smuggled = {STR("A"), STR("b\nC: d")};
    for (unsigned is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
        struct client_rig f;
        struct http_call busy[2] = {0}, late = {0};
        client_rig_begin(&f, fine, STUB_KEEP);
        const struct http_call_options get = {.url = f.server.url, .method = "GET"};
        const struct http_call_options bad = {
            .url = f.server.url, .method = "GET", .headers = &smuggled, .header_count = 1};
        for (size_t i = 0; i < countof(busy); i++)
            http_call_start(&busy[i], f.client, &get, NULL, NULL, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, 1);
        for (size_t i = 0; i < countof(busy); i++)
            op_cancel(&busy[i].op); /* their places are free on the next turn */
        http_call_start(&late, f.client, is_cancelled ? &get : &bad, NULL, NULL,
                        rig_waiter(&f.rig));
        if (is_cancelled)
            op_cancel(&late.op);
        rig_wait("all", &f.rig, 3);
        EXPECT_INT("as it ended", late.op.err.code, is_cancelled ? ERR_CANCELLED : ERR_INVALID);
        op_release(&late.op);
        for (size_t i = 0; i < countof(busy); i++)
            op_release(&busy[i].op);
        client_rig_end(&f);
    }
}

TEST(silence_runs_into_deadlines)
{
    static const struct str half = STR("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi");
    struct client_rig f;
    client_rig_begin(&f, (struct str){NULL, 0}, STUB_KEEP);
    EXPECT_INT("first byte", call(&f, (struct http_call_options){.first_byte_ms = 30}),
               ERR_TIMEOUT);
    EXPECT_TRUE("says which", strstr(f.call.op.err.text, "no answer after 30 ms") != NULL);
    f.server.reply = half;
    EXPECT_INT("idle", call(&f, (struct http_call_options){.idle_ms = 30}), ERR_TIMEOUT);
    EXPECT_TRUE("says which", strstr(f.call.op.err.text, "nothing more") != NULL);
    EXPECT_INT("total", call(&f, (struct http_call_options){.total_ms = 30}), ERR_TIMEOUT);
    EXPECT_TRUE("says which", strstr(f.call.op.err.text, "not complete") != NULL);
    client_rig_end(&f);
}

TEST(cancelled_at_every_turn_and_place)
{
    bool ended = false;
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct client_rig f;
        client_rig_begin(&f, fine, STUB_KEEP);
        start(&f, (struct http_call_options){0});
        ended = rig_turn(&f.rig, turns, 1);
        op_cancel(&f.call.op);
        op_cancel(&f.call.op);
        rig_wait("cancelled", &f.rig, 1);
        EXPECT_TRUE("code", f.call.op.err.code == ERR_OK ||
                                (!ended && f.call.op.err.code == ERR_CANCELLED));
        client_rig_end(&f);
        EXPECT_INT("done calls", f.rig.done_calls, 1);
    }
    for (unsigned place = 0; place < 2; place++) {
        struct client_rig f;
        client_rig_begin(&f, fine, STUB_KEEP);
        f.cancel_in_head = place == 0;
        f.cancel_in_body = place == 1;
        EXPECT_INT("from inside", call(&f, (struct http_call_options){0}), ERR_CANCELLED);
        EXPECT_INT("body after cancel", buf_len(&f.body), place == 0 ? 0 : 2);
        client_rig_end(&f);
    }
}

struct canceller { /* cancels a call some rounds of tasks later, within a turn where it can */
    struct loop_task task;
    struct loop *loop;
    struct http_call *call;
    unsigned rounds;
};

static void count_down(struct loop_task *task)
{
    struct canceller *canceller = container_of(task, struct canceller, task);
    if (canceller->rounds-- > 0)
        loop_post(canceller->loop, task, count_down);
    else
        op_cancel(&canceller->call->op);
}

/* A connection that is being made is closed by libcurl without a word: its descriptor may neither
 * be watched any longer nor be taken for the next one's. */
TEST(cancelled_while_connecting)
{
    for (unsigned rounds = 0; rounds <= 20; rounds++) {
        struct client_rig f;
        client_rig_begin(&f, fine, STUB_KEEP);
        struct canceller canceller = {.loop = f.rig.loop, .call = &f.call, .rounds = rounds};
        start(&f, (struct http_call_options){0});
        loop_post(f.rig.loop, &canceller.task, count_down);
        rig_wait("cancelled", &f.rig, 1);
        op_release(&f.call.op);
        loop_turn(f.rig.loop, 3);
        EXPECT_INT("the next one is well", call(&f, (struct http_call_options){0}), ERR_OK);
        loop_unpost(&canceller.task);
        client_rig_end(&f);
    }
}

TEST(closed_at_every_turn)
{
    bool ended = false;
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct client_rig f;
        struct http_call more[3] = {0};
        client_rig_begin(&f, fine, STUB_KEEP);
        start(&f, (struct http_call_options){0});
        const struct http_call_options get = {.url = f.server.url, .method = "GET"};
        for (size_t i = 0; i < countof(more); i++)
            http_call_start(&more[i], f.client, &get, NULL, NULL, rig_waiter(&f.rig));
        ended = rig_turn(&f.rig, turns, 4);
        http_client_close(f.client, rig_on_closed, &f.rig);
        f.client = NULL;
        rig_wait("all", &f.rig, 4);
        for (size_t i = 0; i < countof(more); i++)
            op_release(&more[i].op);
        client_rig_end(&f);
    }
}

TEST(copes_without_memory)
{
    bool was_well = false;
    for (uint64_t n = 1; n < 60 && !was_well; n++) {
        struct rig rig;
        struct stub_server server;
        struct http_call one = {0};
        rig_begin(&rig);
        stub_server_start(&server, &rig, fine, STUB_KEEP);
        mem_fail_nth(n);
        struct http_client *client = http_client_create(
            rig.loop, &(struct http_client_options){.spread = 1, .only_libcurl = only_libcurl});
        if (client != NULL) {
            mem_fail_nth(n > 4 ? n - 4 : 0);
            const struct http_call_options get = {.url = server.url, .method = "GET"};
            http_call_start(&one, client, &get, NULL, NULL, rig_waiter(&rig));
            loop_turn(rig.loop, 1); /* the transfer's own; the server allocates later */
            mem_fail_nth(0);
            rig_wait("call", &rig, 1);
            was_well = one.op.err.code == ERR_OK && n > 8;
            op_release(&one.op);
            http_client_close(client, rig_on_closed, &rig);
        }
        mem_fail_nth(0);
        stub_server_stop(&server);
        rig_end(&rig);
    }
    EXPECT_TRUE("it came through in the end", was_well);
}

/* Four calls while the n-th allocation of a library fails, and the count - 1 after it: each has one
 * end. False: there were not so many. */
static bool is_starved(uint64_t n, uint64_t count)
{
    enum { STARVED_MS = 300 };
    struct client_rig f;
    struct http_call more[3] = {0};
    client_rig_begin(&f, fine, STUB_KEEP);
    starve_at(n, count);
    const struct http_call_options get = {
        .url = f.server.url, .method = "GET", .total_ms = STARVED_MS}; /* libcurl forgets some */
    start(&f, get);
    for (size_t i = 0; i < countof(more); i++)
        http_call_start(&more[i], f.client, &get, NULL, NULL, rig_waiter(&f.rig));
    rig_wait("all", &f.rig, 4);
    bool was_starved = starve_end() >= n;
    for (size_t i = 0; i < countof(more); i++)
        op_release(&more[i].op);
    client_rig_end(&f);
    return was_starved;
}

/* The same in a process of its own: libcurl 7.88 divides by zero after its table of a socket's
 * transfers was not to be had. Any other way to die is ours. */
static bool is_starved_apart(uint64_t n, uint64_t count)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGFPE, SIG_DFL);
        _exit(is_starved(n, count));
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    bool is_its_own = WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE;
    EXPECT_TRUE("a process ends well",
                is_its_own || (WIFEXITED(status) && WEXITSTATUS(status) <= 1));
    return is_its_own || WEXITSTATUS(status) == 1;
}

TEST(copes_with_libraries_without_memory)
{
    static const uint64_t counts[] = {1, 40};
    TEST_EACH(count, counts) {
        uint64_t n = 1;
        while (only_libcurl ? is_starved_apart(n, *count) : is_starved(n, *count))
            n++;
        EXPECT_TRUE("libcurl was starved", n > 3 || !only_libcurl); /* libuv takes nothing */
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(answers_right_and_wrong),
        T(absurd_headers),
        T(limits_and_addresses),
        T(connections_are_reused_and_bounded),
        T(a_request_outlives_a_kept_connection),
        T(a_held_call_gets_nothing),
        T(an_idle_client_has_few_descriptors),
        T(without_descriptors_the_client_is_busy),
        T(unused_connections_are_closed),
        T(a_header_may_be_empty),
        T(what_ended_while_waiting_is_not_begun),
        T(silence_runs_into_deadlines),
        T(cancelled_at_every_turn_and_place),
        T(cancelled_while_connecting),
        T(closed_at_every_turn),
        T(copes_without_memory),
        T(copes_with_libraries_without_memory),
    };
    int failed = cmocka_run_group_tests(all, NULL, NULL);
    only_libcurl = true;
    return failed + cmocka_run_group_tests(all, NULL, NULL);
}

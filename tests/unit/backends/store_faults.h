/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/store_faults.h - a store on a server, perhaps behind a proxy that takes
 * answers away and cuts, or falls silent; and what every such store must survive. */
#ifndef TESTS_UNIT_BACKENDS_STORE_FAULTS_H
#define TESTS_UNIT_BACKENDS_STORE_FAULTS_H

#include <arpa/inet.h>
#include <stdio.h>
#include <uv.h>

#include "core/store/store.h"
#include "tests/unit/backends/rig.h"

enum { PROXY_BYTES = 1 << 16, FAULTS_LONG_MS = 60000, FAULTS_SHORT_MS = 300 };

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

struct store_faults {
    struct rig rig;
    struct store *store;
    struct store_call call;
};

static inline void begin_rig(struct store_faults *f)
{
    *f = (struct store_faults){0};
    rig_begin(&f->rig);
}

static inline void close_rig(struct store_faults *f)
{
    op_release(&f->call.op);
    store_close(f->store, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static inline enum err_code await_call(struct store_faults *f)
{
    while (op_is_pending(&f->call.op))
        loop_run(f->rig.loop);
    return f->call.op.err.code;
}

#define CALL(f, name, ...)                                                                         \
    (op_release(&(f)->call.op),                                                                    \
     store_##name##_start(&(f)->call, (f)->store, &(struct store_##name){__VA_ARGS__},             \
                          rig_waiter(&(f)->rig)),                                                  \
     await_call(f))

static const struct store_turn turn = {
    .run_id = {"r", 1}, .question = {"q", 1}, .answer = {"a", 1}, .details = {"", 0}};

static inline enum err_code say(struct store_faults *f, uint64_t expected)
{
    return CALL(f, save, .key = ann, .expected_version = expected,
                .checkpoint = {.run_id = STR("r"), .is_full = true, .bytes = STR("x")},
                .turns = &turn, .turn_count = 1);
}

static inline enum err_code begin_run(struct store_faults *f, const char *id, const char *key)
{
    return CALL(f, begin,
                .run = {.key = ann,
                        .run_id = str_of(id),
                        .idempotency_key = str_of(key),
                        .instance = STR("i")},
                .lease_ms = FAULTS_LONG_MS, .alone = true);
}

/* ---- lost answers: a proxy that takes some away and cuts ---- */

struct proxy {
    uv_tcp_t listener;
    struct loop *loop;
    unsigned lose;   /* the next so many answers */
    unsigned noise;  /* in the next so many answers, which no protocol knows */
    bool is_silent;  /* nothing gets through any more */
    unsigned logins; /* answers on a connection that are never lost */
    unsigned to_port, port;
};

struct proxied {
    struct proxy *proxy;
    uv_tcp_t ends[2]; /* client, server */
    uv_connect_t connect;
    unsigned answers, open;
    char bytes[PROXY_BYTES];
};

static inline void proxied_gone(uv_handle_t *handle)
{
    struct proxied *proxied = handle->data;
    if (--proxied->open == 0)
        mem_free(proxied);
}

static inline void proxied_cut(struct proxied *proxied)
{
    for (unsigned i = 0; i < 2; i++)
        if (!uv_is_closing((uv_handle_t *)&proxied->ends[i]))
            uv_close((uv_handle_t *)&proxied->ends[i], proxied_gone);
}

static inline void proxied_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct proxied *proxied = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(proxied->bytes, sizeof proxied->bytes);
}

static inline void proxied_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct proxied *proxied = stream->data;
    bool is_answer = stream == (uv_stream_t *)&proxied->ends[1];
    if (count < 0) {
        proxied_cut(proxied);
        return;
    }
    if (is_answer && proxied->answers++ >= proxied->proxy->logins && proxied->proxy->lose > 0) {
        proxied->proxy->lose--;
        proxied_cut(proxied);
        return;
    }
    if (is_answer && proxied->answers > proxied->proxy->logins && proxied->proxy->noise > 0) {
        proxied->proxy->noise--;
        buffer->base[0] = '\x01';
    }
    if (proxied->proxy->is_silent)
        return;
    uv_buf_t all = uv_buf_init(buffer->base, (unsigned)count);
    assert_int_equal(uv_try_write((uv_stream_t *)&proxied->ends[is_answer ? 0 : 1], &all, 1),
                     count);
}

static inline void proxied_connected(uv_connect_t *connect, int status)
{
    struct proxied *proxied = connect->data;
    assert_int_equal(status, 0);
    for (unsigned i = 0; i < 2; i++)
        uv_read_start((uv_stream_t *)&proxied->ends[i], proxied_buffer, proxied_read);
}

static inline void proxy_accept(uv_stream_t *listener, int status)
{
    struct proxy *proxy = listener->data;
    struct proxied *proxied = mem_zalloc(1, sizeof *proxied);
    struct sockaddr_in address;
    assert_int_equal(status, 0);
    assert_non_null(proxied);
    proxied->proxy = proxy;
    proxied->open = 2;
    for (unsigned i = 0; i < 2; i++) {
        uv_tcp_init(listener->loop, &proxied->ends[i]);
        proxied->ends[i].data = proxied;
    }
    assert_int_equal(uv_accept(listener, (uv_stream_t *)&proxied->ends[0]), 0);
    uv_ip4_addr("127.0.0.1", (int)proxy->to_port, &address);
    proxied->connect.data = proxied;
    uv_tcp_connect(&proxied->connect, &proxied->ends[1], (const struct sockaddr *)&address,
                   proxied_connected);
}

static inline void proxy_open(struct proxy *proxy, struct loop *loop, unsigned to_port)
{
    struct sockaddr_in address;
    int bytes = sizeof address;
    *proxy = (struct proxy){.loop = loop, .to_port = to_port};
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(loop_uv(loop), &proxy->listener);
    proxy->listener.data = proxy;
    uv_tcp_bind(&proxy->listener, (const struct sockaddr *)&address, 0);
    assert_int_equal(uv_listen((uv_stream_t *)&proxy->listener, 8, proxy_accept), 0);
    uv_tcp_getsockname(&proxy->listener, (struct sockaddr *)&address, &bytes);
    proxy->port = ntohs(address.sin_port);
}

/* Attend, and look for runs; close the store after so many turns. -> whether the look had ended. */
static inline bool close_at_turn(struct store_faults *f, unsigned turns)
{
    const struct store_claim claim = {.instance = STR("i1"), .lease_ms = FAULTS_LONG_MS};
    store_attend(f->store, STR("i1"));
    store_claim_start(&f->call, f->store, &claim, rig_waiter(&f->rig));
    bool has_ended = rig_turn(&f->rig, turns, 1);
    store_close(f->store, rig_on_closed, &f->rig);
    rig_wait("the call ends", &f->rig, 1);
    EXPECT_TRUE("none, or given up",
                f->call.op.err.code == ERR_NOT_FOUND || f->call.op.err.code == ERR_CANCELLED);
    op_release(&f->call.op);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("once", f->rig.done_calls, 1);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    loop_destroy(f->rig.loop);
    return has_ended;
}

/* Answers are lost after the store has done what it was asked: it is done once. */
static inline void lose_answers(struct store_faults *f, struct proxy *proxy, unsigned at_once)
{
    const struct store_fence fence = {STR("r1"), STR("i"), 1};
    EXPECT_INT("warm", CALL(f, runs, .limit = 1), ERR_OK);
    proxy->lose = at_once;
    EXPECT_INT("save", say(f, 0), ERR_OK);
    EXPECT_INT("once", f->call.version, 1);
    EXPECT_INT("lost", proxy->lose, 0);
    EXPECT_INT("load", CALL(f, load, .key = ann), ERR_OK);
    EXPECT_INT("one turn", f->call.turn_count, 1);
    proxy->lose = 1;
    EXPECT_INT("begin", begin_run(f, "r1", "key"), ERR_OK);
    EXPECT_STR("it", f->call.runs[0].run_id, STR("r1"));
    proxy->lose = 1;
    EXPECT_INT("append", CALL(f, append, .fence = fence, .batch = {1, 2, STR("one and two")}),
               ERR_OK);
    EXPECT_INT("once", f->call.last_id, 2);
    EXPECT_INT("read", CALL(f, read, .run_id = STR("r1"), .limit_bytes = 1000), ERR_OK);
    EXPECT_INT("one batch", f->call.batch_count, 1);
    proxy->lose = 1;
    EXPECT_INT("finish", CALL(f, finish, .fence = fence, .status = STORE_COMPLETE), ERR_OK);
    EXPECT_INT("another's end", CALL(f, finish, .fence = fence, .status = STORE_FAILED),
               ERR_CONFLICT);
    proxy->lose = 1;
    EXPECT_INT("erase", CALL(f, erase, .key = ann), ERR_OK);
    EXPECT_INT("gone", CALL(f, erase, .key = ann), ERR_NOT_FOUND);
}

static inline void close_through(struct store_faults *f, struct proxy *proxy)
{
    uv_close((uv_handle_t *)&proxy->listener, NULL);
    close_rig(f);
}

/* Calls end in time when nothing comes back; the next ones find their way. */
static inline void fall_silent(struct store_faults *f, struct proxy *proxy)
{
    EXPECT_INT("warm", CALL(f, runs, .limit = 1), ERR_OK);
    proxy->is_silent = true;
    enum err_code code = say(f, 0);
    EXPECT_TRUE("in time", code == ERR_TIMEOUT || code == ERR_UNAVAILABLE);
    proxy->is_silent = false;
    for (unsigned try = 0; try < 200 && code != ERR_OK; try++) /* its connections are all new */
        code = CALL(f, load, .key = ann);
    EXPECT_INT("again", code, ERR_OK);
}

#endif

/* SPDX-License-Identifier: MIT */
/* backends/store_redis, what is Redis' own: answers that are lost, a server that is not there,
 * stalls or restarts, a store of another version, records that are not ours. What all stores share
 * is in tests/contract. */
#include "backends/store_redis.h"

#include <uv.h>

#include "tests/unit/backends/redis_rig.h"

enum { PROXY_BYTES = 1 << 16, SHORT_MS = 300 };

static const struct store_key ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

struct store_redis_rig {
    struct rig rig;
    struct store *store;
    struct store_call call;
};

static void open_store(struct store_redis_rig *f, const char *url, const char *prefix,
                       uint64_t timeout_ms)
{
    struct err err = {.code = ERR_OK};
    *f = (struct store_redis_rig){0};
    rig_begin(&f->rig);
    f->store = store_redis_create(f->rig.loop,
                                  &(struct store_redis_options){.url = str_of(url),
                                                                .prefix = str_of(prefix),
                                                                .timeout_ms = timeout_ms},
                                  &err);
    if (f->store == NULL)
        fail_msg("%s", err.text);
}

static void close_rig(struct store_redis_rig *f)
{
    op_release(&f->call.op);
    store_close(f->store, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static enum err_code await_call(struct store_redis_rig *f)
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

static enum err_code say(struct store_redis_rig *f, uint64_t expected)
{
    return CALL(f, save, .key = ann, .expected_version = expected,
                .checkpoint = {.run_id = STR("r"), .is_full = true, .bytes = STR("x")},
                .turns = &turn, .turn_count = 1);
}

static enum err_code begin_run(struct store_redis_rig *f, const char *id, const char *key)
{
    return CALL(f, begin,
                .run = {.key = ann,
                        .run_id = str_of(id),
                        .idempotency_key = str_of(key),
                        .instance = STR("i")},
                .lease_ms = LONG_MS, .alone = true);
}

/* ---- lost answers: a proxy that takes some away and cuts ---- */

struct proxy {
    uv_tcp_t listener;
    struct loop *loop;
    unsigned lose; /* the next so many answers */
    char url[64];
};

struct proxied {
    struct proxy *proxy;
    uv_tcp_t ends[2]; /* client, server */
    uv_connect_t connect;
    unsigned answers, open;
    char bytes[PROXY_BYTES];
};

static void proxied_gone(uv_handle_t *handle)
{
    struct proxied *proxied = handle->data;
    if (--proxied->open == 0)
        mem_free(proxied);
}

static void proxied_cut(struct proxied *proxied)
{
    for (unsigned i = 0; i < 2; i++)
        if (!uv_is_closing((uv_handle_t *)&proxied->ends[i]))
            uv_close((uv_handle_t *)&proxied->ends[i], proxied_gone);
}

static void proxied_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct proxied *proxied = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(proxied->bytes, sizeof proxied->bytes);
}

static void proxied_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct proxied *proxied = stream->data;
    bool is_answer = stream == (uv_stream_t *)&proxied->ends[1];
    if (count < 0) {
        proxied_cut(proxied);
        return;
    }
    if (is_answer && proxied->answers++ > 0 && proxied->proxy->lose > 0) { /* not the login's */
        proxied->proxy->lose--;
        proxied_cut(proxied);
        return;
    }
    uv_buf_t all = uv_buf_init(buffer->base, (unsigned)count);
    assert_int_equal(uv_try_write((uv_stream_t *)&proxied->ends[is_answer ? 0 : 1], &all, 1),
                     count);
}

static void proxied_connected(uv_connect_t *connect, int status)
{
    struct proxied *proxied = connect->data;
    assert_int_equal(status, 0);
    for (unsigned i = 0; i < 2; i++)
        uv_read_start((uv_stream_t *)&proxied->ends[i], proxied_buffer, proxied_read);
}

static void proxy_accept(uv_stream_t *listener, int status)
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
    uv_ip4_addr("127.0.0.1", (int)server.port, &address);
    proxied->connect.data = proxied;
    uv_tcp_connect(&proxied->connect, &proxied->ends[1], (const struct sockaddr *)&address,
                   proxied_connected);
}

static void proxy_open(struct proxy *proxy, struct loop *loop)
{
    struct sockaddr_in address;
    int bytes = sizeof address;
    *proxy = (struct proxy){.loop = loop};
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(loop_uv(loop), &proxy->listener);
    proxy->listener.data = proxy;
    uv_tcp_bind(&proxy->listener, (const struct sockaddr *)&address, 0);
    assert_int_equal(uv_listen((uv_stream_t *)&proxy->listener, 8, proxy_accept), 0);
    uv_tcp_getsockname(&proxy->listener, (struct sockaddr *)&address, &bytes);
    snprintf(proxy->url, sizeof proxy->url, "redis://127.0.0.1:%d", ntohs(address.sin_port));
}

/* A store through the proxy, with a script the server knows. */
static void open_through(struct store_redis_rig *f, struct proxy *proxy, const char *prefix)
{
    struct err err = {.code = ERR_OK};
    *f = (struct store_redis_rig){0};
    rig_begin(&f->rig);
    proxy_open(proxy, f->rig.loop);
    f->store = store_redis_create(f->rig.loop,
                                  &(struct store_redis_options){.url = str_of(proxy->url),
                                                                .prefix = str_of(prefix),
                                                                .timeout_ms = LONG_MS},
                                  &err);
    assert_non_null(f->store);
    EXPECT_INT("warm", CALL(f, runs, .limit = 1), ERR_OK);
}

static void close_through(struct store_redis_rig *f, struct proxy *proxy)
{
    uv_close((uv_handle_t *)&proxy->listener, NULL);
    close_rig(f);
}

TEST(what_was_done_is_not_done_twice)
{
    struct store_redis_rig f;
    struct proxy proxy;
    const struct store_fence fence = {STR("r1"), STR("i"), 1};
    open_through(&f, &proxy, "twice:");
    proxy.lose = 2;
    EXPECT_INT("save", say(&f, 0), ERR_OK);
    EXPECT_INT("once", f.call.version, 1);
    EXPECT_INT("lost", proxy.lose, 0);
    EXPECT_INT("load", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("one turn", f.call.turn_count, 1);
    proxy.lose = 1;
    EXPECT_INT("begin", begin_run(&f, "r1", "key"), ERR_OK);
    EXPECT_STR("it", f.call.runs[0].run_id, STR("r1"));
    proxy.lose = 1;
    EXPECT_INT("append", CALL(&f, append, .fence = fence, .batch = {1, 2, STR("one and two")}),
               ERR_OK);
    EXPECT_INT("once", f.call.last_id, 2);
    EXPECT_INT("read", CALL(&f, read, .run_id = STR("r1"), .limit_bytes = 1000), ERR_OK);
    EXPECT_INT("one batch", f.call.batch_count, 1);
    proxy.lose = 1;
    EXPECT_INT("finish", CALL(&f, finish, .fence = fence, .status = STORE_COMPLETE), ERR_OK);
    EXPECT_INT("another's end", CALL(&f, finish, .fence = fence, .status = STORE_FAILED),
               ERR_CONFLICT);
    proxy.lose = 1;
    EXPECT_INT("erase", CALL(&f, erase, .key = ann), ERR_OK);
    EXPECT_INT("gone", CALL(&f, erase, .key = ann), ERR_NOT_FOUND);
    close_through(&f, &proxy);
}

/* ---- a server that is not well ---- */

TEST(nobody_there)
{
    struct store_redis_rig f;
    char url[64];
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", redis_process_free_port(server.port + 1));
    open_store(&f, url, "", SHORT_MS);
    enum err_code code = say(&f, 0);
    EXPECT_TRUE("in time", code == ERR_UNAVAILABLE || code == ERR_TIMEOUT);
    if (code == ERR_UNAVAILABLE) /* else the machine was too slow to try */
        EXPECT_INT("last known", store_ready(f.store, &f.rig.err), ERR_UNAVAILABLE);
    close_rig(&f);
}

TEST(comes_up_within_the_deadline)
{
    struct store_redis_rig f;
    struct redis_process own;
    redis_process_start(&own);
    open_store(&f, own.url, "", LONG_MS);
    EXPECT_INT("first", say(&f, 0), ERR_OK);
    redis_process_stop(&own);
    op_release(&f.call.op);
    const struct store_load load = {.key = ann};
    store_load_start(&f.call, f.store, &load, rig_waiter(&f.rig));
    loop_turn(f.rig.loop, 20);
    redis_process_again(&own);
    EXPECT_INT("at last", await_call(&f), ERR_OK);
    EXPECT_INT("it kept nothing", f.call.version, 0);
    EXPECT_INT("goes on", say(&f, 0), ERR_OK);
    close_rig(&f);
    redis_process_stop(&own);
}

TEST(stalled)
{
    struct store_redis_rig f;
    struct redis_process own;
    redis_process_start(&own);
    open_store(&f, own.url, "", SHORT_MS);
    kill(own.pid, SIGSTOP);
    enum err_code code = say(&f, 0);
    EXPECT_TRUE("in time", code == ERR_TIMEOUT || code == ERR_UNAVAILABLE);
    kill(own.pid, SIGCONT);
    close_rig(&f);
    open_store(&f, own.url, "", LONG_MS);
    EXPECT_INT("again", CALL(&f, load, .key = ann), ERR_OK);
    close_rig(&f);
    redis_process_stop(&own);
}

TEST(closed_while_it_pauses)
{
    struct store_redis_rig f;
    char url[64];
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", redis_process_free_port(server.port + 1));
    for (unsigned turns = 0; turns < 60; turns += 3) {
        open_store(&f, url, "", LONG_MS);
        const struct store_load load = {.key = ann};
        store_load_start(&f.call, f.store, &load, rig_waiter(&f.rig));
        rig_turn(&f.rig, turns, 1);
        store_close(f.store, rig_on_closed, &f.rig);
        rig_wait("ends", &f.rig, 1);
        EXPECT_TRUE("how",
                    f.call.op.err.code == ERR_CANCELLED || f.call.op.err.code == ERR_UNAVAILABLE);
        assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
        EXPECT_INT("closed", f.rig.closed_calls, 1);
        op_release(&f.call.op);
        loop_destroy(f.rig.loop);
    }
}

/* ---- what is stored is not ours ---- */

/* One command of the test's own on the same server. */
static void meddle(const char *words)
{
    struct redis_rig f;
    begin(&f, server.url, (struct redis_conn_options){0});
    if (ask(&f, words) != ERR_OK)
        fail_msg("%s: %s", words, f.command.op.err.text);
    end(&f);
}

TEST(another_version)
{
    struct store_redis_rig f;
    open_store(&f, server.url, "old:", LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    meddle("SET old:format 2");
    EXPECT_INT("another's", say(&f, 1), ERR_PROTOCOL);
    EXPECT_TRUE("says which", str_find(str_of(f.call.op.err.text), STR("format 2")) != STR_NONE);
    EXPECT_INT("nor read", CALL(&f, load, .key = ann), ERR_PROTOCOL);
    meddle("SET old:format 1");
    EXPECT_INT("ours", say(&f, 1), ERR_OK);
    close_rig(&f);
}

TEST(strange_records)
{
    static const char *const meddlings[] = {
        "SET odd:c:c-1 x",          "HSET odd:c:c-1 version x", "HDEL odd:t:c-1 1",
        "HSET odd:t:c-1 1 garbage", "HSET odd:t:c-1 1 0",
    };
    TEST_EACH(meddling, meddlings) {
        struct store_redis_rig f;
        meddle("DEL odd:c:c-1");
        meddle("DEL odd:t:c-1");
        open_store(&f, server.url, "odd:", LONG_MS);
        EXPECT_INT("ours", say(&f, 0), ERR_OK);
        meddle(strncmp(*meddling, "SET", 3) == 0 ? "DEL odd:c:c-1" : "PING");
        meddle(*meddling);
        EXPECT_INT(*meddling, CALL(&f, load, .key = ann), ERR_PROTOCOL);
        EXPECT_INT("a user's other ones",
                   CALL(&f, load, .key = {STR("c-2"), STR("acme"), STR("ann")}), ERR_OK);
        close_rig(&f);
    }
}

TEST(urls_and_prefixes)
{
    struct err err = {.code = ERR_OK};
    struct loop *loop = loop_create();
    char prefix[65];
    memset(prefix, 'x', sizeof prefix);
    assert_null(
        store_redis_create(loop, &(struct store_redis_options){.url = STR("rediss://h")}, &err));
    EXPECT_INT("no TLS", err.code, ERR_INVALID);
    err = (struct err){.code = ERR_OK};
    assert_null(store_redis_create(
        loop,
        &(struct store_redis_options){.url = STR("redis://h"), .prefix = str_make(prefix, 65)},
        &err));
    EXPECT_INT("too long", err.code, ERR_INVALID);
    for (uint64_t nth = 1; nth < 20; nth++) {
        mem_fail_nth(nth);
        err = (struct err){.code = ERR_OK};
        struct store *store = store_redis_create(
            loop, &(struct store_redis_options){.url = STR("redis://:p%20w@h")}, &err);
        mem_fail_nth(0);
        EXPECT_TRUE("or none", store != NULL || err.code == ERR_NO_MEMORY);
        if (store != NULL)
            store_close(store, NULL, NULL);
        assert_true(loop_run_dry(loop, RIG_TURNS));
    }
    loop_destroy(loop);
}

RUN_REDIS_TESTS(T(what_was_done_is_not_done_twice), T(nobody_there),
                T(comes_up_within_the_deadline), T(stalled), T(closed_while_it_pauses),
                T(another_version), T(strange_records), T(urls_and_prefixes))

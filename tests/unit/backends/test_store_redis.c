/* SPDX-License-Identifier: MIT */
/* backends/store_redis, what is Redis' own: answers that are lost, a server that is not there,
 * stalls or restarts, a store of another version, records that are not ours. What all stores share
 * is in tests/contract. */
#include "backends/store_redis.h"

#include "tests/unit/backends/redis_rig.h"
#include "tests/unit/backends/store_faults.h"

/* In a rig that has begun. */
static void make_store(struct store_faults *f, const char *url, const char *prefix,
                       uint64_t timeout_ms)
{
    struct err err = {.code = ERR_OK};
    f->store = store_redis_create(f->rig.loop,
                                  &(struct store_redis_options){.url = str_of(url),
                                                                .prefix = str_of(prefix),
                                                                .timeout_ms = timeout_ms},
                                  &err);
    if (f->store == NULL)
        fail_msg("%s", err.text);
}

static void open_store(struct store_faults *f, const char *url, const char *prefix,
                       uint64_t timeout_ms)
{
    begin_rig(f);
    make_store(f, url, prefix, timeout_ms);
}

static void open_through(struct store_faults *f, struct proxy *proxy, const char *prefix,
                         uint64_t timeout_ms)
{
    char url[64];
    begin_rig(f);
    proxy_open(proxy, f->rig.loop, server.port);
    proxy->logins = 1;
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", proxy->port);
    make_store(f, url, prefix, timeout_ms);
}

TEST(what_was_done_is_not_done_twice)
{
    struct store_faults f;
    struct proxy proxy;
    open_through(&f, &proxy, "twice:", LONG_MS);
    lose_answers(&f, &proxy, 2);
    close_through(&f, &proxy);
}

TEST(silence)
{
    struct store_faults f;
    struct proxy proxy;
    open_through(&f, &proxy, "silent:", FAULTS_SHORT_MS);
    fall_silent(&f, &proxy);
    close_through(&f, &proxy);
}

/* ---- a server that is not well ---- */

TEST(nobody_there)
{
    struct store_faults f;
    char url[64];
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", redis_process_free_port(server.port + 1));
    open_store(&f, url, "", FAULTS_SHORT_MS);
    enum err_code code = say(&f, 0);
    EXPECT_TRUE("in time", code == ERR_UNAVAILABLE || code == ERR_TIMEOUT);
    if (code == ERR_UNAVAILABLE) /* else the machine was too slow to try */
        EXPECT_INT("last known", store_ready(f.store, &f.rig.err), ERR_UNAVAILABLE);
    close_rig(&f);
}

TEST(comes_up_within_the_deadline)
{
    struct store_faults f;
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
    struct store_faults f;
    struct redis_process own;
    redis_process_start(&own);
    open_store(&f, own.url, "", FAULTS_SHORT_MS);
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
    struct store_faults f;
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
    struct store_faults f;
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
        struct store_faults f;
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

RUN_REDIS_TESTS(T(what_was_done_is_not_done_twice), T(silence), T(nobody_there),
                T(comes_up_within_the_deadline), T(stalled), T(closed_while_it_pauses),
                T(another_version), T(strange_records), T(urls_and_prefixes))

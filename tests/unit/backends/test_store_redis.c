/* SPDX-License-Identifier: MIT */
/* backends/store_redis, what is Redis' own: answers that are lost, a server that is not there,
 * stalls or restarts, a store of another version, records that are not ours. What all stores share
 * is in tests/contract. */
#include "backends/stores/store_redis.h"

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

/* What is done may be in the store by then: it is done once, and by the same call. */
TEST(noise_is_tried_again)
{
    struct store_faults f;
    struct proxy proxy;
    open_through(&f, &proxy, "noisy:", LONG_MS);
    EXPECT_INT("warm", CALL(&f, runs, .limit = 1), ERR_OK);
    proxy.noise = 2;
    EXPECT_INT("save", say(&f, 0), ERR_OK);
    EXPECT_INT("it was there", (int)proxy.noise, 0);
    EXPECT_INT("load", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("one turn", f.call.turn_count, 1);
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

TEST(closed_at_every_turn)
{
    struct store_faults f;
    for (unsigned turns = 0;; turns = rig_after(turns)) {
        open_store(&f, server.url, "closed:", LONG_MS);
        if (close_at_turn(&f, turns))
            break;
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
    meddle("SET old:format 4");
    EXPECT_INT("another's", say(&f, 1), ERR_PROTOCOL);
    EXPECT_TRUE("says which", str_find(str_of(f.call.op.err.text), STR("format 4")) != STR_NONE);
    EXPECT_INT("nor read", CALL(&f, load, .key = ann), ERR_PROTOCOL);
    meddle("SET old:format 3");
    EXPECT_INT("ours", say(&f, 1), ERR_OK);
    close_rig(&f);
}

/* What a program of format 1 left behind, key by key: made here, not by the store's own script, so
 * that a layout that changes without a new format does not pass. */
static const char first_format[] =
    "local p, call, pack = KEYS[1], redis.call, cmsgpack.pack\n"
    "call('SET', p..'format', '1')\n"
    "call('HSET', p..'c:c-1', 'company', 'acme', 'user', 'ann', 'version', '2', 'turns', '1',"
    " 'began', '5', 'changed', '6', 'title', 'hello', 'token', 'x')\n"
    "call('HSET', p..'t:c-1', '1', pack({2, 6, 'r0', 'hello', 'there', '{}', 0}))\n"
    "call('HSET', p..'n:c-1', '@mentioned', 'Vera')\n"
    "call('HSET', p..'un:4:acme:ann', 'likes', 'tea')\n"
    "call('HSET', p..'k:c-1', '1', 'A', '2', 'B')\n"
    "call('HSET', p..'km:c-1', '1', pack({5, 'r0', 1, 1}), '2', pack({6, 'r0', 2, 0}))\n"
    "call('ZADD', p..'kf:c-1', '1', '1')\n"
    "call('ZADD', p..'uc:4:acme:ann', '6', 'c-1')\n"
    "call('ZADD', p..'age', '6', 'c-1')\n"
    "call('HSET', p..'r:r1', 'conversation', 'c-1', 'company', 'acme', 'user', 'ann', 'run', 'r1',"
    " 'graph', 'banking', 'input', 'I', 'key', 'k1', 'instance', 'i1', 'epoch', '1', 'began', '5',"
    " 'changed', '6', 'lease', '9000000000000', 'last', '2', 'status', '0', 'cancel', '0')\n"
    "call('XADD', p..'e:r1', '2-0', 'first', '1', 'bytes', 'E')\n"
    "call('SET', p..'i:4:acme:ann:3:c-1:k1', 'r1')\n"
    "for _, i in ipairs({'cr:c-1', 'rb', 'oc:acme', 'ur:4:acme:ann', 'ra', 'cg:c-1', 'ro',"
    " 'co:c-1'}) do call('ZADD', p..i, '6', 'r1') end\n"
    "call('ZADD', p..'rl', '9000000000000', 'r1')\n"
    "call('HSET', p..'r:r0', 'conversation', 'c-1', 'company', 'acme', 'user', 'ann', 'run', 'r0',"
    " 'graph', 'banking', 'input', 'I', 'key', '', 'instance', 'i1', 'epoch', '1', 'began', '3',"
    " 'changed', '4', 'lease', '5', 'last', '0', 'status', '2', 'cancel', '0')\n"
    "for _, i in ipairs({'cr:c-1', 'rb', 'oc:acme', 'ur:4:acme:ann', 'ra', 'cg:c-1'}) do"
    " call('ZADD', p..i, '4', 'r0') end\n";

static void run_script(const char *script, const char *prefix)
{
    struct redis_rig f;
    const struct str args[] = {STR("EVAL"), str_of(script), STR("1"), str_of(prefix)};
    begin(&f, server.url, (struct redis_conn_options){0});
    redis_command_start(
        &f.command, f.conn,
        &(struct redis_request){.args = args, .arg_count = countof(args), .deadline_ms = LONG_MS},
        rig_waiter(&f.rig));
    if (await(&f) != ERR_OK)
        fail_msg("%s", f.command.op.err.text);
    end(&f);
}

TEST(the_first_format_is_read)
{
    static const struct store_fence fence = {{"r1", 2}, {"i1", 2}, 1};
    struct store_faults f;
    run_script(first_format, "first:");
    open_store(&f, server.url, "first:", LONG_MS);
    EXPECT_INT("load", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("version", f.call.version, 2);
    EXPECT_STR("answer", f.call.turns[0].answer, STR("there"));
    EXPECT_INT("notes", f.call.note_count, 2);
    EXPECT_INT("restore", CALL(&f, restore, .key = ann), ERR_OK);
    EXPECT_INT("both", f.call.checkpoint_count, 2);
    EXPECT_STR("the later", f.call.checkpoints[1].bytes, STR("B"));
    EXPECT_INT("search", CALL(&f, search, .key = ann, .text = STR("HELLO")), ERR_OK);
    EXPECT_INT("found", f.call.turn_count, 1);
    EXPECT_INT("find", CALL(&f, find, .key = ann, .idempotency_key = STR("k1")), ERR_OK);
    EXPECT_STR("its graph", f.call.runs[0].graph, STR("banking"));
    EXPECT_INT("read", CALL(&f, read, .key = ann, .run_id = STR("r1"), .limit_bytes = 100), ERR_OK);
    EXPECT_STR("events", f.call.batches[0].bytes, STR("E"));
    EXPECT_INT("nobody else's", CALL(&f, load, .key = {ann.conversation_id, STR("acme"), STR("b")}),
               ERR_OK);
    EXPECT_INT("is empty", f.call.version, 0);
    EXPECT_INT("list", CALL(&f, list, .key = ann), ERR_OK);
    EXPECT_STR("its title", f.call.summaries[0].title, STR("hello"));
    EXPECT_INT("its run", CALL(&f, runs, .key = ann, .only_open = true), ERR_OK);
    EXPECT_INT("is open", f.call.run_count, 1);
    EXPECT_INT("ends", CALL(&f, ended, .key = ann), ERR_OK);
    EXPECT_INT("one had", f.call.run_count, 1);
    EXPECT_STR("it", f.call.runs[0].run_id, STR("r0"));
    EXPECT_INT("goes on", say(&f, 2), ERR_OK);
    EXPECT_INT("as does its run", CALL(&f, append, .fence = fence, .batch = {3, 1, STR("F")}),
               ERR_OK);
    EXPECT_INT("which gets what is new",
               CALL(&f, mark, .fence = fence,
                    .checkpoint = {.version = 1, .is_full = true, .bytes = STR("c")}),
               ERR_OK);
    EXPECT_INT("erase", CALL(&f, erase, .key = ann), ERR_OK);
    EXPECT_INT("none of it", CALL(&f, find, .run_id = STR("r1")), ERR_NOT_FOUND);
    close_rig(&f);
}

TEST(an_older_format_is_refused)
{
    struct store_faults f;
    run_script("redis.call('SET', KEYS[1]..'format', '0')", "older:");
    open_store(&f, server.url, "older:", LONG_MS);
    EXPECT_INT("refused", say(&f, 0), ERR_PROTOCOL);
    EXPECT_TRUE("says which", str_find(str_of(f.call.op.err.text), STR("format 0")) != STR_NONE);
    close_rig(&f);
}

#define OWNED "4:3:acmeannc-1" /* ann's c-1, as common.lua names it */

TEST(strange_records)
{
    static const char *const meddlings[] = {
        "SET odd:c/" OWNED " x",    "HSET odd:c/" OWNED " version x",
        "HDEL odd:t/" OWNED " 1",   "HSET odd:t/" OWNED " 1 garbage",
        "HSET odd:t/" OWNED " 1 0",
    };
    TEST_EACH(meddling, meddlings) {
        struct store_faults f;
        meddle("DEL odd:c/" OWNED);
        meddle("DEL odd:t/" OWNED);
        open_store(&f, server.url, "odd:", LONG_MS);
        EXPECT_INT("ours", say(&f, 0), ERR_OK);
        meddle(strncmp(*meddling, "SET", 3) == 0 ? "DEL odd:c/" OWNED : "PING");
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

RUN_REDIS_TESTS(T(what_was_done_is_not_done_twice), T(silence), T(noise_is_tried_again),
                T(nobody_there), T(comes_up_within_the_deadline), T(stalled),
                T(closed_while_it_pauses), T(closed_at_every_turn), T(another_version),
                T(the_first_format_is_read), T(an_older_format_is_refused), T(strange_records),
                T(urls_and_prefixes))

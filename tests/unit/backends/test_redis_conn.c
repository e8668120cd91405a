/* SPDX-License-Identifier: MIT */
/* backends/redis_conn on a real server that is well: values, order, logins, scripts, limits. Its
 * faults are in test_redis_conn_faults.c. */
#include "tests/unit/backends/redis_rig.h"

enum { BIG_BYTES = 12 << 20 };

TEST(values)
{
    struct redis_rig f;
    begin(&f, server.url, (struct redis_conn_options){0});
    expect_text(&f, "SET k v", "OK");
    expect_text(&f, "GET k", "v");
    EXPECT_INT("nothing", ask(&f, "GET none"), ERR_OK);
    EXPECT_INT("nothing", f.command.reply.kind, REDIS_REPLY_IS_NIL);
    EXPECT_INT("number", ask(&f, "INCRBY n -5"), ERR_OK);
    EXPECT_INT("number", f.command.reply.integer, -5);
    EXPECT_INT("refused", ask(&f, "LPUSH k x"), ERR_INVALID);
    EXPECT_TRUE("says why", str_find(str_of(f.rig.err.text), STR("WRONGTYPE")) != STR_NONE);
    EXPECT_INT("unknown", ask(&f, "NOSUCH"), ERR_INVALID);

    struct str bytes = STR("a\0\r\n$3\r\n\xff"), set[] = {STR("SET"), STR("bin\0ary"), bytes};
    op_release(&f.command.op);
    redis_command_start(&f.command, f.conn, &(struct redis_request){.args = set, .arg_count = 3},
                        rig_waiter(&f.rig));
    EXPECT_INT("bytes", await(&f), ERR_OK);
    struct str get[] = {STR("MGET"), set[1], STR("none"), STR("")};
    op_release(&f.command.op);
    redis_command_start(&f.command, f.conn, &(struct redis_request){.args = get, .arg_count = 4},
                        rig_waiter(&f.rig));
    EXPECT_INT("bytes", await(&f), ERR_OK);
    EXPECT_INT("items", f.command.reply.count, 3);
    EXPECT_STR("bytes", redis_reply_text(&f.command.reply, 0), bytes);
    EXPECT_TRUE("nothing", str_is_absent(redis_reply_text(&f.command.reply, 1)));
    EXPECT_TRUE("beyond", redis_reply_find(&f.command.reply, 3) == NULL);
    EXPECT_INT("one connection", redis_conn_count(f.conn).connects, 1);
    end(&f);
}

TEST(many_at_once_in_order)
{
    enum { COUNT = 3000 };
    struct redis_rig f;
    struct redis_command *commands = mem_zalloc(COUNT, sizeof *commands);
    begin(&f, server.url, (struct redis_conn_options){0});
    EXPECT_INT("from none", ask(&f, "DEL count"), ERR_OK);
    for (unsigned i = 0; i < COUNT; i++)
        start_within(&f, &commands[i], "INCR count", LONG_MS);
    rig_wait("all done", &f.rig, COUNT + 1);
    for (unsigned i = 0; i < COUNT; i++) {
        EXPECT_INT("in order", commands[i].reply.integer, i + 1);
        op_release(&commands[i].op);
    }
    EXPECT_INT("nothing is left", redis_conn_count(f.conn).sent, 0);
    end(&f);
    mem_free(commands);
}

TEST(big_values)
{
    struct redis_rig f;
    char *big = mem_alloc(BIG_BYTES);
    begin(&f, server.url, (struct redis_conn_options){0});
    for (size_t i = 0; i < BIG_BYTES; i++)
        big[i] = (char)(i * 31 + i / 977);
    struct str set[] = {STR("SET"), STR("big"), str_make(big, BIG_BYTES)};
    redis_command_start(
        &f.command, f.conn,
        &(struct redis_request){.args = set, .arg_count = 3, .deadline_ms = LONG_MS},
        rig_waiter(&f.rig));
    EXPECT_INT("there", await(&f), ERR_OK);
    EXPECT_INT("back", ask(&f, "GET big"), ERR_OK);
    EXPECT_TRUE("the same", str_equal(f.command.reply.text, set[2]));
    expect_text(&f, "PING", "PONG");
    end(&f);

    begin(&f, server.url, (struct redis_conn_options){.reply_bytes = 1 << 20});
    EXPECT_INT("over its limit", ask(&f, "GET big"), ERR_TOO_LARGE);
    expect_text(&f, "PING", "PONG"); /* by a new connection */
    EXPECT_INT("connections", redis_conn_count(f.conn).connects, 2);
    EXPECT_INT("gone", ask(&f, "DEL big"), ERR_OK);
    end(&f);
    mem_free(big);
}

TEST(logins)
{
    struct redis_rig f;
    char url[128];
    begin(&f, server.url, (struct redis_conn_options){0});
    expect_text(&f, "ACL SETUSER pat on >p%w ~* +@all", "OK");
    end(&f);

    snprintf(url, sizeof url, "redis://pat:p%%25w@localhost:%u/7", server.port);
    begin(&f, url, (struct redis_conn_options){0});
    expect_text(&f, "ACL WHOAMI", "pat");
    expect_text(&f, "SET only here", "OK");
    end(&f);

    snprintf(url, sizeof url, "redis://pat:wrong@127.0.0.1:%u", server.port);
    begin(&f, url, (struct redis_conn_options){0});
    EXPECT_INT("wrong password", ask(&f, "PING"), ERR_DENIED);
    EXPECT_INT("last known", redis_conn_ready(f.conn, &f.rig.err), ERR_DENIED);
    EXPECT_TRUE("not shown", str_find(str_of(f.rig.err.text), STR("wrong:")) == STR_NONE);
    end(&f);

    snprintf(url, sizeof url, "redis://127.0.0.1:%u/9999", server.port);
    begin(&f, url, (struct redis_conn_options){0});
    EXPECT_INT("no such database", ask(&f, "PING"), ERR_INVALID);
    end(&f);

    begin(&f, server.url, (struct redis_conn_options){0});
    EXPECT_INT("another database", ask(&f, "EXISTS only"), ERR_OK);
    EXPECT_INT("another database", f.command.reply.integer, 0);
    EXPECT_INT("ready", redis_conn_ready(f.conn, &f.rig.err), ERR_OK);
    end(&f);
}

TEST(scripts)
{
    struct redis_rig f;
    struct redis_script script;
    struct redis_command two[2] = {0};
    redis_script_init(&script, STR("return {KEYS[1], ARGV[1], #KEYS, false}"));
    EXPECT_INT("a hash", strlen(script.sha), 40);
    begin(&f, server.url, (struct redis_conn_options){0});
    for (unsigned round = 0; round < 3; round++) {
        if (round < 2) /* not known to the server, at first and again */
            EXPECT_INT("forget", ask(&f, "SCRIPT FLUSH"), ERR_OK);
        start_script(&f, &two[0], &script, "k", "v");
        start_script(&f, &two[1], &script, "", "w");
        while (op_is_pending(&two[0].op) || op_is_pending(&two[1].op))
            loop_run(f.rig.loop);
        EXPECT_INT("done", two[0].op.err.code, ERR_OK);
        EXPECT_STR("key", redis_reply_text(&two[0].reply, 0), STR("k"));
        EXPECT_STR("rest", redis_reply_text(&two[1].reply, 1), STR("w"));
        int64_t keys = 0;
        EXPECT_TRUE("keys", redis_reply_number(&two[0].reply, 2, &keys) && keys == 1);
        op_release(&two[0].op);
        op_release(&two[1].op);
    }
    struct redis_script broken;
    redis_script_init(&broken, STR("return redis.call('NOSUCH')"));
    start_script(&f, &two[0], &broken, "k", "v");
    while (op_is_pending(&two[0].op))
        loop_run(f.rig.loop);
    EXPECT_INT("its own error", two[0].op.err.code, ERR_INVALID);
    end(&f);
}

TEST(queue_is_bounded)
{
    struct redis_rig f;
    struct redis_command more[3] = {0};
    begin(&f, server.url, (struct redis_conn_options){.queue_limit = 2});
    for (unsigned i = 0; i < 3; i++)
        start_within(&f, &more[i], "PING", LONG_MS);
    rig_wait("all", &f.rig, 3);
    EXPECT_INT("first", more[0].op.err.code, ERR_OK);
    EXPECT_INT("second", more[1].op.err.code, ERR_OK);
    EXPECT_INT("third", more[2].op.err.code, ERR_BUSY);
    expect_text(&f, "PING", "PONG");
    for (unsigned i = 0; i < 3; i++)
        op_release(&more[i].op);
    end(&f);

    begin(&f, server.url, (struct redis_conn_options){.queue_bytes = 64});
    for (unsigned i = 0; i < 2; i++)
        start_within(&f, &more[i], "PING", LONG_MS);
    rig_wait("all", &f.rig, 2);
    EXPECT_INT("bytes are full", more[1].op.err.code, ERR_BUSY);
    op_release(&more[0].op);
    op_release(&more[1].op);
    end(&f);
}

RUN_REDIS_TESTS(T(values), T(many_at_once_in_order), T(big_values), T(logins), T(scripts),
                T(queue_is_bounded))

/* SPDX-License-Identifier: MIT */
/* backends/redis_conn on a server that is not there, stalls, restarts or talks nonsense; and the
 * sweeps: cancelled and closed at every turn, every allocation fails. */
#include <uv.h>

#include "tests/unit/backends/redis_rig.h"

enum { SOON_MS = 50 };

TEST(nobody_there)
{
    struct redis_rig f;
    char url[64];
    snprintf(url, sizeof url, "redis://127.0.0.1:%u", redis_process_free_port(server.port + 1));
    begin(&f, url, (struct redis_conn_options){.retry_ms = 1});
    for (unsigned round = 0; round < 5; round++) {
        EXPECT_INT("refused", ask(&f, "PING"), ERR_UNAVAILABLE);
        EXPECT_TRUE("says where", str_find(str_of(f.rig.err.text), STR("127.0.0.1:")) != STR_NONE);
    }
    EXPECT_INT("an attempt each", redis_conn_count(f.conn).connects, 5);
    end(&f);

    begin(&f, "redis://no.such.host.invalid", (struct redis_conn_options){0});
    EXPECT_INT("no such name", ask(&f, "PING"), ERR_UNAVAILABLE);
    end(&f);
}

TEST(restarted_in_mid_command)
{
    struct redis_rig f;
    struct redis_command second = {0}, later = {0};
    struct redis_process own;
    redis_process_start(&own);
    begin(&f, own.url, (struct redis_conn_options){0});
    expect_text(&f, "PING", "PONG");
    start(&f, "BLPOP nothing 0");
    start_within(&f, &second, "PING", LONG_MS);
    while (redis_conn_count(f.conn).sent < 2)
        loop_turn(f.rig.loop, 1);
    redis_process_stop(&own);
    start_within(&f, &later, "PING", LONG_MS); /* sent into nothing, or not at all */
    unsigned before = f.rig.done_calls;
    while (op_is_pending(&f.command.op) || op_is_pending(&second.op) || op_is_pending(&later.op))
        loop_run(f.rig.loop);
    EXPECT_INT("each once", f.rig.done_calls - before, 3);
    EXPECT_INT("in flight", f.command.op.err.code, ERR_UNAVAILABLE);
    EXPECT_INT("behind it", second.op.err.code, ERR_UNAVAILABLE);
    EXPECT_INT("after it", later.op.err.code, ERR_UNAVAILABLE);
    EXPECT_TRUE("says so", str_find(str_of(f.command.op.err.text), STR("may be done")) != STR_NONE);
    redis_process_again(&own);
    expect_text(&f, "PING", "PONG");
    EXPECT_INT("one cut", redis_conn_count(f.conn).cuts, 1);
    end(&f);
    redis_process_stop(&own);
}

static void count_cut(void *user)
{
    ++*(unsigned *)user;
}

/* Who comes after a cut at rest does not notice it; who wants to know of it is told. */
TEST(restarted_at_rest)
{
    struct redis_rig f;
    struct redis_process own;
    unsigned told = 0;
    redis_process_start(&own);
    begin(&f, own.url, (struct redis_conn_options){.on_cut = count_cut, .user = &told});
    expect_text(&f, "PING", "PONG");
    EXPECT_INT("not yet", told, 0);
    redis_process_stop(&own);
    redis_process_again(&own);
    while (redis_conn_count(f.conn).cuts == 0)
        loop_turn(f.rig.loop, 1);
    EXPECT_INT("told", told, 1);
    expect_text(&f, "PING", "PONG");
    end(&f);
    redis_process_stop(&own);
}

TEST(stalled)
{
    struct redis_rig f;
    struct redis_command second = {0};
    struct redis_process own;
    redis_process_start(&own);
    begin(&f, own.url, (struct redis_conn_options){0});
    expect_text(&f, "SET k 1", "OK");
    kill(own.pid, SIGSTOP);
    start_within(&f, &second, "INCR k", LONG_MS);
    op_release(&f.command.op);
    start_within(&f, &f.command, "INCR k", SOON_MS);
    EXPECT_INT("in time", await(&f), ERR_TIMEOUT);
    while (op_is_pending(&second.op))
        loop_run(f.rig.loop);
    EXPECT_INT("taken for stuck", second.op.err.code, ERR_UNAVAILABLE);
    op_release(&second.op);
    end(&f);

    begin(&f, own.url, (struct redis_conn_options){.connect_ms = SOON_MS});
    EXPECT_INT("no greeting", ask(&f, "PING"), ERR_UNAVAILABLE);
    start_within(&f, &second, "PING", 1);
    while (op_is_pending(&second.op))
        loop_run(f.rig.loop);
    EXPECT_INT("before that", second.op.err.code, ERR_TIMEOUT);
    end(&f);

    begin(&f, own.url, (struct redis_conn_options){0});
    start(&f, "PING");
    loop_turn(f.rig.loop, 20);
    kill(own.pid, SIGCONT);
    EXPECT_INT("when it goes on", await(&f), ERR_OK);
    end(&f);
    redis_process_stop(&own);
}

/* A late answer is not taken for the next command's. */
TEST(given_up_and_answered_late)
{
    struct redis_rig f;
    struct redis_command waits = {0};
    begin(&f, server.url, (struct redis_conn_options){0});
    expect_text(&f, "PING", "PONG");
    start_within(&f, &waits, "INCR late", LONG_MS);
    start(&f, "PING");
    while (redis_conn_count(f.conn).sent < 2)
        loop_turn(f.rig.loop, 1);
    op_cancel(&waits.op);
    op_cancel(&waits.op);
    EXPECT_INT("its own answer", await(&f), ERR_OK);
    EXPECT_STR("its own answer", f.command.reply.text, STR("PONG"));
    EXPECT_INT("given up", waits.op.err.code, ERR_CANCELLED);
    EXPECT_INT("nothing is left", redis_conn_count(f.conn).sent, 0);
    end(&f);
}

/* ---- a server that talks nonsense ---- */

struct liar {
    uv_tcp_t listener, tcp;
    uv_write_t write;
    struct str lie; /* what it answers after the login */
    unsigned reads;
    char bytes[4096];
};

static void liar_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct liar *liar = stream->data;
    struct str answer = liar->reads++ == 0 ? STR("+OK\r\n") : liar->lie;
    (void)buffer;
    if (count < 0) {
        uv_close((uv_handle_t *)stream, NULL);
        uv_close((uv_handle_t *)&liar->listener, NULL);
        return;
    }
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)answer.at, (unsigned)answer.len);
    uv_write(&liar->write, stream, &all, 1, NULL);
}

static void liar_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct liar *liar = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(liar->bytes, sizeof liar->bytes);
}

static void liar_accept(uv_stream_t *listener, int status)
{
    struct liar *liar = listener->data;
    assert_int_equal(status, 0);
    uv_tcp_init(listener->loop, &liar->tcp);
    liar->tcp.data = liar;
    assert_int_equal(uv_accept(listener, (uv_stream_t *)&liar->tcp), 0);
    uv_read_start((uv_stream_t *)&liar->tcp, liar_buffer, liar_read);
}

static const struct {
    const char *name;
    struct str lie;
    enum err_code want;
} lies[] = {
    {"not Redis", {"HTTP/1.1 200 OK\r\n\r\n", 19}, ERR_PROTOCOL},
    {"too many answers", {"+OK\r\n+OK\r\n+OK\r\n", 15}, ERR_OK},
    {"an array of milliards", {"*2147483647\r\n", 13}, ERR_TOO_LARGE},
    {"a length below zero", {"$-2\r\n", 5}, ERR_PROTOCOL},
    {"a text without its end", {"$2\r\nokxx+PONG\r\n", 15}, ERR_OK},
};

TEST(liars)
{
    TEST_EACH(c, lies) {
        struct redis_rig f;
        struct liar liar = {.lie = c->lie};
        struct sockaddr_in address;
        int bytes = sizeof address;
        begin(&f, "redis://127.0.0.1", (struct redis_conn_options){0});
        uv_ip4_addr("127.0.0.1", 0, &address);
        uv_tcp_init(loop_uv(f.rig.loop), &liar.listener);
        liar.listener.data = &liar;
        uv_tcp_bind(&liar.listener, (const struct sockaddr *)&address, 0);
        uv_listen((uv_stream_t *)&liar.listener, 4, liar_accept);
        uv_tcp_getsockname(&liar.listener, (struct sockaddr *)&address, &bytes);
        f.url.port = ntohs(address.sin_port);
        EXPECT_INT(c->name, ask(&f, "PING"), c->want);
        if (c->want == ERR_OK) /* the answer came first; then the connection was cut */
            while (redis_conn_count(f.conn).cuts == 0)
                loop_turn(f.rig.loop, 1);
        end(&f);
    }
}

/* ---- sweeps ---- */

TEST(cancelled_at_every_turn)
{
    struct redis_script script;
    redis_script_init(&script, STR("return {KEYS[1], 'swept'}"));
    bool is_done = false;
    for (unsigned turns = 0; !is_done; turns = rig_after(turns)) {
        struct redis_rig f;
        begin(&f, server.url, (struct redis_conn_options){0});
        start_script(&f, &f.command, &script, "k", "v");
        is_done = rig_turn(&f.rig, turns, 1);
        op_cancel(&f.command.op);
        op_cancel(&f.command.op);
        await(&f);
        EXPECT_INT("done once", f.rig.done_calls, 1);
        EXPECT_TRUE("code",
                    f.rig.err.code == ERR_OK || (!is_done && f.rig.err.code == ERR_CANCELLED));
        expect_text(&f, "PING", "PONG");
        end(&f);
    }
}

TEST(closed_at_every_turn)
{
    bool is_done = false;
    for (unsigned turns = 0; !is_done; turns = rig_after(turns)) {
        struct redis_rig f;
        struct redis_command second = {0};
        char url[64];
        snprintf(url, sizeof url, "redis://localhost:%u", server.port);
        begin(&f, url, (struct redis_conn_options){0});
        start(&f, "PING");
        start_within(&f, &second, "PING", LONG_MS);
        is_done = rig_turn(&f.rig, turns, 2);
        end(&f);
        EXPECT_INT("done once", f.rig.done_calls, 2);
        EXPECT_TRUE("code", second.op.err.code == ERR_OK || second.op.err.code == ERR_CANCELLED);
        op_release(&second.op);
    }
}

TEST(every_allocation_fails)
{
    struct redis_script script;
    redis_script_init(&script, STR("return {'no', 'memory'}"));
    bool was_reached = true;
    for (uint64_t nth = 1; was_reached; nth++) {
        struct redis_rig f;
        begin(&f, server.url, (struct redis_conn_options){.retry_ms = 1});
        if (nth % 2 == 0) /* so that it goes by its hash, and then as a text */
            EXPECT_INT("forget", ask(&f, "SCRIPT FLUSH"), ERR_OK);
        op_release(&f.command.op);
        uint64_t before = mem_alloc_count();
        mem_fail_nth((nth + 1) / 2);
        start_script(&f, &f.command, &script, "k", "v");
        enum err_code got = await(&f);
        was_reached = mem_alloc_count() - before >= (nth + 1) / 2 || got != ERR_OK;
        mem_fail_nth(0);
        EXPECT_TRUE("code", got == ERR_OK || got == ERR_NO_MEMORY || got == ERR_INVALID);
        expect_text(&f, "PING", "PONG"); /* it goes on */
        end(&f);
    }
}

RUN_REDIS_TESTS(T(nobody_there), T(restarted_in_mid_command), T(restarted_at_rest), T(stalled),
                T(given_up_and_answered_late), T(liars), T(cancelled_at_every_turn),
                T(closed_at_every_turn), T(every_allocation_fails))

/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/redis_rig.h - a connection to a redis-server of the test program's own. */
#ifndef TESTS_UNIT_BACKENDS_REDIS_RIG_H
#define TESTS_UNIT_BACKENDS_REDIS_RIG_H

#include "backends/redis/redis_conn.h"
#include "tests/lib/redis_process.h"
#include "tests/unit/backends/rig.h"

enum {
    LONG_MS = 60000,
    MOST_ARGS = 8,
};

struct redis_rig {
    struct rig rig;
    struct redis_url url;
    struct redis_conn *conn;
    struct redis_command command;
};

static struct redis_process server; /* of this program */

static inline void begin(struct redis_rig *f, const char *url, struct redis_conn_options options)
{
    *f = (struct redis_rig){0};
    struct err err = {0};
    if (redis_url_parse(&f->url, str_of(url), &err) != ERR_OK)
        fail_msg("%s: %s", url, err.text);
    rig_begin(&f->rig);
    options.url = &f->url;
    if (options.connect_ms == 0)
        options.connect_ms = LONG_MS;
    f->conn = redis_conn_create(f->rig.loop, &options);
    assert_non_null(f->conn);
}

static inline void end(struct redis_rig *f)
{
    redis_conn_close(f->conn, rig_on_closed, &f->rig);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    op_release(&f->command.op);
    rig_end(&f->rig);
    redis_url_fini(&f->url);
}

/* Words divided by blanks. */
static inline void start_within(struct redis_rig *f, struct redis_command *command,
                                const char *words, uint64_t deadline_ms)
{
    struct str args[MOST_ARGS], rest = str_of(words);
    struct redis_request request = {.args = args, .deadline_ms = deadline_ms};
    while (!str_is_absent(rest))
        args[request.arg_count++] = str_split(&rest, ' ');
    redis_command_start(command, f->conn, &request, rig_waiter(&f->rig));
}

static inline void start(struct redis_rig *f, const char *words)
{
    op_release(&f->command.op);
    start_within(f, &f->command, words, LONG_MS);
}

static inline enum err_code await(struct redis_rig *f)
{
    while (op_is_pending(&f->command.op))
        loop_run(f->rig.loop);
    return f->command.op.err.code;
}

static inline enum err_code ask(struct redis_rig *f, const char *words)
{
    start(f, words);
    return await(f);
}

static inline void expect_text(struct redis_rig *f, const char *words, const char *want)
{
    if (ask(f, words) != ERR_OK)
        fail_msg("%s: %s", words, f->command.op.err.text);
    EXPECT_INT(words, f->command.reply.kind, REDIS_REPLY_IS_TEXT);
    EXPECT_STR(words, f->command.reply.text, str_of(want));
}

static inline void start_script(struct redis_rig *f, struct redis_command *command,
                                const struct redis_script *script, const char *key,
                                const char *value)
{
    struct str args[] = {str_of(key), str_of(value)};
    redis_command_start(
        command, f->conn,
        &(struct redis_request){
            .script = script, .args = args, .arg_count = 2, .key_count = 1, .deadline_ms = LONG_MS},
        rig_waiter(&f->rig));
}

static inline int start_server(void **state)
{
    (void)state;
    redis_process_start(&server);
    return 0;
}

static inline int stop_server(void **state)
{
    (void)state;
    redis_process_stop(&server);
    return 0;
}

#define RUN_REDIS_TESTS(...)                                                                       \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest all[] = {__VA_ARGS__};                                             \
        return cmocka_run_group_tests(all, start_server, stop_server);                             \
    }

#endif

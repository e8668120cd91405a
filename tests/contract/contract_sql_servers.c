/* SPDX-License-Identifier: MIT */
/* The contract of sql, part four, for engines that are servers: what they execute as others see
 * it, who cannot log in, connections that die. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/contract/contract_rig.h"

/* As CONTRACT_TEST, for servers, with a second sql, of one connection, beside the one under
 * test. */
#define SERVER_TEST(test)                                                                          \
    static void test##_beside(struct contract *f, struct sql *watcher);                            \
    CONTRACT_TEST(test)                                                                            \
    {                                                                                              \
        if (f->engine->server == NULL)                                                             \
            return;                                                                                \
        const struct contract_options alone = {.size = 1};                                         \
        struct sql *watcher = f->engine->open(f->rig.loop, f->url, &alone);                        \
        assert_non_null(watcher);                                                                  \
        test##_beside(f, watcher);                                                                 \
        op_release(&f->query.op);                                                                  \
        sql_close(watcher, NULL, NULL);                                                            \
    }                                                                                              \
    static void test##_beside(struct contract *f, struct sql *watcher)

static void expect_works(struct contract *f, const char *name)
{
    CONTRACT_CODE(f, name, contract_ask(f, "SELECT 41 + 1"), ERR_OK);
    EXPECT_INT(name, contract_cell(f, 0, 0)->integer, 42);
}

static void start_asleep(struct contract *f, struct sql_query *query,
                         const struct sql_statement *asleep)
{
    sql_query_start(query, f->sql, asleep, rig_waiter(&f->rig));
}

/* By way of an idle connection (the first is alone, so one is opened beside it), and with none. */
static void cancel_sleepers(struct contract *f, struct sql *watcher, size_t count)
{
    const struct sql_statement asleep = {.text = str_of(f->engine->sleep), .timeout_ms = 600000};
    struct sql_query queries[4] = {0};
    for (size_t i = 0; i < count; i++)
        start_asleep(f, &queries[i], &asleep);
    contract_await_sleepers(f, watcher, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        op_cancel(&queries[i].op);
        contract_wait(f, &queries[i]);
        EXPECT_INT(queries[i].op.err.text, queries[i].op.err.code, ERR_CANCELLED);
        contract_await_sleepers(f, watcher, (int64_t)(count - i - 1));
        op_release(&queries[i].op);
        expect_works(f, "after a cancel");
    }
}

SERVER_TEST(cancelled_statements_are_gone)
{
    cancel_sleepers(f, watcher, 1);
    cancel_sleepers(f, watcher, 4);
    cancel_sleepers(f, watcher, 2);
}

SERVER_TEST(late_statements_are_gone)
{
    const struct sql_statement late = {.text = str_of(f->engine->sleep), .timeout_ms = 50};
    CONTRACT_CODE(f, "late", contract_run(f, f->sql, &late), ERR_TIMEOUT);
    contract_await_sleepers(f, watcher, 0);
    expect_works(f, "after a deadline");
}

SERVER_TEST(closing_leaves_nothing_running)
{
    const struct sql_statement asleep = {.text = str_of(f->engine->sleep)};
    struct sql_query queries[2] = {0};
    start_asleep(f, &queries[0], &asleep);
    start_asleep(f, &queries[1], &asleep);
    contract_await_sleepers(f, watcher, 2);
    sql_close(f->sql, rig_on_closed, &f->rig);
    contract_wait(f, &queries[0]);
    contract_wait(f, &queries[1]);
    while (f->rig.closed_calls == 0)
        loop_turn(f->rig.loop, 1);
    EXPECT_INT("cancelled", queries[0].op.err.code, ERR_CANCELLED);
    op_release(&queries[0].op);
    op_release(&queries[1].op);
    contract_await_sleepers(f, watcher, 0);
    f->sql = f->engine->open(f->rig.loop, f->url, &(struct contract_options){0});
    f->rig.closed_calls = 0;
}

/* A database that restarts while we are idle costs nothing... (One connection: another, still on
 * its way in, might be killed at the door.) */
SERVER_TEST(connections_that_die_idle_cost_nothing)
{
    struct sql *ours = f->sql;
    f->sql = f->engine->open(f->rig.loop, f->url, &(struct contract_options){.size = 1});
    for (int round = 0; round < 5; round++) {
        expect_works(f, "idle");
        contract_kill_all(f, watcher);
        expect_works(f, "at once after it");
    }
    op_release(&f->query.op);
    sql_close(f->sql, NULL, NULL);
    f->sql = ours;
}

/* ...and one in mid-statement one error, or one more try. */
SERVER_TEST(connections_that_die_at_work_cost_one_error)
{
    const struct sql_statement asleep = {.text = str_of(f->engine->sleep)};
    struct sql_query queries[3] = {0};
    struct err err = {0};
    for (size_t i = 0; i < 3; i++)
        start_asleep(f, &queries[i], &asleep);
    contract_await_sleepers(f, watcher, 3);
    f->engine->kill(f, watcher);
    for (size_t i = 0; i < 3; i++) {
        contract_wait(f, &queries[i]);
        EXPECT_INT(queries[i].op.err.text, queries[i].op.err.code, ERR_UNAVAILABLE);
        op_release(&queries[i].op);
    }
    expect_works(f, "healed");
    EXPECT_INT("ready", sql_ready(f->sql, &err), ERR_OK);
}

/* The url with another login, port or database: what stands between the marks is replaced. */
static void change_url(const char *url, const char *login, unsigned port, const char *database,
                       char *changed, size_t bytes)
{
    struct str whole = str_of(url), rest = whole;
    size_t scheme = (size_t)str_find(whole, STR("://")) + 3;
    rest = str_from(whole, scheme);
    size_t at = (size_t)str_find_char(rest, '@');
    struct str place = str_from(rest, at + 1);
    size_t slash = (size_t)str_find_char(place, '/'), colon = (size_t)str_find_char(place, ':');
    struct str old_port = str_slice(place, colon + 1, slash), old = str_from(place, slash + 1);
    char number[16];
    snprintf(number, sizeof number, "%u", port);
    struct str user = login != NULL ? str_of(login) : str_slice(rest, 0, at);
    struct str name = database != NULL ? str_of(database) : old;
    snprintf(changed, bytes, "%.*s%.*s@%.*s:%.*s/%.*s", (int)scheme, url, STR_ARG(user),
             STR_ARG(str_slice(place, 0, colon)), STR_ARG(port == 0 ? old_port : str_of(number)),
             STR_ARG(name));
}

/* A port of ours that nobody else gets: it refuses connections, or takes them and never answers. */
static int hold_port(bool listens, unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    if (listens)
        assert_int_equal(listen(fd, 16), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static void expect_unavailable(struct contract *f, const char *name, const char *url,
                               uint64_t connect_ms)
{
    const struct contract_options options = {.connect_ms = connect_ms};
    struct sql *sql = f->engine->open(f->rig.loop, url, &options);
    struct err err = {0};
    CONTRACT_CODE(f, name, contract_run(f, sql, &(struct sql_statement){.text = STR("SELECT 1")}),
                  ERR_UNAVAILABLE);
    EXPECT_TRUE(name, f->query.op.err.text[0] != '\0');
    EXPECT_TRUE(name, strstr(f->query.op.err.text, "s3cret") == NULL);
    EXPECT_INT(name, sql_ready(sql, &err), ERR_UNAVAILABLE);
    EXPECT_TRUE(name, strstr(err.text, "s3cret") == NULL);
    op_release(&f->query.op);
    sql_close(sql, NULL, NULL);
}

CONTRACT_TEST(who_cannot_get_in)
{
    char url[2 * CONTRACT_URL_BYTES];
    unsigned refusing, silent;
    if (f->engine->server == NULL)
        return;
    int fds[] = {hold_port(false, &refusing), hold_port(true, &silent)};
    change_url(f->url, NULL, refusing, NULL, url, sizeof url);
    expect_unavailable(f, "nobody listens", url, 0);
    change_url(f->url, NULL, silent, NULL, url, sizeof url);
    expect_unavailable(f, "nobody answers", url, 50);
    change_url(f->url, "nobody_here:s3cret", 0, NULL, url, sizeof url);
    expect_unavailable(f, "no such user", url, 0);
    change_url(f->url, NULL, 0, "no_such_database", url, sizeof url);
    expect_unavailable(f, "no such database", url, 0);
    expect_works(f, "the right one");
    close(fds[0]);
    close(fds[1]);
}

CONTRACT_RUN(T(cancelled_statements_are_gone), T(late_statements_are_gone),
             T(closing_leaves_nothing_running), T(connections_that_die_idle_cost_nothing),
             T(connections_that_die_at_work_cost_one_error), T(who_cannot_get_in))

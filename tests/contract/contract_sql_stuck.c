/* SPDX-License-Identifier: MIT */
/* The contract of sql, part five: statements that do not heed their deadline. The query ends all
 * the same, soon, and others find the database as ever. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "core/base/buf.h"
#include "tests/contract/contract_rig.h"

/* Far more than a second on a busy machine, far less than the statements would take. */
enum { DEADLINE_MS = 400, SOON_MS = 10000, AGAIN = 3 };

/* How many connections may still be made; below 0: any number. */
static int connects_left = -1;

/* The libraries' own calls come here, too. */
int connect(int socket, const struct sockaddr *address, socklen_t bytes)
{
    if (connects_left == 0) {
        errno = ECONNREFUSED;
        return -1;
    }
    connects_left -= connects_left > 0;
    return (int)syscall(SYS_connect, socket, address, bytes);
}

/* One call that looks for a text in a text: no engine looks at its deadline in between. */
static const char *const seek[CONTRACT_DIALECTS] = {
    [SQL_SQLITE] = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<400000) "
                   "SELECT instr(g, substr(g, 1, 1600000) || 'b') "
                   "FROM (SELECT group_concat('aaaaaaaa', '') AS g FROM c) x",
    [SQL_POSTGRES] = "SELECT strpos(a || a, 'b' || a) "
                     "FROM (SELECT repeat('a', 80000) AS a) x",
    [SQL_MYSQL] = "SELECT instr(concat(a, a), concat(a, 'b')) "
                  "FROM (SELECT repeat('a', 90000) AS a) x",
};

static void expect_works(struct contract *f, const char *name)
{
    CONTRACT_CODE(f, name, contract_ask(f, "SELECT 41 + 1"), ERR_OK);
    EXPECT_INT(name, contract_cell(f, 0, 0)->integer, 42);
}

CONTRACT_TEST(what_heeds_no_deadline_ends_soon)
{
    const struct sql_statement stuck = {.text = str_of(seek[f->engine->dialect]),
                                        .timeout_ms = DEADLINE_MS};
    if (strcmp(f->engine->name, "sqlite") == 0)
        return; /* a thread cannot be ended: that is why there are children */
    expect_works(f, "connected");
    for (int i = 0; i < AGAIN; i++) {
        uint64_t began_ns = loop_precise_ns();
        CONTRACT_CODE(f, "stuck", contract_run(f, f->sql, &stuck), ERR_TIMEOUT);
        EXPECT_TRUE("soon", (loop_precise_ns() - began_ns) / 1000000 < SOON_MS);
        expect_works(f, "after it");
    }
}

/* What goes on after the query was told is ended by a second session: gone, or marked to end where
 * the engine looks at the mark too late. */
static const char *const deaf[CONTRACT_DIALECTS] = {
    [SQL_POSTGRES] = "SELECT deaf() AS sleeper",
    [SQL_MYSQL] = "SELECT instr(concat(a, a), concat(a, 'b')) AS sleeper "
                  "FROM (SELECT repeat('a', 130000) AS a) x",
};
static const char *const unended[CONTRACT_DIALECTS] = {
    [SQL_POSTGRES] = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
                     "'%sleep' || 'er%' AND datname = current_database()",
    [SQL_MYSQL] = "SELECT count(*) FROM information_schema.processlist WHERE db = database() "
                  "AND info LIKE concat('%sleep', 'er%') AND command <> 'Killed'",
};

CONTRACT_TEST(what_heeds_no_cancel_is_ended)
{
    const struct contract_options alone = {.size = 1};
    const enum sql_dialect dialect = f->engine->dialect;
    const struct sql_statement late = {.text = str_of(deaf[dialect]), .timeout_ms = DEADLINE_MS};
    int64_t left = 1;
    if (f->engine->server == NULL)
        return;
    struct sql *watcher = f->engine->open(f->rig.loop, f->url, &alone);
    assert_non_null(watcher);
    CONTRACT_CODE(f, "deaf", contract_run(f, f->sql, &late), ERR_TIMEOUT);
    for (unsigned look = 0; look < 100000 && left > 0; look++) {
        contract_run(f, watcher, &(struct sql_statement){.text = str_of(unended[dialect])});
        CONTRACT_CODE(f, "a look", f->query.op.err.code, ERR_OK);
        left = contract_cell(f, 0, 0)->integer;
    }
    EXPECT_INT("left", left, 0);
    expect_works(f, "after it");
    op_release(&f->query.op);
    sql_close(watcher, NULL, NULL);
}

/* With no second session to be had the query ends all the same, and the pool is as ever when the
 * server can be reached again. */
CONTRACT_TEST(no_second_session_no_wait)
{
    const struct contract_options alone = {.size = 1};
    const struct sql_statement late = {.text = str_of(deaf[f->engine->dialect]),
                                       .timeout_ms = DEADLINE_MS};
    if (f->engine->server == NULL)
        return;
    struct sql *watcher = f->engine->open(f->rig.loop, f->url, &alone);
    assert_non_null(watcher);
    contract_run(f, watcher, &(struct sql_statement){.text = STR("SELECT 1")});
    connects_left = 1;
    CONTRACT_CODE(f, "deaf", contract_run(f, f->sql, &late), ERR_TIMEOUT);
    EXPECT_INT("connected once", connects_left, 0);
    connects_left = -1;
    expect_works(f, "after it");
    contract_kill_all(f, watcher);
    op_release(&f->query.op);
    sql_close(watcher, NULL, NULL);
}

/* Each WITH reads the one before it twice: 2^23 expressions, while the statement is compiled. */
static struct str doubling(struct buf *out, unsigned steps)
{
    buf_init(out, 64 << 10);
    buf_printf(out, "WITH a0 AS (SELECT n AS x FROM numbers)");
    for (unsigned i = 1; i <= steps; i++)
        buf_printf(out, ", a%u AS (SELECT x+x AS x FROM a%u)", i, i - 1);
    buf_printf(out, " SELECT x FROM a%u", steps);
    assert_true(buf_ok(out));
    return buf_str(out);
}

CONTRACT_TEST(compiling_takes_a_childs_memory_only)
{
    struct buf text;
    struct sql_statement statement = {.text = doubling(&text, 23), .timeout_ms = 5000};
    if (strcmp(f->engine->name, "sqlite_child") == 0) {
        enum err_code code = contract_run(f, f->sql, &statement);
        if (code != ERR_TIMEOUT && code != ERR_REJECTED)
            CONTRACT_CODE(f, "doubling", code, ERR_TOO_LARGE);
        expect_works(f, "after it");
    }
    buf_fini(&text);
}

/* One caller has all the places it may; another gets one at once. */
CONTRACT_TEST(one_caller_leaves_a_place)
{
    enum { HEAVY = 6 };
    const struct sql_variable mine[] = {{STR("company_id"), STR("acme")},
                                        {STR("user_id"), STR("ann")}};
    const struct sql_variable others[] = {{STR("company_id"), STR("acme")},
                                          {STR("user_id"), STR("bob")}};
    const struct sql_statement heavy = {
        .text = str_of(f->engine->sleep), .variables = mine, .variable_count = 2};
    const struct sql_statement plain = {.text = STR("SELECT 41 + 1"),
                                        .variables = others,
                                        .variable_count = 2,
                                        .timeout_ms = CONTRACT_PATIENCE_MS};
    struct sql_query queries[HEAVY] = {0};
    if (strcmp(f->engine->name, "sqlite") == 0)
        return; /* its threads know no callers */
    contract_end(f);
    contract_begin_with(f, f->engine, &(struct contract_options){.size = 2});
    for (size_t i = 0; i < HEAVY; i++)
        sql_query_start(&queries[i], f->sql, &heavy, rig_waiter(&f->rig));
    for (int i = 0; i < AGAIN; i++)
        CONTRACT_CODE(f, "another's", contract_run(f, f->sql, &plain), ERR_OK);
    for (size_t i = 0; i < HEAVY; i++) {
        EXPECT_TRUE("goes on", op_is_pending(&queries[i].op));
        op_cancel(&queries[i].op);
    }
    for (size_t i = 0; i < HEAVY; i++) {
        contract_wait(f, &queries[i]);
        EXPECT_INT(queries[i].op.err.text, queries[i].op.err.code, ERR_CANCELLED);
        op_release(&queries[i].op);
    }
}

/* MariaDB's own setting ends a recursion at 1,000 steps, without a word. */
CONTRACT_TEST(recursions_are_not_cut)
{
    CONTRACT_CODE(f, "recursion",
                  contract_ask(f, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c "
                                  "WHERE n < 5000) SELECT max(n) FROM c"),
                  ERR_OK);
    EXPECT_INT("steps", contract_cell(f, 0, 0)->integer, 5000);
}

/* Deeper than the server's stack: its own words blame the statement, and not the database. */
CONTRACT_TEST(what_is_too_deep_is_the_statements_fault)
{
    enum { OPERATORS = 16000 };
    struct buf text;
    buf_init(&text, OPERATORS * 2);
    buf_push(&text, STR("SELECT "));
    for (int i = 0; i < OPERATORS; i++)
        buf_push_char(&text, '~');
    buf_push_char(&text, '1');
    struct sql_statement statement = {.text = buf_str(&text), .timeout_ms = CONTRACT_PATIENCE_MS};
    CONTRACT_CODE(f, "too deep", contract_run(f, f->sql, &statement), ERR_REJECTED);
    expect_works(f, "after it");
    buf_fini(&text);
}

CONTRACT_RUN(cmocka_unit_test(recursions_are_not_cut),
             cmocka_unit_test(what_is_too_deep_is_the_statements_fault),
             cmocka_unit_test(what_heeds_no_deadline_ends_soon),
             cmocka_unit_test(what_heeds_no_cancel_is_ended),
             cmocka_unit_test(no_second_session_no_wait),
             cmocka_unit_test(compiling_takes_a_childs_memory_only),
             cmocka_unit_test(one_caller_leaves_a_place))

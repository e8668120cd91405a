/* SPDX-License-Identifier: MIT */
/* The contract of sql, part three: deadlines, cancel and close at every turn, full queues, many at
 * once, no memory. Each query ends once, later, and the next one finds the database as ever. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/contract/contract_rig.h"
#include "tests/lib/starve.h"

enum { MANY = 200 };

static const struct sql_statement five_thousand = {.text = {"SELECT n FROM numbers ORDER BY n", 32},
                                                   .max_rows = 5000,
                                                   .timeout_ms = CONTRACT_PATIENCE_MS};

/* Sparser than rig_after: a point takes a server most of a second. */
static unsigned after(unsigned turns)
{
    return rig_after(turns) + turns / 4;
}

static void expect_works(struct contract *f, const char *name)
{
    CONTRACT_CODE(f, name, contract_ask(f, "SELECT 41 + 1"), ERR_OK);
    EXPECT_INT(name, contract_cell(f, 0, 0)->integer, 42);
}

CONTRACT_TEST(late_statements_end)
{
    const struct sql_statement late = {.text = str_of(f->engine->sleep), .timeout_ms = 400};
    expect_works(f, "connected"); /* else a slow machine spends the time on that */
    for (int round = 0; round < 2; round++) {
        CONTRACT_CODE(f, "late", contract_run(f, f->sql, &late), ERR_TIMEOUT);
        expect_works(f, "after a deadline");
    }
}

/* One connection: what was meant for the first statement must not hit the second. */
static bool cancel_after(const struct contract_engine *engine, unsigned turns, bool warm,
                         const struct sql_statement *statement)
{
    struct contract f;
    struct sql_query query = {0};
    contract_begin_with(&f, engine, &(struct contract_options){.size = 1});
    if (warm)
        expect_works(&f, "connected");
    unsigned before = f.rig.done_calls;
    sql_query_start(&query, f.sql, statement, rig_waiter(&f.rig));
    bool ended = rig_turn(&f.rig, turns, before + 1);
    unsigned done = f.rig.done_calls;
    op_cancel(&query.op);
    op_cancel(&query.op);
    EXPECT_INT("done inside cancel", f.rig.done_calls, done);
    contract_wait(&f, &query);
    EXPECT_INT("done", f.rig.done_calls, before + 1);
    if (ended || query.op.err.code != ERR_CANCELLED)
        CONTRACT_CODE(&f, query.op.err.text, query.op.err.code, ERR_OK);
    for (int i = 0; i < 3; i++)
        expect_works(&f, "after a cancel");
    op_release(&query.op);
    contract_end(&f);
    return ended;
}

TEST(cancelled_at_every_turn)
{
    TEST_EACH(engine, contract_engines) {
        for (int warm = 0; warm <= 1; warm++) {
            unsigned turns = 0;
            while (!cancel_after(engine, turns, warm, &five_thousand))
                turns = after(turns);
        }
    }
}

/* A sleeper, three others; true: one or two had ended before, and the rest is behind the sleeper.
 */
static bool close_after(const struct contract_engine *engine, unsigned turns, bool warm)
{
    struct contract f;
    struct sql_query queries[4] = {0};
    const struct sql_statement asleep = {.text = str_of(engine->sleep)};
    contract_begin_with(&f, engine, &(struct contract_options){.size = 2});
    if (warm)
        expect_works(&f, "connected");
    unsigned before = f.rig.done_calls;
    for (size_t i = 0; i < 4; i++)
        sql_query_start(&queries[i], f.sql, i == 1 ? &asleep : &five_thousand, rig_waiter(&f.rig));
    bool ended = rig_turn(&f.rig, turns, before + 2);
    unsigned done = f.rig.done_calls;
    sql_close(f.sql, rig_on_closed, &f.rig);
    f.sql = NULL;
    EXPECT_INT("done inside close", f.rig.done_calls, done);
    rig_wait(engine->name, &f.rig, before + 4);
    for (size_t i = 0; i < 4; i++)
        op_release(&queries[i].op);
    op_release(&f.query.op);
    assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
    EXPECT_INT("closed once", f.rig.closed_calls, 1);
    EXPECT_INT("done once each", f.rig.done_calls, before + 4);
    f.rig.closed_calls = 0;
    contract_end(&f);
    return ended;
}

TEST(closed_at_every_turn)
{
    TEST_EACH(engine, contract_engines) {
        for (int warm = 0; warm <= 1; warm++) {
            unsigned turns = 0;
            while (!close_after(engine, turns, warm))
                turns = after(turns);
        }
    }
}

static void close_at_done(struct rig *rig)
{
    struct contract *f = container_of(rig, struct contract, rig);
    sql_close(f->sql, rig_on_closed, rig);
    f->sql = NULL;
    EXPECT_INT("not from inside", rig->closed_calls, 0);
}

TEST(closed_from_inside_a_done)
{
    TEST_EACH(engine, contract_engines) {
        struct contract f;
        struct sql_query queries[4] = {0};
        const struct sql_statement asleep = {.text = str_of(engine->sleep)};
        contract_begin_with(&f, engine, &(struct contract_options){.size = 2});
        expect_works(&f, "connected");
        unsigned before = f.rig.done_calls;
        f.rig.at_done = close_at_done;
        for (size_t i = 0; i < 4; i++)
            sql_query_start(&queries[i], f.sql, i == 1 ? &asleep : &five_thousand,
                            rig_waiter(&f.rig));
        rig_wait(engine->name, &f.rig, before + 4);
        assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
        EXPECT_INT("closed once", f.rig.closed_calls, 1);
        EXPECT_INT("the sleeper", queries[1].op.err.code, ERR_CANCELLED);
        for (size_t i = 0; i < 4; i++)
            op_release(&queries[i].op);
        op_release(&f.query.op);
        f.rig.closed_calls = 0;
        contract_end(&f);
    }
}

CONTRACT_TEST(many_at_once)
{
    static const char *const texts[CONTRACT_DIALECTS] = {"SELECT n FROM numbers WHERE n = ?",
                                                         "SELECT n FROM numbers WHERE n = $1",
                                                         "SELECT n FROM numbers WHERE n = ?"};
    static struct sql_query queries[MANY];
    static struct sql_statement statements[MANY];
    static struct sql_value params[MANY];
    for (size_t i = 0; i < MANY; i++) {
        params[i] = (struct sql_value){.type = SQL_INT, .integer = (int64_t)i + 1};
        statements[i] = (struct sql_statement){.text = str_of(texts[f->engine->dialect]),
                                               .params = &params[i],
                                               .param_count = 1,
                                               .timeout_ms = CONTRACT_PATIENCE_MS};
        sql_query_start(&queries[i], f->sql, &statements[i], rig_waiter(&f->rig));
    }
    rig_wait("all", &f->rig, MANY);
    for (size_t i = 0; i < MANY; i++) {
        EXPECT_INT(queries[i].op.err.text, queries[i].op.err.code, ERR_OK);
        EXPECT_INT("rows", queries[i].result.row_count, 1);
        EXPECT_INT("own", sql_result_at(&queries[i].result, 0, 0)->integer, i + 1);
        op_release(&queries[i].op);
    }
}

TEST(a_full_queue_says_so)
{
    TEST_EACH(engine, contract_engines) {
        struct contract f;
        struct sql_query queries[4] = {0};
        contract_begin_with(&f, engine, &(struct contract_options){.size = 1, .queue_limit = 2});
        expect_works(&f, "connected");
        unsigned before = f.rig.done_calls;
        const struct sql_statement asleep = {.text = str_of(engine->sleep)};
        for (size_t i = 0; i < 4; i++)
            sql_query_start(&queries[i], f.sql, &asleep, rig_waiter(&f.rig));
        contract_wait(&f, &queries[3]);
        EXPECT_INT("the fourth", queries[3].op.err.code, ERR_BUSY);
        for (size_t i = 0; i < 3; i++) {
            op_cancel(&queries[i].op);
            contract_wait(&f, &queries[i]);
            if (i <
                2) /* one runs or will, one waits; a third, if the first still waits, does not */
                EXPECT_INT("cancelled", queries[i].op.err.code, ERR_CANCELLED);
        }
        EXPECT_INT("done", f.rig.done_calls, before + 4);
        for (size_t i = 0; i < 4; i++)
            op_release(&queries[i].op);
        expect_works(&f, "afterwards");
        contract_end(&f);
    }
}

/* False: the n-th allocation was not reached, so there are no more. */
static bool play_without_memory(const struct contract_engine *engine, uint64_t n)
{
    struct contract f = {.engine = engine, .url = contract_url(engine)};
    rig_begin(&f.rig);
    uint64_t before = mem_alloc_count();
    mem_fail_nth(n);
    f.sql = engine->open(f.rig.loop, f.url, &(struct contract_options){.size = 1});
    if (f.sql != NULL) {
        enum err_code code = contract_run(&f, f.sql, &five_thousand);
        uint64_t made = mem_alloc_count() - before;
        mem_fail_nth(0);
        if (made >= n && code != ERR_OK && code != ERR_UNAVAILABLE)
            CONTRACT_CODE(&f, f.query.op.err.text, code, ERR_NO_MEMORY);
        if (made < n)
            CONTRACT_CODE(&f, "all the memory it wants", code, ERR_OK);
        n = made < n ? 0 : n;
    }
    mem_fail_nth(0);
    contract_end(&f);
    return n != 0;
}

TEST(every_allocation_may_fail)
{
    TEST_EACH(engine, contract_engines) {
        uint64_t n = 1;
        while (play_without_memory(engine, n))
            n++;
        EXPECT_TRUE(engine->name, n > 4);
    }
}

struct rest {
    struct timer timer;
    bool is_over;
};

static void on_rested(struct timer *timer)
{
    container_of(timer, struct rest, timer)->is_over = true;
}

/* Let the pool come to its next try: between two it fails whoever asks. */
static void let_rest(struct contract *f)
{
    enum { REST_MS = 25 };
    struct rest rest = {.is_over = false};
    timer_start(&rest.timer, f->rig.loop, REST_MS, on_rested);
    while (!rest.is_over)
        loop_run(f->rig.loop);
}

/* Allocations of the engine's library, on whatever thread it is at work: one end, with all rows or
 * with an error, and the next statement finds the database as ever. is_warm: its logins are done.
 * False: there were fewer. */
static bool play_starved(const struct contract_engine *engine, uint64_t n, uint64_t count,
                         bool is_warm)
{
    enum { LITTLE_MS = 500, LOGIN_MS = 5000, TRIES = 200 };
    const struct sql_statement few = {
        .text = STR("SELECT n FROM numbers ORDER BY n"), .max_rows = 20, .timeout_ms = LITTLE_MS};
    /* MySQL's logins are on the pool's threads, where those given up are ended, too. */
    const uint64_t connect_ms = engine->dialect == SQL_MYSQL ? LOGIN_MS : LITTLE_MS;
    struct contract f;
    contract_begin_with(
        &f, engine,
        &(struct contract_options){.size = 1, .queue_ms = connect_ms, .connect_ms = connect_ms});
    if (is_warm)
        expect_works(&f, "connected");
    unsigned before = f.rig.done_calls;
    starve_at(n, count);
    enum err_code code =
        contract_run(&f, f.sql, &few); /* libpq forgets some: the deadline ends it */
    bool was_starved = starve_end() >= n;
    EXPECT_INT("one end", f.rig.done_calls, before + 1);
    EXPECT_TRUE("all or an error", code != ERR_OK || f.query.result.row_count == 20);
    code = ERR_UNAVAILABLE;
    for (unsigned i = 0; i < TRIES && code != ERR_OK; i++) {
        code = contract_ask(&f, "SELECT 41 + 1");
        if (code != ERR_OK)
            let_rest(&f);
    }
    CONTRACT_CODE(&f, "afterwards", code, ERR_OK);
    contract_end(&f);
    return was_starved;
}

/* The same in a process of its own, which may die of a fault; *deaths counts those. */
static bool play_starved_apart(const struct contract_engine *engine, uint64_t n, bool is_warm,
                               unsigned *deaths)
{
    enum { FEWER, MORE };
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(play_starved(engine, n, 1, is_warm) ? MORE : FEWER);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    bool has_died = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
    *deaths += has_died;
    EXPECT_TRUE("a process ends well",
                has_died || (WIFEXITED(status) && WEXITSTATUS(status) <= MORE));
    return has_died || WEXITSTATUS(status) == MORE;
}

/* Connector/C 3.3.20 dies in a login at three places when one allocation fails: the 8 KiB of
 * ma_net_init (its transport is freed, and again by mysql_close, through the context of
 * non-blocking calls), and two copies of what the server's greeting says, which it reads without
 * looking. There are two logins here, the session's and, on its way when the first statement is
 * answered, that of the one that kills its statements. All else is survived. */
static void starve_logins(const struct contract_engine *engine)
{
    enum { PLACES = 3 };
    for (unsigned is_warm = 0; is_warm < 2; is_warm++) {
        unsigned deaths = 0;
        uint64_t n = 1;
        while (play_starved_apart(engine, n, is_warm, &deaths))
            n++;
        print_message("%s: less than %llu allocations of its library, %u deaths in logins\n",
                      engine->name, (unsigned long long)n, deaths);
        EXPECT_TRUE("deaths in logins", deaths <= (is_warm ? 1 : 2) * PLACES);
        EXPECT_TRUE("it was starved", n > PLACES);
    }
}

TEST(every_allocation_of_a_library_may_fail)
{
    static const uint64_t counts[] = {1, 20};
    TEST_EACH(engine, contract_engines) {
        if (engine->dialect == SQL_MYSQL) {
            starve_logins(engine);
            continue;
        }
        TEST_EACH(count, counts) {
            uint64_t n = 1;
            while (play_starved(engine, n, *count, false))
                n += n < 100 ? 1 : 1 + n / 16;
            print_message("%s: less than %llu allocations of its library\n", engine->name,
                          (unsigned long long)n);
        }
    }
    EXPECT_TRUE("there are libraries", starve_libraries() > 0);
}

CONTRACT_RUN(T(late_statements_end), T(cancelled_at_every_turn), T(closed_at_every_turn),
             T(closed_from_inside_a_done), T(many_at_once), T(a_full_queue_says_so),
             T(every_allocation_may_fail), T(every_allocation_of_a_library_may_fail))

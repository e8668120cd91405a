/* SPDX-License-Identifier: MIT */
/* backends/store_pg, what is PostgreSQL's own: answers that are lost, silence, nobody there, tables
 * that many make at once, another format, a role that may not make any. What all stores share is in
 * tests/contract. */
#include "backends/stores/store_pg.h"

#include "tests/lib/test_server.h"
#include "tests/unit/backends/store_faults.h"

enum { URL_BYTES = 256 };

static char own_url[URL_BYTES]; /* of this program's database, made anew for each test */

static void make_store(struct store_faults *f, const char *url, uint64_t timeout_ms)
{
    struct err err = {.code = ERR_OK};
    f->store = store_pg_create(
        f->rig.loop,
        &(struct store_pg_options){.url = url, .connections = 1, .timeout_ms = timeout_ms}, &err);
    if (f->store == NULL)
        fail_msg("%s", err.text);
}

static void open_store(struct store_faults *f, const char *url, uint64_t timeout_ms)
{
    begin_rig(f);
    make_store(f, url, timeout_ms);
}

static unsigned own_port(void)
{
    struct str rest = str_of(own_url);
    uint64_t port = 0;
    rest = str_from(rest, (size_t)str_find_char(rest, '@') + 1);
    (void)str_split(&rest, ':');
    assert_true(str_to_u64(str_split(&rest, '/'), &port));
    return (unsigned)port;
}

static void url_of(char *url, unsigned port, const char *login)
{
    snprintf(url, URL_BYTES, "postgresql://%s@127.0.0.1:%u/%s", login, port,
             strrchr(own_url, '/') + 1);
}

static void open_through(struct store_faults *f, struct proxy *proxy, uint64_t timeout_ms)
{
    char url[URL_BYTES];
    begin_rig(f);
    proxy_open(proxy, f->rig.loop, own_port());
    url_of(url, proxy->port, "askd");
    make_store(f, url, timeout_ms);
}

/* SQL of the test's own in the database. */
static void meddle(const char *sql)
{
    char command[4096];
    snprintf(command, sizeof command, "echo \"%s\" | %s run %s postgres %s", sql,
             getenv("ASKD_TEST_DATABASE"), getenv("ASKD_TEST_SERVERS"), strrchr(own_url, '/') + 1);
    assert_int_equal(system(command), 0);
}

TEST(what_was_done_is_not_done_twice)
{
    struct store_faults f;
    struct proxy proxy;
    open_through(&f, &proxy, FAULTS_LONG_MS);
    lose_answers(&f, &proxy, 1);
    close_through(&f, &proxy);
}

TEST(silence)
{
    struct store_faults f;
    struct proxy proxy;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("tables", CALL(&f, load, .key = ann), ERR_OK);
    close_rig(&f);
    open_through(&f, &proxy, FAULTS_SHORT_MS);
    EXPECT_TRUE("or too slow", CALL(&f, load, .key = ann) != ERR_PROTOCOL);
    proxy.is_silent = true;
    enum err_code code = say(&f, 0);
    EXPECT_TRUE("in time", code == ERR_TIMEOUT || code == ERR_UNAVAILABLE);
    proxy.is_silent = false;
    for (unsigned try = 0; try < 200 && code != ERR_OK; try++)
        code = CALL(&f, load, .key = ann);
    EXPECT_INT("again", code, ERR_OK);
    close_through(&f, &proxy);
}

TEST(nobody_there)
{
    struct store_faults f;
    char url[URL_BYTES];
    url_of(url, 1, "askd");
    open_store(&f, url, FAULTS_SHORT_MS);
    enum err_code code = say(&f, 0);
    EXPECT_TRUE("in time", code == ERR_UNAVAILABLE || code == ERR_TIMEOUT);
    close_rig(&f);
}

TEST(closed_at_every_turn)
{
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("tables", CALL(&f, load, .key = ann), ERR_OK);
    close_rig(&f);
    for (unsigned turns = 0;; turns = rig_after(turns)) {
        open_store(&f, own_url, FAULTS_LONG_MS);
        if (close_at_turn(&f, turns))
            break;
    }
}

TEST(two_make_the_tables_at_once)
{
    enum { STORES = 3 };
    static struct store_faults f[STORES];
    static const struct store_load load = {.key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}}};
    for (unsigned i = 0; i < STORES; i++) {
        open_store(&f[i], own_url, FAULTS_LONG_MS);
        store_load_start(&f[i].call, f[i].store, &load, rig_waiter(&f[i].rig));
    }
    for (unsigned left = STORES; left > 0;) {
        left = 0;
        for (unsigned i = 0; i < STORES; i++) {
            loop_turn(f[i].rig.loop, 1);
            left += op_is_pending(&f[i].call.op);
        }
    }
    for (unsigned i = 0; i < STORES; i++) {
        if (f[i].call.op.err.code != ERR_OK)
            fail_msg("store %u: %s", i, f[i].call.op.err.text);
        close_rig(&f[i]);
    }
}

/* Of format 8. */
#define NEW_ENDS                                                                                   \
    "DROP INDEX askd_store.runs_by_end; DROP FUNCTION askd_store.v8_end, askd_store.v8_finish,"    \
    " askd_store.v8_resume, askd_store.v8_ended; "
/* Of format 7; functions that take a row of it go with it. */
#define NEW_TABLES                                                                                 \
    NEW_ENDS "DROP TABLE askd_store.jobs CASCADE; DROP FUNCTION askd_store.v7_erase, "             \
             "askd_store.v7_put,"                                                                  \
             " askd_store.v7_take, askd_store.v7_jobs, askd_store.v7_drop; "

#define OWNED_FUNCTIONS                                                                            \
    "askd_store.v5_load, askd_store.v5_save, askd_store.v5_erase, askd_store.v5_prune, "           \
    "askd_store.v5_drop_runs, askd_store.v5_begin, askd_store.v5_resume, askd_store.v5_finish, "   \
    "askd_store.v5_lock"
/* Before format 5 an id was one for all. */
#define SHARED_IDS                                                                                 \
    " ALTER TABLE askd_store.conversations DROP CONSTRAINT conversations_company_caller_id_key,"   \
    " ADD UNIQUE (id); DROP INDEX askd_store.runs_conversation_company_caller_idx;"                \
    " CREATE INDEX ON askd_store.runs (conversation);"

/* Of formats 3 to 5. */
#define NEW_FUNCTIONS                                                                              \
    "askd_store.v3_finish, askd_store.v3_append, askd_store.v3_write, askd_store.v3_comes_next, "  \
    "askd_store.v4_notes, " OWNED_FUNCTIONS

TEST(the_first_format_is_upgraded)
{
    static const struct store_run run = {.key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}},
                                         .run_id = {"r1", 2},
                                         .graph = {"banking", 7},
                                         .instance = {"i1", 2}};
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", CALL(&f, begin, .run = run, .lease_ms = FAULTS_LONG_MS), ERR_OK);
    /* as the program of the first format left it */
    meddle(NEW_TABLES
           "DROP TABLE askd_store.marks; DROP FUNCTION askd_store.v1_mark, askd_store.v1_marks,"
           " askd_store.v1_resume, " NEW_FUNCTIONS
           "; ALTER TABLE askd_store.runs ALTER cancel_asked TYPE boolean"
           " USING cancel_asked <> 0;" SHARED_IDS " UPDATE askd_store.format SET version = 1;");
    EXPECT_INT("what is new",
               CALL(&f, mark, .fence = {STR("r1"), STR("i1"), 1},
                    .checkpoint = {.version = 1, .is_full = true, .bytes = STR("c")}),
               ERR_OK);
    EXPECT_INT("what there was", CALL(&f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_STR("its graph", f.call.runs[0].graph, STR("banking"));
    EXPECT_INT("and what is new", f.call.checkpoint_count, 1);
    close_rig(&f);
}

/* A program of format 2 ended runs otherwise, and knew of no ids that are left out. */
TEST(the_second_format_is_upgraded)
{
    static const struct store_run run = {.key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}},
                                         .run_id = {"r1", 2},
                                         .graph = {"banking", 7},
                                         .instance = {"i1", 2}};
    static const struct store_fence fence = {{"r1", 2}, {"i1", 2}, 1};
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", CALL(&f, begin, .run = run, .lease_ms = FAULTS_LONG_MS), ERR_OK);
    EXPECT_INT("a checkpoint",
               CALL(&f, mark, .fence = fence,
                    .checkpoint = {.version = 1, .is_full = true, .bytes = STR("c")}),
               ERR_OK);
    meddle(NEW_TABLES
           "CREATE OR REPLACE FUNCTION askd_store.v1_finish(id bytea, by_instance bytea,"
           " at_epoch bigint, new_status bigint) RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql"
           " AS \\$f\\$ BEGIN DELETE FROM askd_store.marks WHERE run_id = id;"
           " RETURN NEXT askd_store.v1_answer('ok'); END \\$f\\$;"
           " DROP FUNCTION " NEW_FUNCTIONS ";" SHARED_IDS
           " UPDATE askd_store.format SET version = 2;");
    EXPECT_INT("it ends", CALL(&f, finish, .fence = fence, .status = STORE_COMPLETE), ERR_OK);
    EXPECT_INT("what there was", CALL(&f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("stays", f.call.checkpoint_count, 1);
    EXPECT_INT("it has ended", f.call.runs[0].status, STORE_COMPLETE);
    /* programs of format 2 that still run on it call those that they know */
    meddle("UPDATE askd_store.runs SET status = 0; SELECT askd_store.v1_append('r1', 'i1', 1, 1, 1,"
           " 'a'); SELECT askd_store.v1_finish('r1', 'i1', 1, 2);");
    EXPECT_INT("what they did", CALL(&f, read, .run_id = STR("r1"), .limit_bytes = 9), ERR_OK);
    EXPECT_INT("is there", f.call.last_id, 1);
    EXPECT_INT("the checkpoints", CALL(&f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("too", f.call.checkpoint_count, 1);
    close_rig(&f);
}

/* Of format 2, by a program that knew fewer verbs: its functions are made anew. */
TEST(a_verb_that_is_new)
{
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    meddle(NEW_TABLES "DROP FUNCTION askd_store.v1_resume, " OWNED_FUNCTIONS ";" SHARED_IDS
                      " UPDATE askd_store.format SET version = 2;");
    EXPECT_INT("it is there",
               CALL(&f, resume, .begin = {.run = {.run_id = STR("r2"), .instance = STR("i1")}},
                    .paused_id = STR("r1")),
               ERR_NOT_FOUND);
    EXPECT_INT("what there was", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("too", f.call.turn_count, 1);
    close_rig(&f);
}

/* Format 3 had everything but what operators ask. */
TEST(the_third_format_is_upgraded)
{
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    meddle(NEW_TABLES "DROP FUNCTION askd_store.v4_notes, " OWNED_FUNCTIONS ";" SHARED_IDS
                      " UPDATE askd_store.format SET version = 3;");
    EXPECT_INT("what is new", CALL(&f, notes, .prefix = STR("feedback:")), ERR_OK);
    EXPECT_INT("what there was", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("too", f.call.turn_count, 1);
    close_rig(&f);
}

/* In format 4 an id was one for all; programs of then go on beside those of now. */
TEST(the_fourth_format_is_upgraded)
{
    struct store_faults f;
    static const struct identity bob = {{"c-1", 3}, {"acme", 4}, {"bob", 3}};
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    meddle(NEW_TABLES "DROP FUNCTION " OWNED_FUNCTIONS ";" SHARED_IDS
                      " UPDATE askd_store.format SET version = 4;");
    EXPECT_INT("bob's", CALL(&f, save, .key = bob, .checkpoint = {.is_full = true}), ERR_OK);
    EXPECT_INT("what there was", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("is ann's", f.call.turn_count, 1);
    meddle("SELECT * FROM askd_store.v1_save('c-1', 'acme', 'cy', 0, 't', 'r', 1, true, '', '',"
           " '{}', '{}'); SELECT * FROM askd_store.v1_begin('c-1', 'acme', 'cy', 'r7', 'g', '', '',"
           " 'i0', 1000, true);");
    EXPECT_INT("what an older program did",
               CALL(&f, restore, .key = {STR("c-1"), STR("acme"), STR("cy")}), ERR_OK);
    EXPECT_INT("and began", CALL(&f, find, .run_id = STR("r7")), ERR_OK);
    close_rig(&f);
}

/* Format 5 did not know who lives; its programs go on claiming beside those of this one. */
TEST(the_fifth_format_is_upgraded)
{
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    meddle(
        NEW_TABLES
        "DROP FUNCTION askd_store.v6_claim, askd_store.v6_end_leases; DROP TABLE askd_store.alive;"
        " UPDATE askd_store.format SET version = 5;");
    EXPECT_INT("what is new", CALL(&f, claim, .instance = STR("i1"), .lease_ms = 1000),
               ERR_NOT_FOUND);
    EXPECT_INT("what there was", CALL(&f, load, .key = ann), ERR_OK);
    meddle("SELECT askd_store.v1_claim('', 'i2', 1000);");
    close_rig(&f);
}

/* Format 6 had no jobs. */
TEST(the_sixth_format_is_upgraded)
{
    static const struct store_job job = {
        .key = {{"", 0}, {"acme", 4}, {"ann", 3}}, .kind = {"k", 1}, .job_id = {"j1", 2}};
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    meddle(NEW_TABLES "UPDATE askd_store.format SET version = 6;");
    EXPECT_INT("what is new", CALL(&f, put, .job = job), ERR_OK);
    EXPECT_INT("what there was", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("too", f.call.turn_count, 1);
    /* programs of older formats that still run on it call those that they know */
    meddle("SELECT askd_store.v5_erase('c-1', 'acme', 'ann')");
    EXPECT_INT("what they did", CALL(&f, load, .key = ann), ERR_OK);
    EXPECT_INT("is done", f.call.turn_count, 0);
    close_rig(&f);
}

/* Format 7 did not find runs by their ends. */
TEST(the_seventh_format_is_upgraded)
{
    static const struct store_run run = {.key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}},
                                         .run_id = {"r1", 2},
                                         .graph = {"banking", 7},
                                         .instance = {"i1", 2}};
    static const struct store_fence fence = {{"r1", 2}, {"i1", 2}, 1};
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("begun", CALL(&f, begin, .run = run, .lease_ms = FAULTS_LONG_MS), ERR_OK);
    EXPECT_INT("ended", CALL(&f, finish, .fence = fence, .status = STORE_FAILED), ERR_OK);
    meddle(NEW_ENDS "UPDATE askd_store.format SET version = 7;");
    EXPECT_INT("asked", CALL(&f, ended, .key = {STR(""), STR("acme"), STR("ann")}), ERR_OK);
    EXPECT_INT("what had ended", f.call.run_count, 1);
    meddle("SELECT askd_store.v5_finish('r1', 'i1', 1, 3);"); /* as a program of format 7 says it */
    close_rig(&f);
}

TEST(another_format)
{
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    /* as the program of a later format leaves it */
    meddle("UPDATE askd_store.format SET version = 9; DROP FUNCTION askd_store.v5_load,"
           " askd_store.v5_save;");
    EXPECT_INT("another's", say(&f, 1), ERR_PROTOCOL);
    EXPECT_TRUE("says which", str_find(str_of(f.call.op.err.text), STR("format 9")) != STR_NONE);
    EXPECT_INT("nor read", CALL(&f, load, .key = ann), ERR_PROTOCOL);
    close_rig(&f);
}

TEST(a_role_that_may_not)
{
    struct store_faults f;
    char url[URL_BYTES];
    meddle("DROP ROLE IF EXISTS store_pg_guest; CREATE ROLE store_pg_guest LOGIN;");
    url_of(url, own_port(), "store_pg_guest");
    open_store(&f, url, FAULTS_LONG_MS);
    EXPECT_INT("refused", say(&f, 0), ERR_UNAVAILABLE);
    EXPECT_TRUE("in its words",
                str_find(str_of(f.call.op.err.text), STR("permission")) != STR_NONE);
    close_rig(&f);
}

TEST(broken_records)
{
    static const char *const meddlings[] = {
        "UPDATE askd_store.turns SET number = -1",
        "UPDATE askd_store.conversations SET turns = -7",
    };
    struct store_faults f;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("ours", say(&f, 0), ERR_OK);
    TEST_EACH(meddling, meddlings) {
        meddle(*meddling);
        EXPECT_INT(*meddling, CALL(&f, load, .key = ann), ERR_PROTOCOL);
        meddle("UPDATE askd_store.turns SET number = 1;"
               "UPDATE askd_store.conversations SET turns = 1");
        EXPECT_INT("mended", CALL(&f, load, .key = ann), ERR_OK);
    }
    close_rig(&f);
}

/* One asks a hundred times, then another once, who does not wait for all of it. */
TEST(who_asks_once_does_not_wait_for_who_asks_much)
{
    enum { MUCH = 100 };
    static struct store_call calls[MUCH];
    static const struct store_load much = {.key = {{"c-2", 3}, {"noisy", 5}, {"bob", 3}}};
    const struct store_load once = {.key = ann};
    struct store_faults f;
    unsigned done = 0;
    open_store(&f, own_url, FAULTS_LONG_MS);
    EXPECT_INT("tables", CALL(&f, load, .key = ann), ERR_OK);
    op_release(&f.call.op);
    for (unsigned i = 0; i < MUCH; i++)
        store_load_start(&calls[i], f.store, &much, rig_waiter(&f.rig));
    store_load_start(&f.call, f.store, &once, rig_waiter(&f.rig));
    EXPECT_INT("in time", await_call(&f), ERR_OK);
    for (unsigned i = 0; i < MUCH; i++)
        done += !op_is_pending(&calls[i].op);
    EXPECT_TRUE("before most of it", done <= 3);
    for (unsigned i = 0; i < MUCH; i++) {
        while (op_is_pending(&calls[i].op))
            loop_run(f.rig.loop);
        EXPECT_INT("and that too", calls[i].op.err.code, ERR_OK);
        op_release(&calls[i].op);
    }
    close_rig(&f);
}

static int make_database(void **state)
{
    (void)state;
    test_server_create("postgres", "test_store_pg", "", own_url, sizeof own_url);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("postgres", "test_store_pg");
    return 0;
}

#define ANEW(test) cmocka_unit_test_setup_teardown(test, make_database, drop_database)

int main(void)
{
    const struct CMUnitTest all[] = {
        ANEW(what_was_done_is_not_done_twice),
        ANEW(silence),
        ANEW(nobody_there),
        ANEW(closed_at_every_turn),
        ANEW(two_make_the_tables_at_once),
        ANEW(the_first_format_is_upgraded),
        ANEW(the_second_format_is_upgraded),
        ANEW(a_verb_that_is_new),
        ANEW(the_third_format_is_upgraded),
        ANEW(the_fourth_format_is_upgraded),
        ANEW(the_fifth_format_is_upgraded),
        ANEW(the_sixth_format_is_upgraded),
        ANEW(the_seventh_format_is_upgraded),
        ANEW(another_format),
        ANEW(a_role_that_may_not),
        ANEW(broken_records),
        ANEW(who_asks_once_does_not_wait_for_who_asks_much),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

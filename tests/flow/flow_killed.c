/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_killed.c - the process of a server is killed in the middle of a run; the next one
 * on the same store goes on with it. In the store that ASKD_TEST_STORE names: sqlite (default),
 * postgres, redis. */
#include "tests/flow/durable_rig.h"

/* In the file that the store is. */
static const char *const mine = "?company_id=c&user_id=u"; /* whose runs they are */

static void meddle(const struct store_place *place, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(place->name, &db), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 60000), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_changes(db) > 0, 1);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A server of its own is killed while it answers; the next one on the same store is asked for the
 * run from event SEEN on. */
enum { SEEN = 12, STALL_AT = 60 };

static void kill_and_rejoin(const char *damage, const char *message, char *run,
                            struct http_answer *rest, struct http_answer *history)
{
    static const char *const durability = "ASKD_DURABILITY=async";
    struct store_place place;
    struct http_peer peer;
    unsigned port;
    store_place_make(&place);
    pid_t child = fork_server(&place, durability, STALL_AT, &port);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", ask(message, "c1"));
    read_run_id(&peer, run);
    await_stored(&place, 2 * SEEN);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    http_peer_close(&peer);
    if (damage != NULL)
        meddle(&place, damage);
    struct server_rig *rig = start_as(&place, durability);
    EXPECT_INT("rejoin", rejoin(server_rig_port(rig), run, SEEN, mine, rest), 200);
    uint64_t id = SEEN;
    EXPECT_TRUE("what was said after it", count_ids(buf_str(&rest->body), run, &id) > SEEN);
    EXPECT_TRUE("by two", id > event_first_id(2));
    EXPECT_INT("no more", rejoin_status(server_rig_port(rig), run, id, "?company_id=c&user_id=u"),
               204);
    await_history(server_rig_port(rig), "\"turns\":1,", history);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

TEST(a_run_outlives_its_server)
{
    struct http_answer rest, history;
    char run[64];
    kill_and_rejoin(NULL, "stream 200 5 0", run, &rest, &history);
    EXPECT_TRUE("it says that it begins again",
                has(&rest, "\"channel\":\"final\",\"content\":\"\",\"attempt\":2,\"reset\":true}"));
    EXPECT_TRUE("only once", !has(&rest, "\"attempt\":3"));
    EXPECT_TRUE("to its end", has(&rest, "\"content\":\"t199 \",\"attempt\":2}"));
    EXPECT_TRUE("which it says", has(&rest, "\"event\":\"complete\""));
    EXPECT_TRUE("well", !has(&rest, "\"event\":\"error\""));
    EXPECT_TRUE("its conversation has it, whole", has(&history, "\"content\":\"t0 t1 t2 "));
    EXPECT_TRUE("once", has(&history, "\"turns\":1,"));
    buf_fini(&rest.body);
    buf_fini(&history.body);
}

TEST(a_run_whose_checkpoints_are_damaged)
{
    static const char *const damages[] = {
        "UPDATE marks SET bytes = x'41534b43'",
        "UPDATE marks SET bytes = substr(bytes, 1, length(bytes) / 2)",
        "DELETE FROM marks",
    };
    if (strcmp(store_rig_of()->name, "sqlite") != 0)
        skip();
    for (size_t i = 0; i < countof(damages); i++) {
        struct http_answer rest, history;
        char run[64];
        pid_t child = fork(); /* a process without threads for each */
        if (child == 0) {
            kill_and_rejoin(damages[i], "stream 100 5 0", run, &rest, &history);
            bool fine = has(&rest, "\"content\":\"t99 \",\"attempt\":2}") &&
                        has(&rest, "\"event\":\"complete\"") && has(&history, "\"turns\":1,");
            if (!fine)
                fprintf(stderr, "%s\n%.*s\n%.*s\n", damages[i], STR_ARG(buf_str(&rest.body)),
                        STR_ARG(buf_str(&history.body)));
            _exit(fine ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        EXPECT_INT(damages[i], status, 0);
    }
}

/* A person has answered, and the server that goes on with it is killed: nobody is asked again. */
TEST(an_answered_run_outlives_its_server)
{
    static const char *const durability = "ASKD_DURABILITY=async";
    struct store_place place;
    struct http_peer peer;
    struct http_answer asked, rest;
    char paused[64], run[64], path[192];
    unsigned port;
    store_place_make(&place);
    pid_t child = fork_server(&place, durability, STALL_AT, &port);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", ask("pause 100 5", "c1"));
    read_run_id(&peer, paused);
    http_peer_take(&peer, &asked);
    buf_fini(&asked.body);
    await_status(&place, STORE_PAUSED);
    snprintf(path, sizeof path, "/internal/runs/%s/resume%s", paused, mine);
    http_peer_post(&peer, path, "", "{\"resume\":{\"ok\":true}}");
    read_run_id(&peer, run);
    assert_true(http_peer_wait(&peer, "t20 "));
    await_stored(&place, 12);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    http_peer_close(&peer);
    if (strcmp(store_rig_of()->name, "sqlite") == 0) /* it had come no further than its record */
        meddle(&place, "DELETE FROM marks WHERE version > 1");
    struct server_rig *rig = start_as(&place, durability);
    EXPECT_INT("rejoin", rejoin(server_rig_port(rig), run, 0, mine, &rest), 200);
    EXPECT_TRUE("the answer is known",
                has(&rest, "\"content\":\"{\\\"ok\\\":true}\",\"attempt\":2"));
    EXPECT_TRUE("to its end", has(&rest, "\"content\":\"t99 \",\"attempt\":2}"));
    EXPECT_TRUE("nobody is asked again", !has(&rest, "interrupt"));
    buf_fini(&rest.body);
    EXPECT_INT("nor answers twice",
               resume(server_rig_port(rig), paused, mine, "{\"resume\":1}", &asked), 409);
    buf_fini(&asked.body);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

/* What is kept at the end only: its readers get the error that they are owed. */
TEST(a_server_that_keeps_what_ends)
{
    struct store_place place;
    struct http_peer peer;
    struct http_answer rest;
    char run[64];
    unsigned port;
    store_place_make(&place);
    pid_t child = fork_server(&place, "ASKD_DURABILITY=exit", 0, &port);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", ask("stream 3 0 0", "c1"));
    assert_true(http_peer_wait(&peer, "\"complete\""));
    await_stored(&place, 6);
    http_peer_close(&peer);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", ask("stream 1000000 5 0", "c2"));
    read_run_id(&peer, run);
    assert_true(http_peer_wait(&peer, "t40 "));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    http_peer_close(&peer);
    struct server_rig *rig = start_as(&place, "ASKD_DURABILITY=exit");
    uint64_t id = 40;
    EXPECT_INT("rejoin", rejoin(server_rig_port(rig), run, id, mine, &rest), 200);
    EXPECT_INT("one event", count_ids(buf_str(&rest.body), run, &id), 1);
    EXPECT_TRUE("its end", has(&rest, "\"server_shutdown\""));
    buf_fini(&rest.body);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

/* The last id of the frames in text that are whole. */
static uint64_t last_id(struct str text)
{
    uint64_t id = 0;
    for (;;) {
        ptrdiff_t at = str_find(text, STR("id: ")), end = str_find(text, STR("\n\n"));
        if (end == STR_NONE)
            return id;
        if (at != STR_NONE && at < end) {
            struct str line = str_from(text, (size_t)at);
            struct str number = str_split(&line, '\n');
            (void)str_split(&number, ' ');
            (void)str_split(&number, ':');
            assert_true(str_to_u64(number, &id));
        }
        text = str_from(text, (size_t)end + 2);
    }
}

TEST(nobody_hears_what_is_not_stored)
{
    struct store_place place;
    struct http_peer peer;
    unsigned port;
    store_place_make(&place);
    pid_t child = fork_server(&place, "ASKD_DURABILITY=sync", 0, &port);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", ask("stream 1000000 1 0", "c1"));
    assert_true(http_peer_wait(&peer, "t100 "));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)http_peer_wait(&peer, "nothing like this comes"); /* what was on its way */
    uint64_t heard = last_id(buf_str(&peer.in));
    EXPECT_TRUE("it heard something", heard > 100);
    await_stored(&place, heard); /* or for ever */
    http_peer_close(&peer);
    store_place_drop(&place);
}

/* A byte of events.bytes as a number. */
#define BYTE_AT(n)                                                                                 \
    "((instr('0123456789ABCDEF', substr(hex(bytes), 2 * " n " - 1, 1)) - 1) * 16 +"                \
    " instr('0123456789ABCDEF', substr(hex(bytes), 2 * " n ", 1)) - 1)"

/* What a run said last never came to the store: who waits for it gets one error. */
TEST(an_end_that_is_lost)
{
    struct store_place place;
    struct http_peer peer;
    struct http_answer rest;
    char run[64];
    if (strcmp(store_rig_of()->name, "sqlite") != 0)
        skip();
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_post(&peer, CHAT, "", ask("stream 20 10 0", "c1"));
    read_run_id(&peer, run);
    assert_true(http_peer_wait(&peer, "\"complete\""));
    http_peer_close(&peer);
    await_status(&place, STORE_COMPLETE);
    assert_true(server_rig_stop(rig));
    meddle(&place, "UPDATE events SET parts = 0, count = " BYTE_AT(
                       "9") ", bytes = substr(bytes,"
                            " 17, " BYTE_AT("13") " + 256 * " BYTE_AT("14") ") WHERE parts > 0");
    meddle(&place, "UPDATE runs SET last_event_id ="
                   " (SELECT max(first_id + count - 1) FROM events)");
    rig = start(&place);
    uint64_t last = await_stored(&place, 1), id = 0;
    EXPECT_INT("from the beginning", rejoin(server_rig_port(rig), run, 0, mine, &rest), 200);
    EXPECT_INT("what there is", count_ids(buf_str(&rest.body), run, &id), last);
    EXPECT_TRUE("then", has(&rest, "\"code\":\"server_shutdown\""));
    buf_fini(&rest.body);
    EXPECT_INT("behind all of it", rejoin(server_rig_port(rig), run, last, mine, &rest), 200);
    EXPECT_INT("nothing", count_ids(buf_str(&rest.body), run, &id), 0);
    EXPECT_TRUE("but", has(&rest, "\"code\":\"server_shutdown\""));
    buf_fini(&rest.body);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

/* How many events the only run of the server at port has said. */
static uint64_t said_at(unsigned port)
{
    struct http_peer peer;
    struct http_answer answer;
    uint64_t said;
    http_peer_open(&peer, port);
    http_peer_get(&peer, "/admin/runs", "");
    http_peer_take(&peer, &answer);
    ptrdiff_t at = str_find(buf_str(&answer.body), STR("\"events\":"));
    assert_true(at != STR_NONE);
    struct str rest = str_from(buf_str(&answer.body), (size_t)at + 9);
    assert_true(str_to_u64(str_split(&rest, '}'), &said));
    buf_fini(&answer.body);
    http_peer_close(&peer);
    return said;
}

/* Until a server in a process of its own has said, and been heard to say, much that the store does
 * not take; then it is killed. The last id that was heard, and that is stored. */
static void kill_ahead(const struct store_place *place, char *run, uint64_t *heard,
                       uint64_t *stored)
{
    enum { AHEAD = 40 };
    struct http_peer peer;
    char word[32];
    unsigned port;
    pid_t child = fork_server(place, "ASKD_DURABILITY=async", 0, &port);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", ask("stream 1000000 5 0", "c1"));
    read_run_id(&peer, run);
    await_stored(place, SEEN);
    sqlite3 *held = store_place_hold(place);
    snprintf(word, sizeof word, "t%llu ", (unsigned long long)said_at(port) + AHEAD);
    assert_true(http_peer_wait(&peer, word));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)http_peer_wait(&peer, "nothing like this comes"); /* what was on its way */
    store_place_go(place, held);
    *heard = last_id(buf_str(&peer.in));
    *stored = await_stored(place, SEEN);
    http_peer_close(&peer);
}

/* What a client has heard is not always stored when the server is killed: whoever goes on says all
 * of what follows, under ids that the client does not know. */
TEST(what_was_heard_and_not_stored_is_void)
{
    static const char first[] =
        "\"event\":\"token\",\"channel\":\"final\",\"content\":\"\",\"attempt\":2,\"reset\":true}";
    struct store_place place;
    struct http_peer peer, other;
    struct http_answer rest;
    uint64_t heard, stored;
    char run[64], path[192], header[128];
    store_place_make(&place);
    kill_ahead(&place, run, &heard, &stored);
    EXPECT_TRUE("it was ahead of the store", heard > stored);
    struct server_rig *rig = start_as(&place, "ASKD_DURABILITY=async");
    http_peer_open(&peer, server_rig_port(rig));
    snprintf(path, sizeof path, "/internal/runs/%s/stream?company_id=c&user_id=u", run);
    snprintf(header, sizeof header, "Last-Event-ID: %s:%llu\r\n", run, (unsigned long long)heard);
    http_peer_get(&peer, path, header);
    assert_true(http_peer_wait(&peer, "t100 "));
    http_peer_open(&other, server_rig_port(rig));
    snprintf(path, sizeof path, "/internal/runs/%s/cancel?user_id=u&company_id=c", run);
    http_peer_post(&other, path, "", "");
    http_peer_close(&other);
    http_peer_take(&peer, &rest);
    EXPECT_TRUE("ids that it does not know", count_ids(buf_str(&rest.body), run, &heard) > 100);
    EXPECT_TRUE("the second server's", heard > event_first_id(2));
    ptrdiff_t at = str_find(buf_str(&rest.body), STR("\"event\":\"token\""));
    EXPECT_STR("all of it is void",
               str_slice(buf_str(&rest.body), (size_t)at, (size_t)at + sizeof first - 1),
               str_of(first));
    EXPECT_TRUE("and said again", has(&rest, "\"content\":\"t0 \",\"attempt\":2}"));
    buf_fini(&rest.body);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

int main(void)
{
    static const struct CMUnitTest killed[] = {
        T(a_run_outlives_its_server),
        T(a_run_whose_checkpoints_are_damaged),
        T(an_answered_run_outlives_its_server),
        T(a_server_that_keeps_what_ends),
        T(nobody_hears_what_is_not_stored),
        T(what_was_heard_and_not_stored_is_void),
        T(an_end_that_is_lost),
    };
    for (size_t i = 0; i < countof(killed); i++) {
        int status = 0;
        pid_t child = fork(); /* what forks has a process of its own, without threads yet */
        if (child == 0)
            return store_place_main(killed + i, 1);
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
            return 1;
        if (WEXITSTATUS(status) != 0)
            return WEXITSTATUS(status);
    }
    return 0;
}

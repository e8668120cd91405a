/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_long.c - a conversation of a thousand turns, with the graphs that users have and
 * the offline model: what a turn adds to the store does not grow with what was said before. In the
 * store that ASKD_TEST_STORE names: sqlite (default), postgres, redis. */
#include "tests/flow/store_place.h"
#include "tests/lib/http_peer.h"

#define CHAT "/internal/chat/stream"

enum { TURNS = 1000, EARLY = 10, PATIENCE = 100000 };

static const struct identity key = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

/* As many as fit evenly into a thousand: the tenth question is the thousandth, too. */
static const char *const questions[] = {
    "How many technicians are there?",
    "Show me the active technicians",
    "Which of them work in Graz?",
    "How many jobs are there?",
    "How many jobs were done in May 2025?",
    "And in April?",
    "List all jobs of technician 3",
    "Which technician has the most jobs?",
    "Thank you",
    "How many technicians are active?",
};

static const char tables[] =
    "CREATE TABLE technicians (id INTEGER PRIMARY KEY, name TEXT, city TEXT, active INTEGER);"
    "CREATE TABLE jobs (id INTEGER PRIMARY KEY, technician_id INTEGER REFERENCES technicians (id),"
    " done_on TEXT, hours REAL);"
    "INSERT INTO technicians VALUES (1, 'Vera', 'Graz', 1), (2, 'Emil', 'Linz', 0),"
    " (3, 'Mia', 'Graz', 1), (4, 'Jan', 'Wien', 1);"
    "INSERT INTO jobs VALUES (1, 1, '2025-05-02', 2.5), (2, 3, '2025-05-09', 4),"
    " (3, 3, '2025-04-11', 1), (4, 4, '2025-04-30', 8);";

/* Ask and read to the end; whether it ended well. */
static bool say(unsigned port, const char *message)
{
    char body[512];
    struct http_peer peer;
    snprintf(body, sizeof body,
             "{\"input\":{\"message\":\"%s\"},\"conversation\":{\"id\":\"c-1\",\"user_id\":\"ann\","
             "\"company_id\":\"acme\"}}",
             message);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, "", body);
    bool is_complete = http_peer_wait(&peer, "\"event\":\"complete\"");
    http_peer_close(&peer);
    return is_complete;
}

/* ---- what the store has of a turn ---- */

static size_t bytes_of_run(struct store_rig *f, struct str run_id)
{
    size_t bytes = 0;
    char before[64];
    for (unsigned i = 0; i < PATIENCE; i++) { /* its record ends behind the answer */
        STORE_CODE(f, "its run", STORE_RUN(f, read, .key = key, .run_id = run_id), ERR_OK);
        if (f->call.runs[0].status != STORE_RUNNING)
            break;
    }
    EXPECT_INT("ended", f->call.runs[0].status, STORE_COMPLETE);
    bytes += f->call.runs[0].input.len;
    STORE_CODE(f, "its events",
               STORE_RUN(f, read, .key = key, .run_id = run_id, .limit_bytes = 1 << 24), ERR_OK);
    for (size_t i = 0; i < f->call.batch_count; i++)
        bytes += f->call.batches[i].bytes.len;
    STORE_CODE(f, "its own and the one before", STORE_RUN(f, runs, .key = key, .limit = 2), ERR_OK);
    snprintf(before, sizeof before, "%.*s", STR_ARG(f->call.runs[1].run_id));
    for (unsigned i = 0; i < PATIENCE; i++) { /* they are forgotten behind the turn */
        STORE_CODE(f, "that one's checkpoints",
                   STORE_RUN(f, marks, .key = key, .run_id = str_of(before)), ERR_OK);
        if (f->call.checkpoint_count == 0)
            break;
    }
    EXPECT_INT("are gone", f->call.checkpoint_count, 0);
    return bytes;
}

struct sizes {
    size_t checkpoint, turn, run, notes;
};

/* Of turn number, the last one, once it is there. */
static struct sizes sizes_of(struct store_rig *f, uint64_t number)
{
    struct sizes sizes = {0};
    char run_id[64];
    for (unsigned i = 0; i < PATIENCE; i++) {
        STORE_CODE(f, "load", STORE_RUN(f, load, .key = key, .turn_limit = 1), ERR_OK);
        if (f->call.total == number)
            break;
    }
    EXPECT_INT("turns", f->call.total, number);
    const struct store_turn *turn = &f->call.turns[0];
    sizes.turn = turn->question.len + turn->answer.len + turn->details.len;
    snprintf(run_id, sizeof run_id, "%.*s", STR_ARG(turn->run_id));
    for (size_t i = 0; i < f->call.note_count; i++)
        sizes.notes += f->call.notes[i].name.len + f->call.notes[i].bytes.len;
    STORE_CODE(f, "restore", STORE_RUN(f, restore, .key = key), ERR_OK);
    EXPECT_INT("whole in itself", f->call.checkpoint_count, 1);
    sizes.checkpoint = f->call.checkpoints[0].bytes.len;
    sizes.run = bytes_of_run(f, str_of(run_id));
    return sizes;
}

static void expect_flat(const char *what, size_t late, size_t early)
{
    print_message("%-10s %6zu bytes at turn %d, %6zu at turn %d\n", what, early, EARLY, late,
                  TURNS);
    if (late > early + early / 10 || late < early - early / 10)
        fail_msg("%s: %zu bytes at turn %d, %zu at turn %d", what, early, EARLY, late, TURNS);
}

TEST(a_thousandth_turn_is_as_small_as_the_tenth)
{
    static struct store_rig f;
    struct store_place place;
    struct sqlite_file database;
    struct sizes early = {0};
    char store_url[512], database_url[256];
    store_place_make(&place);
    sqlite_file_make(&database, tables);
    snprintf(store_url, sizeof store_url, "ASKD_CHECKPOINT_URL=%s", place.url);
    snprintf(database_url, sizeof database_url, "ASKD_DATABASE_URL=sqlite:%s", database.path);
    const char *settings[] = {store_url, database_url, "ASKD_MODEL=offline", NULL};
    struct server_rig *server = server_rig_start(settings);
    f = (struct store_rig){.of = place.of};
    rig_begin(&f.rig);
    f.store = store_place_open(f.rig.loop, &place);
    for (unsigned n = 1; n <= TURNS; n++) {
        const char *question = questions[n % countof(questions)];
        if (!say(server_rig_port(server), question))
            fail_msg("turn %u: %s", n, question);
        if (n == EARLY)
            early = sizes_of(&f, n);
    }
    const struct sizes late = sizes_of(&f, TURNS);
    expect_flat("checkpoint", late.checkpoint, early.checkpoint);
    expect_flat("turn", late.turn, early.turn);
    expect_flat("run", late.run, early.run);
    expect_flat("notes", late.notes, early.notes);
    assert_true(server_rig_stop(server));
    op_release(&f.call.op);
    store_close(f.store, NULL, NULL);
    rig_end(&f.rig);
    sqlite_file_remove(&database);
    store_place_drop(&place);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {T(a_thousandth_turn_is_as_small_as_the_tenth)};
    return store_place_main(tests, countof(tests));
}

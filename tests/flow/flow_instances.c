/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_instances.c - two servers on one store are one: a conversation is one run's at a
 * time, a key begins one run, what one says the other knows, each lists and cancels the runs of
 * both. In the store that ASKD_TEST_STORE names: sqlite (default), postgres, redis. */
#include "tests/flow/store_place.h"
#include "tests/lib/http_peer.h"
#include "tests/lib/test.h"

#define CHAT "/internal/chat/stream"
#define RUNS "/internal/runs?company_id=c&user_id=u"

static char body[4096];

struct pair {
    struct store_place place;
    struct server_rig *rigs[2];
    struct http_peer peers[2];
};

static const char *ask(const char *message, const char *multitask)
{
    snprintf(body, sizeof body,
             "{\"input\":{\"message\":\"%s\"},\"conversation\":{\"id\":\"c1\",\"user_id\":\"u\","
             "\"company_id\":\"c\"},\"options\":{\"multitask\":\"%s\"}}",
             message, multitask);
    return body;
}

static void make(struct pair *pair)
{
    static char setting[512];
    store_place_make(&pair->place);
    snprintf(setting, sizeof setting, "ASKD_CHECKPOINT_URL=%s", pair->place.url);
    const char *settings[] = {setting, "ASKD_LEASE_SECONDS=4", NULL};
    for (size_t i = 0; i < 2; i++) {
        pair->rigs[i] = server_rig_start(settings);
        http_peer_open(&pair->peers[i], server_rig_port(pair->rigs[i]));
    }
}

static void end(struct pair *pair)
{
    for (size_t i = 0; i < 2; i++) {
        http_peer_close(&pair->peers[i]);
        assert_true(server_rig_stop(pair->rigs[i]));
    }
    store_place_drop(&pair->place);
}

static bool has(const struct http_answer *answer, const char *needle)
{
    return str_find(buf_str(&answer->body), str_of(needle)) != STR_NONE;
}

/* What the peer gets at last holds needle. */
static void expect_answer(const char *name, struct http_peer *peer, int status, const char *needle)
{
    struct http_answer answer;
    http_peer_take(peer, &answer);
    EXPECT_INT(name, answer.status, status);
    if (!has(&answer, needle))
        fail_msg("%s: no '%s' in: %.*s", name, needle, STR_ARG(buf_str(&answer.body)));
    buf_fini(&answer.body);
}

/* The first server begins what lasts, until a token is seen. */
static void begin_long(struct pair *pair)
{
    http_peer_post(&pair->peers[0], CHAT, "", ask("stall 1 0 0", "reject"));
    assert_true(http_peer_wait(&pair->peers[0], "t0 "));
}

/* What a run said is kept behind its stream, sooner or later; what was taken back stays away. */
static void expect_history(struct pair *pair, const char *needle, bool is_there)
{
    enum { TRIES = 100000 };
    bool is_fine = false;
    for (int i = 0; i < TRIES && !is_fine; i++) {
        struct http_answer answer;
        http_peer_get(&pair->peers[1], "/internal/conversations/c1?company_id=c&user_id=u", "");
        http_peer_take(&pair->peers[1], &answer);
        is_fine = has(&answer, needle) == is_there;
        if (!is_fine && i == TRIES - 1)
            fail_msg("%s: %.*s", needle, STR_ARG(buf_str(&answer.body)));
        buf_fini(&answer.body);
    }
}

TEST(a_conversation_is_busy_everywhere)
{
    struct pair pair;
    make(&pair);
    begin_long(&pair);
    http_peer_post(&pair.peers[1], CHAT, "", ask("stream 1 0 0", "reject"));
    EXPECT_INT("rejected", http_peer_status(&pair.peers[1]), 409);
    http_peer_post(&pair.peers[1], "/internal/graphs/orchestrator/invoke", "",
                   ask("stream 1 0 0", "reject"));
    EXPECT_INT("rejected", http_peer_status(&pair.peers[1]), 409);
    http_peer_post(&pair.peers[1], CHAT, "", ask("stream 2 0 0", "interrupt"));
    expect_answer("interrupted", &pair.peers[0], 200, "\"code\":\"cancelled\"");
    expect_answer("then it answers", &pair.peers[1], 200, "\"complete\"");
    expect_history(&pair, "stall 1 0 0", true);
    end(&pair);
}

TEST(a_message_waits_for_its_turn)
{
    struct pair pair;
    make(&pair);
    http_peer_post(&pair.peers[0], CHAT, "", ask("stream 30 10 0", "reject"));
    assert_true(http_peer_wait(&pair.peers[0], "t0 "));
    http_peer_post(&pair.peers[1], CHAT, "", ask("stream 2 0 0", "enqueue"));
    expect_answer("whole", &pair.peers[0], 200, "\"complete\"");
    expect_answer("whole", &pair.peers[1], 200, "\"complete\"");
    expect_history(&pair, "stream 30 10 0", true);
    expect_history(&pair, "stream 2 0 0", true);
    end(&pair);
}

TEST(a_turn_is_rolled_back)
{
    struct pair pair;
    make(&pair);
    begin_long(&pair);
    http_peer_post(&pair.peers[1], CHAT, "", ask("stream 2 0 0", "rollback"));
    expect_answer("cancelled", &pair.peers[0], 200, "\"code\":\"cancelled\"");
    expect_answer("then it answers", &pair.peers[1], 200, "\"complete\"");
    expect_history(&pair, "stream 2 0 0", true);
    expect_history(&pair, "stall 1 0 0", false);
    http_peer_post(&pair.peers[1], CHAT, "", ask("stall 1 0 1", "reject"));
    assert_true(http_peer_wait(&pair.peers[1], "t0 "));
    struct http_peer third;
    http_peer_open(&third, server_rig_port(pair.rigs[1]));
    http_peer_post(&third, CHAT, "", ask("stream 3 0 0", "rollback"));
    expect_answer("here, too", &pair.peers[1], 200, "\"code\":\"cancelled\"");
    expect_answer("then it answers", &third, 200, "\"complete\"");
    http_peer_close(&third);
    expect_history(&pair, "stall 1 0 1", false);
    expect_history(&pair, "stream 3 0 0", true);
    end(&pair);
}

/* To and fro: each finds the conversation free, and what was said elsewhere, as soon as the answer
 * is there. */
TEST(turns_alternate)
{
    struct pair pair;
    char question[64];
    make(&pair);
    for (unsigned turn = 0; turn < 10; turn++) {
        snprintf(question, sizeof question, "stream 2 0 %u", turn);
        http_peer_post(&pair.peers[turn % 2], CHAT, "", ask(question, "reject"));
        expect_answer(question, &pair.peers[turn % 2], 200, "\"complete\"");
    }
    for (unsigned turn = 0; turn < 10; turn++) {
        snprintf(question, sizeof question, "stream 2 0 %u", turn);
        expect_history(&pair, question, true);
    }
    end(&pair);
}

TEST(a_key_begins_one_run)
{
    struct pair pair;
    struct http_answer first, second;
    make(&pair);
    http_peer_post(&pair.peers[0], CHAT, "Idempotency-Key: k\r\n", ask("stream 30 5 0", "reject"));
    assert_true(http_peer_wait(&pair.peers[0], "t0 "));
    http_peer_post(&pair.peers[1], CHAT, "Idempotency-Key: k\r\n", ask("stream 30 5 0", "reject"));
    http_peer_take(&pair.peers[0], &first);
    http_peer_take(&pair.peers[1], &second);
    EXPECT_INT("rejoined", second.status, 200);
    EXPECT_STR("the same run, whole", buf_str(&second.body), buf_str(&first.body));
    buf_fini(&first.body);
    buf_fini(&second.body);
    http_peer_post(&pair.peers[1], CHAT, "Idempotency-Key: k\r\n", ask("stream 1 0 0", "reject"));
    EXPECT_INT("another message", http_peer_status(&pair.peers[1]), 422);
    http_peer_post(&pair.peers[1], CHAT, "Idempotency-Key: l\r\n", ask("stream 1 0 0", "reject"));
    expect_answer("another key", &pair.peers[1], 200, "\"complete\"");
    end(&pair);
}

static void read_run_id(struct http_peer *peer, char *run)
{
    struct str text = buf_str(&peer->in);
    ptrdiff_t at = str_find(text, STR("X-Run-Id: "));
    assert_true(at != STR_NONE);
    snprintf(run, 64, "%.*s", ID_RUN_BYTES, text.at + at + 10);
}

/* The other server, too, knows at once that a reader who has the end has all. */
TEST(who_has_all_is_told_so)
{
    enum { RUNS_ASKED = 8 };
    struct pair pair;
    make(&pair);
    for (unsigned i = 0; i < RUNS_ASKED; i++) {
        char run[64], path[128], header[64];
        struct http_answer answer;
        http_peer_post(&pair.peers[0], CHAT, "", ask("stream 2 0 0", "reject"));
        assert_true(http_peer_wait(&pair.peers[0], "t1 "));
        read_run_id(&pair.peers[0], run);
        http_peer_take(&pair.peers[0], &answer);
        struct str text = buf_str(&answer.body);
        size_t at = text.len - 1;
        while (!str_starts_with(str_from(text, at), STR("\nid: ")))
            at--;
        snprintf(header, sizeof header, "Last-Event-ID: %.*s\r\n",
                 (int)str_find_char(str_from(text, at + 5), '\n'), text.at + at + 5);
        buf_fini(&answer.body);
        snprintf(path, sizeof path, "/internal/runs/%s/stream?company_id=c&user_id=u", run);
        http_peer_get(&pair.peers[1], path, header);
        EXPECT_INT(header, http_peer_status(&pair.peers[1]), 204);
    }
    end(&pair);
}

static int stream_status(struct server_rig *rig, const char *run)
{
    struct http_peer peer;
    char path[128];
    snprintf(path, sizeof path, "/internal/runs/%s/stream?company_id=c&user_id=u", run);
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_get(&peer, path, "");
    int status = http_peer_status(&peer);
    http_peer_close(&peer);
    return status;
}

TEST(runs_are_listed_and_cancelled_anywhere)
{
    struct pair pair;
    char path[128], run[64];
    make(&pair);
    begin_long(&pair);
    read_run_id(&pair.peers[0], run);
    http_peer_get(&pair.peers[1], RUNS, "");
    expect_answer("listed", &pair.peers[1], 200, run);
    http_peer_get(&pair.peers[1], "/internal/runs?company_id=c&user_id=v", "");
    expect_answer("not for others", &pair.peers[1], 200, "{\"runs\":[]}");
    snprintf(path, sizeof path, "/internal/runs/%s/cancel?company_id=c&user_id=u", run);
    http_peer_post(&pair.peers[1], path, "", "");
    EXPECT_INT("cancel", http_peer_status(&pair.peers[1]), 202);
    expect_answer("cancelled", &pair.peers[0], 200, "\"code\":\"cancelled\"");
    end(&pair);
}

/* What the store in place has: runs, and of the caller's conversation turns. */
static void count_kept(const struct store_place *place, size_t *runs, uint64_t *turns)
{
    static const struct store_runs all = {.limit = 10};
    static const struct store_load mine = {.key = {{"c1", 2}, {"c", 1}, {"u", 1}}};
    struct rig rig;
    struct store_call call = {.verb = STORE_RUNS};
    rig_begin(&rig);
    struct store *store = store_place_open(rig.loop, place);
    assert_non_null(store);
    store_runs_start(&call, store, &all, rig_waiter(&rig));
    rig_wait("runs", &rig, 1);
    *runs = call.run_count;
    op_release(&call.op);
    store_load_start(&call, store, &mine, rig_waiter(&rig));
    rig_wait("turns", &rig, 2);
    *turns = call.total;
    op_release(&call.op);
    store_close(store, rig_on_closed, &rig);
    rig_end(&rig);
}

TEST(runs_in_a_store_of_their_own)
{
    struct store_place place;
    struct store_place apart = {.of = &store_rig_stores[1]}; /* sqlite */
    struct http_peer peer;
    char run[64], events[512], conversations[512];
    size_t runs;
    uint64_t turns;
    store_place_make(&place);
    apart.of->make(apart.name);
    snprintf(events, sizeof events, "ASKD_EVENTS_URL=sqlite:%s", apart.name);
    snprintf(conversations, sizeof conversations, "ASKD_CHECKPOINT_URL=%s", place.url);
    const char *settings[] = {conversations, events, NULL};
    struct server_rig *rig = server_rig_start(settings);
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_post(&peer, CHAT, "", ask("stream 6 0 0", "reject"));
    assert_true(http_peer_wait(&peer, "\r\n\r\n"));
    read_run_id(&peer, run);
    EXPECT_INT("asked", http_peer_status(&peer), 200);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
    count_kept(&place, &runs, &turns);
    EXPECT_INT("no run here", runs, 0);
    EXPECT_INT("but its turn", turns, 1);
    count_kept(&apart, &runs, &turns);
    EXPECT_INT("the run there", runs, 1);
    EXPECT_INT("but no turn", turns, 0);
    rig = server_rig_start(settings);
    EXPECT_INT("streamed again", stream_status(rig, run), 200);
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_send(&peer,
                   STR("DELETE /internal/conversations/c1?company_id=c&user_id=u HTTP/1.1\r\n"
                       "Host: x\r\n\r\n"));
    EXPECT_INT("erased", http_peer_status(&peer), 204);
    EXPECT_INT("everywhere", stream_status(rig, run), 410);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
    apart.of->drop(apart.name);
    store_place_drop(&place);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(a_conversation_is_busy_everywhere),
        T(a_message_waits_for_its_turn),
        T(a_turn_is_rolled_back),
        T(turns_alternate),
        T(a_key_begins_one_run),
        T(who_has_all_is_told_so),
        T(runs_are_listed_and_cancelled_anywhere),
        T(runs_in_a_store_of_their_own),
    };
    return store_place_main(tests, countof(tests));
}

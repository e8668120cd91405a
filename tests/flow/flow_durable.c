/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_durable.c - what runs said outlives the server, and so do runs that wait for a
 * person; two servers share a store. In the store that ASKD_TEST_STORE names: sqlite (default),
 * postgres, redis. */
#include "tests/flow/durable_rig.h"

TEST(rejoin_at_every_event_after_a_restart)
{
    enum { EVENTS = 9 }; /* route, tool, six tokens, complete */
    struct store_place place;
    struct http_peer peer;
    struct http_answer whole, rest;
    char run[64], needle[96];
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_post(&peer, CHAT, "", ask("stream 6 0 0", "c1"));
    read_run_id(&peer, run);
    http_peer_take(&peer, &whole);
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
    rig = start(&place);
    unsigned port = server_rig_port(rig);
    for (unsigned after = 0; after < EVENTS; after++) {
        EXPECT_INT("status", rejoin(port, run, after, "?company_id=c&user_id=u", &rest), 200);
        snprintf(needle, sizeof needle, "id: %s:%u\n", run, after + 1);
        ptrdiff_t at = str_find(buf_str(&whole.body), str_of(needle));
        assert_true(at != STR_NONE);
        EXPECT_STR("the rest, byte for byte", str_from(buf_str(&rest.body), 5),
                   str_from(buf_str(&whole.body), (size_t)at));
        buf_fini(&rest.body);
    }
    EXPECT_INT("nothing follows", rejoin_status(port, run, EVENTS, "?company_id=c&user_id=u"), 204);
    EXPECT_INT("never said", rejoin_status(port, run, EVENTS + 1, "?company_id=c&user_id=u"), 400);
    EXPECT_INT("his", rejoin_status(port, run, 0, "?company_id=c&user_id=u"), 200);
    EXPECT_INT("not another's", rejoin_status(port, run, 0, "?company_id=c&user_id=v"), 404);
    EXPECT_INT("no such run",
               rejoin_status(port, "run_00aaaaaaaaaaaaaaaaaaaaaaaa", 0, "?company_id=c&user_id=u"),
               410);
    snprintf(needle, sizeof needle, "Last-Event-ID: %s:7\r\n", run);
    http_peer_open(&peer, port);
    http_peer_post(&peer, CHAT, needle, ask("stream 6 0 0", "c1"));
    http_peer_take(&peer, &rest);
    EXPECT_INT("by POST", rest.status, 200);
    EXPECT_TRUE("to the end", str_find(buf_str(&rest.body), STR("\"complete\"")) >= 0);
    buf_fini(&rest.body);
    http_peer_post(&peer, CHAT, needle, ask("stream 6 0 0", "c2"));
    EXPECT_INT("another conversation", http_peer_status(&peer), 404);
    http_peer_close(&peer);
    buf_fini(&whole.body);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

static int cancel(unsigned port, const char *run, const char *query)
{
    struct http_peer peer;
    char path[192];
    snprintf(path, sizeof path, "/internal/runs/%s/cancel%s", run, query);
    http_peer_open(&peer, port);
    http_peer_post(&peer, path, "", "");
    int status = http_peer_status(&peer);
    http_peer_close(&peer);
    return status;
}

/* Two servers on one file: what one runs, the other streams and cancels. */
TEST(another_instance)
{
    struct store_place place;
    struct http_peer here, there;
    struct http_answer mine, its;
    char run[64], path[128];
    store_place_make(&place);
    struct server_rig *first = start_with(&place, "ASKD_LEASE_SECONDS=20");
    struct server_rig *second = start_with(&place, "ASKD_LEASE_SECONDS=20");
    http_peer_open(&here, server_rig_port(first));
    http_peer_post(&here, CHAT, "", ask("stall 20 1 0", "c1"));
    read_run_id(&here, run);
    await_stored(&place, 20);
    http_peer_open(&there, server_rig_port(second));
    snprintf(path, sizeof path, "/internal/runs/%s/stream?company_id=c&user_id=u", run);
    http_peer_get(&there, path, "");
    assert_true(http_peer_wait(&there, "t17 "));
    EXPECT_INT("not another's", cancel(server_rig_port(second), run, "?user_id=v"), 404);
    EXPECT_INT("asked", cancel(server_rig_port(second), run, "?user_id=u&company_id=c"), 202);
    http_peer_take(&here, &mine);
    http_peer_take(&there, &its);
    EXPECT_TRUE("cancelled", str_find(buf_str(&mine.body), STR("\"cancelled\"")) >= 0);
    EXPECT_STR("the same there", buf_str(&its.body), buf_str(&mine.body));
    buf_fini(&mine.body);
    buf_fini(&its.body);
    http_peer_close(&here);
    http_peer_close(&there);
    assert_true(server_rig_stop(second));
    assert_true(server_rig_stop(first));
    store_place_drop(&place);
}

/* ---- a person ---- */

static int resume_status(unsigned port, const char *run, const char *query, const char *text)
{
    struct http_answer answer;
    int status = resume(port, run, query, text, &answer);
    buf_fini(&answer.body);
    return status;
}

/* Asked of one server, answered to the next one. */
TEST(a_run_waits_for_a_person)
{
    static const char *const mine = "?company_id=c&user_id=u", *const yes =
                                                                   "{\"resume\":{\"ok\":true}}";
    struct store_place place;
    struct http_peer peer;
    struct http_answer asked, answered;
    char run[64];
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    http_peer_open(&peer, server_rig_port(rig));
    http_peer_post(&peer, CHAT, "", ask("pause", "c1"));
    read_run_id(&peer, run);
    http_peer_take(&peer, &asked);
    http_peer_close(&peer);
    EXPECT_TRUE("it asks", has(&asked, "{\"event\":\"interrupt\",\"node\":\"talk\",\"type\":"
                                       "\"question\",\"text\":\"may I?\"}"));
    EXPECT_TRUE("and says so at its end",
                has(&asked, "\"interrupted\":true,\"interrupts\":[{\"node\":\"talk\",\"type\":"
                            "\"question\",\"text\":\"may I?\"}]"));
    await_status(&place, STORE_PAUSED);
    assert_true(server_rig_stop(rig));
    rig = start(&place);
    unsigned port = server_rig_port(rig);
    EXPECT_INT("another's", resume_status(port, run, "?company_id=c&user_id=v", yes), 404);
    EXPECT_INT("no such run", resume_status(port, "run_00aaaaaaaaaaaaaaaaaaaaaaaa", mine, yes),
               404);
    EXPECT_INT("no answer", resume_status(port, run, mine, "{\"answer\":1}"), 422);
    EXPECT_INT("no JSON", resume_status(port, run, mine, "yes"), 400);
    EXPECT_INT("his", resume(port, run, mine, yes, &answered), 200);
    EXPECT_TRUE("goes on", has(&answered, "\"content\":\"{\\\"ok\\\":true}\""));
    EXPECT_TRUE("to its end", has(&answered, "\"event\":\"complete\""));
    EXPECT_TRUE("which is one", !has(&answered, "interrupted"));
    EXPECT_TRUE("as another run", !has(&answered, run));
    EXPECT_INT("twice", resume_status(port, run, mine, yes), 409);
    buf_fini(&asked.body);
    buf_fini(&answered.body);
    await_history(port, "\"turns\":1,", &answered);
    EXPECT_TRUE("of the question", has(&answered, "\"content\":\"pause\""));
    buf_fini(&answered.body);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(another_instance),
        T(a_run_waits_for_a_person),
        T(rejoin_at_every_event_after_a_restart),
    };
    return store_place_main(tests, countof(tests));
}

/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_conversations.c - conversations that outlive the server: history, pages, search,
 * fork, erase, whose they are, and what happens without a store. In the store that
 * ASKD_TEST_STORE names: sqlite (default), postgres, redis. */
#include "server/process/server.h"
#include "tests/lib/http_peer.h"
#include "tests/lib/test.h"
#include "tests/flow/store_place.h"
#include "tests/unit/backends/sqlite_file.h"

#define CHAT "/internal/chat/stream"
#define MINE "company_id=c&user_id=u"

static char body[4096], setting[512];

static const char *ask(const char *message, const char *conversation, const char *user)
{
    snprintf(body, sizeof body,
             "{\"input\":{\"message\":\"%s\"},\"conversation\":{\"id\":\"%s\",\"user_id\":\"%s\","
             "\"company_id\":\"c\"}}",
             message, conversation, user);
    return body;
}

static int post(unsigned port, const char *path, const char *json)
{
    struct http_peer peer;
    http_peer_open(&peer, port);
    http_peer_post(&peer, path, "", json);
    int status = http_peer_status(&peer);
    http_peer_close(&peer);
    return status;
}

static int say(unsigned port, const char *message, const char *conversation, const char *user)
{
    return post(port, CHAT, ask(message, conversation, user));
}

/* The answer to a request; its body is in answer until the next. */
static int request(unsigned port, const char *method, const char *path, struct buf *answer)
{
    struct http_peer peer;
    struct http_answer got;
    char head[512];
    int len = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
                       method, path);
    buf_fini(answer);
    http_peer_open(&peer, port);
    http_peer_send(&peer, str_make(head, (size_t)len));
    http_peer_take(&peer, &got);
    http_peer_close(&peer);
    *answer = got.body;
    return got.status;
}

static bool has(const struct buf *answer, const char *needle)
{
    return str_find(buf_str(answer), str_of(needle)) != STR_NONE;
}

static struct server_rig *start(const struct store_place *place)
{
    const char *settings[] = {setting, "ASKD_DRAIN_TIMEOUT_SECONDS=1", NULL};
    snprintf(setting, sizeof setting, "ASKD_CHECKPOINT_URL=%s", place->url);
    return server_rig_start(settings);
}

/* Saved behind the answer, it is there all the same. */
static void expect_has(unsigned port, const char *path, const char *needle, struct buf *answer)
{
    if (request(port, "GET", path, answer) != 200 || !has(answer, needle))
        fail_msg("%s: no '%s': %.*s", path, needle, STR_ARG(buf_str(answer)));
}

TEST(what_was_said_is_there_after_a_restart)
{
    struct store_place place;
    struct buf answer = {0};
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    unsigned port = server_rig_port(rig);
    EXPECT_INT("first", say(port, "hello", "c1", "u"), 200);
    EXPECT_INT("second", say(port, "again", "c1", "u"), 200);
    assert_true(server_rig_stop(rig)); /* waits for what is being saved */
    rig = start(&place);
    port = server_rig_port(rig);
    EXPECT_INT("show", request(port, "GET", "/internal/conversations/c1?" MINE, &answer), 200);
    EXPECT_TRUE("two turns", has(&answer, "\"turns\":2"));
    EXPECT_TRUE("question", has(&answer, "{\"role\":\"user\",\"content\":\"hello\",\"turn\":1}"));
    EXPECT_TRUE("answer", has(&answer, "\"role\":\"assistant\",\"content\":\"hello\""));
    EXPECT_TRUE("graph", has(&answer, "\"graph\":\"orchestrator\""));
    EXPECT_INT("third", say(port, "more", "c1", "u"), 200);
    expect_has(port, "/internal/conversations/c1?" MINE, "\"turns\":3", &answer);
    EXPECT_INT(
        "a page",
        request(port, "GET", "/internal/conversations/c1?" MINE "&limit=1&before=3", &answer), 200);
    EXPECT_TRUE("the second", has(&answer, "again") && !has(&answer, "hello"));
    EXPECT_INT("checkpoints",
               request(port, "GET", "/internal/conversations/c1/checkpoints?" MINE, &answer), 200);
    EXPECT_TRUE("versions", has(&answer, "\"version\":3") && has(&answer, "\"full\":true"));
    EXPECT_INT(
        "its state then",
        request(port, "GET", "/internal/conversations/c1/checkpoints?" MINE "&version=1", &answer),
        200);
    EXPECT_TRUE("of the first question", has(&answer, "{\"version\":1,"));
    EXPECT_TRUE("with its values", has(&answer, "\"values\":{\"fake\":true}"));
    EXPECT_TRUE("only", !has(&answer, "again"));
    EXPECT_INT(
        "no such version",
        request(port, "GET", "/internal/conversations/c1/checkpoints?" MINE "&version=9", &answer),
        404);
    buf_fini(&answer);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

/* Whoever has read the end of an answer finds its turn, however slow the store is: calls about a
 * conversation wait for what is being saved of it. */
TEST(a_turn_is_there_when_its_answer_is)
{
    struct store_place place;
    struct buf answer = {0};
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    unsigned port = server_rig_port(rig);
    store_place_slow(&place);
    EXPECT_INT("say", say(port, "hello", "c1", "u"), 200);
    expect_has(port, "/internal/conversations/c1?" MINE, "\"turns\":1", &answer);
    EXPECT_INT("say", say(port, "plum", "c1", "u"), 200);
    expect_has(port, "/internal/conversations?" MINE "&search=plum", "plum", &answer);
    EXPECT_INT("say", say(port, "hello", "c2", "u"), 200);
    expect_has(port, "/internal/conversations?" MINE, "\"c2\"", &answer);
    EXPECT_INT("say", say(port, "hello", "c2", "u"), 200);
    EXPECT_INT("share", post(port, "/internal/conversations/c2/share?" MINE, "{}"), 201);
    EXPECT_INT("say", say(port, "hello", "c3", "u"), 200);
    EXPECT_INT("fork",
               request(port, "POST", "/internal/conversations/c3/fork?" MINE "&to=c4", &answer),
               201);
    buf_fini(&answer);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

TEST(it_is_nobody_elses)
{
    static const struct {
        const char *method, *path;
    } cases[] = {
        {"GET", "/internal/conversations/c1?company_id=c&user_id=v"},
        {"GET", "/internal/conversations/c1?company_id=d&user_id=u"},
        {"GET", "/internal/conversations/c1/checkpoints?company_id=c&user_id=v"},
        {"GET", "/internal/conversations/c1/checkpoints?company_id=c&user_id=v&version=1"},
        {"POST", "/internal/conversations/c1/fork?company_id=c&user_id=v&to=c9"},
        {"DELETE", "/internal/conversations/c1?company_id=c&user_id=v"},
        {"GET", "/internal/conversations/c2?" MINE},
        {"DELETE", "/internal/conversations/c2?" MINE},
    };
    struct store_place place;
    struct buf answer = {0};
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    EXPECT_INT("say", say(server_rig_port(rig), "secret", "c1", "u"), 200);
    assert_true(server_rig_stop(rig));
    rig = start(&place); /* nothing of it in memory */
    unsigned port = server_rig_port(rig);
    TEST_EACH(c, cases) {
        EXPECT_INT(c->path, request(port, c->method, c->path, &answer), 404);
        EXPECT_TRUE(c->path, !has(&answer, "secret"));
    }
    EXPECT_INT("list",
               request(port, "GET", "/internal/conversations?company_id=c&user_id=v", &answer),
               200);
    EXPECT_STR("none", buf_str(&answer), STR("{\"conversations\":[]}"));
    EXPECT_INT("one of this id", say(port, "mine", "c1", "v"), 200);
    expect_has(port, "/internal/conversations/c1?company_id=c&user_id=v", "mine", &answer);
    EXPECT_TRUE("is the speaker's own", !has(&answer, "secret"));
    EXPECT_INT("search",
               request(port, "GET", "/internal/conversations?company_id=c&user_id=v&search=secret",
                       &answer),
               200);
    EXPECT_STR("none", buf_str(&answer), STR("{\"found\":[]}"));
    EXPECT_INT("still there", request(port, "GET", "/internal/conversations/c1?" MINE, &answer),
               200);
    buf_fini(&answer);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

TEST(list_search_fork_and_erase)
{
    struct store_place place;
    struct buf answer = {0};
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    unsigned port = server_rig_port(rig);
    EXPECT_INT("say", say(port, "apples and pears", "c1", "u"), 200);
    EXPECT_INT("say", say(port, "plums", "c1", "u"), 200);
    expect_has(port, "/internal/conversations/c1?" MINE, "\"turns\":2", &answer);
    EXPECT_INT(
        "fork",
        request(port, "POST", "/internal/conversations/c1/fork?" MINE "&to=c2&version=1", &answer),
        201);
    EXPECT_TRUE("one turn", has(&answer, "\"turns\":1"));
    EXPECT_INT("again",
               request(port, "POST", "/internal/conversations/c1/fork?" MINE "&to=c2", &answer),
               409);
    EXPECT_INT(
        "no such version",
        request(port, "POST", "/internal/conversations/c1/fork?" MINE "&to=c3&version=9", &answer),
        404);
    EXPECT_INT("no name", request(port, "POST", "/internal/conversations/c1/fork?" MINE, &answer),
               400);
    EXPECT_INT("go on there", say(port, "cherries", "c2", "u"), 200);
    expect_has(port, "/internal/conversations/c2?" MINE, "cherries", &answer);
    EXPECT_TRUE("as it was", has(&answer, "pears") && !has(&answer, "plums"));
    EXPECT_INT("list", request(port, "GET", "/internal/conversations?" MINE, &answer), 200);
    EXPECT_TRUE("both", has(&answer, "\"c1\"") && has(&answer, "\"c2\""));
    EXPECT_TRUE("title", has(&answer, "\"title\":\"apples and pears\""));
    EXPECT_INT("search",
               request(port, "GET", "/internal/conversations?" MINE "&search=PLUM", &answer), 200);
    EXPECT_TRUE("one", has(&answer, "plums") && !has(&answer, "pears"));
    EXPECT_INT("erase", request(port, "DELETE", "/internal/conversations/c1?" MINE, &answer), 204);
    EXPECT_INT("gone", request(port, "GET", "/internal/conversations/c1?" MINE, &answer), 404);
    EXPECT_INT("search",
               request(port, "GET", "/internal/conversations?" MINE "&search=plum", &answer), 200);
    EXPECT_STR("gone", buf_str(&answer), STR("{\"found\":[]}"));
    EXPECT_INT("anew", say(port, "fresh", "c1", "u"), 200);
    expect_has(port, "/internal/conversations/c1?" MINE, "fresh", &answer);
    EXPECT_TRUE("nothing old", has(&answer, "\"turns\":1"));
    buf_fini(&answer);
    assert_true(server_rig_stop(rig));
    store_place_drop(&place);
}

TEST(what_a_request_must_say)
{
    static const struct {
        const char *method, *path;
        int status;
    } cases[] = {
        {"GET", "/internal/conversations", 400},
        {"GET", "/internal/conversations?company_id=c", 400},
        {"GET", "/internal/conversations/c1?company_id=c&user_id=", 400},
        {"GET", "/internal/conversations/c1?" MINE "&limit=0", 400},
        {"GET", "/internal/conversations/c1?" MINE "&before=x", 400},
        {"GET", "/internal/conversations/c%ZZ?" MINE, 400},
        {"POST", "/internal/conversations/c1?" MINE, 405},
        {"POST", "/internal/conversations?" MINE, 405},
    };
    struct store_place place;
    struct buf answer = {0};
    store_place_make(&place);
    struct server_rig *rig = start(&place);
    TEST_EACH(c, cases)
        EXPECT_INT(c->path, request(server_rig_port(rig), c->method, c->path, &answer), c->status);
    assert_true(server_rig_stop(rig));
    rig = server_rig_start(NULL);
    EXPECT_INT("without a store",
               request(server_rig_port(rig), "GET", "/internal/conversations?" MINE, &answer), 503);
    assert_true(server_rig_stop(rig));
    buf_fini(&answer);
    store_place_drop(&place);
}

TEST(a_store_that_goes_away)
{
    struct sqlite_file file;
    struct store_place place;
    struct buf answer = {0};
    sqlite_file_name(&file);
    snprintf(place.url, sizeof place.url, "sqlite:%s", file.path);
    struct server_rig *rig = start(&place);
    unsigned port = server_rig_port(rig);
    EXPECT_INT("say", say(port, "hello", "c1", "u"), 200);
    expect_has(port, "/internal/conversations/c1?" MINE, "hello", &answer);
    assert_int_equal(unlink(file.path), 0);
    sqlite_file_write(&file, "this is not a database, and long enough to be looked at as one");
    EXPECT_INT("say all the same", say(port, "again", "c1", "u"), 200);
    EXPECT_INT("and elsewhere", say(port, "again", "c2", "u"), 200);
    buf_fini(&answer);
    assert_true(server_rig_stop(rig));
    sqlite_file_remove(&file);
}

TEST(a_store_that_is_none_at_the_start)
{
    struct sqlite_file file;
    struct err err = {0};
    struct config *config = NULL;
    struct buf problems;
    sqlite_file_name(&file);
    sqlite_file_write(&file, "this is not a database, and long enough to be looked at as one");
    const struct config_flag flags[] = {{"CONVERSATION_DB_PATH", str_of(file.path)},
                                        {"ASKD_PORT", STR("0")},
                                        {"ASKD_LOG_LEVEL", STR("off")}};
    const struct config_source source = {.flags = flags, .flag_count = countof(flags)};
    buf_init(&problems, 65536);
    assert_int_equal(config_load(&source, &config, &problems), ERR_OK);
    const struct server_options options = {.config = config};
    EXPECT_TRUE("it does not start", server_create(&options, &err) == NULL);
    EXPECT_TRUE("and says why", str_find(str_of(err.text), STR("not an SQLite database")) >= 0);
    buf_fini(&problems);
    sqlite_file_remove(&file);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(what_was_said_is_there_after_a_restart),
        T(a_turn_is_there_when_its_answer_is),
        T(it_is_nobody_elses),
        T(list_search_fork_and_erase),
        T(what_a_request_must_say),
        T(a_store_that_goes_away),
        T(a_store_that_is_none_at_the_start),
    };
    return store_place_main(tests, countof(tests));
}

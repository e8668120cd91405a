/* SPDX-License-Identifier: MIT */
/* backends/vec_qdrant against answers that come too late, in between or not as they should, its
 * urls, and the bodies it sends. What every vec promises is in contract_vec_*. */
#include "backends/vectors/vec_qdrant.h"

#include "backends/vectors/qdrant_wire.h"
#include "tests/unit/backends/stub_server.h"

enum { PATIENCE_MS = 600000, MOST_REPLIES = 9 };

static const float vector[] = {1, 0, -0.5F};
static const struct str two[] = {STR(""), STR("ac\"me")}, one[] = {STR("u1")};
static const struct passage_filter filters[] = {{STR("company_id"), two, 2},
                                                {STR("user_id"), one, 1}};
static const struct vec_query query = {.collection = STR("docs"),
                                       .model = STR("m"),
                                       .vector = vector,
                                       .dimensions = 3,
                                       .top_k = 5,
                                       .filters = filters,
                                       .filter_count = 1,
                                       .timeout_ms = PATIENCE_MS};
static const struct vec_point point = {{STR("i"), STR("t")}, vector};
static const struct vec_change addition = {.collection = STR("docs"),
                                           .model = STR("m"),
                                           .dimensions = 3,
                                           .upsert = &point,
                                           .upsert_count = 1,
                                           .timeout_ms = PATIENCE_MS},
                               removal = {.collection = STR("docs"),
                                          .remove_ids = one,
                                          .remove_count = 1,
                                          .timeout_ms = PATIENCE_MS};

#define ANSWER(status, body) STR("HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body)
#define OK(result)           ANSWER("200 OK", "{\"result\":" result ",\"time\":0.1}")
#define COLLECTION(size, model, indexes)                                                           \
    OK("{\"config\":{\"params\":{\"vectors\":{\"size\":" size ",\"distance\":\"Cosine\"}},"        \
       "\"metadata\":{\"model\":\"" model "\"}},\"payload_schema\":{" indexes "}}")
#define WHOLE                                                                                      \
    COLLECTION("3", "m",                                                                           \
               "\"fields.company_id\":{},\"fields.user_id\":{},\"fields.kind\":{},"                \
               "\"fields.document\":{}")
#define NONE          ANSWER("404 Not Found", "{\"status\":{\"error\":\"no collection\"}}")
#define COUNT(number) OK("{\"count\":" number "}")
#define DONE          OK("[{\"operation_id\":1,\"status\":\"completed\"}]")

struct fixture {
    struct rig rig;
    struct stub_server server;
    struct vec *vec;
    struct vec_search search;
    struct vec_write write;
};

static void begin(struct fixture *f, const struct str *script, size_t count)
{
    char url[128];
    *f = (struct fixture){0};
    rig_begin(&f->rig);
    stub_server_start(&f->server, &f->rig, (struct str){NULL, 0}, STUB_CLOSE);
    f->server.script = script;
    f->server.script_count = count;
    *strrchr(f->server.url, '/') = '\0';
    snprintf(url, sizeof url, "qdrant:%s", f->server.url);
    f->vec = vec_qdrant_create(f->rig.loop, str_of(url));
    assert_non_null(f->vec);
}

static void end(struct fixture *f)
{
    op_release(&f->search.op);
    op_release(&f->write.op);
    vec_close(f->vec, rig_on_closed, &f->rig);
    stub_server_stop(&f->server);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static const struct err *search(struct fixture *f, const struct vec_query *asked)
{
    vec_search_start(&f->search, f->vec, asked, rig_waiter(&f->rig));
    rig_wait("search", &f->rig, 1);
    return &f->search.op.err;
}

static const struct err *change(struct fixture *f, const struct vec_change *asked)
{
    vec_write_start(&f->write, f->vec, asked, rig_waiter(&f->rig));
    rig_wait("change", &f->rig, 1);
    return &f->write.op.err;
}

struct course { /* of one operation: what Qdrant says, one after another */
    const char *name;
    struct str replies[MOST_REPLIES];
    enum err_code want;
    const char *says;
};

static size_t count_replies(const struct course *c)
{
    size_t count = 0;
    while (count < MOST_REPLIES && !str_is_absent(c->replies[count]))
        count++;
    return count;
}

static void expect_end(const struct course *c, struct fixture *f, const struct err *err)
{
    struct err ready;
    EXPECT_INT(c->name, err->code, c->want);
    EXPECT_TRUE(err->text,
                c->says[0] == '\0' || str_find(str_of(err->text), str_of(c->says)) != STR_NONE);
    EXPECT_INT(c->name, f->server.requests, count_replies(c));
    EXPECT_INT(c->name, vec_ready(f->vec, &ready),
               c->want == ERR_UNAVAILABLE ? ERR_UNAVAILABLE : ERR_OK);
}

TEST(searches)
{
    static const struct course cases[] = {
        {"no collection", {NONE}, ERR_OK, ""},
        {"gone in between", {WHOLE, NONE}, ERR_OK, ""},
        {"hits", {WHOLE, OK("{\"points\":[]}")}, ERR_OK, ""},
        {"another model", {COLLECTION("3", "n", ""), COUNT("1")}, ERR_INVALID, "'n' with 3"},
        {"other dimensions", {COLLECTION("4", "m", ""), COUNT("1")}, ERR_INVALID, "'m' with 4"},
        {"another, but empty", {COLLECTION("3", "n", ""), COUNT("0")}, ERR_OK, ""},
        {"another, then gone", {COLLECTION("3", "n", ""), NONE}, ERR_OK, ""},
        {"no count", {COLLECTION("3", "n", ""), OK("{}")}, ERR_PROTOCOL, "expected a count"},
        {"a negative count", {COLLECTION("3", "n", ""), COUNT("-1")}, ERR_PROTOCOL, "a count"},
        {"not ours", {COLLECTION("3", "", "")}, ERR_REJECTED, "was not made by askd"},
        {"several vectors",
         {OK("{\"config\":{\"params\":{\"vectors\":{\"a\":{\"size\":3}}},\"metadata\":{\"model\":"
             "\"m\"}},\"payload_schema\":{}}")},
         ERR_REJECTED,
         "was not made by askd"},
        {"an older Qdrant",
         {OK("{\"config\":{\"params\":{\"vectors\":{\"size\":3}}},\"payload_schema\":{}}")},
         ERR_REJECTED,
         "older than 1.16"},
        {"no collection in it", {OK("true")}, ERR_PROTOCOL, "Qdrant's answer"},
        {"its words",
         {WHOLE, ANSWER("400 Bad", "{\"status\":{\"error\":\"odd filter\"},\"time\":0}")},
         ERR_REJECTED,
         "Qdrant answered 400: odd filter"},
        {"no key", {ANSWER("401 No", "Must provide a key")}, ERR_REJECTED, "401: Must provide"},
        {"a wrong key", {ANSWER("403 No", "Forbidden")}, ERR_REJECTED, "403: Forbidden"},
        {"it is ill",
         {WHOLE, ANSWER("500 Oh", "{\"status\":{\"error\":\"disk\"}}")},
         ERR_UNAVAILABLE,
         "500: disk"},
        {"it is full", {ANSWER("429 Wait", "")}, ERR_UNAVAILABLE, "429"},
        {"not JSON", {WHOLE, ANSWER("200 OK", "<html>")}, ERR_PROTOCOL, "Qdrant's answer"},
        {"no points", {WHOLE, OK("[]")}, ERR_PROTOCOL, "expected points"},
        {"no HTTP", {STR("SSH-2.0\r\n\r\n")}, ERR_PROTOCOL, "Qdrant"},
        {"cut",
         {WHOLE, STR("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")},
         ERR_PROTOCOL,
         "Qdrant"},
        {"no answer", {STR("")}, ERR_UNAVAILABLE, "Qdrant"},
    };
    TEST_EACH(c, cases) {
        struct fixture f;
        begin(&f, c->replies, count_replies(c));
        const struct err *err = search(&f, &query);
        EXPECT_INT(c->name, f.search.hit_count, 0);
        expect_end(c, &f, err);
        end(&f);
    }
}

TEST(changes)
{
    static const struct course additions[] = {
        {"to what is there", {WHOLE, DONE}, ERR_OK, ""},
        {"an index is missing",
         {COLLECTION("3", "m",
                     "\"fields.company_id\":{},\"fields.kind\":{},\"fields.document\":{}"),
          DONE, DONE},
         ERR_OK,
         ""},
        {"made, with its indexes",
         {NONE, OK("true"), COLLECTION("3", "m", ""), DONE, DONE, DONE, DONE, DONE},
         ERR_OK,
         ""},
        {"made by another meanwhile", {NONE, ANSWER("409 Conflict", ""), WHOLE, DONE}, ERR_OK, ""},
        {"made by another, of another model",
         {NONE, ANSWER("409 Conflict", ""), COLLECTION("3", "n", ""), COUNT("2")},
         ERR_INVALID,
         "'n' with 3"},
        {"it may not be made",
         {NONE, ANSWER("403 No", "{\"status\":{\"error\":\"read only\"}}")},
         ERR_REJECTED,
         "403: read only"},
        {"it keeps no metadata",
         {NONE, OK("true"), OK("{\"config\":{},\"payload_schema\":{}}")},
         ERR_REJECTED,
         "older than 1.16"},
        {"made anew",
         {COLLECTION("3", "n", ""), COUNT("0"), OK("true"), OK("true"), WHOLE, DONE},
         ERR_OK,
         ""},
        {"gone while it was counted",
         {COLLECTION("3", "n", ""), NONE, NONE, OK("true"), WHOLE, DONE},
         ERR_OK,
         ""},
        {"gone in between", {WHOLE, NONE}, ERR_UNAVAILABLE, "was removed while"},
        {"no index", {COLLECTION("3", "m", ""), ANSWER("500 Oh", "")}, ERR_UNAVAILABLE, "500"},
        {"refused",
         {WHOLE, ANSWER("400 Bad", "{\"status\":{\"error\":\"dim\"}}")},
         ERR_REJECTED,
         "400: dim"},
        {"too large for it", {WHOLE, ANSWER("413 Large", "limit")}, ERR_REJECTED, "413: limit"},
    };
    static const struct course removals[] = {
        {"from nothing", {NONE}, ERR_OK, ""},
        {"of another model", {COLLECTION("9", "n", ""), DONE}, ERR_OK, ""},
        {"gone in between", {WHOLE, NONE}, ERR_UNAVAILABLE, "was removed while"},
    };
    struct fixture f;
    TEST_EACH(c, additions) {
        begin(&f, c->replies, count_replies(c));
        expect_end(c, &f, change(&f, &addition));
        end(&f);
    }
    TEST_EACH(c, removals) {
        begin(&f, c->replies, count_replies(c));
        expect_end(c, &f, change(&f, &removal));
        end(&f);
    }
}

TEST(nobody_answers)
{
    static const struct str script[] = {WHOLE};
    struct vec_query hasty = query;
    struct fixture f;
    hasty.timeout_ms = 30;
    begin(&f, script, 1);
    EXPECT_INT("late", search(&f, &hasty)->code, ERR_TIMEOUT);
    end(&f);
}

TEST(urls)
{
    static const struct {
        struct str url;
        bool is_fine;
    } cases[] = {
        {STR("qdrant:http://localhost:6333"), true},
        {STR("qdrant:http://localhost:6333/"), true},
        {STR("qdrant:https://:k%40y@qdrant.example:6333"), true},
        {STR("qdrant:"), false},
        {STR("qdrant:localhost:6333"), false},
        {STR("qdrant:http://"), false},
        {STR("qdrant:http://:6333"), false},
        {STR("qdrant:http://key@host"), false},
        {STR("qdrant:http://:%zz@host"), false},
        {STR("qdrant:http://host/path"), false},
        {STR("qdrant:http://host?c"), false},
    };
    TEST_EACH(c, cases) {
        struct err err = {0};
        EXPECT_INT(c->url.at, vec_qdrant_check_url(c->url, &err),
                   c->is_fine ? ERR_OK : ERR_INVALID);
        if (!c->is_fine)
            EXPECT_STR("says", str_of(err.text),
                       STR("expected qdrant:http[s]://[:KEY@]HOST[:PORT]"));
    }
}

TEST(bodies)
{
    static const struct passage_field fields[] = {{STR("kind"), STR("a\"b")},
                                                  {STR("lang"), STR("")}};
    static const struct vec_point full = {{STR("i"), STR("t\n"), fields, 2}, vector},
                                  bare = {{STR("j"), STR("")}, vector};
    const struct vec_point *const points[] = {&full, &bare};
    struct vec_query narrow = query;
    struct qdrant_wire_change list = {.ids = one,
                                      .id_count = 1,
                                      .filters = &filters[1],
                                      .filter_count = 1,
                                      .points = points,
                                      .point_count = 2,
                                      .dimensions = 3};
    struct buf out;
    buf_init(&out, 4096);
    narrow.filter_count = 2;
    qdrant_wire_write_query(&out, &narrow, 7);
    EXPECT_STR("query", buf_str(&out),
               STR("{\"query\":[1,0,-0.5],\"limit\":7,\"with_payload\":true,\"filter\":{\"must\":["
                   "{\"should\":[{\"is_empty\":{\"key\":\"fields.company_id\"}},"
                   "{\"key\":\"fields.company_id\",\"match\":{\"any\":[\"\",\"ac\\\"me\"]}}]},"
                   "{\"key\":\"fields.user_id\",\"match\":{\"any\":[\"u1\"]}}]}}"));
    buf_clear(&out);
    EXPECT_INT("both", qdrant_wire_write_change(&out, &list), 2);
    EXPECT_STR(
        "change", buf_str(&out),
        STR("{\"operations\":[{\"delete\":{\"points\":[\"bb82030d-bc2b-8aba-b2a9-0bf2e207a84a\"]}},"
            "{\"delete\":{\"filter\":{\"must\":[{\"key\":\"fields.user_id\",\"match\":{\"any\":["
            "\"u1\"]}}]}}},{\"upsert\":{\"points\":["
            "{\"id\":\"de7d1b72-1a1e-8632-b7cf-04edf5032c8e\",\"vector\":[1,0,-0.5],"
            "\"payload\":{\"id\":\"i\",\"text\":\"t\\n\",\"fields\":{\"kind\":\"a\\\"b\","
            "\"lang\":\"\"}}},{\"id\":\"189f4003-4be7-8199-b1fa-9891668ee3ab\","
            "\"vector\":[1,0,-0.5],\"payload\":{\"id\":\"j\",\"text\":\"\",\"fields\":{}}}]}}]}"));
    buf_clear(&out);
    qdrant_wire_write_collection(&out, STR("m"), 3);
    EXPECT_STR("collection", buf_str(&out),
               STR("{\"vectors\":{\"size\":3,\"distance\":\"Cosine\"},\"metadata\":{\"model\":"
                   "\"m\"}}"));
    buf_clear(&out);
    qdrant_wire_write_index(&out, 0);
    EXPECT_STR("index", buf_str(&out),
               STR("{\"field_name\":\"fields.company_id\",\"field_schema\":{\"type\":\"keyword\","
                   "\"is_tenant\":true}}"));
    buf_fini(&out);
}

/* Qdrant takes bodies of 32 MB: texts of the longest, as long as JSON makes them. */
TEST(long_points_go_in_several_bodies)
{
    static char text[PASSAGE_MAX_TEXT];
    static struct vec_point many[128];
    const struct vec_point *points[128];
    struct buf out;
    memset(text, '\x01', sizeof text);
    for (size_t i = 0; i < 128; i++) {
        many[i] = (struct vec_point){{STR("i"), str_make(text, sizeof text)}, vector};
        points[i] = &many[i];
    }
    buf_init(&out, (size_t)64 << 20);
    struct qdrant_wire_change list = {.points = points, .point_count = 128, .dimensions = 3};
    size_t written = qdrant_wire_write_change(&out, &list);
    EXPECT_TRUE("some", written > 1 && written < 128);
    EXPECT_TRUE("small enough", buf_ok(&out) && buf_len(&out) < (size_t)16 << 20);
    buf_fini(&out);
}

TEST(hits)
{
#define POINT(more) "{\"result\":{\"points\":[{\"id\":1,\"version\":0," more "}]}}"
    static const struct {
        const char *name;
        struct str answer;
        enum err_code want;
        size_t count;
    } cases[] = {
        {"one",
         STR(POINT("\"score\":0.75,\"payload\":{\"id\":\"a\",\"text\":\"t\",\"fields\":{\"b\":"
                   "\"2\",\"a\":\"1\",\"c\":3}}")),
         ERR_OK, 1},
        {"none", STR("{\"result\":{\"points\":[]}}"), ERR_OK, 0},
        {"no list", STR("{\"result\":{\"points\":{}}}"), ERR_PROTOCOL, 0},
        {"no score", STR(POINT("\"payload\":{\"id\":\"a\",\"text\":\"\"}")), ERR_PROTOCOL, 0},
        {"no id", STR(POINT("\"score\":1,\"payload\":{\"text\":\"\"}")), ERR_PROTOCOL, 0},
        {"a number as id", STR(POINT("\"score\":1,\"payload\":{\"id\":2,\"text\":\"\"}")),
         ERR_PROTOCOL, 0},
        {"no text", STR(POINT("\"score\":1,\"payload\":{\"id\":\"a\"}")), ERR_PROTOCOL, 0},
        {"no payload", STR(POINT("\"score\":1")), ERR_PROTOCOL, 0},
        {"no object", STR("[]"), ERR_PROTOCOL, 0},
        {"cut", STR("{\"result\":{\"points\":[{"), ERR_PROTOCOL, 0},
        {"a NUL", STR(POINT("\"score\":1,\"payload\":{\"id\":\"a\",\"text\":\"\\u0000\"}")),
         ERR_PROTOCOL, 0},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct passage_hit *found = NULL;
        struct err err = {0};
        size_t count = 0;
        arena_init(&arena, 1 << 20);
        EXPECT_INT(c->name, qdrant_wire_read_hits(&arena, c->answer, &found, &count, &err),
                   c->want);
        if (c->want == ERR_OK)
            EXPECT_INT(c->name, count, c->count);
        if (c->want == ERR_OK && count == 1) {
            EXPECT_INT("fields", found[0].passage.field_count, 2);
            EXPECT_STR("by name", found[0].passage.fields[0].name, STR("a"));
            EXPECT_STR("value", found[0].passage.fields[1].value, STR("2"));
            EXPECT_TRUE("cosine", found[0].score == 0.75);
        }
        arena_fini(&arena);
    }
}

RUN_TESTS(T(searches), T(changes), T(nobody_answers), T(urls), T(bodies),
          T(long_points_go_in_several_bodies), T(hits))

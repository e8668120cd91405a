/* SPDX-License-Identifier: MIT */
/* backends/vec_chroma against answers that no test can make Chroma give, its urls, and the bodies
 * it is sent. What every vec promises is in contract_vec_*, on a real Chroma. */
#include "backends/vectors/vec_chroma.h"

#include "backends/vectors/chroma_wire.h"
#include "tests/unit/backends/stub_server.h"

enum { PATIENCE_MS = 600000 };

static const float vector[] = {1, 0, -0.5F};
static const struct str two[] = {STR(""), STR("ac\"me")}, one[] = {STR("u1")}, empty[] = {STR("")};
static const struct passage_filter filters[] = {
    {STR("company_id"), two, 2}, {STR("user_id"), one, 1}, {STR("kind"), empty, 1}};

static enum err_code search(struct rig *rig, struct vec *vec, uint64_t timeout_ms,
                            struct vec_search *search)
{
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = STR("m"),
                                    .vector = vector,
                                    .dimensions = 3,
                                    .top_k = 5,
                                    .filters = filters,
                                    .filter_count = 1,
                                    .timeout_ms = timeout_ms};
    unsigned before = rig->done_calls;
    vec_search_start(search, vec, &query, rig_waiter(rig));
    rig_wait("search", rig, before + 1);
    return search->op.err.code;
}

#define ANSWER(status, body) STR("HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body)

TEST(what_answers_mean)
{
    static const struct {
        const char *name;
        struct str reply;
        enum err_code want;
        const char *says;
    } cases[] = {
        {"none", ANSWER("404 Not Found", "{\"error\":\"NotFoundError\",\"message\":\"no\"}"),
         ERR_OK, ""},
        {"its words", ANSWER("400 Bad", "{\"error\":\"X\",\"message\":\"odd where\"}"),
         ERR_REJECTED, "Chroma answered 400: odd where"},
        {"other words", ANSWER("401 No", "who are you"), ERR_REJECTED, "401: who are you"},
        {"it is ill", ANSWER("500 Oh", "{\"message\":\"disk\"}"), ERR_UNAVAILABLE, "500: disk"},
        {"it is full", ANSWER("429 Wait", ""), ERR_UNAVAILABLE, "429"},
        {"not JSON", ANSWER("200 OK", "<html>"), ERR_PROTOCOL, "Chroma's answer"},
        {"no id", ANSWER("200 OK", "{\"metadata\":{}}"), ERR_PROTOCOL, "without an id"},
        {"another's", ANSWER("200 OK", "{\"id\":\"x\",\"metadata\":null}"), ERR_REJECTED,
         "was not made by askd"},
        {"no dimensions", ANSWER("200 OK", "{\"id\":\"x\",\"metadata\":{\"model\":\"m\"}}"),
         ERR_REJECTED, "was not made by askd"},
        {"no HTTP", STR("SSH-2.0\r\n\r\n"), ERR_PROTOCOL, "Chroma"},
        {"cut", STR("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), ERR_PROTOCOL, "Chroma"},
        {"no answer", STR(""), ERR_UNAVAILABLE, "Chroma"},
    };
    TEST_EACH(c, cases) {
        struct rig rig;
        struct stub_server server;
        struct vec_search found = {0};
        char url[128];
        rig_begin(&rig);
        stub_server_start(&server, &rig, c->reply, STUB_CLOSE);
        *strrchr(server.url, '/') = '\0';
        snprintf(url, sizeof url, "chroma:%s", server.url);
        struct vec *vec = vec_chroma_create(rig.loop, str_of(url));
        assert_non_null(vec);
        EXPECT_INT(c->name, search(&rig, vec, PATIENCE_MS, &found), c->want);
        EXPECT_TRUE(found.op.err.text, c->says[0] == '\0' || str_find(str_of(found.op.err.text),
                                                                      str_of(c->says)) != STR_NONE);
        EXPECT_INT(c->name, found.hit_count, 0);
        struct err err;
        EXPECT_INT("ready", vec_ready(vec, &err),
                   c->want == ERR_UNAVAILABLE ? ERR_UNAVAILABLE : ERR_OK);
        op_release(&found.op);
        vec_close(vec, rig_on_closed, &rig);
        stub_server_stop(&server);
        rig_end(&rig);
    }
}

TEST(nobody_answers)
{
    struct rig rig;
    struct stub_server server;
    struct vec_search found = {0};
    char url[128];
    rig_begin(&rig);
    stub_server_start(&server, &rig, (struct str){NULL, 0}, STUB_KEEP);
    *strrchr(server.url, '/') = '\0';
    snprintf(url, sizeof url, "chroma:%s/tenant/base", server.url);
    struct vec *vec = vec_chroma_create(rig.loop, str_of(url));
    assert_non_null(vec);
    EXPECT_INT("late", search(&rig, vec, 30, &found), ERR_TIMEOUT);
    op_release(&found.op);
    vec_close(vec, rig_on_closed, &rig);
    stub_server_stop(&server);
    rig_end(&rig);
}

TEST(urls)
{
    static const struct {
        struct str url;
        bool is_fine;
    } cases[] = {
        {STR("chroma:http://localhost:8000"), true},
        {STR("chroma:http://localhost:8000/"), true},
        {STR("chroma:https://:k%40y@chroma.example/tenant/base"), true},
        {STR("chroma:"), false},
        {STR("chroma:localhost:8000"), false},
        {STR("chroma:ftp://localhost"), false},
        {STR("chroma:http://"), false},
        {STR("chroma:http://:8000"), false},
        {STR("chroma:http:///tenant/base"), false},
        {STR("chroma:http://key@host"), false},
        {STR("chroma:http://:@host"), false},
        {STR("chroma:http://:a@b@host"), false},
        {STR("chroma:http://:%zz@host"), false},
        {STR("chroma:http://host/tenant"), false},
        {STR("chroma:http://host/a/b/c"), false},
        {STR("chroma:http://host//b"), false},
        {STR("chroma:http://host/a/b?c"), false},
        {STR("chroma:http://ho st"), false},
    };
    TEST_EACH(c, cases) {
        struct err err = {0};
        EXPECT_INT(c->url.at, vec_chroma_check_url(c->url, &err),
                   c->is_fine ? ERR_OK : ERR_INVALID);
    }
}

TEST(bodies)
{
    static const struct passage_field fields[] = {{STR("kind"), STR("a\"b")},
                                                  {STR("lang"), STR("")}};
    static const struct vec_point point = {{STR("i"), STR("t\n"), fields, 2}, vector},
                                  bare = {{STR("j"), STR("")}, vector};
    const struct vec_point *const points[] = {&point, &bare};
    const struct vec_query query = {
        .vector = vector, .dimensions = 3, .filters = filters, .filter_count = 3};
    struct buf out;
    buf_init(&out, 4096);
    chroma_wire_write_query(&out, &query, 7);
    EXPECT_STR("query", buf_str(&out),
               STR("{\"query_embeddings\":[[1,0,-0.5]],\"n_results\":7,"
                   "\"include\":[\"documents\",\"metadatas\",\"distances\"],\"where\":{\"$and\":["
                   "{\"$or\":[{\"h_company_id\":{\"$ne\":true}},{\"f_company_id\":{\"$in\":"
                   "[\"ac\\\"me\"]}}]},{\"f_user_id\":{\"$in\":[\"u1\"]}},"
                   "{\"h_kind\":{\"$ne\":true}}]}}"));
    buf_clear(&out);
    chroma_wire_write_upsert(&out, points, 2, 3);
    EXPECT_STR("upsert", buf_str(&out),
               STR("{\"ids\":[\"i\",\"j\"],\"documents\":[\"t\\n\",\"\"],\"metadatas\":["
                   "{\"f_kind\":\"a\\\"b\",\"h_kind\":true,\"f_lang\":\"\"},null],"
                   "\"embeddings\":[[1,0,-0.5],[1,0,-0.5]]}"));
    buf_clear(&out);
    chroma_wire_write_filtered_removal(&out, &filters[1], 1);
    EXPECT_STR("one filter", buf_str(&out), STR("{\"where\":{\"f_user_id\":{\"$in\":[\"u1\"]}}}"));
    buf_fini(&out);
}

TEST(hits)
{
    static const struct {
        const char *name;
        struct str answer;
        enum err_code want;
        size_t count;
    } cases[] = {
        {"one",
         STR("{\"ids\":[[\"a\"]],\"documents\":[[null]],\"metadatas\":[[{\"f_b\":\"2\",\"f_a\":"
             "\"1\","
             "\"h_a\":true,\"else\":3}]],\"distances\":[[0.25]]}"),
         ERR_OK, 1},
        {"none", STR("{\"ids\":[[]],\"documents\":[[]],\"metadatas\":[[]],\"distances\":[[]]}"),
         ERR_OK, 0},
        {"no lists", STR("{\"ids\":[[\"a\"]]}"), ERR_PROTOCOL, 0},
        {"a short list",
         STR("{\"ids\":[[\"a\",\"b\"]],\"documents\":[[\"\"]],\"metadatas\":[[null]],"
             "\"distances\":[[1]]}"),
         ERR_PROTOCOL, 0},
        {"a number as id",
         STR("{\"ids\":[[1]],\"documents\":[[\"\"]],\"metadatas\":[[null]],\"distances\":[[1]]}"),
         ERR_PROTOCOL, 0},
        {"no distance",
         STR("{\"ids\":[[\"a\"]],\"documents\":[[\"\"]],\"metadatas\":[[null]],"
             "\"distances\":[[null]]}"),
         ERR_PROTOCOL, 0},
        {"no object", STR("[]"), ERR_PROTOCOL, 0},
        {"cut", STR("{\"ids\":[["), ERR_PROTOCOL, 0},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct passage_hit *found = NULL;
        struct err err = {0};
        size_t count = 0;
        arena_init(&arena, 1 << 20);
        EXPECT_INT(c->name, chroma_wire_read_hits(&arena, c->answer, &found, &count, &err),
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

RUN_TESTS(T(what_answers_mean), T(nobody_answers), T(urls), T(bodies), T(hits))

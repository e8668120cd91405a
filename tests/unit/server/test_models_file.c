/* SPDX-License-Identifier: MIT */
/* server/config/models_file: what models.json may say, and each mistake by its place. */
#include "server/config/models_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/test.h"

static struct str find(void *owner, const char *name)
{
    (void)owner;
    return str_equal(str_of(name), STR("SOME_KEY")) ? STR("sk-1") : (struct str){NULL, 0};
}

struct reading {
    struct arena arena;
    struct buf problems;
    const struct models_file *file;
};

static void read_text(struct reading *r, const char *text)
{
    char path[] = "/tmp/askd-models-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    arena_init(&r->arena, 1 << 20);
    buf_init(&r->problems, 1 << 16);
    r->file = models_file_read(
        &(struct models_file_source){
            .path = path, .arena = &r->arena, .find = find, .azure_api_version = "v1"},
        &r->problems);
    unlink(path);
}

static void reading_end(struct reading *r)
{
    arena_fini(&r->arena);
    buf_fini(&r->problems);
}

TEST(all_members)
{
    struct reading r;
    read_text(&r, "{\"models\":{"
                  "\"small\":{\"wire\":\"anthropic\",\"url\":\"https://a\",\"model\":\"c\","
                  "\"key\":\"SOME_KEY\",\"max_output_tokens\":8192,\"temperature\":false,"
                  "\"prices\":{\"input\":1,\"cached_input\":0.1,\"output\":5}},"
                  "\"local\":{\"url\":\"http://b/v1\",\"model\":\"q\",\"limit\":\"none\","
                  "\"stream_options\":false,\"response_format\":false,\"starts_thinking\":true,"
                  "\"needs_room\":true,\"reasoning_effort\":\"low\"},"
                  "\"az\":{\"wire\":\"azure\",\"url\":\"https://z\",\"model\":\"d\","
                  "\"api_version\":\"v2\"}},"
                  "\"tasks\":{\"sql\":[\"local\",\"small\"],\"default\":[\"small\",\"az\"]}}");
    EXPECT_STR("no problems", buf_str(&r.problems), STR(""));
    assert_non_null(r.file);
    const struct models_file_model *m = r.file->models;
    EXPECT_INT("three", r.file->model_count, 3);
    EXPECT_INT("wire", m[0].wire, MODEL_WIRE_ANTHROPIC);
    EXPECT_STR("key", str_of(m[0].key), STR("sk-1"));
    EXPECT_INT("most", m[0].max_output_tokens, 8192);
    EXPECT_TRUE("temperature", m[0].traits.no_temperature && !m[1].traits.no_temperature);
    EXPECT_TRUE("prices", m[0].prices.output > 4.9 && m[0].prices.cached_input > 0.09);
    EXPECT_INT("limit", m[1].traits.limit, MODEL_LIMIT_NONE);
    EXPECT_TRUE("traits", m[1].traits.no_stream_options && m[1].traits.no_response_format &&
                              m[1].traits.starts_thinking && m[1].traits.needs_room);
    EXPECT_STR("no key", str_of(m[1].key_variable), STR(""));
    EXPECT_STR("version", str_of(m[1].api_version), STR("v1"));
    EXPECT_STR("version", str_of(m[2].api_version), STR("v2"));
    EXPECT_TRUE("default", r.file->tasks[0].task == NULL && r.file->tasks[0].count == 2 &&
                               r.file->tasks[0].models[1] == 2);
    EXPECT_STR("sql", str_of(r.file->tasks[1].task), STR("sql"));
    EXPECT_INT("sql", r.file->tasks[1].models[0], 1);
    reading_end(&r);
}

TEST(without_tasks_the_models_follow_each_other)
{
    struct reading r;
    read_text(&r, "{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\"},"
                  "\"b\":{\"url\":\"u\",\"model\":\"m\"}}}");
    assert_non_null(r.file);
    EXPECT_INT("all", r.file->tasks[0].count, 2);
    EXPECT_INT("in order", r.file->tasks[0].models[1], 1);
    reading_end(&r);
}

#define ONE "\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\"}}"

static const struct {
    const char *text, *says;
} mistakes[] = {
    {"", ""},
    {"[]", "expected an object"},
    {"{", "byte"},
    {"{}", ": /models: expected an object of models"},
    {"{\"models\":{}}", "not empty"},
    {"{\"model\":1," ONE "}", "/model: there is no such member"},
    {"{\"models\":{\"a\":1}}", "/models/a: expected an object, got an integer"},
    {"{\"models\":{\"a\":{\"model\":\"m\"}}}", "/models/a/url: is needed"},
    {"{\"models\":{\"a\":{\"url\":\"u\"}}}", "/models/a/model: is needed"},
    {"{\"models\":{\"a\":{\"url\":\"\",\"model\":\"m\"}}}", "/models/a/url: expected a text"},
    {"{\"models\":{\"a\":{\"url\":7,\"model\":\"m\"}}}", "/models/a/url: expected a string, got"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"wires\":1}}}",
     "/models/a/wires: there is no such member"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"wire\":\"grpc\"}}}",
     "/models/a/wire: expected openai, azure or anthropic; got 'grpc'"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"limit\":\"x\"}}}",
     "/models/a/limit: expected max_tokens, max_completion_tokens or none"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"key\":\"NOT_SET\"}}}",
     "/models/a/key: the variable of this name is not set"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"temperature\":\"no\"}}}",
     "/models/a/temperature: expected true or false"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"max_output_tokens\":0}}}",
     "/models/a/max_output_tokens: expected a whole number"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"prices\":{\"input\":-1}}}}",
     "/models/a/prices/input: expected a number"},
    {"{\"models\":{\"a\":{\"url\":\"u\",\"model\":\"m\",\"prices\":{\"in\":1}}}}",
     "/models/a/prices/in: there is no such member"},
    {"{" ONE ",\"tasks\":[]}", "/tasks: expected an object"},
    {"{" ONE ",\"tasks\":{\"sqls\":[\"a\"]}}", "/tasks/sqls: there is no such task"},
    {"{" ONE ",\"tasks\":{\"sql\":[]}}", "/tasks/sql: expected an array"},
    {"{" ONE ",\"tasks\":{\"sql\":[\"b\"]}}", "/tasks/sql: one of the names is not in /models"},
    {"{" ONE ",\"tasks\":{\"sql\":[\"a\",\"a\"]}}", "/tasks/sql: one of the names is there twice"},
    {"{" ONE ",\"tasks\":{\"sql\":[7]}}", "/tasks/sql: one of the names is not in /models"},
};

TEST(mistakes_are_told_by_their_place)
{
    TEST_EACH(c, mistakes) {
        struct reading r;
        read_text(&r, c->text);
        EXPECT_TRUE(c->text, r.file == NULL);
        EXPECT_TRUE(c->text, str_starts_with(buf_str(&r.problems), STR("ASKD_MODELS: ")));
        if (c->says[0] != '\0' && str_find(buf_str(&r.problems), str_of(c->says)) == STR_NONE)
            fail_msg("%s: %.*s", c->text, STR_ARG(buf_str(&r.problems)));
        reading_end(&r);
    }
}

TEST(all_mistakes_at_once)
{
    struct reading r;
    read_text(&r, "{\"models\":{\"a\":{\"wire\":\"x\",\"b\":1}},\"tasks\":{\"c\":[]}}");
    size_t lines = 0;
    for (struct str rest = buf_str(&r.problems); rest.len > 0; lines++)
        (void)str_split(&rest, '\n');
    EXPECT_INT("wire, b, url, model, c", lines, 5);
    reading_end(&r);
}

TEST(no_file)
{
    struct reading r = {0};
    arena_init(&r.arena, 1 << 20);
    buf_init(&r.problems, 1 << 16);
    r.file = models_file_read(&(struct models_file_source){.path = "/nowhere/models.json",
                                                           .arena = &r.arena,
                                                           .find = find},
                              &r.problems);
    EXPECT_TRUE("none", r.file == NULL);
    EXPECT_TRUE("named", str_find(buf_str(&r.problems), STR("/nowhere/models.json")) != STR_NONE);
    reading_end(&r);
}

TEST(many_models)
{
    struct reading r;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_push(&text, STR("{\"models\":{"));
    for (unsigned i = 0; i < 40; i++)
        buf_printf(&text, "%s\"m%u\":{\"url\":\"u\",\"model\":\"m\"}", i == 0 ? "" : ",", i);
    buf_push(&text, STR("}}"));
    buf_push_char(&text, '\0');
    read_text(&r, buf_str(&text).at);
    EXPECT_TRUE("refused", r.file == NULL);
    EXPECT_TRUE("said", str_find(buf_str(&r.problems), STR("more than 16")) != STR_NONE);
    reading_end(&r);
    buf_fini(&text);
}

RUN_TESTS(T(all_members), T(without_tasks_the_models_follow_each_other),
          T(mistakes_are_told_by_their_place), T(all_mistakes_at_once), T(no_file), T(many_models))

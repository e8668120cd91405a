/* SPDX-License-Identifier: MIT */
/* Requests in both forms; answers of three servers, and what is wrong with others. */
#include "tests/lib/test.h"

#include <stdlib.h>

#include "proto/models/rerank_wire.h"

static const struct {
    const char *name, *base, *url;
} urls[] = {
    {"Cohere", "https://api.cohere.com/v2", "https://api.cohere.com/v2/rerank"},
    {"Jina, with a slash", "https://api.jina.ai/v1/", "https://api.jina.ai/v1/rerank"},
    {"TEI", "http://127.0.0.1:8090", "http://127.0.0.1:8090/rerank"},
    {"whole already", "http://127.0.0.1:8090/rerank", "http://127.0.0.1:8090/rerank"},
};

TEST(addresses)
{
    TEST_EACH(c, urls) {
        struct buf url;
        buf_init(&url, 1024);
        rerank_wire_write_url(&url, &(struct model_endpoint){.base_url = str_of(c->base)});
        EXPECT_STR(c->name, buf_str(&url), str_of(c->url));
        buf_fini(&url);
    }
}

static const struct {
    const char *name, *model, *body;
} requests[] = {
    {"with a name", "rerank-v3.5",
     "{\"model\":\"rerank-v3.5\",\"query\":\"q\",\"documents\":[\"one\",\"th\"],\"top_n\":2}"},
    {"without", "", "{\"query\":\"q\",\"texts\":[\"one\",\"th\"],\"truncate\":true}"},
};

TEST(bodies)
{
    static const struct str texts[] = {STR("one"), STR("th\xc3\xa9 rest is cut")};
    TEST_EACH(c, requests) {
        struct buf body;
        buf_init(&body, 1024);
        rerank_wire_write(&body, &(struct rerank_wire_request){.model = str_of(c->model),
                                                               .query = STR("q"),
                                                               .texts = texts,
                                                               .count = 2,
                                                               .text_bytes = 3});
        EXPECT_STR(c->name, buf_str(&body), str_of(c->body));
        buf_fini(&body);
    }
}

static const struct {
    const char *name, *answer;
    enum err_code code;
    const char *message;
} answers[] = {
    {"Cohere",
     "{\"results\":[{\"index\":1,\"relevance_score\":0.75},{\"index\":0,\"relevance_score\":0.5}],"
     "\"id\":\"x\",\"meta\":{\"billed_units\":{\"search_units\":1}}}",
     ERR_OK, ""},
    {"Jina",
     "{\"model\":\"m\",\"usage\":{\"total_tokens\":9},\"results\":[{\"index\":0,\"document\":"
     "{\"text\":\"one\"},\"relevance_score\":0.5},{\"index\":1,\"relevance_score\":0.75}]}",
     ERR_OK, ""},
    {"TEI", "[{\"index\":1,\"score\":0.75},{\"index\":0,\"score\":0.5}]", ERR_OK, ""},
    {"no JSON", "<html>", ERR_PROTOCOL, ""},
    {"a text", "\"fine\"", ERR_PROTOCOL, "expected an array"},
    {"no results", "{\"data\":[]}", ERR_PROTOCOL, "\"results\""},
    {"too few", "[{\"index\":1,\"score\":1}]", ERR_PROTOCOL, "no score for text 0 of 2"},
    {"twice", "[{\"index\":1,\"score\":1},{\"index\":1,\"score\":1}]", ERR_PROTOCOL, "two scores"},
    {"beyond", "[{\"index\":2,\"score\":1}]", ERR_PROTOCOL, "2 texts were sent"},
    {"before", "[{\"index\":-1,\"score\":1}]", ERR_PROTOCOL, "text -1"},
    {"a broken place", "[{\"index\":0.5,\"score\":1}]", ERR_PROTOCOL, "no index"},
    {"no number", "[{\"index\":0,\"score\":\"1\"}]", ERR_PROTOCOL, "no number"},
    {"no end of it", "[{\"index\":0,\"score\":1e999}]", ERR_PROTOCOL, ""},
    {"no object", "[7]", ERR_PROTOCOL, "no index"},
};

TEST(scores)
{
    TEST_EACH(c, answers) {
        double got[2];
        struct err err = {0};
        struct arena arena;
        arena_init(&arena, 64 * 1024);
        EXPECT_INT(c->name, rerank_wire_read(&arena, str_of(c->answer), got, 2, &err), c->code);
        if (strstr(err.text, c->message) == NULL)
            fail_msg("%s: %s", c->name, err.text);
        EXPECT_TRUE(c->name, c->code != ERR_OK || (got[0] == 0.5 && got[1] == 0.75));
        arena_fini(&arena);
    }
}

TEST(memory_that_ends)
{
    for (size_t budget = 0; budget < 4096; budget += 64) {
        double got[2];
        struct err err = {0};
        struct arena arena;
        arena_init(&arena, budget);
        enum err_code code = rerank_wire_read(&arena, str_of(answers[0].answer), got, 2, &err);
        EXPECT_TRUE("told", code == ERR_OK || code == ERR_NO_MEMORY);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(addresses), T(bodies), T(scores), T(memory_that_ends))

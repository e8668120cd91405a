/* SPDX-License-Identifier: MIT */
/* Answers whole, in every cut, byte by byte and without memory. */
#include "tests/lib/test.h"

#include "proto/models/openai_embeddings.h"

static enum err_code note_vector(void *owner, uint64_t index, const float *vector,
                                 size_t dimensions, struct err *err)
{
    struct buf *seen = owner;
    if (index == 99)
        return err_set(err, ERR_PROTOCOL, "no such text");
    buf_printf(seen, "%" PRIu64 ":", index);
    for (size_t i = 0; i < dimensions; i++)
        buf_printf(seen, "%s%g", i > 0 ? "," : "", (double)vector[i]);
    buf_push(seen, STR(" "));
    return ERR_OK;
}

/* Read text in pieces of step bytes; seen gets the vectors, then the answer's model and tokens. */
static enum err_code read_text(struct str text, size_t step, struct buf *seen, struct err *err)
{
    struct openai_embeddings reader;
    struct model_answer answer;
    openai_embeddings_init(&reader, note_vector, seen);
    enum err_code code = ERR_OK;
    for (size_t at = 0; at < text.len && code == ERR_OK; at += step)
        code = openai_embeddings_feed(&reader, str_slice(text, at, at + step), err);
    code = openai_embeddings_end(&reader, &answer, err);
    if (code == ERR_OK)
        buf_printf(seen, "%.*s %" PRIu64, STR_ARG(answer.model), answer.usage.prompt_tokens);
    openai_embeddings_fini(&reader);
    return code;
}

static const struct {
    const char *name, *text, *seen;
    enum err_code code;
    const char *message;
} cases[] = {
    {"numbers",
     "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.5,-1,"
     "2e1]},{\"index\":1,\"embedding\":[1,0,0]}],\"model\":\"m\",\"usage\":{\"prompt_tokens\":7,"
     "\"total_tokens\":7}}",
     "0:0.5,-1,20 1:1,0,0 m 7", ERR_OK, ""},
    {"base64", "{\"data\":[{\"index\":0,\"embedding\":\"AAAAPwAAgL8=\"}]}", "0:0.5,-1  0", ERR_OK,
     ""},
    {"base64 with an escaped slash", "{\"data\":[{\"embedding\":\"AACAPwAAgD\\/\"}]}", "0:1,1  0",
     ERR_OK, ""},
    {"out of order", "{\"data\":[{\"embedding\":[1],\"index\":1},{\"index\":0,\"embedding\":[2]}]}",
     "1:1 0:2  0", ERR_OK, ""},
    {"no index", "{\"data\":[{\"embedding\":[1]},{\"embedding\":[2]}]}", "0:1 1:2  0", ERR_OK, ""},
    {"blanks and unknown members",
     " { \"x\" : [ [1], {\"data\":[{\"embedding\":[9]}]} ] , \"data\" : [ { \"y\" : {\"z\":[]} , "
     "\"embedding\" : [ 1 , 2 ] } ] , \"data2\":[{}] } ",
     "0:1,2  0", ERR_OK, ""},
    {"brackets in strings",
     "{\"a\":\"}]\\\"[{\",\"data\":[{\"s\":\"]}\\\\\",\"embedding\":[3]}],\"model\":\"[m]\"}",
     "0:3 [m] 0", ERR_OK, ""},
    {"no data", "{\"object\":\"list\"}", " 0", ERR_OK, ""},
    {"empty data", "{\"data\":[]}", " 0", ERR_OK, ""},
    {"an error", "{\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}", "",
     ERR_UNAVAILABLE, "overloaded"},
    {"refused by its owner", "{\"data\":[{\"index\":99,\"embedding\":[1]}]}", "", ERR_PROTOCOL,
     "no such text"},
    {"no vector", "{\"data\":[{\"index\":0}]}", "", ERR_PROTOCOL, "without a vector"},
    {"an empty vector", "{\"data\":[{\"embedding\":[]}]}", "", ERR_PROTOCOL, "without a vector"},
    {"null", "{\"data\":[{\"embedding\":null}]}", "", ERR_PROTOCOL, "expected a vector"},
    {"words", "{\"data\":[{\"embedding\":[1,\"x\"]}]}", "", ERR_PROTOCOL, "vector of numbers"},
    {"infinite", "{\"data\":[{\"embedding\":[1e39]}]}", "", ERR_PROTOCOL, "that no vector has"},
    {"infinite in base64", "{\"data\":[{\"embedding\":\"AACAfw==\"}]}", "", ERR_PROTOCOL,
     "that no vector has"},
    {"half a float", "{\"data\":[{\"embedding\":\"AAAA\"}]}", "", ERR_PROTOCOL, "base64 of floats"},
    {"not base64", "{\"data\":[{\"embedding\":\"A!AA\"}]}", "", ERR_PROTOCOL, "base64 of floats"},
    {"negative index", "{\"data\":[{\"index\":-1,\"embedding\":[1]}]}", "", ERR_PROTOCOL,
     "expected an index"},
    {"broken item", "{\"data\":[{\"embedding\":[1,]}]}", "", ERR_PROTOCOL, "vector of numbers"},
    {"an array for an item", "{\"data\":[[1,2]]}", "", ERR_PROTOCOL, "an object with a vector"},
    {"cut in an item", "{\"data\":[{\"embedding\":[1,2", "", ERR_PROTOCOL, "not JSON"},
    {"cut after an item", "{\"data\":[{\"embedding\":[1]}", "0:1 ", ERR_PROTOCOL, "not JSON"},
    {"wrong brackets", "{\"data\":[{\"embedding\":[1]}}]", "0:1 ", ERR_PROTOCOL, "not JSON"},
    {"HTML", "<html>", "", ERR_PROTOCOL, "not JSON"},
    {"nothing", "", "", ERR_PROTOCOL, "not JSON"},
};

TEST(answers_in_every_cut)
{
    TEST_EACH(c, cases) {
        struct str text = str_of(c->text);
        for (size_t step = 1; step <= text.len + 1; step++) {
            struct buf seen;
            struct err err = {0};
            buf_init(&seen, 1 << 16);
            enum err_code code = read_text(text, step, &seen, &err);
            if (code != c->code || strstr(err.text, c->message) == NULL)
                fail_msg("%s by %zu: %s: %s", c->name, step, err_name(code), err.text);
            EXPECT_STR(c->name, buf_str(&seen), str_of(c->seen));
            buf_fini(&seen);
        }
    }
}

static void push_vector(struct buf *text, size_t dimensions)
{
    buf_push(text, STR("{\"data\":[{\"embedding\":["));
    for (size_t i = 0; i < dimensions; i++)
        buf_printf(text, "%s-0.0123456789012345678", i > 0 ? "," : "");
    buf_push(text, STR("]}]}"));
}

/* Nothing grows beyond one vector and 64 KiB around them. */
TEST(sizes_are_bounded)
{
    static const struct {
        const char *name;
        size_t dimensions, rest, item;
        enum err_code code;
    } sizes[] = {
        {"the largest vector", OPENAI_EMBEDDINGS_DIMENSIONS, 0, 0, ERR_OK},
        {"one number more", OPENAI_EMBEDDINGS_DIMENSIONS + 1, 0, 0, ERR_PROTOCOL},
        {"a long rest", 1, 100 << 10, 0, ERR_PROTOCOL},
        {"a long item", 1, 0, 200 << 10, ERR_PROTOCOL},
    };
    TEST_EACH(c, sizes) {
        struct openai_embeddings reader;
        struct buf text, seen;
        struct err err = {0};
        buf_init(&text, 1 << 20);
        buf_init(&seen, 1 << 20);
        openai_embeddings_init(&reader, note_vector, &seen);
        for (size_t i = 0; i < c->rest; i++)
            buf_push_char(&text, ' ');
        if (c->item > 0)
            buf_push(&text, STR("{\"data\":[{\"x\":\""));
        for (size_t i = 0; i < c->item; i++)
            buf_push_char(&text, 'x');
        push_vector(&text, c->dimensions);
        assert_true(buf_ok(&text));
        EXPECT_INT(c->name, openai_embeddings_feed(&reader, buf_str(&text), &err), c->code);
        openai_embeddings_fini(&reader);
        buf_fini(&text);
        buf_fini(&seen);
    }
}

TEST(every_allocation_may_fail)
{
    struct str text = str_of(cases[0].text);
    enum err_code code = ERR_NO_MEMORY;
    for (unsigned n = 1; code != ERR_OK; n++) {
        struct buf seen;
        struct err err = {0};
        char room[256];
        assert_true(n < 20);
        seen = (struct buf){.at = room, .cap = sizeof room, .limit = sizeof room};
        mem_fail_nth(n);
        code = read_text(text, 50, &seen, &err);
        mem_fail_nth(0);
    }
}

RUN_TESTS(T(answers_in_every_cut), T(sizes_are_bounded), T(every_allocation_may_fail))

/* SPDX-License-Identifier: MIT */
/* Arguments against the schemas of tools: what fits, and what is said of what does not. */
#include "tests/lib/test.h"

#include "proto/json_schema.h"

static const struct {
    const char *name, *schema, *value, *problem; /* problem NULL: it fits */
} cases[] = {
    {"nothing asked", "{}", "[1]", NULL},
    {"true", "true", "1", NULL},
    {"false", "false", "1", "/: expected nothing, got an integer"},
    {"type", "{\"type\":\"string\"}", "\"a\"", NULL},
    {"another type", "{\"type\":\"string\"}", "1", "/: expected a string, got an integer"},
    {"a whole number is one", "{\"type\":\"integer\"}", "2.0", NULL},
    {"half is none", "{\"type\":\"integer\"}", "2.5", "/: expected an integer, got a number"},
    {"an integer is a number", "{\"type\":\"number\"}", "2", NULL},
    {"types", "{\"type\":[\"string\",\"null\"]}", "null", NULL},
    {"none of the types", "{\"type\":[\"string\",\"null\"]}", "true",
     "/: expected a string, got a boolean"},
    {"enum", "{\"enum\":[\"a\",1,null]}", "1", NULL},
    {"not in enum", "{\"enum\":[\"a\",1,null]}", "\"b\"", "/: expected one of a, 1, null, got b"},
    {"const", "{\"const\":1}", "2", "/: expected the one value that it may have, got another"},
    {"minimum", "{\"minimum\":1}", "0", "/: expected at least 1, got 0"},
    {"maximum", "{\"maximum\":1}", "1", NULL},
    {"exclusive", "{\"exclusiveMaximum\":1}", "1", "/: expected less than 1, got 1"},
    {"limits of other types", "{\"minimum\":5,\"minItems\":5}", "\"a\"", NULL},
    {"characters, not bytes", "{\"maxLength\":2}", "\"\xC3\xBC\xC3\xBC\"", NULL},
    {"too long", "{\"maxLength\":1}", "\"ab\"", "/: expected at most 1 characters, got 2"},
    {"items", "{\"items\":{\"type\":\"string\"}}", "[\"a\",1]",
     "/1: expected a string, got an integer"},
    {"too few", "{\"minItems\":2}", "[1]", "/: expected at least 2 items, got 1"},
    {"required", "{\"required\":[\"a\"]}", "{\"b\":1}", "/a: expected a value, got nothing"},
    {"members", "{\"properties\":{\"a\":{\"properties\":{\"b\":{\"type\":\"null\"}}}}}",
     "{\"a\":{\"b\":1}}", "/a/b: expected a null, got an integer"},
    {"no others", "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "{\"a\":1,\"b\":1}",
     "/b: there is no such member"},
    {"others of a kind", "{\"additionalProperties\":{\"type\":\"string\"}}", "{\"b\":1}",
     "/b: expected a string, got an integer"},
    {"anyOf", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "null", NULL},
    {"none of anyOf", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1",
     "/: expected a null, got an integer"},
    {"both of oneOf", "{\"oneOf\":[{\"type\":\"number\"},{\"minimum\":0}]}", "1",
     "/: expected what fits one alternative, got what fits several"},
    {"allOf", "{\"allOf\":[{\"minimum\":0},{\"maximum\":2}]}", "3", "/: expected at most 2, got 3"},
    {"unknown keywords", "{\"format\":\"date\",\"title\":7}", "1", NULL},
};

TEST(verdicts)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, 1 << 20);
        const struct json_value *schema = json_value_parse(&arena, str_of(c->schema), NULL, &err);
        const struct json_value *value = json_value_parse(&arena, str_of(c->value), NULL, &err);
        assert_true(schema != NULL && value != NULL);
        EXPECT_INT(c->name, json_schema_check(schema, value, &err),
                   c->problem == NULL ? ERR_OK : ERR_INVALID);
        if (c->problem != NULL)
            EXPECT_STR(c->name, str_of(err.text), str_of(c->problem));
        arena_fini(&arena);
    }
}

RUN_TESTS(T(verdicts))

/* SPDX-License-Identifier: MIT */
/* Data in the form of schemas as clients write them: lists of rows, one row, one value, references,
 * what may be null; and what the data does not have. */
#include "tests/lib/test.h"

#include "core/base/buf.h"
#include "server/facades/openai/answer_form.h"

#define BY_PRIORITY                                                                                \
    "{\"data\":{\"columns\":[\"priority\",\"workOrder_count\"],\"rows\":[[\"high\",166],"          \
    "[\"low\",159]]}}"
#define ONE_ROW  "{\"data\":{\"columns\":[\"min_pay\",\"max_pay\"],\"rows\":[[\"12.50\",40.25]]}}"
#define ONE      "{\"data\":{\"columns\":[\"workOrder_count\"],\"rows\":[[760]]}}"
#define NO_VALUE "{\"data\":{\"columns\":[\"name\",\"closed_at\"],\"rows\":[[\"a\",null]]}}"
#define NONE     "{\"data\":{\"columns\":[\"name\"],\"rows\":[]}}"
#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                 \
    "],\"additionalProperties\":false}"
#define ITEM                                                                                       \
    OBJECT("\"priority\":{\"type\":\"string\"},\"count\":{\"type\":\"integer\"}",                  \
           "\"priority\",\"count\"")

static const struct {
    const char *name, *schema, *complete, *want; /* NULL: no such form */
    const char *why;
} cases[] = {
    {"a list in an object", OBJECT("\"rows\":{\"type\":\"array\",\"items\":" ITEM "}", "\"rows\""),
     BY_PRIORITY,
     "{\"rows\":[{\"priority\":\"high\",\"count\":166},{\"priority\":\"low\",\"count\":159}]}", ""},
    {"a reference, and the answer's text",
     "{\"$defs\":{\"Row\":" ITEM "},\"type\":\"object\",\"properties\":{\"answer\":{\"type\":"
     "\"string\"},\"rows\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/Row\"}}},"
     "\"required\":[\"answer\",\"rows\"]}",
     BY_PRIORITY,
     "{\"answer\":\"Said.\",\"rows\":[{\"priority\":\"high\",\"count\":166},{\"priority\":\"low\","
     "\"count\":159}]}",
     ""},
    {"a list alone", "{\"type\":\"array\",\"items\":" ITEM "}", BY_PRIORITY,
     "[{\"priority\":\"high\",\"count\":166},{\"priority\":\"low\",\"count\":159}]", ""},
    {"a column",
     OBJECT("\"priority\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "\"priority\""),
     NONE, "{\"priority\":[]}", ""},
    {"one row, by words, a number that came as text",
     OBJECT("\"max\":{\"type\":\"number\"},\"min\":{\"type\":\"number\"}", "\"max\",\"min\""),
     ONE_ROW, "{\"max\":40.25,\"min\":12.50}", ""},
    {"one value, whatever it is called", OBJECT("\"total\":{\"type\":\"integer\"}", "\"total\""),
     ONE, "{\"total\":760}", ""},
    {"a value alone", "{\"type\":\"integer\"}", ONE, "760", ""},
    {"a text of a number", OBJECT("\"total\":{\"type\":\"string\"}", "\"total\""), ONE,
     "{\"total\":\"760\"}", ""},
    {"may be null",
     OBJECT("\"name\":{\"type\":\"string\"},\"closed_at\":{\"anyOf\":[{\"type\":\"string\"},"
            "{\"type\":\"null\"}]}",
            "\"name\",\"closed_at\""),
     NO_VALUE, "{\"name\":\"a\",\"closed_at\":null}", ""},
    {"may be left out",
     OBJECT("\"count\":{\"type\":\"integer\"},\"share\":{\"type\":\"number\"}", ""), ONE,
     "{\"count\":760}", ""},
    {"may not be null",
     OBJECT("\"name\":{\"type\":\"string\"},\"closed_at\":{\"type\":\"string\"}",
            "\"name\",\"closed_at\""),
     NO_VALUE, NULL, "closed_at: the data has no value"},
    {"no such column",
     OBJECT("\"share\":{\"type\":\"number\"},\"of\":{\"type\":\"number\"}", "\"share\",\"of\""),
     ONE, NULL, "share: the data has no such column"},
    {"several rows for one", ITEM, BY_PRIORITY, NULL, "several rows"},
    {"two columns that it may be", OBJECT("\"pay\":{\"type\":\"number\"}", "\"pay\""), ONE_ROW,
     NULL, "pay: the data has no such column"},
    {"another type",
     OBJECT("\"priority\":{\"type\":\"integer\"},\"count\":{\"type\":\"integer\"}",
            "\"priority\",\"count\""),
     "{\"data\":{\"columns\":[\"priority\",\"count\"],\"rows\":[[\"high\",1]]}}", NULL,
     "another type"},
    {"not in the list", OBJECT("\"total\":{\"type\":\"integer\",\"enum\":[1,2]}", "\"total\""), ONE,
     NULL, "/total"},
    {"no data", ITEM, "{\"route\":\"RAG\"}", NULL, "it is no data"},
    {"round and round: anything", "{\"$ref\":\"#\"}", ONE, "760", ""},
    {"rows in rows of it",
     "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}", ONE,
     NULL, "a row has no rows in it"},
};

TEST(forms)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf out;
        struct err err = {0};
        arena_init(&arena, 1 << 20);
        buf_init(&out, 1 << 20);
        const struct answer_form form = {json_value_parse(&arena, str_of(c->schema), NULL, &err),
                                         str_of(c->complete), STR("Said."), &arena};
        if (form.schema == NULL)
            fail_msg("%s: %s", c->name, err.text);
        bool is_fine = answer_form_write(&form, &out, &err);
        if (is_fine != (c->want != NULL) ||
            (is_fine && !str_equal(buf_str(&out), str_of(c->want))) ||
            strstr(err.text, c->why) == NULL)
            fail_msg("%s: %.*s %s", c->name, STR_ARG(buf_str(&out)), err.text);
        EXPECT_TRUE(c->name, is_fine || buf_len(&out) == 0);
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(memory_that_ends)
{
    for (size_t budget = 0; budget < 16384; budget += 128) {
        struct arena arena, schema;
        struct buf out;
        struct err err = {0};
        arena_init(&schema, 1 << 20);
        arena_init(&arena, budget);
        buf_init(&out, 1 << 20);
        const struct answer_form form = {
            json_value_parse(&schema, str_of(cases[1].schema), NULL, &err),
            str_of(cases[1].complete), STR("Said."), &arena};
        (void)!answer_form_write(&form, &out, &err);
        EXPECT_TRUE("whole or nothing",
                    buf_len(&out) == 0 || str_equal(buf_str(&out), str_of(cases[1].want)));
        buf_fini(&out);
        arena_fini(&arena);
        arena_fini(&schema);
    }
}

RUN_TESTS(T(forms), T(memory_that_ends))

/* SPDX-License-Identifier: MIT */
/* CSV, JSON and JSON lines as records; where they are wrong, by line. */
#include "tests/lib/test.h"

#include "agents/docs/records.h"

enum { BUDGET = 64 << 20 };

static const struct {
    const char *name;
    enum docs_records_format format;
    const char *bytes, *want; /* "name=value,...;" a record, or what the error says */
    enum err_code code;
} cases[] = {
    {"csv", DOCS_CSV, "question,sql\nHow many?,SELECT 1\n", "question=How many?,sql=SELECT 1,;",
     ERR_OK},
    {"csv, quoted", DOCS_CSV, "q,s\r\n\"a, \"\"b\"\"\nc\",\"\"\r\n", "q=a, \"b\"\nc,;", ERR_OK},
    {"csv, no last newline", DOCS_CSV, "q,s\n1,2", "q=1,s=2,;", ERR_OK},
    {"csv, blank lines", DOCS_CSV, "q\n\n1\n\n", "q=1,;", ERR_OK},
    {"csv, empty", DOCS_CSV, "q,s\n", "", ERR_OK},
    {"csv, open quote", DOCS_CSV, "q\n\"a\n", "line 2: a quoted cell", ERR_INVALID},
    {"csv, too few", DOCS_CSV, "q,s\n\"x\ny\",1\n1\n", "line 4: expected 2 cells", ERR_INVALID},
    {"csv, after a quote", DOCS_CSV, "q\n\"a\"b\n", "line 2: expected ','", ERR_INVALID},
    {"csv, no name", DOCS_CSV, "q,,s\n", "name 2 of the header", ERR_INVALID},
    {"json", DOCS_JSON, "[{\"q\":\"a\\n\",\"n\":1.50,\"t\":true,\"z\":null},{}]",
     "q=a\n,n=1.50,t=true,;;", ERR_OK},
    {"json, no array", DOCS_JSON, "{\"q\":1}", "expected an array", ERR_INVALID},
    {"json, nested", DOCS_JSON, "[{},{\"q\":[1]}]", "record 2: 'q'", ERR_INVALID},
    {"json, no object", DOCS_JSON, "[1]", "record 1: expected an object", ERR_INVALID},
    {"json, broken", DOCS_JSON, "[{\"q\":}]", "byte", ERR_INVALID},
    {"lines", DOCS_JSONL, "{\"q\":\"a\"}\r\n\n{\"q\":\"b\"}", "q=a,;q=b,;", ERR_OK},
    {"lines, broken", DOCS_JSONL, "{\"q\":\"a\"}\n{\n", "line 2", ERR_INVALID},
    {"latin 1", DOCS_CSV, "q\n\xF6\n", "UTF-8", ERR_INVALID},
};

TEST(records)
{
    TEST_EACH(c, cases) {
        const struct docs_record *records = NULL;
        struct arena arena;
        struct buf out;
        struct err err = {0};
        size_t count = 0;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        enum err_code code =
            docs_records_read(&arena, c->format, str_of(c->bytes), &records, &count, &err);
        EXPECT_INT(c->name, code, c->code);
        if (code != ERR_OK) {
            EXPECT_TRUE(c->name, strstr(err.text, c->want) != NULL);
        } else {
            for (size_t i = 0; i < count; i++) {
                for (size_t j = 0; j < records[i].field_count; j++)
                    buf_printf(&out, "%.*s=%.*s,", STR_ARG(records[i].fields[j].name),
                               STR_ARG(records[i].fields[j].value));
                buf_push_char(&out, ';');
            }
            EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        }
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(many_and_by_name)
{
    const struct docs_record *records = NULL;
    struct arena arena;
    struct buf text;
    struct err err = {0};
    size_t count = 0;
    arena_init(&arena, BUDGET);
    buf_init(&text, BUDGET);
    buf_push(&text, STR("Question,n\n"));
    for (unsigned i = 0; i < 1000; i++)
        buf_printf(&text, "q%u,%u\n", i, i);
    EXPECT_INT("read", docs_records_read(&arena, DOCS_CSV, buf_str(&text), &records, &count, &err),
               ERR_OK);
    EXPECT_INT("count", count, 1000);
    EXPECT_STR("case", docs_records_get(&records[999], STR("question")), STR("q999"));
    EXPECT_INT("line", records[999].line, 1001);
    EXPECT_TRUE("absent", str_is_absent(docs_records_get(&records[0], STR("sql"))));
    buf_fini(&text);
    arena_fini(&arena);
}

RUN_TESTS(T(records), T(many_and_by_name))

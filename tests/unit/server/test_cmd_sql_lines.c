/* SPDX-License-Identifier: MIT */
/* The lines of "askd sql check --jsonl": answers, and errors that are answers. */
#include "tests/lib/test.h"

#include "server/cli/cmd_sql_lines.h"

static const char catalog_json[] =
    "{\"version\":1,\"tables\":{\"customers\":{\"columns\":[\"id\",\"name\"]}},"
    "\"relationships\":[]}";
static const char policies_json[] = "{\"policies\":{\"few\":{\"default_limit\":3}}}";

static const struct {
    const char *name, *line, *answer;
} cases[] = {
    {"accept",
     "{\"id\":\"1\",\"dialect\":\"sqlite\",\"policy\":\"few\",\"sql\":\"SELECT name FROM "
     "customers\"}",
     "{\"id\":\"1\",\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\",\"sql\":\"SELECT name "
     "FROM customers\\nLIMIT 3\"}"},
    {"reject", "{\"id\":2,\"policy\":\"few\",\"sql\":\"DROP TABLE customers\"}", NULL},
    {"place", "{\"id\":3,\"policy\":\"few\",\"sql\":\"SELECT nam\\nFROM zebra\"}",
     "{\"id\":3,\"verdict\":\"reject\",\"rule\":\"unknown_table\",\"reason\":\"Table 'zebra' does "
     "not exist. There are: customers.\",\"sql\":null,\"line\":2,\"column\":6}"},
    {"base64", "{\"id\":4,\"policy\":\"few\",\"sql_b64\":\"U0VMRUNUIDE=\"}",
     "{\"id\":4,\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\",\"sql\":\"SELECT 1\\nLIMIT "
     "3\"}"},
    {"base64 of other bytes", "{\"id\":5,\"policy\":\"few\",\"sql_b64\":\"U0VMRUNUICfpJw==\"}",
     NULL},
    {"other dialect",
     "{\"id\":6,\"dialect\":\"mysql\",\"policy\":\"few\",\"sql\":\"SELECT 1 # x\"}",
     "{\"id\":6,\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\",\"sql\":\"SELECT 1\\nLIMIT "
     "3\"}"},
    {"built in", "{\"policy\":\"banking\",\"sql\":\"SELECT 1\"}",
     "{\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\",\"sql\":\"SELECT 1\\nLIMIT 100\"}"},
    {"default", "{\"sql\":\"SELECT 1\"}",
     "{\"verdict\":\"accept\",\"rule\":\"\",\"reason\":\"\",\"sql\":\"SELECT 1\\nLIMIT 100\"}"},
    {"no policy", "{\"id\":7,\"policy\":\"none\",\"sql\":\"SELECT 1\"}",
     "{\"id\":7,\"error\":\"/policy: there is no policy 'none'\"}"},
    {"no dialect", "{\"id\":8,\"dialect\":\"oracle\",\"sql\":\"SELECT 1\"}",
     "{\"id\":8,\"error\":\"/dialect: expected sqlite, postgres or mysql, got 'oracle'\"}"},
    {"no sql", "{\"id\":9}", "{\"id\":9,\"error\":\"/sql: expected a string, got nothing\"}"},
    {"sql is a number", "{\"id\":10,\"sql\":1}", NULL},
    {"broken base64", "{\"id\":11,\"sql_b64\":\"!\"}",
     "{\"id\":11,\"error\":\"/sql_b64: expected base64\"}"},
    {"half a base64", "{\"id\":11,\"sql_b64\":\"A\"}",
     "{\"id\":11,\"error\":\"/sql_b64: expected base64\"}"},
    {"not an object", "[1]", "{\"error\":\"expected a JSON object\"}"},
    {"not JSON", "SELECT 1", NULL},
    {"nothing", "{}", "{\"error\":\"/sql: expected a string, got nothing\"}"},
};

struct checked {
    struct catalog *catalog;
    struct arena arena;
    struct cmd_sql_rules rules;
};

static void check_begin(struct checked *checked)
{
    struct err err = {0};
    *checked = (struct checked){.catalog = NULL};
    arena_init(&checked->arena, 1 << 20);
    EXPECT_INT("catalog", catalog_from_join_graph(str_of(catalog_json), &checked->catalog, &err),
               ERR_OK);
    EXPECT_INT(
        "policies",
        sql_policy_read(str_of(policies_json), &checked->arena, &checked->rules.policies, &err),
        ERR_OK);
    checked->rules.catalog = checked->catalog;
}

static void check_end(struct checked *checked)
{
    catalog_destroy(checked->catalog);
    arena_fini(&checked->arena);
}

TEST(lines_are_answered)
{
    struct checked checked;
    check_begin(&checked);
    TEST_EACH(c, cases) {
        struct buf out;
        buf_init(&out, 1 << 20);
        cmd_sql_lines_answer(&checked.rules, str_of(c->line), &out);
        EXPECT_TRUE(c->name, buf_ok(&out) && str_starts_with(buf_str(&out), STR("{")) &&
                                 str_find_char(buf_str(&out), '\n') == STR_NONE);
        if (c->answer != NULL)
            EXPECT_STR(c->name, buf_str(&out), str_of(c->answer));
        buf_fini(&out);
    }
    check_end(&checked);
}

TEST(every_allocation_may_fail)
{
    struct checked checked;
    check_begin(&checked);
    for (uint64_t n = 1; n < 60; n++) {
        struct buf out;
        buf_init(&out, 1 << 20);
        mem_fail_nth(n);
        cmd_sql_lines_answer(&checked.rules, str_of(cases[0].line), &out);
        mem_fail_nth(0);
        EXPECT_TRUE("an answer or a broken buffer",
                    !buf_ok(&out) || str_ends_with(buf_str(&out), STR("}")));
        buf_fini(&out);
    }
    check_end(&checked);
}

RUN_TESTS(T(lines_are_answered), T(every_allocation_may_fail))

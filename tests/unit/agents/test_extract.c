/* SPDX-License-Identifier: MIT */
/* What is picked from model text. */
#include "tests/lib/test.h"

#include "agents/common/extract.h"
#include "agents/common/sql_reply.h"

TEST(sql_from_fences)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"bare", "SELECT 1", "SELECT 1"},
        {"bare with semicolons", " SELECT 1 ; ;\n", "SELECT 1"},
        {"fenced", "Here:\n```sql\nSELECT 1;\n```\nDone", "SELECT 1"},
        {"fenced without a language", "```\nSELECT 2\n```", "SELECT 2"},
        {"fence never closed", "```sql\nSELECT 3", "SELECT 3"},
        {"two fences: the last", "```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```", "SELECT 2"},
        {"a fence that is no statement", "```sql\nSELECT 1\n```\n```\nn\n7\n```", "SELECT 1"},
        {"fences without a statement: the first", "```\na b\n```\n```\nc d\n```", "a b"},
        {"a table expression", "```sql\nWITH a AS (SELECT 1) SELECT * FROM a\n```",
         "WITH a AS (SELECT 1) SELECT * FROM a"},
        {"single backticks", "Das geht mit `SELECT 1 FROM a`.", "SELECT 1 FROM a"},
        {"backticks within", "Use `SELECT `a` FROM b;`.", "SELECT `a` FROM b"},
        {"behind prose", "Voici la requete :\nSELECT 1\nFROM a;\n\nElle compte.",
         "SELECT 1\nFROM a"},
        {"what may not run is one, too", "DELETE FROM a", "DELETE FROM a"},
        {"prose", "With these tables I can't.", "With these tables I can't."},
        {"empty", "", ""},
        {"only a fence", "```", ""},
    };
    TEST_EACH(c, cases)
        EXPECT_STR(c->name, extract_sql(str_of(c->text)), str_of(c->want));
}

TEST(explanations)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"Counts crews.\n```sql\nSELECT 1\n```\nThat is all.", "Counts crews."},
        {"```sql\nSELECT 1\n```\n It counts.\n", "It counts."},
        {"```sql\nSELECT 1\n```", ""},
        {"```sql\nSELECT 1", ""},
        {"SELECT 1", ""},
        {"", ""},
    };
    TEST_EACH(c, cases)
        EXPECT_STR(c->text, extract_explanation(str_of(c->text)), str_of(c->want));
}

TEST(labels)
{
    static const struct {
        const char *name, *text, *summary, *chart;
    } cases[] = {
        {"two lines", "SUMMARY: There are 42.\nCHART: metric", "There are 42.", "metric"},
        {"case ignored", "summary: a\nchart: Bar", "a", "Bar"},
        {"bold labels", "**SUMMARY:** bold\n**Chart:** bar", "bold", "bar"},
        {"bold words stay", "SUMMARY: **Alice** leads\nCHART: bar", "**Alice** leads", "bar"},
        {"several lines of summary", "SUMMARY: a\nb\nCHART: pie", "a\nb", "pie"},
        {"bold labels", "**SUMMARY**: a\n**CHART**: pie", "a", "pie"},
        {"no chart", "SUMMARY: a\nb", "a\nb", NULL},
        {"no labels", "just text", NULL, NULL},
        {"label inside a line", "the SUMMARY: x", NULL, NULL},
    };
    TEST_EACH(c, cases) {
        struct str summary = extract_label(str_of(c->text), "summary", "chart");
        struct str chart = extract_label(str_of(c->text), "chart", NULL);
        EXPECT_STR(c->name, summary, str_of(c->summary));
        EXPECT_STR(c->name, chart, str_of(c->chart));
        EXPECT_INT(c->name, str_is_absent(summary), c->summary == NULL);
    }
}

TEST(json_and_refusals)
{
    EXPECT_STR("array", extract_json(STR("tables: [\"a]\", \"b\\\"\"] ok"), '['),
               STR("[\"a]\", \"b\\\"\"]"));
    EXPECT_STR("nested", extract_json(STR("x {\"a\":{\"b\":1}} y"), '{'), STR("{\"a\":{\"b\":1}}"));
    EXPECT_TRUE("unclosed", str_is_absent(extract_json(STR("[1, 2"), '[')));
    EXPECT_STR("refusal", extract_refusal(STR(" CANNOT: no such table\nmore")),
               STR("no such table"));
    EXPECT_TRUE("no refusal", str_is_absent(extract_refusal(STR("SELECT 'CANNOT: x'"))));
    EXPECT_STR("behind a sentence", extract_refusal(STR("Nobody knows.\n\nCANNOT: no table")),
               STR("no table"));
    EXPECT_STR("a wide colon", extract_refusal(STR("CANNOT\xef\xbc\x9ano table")), STR("no table"));
    EXPECT_TRUE("a statement, and a remark that looks like one",
                str_is_absent(extract_refusal(STR("```sql\nSELECT 1\n```\nCANNOT: be empty"))));
    EXPECT_STR("word", extract_word(STR(" **bar** chart")), STR("bar"));
}

TEST(replies)
{
    static const struct {
        const char *text, *sql, *cannot; /* NULL: absent */
    } cases[] = {
        {"```sql\nSELECT 1\n```", "SELECT 1", NULL},
        {"{\"sql\": \"SELECT 1;\", \"cannot\": null}", "SELECT 1", NULL},
        {"Aqui:\n```json\n{\"sql\": \"SELECT 1\"}\n```", "SELECT 1", NULL},
        {"Hier ist es: {\"sql\": \"```sql\\nSELECT 1\\n```\"}", "SELECT 1", NULL},
        {"{\"sql\": {\"metric\": \"x\"}, \"cannot\": null}", "{\"metric\":\"x\"}", NULL},
        {"{\"metric\": \"x\"}", "{\"metric\": \"x\"}", NULL},
        {"{\"sql\": null, \"cannot\": \"No hay clima.\"}", NULL, "No hay clima."},
        {"{\"sql\": null, \"cannot\": null}", NULL, "no statement over these tables answers it"},
        {"{\"sql\": \"\", \"cannot\": \"Kein Wetter\"}", NULL, "Kein Wetter"},
        {"CANNOT: kein Wetter", NULL, "kein Wetter"},
        {"Diese Frage kann ich nicht beantworten.", NULL, NULL},
        {"\xe6\xb2\xa1\xe6\x9c\x89\xe5\xa4\xa9\xe6\xb0\x94", NULL, NULL},
    };
    struct arena arena;
    arena_init(&arena, 64 * 1024);
    TEST_EACH(c, cases) {
        const struct sql_reply reply = sql_reply_read(&arena, str_of(c->text));
        EXPECT_INT(c->text, str_is_absent(reply.sql), c->sql == NULL);
        EXPECT_INT(c->text, str_is_absent(reply.cannot), c->cannot == NULL);
        EXPECT_STR(c->text, reply.sql, c->sql == NULL ? STR("") : str_of(c->sql));
        EXPECT_STR(c->text, reply.cannot, c->cannot == NULL ? STR("") : str_of(c->cannot));
        if (str_find_char(str_of(c->text), '{') == STR_NONE)
            EXPECT_INT(c->text, sql_reply_is_prose(str_of(c->text)),
                       c->sql == NULL && c->cannot == NULL);
    }
    arena_fini(&arena);
}

/* Every prefix of a hostile text is read without a step past its end. */
TEST(every_prefix)
{
    struct str text = STR("**SUMMARY : x\n```sql\n{\"a\\\"\n[\"\\");
    for (size_t len = 0; len <= text.len; len++) {
        char *exact = mem_alloc(len);
        assert_non_null(exact);
        memcpy(exact, text.at, len);
        struct str s = {exact, len};
        (void)extract_sql(s);
        (void)extract_label(s, "summary", "chart");
        (void)extract_json(s, '{');
        (void)extract_json(s, '[');
        (void)extract_refusal(s);
        (void)extract_explanation(s);
        (void)sql_reply_is_prose(s);
        mem_free(exact);
    }
}

RUN_TESTS(T(sql_from_fences), T(explanations), T(labels), T(json_and_refusals), T(replies),
          T(every_prefix))

/* SPDX-License-Identifier: MIT */
#include "server/config/env_file.h"
#include "tests/lib/test.h"

static const struct {
    const char *name, *text, *variable, *value; /* value NULL: absent */
    enum err_code want;
} cases[] = {
    {"plain", "A=1", "A", "1", ERR_OK},
    {"blanks around", "  A = 1  \r\n", "A", "1", ERR_OK},
    {"export", "export A=1\n", "A", "1", ERR_OK},
    {"comment line", "# A=1\nB=2", "A", NULL, ERR_OK},
    {"trailing comment", "A=1 # one", "A", "1", ERR_OK},
    {"no comment without blank", "A=1#2", "A", "1#2", ERR_OK},
    {"empty", "A=", "A", "", ERR_OK},
    {"empty with comment", "A= # nothing", "A", "", ERR_OK},
    {"single quotes are literal", "A='a\\n # b'", "A", "a\\n # b", ERR_OK},
    {"double quotes know escapes", "A=\"a\\n\\\"b\\\"\"", "A", "a\n\"b\"", ERR_OK},
    {"comment after quotes", "A=\"x\" # y", "A", "x", ERR_OK},
    {"no interpolation", "B=1\nA=${B}", "A", "${B}", ERR_OK},
    {"the last wins", "A=1\nA=2", "A", "2", ERR_OK},
    {"equals in the value", "A=b=c", "A", "b=c", ERR_OK},
    {"byte order mark",
     "\xEF\xBB\xBF"
     "A=1",
     "A", "1", ERR_OK},
    {"no equals", "A\nB=1", "B", "1", ERR_INVALID},
    {"bad name", "1A=x", "1A", NULL, ERR_INVALID},
    {"open quote", "A='x", "A", NULL, ERR_INVALID},
    {"text after a quote", "A='x' y", "A", NULL, ERR_INVALID},
};

TEST(lines)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf problems;
        struct env_file_item *items = NULL;
        arena_init(&arena, 65536);
        buf_init(&problems, 4096);
        EXPECT_INT(c->name, env_file_parse(str_of(c->text), ".env", &arena, &items, &problems),
                   c->want);
        struct str value = env_file_find(items, str_of(c->variable));
        EXPECT_TRUE(c->name, str_is_absent(value) == (c->value == NULL));
        if (c->value != NULL)
            EXPECT_STR(c->name, value, str_of(c->value));
        EXPECT_TRUE(c->name, (buf_len(&problems) > 0) == (c->want != ERR_OK));
        buf_fini(&problems);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(lines))

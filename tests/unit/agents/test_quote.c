/* SPDX-License-Identifier: MIT */
/* Names in quotes, per dialect. */
#include "tests/lib/test.h"

#include "agents/sql/catalog/quote.h"

TEST(names)
{
    static const struct {
        const char *name, *standard, *mysql;
    } cases[] = {
        {"name", "\"name\"", "`name`"},
        {"First Name", "\"First Name\"", "`First Name`"},
        {"a\"b", "\"a\"\"b\"", "`a\"b`"},
        {"a`b", "\"a`b\"", "`a``b`"},
        {"\"; DROP TABLE t; --", "\"\"\"; DROP TABLE t; --\"", "`\"; DROP TABLE t; --`"},
        {"`", "\"`\"", "````"},
        {"back\\slash", "\"back\\slash\"", "`back\\slash`"},
        {"naïve", "\"naïve\"", "`naïve`"},
        {"", "\"\"", "``"},
    };
    TEST_EACH(c, cases) {
        for (enum sql_dialect dialect = SQL_SQLITE; dialect <= SQL_MYSQL; dialect++) {
            struct buf out;
            buf_init(&out, 100);
            sql_quote_name(dialect, str_of(c->name), &out);
            EXPECT_STR(c->name, buf_str(&out),
                       str_of(dialect == SQL_MYSQL ? c->mysql : c->standard));
            buf_fini(&out);
        }
    }
}

/* A text ends where its quote does, whatever is in it. */
TEST(texts)
{
    static const struct {
        const char *text, *standard, *mysql;
    } cases[] = {
        {"a", "'a'", "'a'"},
        {"", "''", "''"},
        {"it's", "'it''s'", "'it''s'"},
        {"a\\", "'a\\'", "'a\\\\'"},
        {"\\' OR 1=1 --", "'\\'' OR 1=1 --'", "'\\\\'' OR 1=1 --'"},
        {"a\"b`", "'a\"b`'", "'a\"b`'"},
    };
    struct arena arena;
    arena_init(&arena, 4096);
    TEST_EACH(c, cases)
        for (enum sql_dialect dialect = SQL_SQLITE; dialect <= SQL_MYSQL; dialect++)
            EXPECT_STR(c->text, sql_quote_text_in(dialect, str_of(c->text), &arena),
                       str_of(dialect == SQL_MYSQL ? c->mysql : c->standard));
    arena_fini(&arena);
}

TEST(tables)
{
    static const struct catalog_table bare = {.name = STR("crew")},
                                      placed = {.schema = STR("field ops"), .name = STR("crew")};
    static const struct {
        const char *name;
        const struct catalog_table *table;
        enum sql_dialect dialect;
        const char *want;
    } cases[] = {
        {"SQLite", &bare, SQL_SQLITE, "\"crew\""},
        {"MySQL", &bare, SQL_MYSQL, "`crew`"},
        {"a schema", &placed, SQL_POSTGRES, "\"field ops\".\"crew\""},
        {"a database", &placed, SQL_MYSQL, "`field ops`.`crew`"},
    };
    TEST_EACH(c, cases) {
        struct buf out;
        buf_init(&out, 100);
        sql_quote_table(c->dialect, c->table, &out);
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
    }
}

TEST(words)
{
    static const struct {
        const char *name;
        bool sqlite, postgres, mysql;
    } cases[] = {
        {"crew", true, true, true},    {"_x1", true, true, true},
        {"isLead", true, false, true}, /* PostgreSQL would read islead */
        {"1st", false, false, false},  {"a b", false, false, false},
        {"a-b", false, false, false},  {"naïve", false, false, false},
        {"", false, false, false},
    };
    TEST_EACH(c, cases) {
        EXPECT_INT(c->name, sql_quote_is_word(SQL_SQLITE, str_of(c->name)), c->sqlite);
        EXPECT_INT(c->name, sql_quote_is_word(SQL_POSTGRES, str_of(c->name)), c->postgres);
        EXPECT_INT(c->name, sql_quote_is_word(SQL_MYSQL, str_of(c->name)), c->mysql);
    }
}

TEST(does_not_fit)
{
    struct buf out;
    buf_init(&out, 4);
    sql_quote_name(SQL_SQLITE, STR("name"), &out);
    assert_false(buf_ok(&out));
    buf_fini(&out);
}

RUN_TESTS(T(names), T(texts), T(tables), T(words), T(does_not_fit))

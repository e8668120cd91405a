/* SPDX-License-Identifier: MIT */
/* backends/pg_rows and backends/sql_rows: results made here instead of by a server, with what no
 * server should send among it; caps; memory. */
#include "backends/sql/pg_rows.h"

#include <libpq-fe.h>

#include "tests/lib/test.h"

enum { TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_INT4 = 23, TYPE_TEXT = 25, TYPE_FLOAT8 = 701 };
enum { TYPE_NUMERIC = 1700 };

/* One row of one column. */
static PGresult *one(unsigned type, char *name, const char *text)
{
    char bytes[64];
    PGresAttDesc column = {.name = name, .typid = type};
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    assert_true(PQsetResultAttrs(result, 1, &column));
    size_t len = strlen(text);
    memcpy(bytes, text, len + 1);
    assert_true(PQsetvalue(result, 0, 0, bytes, (int)len));
    return result;
}

static const struct {
    unsigned type;
    const char *text;
    enum sql_type want;
    const char *kept; /* NULL: not a text */
} cells[] = {
    {TYPE_BOOL, "t", SQL_BOOL, NULL},
    {TYPE_INT4, "12", SQL_INT, NULL},
    {TYPE_INT4, "twelve", SQL_TEXT, "twelve"},
    {TYPE_FLOAT8, "1.5", SQL_REAL, NULL},
    {TYPE_FLOAT8, "Infinity", SQL_TEXT, "Infinity"},
    {TYPE_FLOAT8, "1e999", SQL_TEXT, "1e999"},
    {TYPE_NUMERIC, "1.50", SQL_DECIMAL, "1.50"},
    {TYPE_NUMERIC, "NaN", SQL_TEXT, "NaN"},
    {TYPE_NUMERIC, "", SQL_TEXT, ""},
    {TYPE_BYTEA, "\\x4142", SQL_BLOB, "AB"},
    {TYPE_BYTEA, "\\x", SQL_BLOB, ""},
    {TYPE_BYTEA, "\\x4", SQL_BLOB, "\\x4"},
    {TYPE_BYTEA, "\\101", SQL_BLOB, "\\101"},
    {TYPE_TEXT, "Böb", SQL_TEXT, "Böb"},
    {TYPE_TEXT, "B\xff", SQL_BLOB, "B\xff"},
    {123456, "anything", SQL_TEXT, "anything"},
};

TEST(cells_by_type)
{
    TEST_EACH(c, cells) {
        char name[] = "a\xff";
        struct sql_rows rows;
        struct err err = {0};
        PGresult *result = one(c->type, name, c->text);
        sql_rows_init(&rows, &(struct sql_statement){0});
        EXPECT_INT(c->text, pg_rows_keep(&rows, result, &err), ERR_OK);
        EXPECT_INT(c->text, rows.result.row_count, 1);
        EXPECT_STR(c->text, rows.result.columns[0], STR("a?"));
        const struct sql_value *value = sql_result_at(&rows.result, 0, 0);
        EXPECT_INT(c->text, value->type, c->want);
        if (c->kept != NULL)
            EXPECT_STR(c->text, value->text, str_of(c->kept));
        sql_rows_fini(&rows);
        PQclear(result);
    }
}

TEST(caps)
{
    char name[] = "a";
    struct sql_rows rows;
    struct err err = {0};
    PGresult *result = one(TYPE_TEXT, name, "0123456789");
    sql_rows_init(&rows, &(struct sql_statement){.max_rows = 100, .max_bytes = 25});
    for (int i = 0; i < 5; i++)
        EXPECT_INT("kept or not", pg_rows_keep(&rows, result, &err), ERR_OK);
    EXPECT_INT("two fit", rows.result.row_count, 2);
    EXPECT_TRUE("cut", rows.result.truncated);
    sql_rows_fini(&rows);
    sql_rows_init(&rows, &(struct sql_statement){.max_rows = 2});
    for (int i = 0; i < 3; i++)
        EXPECT_INT("kept or not", pg_rows_keep(&rows, result, &err), ERR_OK);
    EXPECT_INT("two", rows.result.row_count, 2);
    EXPECT_TRUE("cut", rows.result.truncated);
    sql_rows_fini(&rows);
    sql_rows_init(&rows, &(struct sql_statement){.max_bytes = 9});
    EXPECT_INT("one value", pg_rows_keep(&rows, result, &err), ERR_TOO_LARGE);
    sql_rows_fini(&rows);
    sql_rows_fini(&rows);
    PQclear(result);
}

TEST(no_memory)
{
    char name[] = "a";
    PGresult *result = one(TYPE_TEXT, name, "0123456789");
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t n = 1; code != ERR_OK; n++) {
        struct sql_rows rows;
        struct err err = {0};
        EXPECT_TRUE("ends", n < 10);
        sql_rows_init(&rows, &(struct sql_statement){0});
        mem_fail_nth(n);
        code = pg_rows_keep(&rows, result, &err);
        mem_fail_nth(0);
        EXPECT_TRUE("named", code == ERR_OK || code == ERR_NO_MEMORY);
        sql_rows_fini(&rows);
    }
    PQclear(result);
}

RUN_TESTS(T(cells_by_type), T(caps), T(no_memory))

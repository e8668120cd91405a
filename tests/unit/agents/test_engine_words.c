/* SPDX-License-Identifier: MIT */
/* What is told of an engine's message: the statement's own words, and no value of a row. */
#include "tests/lib/test.h"

#include "agents/nodes/engine_words.h"

static const struct {
    const char *name;
    enum sql_dialect dialect;
    const char *code, *said, *statement, *want;
} cases[] = {
    {"an unknown column", SQL_POSTGRES, "42703",
     "column \"nmae\" does not exist (hint: Perhaps you meant \"customers.secret_name\".)",
     "SELECT nmae FROM customers", "column \"nmae\" does not exist (SQLSTATE 42703)"},
    {"a datum", SQL_POSTGRES, "22P02", "invalid input syntax for type integer: \"\"CANARY-name-7\"",
     "SELECT count(*) FROM customers WHERE ('a\"'||name)::int IS NULL",
     "a value cannot be converted to the type that the statement asks for (SQLSTATE 22P02)"},
    {"a datum in a syntax error", SQL_POSTGRES, "42601",
     "syntax error in tsquery: \"CANARY-remark (\"", "SELECT to_tsquery(remark||' (') FROM t",
     "syntax error in ...: \"...-remark (\" (SQLSTATE 42601)"},
    {"a word of a literal is no word of the statement", SQL_POSTGRES, "42601",
     "syntax error in tsquery: \"CANARY\"", "SELECT to_tsquery(remark) FROM t WHERE x <> 'CANARY'",
     "syntax error in ...: \"...\" (SQLSTATE 42601)"},
    {"a number of a row", SQL_POSTGRES, "22008", "date field value out of range: 7-13-01",
     "SELECT make_date(score,13,1) FROM t", "a date or time is out of range (SQLSTATE 22008)"},
    {"the name of the database", SQL_MYSQL, "42S02", "Table 'crewos.userz' doesn't exist",
     "SELECT * FROM userz", "Table '....userz' doesn't exist (SQLSTATE 42S02)"},
    {"a value of MariaDB", SQL_MYSQL, "22003", "DOUBLE value is out of range in 'cot(CANARY)'",
     "SELECT cot(x) FROM t", "a number is out of range for its type (SQLSTATE 22003)"},
    {"no code of a kind", SQL_MYSQL, "HY000", "Illegal value CANARY", "SELECT 1",
     "the database refuses the statement (SQLSTATE HY000)"},
    {"SQLite's unknown column", SQL_SQLITE, "1", "no such column: nmae", "SELECT nmae FROM t",
     "no such column: nmae"},
    {"SQLite's datum", SQL_SQLITE, "1", "JSON path error near 'CANARY-rem-1'",
     "SELECT json_extract('{}',remark) FROM t",
     "the database could not compute an expression of the statement"},
    {"SQLite's overflow", SQL_SQLITE, "1", "integer overflow", "SELECT abs(x) FROM t",
     "integer overflow"},
    {"rights", SQL_POSTGRES, "42501", "permission denied for table payroll", "SELECT 1 FROM v",
     "the database's user may not read what the statement names (SQLSTATE 42501)"},
};

TEST(values_of_rows_stay_inside)
{
    TEST_EACH(c, cases) {
        struct err err = {.code = ERR_REJECTED};
        engine_words_tell(&(struct engine_words){c->dialect, str_of(c->code), str_of(c->said),
                                                 str_of(c->statement)},
                          &err);
        EXPECT_STR(c->name, str_of(err.text), str_of(c->want));
        EXPECT_INT(c->name, err.code, ERR_REJECTED);
    }
}

RUN_TESTS(T(values_of_rows_stay_inside))

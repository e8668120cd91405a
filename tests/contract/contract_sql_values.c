/* SPDX-License-Identifier: MIT */
/* The contract of sql, part one: values, names, parameters, session variables, caps. */
#include "tests/contract/contract_rig.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        .type = SQL_TEXT, .text = { "" literal "", sizeof(literal) - 1 }                           \
    }
#define BLOB(literal)                                                                              \
    {                                                                                              \
        .type = SQL_BLOB, .text = { "" literal "", sizeof(literal) - 1 }                           \
    }
#define DECIMAL(literal)                                                                           \
    {                                                                                              \
        .type = SQL_DECIMAL, .text = { "" literal "", sizeof(literal) - 1 }                        \
    }
#define INT(number)                                                                                \
    {                                                                                              \
        .type = SQL_INT, .integer = (number)                                                       \
    }
#define REAL(number)                                                                               \
    {                                                                                              \
        .type = SQL_REAL, .real = (number)                                                         \
    }
#define BOOLEAN(number)                                                                            \
    {                                                                                              \
        .type = SQL_BOOL, .integer = (number)                                                      \
    }
#define EVERY(text)                                                                                \
    {                                                                                              \
        text, text, text                                                                           \
    }
#define MYSQL(text)                                                                                \
    {                                                                                              \
        NULL, NULL, text                                                                           \
    }
#define POSTGRES(text)                                                                             \
    {                                                                                              \
        NULL, text, NULL                                                                           \
    }

static const struct {
    const char *text[CONTRACT_DIALECTS]; /* sqlite, postgres, mysql */
    struct sql_value want;
} values[] = {
    {EVERY("SELECT 1"), INT(1)},
    {EVERY("SELECT -9007199254740993"), INT(-9007199254740993)},
    {EVERY("SELECT id FROM employee WHERE id = 3"), INT(3)},
    {EVERY("SELECT count(*) FROM numbers"), INT(5000)},
    {EVERY("SELECT NULL"), {.type = SQL_NULL}},
    {EVERY("SELECT pay FROM employee WHERE id = 2"), {.type = SQL_NULL}},
    {EVERY("SELECT pay FROM employee WHERE id = 1"), REAL(10.5)},
    {EVERY("SELECT 'text'"), TEXT("text")},
    {EVERY("SELECT ''"), TEXT("")},
    {EVERY("SELECT 'please DROP me; a note -- '"), TEXT("please DROP me; a note -- ")},
    {EVERY("SELECT name FROM employee WHERE id = 2"), TEXT("Böb")},
    {EVERY("SELECT photo FROM employee WHERE id = 1"), BLOB("\0\377")},
    {EVERY("SELECT photo FROM employee WHERE id = 2"), {.type = SQL_NULL}},
    {EVERY("SELECT max(n) FROM numbers -- the greatest"), INT(5000)},
    {MYSQL("SELECT true"), INT(1)},
    {MYSQL("SELECT 1 = 2"), INT(0)},
    {MYSQL("SELECT 9223372036854775807"), INT(INT64_MAX)},
    {MYSQL("SELECT 18446744073709551615"), DECIMAL("18446744073709551615")},
    {MYSQL("SELECT 1e-300"), REAL(1e-300)},
    {MYSQL("SELECT 1.10"), DECIMAL("1.10")},
    {MYSQL("SELECT avg(n) FROM numbers"), DECIMAL("2500.5000")},
    {MYSQL("SELECT sum(n) FROM numbers"), DECIMAL("12502500")},
    {MYSQL("SELECT x''"), BLOB("")},
    {MYSQL("SELECT b'101' + 0"), INT(5)},
    {MYSQL("SELECT date '2024-02-29'"), TEXT("2024-02-29")},
    {MYSQL("SELECT timestamp '2024-02-29 12:30:00.25'"), TEXT("2024-02-29 12:30:00.25")},
    {MYSQL("SELECT json_object('a', 1)"), TEXT("{\"a\": 1}")},
    {MYSQL("SELECT 'a\\\\b' # a comment"), TEXT("a\\b")},
    {POSTGRES("SELECT true"), BOOLEAN(1)},
    {POSTGRES("SELECT 1 = 2"), BOOLEAN(0)},
    {POSTGRES("SELECT 7::int2"), INT(7)},
    {POSTGRES("SELECT 9223372036854775807"), INT(INT64_MAX)},
    {POSTGRES("SELECT 'pg_class'::regclass::oid"), INT(1259)},
    {POSTGRES("SELECT 1.1::float4"), REAL(1.1)},
    {POSTGRES("SELECT 1e-300::float8"), REAL(1e-300)},
    {POSTGRES("SELECT 'NaN'::float8"), TEXT("NaN")},
    {POSTGRES("SELECT '-Infinity'::float8"), TEXT("-Infinity")},
    {POSTGRES("SELECT 1.10"), DECIMAL("1.10")},
    {POSTGRES("SELECT 123456789012345678901234567890.5"),
     DECIMAL("123456789012345678901234567890.5")},
    {POSTGRES("SELECT avg(n) FROM numbers"), DECIMAL("2500.5000000000000000")},
    {POSTGRES("SELECT 'NaN'::numeric"), TEXT("NaN")},
    {POSTGRES("SELECT 'Infinity'::numeric"), TEXT("Infinity")},
    {POSTGRES("SELECT '\\x'::bytea"), BLOB("")},
    {POSTGRES("SELECT date '2024-02-29'"), TEXT("2024-02-29")},
    {POSTGRES("SELECT timestamp '2024-02-29 12:30:00.25'"), TEXT("2024-02-29 12:30:00.25")},
    {POSTGRES("SELECT interval '1 day 2 hours'"), TEXT("1 day 02:00:00")},
    {POSTGRES("SELECT '{\"a\": [1]}'::jsonb"), TEXT("{\"a\": [1]}")},
    {POSTGRES("SELECT ARRAY[1,NULL,3]"), TEXT("{1,NULL,3}")},
    {POSTGRES("SELECT '6ecd8c99-4036-403d-bf84-cf8400f67836'::uuid"),
     TEXT("6ecd8c99-4036-403d-bf84-cf8400f67836")},
    {POSTGRES("SELECT 'a\\b'"), TEXT("a\\b")},
};

static void expect_equal(const char *name, const struct sql_value *got,
                         const struct sql_value *want)
{
    EXPECT_INT(name, got->type, want->type);
    EXPECT_INT(name, got->integer, want->integer);
    EXPECT_TRUE(name, got->real == want->real);
    EXPECT_STR(name, got->text, want->text);
}

CONTRACT_TEST(values_have_their_types)
{
    TEST_EACH(c, values) {
        const char *text = c->text[f->engine->dialect];
        if (text == NULL)
            continue;
        CONTRACT_CODE(f, text, contract_ask(f, text), ERR_OK);
        EXPECT_INT(text, f->query.result.row_count, 1);
        EXPECT_TRUE(text, !f->query.result.truncated);
        expect_equal(text, contract_cell(f, 0, 0), &c->want);
        EXPECT_STR(text, str_of(f->query.sqlstate), STR(""));
    }
}

CONTRACT_TEST(columns_rows_and_none)
{
    CONTRACT_CODE(f, "table",
                  contract_ask(f, "SELECT id, name AS \"the name\", pay FROM employee ORDER BY id"),
                  ERR_OK);
    const struct sql_result *result = &f->query.result;
    EXPECT_INT("columns", result->column_count, 3);
    EXPECT_INT("rows", result->row_count, 3);
    EXPECT_STR("name", result->columns[1], STR("the name"));
    EXPECT_STR("cell", contract_cell(f, 2, 1)->text, STR("Cy"));
    CONTRACT_CODE(f, "no rows", contract_ask(f, "SELECT id, name FROM employee WHERE id > 3"),
                  ERR_OK);
    EXPECT_INT("none", result->row_count, 0);
    EXPECT_INT("but columns", result->column_count, 2);
    EXPECT_STR("named", result->columns[1], STR("name"));
    EXPECT_TRUE("not cut", !result->truncated);
    CONTRACT_CODE(f, "twice", contract_ask(f, "SELECT 1 AS a, 2 AS a"), ERR_OK);
    EXPECT_INT("both", contract_cell(f, 0, 1)->integer, 2);
}

CONTRACT_TEST(parameters_are_bound)
{
    static const char *const texts[CONTRACT_DIALECTS] = {
        "SELECT ? + 2, ?, ?, ?, id FROM employee WHERE photo = ?",
        "SELECT $1 + 2, $2, $3, $4, id FROM employee WHERE photo = $5",
        "SELECT ? + 2, ?, ?, ?, id FROM employee WHERE photo = ?"};
    const struct sql_value params[] = {
        INT(40), REAL(1.5), TEXT("'; DROP \"x\" \\ ö"), {.type = SQL_NULL}, BLOB("\0\377")};
    struct sql_statement statement = {.text = str_of(texts[f->engine->dialect]),
                                      .params = params,
                                      .param_count = countof(params)};
    CONTRACT_CODE(f, "bound", contract_run(f, f->sql, &statement), ERR_OK);
    EXPECT_INT("int", contract_cell(f, 0, 0)->integer, 42);
    EXPECT_TRUE("real", contract_cell(f, 0, 1)->real == 1.5);
    EXPECT_STR("text", contract_cell(f, 0, 2)->text, params[2].text);
    EXPECT_INT("null", contract_cell(f, 0, 3)->type, SQL_NULL);
    EXPECT_INT("found by blob", contract_cell(f, 0, 4)->integer, 1);
    statement.param_count = 4;
    CONTRACT_CODE(f, "too few", contract_run(f, f->sql, &statement), ERR_REJECTED);
    CONTRACT_CODE(f, "as before", contract_ask(f, "SELECT 1"), ERR_OK);
}

static bool is_empty(const struct sql_value *value)
{
    return value->type == SQL_NULL || (value->type == SQL_TEXT && value->text.len == 0);
}

CONTRACT_TEST(session_variables_live_for_one_statement)
{
    static const char *const reads[CONTRACT_DIALECTS] = {
        "SELECT session_var('company_id'), session_var('absent'), session_var('empty')",
        ("SELECT current_setting('app.company_id', true), current_setting('app.absent', true), "
         "current_setting('app.empty', true)"),
        "SELECT @company_id, @absent, @empty"};
    const struct sql_variable variables[] = {{STR("company_id"), STR("a'c\\me \"ö\" $1")},
                                             {STR("empty"), STR("")}};
    const struct sql_statement with = {
        .text = str_of(reads[f->engine->dialect]), .variables = variables, .variable_count = 2};
    const struct sql_statement without = {.text = with.text};
    for (int round = 0; round < 3; round++) {
        CONTRACT_CODE(f, "with", contract_run(f, f->sql, &with), ERR_OK);
        EXPECT_STR("seen", contract_cell(f, 0, 0)->text, variables[0].value);
        EXPECT_TRUE("absent", is_empty(contract_cell(f, 0, 1)));
        EXPECT_TRUE("empty", is_empty(contract_cell(f, 0, 2)));
        CONTRACT_CODE(f, "without", contract_run(f, f->sql, &without), ERR_OK);
        EXPECT_TRUE("gone", is_empty(contract_cell(f, 0, 0)));
    }
    struct sql_statement bad = with;
    bad.text = STR("SELECT no_such FROM employee");
    CONTRACT_CODE(f, "fails", contract_run(f, f->sql, &bad), ERR_REJECTED);
    CONTRACT_CODE(f, "after", contract_run(f, f->sql, &without), ERR_OK);
    EXPECT_TRUE("gone after a failure", is_empty(contract_cell(f, 0, 0)));
}

/* Two callers at once never see each other's variables, whatever connection they get. */
CONTRACT_TEST(variables_do_not_cross)
{
    static const char *const reads[CONTRACT_DIALECTS] = {
        "SELECT session_var('company_id'), count(*) FROM numbers",
        "SELECT current_setting('app.company_id', true), count(*) FROM numbers",
        "SELECT @company_id, count(*) FROM numbers"};
    struct sql_query queries[40] = {0};
    struct sql_statement statements[40];
    struct sql_variable variables[40];
    char values_of[40][8];
    for (size_t i = 0; i < 40; i++) {
        int len = snprintf(values_of[i], sizeof values_of[i], "c%zu", i);
        variables[i] = (struct sql_variable){STR("company_id"), {values_of[i], (size_t)len}};
        statements[i] = (struct sql_statement){.text = str_of(reads[f->engine->dialect]),
                                               .variables = &variables[i],
                                               .variable_count = i % 4 != 3};
        sql_query_start(&queries[i], f->sql, &statements[i], rig_waiter(&f->rig));
    }
    rig_wait("all", &f->rig, 40);
    for (size_t i = 0; i < 40; i++) {
        EXPECT_INT(queries[i].op.err.text, queries[i].op.err.code, ERR_OK);
        const struct sql_value *got = sql_result_at(&queries[i].result, 0, 0);
        if (i % 4 != 3)
            EXPECT_STR("own", got->text, variables[i].value);
        else
            EXPECT_TRUE("none", is_empty(got));
        op_release(&queries[i].op);
    }
}

static enum err_code ask_capped(struct contract *f, const char *text, size_t rows, size_t bytes)
{
    return contract_run(
        f, f->sql,
        &(struct sql_statement){.text = str_of(text), .max_rows = rows, .max_bytes = bytes});
}

CONTRACT_TEST(rows_and_bytes_are_capped)
{
    static const char *const wide[CONTRACT_DIALECTS] = {"SELECT printf('%50d', n) FROM numbers",
                                                        "SELECT lpad(n::text, 50) FROM numbers",
                                                        "SELECT lpad(n, 50, ' ') FROM numbers"};
    static const char *const huge[CONTRACT_DIALECTS] = {
        "SELECT replace(printf('%900000d', 1), ' ', 'twenty bytes of text')",
        "SELECT repeat('x', 40000000)", "SELECT repeat('x', 15000000)"};
    const char *all = "SELECT n FROM numbers ORDER BY n";
    const struct sql_result *result = &f->query.result;
    CONTRACT_CODE(f, "ten", ask_capped(f, all, 10, 0), ERR_OK);
    EXPECT_INT("ten", result->row_count, 10);
    EXPECT_INT("the first ten", contract_cell(f, 9, 0)->integer, 10);
    EXPECT_TRUE("more", result->truncated);
    CONTRACT_CODE(f, "exactly all", ask_capped(f, all, 5000, 0), ERR_OK);
    EXPECT_INT("all", result->row_count, 5000);
    EXPECT_TRUE("no more", !result->truncated);
    CONTRACT_CODE(f, "one less", ask_capped(f, all, 4999, 0), ERR_OK);
    EXPECT_TRUE("one more", result->truncated);
    CONTRACT_CODE(f, "default", ask_capped(f, all, 0, 0), ERR_OK);
    EXPECT_INT("a thousand", result->row_count, 1000);
    CONTRACT_CODE(f, "bytes", ask_capped(f, wide[f->engine->dialect], 0, 1020), ERR_OK);
    EXPECT_INT("twenty rows fit", result->row_count, 20);
    EXPECT_TRUE("cut", result->truncated);
    CONTRACT_CODE(f, "a value", ask_capped(f, wide[f->engine->dialect], 0, 40), ERR_TOO_LARGE);
    CONTRACT_CODE(f, "a huge one", ask_capped(f, huge[f->engine->dialect], 0, 0), ERR_TOO_LARGE);
    CONTRACT_CODE(f, "as before", ask_capped(f, all, 5000, 0), ERR_OK);
    EXPECT_INT("all again", result->row_count, 5000);
}

/* Far more rows than wanted: what is kept is right, and the connection goes on. */
CONTRACT_TEST(surplus_is_cut_short)
{
    for (int round = 0; round < 5; round++) {
        CONTRACT_CODE(f, "product",
                      ask_capped(f, "SELECT a.n, b.n FROM numbers a, numbers b", 7, 0), ERR_OK);
        EXPECT_INT("seven", f->query.result.row_count, 7);
        EXPECT_TRUE("more", f->query.result.truncated);
        CONTRACT_CODE(f, "next", contract_ask(f, "SELECT 41 + 1"), ERR_OK);
        EXPECT_INT("its own answer", contract_cell(f, 0, 0)->integer, 42);
    }
}

CONTRACT_RUN(T(values_have_their_types), T(columns_rows_and_none), T(parameters_are_bound),
             T(session_variables_live_for_one_statement), T(variables_do_not_cross),
             T(rows_and_bytes_are_capped), T(surplus_is_cut_short))

/* SPDX-License-Identifier: MIT */
/* backends/sql_sqlite: what is refused, types, caps, variables, deadlines, cancel, memory. */
#include "backends/sql/sql_sqlite.h"

#include "backends/sqlite/sqlite_allow.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

static const char schema[] =
    "CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, pay REAL, photo BLOB, company TEXT);"
    "INSERT INTO employee VALUES (1, 'Ada', 10.5, x'00ff', 'acme'),"
    "  (2, 'Böb', NULL, NULL, 'acme'),"
    "  (3, CAST(x'ff41' AS TEXT), 7.0, x'41', 'other');"
    "CREATE VIEW secure_employee AS SELECT * FROM employee WHERE company = "
    "session_var('company_id');"
    "CREATE TABLE numbers(n);"
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5000)"
    "  INSERT INTO numbers SELECT i FROM c;";

static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                              "SELECT count(*) FROM n";

struct sqlite_rig {
    struct rig rig;
    struct sqlite_file file;
    struct sql *sql;
    struct sql_query query;
};

static void sqlite_rig_begin(struct sqlite_rig *f)
{
    *f = (struct sqlite_rig){0};
    rig_begin(&f->rig);
    sqlite_file_make(&f->file, schema);
    f->sql = sql_sqlite_create(f->rig.loop, f->file.path, 1, 2);
    assert_non_null(f->sql);
}

static void sqlite_rig_end(struct sqlite_rig *f)
{
    op_release(&f->query.op);
    if (f->sql != NULL)
        sql_close(f->sql, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, f->sql != NULL);
    sqlite_file_remove(&f->file);
}

static enum err_code ask(struct sqlite_rig *f, const struct sql_statement *statement)
{
    op_release(&f->query.op);
    unsigned before = f->rig.done_calls;
    sql_query_start(&f->query, f->sql, statement, rig_waiter(&f->rig));
    EXPECT_INT("done inside start", f->rig.done_calls, before);
    rig_wait("query", &f->rig, before + 1);
    return f->query.op.err.code;
}

static const struct {
    const char *name, *sql;
    enum err_code want;
    const char *text;
} verdicts[] = {
    {"select", "SELECT 1", ERR_OK, ""},
    {"cte", "WITH a AS (SELECT n FROM numbers) SELECT max(n) FROM a", ERR_OK, ""},
    {"recursive",
     "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<9) "
     "SELECT sum(i) FROM c",
     ERR_OK, ""},
    {"window", "SELECT row_number() OVER (ORDER BY n) FROM numbers LIMIT 3", ERR_OK, ""},
    {"trailing blank and semicolon", "SELECT 1 ; \n", ERR_OK, ""},
    {"schema question", "SELECT name FROM pragma_table_info('employee')", ERR_OK, ""},
    {"foreign keys", "SELECT * FROM pragma_foreign_key_list('employee')", ERR_OK, ""},
    {"catalog", "SELECT name FROM sqlite_schema WHERE type = 'table'", ERR_OK, ""},
    {"json", "SELECT value FROM json_each('[1,2]')", ERR_OK, ""},
    {"view that uses a variable", "SELECT * FROM secure_employee", ERR_OK, ""},
    {"delete", "DELETE FROM employee", ERR_REJECTED, "not a plain read"},
    {"insert", "INSERT INTO employee(id) VALUES (9)", ERR_REJECTED, "not a plain read"},
    {"update", "UPDATE employee SET pay = 1", ERR_REJECTED, "not a plain read"},
    {"drop", "DROP TABLE employee", ERR_REJECTED, "not a plain read"},
    {"create", "CREATE TABLE x(a)", ERR_REJECTED, "not a plain read"},
    {"temp table", "CREATE TEMP TABLE x AS SELECT 1", ERR_REJECTED, "not a plain read"},
    {"attach", "ATTACH ':memory:' AS x", ERR_REJECTED, "not a plain read"},
    {"begin", "BEGIN", ERR_REJECTED, "not a plain read"},
    {"vacuum into", "VACUUM INTO 'stolen.db'", ERR_REJECTED, ""},
    {"reindex", "REINDEX", ERR_REJECTED, ""},
    {"analyze", "ANALYZE", ERR_REJECTED, ""},
    {"pragma write", "PRAGMA journal_mode = DELETE", ERR_REJECTED, "PRAGMA 'journal_mode'"},
    {"pragma query_only off", "PRAGMA query_only = 0", ERR_REJECTED, "PRAGMA 'query_only'"},
    {"writable schema", "PRAGMA writable_schema = 1", ERR_REJECTED, "PRAGMA"},
    {"load_extension", "SELECT load_extension('x')", ERR_REJECTED, "'load_extension'"},
    {"readfile", "SELECT readfile('x')", ERR_REJECTED, "readfile"},
    {"fts3_tokenizer", "SELECT fts3_tokenizer('x')", ERR_REJECTED, "fts3_tokenizer"},
    {"randomblob", "SELECT randomblob(1000000000)", ERR_REJECTED, "randomblob"},
    {"zeroblob", "SELECT zeroblob(1000000000)", ERR_REJECTED, "zeroblob"},
    {"returning", "INSERT INTO numbers VALUES (1) RETURNING n", ERR_REJECTED, ""},
    {"dml in cte", "WITH a AS (SELECT 1) DELETE FROM numbers", ERR_REJECTED, ""},
    {"second statement", "SELECT 1; DELETE FROM employee", ERR_REJECTED, "follows the end"},
    {"second select", "SELECT 1; SELECT 2", ERR_REJECTED, "follows the end"},
    {"nothing", "", ERR_REJECTED, "empty"},
    {"blanks", "  \n ", ERR_REJECTED, "empty"},
    {"comment", "-- only this", ERR_REJECTED, "empty"},
    {"semicolon", ";", ERR_REJECTED, ""},
    {"no such column", "SELECT nme FROM employee", ERR_REJECTED, "no such column: nme"},
    {"no such table", "SELECT 1 FROM emp", ERR_REJECTED, "no such table: emp"},
    {"double quotes are names", "SELECT \"no_such\" FROM employee", ERR_REJECTED, "no_such"},
    {"syntax", "SELEC 1", ERR_REJECTED, "syntax error"},
    {"huge value", "SELECT replace(printf('%1000000d', 1), ' ', 'twenty bytes of text')",
     ERR_TOO_LARGE, "large"},
    {"missing parameter", "SELECT ?", ERR_REJECTED, "1 parameters"},
    {"explain", "EXPLAIN QUERY PLAN SELECT 1", ERR_OK, ""},
};

TEST(verdicts_of_statements)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    TEST_EACH(c, verdicts) {
        if (ask(&f, &(struct sql_statement){.text = str_of(c->sql)}) != c->want)
            fail_msg("%s: got %s: %s", c->name, err_name(f.query.op.err.code), f.query.op.err.text);
        if (strstr(f.query.op.err.text, c->text) == NULL)
            fail_msg("%s: says '%s'", c->name, f.query.op.err.text);
    }
    EXPECT_INT("NUL", ask(&f, &(struct sql_statement){.text = STR("SELECT 1\0, 2")}), ERR_REJECTED);
    EXPECT_INT("nothing was written",
               ask(&f, &(struct sql_statement){.text = STR("SELECT count(*) FROM employee")}),
               ERR_OK);
    EXPECT_INT("rows left", sql_result_at(&f.query.result, 0, 0)->integer, 3);
    sqlite_rig_end(&f);
}

TEST(values_keep_their_types)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    EXPECT_INT("ask",
               ask(&f,
                   &(struct sql_statement){
                       .text = STR("SELECT id, name, pay, photo FROM employee ORDER BY id")}),
               ERR_OK);
    const struct sql_result *result = &f.query.result;
    EXPECT_INT("columns", result->column_count, 4);
    EXPECT_INT("rows", result->row_count, 3);
    EXPECT_STR("column name", result->columns[2], STR("pay"));
    EXPECT_INT("int", sql_result_at(result, 0, 0)->type, SQL_INT);
    EXPECT_INT("int value", sql_result_at(result, 2, 0)->integer, 3);
    EXPECT_STR("text", sql_result_at(result, 1, 1)->text, STR("Böb"));
    EXPECT_INT("text that is no text", sql_result_at(result, 2, 1)->type, SQL_BLOB);
    EXPECT_INT("real", sql_result_at(result, 0, 2)->type, SQL_REAL);
    EXPECT_TRUE("real value", sql_result_at(result, 0, 2)->real == 10.5);
    EXPECT_INT("null", sql_result_at(result, 1, 2)->type, SQL_NULL);
    EXPECT_INT("blob", sql_result_at(result, 0, 3)->type, SQL_BLOB);
    EXPECT_INT("blob bytes", sql_result_at(result, 0, 3)->text.len, 2);
    EXPECT_TRUE("not cut", !result->truncated);
    sqlite_rig_end(&f);
}

TEST(parameters_and_session_variables)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    const struct sql_value params[] = {{.type = SQL_INT, .integer = 40},
                                       {.type = SQL_REAL, .real = 1.5},
                                       {.type = SQL_TEXT, .text = STR("'; DROP")},
                                       {.type = SQL_NULL}};
    EXPECT_INT("bound",
               ask(&f, &(struct sql_statement){.text = STR("SELECT ? + 2, ?, ?, ?"),
                                               .params = params,
                                               .param_count = 4}),
               ERR_OK);
    EXPECT_INT("int", sql_result_at(&f.query.result, 0, 0)->integer, 42);
    EXPECT_STR("text", sql_result_at(&f.query.result, 0, 2)->text, STR("'; DROP"));
    const struct sql_variable acme[] = {{STR("company_id"), STR("acme")}};
    const struct sql_statement count = {.text = STR("SELECT count(*) FROM secure_employee"),
                                        .variables = acme,
                                        .variable_count = 1};
    EXPECT_INT("variable", ask(&f, &count), ERR_OK);
    EXPECT_INT("its rows", sql_result_at(&f.query.result, 0, 0)->integer, 2);
    EXPECT_INT("none", ask(&f, &(struct sql_statement){.text = count.text}), ERR_OK);
    EXPECT_INT("cleared after use", sql_result_at(&f.query.result, 0, 0)->integer, 0);
    sqlite_rig_end(&f);
}

TEST(rows_and_bytes_are_capped)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    const struct str all = STR("SELECT n FROM numbers ORDER BY n");
    EXPECT_INT("cap", ask(&f, &(struct sql_statement){.text = all, .max_rows = 10}), ERR_OK);
    EXPECT_INT("ten", f.query.result.row_count, 10);
    EXPECT_TRUE("there was more", f.query.result.truncated);
    EXPECT_INT("exact", ask(&f, &(struct sql_statement){.text = all, .max_rows = 5000}), ERR_OK);
    EXPECT_INT("all", f.query.result.row_count, 5000);
    EXPECT_TRUE("no more", !f.query.result.truncated);
    EXPECT_INT("default", ask(&f, &(struct sql_statement){.text = all}), ERR_OK);
    EXPECT_INT("thousand", f.query.result.row_count, 1000);
    const struct str text = STR("SELECT printf('%50d', n) FROM numbers");
    EXPECT_INT("bytes", ask(&f, &(struct sql_statement){.text = text, .max_bytes = 1020}), ERR_OK);
    EXPECT_INT("twenty rows fit", f.query.result.row_count, 20);
    EXPECT_TRUE("bytes cut", f.query.result.truncated);
    EXPECT_INT("value", ask(&f, &(struct sql_statement){.text = text, .max_bytes = 40}),
               ERR_TOO_LARGE);
    sqlite_rig_end(&f);
}

TEST(runaway_statement_ends_and_cancel_is_quick)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    const struct sql_statement late = {.text = str_of(endless), .timeout_ms = 30};
    EXPECT_INT("deadline", ask(&f, &late), ERR_TIMEOUT);
    const struct sql_statement forever = {.text = str_of(endless)};
    op_release(&f.query.op);
    sql_query_start(&f.query, f.sql, &forever, rig_waiter(&f.rig));
    uint64_t began_ns = loop_precise_ns();
    while (loop_precise_ns() - began_ns < 5000000)
        loop_turn(f.rig.loop, 1);
    op_cancel(&f.query.op);
    op_cancel(&f.query.op);
    rig_wait("cancel", &f.rig, 2);
    EXPECT_INT("cancelled", f.query.op.err.code, ERR_CANCELLED);
    sqlite_rig_end(&f);
}

TEST(too_many_wait_and_close_ends_all)
{
    struct sqlite_rig f;
    struct sql_query queries[4] = {0};
    sqlite_rig_begin(&f);
    const struct sql_statement forever = {.text = str_of(endless)};
    for (size_t i = 0; i < 4; i++)
        sql_query_start(&queries[i], f.sql, &forever, rig_waiter(&f.rig));
    rig_wait("fourth", &f.rig, 1);
    EXPECT_INT("busy", queries[3].op.err.code, ERR_BUSY);
    sql_close(f.sql, rig_on_closed, &f.rig);
    EXPECT_INT("done inside close", f.rig.done_calls, 1);
    rig_wait("all", &f.rig, 4);
    f.sql = NULL;
    for (size_t i = 0; i < 4; i++)
        op_release(&queries[i].op);
    assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
    EXPECT_INT("closed once", f.rig.closed_calls, 1);
    f.rig.closed_calls = 0;
    EXPECT_INT("cancelled", queries[0].op.err.code, ERR_CANCELLED);
    sqlite_rig_end(&f);
}

TEST(readiness_remembers)
{
    struct sqlite_rig f;
    struct err err = {0};
    sqlite_rig_begin(&f);
    EXPECT_INT("unknown is well", sql_ready(f.sql, &err), ERR_OK);
    unlink(f.file.path);
    EXPECT_INT("gone", ask(&f, &(struct sql_statement){.text = STR("SELECT 1")}), ERR_UNAVAILABLE);
    EXPECT_INT("not ready", sql_ready(f.sql, &err), ERR_UNAVAILABLE);
    sqlite_file_run(&f.file, schema);
    EXPECT_INT("back", ask(&f, &(struct sql_statement){.text = STR("SELECT 1")}), ERR_OK);
    EXPECT_INT("ready", sql_ready(f.sql, &err), ERR_OK);
    sqlite_rig_end(&f);
}

TEST(create_and_start_cope_without_memory)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    for (uint64_t n = 1;; n++) {
        mem_fail_nth(n);
        struct sql *sql = sql_sqlite_create(f.rig.loop, f.file.path, 1, 1);
        mem_fail_nth(0);
        if (sql != NULL) {
            EXPECT_TRUE("failed before", n >= 4);
            sql_close(sql, NULL, NULL);
            break;
        }
    }
    const struct sql_statement one = {.text = STR("SELECT 1")};
    mem_fail_nth(1);
    EXPECT_INT("start", ask(&f, &one), ERR_NO_MEMORY);
    mem_fail_nth(0);
    EXPECT_INT("after", ask(&f, &one), ERR_OK);
    sqlite_rig_end(&f);
}

/* What SQLite has and statements may not use. Everything else it has must be on the list, found by
 * the binary search whatever its place in the table. */
static const char *const withheld[] = {
    "changes",
    "fts3_tokenizer",
    "fts5",
    "fts5_source_id",
    "last_insert_rowid",
    "load_extension",
    "matchinfo",
    "offsets",
    "optimize",
    "randomblob",
    "rtreecheck",
    "rtreedepth",
    "rtreenode",
    "sqlite_compileoption_get",
    "sqlite_compileoption_used",
    "sqlite_log",
    "sqlite_source_id",
    "subtype",
    "total_changes",
    "zeroblob",
};

TEST(the_list_of_functions_is_complete)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    unsigned seen = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT DISTINCT name FROM pragma_function_list", -1, &stmt, NULL),
        SQLITE_OK);
    for (; sqlite3_step(stmt) == SQLITE_ROW; seen++) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        bool is_withheld = false;
        TEST_EACH(other, withheld)
            is_withheld = is_withheld || strcmp(*other, name) == 0;
        EXPECT_INT(name, sqlite_allow_function(str_of(name)), !is_withheld);
    }
    EXPECT_TRUE("there were some", seen > 100);
    EXPECT_TRUE("case is ignored", sqlite_allow_function(STR("Count")));
    EXPECT_TRUE("prefixes are not names", !sqlite_allow_function(STR("coun")));
    EXPECT_TRUE("nothing is no name", !sqlite_allow_function((struct str){NULL, 0}));
    EXPECT_TRUE("first pragma", sqlite_allow_pragma(STR("data_version")));
    EXPECT_TRUE("last pragma", sqlite_allow_pragma(STR("table_xinfo")));
    EXPECT_TRUE("no other", !sqlite_allow_pragma(STR("user_version")));
    sqlite3_finalize(stmt);
    sqlite3_close(db);
}

/* Tables whose module declares them at first use, also when they came after us. */
TEST(virtual_tables_are_read)
{
    struct sqlite_rig f;
    sqlite_rig_begin(&f);
    const struct sql_statement count = {.text = STR("SELECT count(*) FROM page")};
    EXPECT_INT("not yet", ask(&f, &count), ERR_REJECTED);
    sqlite_file_run(&f.file, "CREATE VIRTUAL TABLE page USING fts5(title, body);"
                             "INSERT INTO page VALUES ('a', 'one'), ('b', 'two');");
    EXPECT_INT("new", ask(&f, &count), ERR_OK);
    EXPECT_INT("rows", sql_result_at(&f.query.result, 0, 0)->integer, 2);
    const struct sql_statement match = {.text =
                                            STR("SELECT title FROM page WHERE page MATCH 'two'")};
    EXPECT_INT("match", ask(&f, &match), ERR_OK);
    EXPECT_STR("title", sql_result_at(&f.query.result, 0, 0)->text, STR("b"));
    const struct sql_statement write = {.text = STR("DELETE FROM page")};
    EXPECT_INT("write", ask(&f, &write), ERR_REJECTED);
    EXPECT_TRUE(f.query.op.err.text, strstr(f.query.op.err.text, "not a plain read") != NULL);
    EXPECT_INT("still there", ask(&f, &count), ERR_OK);
    EXPECT_INT("rows", sql_result_at(&f.query.result, 0, 0)->integer, 2);
    sqlite_rig_end(&f);
}

RUN_TESTS(T(verdicts_of_statements), T(virtual_tables_are_read), T(values_keep_their_types),
          T(parameters_and_session_variables), T(rows_and_bytes_are_capped),
          T(runaway_statement_ends_and_cancel_is_quick), T(too_many_wait_and_close_ends_all),
          T(readiness_remembers), T(the_list_of_functions_is_complete),
          T(create_and_start_cope_without_memory))

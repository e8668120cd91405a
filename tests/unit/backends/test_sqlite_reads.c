/* SPDX-License-Identifier: MIT */
/* backends/sqlite_reads: what is listed passes, what a listed view reads passes inside it, and
 * nothing else does, also when the statement is compiled again. */
#include "backends/sqlite/sqlite_reads.h"

#include <sqlite3.h>

#include "tests/lib/test.h"

static const char schema[] =
    "CREATE TABLE person(id INTEGER PRIMARY KEY, name, secret);"
    "CREATE TABLE note(text, person);"
    "CREATE VIEW safe AS SELECT id, name FROM person;"
    "CREATE VIEW outer_safe AS SELECT name AS called FROM safe;"
    "CREATE VIEW counted AS WITH per AS (SELECT person, count(*) AS n FROM note GROUP BY person)"
    "  SELECT p.name, (SELECT n FROM per WHERE per.person = p.id) AS n FROM person p;"
    "CREATE VIEW lonely AS SELECT n.text FROM note n LEFT JOIN person p ON p.id = n.person;"
    "SELECT 1 FROM json_each('[]');"; /* declared at first use, which looks like a write */

struct rig {
    sqlite3 *db;
    struct sqlite_reads reads;
    struct err err;
};

static int ask(void *owner, int action, const char *first, const char *second, const char *database,
               const char *inside)
{
    struct rig *rig = owner;
    bool fine = true;
    if (action == SQLITE_READ)
        fine = sqlite_reads_allow(&rig->reads, first, second, database, inside);
    if (action == SQLITE_FUNCTION)
        fine = sqlite_reads_call(&rig->reads, second, inside);
    return fine ? SQLITE_OK : SQLITE_DENY;
}

static void rig_begin(struct rig *rig)
{
    *rig = (struct rig){.db = NULL};
    assert_int_equal(sqlite3_open(":memory:", &rig->db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(rig->db, schema, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_set_authorizer(rig->db, ask, rig);
}

static void rig_end(struct rig *rig)
{
    sqlite_reads_end(&rig->reads);
    sqlite3_close(rig->db);
}

/* Compile and settle; *stmt is the caller's. */
static enum err_code compile(struct rig *rig, const char *sql, const struct sql_reads *list,
                             sqlite3_stmt **stmt)
{
    sqlite_reads_end(&rig->reads);
    sqlite_reads_begin(&rig->reads, list);
    if (sqlite3_prepare_v2(rig->db, sql, -1, stmt, NULL) != SQLITE_OK)
        return err_set(&rig->err, ERR_REJECTED, "%s", sqlite3_errmsg(rig->db));
    return sqlite_reads_settle(&rig->reads, rig->db, *stmt, &rig->err);
}

/* "person: id name; safe: id | count" and what the statement names itself. */
struct list {
    struct sql_reads reads;
    struct sql_reads_table tables[4];
    struct str columns[32], functions[8], own[8];
};

static void make_list(struct list *out, const char *tables, const char *functions, const char *own)
{
    struct str rest = str_of(tables);
    size_t used = 0;
    *out = (struct list){0};
    while (!str_is_absent(rest)) {
        struct str names = str_trim(str_split(&rest, ';'));
        struct sql_reads_table *table = &out->tables[out->reads.table_count];
        if (names.len == 0)
            continue;
        table->name = str_split(&names, ' ');
        table->columns = &out->columns[used];
        for (; !str_is_absent(names); table->column_count++)
            out->columns[used++] = str_split(&names, ' ');
        out->reads.table_count++;
    }
    for (rest = str_of(functions); rest.len > 0;)
        out->functions[out->reads.function_count++] = str_split(&rest, ' ');
    for (rest = str_of(own); rest.len > 0;)
        out->own[out->reads.own_count++] = str_split(&rest, ' ');
    out->reads.tables = out->tables;
    out->reads.functions = out->functions;
    out->reads.own = out->own;
}

static const struct {
    const char *sql, *tables, *functions, *own;
    enum err_code want;
} cases[] = {
    {"SELECT name FROM person", "person name", "", "", ERR_OK},
    {"SELECT NAME FROM Person", "person name", "", "", ERR_OK},
    {"SELECT name FROM person WHERE secret = 1", "person name", "", "", ERR_REJECTED},
    {"SELECT name FROM person ORDER BY secret", "person name", "", "", ERR_REJECTED},
    {"SELECT * FROM person", "person id name", "", "", ERR_REJECTED},
    {"SELECT count(*) FROM person", "person", "count", "", ERR_OK},
    {"SELECT count(*) FROM person", "note", "count", "", ERR_REJECTED},
    {"SELECT count(*) FROM person", "person", "", "", ERR_REJECTED},
    {"SELECT 1 FROM person WHERE name LIKE 'a%'", "person name", "", "", ERR_OK},
    {"SELECT rowid FROM person", "person id", "", "", ERR_OK},
    {"SELECT rowid FROM note", "note ROWID", "", "", ERR_OK},
    {"SELECT rowid FROM note", "note text", "", "", ERR_REJECTED},
    {"SELECT name FROM sqlite_schema", "person name", "", "", ERR_REJECTED},
    {"WITH w AS (SELECT name FROM person) SELECT count(*) FROM w", "person name", "count", "w",
     ERR_OK},
    {"WITH w AS (SELECT secret FROM person) SELECT secret FROM w", "person name", "", "w",
     ERR_REJECTED},
    {"SELECT value FROM json_each('[1]')", "", "json_each", "json_each", ERR_OK},
    /* views */
    {"SELECT name FROM safe", "safe name", "", "", ERR_OK},
    {"SELECT count(*) FROM safe", "safe", "count", "", ERR_OK},
    {"SELECT 'x' FROM safe WHERE id = 1", "safe id", "", "", ERR_OK},
    {"SELECT name FROM safe", "safe id", "", "", ERR_REJECTED},
    {"SELECT name FROM safe", "person name", "", "", ERR_REJECTED},
    {"SELECT called FROM outer_safe", "outer_safe called", "", "", ERR_OK},
    {"SELECT * FROM counted", "counted name n", "", "", ERR_OK},
    {"SELECT text FROM lonely", "lonely text", "", "", ERR_OK},
    {"SELECT safe.name FROM safe, person", "safe name", "", "", ERR_OK}, /* no more than a count */
    {"SELECT person.name FROM safe, person", "safe name", "", "", ERR_REJECTED},
    {"SELECT (SELECT secret FROM person) FROM safe", "safe", "", "", ERR_REJECTED},
    {"SELECT s.name, p.name FROM safe s JOIN person p ON p.id = s.id", "safe id name", "", "",
     ERR_REJECTED},
    /* a WITH query that takes a view's name, known to the checker and not */
    {"WITH safe AS (SELECT name FROM person) SELECT safe.name FROM safe, main.safe m", "safe name",
     "", "safe", ERR_REJECTED},
    {"WITH safe AS (SELECT secret FROM person) SELECT secret FROM safe", "safe name", "", "",
     ERR_REJECTED},
    {"WITH per AS (SELECT secret FROM person) SELECT secret, n FROM per, counted", "counted n", "",
     "per", ERR_REJECTED},
};

TEST(what_is_listed)
{
    struct rig rig;
    rig_begin(&rig);
    TEST_EACH(c, cases) {
        struct list list;
        sqlite3_stmt *stmt = NULL;
        make_list(&list, c->tables, c->functions, c->own);
        enum err_code code = compile(&rig, c->sql, &list.reads, &stmt);
        if (code != c->want)
            fail_msg("%s: got %s: %s", c->sql, err_name(code), rig.err.text);
        if (code == ERR_OK)
            EXPECT_TRUE(c->sql, sqlite3_step(stmt) != SQLITE_ERROR);
        sqlite3_finalize(stmt);
    }
    rig_end(&rig);
}

TEST(without_a_list_and_another_width)
{
    struct rig rig;
    struct list list;
    sqlite3_stmt *stmt = NULL;
    rig_begin(&rig);
    EXPECT_INT("no list", compile(&rig, "SELECT * FROM person", NULL, &stmt), ERR_OK);
    sqlite3_finalize(stmt);
    make_list(&list, "person id name secret", "", "");
    list.reads.width = 3;
    EXPECT_INT("three", compile(&rig, "SELECT * FROM person", &list.reads, &stmt), ERR_OK);
    sqlite3_finalize(stmt);
    list.reads.width = 2;
    EXPECT_INT("two", compile(&rig, "SELECT * FROM person", &list.reads, &stmt), ERR_REJECTED);
    EXPECT_TRUE(rig.err.text, strstr(rig.err.text, "gives 3 columns") != NULL);
    sqlite3_finalize(stmt);
    rig_end(&rig);
}

/* The schema changes between compiling and the first row: SQLite compiles again by itself. */
TEST(compiled_again)
{
    static const struct {
        const char *change;
        int want;
    } table[] = {
        {"CREATE TABLE other(a)", SQLITE_ROW},
        {"DROP VIEW safe; CREATE VIEW safe AS SELECT id, secret AS name FROM person", SQLITE_AUTH},
        {"DROP VIEW safe; CREATE VIEW safe AS SELECT 1 AS id, text AS name FROM note", SQLITE_AUTH},
    };
    TEST_EACH(c, table) {
        struct rig rig;
        struct list list;
        sqlite3_stmt *stmt = NULL;
        rig_begin(&rig);
        assert_int_equal(
            sqlite3_exec(rig.db, "INSERT INTO person VALUES (1, 'a', 'b')", NULL, NULL, NULL),
            SQLITE_OK);
        make_list(&list, "safe name", "", "");
        EXPECT_INT(c->change, compile(&rig, "SELECT name FROM safe", &list.reads, &stmt), ERR_OK);
        sqlite3_set_authorizer(rig.db, NULL, NULL);
        assert_int_equal(sqlite3_exec(rig.db, c->change, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_set_authorizer(rig.db, ask, &rig);
        EXPECT_INT(c->change, sqlite3_step(stmt), c->want);
        sqlite3_finalize(stmt);
        rig_end(&rig);
    }
}

TEST(without_memory)
{
    struct rig rig;
    struct list list;
    enum err_code code = ERR_NO_MEMORY;
    rig_begin(&rig);
    make_list(&list, "counted name n", "", "");
    for (uint64_t n = 1; code != ERR_OK; n++) {
        sqlite3_stmt *stmt = NULL;
        mem_fail_nth(n);
        code = compile(&rig, "SELECT * FROM counted", &list.reads, &stmt);
        mem_fail_nth(0);
        sqlite3_finalize(stmt);
        EXPECT_TRUE("refused, or it passes whole", code != ERR_OK || n > 1);
    }
    rig_end(&rig);
}

RUN_TESTS(T(what_is_listed), T(without_a_list_and_another_width), T(compiled_again),
          T(without_memory))

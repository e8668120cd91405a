/* SPDX-License-Identifier: MIT */
/* backends/sqlite_row: values in and out, the sticky failure, statements that stay prepared. */
#include "backends/sqlite/sqlite_row.h"

#include <sqlite3.h>

#include "tests/lib/test.h"

static sqlite3 *open_database(void)
{
    sqlite3 *db = NULL;
    struct err err;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    EXPECT_INT("schema",
               sqlite_row_exec(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES ('x', 7)", &err),
               ERR_OK);
    return db;
}

static size_t count_prepared(sqlite3 *db)
{
    size_t count = 0;
    for (sqlite3_stmt *stmt = sqlite3_next_stmt(db, NULL); stmt != NULL;
         stmt = sqlite3_next_stmt(db, stmt))
        count++;
    return count;
}

static const char by_name[] = "SELECT b FROM t WHERE a = ?1";

static uint64_t find(sqlite3 *db, struct str name)
{
    struct err err = {0};
    struct sqlite_row row = sqlite_row_make(db, by_name);
    sqlite_row_text(&row, name);
    uint64_t found = sqlite_row_next(&row) ? sqlite_row_number_at(&row, 0) : 0;
    EXPECT_INT("end", sqlite_row_end(&row, &err), ERR_OK);
    return found;
}

TEST(stays_prepared_and_forgets_its_values)
{
    sqlite3 *db = open_database();
    struct err err = {0};
    EXPECT_INT("found", find(db, STR("x")), 7);
    EXPECT_INT("another value", find(db, STR("y")), 0);
    EXPECT_INT("one statement", count_prepared(db), 1);
    struct sqlite_row unbound = sqlite_row_make(db, by_name);
    EXPECT_TRUE("no value of the last time", !sqlite_row_next(&unbound));
    EXPECT_INT("end", sqlite_row_end(&unbound, &err), ERR_OK);
    struct sqlite_row first = sqlite_row_make(db, "SELECT a FROM t");
    EXPECT_TRUE("row", sqlite_row_next(&first));
    struct sqlite_row second = sqlite_row_make(db, "SELECT a FROM t");
    EXPECT_TRUE("row of its own", sqlite_row_next(&second));
    EXPECT_STR("value", sqlite_row_text_at(&first, 0), STR("x"));
    EXPECT_INT("end", sqlite_row_end(&second, &err), ERR_OK);
    EXPECT_INT("end", sqlite_row_end(&first, &err), ERR_OK);
    EXPECT_INT("two of that text, in use at once", count_prepared(db), 3);
    sqlite_row_forget(db);
    EXPECT_INT("none", count_prepared(db), 0);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Where a text is says only what to look at first. */
TEST(text_decides)
{
    static char text[] = "SELECT a FROM t WHERE b = 7";
    sqlite3 *db = open_database();
    struct sqlite_row_places places = {0};
    struct err err = {0};
    for (const char *value = "7877"; *value != '\0'; value++) {
        text[sizeof text - 2] = *value;
        struct sqlite_row row = sqlite_row_again(&places, db, text);
        EXPECT_INT(value, sqlite_row_next(&row), *value == '7');
        struct sqlite_row beside = sqlite_row_again(&places, db, text);
        EXPECT_INT("one of its own", sqlite_row_next(&beside), *value == '7');
        EXPECT_INT("end", sqlite_row_end(&beside, &err), ERR_OK);
        EXPECT_INT("end", sqlite_row_end(&row, &err), ERR_OK);
    }
    EXPECT_INT("two of the text that finds something, one of the other", count_prepared(db), 3);
    sqlite_row_forget(db);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST(first_failure_stays)
{
    sqlite3 *db = open_database();
    struct err err = {0};
    struct sqlite_row row = sqlite_row_make(db, "SELECT missing FROM t WHERE a = ?1");
    sqlite_row_text(&row, STR("x"));
    sqlite_row_number(&row, 1);
    EXPECT_TRUE("no row", !sqlite_row_next(&row));
    EXPECT_INT("why", sqlite_row_end(&row, &err), ERR_REJECTED);
    EXPECT_TRUE(err.text, strstr(err.text, "no such column") != NULL);
    row = sqlite_row_make(db, by_name);
    sqlite_row_text(&row, STR("x"));
    sqlite_row_text(&row, STR("one too many"));
    EXPECT_TRUE("no row", !sqlite_row_next(&row));
    EXPECT_TRUE("fails", sqlite_row_end(&row, &err) != ERR_OK);
    EXPECT_INT("works again", find(db, STR("x")), 7);
    sqlite_row_forget(db);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* SQLite takes an interrupt back only while nothing runs: so something does, and the statement is
 * given up while it is compiled. */
TEST(interrupted_while_it_is_compiled)
{
    sqlite3 *db = open_database();
    struct err err = {0};
    struct sqlite_row running = sqlite_row_make(db, "SELECT a FROM t");
    EXPECT_TRUE("running", sqlite_row_next(&running));
    sqlite3_interrupt(db);
    struct sqlite_row row = sqlite_row_make(db, by_name);
    sqlite_row_text(&row, STR("x"));
    sqlite_row_bytes(&row, STR("y"));
    sqlite_row_number(&row, 1);
    EXPECT_TRUE("no row", !sqlite_row_next(&row));
    EXPECT_INT("interrupted", sqlite_row_end(&row, &err), ERR_CANCELLED);
    EXPECT_INT("nothing stays of it", count_prepared(db), 1);
    EXPECT_INT("the other did not see it", sqlite_row_end(&running, &err), ERR_OK);
    EXPECT_INT("works again", find(db, STR("x")), 7);
    sqlite_row_forget(db);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

RUN_TESTS(T(stays_prepared_and_forgets_its_values), T(text_decides), T(first_failure_stays),
          T(interrupted_while_it_is_compiled))

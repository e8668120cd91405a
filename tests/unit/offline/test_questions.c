/* SPDX-License-Identifier: MIT */
/* Questions of questions.jsonl over the sample schema, judged by the rows that their statements
 * give: every column of the gold statement must be among the answer's, with the same rows (in the
 * same order when gold is ordered). "sql": null must not be answered. */
#include "tests/lib/test.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/json_value.h"
#include "samples/schema.h"
#include "tests/offline_eval/database.h"
#include "tests/unit/offline/questions_rows.h"

enum { LINE_BYTES = 4096, ROWS = 32, COLUMNS = 16, CELL = 64, ROW = COLUMNS * CELL };

struct rows {
    char cells[ROWS][COLUMNS][CELL];
    size_t count, width;
    bool failed;
};

static void fetch(sqlite3 *db, struct str sql, struct rows *rows)
{
    sqlite3_stmt *stmt = NULL;
    *rows = (struct rows){.count = 0};
    rows->failed = sqlite3_prepare_v2(db, sql.at, (int)sql.len, &stmt, NULL) != SQLITE_OK;
    rows->width = size_min((size_t)sqlite3_column_count(stmt), COLUMNS);
    while (!rows->failed && rows->count < ROWS && sqlite3_step(stmt) == SQLITE_ROW) {
        for (size_t c = 0; c < rows->width; c++) {
            char *cell = rows->cells[rows->count][c];
            int type = sqlite3_column_type(stmt, (int)c);
            if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
                snprintf(cell, CELL, "%.6f", sqlite3_column_double(stmt, (int)c));
            else
                snprintf(cell, CELL, "%s",
                         type == SQLITE_NULL ? "NULL"
                                             : (const char *)sqlite3_column_text(stmt, (int)c));
        }
        rows->count++;
    }
    sqlite3_finalize(stmt);
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The rows as lines of the columns chosen, sorted unless their order counts. */
static void write_lines(const struct rows *rows, const size_t *columns, size_t width, bool sorted,
                        char (*lines)[ROW])
{
    for (size_t r = 0; r < rows->count; r++) {
        size_t len = 0;
        for (size_t c = 0; c < width; c++)
            len += (size_t)snprintf(lines[r] + len, ROW - len, "%s|", rows->cells[r][columns[c]]);
    }
    if (sorted)
        qsort(lines, rows->count, ROW, compare_text);
}

static bool same_lines(const struct rows *gold, const size_t *theirs, const struct rows *got,
                       const size_t *ours, size_t width, bool ordered)
{
    static char want[ROWS][ROW], have[ROWS][ROW];
    write_lines(gold, theirs, width, !ordered, want);
    write_lines(got, ours, width, !ordered, have);
    for (size_t r = 0; r < gold->count; r++)
        if (strcmp(want[r], have[r]) != 0)
            return false;
    return true;
}

static bool same_rows(const struct rows *gold, const struct rows *got, bool ordered)
{
    size_t theirs[COLUMNS], ours[COLUMNS];
    if (gold->failed || got->failed || gold->count != got->count)
        return false;
    for (size_t c = 0; c < gold->width; c++) {
        bool found = false;
        theirs[c] = c;
        for (size_t k = 0; k < got->width && !found; k++) {
            ours[c] = k;
            found = same_lines(gold, theirs, got, ours, c + 1, ordered);
        }
        if (!found)
            return false;
    }
    return true;
}

static void check_question(const struct database *database, sqlite3 *db, struct str line)
{
    static struct rows gold, got;
    struct arena arena;
    struct str question = STR(""), sql = STR("");
    struct offline_answer *answer;
    arena_init(&arena, 8 << 20);
    const struct json_value *value = json_value_parse(&arena, line, NULL, NULL);
    assert_int_equal(json_value_str(value, "/question", &question, NULL), ERR_OK);
    bool wanted = json_value_str(value, "/sql", &sql, NULL) == ERR_OK;
    const char *name = arena_cstr(&arena, question);
    assert_int_equal(offline_question_read(&database->source, question, &arena, &answer), ERR_OK);
    EXPECT_STR(name, str_of(answer->cannot), wanted ? STR("") : str_of(answer->cannot));
    EXPECT_TRUE(name, answer->understood == wanted);
    if (answer->understood && wanted) {
        fetch(db, sql, &gold);
        fetch(db, answer->sql, &got);
        EXPECT_TRUE(arena_cstr(&arena, answer->sql),
                    same_rows(&gold, &got, str_find(sql, STR("ORDER BY")) >= 0));
        EXPECT_TRUE(name, gold.count > 0);
    }
    arena_fini(&arena);
}

TEST(questions_give_the_rows_of_their_gold_statement)
{
    static char line[LINE_BYTES];
    char path[] = "questions-XXXXXX";
    struct database database = {0};
    sqlite3 *db = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, samples_schema, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, questions_rows, NULL, NULL, NULL), SQLITE_OK);
    assert_true(database_open(&database, path, "2025-06-30"));
    FILE *questions = fopen(QUESTIONS_FILE, "r");
    assert_non_null(questions);
    while (fgets(line, sizeof line, questions) != NULL)
        check_question(&database, db, str_trim(str_of(line)));
    fclose(questions);
    database_close(&database);
    sqlite3_close(db);
    unlink(path);
}

RUN_TESTS(T(questions_give_the_rows_of_their_gold_statement))

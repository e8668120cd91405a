/* SPDX-License-Identifier: MIT */
/* Questions over the sample schema, and over those of a car rental and of bakeries, each in a style
 * of its own, judged by the rows that their statements give. "sql": null must not be answered. */
#include "tests/lib/test.h"

#include <unistd.h>

#include "proto/json_value.h"
#include "samples/schema.h"
#include "tests/offline_eval/database.h"
#include "tests/unit/offline/questions_rows.h"
#include "tests/unit/offline/same_rows.h"

enum { LINE_BYTES = 4096, SQL_BYTES = 1 << 15 };

static void check_question(const struct database *database, sqlite3 *db, struct str line)
{
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
    if (answer->understood && wanted)
        same_rows_expect(db, name, sql, answer->sql);
    arena_fini(&arena);
}

static void check_questions(const char *schema, const char *rows, const char *file)
{
    static char line[LINE_BYTES];
    char path[] = "questions-XXXXXX";
    struct database database = {0};
    sqlite3 *db = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, schema, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
    assert_true(database_open(&database, path, "2025-06-30"));
    FILE *questions = fopen(file, "r");
    assert_non_null(questions);
    while (fgets(line, sizeof line, questions) != NULL)
        check_question(&database, db, str_trim(str_of(line)));
    fclose(questions);
    database_close(&database);
    sqlite3_close(db);
    unlink(path);
}

TEST(questions_give_the_rows_of_their_gold_statement)
{
    check_questions(samples_schema, questions_rows, QUESTIONS_FILE);
}

static void check_file(const char *schema, const char *questions)
{
    static char sql[SQL_BYTES];
    FILE *file = fopen(schema, "r");
    assert_non_null(file);
    size_t len = fread(sql, 1, sizeof sql - 1, file);
    fclose(file);
    sql[len] = '\0';
    check_questions(sql, "", questions);
}

TEST(questions_over_a_schema_of_another_style_do_too)
{
    check_file(RENTALS_SQL, RENTALS_FILE);
}

TEST(questions_over_amounts_in_cents_and_deleted_rows_do_too)
{
    check_file(BAKERY_SQL, BAKERY_FILE);
}

RUN_TESTS(T(questions_give_the_rows_of_their_gold_statement),
          T(questions_over_a_schema_of_another_style_do_too),
          T(questions_over_amounts_in_cents_and_deleted_rows_do_too))

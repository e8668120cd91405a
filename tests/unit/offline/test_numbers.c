/* SPDX-License-Identifier: MIT */
/* Made-up databases with random rows: what the engine's statement gives is what a statement of the
 * test's own gives, and every number of the answer's text is a cell of the rows, their number, or
 * of the question. */
#include "tests/lib/test.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agents/offline/answers/answer.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "tests/offline_eval/database.h"

enum { WORLDS = 25, TEXT = 1 << 14, SHOWN = 10, ARENA_BYTES = 8 << 20 };

static const char *const owners[] = {"farmer", "school", "museum", "clinic", "gallery"};
static const char *const things[] = {"parcel", "lesson", "concert", "repair", "loan"};
static const char *const towns[] = {"Oslo", "Bergen", "Tromso", "Narvik"};
static const char *const sorts[] = {"red", "green", "blue"};

/* %o, %O: the table that owns, one and several; %t, %T: what is owned; %s: a kind; %c: a town. */
static const struct {
    const char *question, *sql;
} shapes[] = {
    {"How many %T are there?", "SELECT COUNT(*) FROM %t"},
    {"How many %s %T are there?", "SELECT COUNT(*) FROM %t WHERE kind = '%s'"},
    {"What is the total weight of %T?", "SELECT SUM(weight) FROM %t"},
    {"Average weight of %T per kind", "SELECT kind, AVG(weight) FROM %t GROUP BY kind"},
    {"Number of %T by kind", "SELECT kind, COUNT(*) FROM %t GROUP BY kind"},
    {"What is the highest weight of %s %T?", "SELECT MAX(weight) FROM %t WHERE kind = '%s'"},
    {"How many %O in %c are there?", "SELECT COUNT(*) FROM %o WHERE town = '%c'"},
    {"How many %O have no %T?", "SELECT COUNT(*) FROM %o WHERE id NOT IN (SELECT %o_id FROM %t)"},
    {"How many %T do %O in %c have?",
     "SELECT COUNT(*) FROM %t JOIN %o ON %o.id = %o_id WHERE town = '%c'"},
    {"How many %O have more than 2 %T?",
     "SELECT COUNT(*) FROM %o WHERE (SELECT COUNT(*) FROM %t WHERE %o_id = %o.id) > 2"},
    {"What percentage of %T is %s?", "SELECT 100.0 * SUM(kind = '%s') / COUNT(*) FROM %t"},
    {"Total weight of %T by town",
     "SELECT town, SUM(weight) FROM %t JOIN %o ON %o.id = %o_id GROUP BY town"},
    {"How many %T weigh more than the average?", NULL}, /* may be refused; never wrong */
};

struct world {
    const char *owner, *thing, *sort, *town;
    uint64_t seed;
};

static size_t below(struct world *w, size_t n)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return (size_t)(w->seed % n);
}

static void expand(const struct world *w, const char *pattern, char *to)
{
    size_t len = 0;
    for (; *pattern != '\0' && len + 32 < TEXT; pattern++) {
        const char *word = NULL;
        if (*pattern == '%') {
            pattern++;
            word = *pattern == 's'                      ? w->sort
                   : *pattern == 'c'                    ? w->town
                   : *pattern == 'o' || *pattern == 'O' ? w->owner
                                                        : w->thing;
        }
        if (word == NULL)
            to[len++] = *pattern;
        else
            len += (size_t)snprintf(to + len, TEXT - len, "%s%s", word,
                                    *pattern == 'O' || *pattern == 'T' ? "s" : "");
    }
    to[len] = '\0';
}

static void fill(struct world *w, sqlite3 *db)
{
    char text[TEXT];
    size_t count = 2 + below(w, 8);
    w->owner = owners[below(w, countof(owners))];
    w->thing = things[below(w, countof(things))];
    w->sort = sorts[below(w, countof(sorts))];
    w->town = towns[below(w, countof(towns))];
    snprintf(text, sizeof text,
             "CREATE TABLE %s(id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL);"
             "CREATE TABLE %s(id INTEGER PRIMARY KEY, %s_id INTEGER NOT NULL REFERENCES %s(id),"
             " kind TEXT NOT NULL, weight NUMERIC NOT NULL);",
             w->owner, w->thing, w->owner, w->owner);
    EXPECT_INT(text, sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    for (size_t i = 0; i < countof(sorts) + below(w, 30); i++) {
        /* each kind and town is there, so that the words are known */
        if (i < count || i < countof(towns)) {
            snprintf(text, sizeof text, "INSERT INTO %s VALUES (%zu, 'N%zu', '%s')", w->owner,
                     i + 1, i, i < countof(towns) ? towns[i] : towns[below(w, countof(towns))]);
            EXPECT_INT(text, sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
        }
        snprintf(text, sizeof text, "INSERT INTO %s VALUES (%zu, %zu, '%s', %zu.%zu)", w->thing,
                 i + 1, 1 + below(w, size_min(i + 1, 3)),
                 i < countof(sorts) ? sorts[i] : sorts[below(w, countof(sorts))], below(w, 500),
                 25 * below(w, 4));
        EXPECT_INT(text, sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    }
}

/* ---- rows ---- */

struct table {
    struct buf rows; /* JSON */
    size_t count;
};

static int compare_rows(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* As JSON, and as sorted lines that keep only the columns of a narrower answer: its last ones. */
static bool fetch(sqlite3 *db, struct str sql, struct table *table, int width, char lines[64][256])
{
    sqlite3_stmt *stmt = NULL;
    struct json_write writer;
    bool fine = sqlite3_prepare_v2(db, sql.at, (int)sql.len, &stmt, NULL) == SQLITE_OK;
    int columns = fine ? sqlite3_column_count(stmt) : 0;
    json_write_init(&writer, &table->rows);
    json_write_array(&writer);
    for (table->count = 0; fine && table->count < 64 && sqlite3_step(stmt) == SQLITE_ROW;
         table->count++) {
        size_t len = 0;
        json_write_array(&writer);
        for (int c = 0; c < columns; c++) {
            int type = sqlite3_column_type(stmt, c);
            if (type == SQLITE_INTEGER)
                json_write_i64(&writer, sqlite3_column_int64(stmt, c));
            else if (type == SQLITE_FLOAT)
                json_write_double(&writer, sqlite3_column_double(stmt, c));
            else if (type == SQLITE_NULL)
                json_write_null(&writer);
            else
                json_write_str(&writer, str_of((const char *)sqlite3_column_text(stmt, c)));
            if (c < columns - width)
                continue;
            if (type == SQLITE_TEXT)
                len += (size_t)snprintf(lines[table->count] + len, 256 - len, "%s|",
                                        (const char *)sqlite3_column_text(stmt, c));
            else
                len += (size_t)snprintf(lines[table->count] + len, 256 - len, "%.6f|",
                                        sqlite3_column_double(stmt, c));
        }
        json_write_array_end(&writer);
    }
    json_write_array_end(&writer);
    sqlite3_finalize(stmt);
    qsort(lines, table->count, 256, compare_rows);
    return fine && columns >= width;
}

static bool is_number_in(struct str number, const struct json_value *cell)
{
    double said = 0;
    if (!str_to_double(number, &said) || (cell->type != JSON_INT && cell->type != JSON_DOUBLE))
        return false;
    double apart = said - cell->number;
    return apart < 0.00501 && apart > -0.00501;
}

/* Where the number that begins at i ends: digits, a point between them, thousands set apart. */
static size_t end_of_number(struct str text, size_t i)
{
    size_t end = i;
    for (; end < text.len; end++) {
        bool sign = (text.at[end] == '.' || text.at[end] == ',') && end > i && end + 1 < text.len &&
                    str_is_digit(text.at[end + 1]);
        if (!str_is_digit(text.at[end]) && !sign)
            break;
    }
    return end;
}

/* The number without the signs between its thousands. */
static struct str without_signs(struct arena *arena, struct str number)
{
    char *digits = arena_alloc(arena, number.len + 1);
    size_t len = 0;
    for (size_t i = 0; digits != NULL && i < number.len; i++)
        if (number.at[i] != ',')
            digits[len++] = number.at[i];
    return str_make(digits, len);
}

/* What the last cells of all rows add up to. */
static struct json_value add_up(const struct json_value *rows)
{
    struct json_value total = {.type = JSON_DOUBLE};
    JSON_EACH(row, rows) {
        const struct json_value *last = NULL;
        JSON_EACH(cell, row)
            last = cell;
        if (last != NULL)
            total.number += last->type == JSON_INT ? (double)last->integer : last->number;
    }
    return total;
}

/* Every number of the text is one of the rows or what they add up to, how many there are, how many
 * are not shown, or in the question. */
static void check_text(const char *question, struct str text, const struct table *table)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct json_value *rows = json_value_parse(&arena, buf_str(&table->rows), NULL, NULL);
    const struct json_value total = add_up(rows);
    for (size_t i = 0; i < text.len;) {
        size_t end = end_of_number(text, i);
        if (end == i) {
            i++;
            continue;
        }
        struct str number = without_signs(&arena, str_slice(text, i, end));
        bool known = (i > 0 && str_is_alpha(text.at[i - 1])) ||
                     str_find(str_of(question), number) >= 0; /* a name, or said */
        JSON_EACH(row, rows)
            JSON_EACH(cell, row)
                known = known || is_number_in(number, cell);
        uint64_t count = 0;
        known = known || is_number_in(number, &total) ||
                (str_to_u64(number, &count) &&
                 (count == table->count || count + SHOWN == table->count));
        EXPECT_TRUE(arena_cstr(&arena, text), known);
        i = end;
    }
    arena_fini(&arena);
}

static void check_shape(const struct database *database, sqlite3 *db, const struct world *w,
                        const char *pattern, const char *gold)
{
    static char question[TEXT], sql[TEXT], want[64][256], have[64][256];
    struct arena arena;
    struct offline_answer *answer;
    struct table ours, theirs;
    struct buf text;
    expand(w, pattern, question);
    arena_init(&arena, ARENA_BYTES);
    buf_init(&ours.rows, 1 << 20);
    buf_init(&theirs.rows, 1 << 20);
    buf_init(&text, 1 << 16);
    assert_int_equal(offline_question_read(&database->source, str_of(question), &arena, &answer),
                     ERR_OK);
    EXPECT_STR(question, gold == NULL ? STR("") : str_of(answer->cannot), STR(""));
    if (answer->understood && gold != NULL) {
        expand(w, gold, sql);
        sqlite3_stmt *stmt = NULL;
        EXPECT_INT(sql, sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
        int width = sqlite3_column_count(stmt);
        sqlite3_finalize(stmt);
        EXPECT_TRUE(sql, fetch(db, str_of(sql), &theirs, width, want));
        EXPECT_TRUE(question, fetch(db, answer->sql, &ours, width, have));
        EXPECT_INT(question, ours.count, theirs.count);
        for (size_t i = 0; i < ours.count; i++)
            EXPECT_STR(question, str_of(have[i]), str_of(want[i]));
        char count[24];
        snprintf(count, sizeof count, "%zu", ours.count);
        const struct answer_rows rows = {.rows = buf_str(&ours.rows), .row_count = str_of(count)};
        EXPECT_TRUE(question,
                    offline_answer_write(database->source.lexicon, &answer->reading, &rows, &text));
        check_text(question, buf_str(&text), &ours);
    }
    buf_fini(&text);
    buf_fini(&ours.rows);
    buf_fini(&theirs.rows);
    arena_fini(&arena);
}

static void check_world(uint64_t seed)
{
    char path[] = "numbers-XXXXXX";
    struct world w = {.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    struct database database = {0};
    sqlite3 *db = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    fill(&w, db);
    assert_true(database_open(&database, path, "2025-06-30"));
    TEST_EACH(shape, shapes)
        check_shape(&database, db, &w, shape->question, shape->sql);
    database_close(&database);
    sqlite3_close(db);
    unlink(path);
}

TEST(numbers_come_from_the_rows)
{
    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        check_world(seed);
}

RUN_TESTS(T(numbers_come_from_the_rows))

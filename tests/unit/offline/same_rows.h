/* SPDX-License-Identifier: MIT */
/* tests/unit/offline/same_rows.h - whether two statements give the same rows: every column of gold,
 * the expected one, is among the other's, with the same values, in the same order when gold is
 * ordered. */
#ifndef TESTS_UNIT_OFFLINE_SAME_ROWS_H
#define TESTS_UNIT_OFFLINE_SAME_ROWS_H

#include "tests/lib/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAME_ROWS = 256, SAME_COLUMNS = 16, SAME_CELL = 64, SAME_LINE = SAME_COLUMNS * SAME_CELL };

struct same_rows {
    char cells[SAME_ROWS][SAME_COLUMNS][SAME_CELL];
    size_t count, width;
    bool failed; /* the statement does not run, or has more rows than fit */
};

static inline void same_rows_fetch(sqlite3 *db, struct str sql, struct same_rows *rows)
{
    sqlite3_stmt *stmt = NULL;
    *rows = (struct same_rows){.count = 0};
    rows->failed = sqlite3_prepare_v2(db, sql.at, (int)sql.len, &stmt, NULL) != SQLITE_OK;
    rows->width = size_min((size_t)sqlite3_column_count(stmt), SAME_COLUMNS);
    while (!rows->failed && sqlite3_step(stmt) == SQLITE_ROW) {
        rows->failed = rows->count == SAME_ROWS;
        for (size_t c = 0; !rows->failed && c < rows->width; c++) {
            char *cell = rows->cells[rows->count][c];
            int type = sqlite3_column_type(stmt, (int)c);
            if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
                snprintf(cell, SAME_CELL, "%.6f", sqlite3_column_double(stmt, (int)c));
            else
                snprintf(cell, SAME_CELL, "%s",
                         type == SQLITE_NULL ? "NULL"
                                             : (const char *)sqlite3_column_text(stmt, (int)c));
        }
        rows->count += !rows->failed;
    }
    sqlite3_finalize(stmt);
}

static inline int same_rows_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The rows as lines of the columns chosen, sorted unless their order counts. */
static inline void same_rows_lines(const struct same_rows *rows, const size_t *columns,
                                   size_t width, bool ordered, char (*lines)[SAME_LINE])
{
    for (size_t r = 0; r < rows->count; r++) {
        size_t len = 0;
        for (size_t c = 0; c < width; c++)
            len += (size_t)snprintf(lines[r] + len, SAME_LINE - len, "%s|",
                                    rows->cells[r][columns[c]]);
    }
    if (!ordered)
        qsort(lines, rows->count, SAME_LINE, same_rows_compare);
}

static inline bool same_rows_so_far(const struct same_rows *gold, const size_t *theirs,
                                    const struct same_rows *got, const size_t *ours, size_t width,
                                    bool ordered)
{
    static char want[SAME_ROWS][SAME_LINE], have[SAME_ROWS][SAME_LINE];
    same_rows_lines(gold, theirs, width, ordered, want);
    same_rows_lines(got, ours, width, ordered, have);
    for (size_t r = 0; r < gold->count; r++)
        if (strcmp(want[r], have[r]) != 0)
            return false;
    return true;
}

static inline bool same_rows_are(const struct same_rows *gold, const struct same_rows *got,
                                 bool ordered)
{
    size_t theirs[SAME_COLUMNS], ours[SAME_COLUMNS];
    if (gold->failed || got->failed || gold->count != got->count)
        return false;
    for (size_t c = 0; c < gold->width; c++) {
        bool found = false;
        theirs[c] = c;
        for (size_t k = 0; k < got->width && !found; k++) {
            ours[c] = k;
            found = same_rows_so_far(gold, theirs, got, ours, c + 1, ordered);
        }
        if (!found)
            return false;
    }
    return true;
}

/* Fail question's test unless both statements give the same rows, and there are some. */
static inline void same_rows_expect(sqlite3 *db, const char *question, struct str gold_sql,
                                    struct str got_sql)
{
    static struct same_rows gold, got;
    same_rows_fetch(db, gold_sql, &gold);
    same_rows_fetch(db, got_sql, &got);
    if (!same_rows_are(&gold, &got, str_find(gold_sql, STR("ORDER BY")) >= 0))
        fail_msg("%s: got\n%.*s\nwith %zu rows, want\n%.*s\nwith %zu", question, STR_ARG(got_sql),
                 got.count, STR_ARG(gold_sql), gold.count);
    EXPECT_TRUE(question, gold.count > 0);
}

#endif

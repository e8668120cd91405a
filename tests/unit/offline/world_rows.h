/* SPDX-License-Identifier: MIT */
/* tests/unit/offline/world_rows.h - made-up rows for the tables of world.h in a database in memory,
 * always the same, so that a statement that is nearly right gives other rows. */
#ifndef TESTS_UNIT_OFFLINE_WORLD_ROWS_H
#define TESTS_UNIT_OFFLINE_WORLD_ROWS_H

#include "tests/unit/offline/same_rows.h"
#include "tests/unit/offline/world.h"

enum { WORLD_ROWS = 48 };

static inline uint32_t world_rows_next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Of the first rows, seldom a late one. */
static inline uint32_t world_rows_low(uint32_t *seed)
{
    uint32_t most = 1 + world_rows_next(seed) % (WORLD_ROWS / 3);
    return world_rows_next(seed) % most;
}

/* A value of the column that the lexicon knows, too, or one of a few others. */
static inline void world_rows_text(const struct world_table *table,
                                   const struct world_column *column, unsigned row, uint32_t *seed,
                                   struct buf *sql)
{
    static const char *const others[] = {"Kite", "Chicago", "50% off", "Lamp"};
    const char *known[8];
    size_t count = 0;
    TEST_EACH(v, world_values)
        if (strcmp(v->table, table->name) == 0 && strcmp(v->column, column->name) == 0)
            known[count++] = v->value;
    uint32_t pick = world_rows_next(seed);
    if (column->unique)
        buf_printf(sql, "'OR-%u'", row);
    else if (row <= count)
        buf_printf(sql, "'%s'", known[row - 1]);
    else if (count > 0 && pick % 2 > 0)
        buf_printf(sql, "'%s'", known[pick / 2 % count]);
    else
        buf_printf(sql, "'%s'", others[pick / 2 % countof(others)]);
}

/* Some of the last weeks, some of the last years. */
static inline void world_rows_day(const char *time, uint32_t *seed, struct buf *sql)
{
    static const unsigned within[] = {60, 700, 2400};
    uint32_t day = world_rows_next(seed) % within[world_rows_next(seed) % countof(within)];
    buf_printf(sql, "date('2024-08-14', '-%u days')||'%s'", day, time);
}

static inline void world_rows_cell(const struct world_table *table,
                                   const struct world_column *column, unsigned row, uint32_t *seed,
                                   struct buf *sql)
{
    if (column->nullable && world_rows_next(seed) % 4 == 0)
        buf_push(sql, STR("NULL"));
    else if (column->to != NULL) /* the first rows often, the last ones never */
        buf_printf(sql, "%u", 1 + world_rows_low(seed));
    else if (column == table->columns)
        buf_printf(sql, "%u", row);
    else if (column->type == CATALOG_TEXT)
        world_rows_text(table, column, row, seed, sql);
    else if (column->type == CATALOG_TIMESTAMP)
        world_rows_day(" 10:30:00", seed, sql);
    else if (column->type == CATALOG_DATE)
        world_rows_day("", seed, sql);
    else if (column->type == CATALOG_BOOLEAN)
        buf_printf(sql, "%u", world_rows_next(seed) % 2);
    else /* most are small */
        buf_printf(sql, "%u", (1 + world_rows_next(seed) % 20) * (1 + world_rows_next(seed) % 20));
}

static inline void world_rows_fill(const struct world_table *table, uint32_t *seed, struct buf *sql)
{
    buf_printf(sql, "CREATE TABLE \"%s\" (", table->name);
    for (size_t c = 0; c < countof(table->columns) && table->columns[c].name != NULL; c++)
        buf_printf(sql, "%s\"%s\"", c > 0 ? "," : "", table->columns[c].name);
    buf_push(sql, STR(");"));
    for (unsigned row = 1; row <= WORLD_ROWS; row++) {
        buf_printf(sql, "INSERT INTO \"%s\" VALUES (", table->name);
        for (size_t c = 0; c < countof(table->columns) && table->columns[c].name != NULL; c++) {
            if (c > 0)
                buf_push_char(sql, ',');
            world_rows_cell(table, &table->columns[c], row, seed, sql);
        }
        buf_push(sql, STR(");"));
    }
}

/* Close it with sqlite3_close. */
static inline sqlite3 *world_rows_open(void)
{
    uint32_t seed = 7;
    sqlite3 *db = NULL;
    struct buf sql;
    buf_init(&sql, 1 << 20);
    TEST_EACH(table, world_tables)
        world_rows_fill(table, &seed, &sql);
    buf_push_char(&sql, '\0');
    assert_true(buf_ok(&sql));
    EXPECT_INT("open", sqlite3_open(":memory:", &db), SQLITE_OK);
    EXPECT_INT("fill", sqlite3_exec(db, buf_str(&sql).at, NULL, NULL, NULL), SQLITE_OK);
    buf_fini(&sql);
    return db;
}

#endif

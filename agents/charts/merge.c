/* SPDX-License-Identifier: MIT */
/* agents/charts/merge.c - find a pair by names and cells, write a table with one column fewer.
 *
 * Failure: a cell that does not fit leaves the two columns apart. */
#include "agents/charts/merge.h"

#include "agents/charts/names.h"

enum { NO_COLUMN = -1, MAX_COLUMNS = 64 };
enum pair_kind { PAIR_NAMES, PAIR_MONTHS, PAIR_QUARTERS };

struct pair {
    enum pair_kind kind;
    int first, second;
};

static bool read_integer(const struct charts_cell *cell, int least, int most, int *value)
{
    uint64_t number;
    if (cell->type == CHARTS_TEXT && cell->text.len <= 4 && str_to_u64(cell->text, &number))
        *value = (int)number;
    else if (cell->type == CHARTS_NUMBER && cell->number >= 0 && cell->number <= 9999 &&
             cell->number == (int)cell->number)
        *value = (int)cell->number;
    else
        return false;
    return *value >= least && *value <= most;
}

static bool join(enum pair_kind kind, const struct charts_cell *a, const struct charts_cell *b,
                 struct arena *arena, struct str *text)
{
    int year, part;
    if (kind == PAIR_NAMES) {
        if (a->type == CHARTS_NUMBER || b->type == CHARTS_NUMBER)
            return false;
        *text = arena_printf(arena, "%.*s %.*s", STR_ARG(a->text), STR_ARG(b->text));
        *text = str_trim(*text);
        return true;
    }
    if (!read_integer(a, 1500, 2500, &year) ||
        !read_integer(b, 1, kind == PAIR_MONTHS ? 12 : 4, &part))
        return false;
    *text = arena_printf(arena, kind == PAIR_MONTHS ? "%04d-%02d" : "%04d-Q%d", year, part);
    return true;
}

static bool find_pair(const struct charts_names *names, size_t count, struct pair *pair)
{
    int given = NO_COLUMN, family = NO_COLUMN, year = NO_COLUMN, part = NO_COLUMN;
    bool is_month = false;
    for (int i = 0; i < (int)count; i++) {
        struct str last = names[i].count > 0 ? names[i].words[names[i].count - 1] : STR("");
        int person = charts_names_person_part(&names[i]);
        given = person == 1 && given < 0 ? i : given;
        family = person == 2 && family < 0 ? i : family;
        year = year < 0 && charts_names_is_year(&names[i]) ? i : year;
        if (part < 0 && (str_equal(last, STR("month")) || str_equal(last, STR("quarter")))) {
            part = i;
            is_month = str_equal(last, STR("month"));
        }
    }
    if (given >= 0 && family >= 0)
        *pair = (struct pair){PAIR_NAMES, given, family};
    else if (year >= 0 && part >= 0 && year != part)
        *pair = (struct pair){is_month ? PAIR_MONTHS : PAIR_QUARTERS, year, part};
    else
        return false;
    return true;
}

/* The cells of the two as one column; false: they do not fit, or no memory. */
static bool join_cells(const struct charts_table *from, const struct pair *pair,
                       struct arena *arena, struct charts_cell *joined)
{
    for (size_t row = 0; row < from->row_count; row++) {
        const struct charts_cell *a = charts_table_at(from, row, (size_t)pair->first);
        const struct charts_cell *b = charts_table_at(from, row, (size_t)pair->second);
        joined[row].type = CHARTS_TEXT;
        if (!join(pair->kind, a, b, arena, &joined[row].text))
            return false;
        if (str_is_empty(joined[row].text))
            joined[row].type = CHARTS_NULL;
    }
    return arena_ok(arena);
}

static void write_table(const struct charts_table *from, const struct pair *pair,
                        const struct charts_cell *joined, struct charts_column *columns,
                        struct charts_cell *cells)
{
    size_t column_count = from->column_count - 1, at = 0;
    for (size_t i = 0; i < from->column_count; i++)
        if (i != (size_t)pair->second && i != (size_t)pair->first)
            columns[i - (i > (size_t)pair->second)] = from->columns[i];
    for (size_t row = 0; row < from->row_count; row++)
        for (size_t i = 0; i < from->column_count; i++) {
            if (i == (size_t)pair->second)
                continue;
            cells[at++] = i == (size_t)pair->first ? joined[row] : *charts_table_at(from, row, i);
        }
    CHECK(at == column_count * from->row_count);
}

bool charts_merge_columns(const struct charts_table *from, struct arena *arena,
                          struct charts_table *to)
{
    struct charts_names names[MAX_COLUMNS];
    struct pair pair;
    *to = *from;
    if (from->column_count > MAX_COLUMNS || from->row_count == 0)
        return true;
    for (size_t i = 0; i < from->column_count; i++)
        names[i] = charts_names_read(arena, from->columns[i].name);
    if (!find_pair(names, from->column_count, &pair))
        return arena_ok(arena);
    struct charts_cell *joined = arena_array(arena, from->row_count, sizeof *joined);
    if (joined == NULL)
        return false;
    if (!join_cells(from, &pair, arena, joined))
        return arena_ok(arena);
    struct charts_column *columns = arena_array(arena, from->column_count, sizeof *columns);
    struct charts_cell *cells =
        arena_array(arena, from->row_count * from->column_count, sizeof *cells);
    if (columns == NULL || cells == NULL)
        return false;
    write_table(from, &pair, joined, columns, cells);
    size_t place = (size_t)pair.first - (pair.first > pair.second);
    columns[place] = (struct charts_column){
        .name = arena_printf(arena, "%.*s %.*s", STR_ARG(from->columns[pair.first].name),
                             STR_ARG(from->columns[pair.second].name)),
        .kind = pair.kind == PAIR_NAMES ? CHARTS_CATEGORY : CHARTS_TIME,
        .of = from->columns[pair.first].of};
    *to = (struct charts_table){columns, from->column_count - 1, cells, from->row_count,
                                from->is_truncated};
    return arena_ok(arena);
}

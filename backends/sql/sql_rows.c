/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_rows.c - values in one array that doubles, texts in an arena.
 *
 * Happy path: columns once, then a row at a time until there are no more.
 * Failure: a cap reached (truncated, no error), a value or the first row over the byte cap, no
 * memory. */
#include "backends/sql/sql_rows.h"

#include <string.h>

#include "core/base/mem.h"

enum { DEFAULT_ROWS = 1000, DEFAULT_BYTES = 4 << 20, FIRST_ROWS = 16, ARENA_SLACK = 256 << 10 };

void sql_rows_init(struct sql_rows *rows, const struct sql_statement *statement)
{
    *rows = (struct sql_rows){
        .max_rows = statement->max_rows == 0 ? DEFAULT_ROWS : statement->max_rows,
        .max_bytes = statement->max_bytes == 0 ? DEFAULT_BYTES : statement->max_bytes};
    arena_init(&rows->arena, size_min(rows->max_bytes, SIZE_MAX / 4) * 2 + ARENA_SLACK);
}

void sql_rows_fini(struct sql_rows *rows)
{
    arena_fini(&rows->arena);
    mem_free(rows->values);
    *rows = (struct sql_rows){0};
}

struct str *sql_rows_columns(struct sql_rows *rows, size_t count)
{
    struct str *names = arena_array(&rows->arena, size_max(count, 1), sizeof *names);
    rows->result.columns = names;
    rows->result.column_count = count;
    return names;
}

static bool make_room(struct sql_rows *rows)
{
    size_t cap = rows->row_cap == 0 ? FIRST_ROWS : rows->row_cap * 2;
    size_t cells, bytes;
    if (rows->result.row_count < rows->row_cap)
        return true;
    cap = size_min(rows->max_rows, cap);
    if (!size_mul(cap, rows->result.column_count, &cells) ||
        !size_mul(cells, sizeof *rows->values, &bytes))
        return false;
    struct sql_value *values = mem_resize(rows->values, bytes);
    if (values == NULL)
        return false;
    rows->values = values;
    rows->result.values = values;
    rows->row_cap = cap;
    return true;
}

enum err_code sql_rows_next(struct sql_rows *rows, size_t row_bytes, size_t largest_bytes,
                            struct sql_value **row, struct err *err)
{
    struct sql_result *result = &rows->result;
    size_t columns = result->column_count;
    *row = NULL;
    if (result->truncated || result->row_count == rows->max_rows) {
        result->truncated = true;
        return ERR_OK;
    }
    if (largest_bytes > rows->max_bytes)
        return err_set(err, ERR_TOO_LARGE, "a value of %zu bytes is over the limit of %zu",
                       largest_bytes, rows->max_bytes);
    if (row_bytes > rows->max_bytes - rows->bytes) {
        result->truncated = true;
        if (result->row_count > 0)
            return ERR_OK;
        return err_set(err, ERR_TOO_LARGE, "one row of %zu bytes is over the limit of %zu",
                       row_bytes, rows->max_bytes);
    }
    if (!make_room(rows))
        return err_set(err, ERR_NO_MEMORY, "no memory for a result");
    rows->bytes += row_bytes;
    *row = &rows->values[result->row_count++ * columns];
    if (columns > 0)
        memset(*row, 0, columns * sizeof **row);
    return ERR_OK;
}

/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_rows.c - cells of a PGresult in text format, by their type's number.
 *
 * Happy path: the first result names the columns; each row is measured, gets room, and its cells
 * are read into it.
 * Failure: over a cap, no memory (sql_rows). A number that is none, which no server sends, stays
 * text. */
#include "backends/sql/pg_rows.h"

#include <libpq-fe.h>
#include <string.h>

/* Numbers of built-in types, fixed by PostgreSQL's catalog. */
enum pg_type {
    TYPE_BOOL = 16,
    TYPE_BYTEA = 17,
    TYPE_INT8 = 20,
    TYPE_INT2 = 21,
    TYPE_INT4 = 23,
    TYPE_OID = 26,
    TYPE_FLOAT4 = 700,
    TYPE_FLOAT8 = 701,
    TYPE_NUMERIC = 1700,
};

static struct str cell_text(const PGresult *result, int row, int column)
{
    return str_make(PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column));
}

static bool is_hex(struct str text)
{
    return text.len >= 2 && text.len % 2 == 0 && text.at[0] == '\\' && text.at[1] == 'x';
}

static size_t cell_bytes(const PGresult *result, int row, int column)
{
    size_t bytes = (size_t)PQgetlength(result, row, column);
    switch (PQftype(result, column)) {
    case TYPE_BOOL:
    case TYPE_INT8:
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_OID:
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
        return SQL_ROWS_NUMBER_BYTES;
    case TYPE_BYTEA:
        return is_hex(cell_text(result, row, column)) ? bytes / 2 - 1 : bytes;
    default:
        return PQgetisnull(result, row, column) ? SQL_ROWS_NUMBER_BYTES : bytes;
    }
}

static unsigned hex_digit(char c)
{
    return (unsigned)(str_is_digit(c) ? c - '0' : str_lower(c) - 'a' + 10) & 15U;
}

struct str pg_rows_bytea(struct arena *arena, struct str text)
{
    if (!is_hex(text))
        return arena_str(arena, text);
    size_t len = text.len / 2 - 1;
    char *bytes = arena_alloc(arena, size_max(len, 1));
    for (size_t i = 0; i < len && bytes != NULL; i++)
        bytes[i] = (char)(hex_digit(text.at[2 + 2 * i]) << 4 | hex_digit(text.at[3 + 2 * i]));
    return str_make(bytes, bytes == NULL ? 0 : len);
}

static struct sql_value read_text(struct arena *arena, struct str text)
{
    return (struct sql_value){.type = str_is_utf8(text) ? SQL_TEXT : SQL_BLOB,
                              .text = arena_str(arena, text)};
}

static struct sql_value read_cell(struct arena *arena, unsigned type, struct str text)
{
    struct sql_value value = {0};
    switch (type) {
    case TYPE_BOOL:
        return (struct sql_value){.type = SQL_BOOL, .integer = str_equal(text, STR("t"))};
    case TYPE_INT8:
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_OID:
        value.type = SQL_INT;
        return str_to_i64(text, &value.integer) ? value : read_text(arena, text);
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
        value.type = SQL_REAL;
        return str_to_double(text, &value.real) ? value : read_text(arena, text);
    case TYPE_BYTEA:
        return (struct sql_value){.type = SQL_BLOB, .text = pg_rows_bytea(arena, text)};
    case TYPE_NUMERIC: /* its words: NaN, Infinity, -Infinity */
        value = read_text(arena, text);
        if (!str_is_empty(text) && str_is_digit(text.at[text.len - 1]))
            value.type = SQL_DECIMAL;
        return value;
    default:
        return read_text(arena, text);
    }
}

static enum err_code keep_row(struct sql_rows *rows, const PGresult *result, int row,
                              struct err *err)
{
    size_t row_bytes = 0, largest = 0;
    int columns = (int)rows->result.column_count;
    struct sql_value *values;
    for (int i = 0; i < columns; i++) {
        size_t bytes = cell_bytes(result, row, i);
        row_bytes += bytes;
        largest = size_max(largest, bytes);
    }
    enum err_code code = sql_rows_next(rows, row_bytes, largest, &values, err);
    if (code != ERR_OK || values == NULL)
        return code;
    for (int i = 0; i < columns; i++)
        if (!PQgetisnull(result, row, i))
            values[i] = read_cell(&rows->arena, PQftype(result, i), cell_text(result, row, i));
    return arena_ok(&rows->arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for a result");
}

static void mend_name(char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] >= 0x80)
            name[i] = '?';
}

static enum err_code keep_names(struct sql_rows *rows, const PGresult *result, struct err *err)
{
    size_t count = (size_t)PQnfields(result);
    struct str *names = sql_rows_columns(rows, count);
    for (size_t i = 0; i < count && names != NULL; i++) {
        struct str name = str_of(PQfname(result, (int)i));
        char *copy = arena_cstr(&rows->arena, name);
        if (copy != NULL && !str_is_utf8(name))
            mend_name(copy, name.len);
        names[i] = str_make(copy, copy == NULL ? 0 : name.len);
    }
    return arena_ok(&rows->arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for a result");
}

enum pg_rows_kind pg_rows_kind(const struct pg_result *result)
{
    switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
        return PG_ROWS_SOME;
    case PGRES_PIPELINE_ABORTED:
        return PG_ROWS_SKIPPED;
    case PGRES_BAD_RESPONSE:
    case PGRES_FATAL_ERROR:
        return PG_ROWS_FAILED;
    default:
        return PG_ROWS_NONE;
    }
}

enum err_code pg_rows_keep(struct sql_rows *rows, const struct pg_result *result, struct err *err)
{
    int count = PQntuples(result);
    if (rows->result.columns == NULL) {
        enum err_code code = keep_names(rows, result, err);
        if (code != ERR_OK)
            return code;
    }
    for (int row = 0; row < count && !rows->result.truncated; row++) {
        enum err_code code = keep_row(rows, result, row, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

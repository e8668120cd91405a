/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_rows.c - the row a statement stands on, value by value.
 *
 * Happy path: nothing is bound to the statement, so the library leaves the row where it received it
 * and knows each value's place and length; a value is fetched once to learn its length (texts) or
 * to have it (numbers), and once more into memory of exactly that size.
 * Failure paths: those of sql_rows, and no memory for a text. */
#include "backends/sql/mysql_rows.h"

/* After ours: it defines list_push as a macro. */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINARY_CHARSET = 63, TIME_TEXT_BYTES = 48, BIT_BYTES = 8, JSON_TYPE = 245 };

enum err_code mysql_rows_name(struct sql_rows *rows, MYSQL_STMT *stmt, struct err *err)
{
    const MYSQL_FIELD *fields = mariadb_stmt_fetch_fields(stmt);
    size_t count = mysql_stmt_field_count(stmt);
    struct str *names = sql_rows_columns(rows, count);
    for (size_t i = 0; i < count && names != NULL; i++)
        names[i] = arena_str(&rows->arena, str_make(fields[i].name, fields[i].name_length));
    return arena_ok(&rows->arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for a result");
}

/* ---- what a column holds ---- */

enum shape {
    SHAPE_BY_CHARSET, /* bytes, or text */
    SHAPE_INT,
    SHAPE_BIT,
    SHAPE_FLOAT,
    SHAPE_REAL,
    SHAPE_TIME,
    SHAPE_TEXT,
    SHAPE_BYTES
};

static enum shape shape_of(const MYSQL_FIELD *field)
{
    static const enum shape shapes[] = {
        [MYSQL_TYPE_TINY] = SHAPE_INT,
        [MYSQL_TYPE_SHORT] = SHAPE_INT,
        [MYSQL_TYPE_INT24] = SHAPE_INT,
        [MYSQL_TYPE_LONG] = SHAPE_INT,
        [MYSQL_TYPE_LONGLONG] = SHAPE_INT,
        [MYSQL_TYPE_YEAR] = SHAPE_INT,
        [MYSQL_TYPE_BIT] = SHAPE_BIT,
        [MYSQL_TYPE_FLOAT] = SHAPE_FLOAT,
        [MYSQL_TYPE_DOUBLE] = SHAPE_REAL,
        [MYSQL_TYPE_DATE] = SHAPE_TIME,
        [MYSQL_TYPE_NEWDATE] = SHAPE_TIME,
        [MYSQL_TYPE_DATETIME] = SHAPE_TIME,
        [MYSQL_TYPE_DATETIME2] = SHAPE_TIME,
        [MYSQL_TYPE_TIMESTAMP] = SHAPE_TIME,
        [MYSQL_TYPE_TIMESTAMP2] = SHAPE_TIME,
        [MYSQL_TYPE_TIME] = SHAPE_TIME,
        [MYSQL_TYPE_TIME2] = SHAPE_TIME,
        [MYSQL_TYPE_DECIMAL] = SHAPE_TEXT,
        [MYSQL_TYPE_NEWDECIMAL] = SHAPE_TEXT,
        [MYSQL_TYPE_GEOMETRY] = SHAPE_BYTES,
        [JSON_TYPE] = SHAPE_TEXT, /* MySQL marks it binary, though it is text */
    };
    size_t type = (size_t)field->type;
    if (type < countof(shapes) && shapes[type] != SHAPE_BY_CHARSET)
        return shapes[type];
    return field->charsetnr == BINARY_CHARSET ? SHAPE_BYTES : SHAPE_TEXT;
}

/* ---- one value ---- */

/* The value in column i as type, into buffer. Its length in the row goes to *length. False: NULL.
 */
static bool fetch(MYSQL_STMT *stmt, size_t i, enum enum_field_types type, void *buffer,
                  size_t buffer_bytes, unsigned long *length)
{
    my_bool is_null = 0;
    MYSQL_BIND bind = {.buffer_type = type,
                       .buffer = buffer,
                       .buffer_length = buffer_bytes,
                       .length = length,
                       .is_null = &is_null};
    *length = 0;
    return mysql_stmt_fetch_column(stmt, &bind, (unsigned)i, 0) == 0 && !is_null;
}

static struct sql_value unsigned_value(struct sql_rows *rows, uint64_t number)
{
    struct sql_value value = {.type = SQL_INT, .integer = (int64_t)number};
    if (number > INT64_MAX) {
        value = (struct sql_value){.type = SQL_DECIMAL};
        value.text = arena_printf(&rows->arena, "%llu", (unsigned long long)number);
    }
    return value;
}

static struct sql_value int_value(struct sql_rows *rows, MYSQL_STMT *stmt, size_t i,
                                  const MYSQL_FIELD *field)
{
    long long number = 0;
    unsigned long length;
    if (!fetch(stmt, i, MYSQL_TYPE_LONGLONG, &number, sizeof number, &length))
        return (struct sql_value){.type = SQL_NULL};
    if (field->flags & UNSIGNED_FLAG)
        return unsigned_value(rows, (uint64_t)number);
    return (struct sql_value){.type = SQL_INT, .integer = number};
}

static struct sql_value bit_value(struct sql_rows *rows, MYSQL_STMT *stmt, size_t i)
{
    unsigned char bytes[BIT_BYTES];
    unsigned long length;
    uint64_t number = 0;
    if (!fetch(stmt, i, MYSQL_TYPE_BLOB, bytes, sizeof bytes, &length))
        return (struct sql_value){.type = SQL_NULL};
    for (size_t at = 0; at < size_min(length, sizeof bytes); at++)
        number = number << 8 | bytes[at];
    return unsigned_value(rows, number);
}

/* The shortest decimal that reads as the same float, as a double: 0.1f is 0.1. */
static double shortest_of(float number)
{
    char text[32];
    for (int digits = 6; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            return strtod(text, NULL);
    }
    return (double)number;
}

static struct sql_value real_value(MYSQL_STMT *stmt, size_t i, enum shape shape)
{
    struct sql_value value = {.type = SQL_REAL};
    unsigned long length;
    float narrow = 0;
    bool some = shape == SHAPE_FLOAT
                    ? fetch(stmt, i, MYSQL_TYPE_FLOAT, &narrow, sizeof narrow, &length)
                    : fetch(stmt, i, MYSQL_TYPE_DOUBLE, &value.real, sizeof value.real, &length);
    if (!some)
        value.type = SQL_NULL;
    else if (shape == SHAPE_FLOAT)
        value.real = shortest_of(narrow);
    return value;
}

static struct sql_value time_value(struct sql_rows *rows, MYSQL_STMT *stmt, size_t i)
{
    char text[TIME_TEXT_BYTES];
    unsigned long length;
    if (!fetch(stmt, i, MYSQL_TYPE_STRING, text, sizeof text, &length))
        return (struct sql_value){.type = SQL_NULL};
    struct str copy = arena_str(&rows->arena, str_make(text, size_min(length, sizeof text)));
    return (struct sql_value){.type = SQL_TEXT, .text = copy};
}

static struct sql_value text_value(struct sql_rows *rows, MYSQL_STMT *stmt, size_t i,
                                   const MYSQL_FIELD *field, enum shape shape)
{
    struct sql_value value = {.type = SQL_NULL};
    unsigned long length;
    char none;
    if (!fetch(stmt, i, MYSQL_TYPE_BLOB, &none, 0, &length))
        return value;
    char *copy = arena_alloc(&rows->arena, size_max(length, 1));
    if (copy == NULL || !fetch(stmt, i, MYSQL_TYPE_BLOB, copy, length, &length))
        return value;
    value.text = str_make(copy, length);
    if (field->type == MYSQL_TYPE_DECIMAL || field->type == MYSQL_TYPE_NEWDECIMAL)
        value.type = SQL_DECIMAL;
    else
        value.type = shape == SHAPE_TEXT && str_is_utf8(value.text) ? SQL_TEXT : SQL_BLOB;
    return value;
}

static struct sql_value read_value(struct sql_rows *rows, MYSQL_STMT *stmt, size_t i,
                                   const MYSQL_FIELD *field)
{
    enum shape shape = shape_of(field);
    switch (shape) {
    case SHAPE_INT:
        return int_value(rows, stmt, i, field);
    case SHAPE_BIT:
        return bit_value(rows, stmt, i);
    case SHAPE_FLOAT:
    case SHAPE_REAL:
        return real_value(stmt, i, shape);
    case SHAPE_TIME:
        return time_value(rows, stmt, i);
    case SHAPE_BY_CHARSET:
    case SHAPE_TEXT:
    case SHAPE_BYTES:
        break;
    }
    return text_value(rows, stmt, i, field, shape);
}

/* ---- one row ---- */

static size_t size_of_value(MYSQL_STMT *stmt, size_t i, const MYSQL_FIELD *field)
{
    enum shape shape = shape_of(field);
    unsigned long length;
    char none;
    if (shape != SHAPE_TEXT && shape != SHAPE_BYTES)
        return SQL_ROWS_NUMBER_BYTES;
    return fetch(stmt, i, MYSQL_TYPE_BLOB, &none, 0, &length) ? length : 0;
}

enum err_code mysql_rows_keep(struct sql_rows *rows, MYSQL_STMT *stmt, struct err *err)
{
    const MYSQL_FIELD *fields = mariadb_stmt_fetch_fields(stmt);
    size_t count = rows->result.column_count, row_bytes = 0, largest = 0;
    struct sql_value *row;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = size_of_value(stmt, i, &fields[i]);
        row_bytes += bytes;
        largest = size_max(largest, bytes);
    }
    enum err_code code = sql_rows_next(rows, row_bytes, largest, &row, err);
    if (code != ERR_OK || row == NULL)
        return code;
    for (size_t i = 0; i < count; i++)
        row[i] = read_value(rows, stmt, i, &fields[i]);
    return arena_ok(&rows->arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for a result");
}

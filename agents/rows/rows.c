/* SPDX-License-Identifier: MIT */
/* agents/rows/rows.c - typed values to JSON.
 *
 * Happy path: all rows are written, with their number. Rows past a limit of bytes are taken back
 * whole. In a prompt a long text ends with the number of characters that it has. Failure: the
 * buffer says so. */
#include "agents/rows/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "proto/json_write.h"

enum { TAIL_BYTES = 160, FEWEST_CELL_BYTES = 16 };

/* ---- cells ---- */

/* Bytes that are no text: "\x" and their digits, which loses nothing. */
static void write_bytes(struct json_write *writer, struct str bytes)
{
    static const char digits[] = "0123456789abcdef";
    struct buf out;
    buf_init(&out, 2 * bytes.len + 2);
    char *at = buf_reserve(&out, 2 * bytes.len + 2);
    if (at == NULL) {
        writer->buf->failed = true;
        return;
    }
    at[0] = '\\';
    at[1] = 'x';
    for (size_t i = 0; i < bytes.len; i++) {
        at[2 + 2 * i] = digits[(unsigned char)bytes.at[i] >> 4];
        at[3 + 2 * i] = digits[(unsigned char)bytes.at[i] & 15];
    }
    buf_commit(&out, 2 * bytes.len + 2);
    json_write_str(writer, buf_str(&out));
    buf_fini(&out);
}

void rows_write_value(struct json_write *writer, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_NULL:
        json_write_null(writer);
        break;
    case SQL_INT:
        json_write_i64(writer, value->integer);
        break;
    case SQL_BOOL:
        json_write_bool(writer, value->integer != 0);
        break;
    case SQL_REAL:
        json_write_double(writer, value->real);
        break;
    case SQL_DECIMAL: /* digits as they are: no binary fraction in between (R267) */
        json_write_raw(writer, value->text);
        break;
    case SQL_BLOB:
        if (!str_is_utf8(value->text)) {
            write_bytes(writer, value->text);
            break;
        }
        json_write_str(writer, value->text);
        break;
    case SQL_TEXT:
        json_write_str(writer, value->text);
        break;
    }
}

static size_t count_characters(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return count;
}

/* A value in a prompt: a text of more than most bytes is cut. */
static void write_shown(struct json_write *writer, const struct sql_value *value, size_t most)
{
    char text[ROWS_CELL_BYTES + TAIL_BYTES];
    if (value->type == SQL_BLOB && !str_is_utf8(value->text)) {
        snprintf(text, sizeof text, "(%zu bytes)", value->text.len);
        json_write_str(writer, str_of(text));
        return;
    }
    if (value->type == SQL_REAL && isfinite(value->real)) { /* not what binary fractions leave */
        snprintf(text, sizeof text, "%.12g", value->real);
        json_write_raw(writer, str_of(text));
        return;
    }
    if ((value->type != SQL_TEXT && value->type != SQL_BLOB) || value->text.len <= most) {
        rows_write_value(writer, value);
        return;
    }
    struct str start = str_utf8_prefix(value->text, most);
    snprintf(text, sizeof text, "%.*s... (%zu characters)", STR_ARG(start),
             count_characters(value->text));
    json_write_str(writer, str_of(text));
}

/* ---- whole ---- */

void rows_write_columns(struct json_write *writer, const struct sql_result *result)
{
    json_write_array(writer);
    for (size_t i = 0; i < result->column_count; i++)
        json_write_str(writer, result->columns[i]);
    json_write_array_end(writer);
}

/* Write rows until the text is longer than most; returns how many. */
static size_t write_rows(struct json_write *writer, const struct sql_result *result, size_t most)
{
    size_t row = 0;
    for (; row < result->row_count; row++) {
        const struct json_write before = *writer;
        const size_t len = buf_len(writer->buf);
        json_write_array(writer);
        for (size_t column = 0; column < result->column_count; column++)
            rows_write_value(writer, sql_result_at(result, row, column));
        json_write_array_end(writer);
        if (most == 0 || buf_len(writer->buf) <= most)
            continue;
        buf_truncate(writer->buf, len);
        *writer = before;
        break;
    }
    return row;
}

struct rows_counted rows_write(struct buf *out, const struct sql_result *result,
                               const struct rows_whole *whole)
{
    const uint64_t *counted = whole->counted;
    struct json_write writer;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_key(&writer, STR("columns"));
    rows_write_columns(&writer, result);
    json_write_key(&writer, STR("rows"));
    json_write_array(&writer);
    struct rows_counted told = {.here = write_rows(&writer, result, whole->max_bytes)};
    json_write_array_end(&writer);
    told.is_cut = result->truncated || told.here < result->row_count;
    told.total = counted != NULL && *counted > told.here ? *counted : told.here;
    told.is_known = !told.is_cut || told.total > told.here;
    if (!result->truncated && told.is_cut) { /* the engine gave all of them */
        told.total = result->row_count;
        told.is_known = true;
    }
    json_write_member_u64(&writer, STR("row_count"), told.here);
    json_write_member_bool(&writer, STR("truncated"), told.is_cut);
    if (told.is_cut && told.is_known)
        json_write_member_u64(&writer, STR("total_rows"), told.total);
    json_write_member_double(&writer, STR("execution_time_seconds"),
                             (double)result->duration_us / 1e6);
    if (!str_is_absent(whole->written))
        json_write_member_str(&writer, STR("written"), whole->written);
    json_write_object_end(&writer);
    return told;
}

/* ---- for a prompt ---- */

static size_t write_first_rows(struct json_write *writer, const struct sql_result *result,
                               size_t count, const struct rows_private *withheld)
{
    static const struct sql_value private_value = {.type = SQL_TEXT, .text = {"(private)", 9}};
    size_t shown = 0, columns = result->column_count == 0 ? 1 : result->column_count;
    size_t most = ROWS_SHOWN_BYTES / columns;
    most = most > ROWS_CELL_BYTES ? ROWS_CELL_BYTES : most;
    most = most < FEWEST_CELL_BYTES ? FEWEST_CELL_BYTES : most;
    const size_t from = buf_len(writer->buf);
    for (; shown < count && shown < ROWS_SHOWN && buf_ok(writer->buf) &&
           buf_len(writer->buf) - from < ROWS_SHOWN_BYTES;
         shown++) {
        json_write_array(writer);
        for (size_t column = 0; column < result->column_count; column++)
            write_shown(writer,
                        withheld != NULL && rows_private_has(withheld, column)
                            ? &private_value
                            : sql_result_at(result, shown, column),
                        most);
        json_write_array_end(writer);
    }
    return shown;
}

void rows_write_shown(struct buf *out, const struct sql_result *result,
                      const struct rows_counted *counted, const struct rows_private *withheld)
{
    char number[32], cut[TAIL_BYTES];
    struct json_write writer;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_key(&writer, STR("rows"));
    json_write_array(&writer);
    size_t shown = write_first_rows(&writer, result, counted->here, withheld);
    json_write_array_end(&writer);
    snprintf(number, sizeof number, "%" PRIu64, counted->total);
    if (counted->is_cut && counted->is_known)
        snprintf(cut, sizeof cut, "true (the first %zu of %" PRIu64 " are here)", shown,
                 counted->total);
    else if (counted->is_cut)
        snprintf(cut, sizeof cut, "true (the first %zu are here; nobody counted all)", shown);
    else if (shown < counted->here)
        snprintf(cut, sizeof cut, "false (the first %zu of %zu are here)", shown, counted->here);
    else
        snprintf(cut, sizeof cut, "false");
    json_write_member_str(&writer, STR("row_count"), str_of(number));
    json_write_member_str(&writer, STR("truncated"), str_of(cut));
    json_write_object_end(&writer);
}

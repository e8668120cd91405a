/* SPDX-License-Identifier: MIT */
/* server/results/result_writer.c - JSON and CSV; the workbook is result_sheet.c's.
 *
 * Happy path: what a file begins with, rows, what it ends with, a piece at each call.
 * Failure: the output takes no more: failed, and no more pieces. */
#include "server/results/result_writer.h"

#include "agents/rows/rows.h"
#include "proto/json_write.h"

enum { PIECE_BYTES = 16 * 1024, SCRATCH_BYTES = 16 * 1024 * 1024 };

/* ---- JSON ---- */

static void begin_json(struct result_writer *writer)
{
    struct json_write json;
    json_write_init(&json, writer->out);
    json_write_object(&json);
    json_write_key(&json, STR("columns"));
    rows_write_columns(&json, writer->result);
    buf_push(writer->out, STR(",\"rows\":["));
}

static void row_json(struct result_writer *writer, const struct sql_value *values)
{
    struct json_write json;
    if (writer->row > 0)
        buf_push_char(writer->out, ',');
    json_write_init(&json, writer->out);
    json_write_array(&json);
    for (size_t i = 0; i < writer->result->column_count; i++)
        rows_write_value(&json, &values[i]);
    json_write_array_end(&json);
}

static void end_json(struct result_writer *writer)
{
    buf_printf(writer->out, "],\"row_count\":%zu,\"truncated\":%s}", writer->result->row_count,
               writer->result->truncated ? "true" : "false");
}

/* ---- CSV ---- */

/* A spreadsheet takes what begins so for a formula; a number that begins so is none. */
static bool is_formula(struct str text)
{
    static const struct str wide[] = {STR("\xef\xbc\x9d"), STR("\xef\xbc\x8b"), STR("\xef\xbc\x8d"),
                                      STR("\xef\xbc\xa0")}; /* of =+-@ */
    double number;
    for (size_t i = 0; i < countof(wide); i++)
        if (str_starts_with(text, wide[i]))
            return true;
    return text.len > 0 && str_find_char(STR("=+-@\t\r\n"), text.at[0]) != STR_NONE &&
           !str_to_double(text, &number);
}

static void push_text(struct buf *out, struct str text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.len && !is_quoted; i++)
        is_quoted = str_find_char(STR("\",\r\n"), text.at[i]) != STR_NONE;
    if (is_quoted)
        buf_push_char(out, '"');
    if (is_formula(text))
        buf_push_char(out, '\'');
    while (!str_is_absent(text)) {
        buf_push(out, str_split(&text, '"'));
        if (!str_is_absent(text))
            buf_push(out, STR("\"\""));
    }
    if (is_quoted)
        buf_push_char(out, '"');
}

static void push_value(struct result_writer *writer, const struct sql_value *value)
{
    struct json_write json;
    if (value->type == SQL_NULL)
        return;
    if (value->type == SQL_TEXT || (value->type == SQL_BLOB && str_is_utf8(value->text))) {
        push_text(writer->out, value->text);
        return;
    }
    json_write_init(&json, writer->out);
    rows_write_value(&json, value);
}

static void begin_csv(struct result_writer *writer)
{
    for (size_t i = 0; i < writer->result->column_count; i++) {
        if (i > 0)
            buf_push_char(writer->out, ',');
        push_text(writer->out, writer->result->columns[i]);
    }
    buf_push(writer->out, STR("\r\n"));
}

static void row_csv(struct result_writer *writer, const struct sql_value *values)
{
    for (size_t i = 0; i < writer->result->column_count; i++) {
        if (i > 0)
            buf_push_char(writer->out, ',');
        push_value(writer, &values[i]);
    }
    buf_push(writer->out, STR("\r\n"));
}

static void end_csv(struct result_writer *writer UNUSED)
{
}

/* ---- any of them ---- */

static const struct result_format json_format = {"json",     "application/json", ".json",
                                                 begin_json, row_json,           end_json};
static const struct result_format csv_format = {
    "csv", "text/csv; charset=utf-8", ".csv", begin_csv, row_csv, end_csv};
static const struct result_format *const formats[] = {&json_format, &csv_format,
                                                      &result_sheet_format};

const struct result_format *result_format_find(struct str name)
{
    for (size_t i = 0; i < countof(formats); i++)
        if (str_equal(name, str_of(formats[i]->name)))
            return formats[i];
    return NULL;
}

const char *result_format_type(const struct result_format *format)
{
    return format->type;
}

const char *result_format_suffix(const struct result_format *format)
{
    return format->suffix;
}

void result_writer_init(struct result_writer *writer, const struct result_format *format,
                        const struct sql_result *result)
{
    *writer = (struct result_writer){.format = format, .result = result};
    buf_init(&writer->scratch, SCRATCH_BYTES);
}

void result_writer_fini(struct result_writer *writer)
{
    zip_write_fini(&writer->zip);
    buf_fini(&writer->scratch);
}

bool result_writer_step(struct result_writer *writer, struct buf *out)
{
    const struct sql_result *result = writer->result;
    const size_t before = buf_len(out);
    writer->out = writer->zip.out = out;
    if (!writer->is_begun)
        writer->format->begin(writer);
    writer->is_begun = true;
    size_t bytes = 0; /* of values: a packed file says nothing for long */
    while (writer->row < result->row_count && bytes < PIECE_BYTES &&
           buf_len(out) - before < PIECE_BYTES && !writer->failed) {
        const struct sql_value *values = sql_result_at(result, writer->row, 0);
        writer->format->row(writer, values);
        for (size_t i = 0; i < result->column_count; i++)
            bytes += sizeof *values + values[i].text.len;
        writer->row++;
    }
    const bool is_over = writer->row == result->row_count;
    if (is_over && !writer->failed)
        writer->format->end(writer);
    writer->failed = writer->failed || writer->zip.failed || !buf_ok(out);
    return !is_over && !writer->failed;
}

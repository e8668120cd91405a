/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_rows.c - two passes over the rows: how wide each column is, then the lines.
 *
 * Width is counted in code points. Failure: no memory for the widths: there is no table; a
 * cell that a buffer has no room for is empty. */
#include "server/cli/cmd_rows.h"

#include <inttypes.h>

#include "core/base/mem.h"
#include "proto/json_write.h"

enum { CELL_CHARACTERS = 60, CELL_BYTES = 64 * 1024 };

struct column {
    size_t width;
    bool is_text; /* a value of it is no number */
};

struct table {
    struct column *columns; /* NULL: no memory */
    size_t count;
    struct buf *out;
    struct buf scratch; /* the cell that is being written */
};

static const struct json_value *find_array(const struct json_value *data, const char *pointer)
{
    const struct json_value *found = json_value_find(data, pointer);
    return found != NULL && found->type == JSON_ARRAY ? found : NULL;
}

bool cmd_rows_any(const struct json_value *data)
{
    const struct json_value *columns = find_array(data, "/columns");
    const struct json_value *rows = find_array(data, "/rows");
    return columns != NULL && columns->count > 0 && rows != NULL && rows->count > 0;
}

/* The text of a cell; what is neither text nor number is JSON, in scratch. */
static struct str read_cell(const struct json_value *value, struct buf *scratch)
{
    struct json_write json;
    if (value->type == JSON_NULL)
        return STR("");
    if (value->type == JSON_STRING || value->type == JSON_INT || value->type == JSON_DOUBLE)
        return value->text;
    buf_clear(scratch);
    json_write_init(&json, scratch);
    json_value_write(value, &json);
    return buf_ok(scratch) ? buf_str(scratch) : STR("");
}

/* The bytes of the code point at the start of text, which is not empty. */
static size_t character_bytes(struct str text)
{
    size_t len = 1;
    while (len < text.len && ((unsigned char)text.at[len] & 0xC0) == 0x80)
        len++;
    return len;
}

/* Whether a terminal would obey it: C0, DEL, C1. */
static bool is_control(struct str character)
{
    unsigned char first = (unsigned char)character.at[0];
    return first < 0x20 || first == 0x7F ||
           (first == 0xC2 && character.len == 2 && (unsigned char)character.at[1] < 0xA0);
}

void cmd_rows_plain(struct str text, struct buf *out)
{
    while (text.len > 0) {
        struct str character = str_slice(text, 0, character_bytes(text));
        buf_push(out, is_control(character) ? STR(" ") : character);
        text = str_from(text, character.len);
    }
}

/* Append text as it is shown, to out unless that is NULL. Returns its characters. */
static size_t show(struct str text, struct buf *out)
{
    size_t count = 0;
    while (text.len > 0) {
        struct str character = str_slice(text, 0, character_bytes(text));
        text = str_from(text, character.len);
        bool is_cut = ++count == CELL_CHARACTERS && text.len > 0;
        if (out != NULL)
            buf_push(out, is_cut                  ? STR("\xE2\x80\xA6")
                          : is_control(character) ? STR(" ")
                                                  : character);
        if (is_cut)
            break;
    }
    return count;
}

static void measure(struct table *table, const struct json_value *cells, bool are_names)
{
    size_t at = 0;
    JSON_EACH(cell, cells) {
        if (at == table->count)
            return;
        struct column *column = &table->columns[at++];
        column->width = size_max(column->width, show(read_cell(cell, &table->scratch), NULL));
        if (!are_names && cell->type != JSON_NULL && cell->type != JSON_INT &&
            cell->type != JSON_DOUBLE)
            column->is_text = true;
    }
}

static void pad(struct buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_push_char(out, ' ');
}

static void write_cells(struct table *table, const struct json_value *cells)
{
    size_t at = 0;
    JSON_EACH(cell, cells) {
        if (at == table->count)
            break;
        const struct column *column = &table->columns[at++];
        struct str text = read_cell(cell, &table->scratch);
        size_t blanks = column->width - show(text, NULL);
        pad(table->out, at == 1 ? 2 : 3);
        if (!column->is_text)
            pad(table->out, blanks);
        (void)show(text, table->out);
        if (column->is_text && at < table->count)
            pad(table->out, blanks);
    }
    buf_push_char(table->out, '\n');
}

static void write_rule(struct table *table)
{
    for (size_t at = 0; at < table->count; at++) {
        pad(table->out, at == 0 ? 2 : 3);
        for (size_t i = 0; i < table->columns[at].width; i++)
            buf_push_char(table->out, '-');
    }
    buf_push_char(table->out, '\n');
}

void cmd_rows_table(const struct json_value *data, bool bold, struct buf *out)
{
    const struct json_value *columns = find_array(data, "/columns");
    const struct json_value *rows = find_array(data, "/rows");
    int64_t total = 0;
    if (columns == NULL || rows == NULL)
        return;
    struct table table = {.columns = mem_zalloc(columns->count + 1, sizeof *table.columns),
                          .count = columns->count,
                          .out = out};
    if (table.columns == NULL)
        return;
    buf_init(&table.scratch, CELL_BYTES);
    measure(&table, columns, true);
    JSON_EACH(row, rows)
        measure(&table, row, false);
    if (bold)
        buf_push(out, STR("\x1B[1m"));
    write_cells(&table, columns);
    if (bold)
        buf_push(out, STR("\x1B[0m"));
    write_rule(&table);
    JSON_EACH(row, rows)
        write_cells(&table, row);
    if (json_value_i64(data, "/total_rows", &total, NULL) == ERR_OK && total > (int64_t)rows->count)
        buf_printf(out, "  the first %zu of %" PRId64 " rows\n", rows->count, total);
    buf_fini(&table.scratch);
    mem_free(table.columns);
}

static void write_field(struct str text, struct buf *out)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.len; i++)
        is_quoted = is_quoted || str_find_char(STR(",\"\r\n"), text.at[i]) != STR_NONE;
    if (!is_quoted) {
        buf_push(out, text);
        return;
    }
    buf_push_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '"')
            buf_push_char(out, '"');
        buf_push_char(out, text.at[i]);
    }
    buf_push_char(out, '"');
}

static void write_line(const struct json_value *cells, struct buf *scratch, struct buf *out)
{
    JSON_EACH(cell, cells) {
        if (cell != cells->first)
            buf_push_char(out, ',');
        write_field(read_cell(cell, scratch), out);
    }
    buf_push(out, STR("\r\n"));
}

void cmd_rows_csv(const struct json_value *data, struct buf *out)
{
    const struct json_value *columns = find_array(data, "/columns");
    const struct json_value *rows = find_array(data, "/rows");
    struct buf scratch;
    if (columns == NULL || rows == NULL)
        return;
    buf_init(&scratch, CELL_BYTES);
    write_line(columns, &scratch, out);
    JSON_EACH(row, rows)
        write_line(row, &scratch, out);
    buf_fini(&scratch);
}

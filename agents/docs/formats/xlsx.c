/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/xlsx.c - the sheets of a workbook, cell by cell.
 *
 * Happy path: the book is read, then each sheet is a heading and a table whose first row is its
 * header; empty rows are left out, empty cells between others kept. Failure: no archive, no
 * workbook, broken XML. */
#include "agents/docs/formats/xlsx.h"

#include <stdio.h>
#include <stdlib.h>

#include "agents/docs/formats/markup.h"
#include "agents/docs/formats/xlsx_book.h"
#include "agents/docs/formats/xml_walk.h"
#include "core/base/mem.h"

enum { MOST_COLUMNS = 512, VALUE_BYTES = 1 << 20, ARENA_BYTES = 512 << 20, NUMBER_BYTES = 64 };

enum cell_type { CELL_NUMBER, CELL_SHARED, CELL_TEXT, CELL_BOOLEAN, CELL_ERROR };

struct reading {
    struct xlsx_book book;
    struct buf *out, row, value;
    size_t rows;    /* written of the sheet */
    size_t column;  /* of the cell in hand, from 0 */
    size_t written; /* cells of the row */
    enum cell_type type;
    size_t style;
    bool in_value;
};

/* The column that a reference like "AB12" names; the next one where it names none. */
static size_t column_of(const struct reading *reading, struct str reference)
{
    size_t column = 0, i = 0;
    for (; i < reference.len && str_is_alpha(reference.at[i]) && i < 4; i++)
        column = column * 26 + (size_t)(str_lower(reference.at[i]) - 'a') + 1;
    return column == 0 ? reading->written : column - 1;
}

static enum cell_type type_of(struct str type)
{
    if (str_equal(type, STR("s")))
        return CELL_SHARED;
    if (str_equal(type, STR("str")) || str_equal(type, STR("inlineStr")) ||
        str_equal(type, STR("d")))
        return CELL_TEXT;
    if (str_equal(type, STR("b")))
        return CELL_BOOLEAN;
    return str_equal(type, STR("e")) ? CELL_ERROR : CELL_NUMBER;
}

static size_t index_of(struct str digits)
{
    char text[NUMBER_BYTES];
    if (digits.len == 0 || digits.len >= sizeof text)
        return SIZE_MAX;
    snprintf(text, sizeof text, "%.*s", STR_ARG(digits));
    return (size_t)strtoul(text, NULL, 10);
}

static void begin_cell(struct reading *reading, struct xml_walk *walk)
{
    reading->column = column_of(reading, xml_walk_attribute(walk, "r"));
    struct str type = xml_walk_attribute(walk, "t");
    reading->type = str_is_absent(type) ? CELL_NUMBER : type_of(type);
    struct str style = xml_walk_attribute(walk, "s");
    reading->style = str_is_absent(style) ? SIZE_MAX : index_of(style);
    buf_clear(&reading->value);
}

static void on_begin(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("row"))) {
        buf_clear(&reading->row);
        reading->written = 0;
    } else if (str_equal(name, STR("c"))) {
        begin_cell(reading, walk);
    } else if (str_equal(name, STR("v")) || str_equal(name, STR("t"))) {
        reading->in_value = true;
    }
}

/* ---- the end of a cell, of a row ---- */

static void write_number(struct reading *reading, struct str text)
{
    const struct xlsx_book *book = &reading->book;
    char number[NUMBER_BYTES];
    if (reading->style < book->style_count && book->is_date[reading->style] && text.len > 0 &&
        text.len < sizeof number) {
        snprintf(number, sizeof number, "%.*s", STR_ARG(text));
        if (xlsx_book_date(book, strtod(number, NULL), &reading->row))
            return;
    }
    markup_text(&reading->row, text);
}

static void write_cell(struct reading *reading)
{
    const struct xlsx_book *book = &reading->book;
    struct str text = buf_str(&reading->value);
    size_t shared = reading->type == CELL_SHARED ? index_of(text) : SIZE_MAX;
    switch (reading->type) {
    case CELL_SHARED:
        if (shared < book->text_count)
            markup_text(&reading->row, book->texts[shared]);
        break;
    case CELL_BOOLEAN:
        buf_push(&reading->row, str_equal(text, STR("1")) ? STR("true") : STR("false"));
        break;
    case CELL_TEXT:
        markup_text(&reading->row, text);
        break;
    case CELL_NUMBER:
        write_number(reading, text);
        break;
    case CELL_ERROR:
        break; /* "#DIV/0!" is nothing that a document says */
    }
}

static void end_cell(struct reading *reading)
{
    const char *tag = reading->rows == 0 ? "th" : "td";
    if (buf_len(&reading->value) == 0 || reading->column >= MOST_COLUMNS)
        return;
    for (; reading->written < reading->column; reading->written++)
        buf_printf(&reading->row, "<%s></%s>", tag, tag);
    buf_printf(&reading->row, "<%s>", tag);
    write_cell(reading);
    buf_printf(&reading->row, "</%s>", tag);
    reading->written++;
}

static void end_row(struct reading *reading)
{
    if (reading->written == 0)
        return;
    buf_push(reading->out, STR("<tr>"));
    buf_push(reading->out, buf_str(&reading->row));
    buf_push(reading->out, STR("</tr>\n"));
    reading->rows++;
}

static void on_end(void *owner, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("v")) || str_equal(name, STR("t")))
        reading->in_value = false;
    else if (str_equal(name, STR("c")))
        end_cell(reading);
    else if (str_equal(name, STR("row")))
        end_row(reading);
}

static void on_text(void *owner, struct str text)
{
    struct reading *reading = owner;
    if (reading->in_value)
        buf_push(&reading->value, text);
}

static enum err_code write_sheet(struct reading *reading, struct archive *archive,
                                 const struct xlsx_sheet *sheet, struct buf *part, struct err *err)
{
    const struct xml_walk_hooks hooks = {on_begin, on_end, on_text, reading};
    char path[256];
    if (str_is_absent(sheet->path) || sheet->path.len >= sizeof path)
        return ERR_OK; /* a chart, or what another program left */
    snprintf(path, sizeof path, "%.*s", STR_ARG(sheet->path));
    enum err_code code = archive_read(archive, path, part, err);
    if (code != ERR_OK)
        return code == ERR_NOT_FOUND ? ERR_OK : code;
    if (!str_is_absent(sheet->name))
        markup_element(reading->out, "h2", sheet->name);
    buf_push(reading->out, STR("<table>\n"));
    reading->rows = 0;
    code = xml_walk_run(buf_str(part), &hooks, err);
    buf_push(reading->out, STR("</table>\n"));
    return code;
}

static enum err_code write_book(struct reading *reading, struct archive *archive, struct err *err)
{
    struct buf part;
    arena_init(&reading->book.arena, ARENA_BYTES);
    buf_init(&part, XLSX_PART_BYTES);
    buf_init(&reading->row, VALUE_BYTES);
    buf_init(&reading->value, VALUE_BYTES);
    enum err_code code = xlsx_book_read(&reading->book, archive, &part, err);
    for (size_t i = 0; code == ERR_OK && i < reading->book.sheet_count; i++)
        code = write_sheet(reading, archive, &reading->book.sheets[i], &part, err);
    buf_fini(&reading->value);
    buf_fini(&reading->row);
    buf_fini(&part);
    arena_fini(&reading->book.arena);
    return code;
}

enum err_code xlsx_write_html(struct str bytes, struct buf *out, struct err *err)
{
    struct archive *archive = archive_open(bytes, err);
    if (archive == NULL)
        return err->code;
    struct reading *reading = mem_zalloc(1, sizeof *reading);
    enum err_code code = ERR_NO_MEMORY;
    if (reading == NULL) {
        err_set(err, code, "no memory to read the workbook");
    } else {
        reading->out = out;
        code = write_book(reading, archive, err);
        mem_free(reading);
    }
    archive_close(archive);
    return code;
}

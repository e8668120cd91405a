/* SPDX-License-Identifier: MIT */
/* server/results/result_sheet.c - a workbook of one sheet (ECMA-376, SpreadsheetML): numbers as
 * numbers, dates as dates, texts as texts, the names of the columns above them, which stay in sight
 * and filter.
 *
 * Happy path: the small parts, then the sheet row by row, packed as it comes.
 * Failure: no memory for the XML of one row, or the archive's: failed. */
#include "server/results/result_writer.h"

#include <math.h>

#include "agents/rows/rows.h"
#include "core/base/calendar.h"
#include "proto/json_write.h"

/* From the last day but one of 1899, as spreadsheets count from March 1900 on. */
enum { DAYS_TO_1970 = 25569 };
enum {
    CELL_CHARACTERS = 32767,
    EXACT_DIGITS = 15, /* of a number in a cell; longer ones (keys, accounts) are texts */
    STYLE_HEAD = 1,    /* places in styles.xml's cellXfs */
    STYLE_DATE = 2,
    STYLE_MOMENT = 3,
    SECONDS_OF_DAY = 86400,
    LETTERS = 26,
};

#define XML       "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define MAIN      "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define RELATIONS "http://schemas.openxmlformats.org/package/2006/relationships"
#define OFFICE    "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define TYPES     "application/vnd.openxmlformats-officedocument.spreadsheetml"

static const struct {
    const char *name, *text;
} parts[] = {
    {"[Content_Types].xml",
     XML "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
         "<Default Extension=\"rels\" "
         "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
         "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
         "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" TYPES ".sheet.main+xml\"/>"
         "<Override PartName=\"/xl/styles.xml\" ContentType=\"" TYPES ".styles+xml\"/>"
         "<Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"" TYPES
         ".worksheet+xml\"/></Types>"},
    {"_rels/.rels", XML "<Relationships xmlns=\"" RELATIONS "\"><Relationship Id=\"r1\" "
                        "Type=\"" OFFICE "/officeDocument\" Target=\"xl/workbook.xml\"/>"
                        "</Relationships>"},
    {"xl/workbook.xml", XML "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" OFFICE "\"><sheets>"
                            "<sheet name=\"Rows\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"},
    {"xl/_rels/workbook.xml.rels",
     XML "<Relationships xmlns=\"" RELATIONS "\">"
         "<Relationship Id=\"r1\" Type=\"" OFFICE "/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
         "<Relationship Id=\"r2\" Type=\"" OFFICE "/styles\" Target=\"styles.xml\"/>"
         "</Relationships>"},
    {"xl/styles.xml",
     XML "<styleSheet xmlns=\"" MAIN "\"><numFmts count=\"2\">"
         "<numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/>"
         "<numFmt numFmtId=\"165\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss\"/></numFmts>"
         "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
         "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>"
         "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
         "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
         "<borders count=\"1\"><border/></borders>"
         "<cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs count=\"4\">"
         "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
         "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
         "applyFont=\"1\"/>"
         "<xf numFmtId=\"164\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
         "applyNumberFormat=\"1\"/>"
         "<xf numFmtId=\"165\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
         "applyNumberFormat=\"1\"/></cellXfs></styleSheet>"},
};

/* Pack what scratch has gathered. */
static void pack(struct result_writer *writer)
{
    writer->failed = writer->failed || !buf_ok(&writer->scratch);
    zip_write_bytes(&writer->zip, buf_str(&writer->scratch));
    buf_clear(&writer->scratch);
}

/* ---- cells ---- */

/* Text in XML 1.0, without what that cannot say: most control characters, and the two code points
 * at the end of the plane. */
static void push_escaped(struct buf *out, struct str text)
{
    size_t characters = 0;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.at[i];
        characters += (c & 0xc0) != 0x80;
        if (characters > CELL_CHARACTERS)
            return;
        const struct str rest = str_from(text, i);
        if (str_starts_with(rest, STR("\xef\xbf\xbe")) ||
            str_starts_with(rest, STR("\xef\xbf\xbf")))
            i += 2;
        else if (c == '&')
            buf_push(out, STR("&amp;"));
        else if (c == '<')
            buf_push(out, STR("&lt;"));
        else if (c == '>')
            buf_push(out, STR("&gt;"));
        else if (c == '\r')
            buf_push(out, STR("&#13;"));
        else if (c >= ' ' || c == '\t' || c == '\n')
            buf_push_char(out, text.at[i]);
    }
}

static void push_text(struct buf *out, struct str text, unsigned style)
{
    buf_push(out, STR("<c t=\"inlineStr\""));
    if (style > 0)
        buf_printf(out, " s=\"%u\"", style);
    buf_push(out, STR("><is><t xml:space=\"preserve\">"));
    push_escaped(out, text);
    buf_push(out, STR("</t></is></c>"));
}

/* The number that the len digits at from are; false: they are not all digits. */
static bool take_digits(struct str text, size_t from, size_t len, int *number)
{
    *number = 0;
    for (size_t i = from; i < from + len; i++) {
        if (i >= text.len || !str_is_digit(text.at[i]))
            return false;
        *number = *number * 10 + (text.at[i] - '0');
    }
    return true;
}

/* "2025-02-12" as days; false: it is none, or a day that spreadsheets count otherwise. */
static bool read_day(struct str text, int *days)
{
    int year, month, day;
    if (text.len != 10 || text.at[4] != '-' || text.at[7] != '-' ||
        !take_digits(text, 0, 4, &year) || !take_digits(text, 5, 2, &month) ||
        !take_digits(text, 8, 2, &day) || year < 1901 || month < 1 || month > 12 || day < 1 ||
        day > 31)
        return false;
    *days = (int)calendar_day(year, month, day) + DAYS_TO_1970;
    return true;
}

/* "15:30:00", "15:30" as seconds. */
static bool read_time(struct str text, int *seconds)
{
    int hour, minute, second = 0;
    if ((text.len != 5 && text.len != 8) || text.at[2] != ':' || !take_digits(text, 0, 2, &hour) ||
        !take_digits(text, 3, 2, &minute) ||
        (text.len == 8 && (text.at[5] != ':' || !take_digits(text, 6, 2, &second))))
        return false;
    *seconds = (hour * 60 + minute) * 60 + second;
    return hour < 24 && minute < 60 && second < 60;
}

/* A day, or a day and a time with a blank or T between, as a spreadsheet's number. */
static bool read_moment(struct str text, double *number, bool *has_time)
{
    int days, seconds = 0;
    *has_time = text.len > 10;
    if (!read_day(str_slice(text, 0, 10), &days) ||
        (*has_time &&
         ((text.at[10] != ' ' && text.at[10] != 'T') || !read_time(str_from(text, 11), &seconds))))
        return false;
    *number = days + (double)seconds / SECONDS_OF_DAY;
    return true;
}

static size_t count_digits(struct str number)
{
    size_t count = 0;
    for (size_t i = 0; i < number.len; i++)
        count += str_is_digit(number.at[i]) && (count > 0 || number.at[i] != '0');
    return count;
}

static void push_number(struct result_writer *writer, const struct sql_value *value)
{
    struct buf *out = &writer->scratch;
    struct json_write json;
    if (value->type == SQL_BOOL) {
        buf_printf(out, "<c t=\"b\"><v>%d</v></c>", value->integer != 0);
        return;
    }
    const size_t from = buf_len(out);
    buf_push(out, STR("<c><v>"));
    const size_t begun = buf_len(out);
    json_write_init(&json, out);
    rows_write_value(&json, value);
    const struct str digits = str_from(buf_str(out), begun);
    if (value->type == SQL_REAL || count_digits(digits) <= EXACT_DIGITS) {
        buf_push(out, STR("</v></c>"));
        return;
    }
    struct buf text;
    buf_init(&text, digits.len + 1);
    buf_push(&text, digits);
    buf_truncate(out, from);
    push_text(out, buf_str(&text), 0);
    writer->failed = writer->failed || !buf_ok(&text);
    buf_fini(&text);
}

static void push_value(struct result_writer *writer, const struct sql_value *value)
{
    struct buf *out = &writer->scratch;
    double number;
    bool has_time;
    if (value->type == SQL_NULL || (value->type == SQL_REAL && !isfinite(value->real)))
        buf_push(out, STR("<c/>"));
    else if (value->type == SQL_TEXT && read_moment(value->text, &number, &has_time))
        buf_printf(out, "<c s=\"%d\"><v>%.12g</v></c>", has_time ? STYLE_MOMENT : STYLE_DATE,
                   number);
    else if (value->type == SQL_TEXT || (value->type == SQL_BLOB && str_is_utf8(value->text)))
        push_text(out, value->text, 0);
    else if (value->type == SQL_BLOB)
        push_text(out, STR("(bytes)"), 0);
    else
        push_number(writer, value);
}

/* ---- the sheet ---- */

/* "A", "Z", "AA": the letters of column number i, from 0. */
static void push_letters(struct buf *out, size_t i)
{
    char letters[8];
    size_t at = sizeof letters;
    for (size_t rest = i + 1; rest > 0 && at > 0; rest = (rest - 1) / LETTERS)
        letters[--at] = (char)('A' + (rest - 1) % LETTERS);
    buf_push(out, str_make(letters + at, sizeof letters - at));
}

static void begin_sheet(struct result_writer *writer)
{
    struct buf *out = &writer->scratch;
    for (size_t i = 0; i < countof(parts); i++) {
        zip_write_entry(&writer->zip, parts[i].name);
        zip_write_bytes(&writer->zip, str_of(parts[i].text));
    }
    zip_write_entry(&writer->zip, "xl/worksheets/sheet1.xml");
    buf_push(out, STR(XML "<worksheet xmlns=\"" MAIN "\"><sheetViews>"
                          "<sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" "
                          "activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>"
                          "<sheetFormatPr defaultRowHeight=\"15\"/><cols><col min=\"1\" "));
    buf_printf(out, "max=\"%zu\" width=\"18\" customWidth=\"1\"/></cols><sheetData><row>",
               size_max(writer->result->column_count, 1));
    for (size_t i = 0; i < writer->result->column_count; i++)
        push_text(out, writer->result->columns[i], STYLE_HEAD);
    buf_push(out, STR("</row>"));
    pack(writer);
}

static void row_sheet(struct result_writer *writer, const struct sql_value *values)
{
    buf_push(&writer->scratch, STR("<row>"));
    for (size_t i = 0; i < writer->result->column_count; i++)
        push_value(writer, &values[i]);
    buf_push(&writer->scratch, STR("</row>"));
    pack(writer);
}

static void end_sheet(struct result_writer *writer)
{
    struct buf *out = &writer->scratch;
    buf_push(out, STR("</sheetData>"));
    if (writer->result->column_count > 0 && writer->result->row_count > 0) {
        buf_push(out, STR("<autoFilter ref=\"A1:"));
        push_letters(out, writer->result->column_count - 1);
        buf_printf(out, "%zu\"/>", writer->result->row_count + 1);
    }
    buf_push(out, STR("</worksheet>"));
    pack(writer);
    zip_write_end(&writer->zip);
}

const struct result_format result_sheet_format = {
    "xlsx",    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsx",   begin_sheet,
    row_sheet, end_sheet};

/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/xlsx_book.c - workbook.xml, its relations, sharedStrings.xml, styles.xml
 * (ECMA-376, part 1, section 18).
 *
 * Happy path: four parts, one walk each. Failure: a workbook without its first part is none; the
 * others may be missing. */
#include "agents/docs/formats/xlsx_book.h"

#include <math.h>
#include <string.h>

#include "agents/docs/formats/xml_walk.h"
#include "core/base/calendar.h"

enum { FIRST_TEXTS = 1024, MOST_FORMATS = 512, TEXT_BYTES = 1 << 20, MOST_DIGITS = 9 };
enum { SECONDS_A_DAY = 86400, DAYS_TO_1970 = 25569, DAYS_1904 = 1462, MOST_DAYS = 2958465 };

struct reading {
    struct xlsx_book *book;
    struct buf text; /* of the shared text in hand */
    bool in_text, in_phonetic, in_cell_formats, failed;
    unsigned dates[MOST_FORMATS]; /* numbers of the book's own formats that show dates */
    size_t date_count;
};

static unsigned number_of(struct str digits)
{
    unsigned value = 0;
    if (digits.len == 0 || digits.len > MOST_DIGITS)
        return UINT32_MAX;
    for (size_t i = 0; i < digits.len; i++) {
        if (!str_is_digit(digits.at[i]))
            return UINT32_MAX;
        value = value * 10 + (unsigned)(digits.at[i] - '0');
    }
    return value;
}

/* A copy; absent stays absent. */
static struct str keep(struct reading *reading, struct str text)
{
    struct str kept = str_is_absent(text) ? text : arena_str(&reading->book->arena, text);
    reading->failed |= !str_is_absent(text) && str_is_absent(kept);
    return kept;
}

/* ---- sheets ---- */

static void on_book(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    struct xlsx_book *book = reading->book;
    if (str_equal(name, STR("workbookPr"))) {
        struct str value = xml_walk_attribute(walk, "date1904");
        book->from_1904 = str_equal(value, STR("1")) || str_equal(value, STR("true"));
    }
    if (!str_equal(name, STR("sheet")) || book->sheet_count == XLSX_MOST_SHEETS)
        return;
    struct xlsx_sheet *sheet = &book->sheets[book->sheet_count++];
    *sheet = (struct xlsx_sheet){.path = {NULL, 0}};
    sheet->name = keep(reading, xml_walk_attribute(walk, "name"));
    sheet->relation = keep(reading, xml_walk_attribute(walk, "id"));
}

static void on_relation(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    struct xlsx_book *book = reading->book;
    if (!str_equal(name, STR("Relationship")))
        return;
    struct str id = keep(reading, xml_walk_attribute(walk, "Id"));
    struct str target = xml_walk_attribute(walk, "Target");
    for (size_t i = 0; i < book->sheet_count; i++) {
        struct xlsx_sheet *sheet = &book->sheets[i];
        if (str_is_absent(id) || str_is_absent(target) || !str_equal(sheet->relation, id))
            continue;
        bool is_whole = str_starts_with(target, STR("/"));
        sheet->path = is_whole ? keep(reading, str_from(target, 1))
                               : arena_printf(&book->arena, "xl/%.*s", STR_ARG(target));
    }
}

/* ---- shared texts ---- */

static void on_texts(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    (void)walk;
    if (str_equal(name, STR("si")))
        buf_clear(&reading->text);
    else if (str_equal(name, STR("t")))
        reading->in_text = true;
    else if (str_equal(name, STR("rPh")))
        reading->in_phonetic = true;
}

static void on_texts_text(void *owner, struct str text)
{
    struct reading *reading = owner;
    if (reading->in_text && !reading->in_phonetic)
        buf_push(&reading->text, text);
}

static void keep_text(struct reading *reading)
{
    struct xlsx_book *book = reading->book;
    if (book->text_count == book->text_cap) {
        size_t cap = book->text_cap == 0 ? FIRST_TEXTS : book->text_cap * 2;
        struct str *texts = arena_array(&book->arena, cap, sizeof *texts);
        if (texts == NULL) {
            reading->failed = true;
            return;
        }
        if (book->text_count > 0)
            memcpy(texts, book->texts, book->text_count * sizeof *texts);
        book->texts = texts;
        book->text_cap = cap;
    }
    book->texts[book->text_count++] = keep(reading, buf_str(&reading->text));
}

static void on_texts_end(void *owner, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("t")))
        reading->in_text = false;
    else if (str_equal(name, STR("rPh")))
        reading->in_phonetic = false;
    else if (str_equal(name, STR("si")))
        keep_text(reading);
}

/* ---- styles ---- */

/* Whether a format's code shows a day or a time: one of its letters outside of quotes, brackets and
 * escapes. */
static bool shows_date(struct str code)
{
    bool quoted = false, bracketed = false;
    for (size_t i = 0; i < code.len; i++) {
        char c = str_lower(code.at[i]);
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (c == '\\' || c == '_' || c == '*')
            i++;
        else if (c == '[' || c == ']')
            bracketed = c == '[';
        else if (!bracketed && (c == 'y' || c == 'd' || c == 'h' || c == 'm'))
            return true;
    }
    return false;
}

/* Numbers of the formats that every program knows (section 18.8.30). */
static bool is_date_format(const struct reading *reading, unsigned format)
{
    if ((format >= 14 && format <= 22) || (format >= 27 && format <= 36) ||
        (format >= 45 && format <= 47) || (format >= 50 && format <= 58))
        return true;
    for (size_t i = 0; i < reading->date_count; i++)
        if (reading->dates[i] == format)
            return true;
    return false;
}

static void on_style(void *owner, struct xml_walk *walk, struct str name)
{
    struct reading *reading = owner;
    struct xlsx_book *book = reading->book;
    if (str_equal(name, STR("cellXfs"))) {
        reading->in_cell_formats = true;
    } else if (str_equal(name, STR("numFmt"))) {
        unsigned number = number_of(xml_walk_attribute(walk, "numFmtId"));
        struct str code = xml_walk_attribute(walk, "formatCode");
        if (reading->date_count < MOST_FORMATS && !str_is_absent(code) && shows_date(code))
            reading->dates[reading->date_count++] = number;
    } else if (reading->in_cell_formats && str_equal(name, STR("xf")) &&
               book->style_count < XLSX_MOST_STYLES) {
        book->is_date[book->style_count++] =
            is_date_format(reading, number_of(xml_walk_attribute(walk, "numFmtId")));
    }
}

static void on_style_end(void *owner, struct str name)
{
    struct reading *reading = owner;
    if (str_equal(name, STR("cellXfs")))
        reading->in_cell_formats = false;
}

/* ---- all parts ---- */

static enum err_code read_part(struct reading *reading, struct archive *archive, const char *path,
                               const struct xml_walk_hooks *hooks, struct buf *part,
                               struct err *err)
{
    enum err_code code = archive_read(archive, path, part, err);
    if (code == ERR_OK)
        code = xml_walk_run(buf_str(part), hooks, err);
    if (code == ERR_OK && reading->failed)
        return err_set(err, ERR_TOO_LARGE, "its part %s holds too much", path);
    return code;
}

enum err_code xlsx_book_read(struct xlsx_book *book, struct archive *archive, struct buf *part,
                             struct err *err)
{
    struct reading reading = {.book = book};
    const struct xml_walk_hooks sheets = {.on_begin = on_book, .owner = &reading};
    const struct xml_walk_hooks relations = {.on_begin = on_relation, .owner = &reading};
    const struct xml_walk_hooks texts = {on_texts, on_texts_end, on_texts_text, &reading};
    const struct xml_walk_hooks styles = {on_style, on_style_end, NULL, &reading};
    buf_init(&reading.text, TEXT_BYTES);
    enum err_code code = read_part(&reading, archive, "xl/workbook.xml", &sheets, part, err);
    if (code == ERR_NOT_FOUND)
        code = err_set(err, ERR_INVALID, "it is an archive, but no workbook of Excel");
    if (code == ERR_OK)
        code = read_part(&reading, archive, "xl/_rels/workbook.xml.rels", &relations, part, err);
    if (code == ERR_OK || code == ERR_NOT_FOUND)
        code = read_part(&reading, archive, "xl/sharedStrings.xml", &texts, part, err);
    if (code == ERR_OK || code == ERR_NOT_FOUND)
        code = read_part(&reading, archive, "xl/styles.xml", &styles, part, err);
    buf_fini(&reading.text);
    return code == ERR_NOT_FOUND ? ERR_OK : code;
}

/* ---- dates ---- */

static void write_day(int64_t day, struct buf *out)
{
    struct calendar_date date = calendar_date(day);
    buf_printf(out, "%04d-%02d-%02d", (int)date.year, date.month, date.day);
}

bool xlsx_book_date(const struct xlsx_book *book, double days, struct buf *out)
{
    if (!(days >= 0 && days <= MOST_DAYS))
        return false;
    double whole = floor(days);
    int64_t seconds = (int64_t)llround((days - whole) * SECONDS_A_DAY);
    int64_t day = (int64_t)whole + seconds / SECONDS_A_DAY;
    seconds %= SECONDS_A_DAY;
    if (day > 0) {
        /* Day 60 of 1900 is a 29 February that never was: before it days are one later. */
        int64_t shift = book->from_1904 ? DAYS_1904 : day < 60 ? 1 : 0;
        write_day(day + shift - DAYS_TO_1970, out);
    }
    if (seconds > 0 || day == 0)
        buf_printf(out, "%s%02d:%02d:%02d", day > 0 ? " " : "", (int)(seconds / 3600),
                   (int)(seconds / 60 % 60), (int)(seconds % 60));
    return true;
}

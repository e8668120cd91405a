/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/tables.c - rows of CSV, records and trees of JSON.
 *
 * Happy path: the first row of CSV is its header, its separator is the one of ",", ";" and tab that
 * the row has most of; JSON objects of plain values in an array, or one a line, are rows whose
 * columns are the members of the first; any other JSON is a list of "path: value".
 * Failure: a quoted cell without an end, no JSON; rows of another length are taken as they are. */
#include "agents/docs/formats/tables.h"

#include "agents/docs/formats/markup.h"
#include "core/base/arena.h"
#include "proto/json_value.h"

enum { ARENA_BYTES = 1 << 30, PATH_BYTES = 4096 };

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static struct str without_mark(struct str bytes)
{
    struct str mark = str_of(byte_order_mark);
    return str_starts_with(bytes, mark) ? str_from(bytes, mark.len) : bytes;
}

/* ---- CSV ---- */

struct csv {
    struct str text;
    size_t at, line;
    char separator;
};

static char separator_of(struct str text)
{
    static const char separators[] = {',', ';', '\t'};
    size_t counts[countof(separators)] = {0}, best = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len && (quoted || text.at[i] != '\n'); i++) {
        quoted ^= text.at[i] == '"';
        for (size_t k = 0; !quoted && k < countof(separators); k++)
            counts[k] += text.at[i] == separators[k];
    }
    for (size_t k = 1; k < countof(separators); k++)
        if (counts[k] > counts[best])
            best = k;
    return separators[best];
}

static bool ends_cell(const struct csv *csv, char c)
{
    return c == csv->separator || c == '\n' || c == '\r';
}

/* A quoted cell, past its first quote. False: it has no end. */
static bool write_quoted(struct csv *csv, struct buf *out)
{
    for (;;) {
        struct str rest = str_from(csv->text, csv->at);
        ptrdiff_t quote = str_find_char(rest, '"');
        if (quote < 0)
            return false;
        markup_text(out, str_slice(rest, 0, (size_t)quote));
        csv->at += (size_t)quote + 1;
        if (csv->at >= csv->text.len || csv->text.at[csv->at] != '"')
            return true;
        markup_text(out, STR("\"")); /* a doubled one */
        csv->at++;
    }
}

static bool write_cell(struct csv *csv, const char *tag, struct buf *out)
{
    bool fine = true;
    buf_printf(out, "<%s>", tag);
    if (csv->at < csv->text.len && csv->text.at[csv->at] == '"') {
        csv->at++;
        fine = write_quoted(csv, out);
    }
    size_t began = csv->at;
    while (csv->at < csv->text.len && !ends_cell(csv, csv->text.at[csv->at]))
        csv->at++;
    markup_text(out, str_slice(csv->text, began, csv->at));
    buf_printf(out, "</%s>", tag);
    return fine;
}

/* One row, up to and past the end of its line. */
static bool write_row(struct csv *csv, struct buf *out)
{
    const char *tag = csv->line++ == 0 ? "th" : "td";
    buf_push(out, STR("<tr>"));
    for (;;) {
        if (!write_cell(csv, tag, out))
            return false;
        if (csv->at >= csv->text.len || csv->text.at[csv->at] != csv->separator)
            break;
        csv->at++;
    }
    buf_push(out, STR("</tr>\n"));
    while (csv->at < csv->text.len &&
           (csv->text.at[csv->at] == '\r' || csv->text.at[csv->at] == '\n'))
        csv->at++; /* empty lines with it */
    return true;
}

enum err_code tables_write_csv(struct str bytes, struct buf *out, struct err *err)
{
    struct csv csv = {.text = without_mark(bytes)};
    csv.separator = separator_of(csv.text);
    buf_push(out, STR("<table>\n"));
    while (csv.at < csv.text.len && buf_ok(out))
        if (!write_row(&csv, out))
            return err_set(err, ERR_INVALID, "row %zu: a quoted cell has no end", csv.line);
    buf_push(out, STR("</table>\n"));
    return ERR_OK;
}

/* ---- JSON ---- */

static bool is_plain(const struct json_value *value)
{
    return value->type != JSON_ARRAY && value->type != JSON_OBJECT;
}

static void write_plain(const struct json_value *value, struct buf *out)
{
    if (value == NULL || value->type == JSON_NULL)
        return;
    if (value->type == JSON_BOOL)
        buf_push(out, value->boolean ? STR("true") : STR("false"));
    else
        markup_text(out, value->text);
}

static bool is_record(const struct json_value *value)
{
    if (value->type != JSON_OBJECT || value->count == 0)
        return false;
    JSON_EACH(member, value)
        if (!is_plain(member))
            return false;
    return true;
}

static bool is_table(const struct json_value *value)
{
    if (value->type != JSON_ARRAY || value->count == 0)
        return false;
    JSON_EACH(item, value)
        if (!is_record(item))
            return false;
    return true;
}

static void write_record(const struct json_value *names, const struct json_value *record,
                         struct buf *out)
{
    buf_push(out, STR("<tr>"));
    JSON_EACH(name, names) {
        buf_push(out, STR("<td>"));
        write_plain(json_value_member(record, name->key), out);
        buf_push(out, STR("</td>"));
    }
    JSON_EACH(member, record) { /* what the first one lacks is told with its name */
        if (json_value_member(names, member->key) != NULL)
            continue;
        buf_push(out, STR("<td>"));
        markup_text(out, member->key);
        buf_push(out, STR(": "));
        write_plain(member, out);
        buf_push(out, STR("</td>"));
    }
    buf_push(out, STR("</tr>\n"));
}

static void write_header(const struct json_value *names, struct buf *out)
{
    buf_push(out, STR("<table>\n<tr>"));
    JSON_EACH(name, names) {
        buf_push(out, STR("<th>"));
        markup_text(out, name->key);
        buf_push(out, STR("</th>"));
    }
    buf_push(out, STR("</tr>\n"));
}

static void write_tree(const struct json_value *value, struct buf *path, struct buf *out)
{
    size_t began = buf_len(path), number = 0;
    if (is_plain(value)) {
        buf_push(out, STR("<li>"));
        markup_text(out, buf_str(path));
        buf_push(out, began > 0 ? STR(": ") : STR(""));
        write_plain(value, out);
        buf_push(out, STR("</li>\n"));
        return;
    }
    JSON_EACH(item, value) {
        if (value->type == JSON_ARRAY)
            buf_printf(path, "%s%zu", began > 0 ? " " : "", ++number);
        else
            buf_printf(path, "%s%.*s", began > 0 ? " " : "", STR_ARG(item->key));
        write_tree(item, path, out);
        buf_truncate(path, began);
    }
}

static void write_value(const struct json_value *value, struct buf *out)
{
    struct buf path;
    if (is_table(value)) {
        write_header(value->first, out);
        JSON_EACH(record, value)
            write_record(value->first, record, out);
        buf_push(out, STR("</table>\n"));
        return;
    }
    buf_init(&path, PATH_BYTES);
    buf_push(out, STR("<ul>\n"));
    write_tree(value, &path, out);
    buf_push(out, STR("</ul>\n"));
    buf_fini(&path);
}

/* One value a line. */
static enum err_code write_lines(struct arena *arena, struct str text, struct buf *out,
                                 struct err *err)
{
    const struct json_value *first = NULL;
    for (size_t line = 1; text.len > 0; line++) {
        struct str row = str_trim(str_split(&text, '\n'));
        if (row.len == 0)
            continue;
        const struct json_value *value = json_value_parse(arena, row, NULL, err);
        if (value == NULL || !is_record(value))
            return value != NULL ? err_set(err, ERR_INVALID,
                                           "line %zu: expected an object of plain values", line)
                                 : err_set(err, ERR_INVALID, "line %zu: no JSON", line);
        if (first == NULL)
            write_header(first = value, out);
        write_record(first, value, out);
    }
    buf_push(out, STR("</table>\n"));
    return ERR_OK;
}

enum err_code tables_write_json(struct str bytes, struct buf *out, struct err *err)
{
    const struct json_limits limits = {.allow_duplicates = true};
    struct arena arena;
    struct err why = {0};
    struct str text = str_trim(without_mark(bytes));
    enum err_code code = ERR_OK;
    arena_init(&arena, ARENA_BYTES);
    const struct json_value *value = json_value_parse(&arena, text, &limits, err);
    if (value != NULL)
        write_value(value, out);
    else if (str_find_char(text, '\n') < 0 || write_lines(&arena, text, out, &why) != ERR_OK)
        code = why.code != ERR_OK && text.at[0] == '{' ? (*err = why).code : err->code;
    arena_fini(&arena);
    return code;
}

/* SPDX-License-Identifier: MIT */
/* agents/docs/records.c - reads the two ways to write records, CSV and JSON.
 *
 * Happy path: rows of CSV take their names from the first row; objects of JSON have names of their
 * own. Failure: an open quote, a row with more or fewer cells than names, a nested value, broken
 * JSON: the error says the line and what was expected. Of a file with a mistake no record is kept.
 */
#include "agents/docs/records.h"

#include <string.h>

#include "proto/json_value.h"

enum { FIRST_RECORDS = 64 };

struct reading {
    struct arena *arena;
    struct docs_record *records;
    size_t count, cap;
    struct err *err;
};

struct str docs_records_get(const struct docs_record *record, struct str name)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (str_equal_nocase(record->fields[i].name, name))
            return record->fields[i].value;
    return (struct str){NULL, 0};
}

bool docs_records_format(struct str name, enum docs_records_format *format)
{
    static const struct {
        const char *ending;
        enum docs_records_format format;
    } endings[] = {
        {".csv", DOCS_CSV}, {".json", DOCS_JSON}, {".jsonl", DOCS_JSONL}, {".ndjson", DOCS_JSONL}};
    for (size_t i = 0; i < countof(endings); i++) {
        struct str ending = str_of(endings[i].ending);
        if (name.len == ending.len || !str_ends_with_nocase(name, ending))
            continue;
        *format = endings[i].format;
        return true;
    }
    return false;
}

/* Keep a record of up to count fields; absent values are left out. */
static enum err_code keep(struct reading *reading, const struct docs_field *fields, size_t count,
                          size_t line)
{
    if (reading->count == DOCS_MAX_RECORDS)
        return err_set(reading->err, ERR_TOO_LARGE, "more than %d records", DOCS_MAX_RECORDS);
    if (reading->count == reading->cap) {
        size_t cap = reading->cap == 0 ? FIRST_RECORDS : reading->cap * 2;
        struct docs_record *records = arena_array(reading->arena, cap, sizeof *records);
        if (records == NULL)
            return err_set(reading->err, ERR_NO_MEMORY, "no memory for the records");
        if (reading->count > 0)
            memcpy(records, reading->records, reading->count * sizeof *records);
        reading->records = records;
        reading->cap = cap;
    }
    struct docs_field *kept = arena_array(reading->arena, count + 1, sizeof *kept);
    if (kept == NULL)
        return err_set(reading->err, ERR_NO_MEMORY, "no memory for the records");
    size_t kept_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!str_is_empty(fields[i].value))
            kept[kept_count++] = fields[i];
    reading->records[reading->count++] = (struct docs_record){kept, kept_count, line};
    return ERR_OK;
}

/* ---- CSV ---- */

struct row {
    struct str cells[DOCS_RECORD_MAX_FIELDS];
    size_t count;
};

/* A quoted cell at *at (past its first quote), quotes undoubled, up to and past the last one. */
static enum err_code read_quoted(struct reading *reading, struct str text, size_t *at, size_t line,
                                 struct str *cell)
{
    size_t end = *at, length = 0;
    while (end < text.len &&
           (text.at[end] != '"' || (end + 1 < text.len && text.at[end + 1] == '"')))
        end += text.at[end] == '"' ? 2 : 1;
    if (end >= text.len)
        return err_set(reading->err, ERR_INVALID, "line %zu: a quoted cell has no end", line);
    char *to = arena_alloc(reading->arena, end - *at + 1);
    if (to == NULL)
        return err_set(reading->err, ERR_NO_MEMORY, "no memory for the records");
    for (size_t i = *at; i < end; i++) {
        to[length++] = text.at[i];
        i += text.at[i] == '"';
    }
    *cell = str_make(to, length);
    *at = end + 1;
    return ERR_OK;
}

static bool is_line_end(struct str text, size_t at)
{
    return at >= text.len || text.at[at] == '\n' ||
           (text.at[at] == '\r' && (at + 1 >= text.len || text.at[at + 1] == '\n'));
}

static enum err_code read_cell(struct reading *reading, struct str text, size_t *at, size_t line,
                               struct str *cell)
{
    if (*at < text.len && text.at[*at] == '"') {
        ++*at;
        enum err_code code = read_quoted(reading, text, at, line, cell);
        if (code != ERR_OK)
            return code;
        if (!is_line_end(text, *at) && text.at[*at] != ',')
            return err_set(reading->err, ERR_INVALID,
                           "line %zu: expected ',' or the end of the line after a quoted cell",
                           line);
        return ERR_OK;
    }
    size_t begin = *at;
    while (!is_line_end(text, *at) && text.at[*at] != ',')
        ++*at;
    *cell = str_trim(str_slice(text, begin, *at));
    return ERR_OK;
}

/* One row from *at on; *line counts the newlines passed. */
static enum err_code read_row(struct reading *reading, struct str text, size_t *at, size_t *line,
                              struct row *row)
{
    size_t begin = *at, first_line = *line;
    row->count = 0;
    for (;;) {
        if (row->count == DOCS_RECORD_MAX_FIELDS)
            return err_set(reading->err, ERR_INVALID, "line %zu: more than %d cells", first_line,
                           DOCS_RECORD_MAX_FIELDS);
        enum err_code code = read_cell(reading, text, at, first_line, &row->cells[row->count]);
        if (code != ERR_OK)
            return code;
        row->count++;
        if (is_line_end(text, *at))
            break;
        ++*at; /* the comma */
    }
    while (*at < text.len && text.at[(*at)++] != '\n')
        ;
    for (size_t i = begin; i < *at; i++)
        *line += text.at[i] == '\n';
    return ERR_OK;
}

static bool is_empty_row(const struct row *row)
{
    return row->count == 1 && str_is_empty(row->cells[0]);
}

static enum err_code read_csv(struct reading *reading, struct str text)
{
    struct row names, row;
    struct docs_field fields[DOCS_RECORD_MAX_FIELDS];
    size_t at = 0, line = 1;
    enum err_code code = read_row(reading, text, &at, &line, &names);
    if (code != ERR_OK)
        return code;
    for (size_t i = 0; i < names.count; i++)
        if (str_is_empty(names.cells[i]))
            return err_set(reading->err, ERR_INVALID, "line 1: name %zu of the header is empty",
                           i + 1);
    while (at < text.len) {
        size_t begin = line;
        code = read_row(reading, text, &at, &line, &row);
        if (code != ERR_OK)
            return code;
        if (is_empty_row(&row))
            continue;
        if (row.count != names.count)
            return err_set(reading->err, ERR_INVALID,
                           "line %zu: expected %zu cells, as in the header, got %zu", begin,
                           names.count, row.count);
        for (size_t i = 0; i < row.count; i++)
            fields[i] = (struct docs_field){names.cells[i], row.cells[i]};
        code = keep(reading, fields, row.count, begin);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

/* ---- JSON ---- */

static enum err_code keep_object(struct reading *reading, const struct json_value *object,
                                 const char *what, size_t number)
{
    struct docs_field fields[DOCS_RECORD_MAX_FIELDS];
    size_t count = 0;
    if (object->type != JSON_OBJECT)
        return err_set(reading->err, ERR_INVALID, "%s %zu: expected an object, got %s", what,
                       number, json_value_type_name(object));
    JSON_EACH(member, object) {
        if (member->type == JSON_NULL)
            continue;
        if (member->type == JSON_ARRAY || member->type == JSON_OBJECT)
            return err_set(reading->err, ERR_INVALID,
                           "%s %zu: '%.*s': expected text or a number, got %s", what, number,
                           STR_ARG(str_utf8_prefix(member->key, 64)), json_value_type_name(member));
        if (count == DOCS_RECORD_MAX_FIELDS)
            return err_set(reading->err, ERR_INVALID, "%s %zu: more than %d members", what, number,
                           DOCS_RECORD_MAX_FIELDS);
        struct str value = member->type == JSON_BOOL
                               ? (member->boolean ? STR("true") : STR("false"))
                               : member->text;
        fields[count++] = (struct docs_field){member->key, value};
    }
    return keep(reading, fields, count, number);
}

static const struct json_limits json_limits = {.refuse_nul = true};

static enum err_code read_json(struct reading *reading, struct str text)
{
    const struct json_value *root =
        json_value_parse(reading->arena, text, &json_limits, reading->err);
    size_t number = 0;
    if (root == NULL)
        return reading->err->code;
    if (root->type != JSON_ARRAY)
        return err_set(reading->err, ERR_INVALID, "expected an array of objects, got %s",
                       json_value_type_name(root));
    JSON_EACH(item, root) {
        enum err_code code = keep_object(reading, item, "record", ++number);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static enum err_code read_jsonl(struct reading *reading, struct str text)
{
    for (size_t line = 1; !str_is_absent(text); line++) {
        struct str one = str_trim(str_split(&text, '\n'));
        struct err why = {0};
        if (one.len == 0)
            continue;
        const struct json_value *value = json_value_parse(reading->arena, one, &json_limits, &why);
        if (value == NULL)
            return err_set(reading->err, why.code, "line %zu: %s", line, why.text);
        enum err_code code = keep_object(reading, value, "line", line);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

enum err_code docs_records_read(struct arena *arena, enum docs_records_format format,
                                struct str bytes, const struct docs_record **records, size_t *count,
                                struct err *err)
{
    struct reading reading = {.arena = arena, .err = err};
    enum err_code code = ERR_OK;
    if (bytes.len > DOCS_MAX_BYTES)
        return err_set(err, ERR_TOO_LARGE, "expected at most %d bytes, got %zu", DOCS_MAX_BYTES,
                       bytes.len);
    if (str_starts_with(bytes, STR("\xEF\xBB\xBF")))
        bytes = str_from(bytes, 3);
    if (!str_is_utf8(bytes) || str_find_char(bytes, '\0') != STR_NONE)
        return err_set(err, ERR_INVALID, "expected UTF-8 text without NUL bytes");
    switch (format) {
    case DOCS_CSV:
        code = read_csv(&reading, bytes);
        break;
    case DOCS_JSON:
        code = read_json(&reading, bytes);
        break;
    case DOCS_JSONL:
        code = read_jsonl(&reading, bytes);
        break;
    }
    *records = reading.records;
    *count = reading.count;
    return code;
}

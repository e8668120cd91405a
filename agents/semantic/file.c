/* SPDX-License-Identifier: MIT */
/* agents/semantic/file.c - one table of members for each kind of object.
 *
 * Happy path: each member is checked against its table and stored where the table says. Failure: an
 * unknown member, a wrong type, a value that is too long, too many values, a name that is missing
 * or there twice: each gives a line in the report, and there is no model in the end. */
#include "agents/semantic/file.h"

#include <inttypes.h>
#include <stddef.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    FILE_BYTES = 8 << 20,
    ARENA_BYTES = 64 << 20,
    POINTER_BYTES = 512,
    NAME_BYTES = 200,
    TEXT_BYTES = 2000,
    SQL_BYTES = 16 << 10,
    MAX_SYNONYMS = 32,
    MAX_TABLES = 2000,
    MAX_COLUMNS = 2000,
    MAX_NAMED = 500,
    MAX_TERMS = 1000,
    MAX_VERIFIED = 1000,
};

enum member_type { TEXT, CODE, TEXTS, FLAG, ACCESS, NUMBER, OTHER };

struct member {
    const char *name;
    enum member_type type;
    size_t offset, most; /* bytes of a text, items of a list */
    bool required;
};

struct reader {
    struct semantic *to;
    struct semantic_report *report;
    char pointer[POINTER_BYTES];
    size_t pointer_len;
};

#define ARRAY_OF(kind, field, many)                                                                \
    {                                                                                              \
#field, TEXTS, offsetof(struct kind, field), many, false                                   \
    }
#define TEXT_OF(kind, field, bytes)                                                                \
    {                                                                                              \
#field, TEXT, offsetof(struct kind, field), bytes, false                                   \
    }
#define NEEDED_OF(kind, field, bytes)                                                              \
    {                                                                                              \
#field, TEXT, offsetof(struct kind, field), bytes, true                                    \
    }

static const struct member root_members[] = {
    {"version", NUMBER, 0, 1, true},  {"tables", OTHER, 0, 0, false},
    {"metrics", OTHER, 0, 0, false},  {"filters", OTHER, 0, 0, false},
    {"glossary", OTHER, 0, 0, false}, {"verified_queries", OTHER, 0, 0, false},
};

static const struct member table_members[] = {
    TEXT_OF(semantic_table, label, NAME_BYTES),
    TEXT_OF(semantic_table, description, TEXT_BYTES),
    TEXT_OF(semantic_table, grain, TEXT_BYTES),
    TEXT_OF(semantic_table, time, NAME_BYTES),
    TEXT_OF(semantic_table, tenant, NAME_BYTES),
    ARRAY_OF(semantic_table, synonyms, MAX_SYNONYMS),
    ARRAY_OF(semantic_table, label_columns, SEMANTIC_LABELS),
    {"lookup", FLAG, offsetof(struct semantic_table, lookup), 0, false},
    {"rows", TEXT, offsetof(struct semantic_table, rows.text), TEXT_BYTES, false},
    {"references", OTHER, 0, 0, false},
    {"columns", OTHER, 0, 0, false},
};

static const struct member column_members[] = {
    TEXT_OF(semantic_column, label, NAME_BYTES),
    TEXT_OF(semantic_column, description, TEXT_BYTES),
    TEXT_OF(semantic_column, unit, NAME_BYTES),
    ARRAY_OF(semantic_column, synonyms, MAX_SYNONYMS),
    {"pii", FLAG, offsetof(struct semantic_column, pii), 0, false},
    {"access", ACCESS, offsetof(struct semantic_column, access), 0, false},
};

static const struct member metric_members[] = {
    NEEDED_OF(semantic_named, name, NAME_BYTES),
    {"table", TEXT, offsetof(struct semantic_named, table_name), NAME_BYTES, true},
    {"expression", TEXT, offsetof(struct semantic_named, expression.text), TEXT_BYTES, true},
    {"filter", TEXT, offsetof(struct semantic_named, filter.text), TEXT_BYTES, false},
    TEXT_OF(semantic_named, description, TEXT_BYTES),
    TEXT_OF(semantic_named, unit, NAME_BYTES),
    ARRAY_OF(semantic_named, synonyms, MAX_SYNONYMS),
};

static const struct member filter_members[] = {
    NEEDED_OF(semantic_named, name, NAME_BYTES),
    {"table", TEXT, offsetof(struct semantic_named, table_name), NAME_BYTES, true},
    {"expression", TEXT, offsetof(struct semantic_named, expression.text), TEXT_BYTES, true},
    TEXT_OF(semantic_named, description, TEXT_BYTES),
    ARRAY_OF(semantic_named, synonyms, MAX_SYNONYMS),
};

static const struct member term_members[] = {
    NEEDED_OF(semantic_term, term, NAME_BYTES),
    TEXT_OF(semantic_term, meaning, TEXT_BYTES),
    {"table", TEXT, offsetof(struct semantic_term, table_name), NAME_BYTES, false},
    {"column", TEXT, offsetof(struct semantic_term, column_name), NAME_BYTES, false},
    {"value", CODE, offsetof(struct semantic_term, value), NAME_BYTES, false},
    ARRAY_OF(semantic_term, synonyms, MAX_SYNONYMS),
};

static const struct member verified_members[] = {
    NEEDED_OF(semantic_verified, question, TEXT_BYTES),
    NEEDED_OF(semantic_verified, sql, SQL_BYTES),
    TEXT_OF(semantic_verified, verified_by, NAME_BYTES),
    TEXT_OF(semantic_verified, verified_at, NAME_BYTES),
    TEXT_OF(semantic_verified, name, NAME_BYTES),
    TEXT_OF(semantic_verified, description, TEXT_BYTES),
    {"confirm", FLAG, offsetof(struct semantic_verified, confirm), 0, false},
    {"parameters", OTHER, 0, 0, false},
};

/* ---- pointers ---- */

static size_t enter(struct reader *r, struct str step)
{
    size_t before = r->pointer_len;
    if (r->pointer_len < POINTER_BYTES)
        r->pointer[r->pointer_len++] = '/';
    for (size_t i = 0; i < step.len && r->pointer_len < POINTER_BYTES - 2; i++) {
        bool escaped = step.at[i] == '~' || step.at[i] == '/';
        r->pointer[r->pointer_len++] = escaped ? '~' : step.at[i];
        if (escaped)
            r->pointer[r->pointer_len++] = step.at[i] == '~' ? '0' : '1';
    }
    return before;
}

static size_t enter_index(struct reader *r, size_t i)
{
    struct buf text;
    buf_init(&text, NAME_BYTES);
    buf_push_u64(&text, i);
    size_t before = enter(r, buf_str(&text));
    buf_fini(&text);
    return before;
}

static struct str here(const struct reader *r)
{
    return str_make(r->pointer, size_min(r->pointer_len, POINTER_BYTES));
}

/* ---- members ---- */

static bool read_text(struct reader *r, const struct json_value *value, size_t most, struct str *to)
{
    if (value->type != JSON_STRING) {
        semantic_report_add(r->report, here(r), "expected a string, got %s",
                            json_value_type_name(value));
        return false;
    }
    if (value->text.len > most || value->text.len == 0) {
        semantic_report_add(r->report, here(r), "a text here has 1 to %zu bytes, this one has %zu",
                            most, value->text.len);
        return false;
    }
    *to = arena_str(&r->to->arena, value->text);
    return true;
}

/* A code as its column has it: a text, or a whole number. */
static bool read_code(struct reader *r, const struct json_value *value, size_t most, struct str *to)
{
    if (value->type != JSON_INT)
        return read_text(r, value, most, to);
    *to = arena_printf(&r->to->arena, "%" PRId64, value->integer);
    return to->at != NULL;
}

static void read_texts(struct reader *r, const struct json_value *value, size_t most,
                       struct semantic_texts *to)
{
    size_t i = 0;
    if (value->type != JSON_ARRAY) {
        semantic_report_add(r->report, here(r), "expected an array of strings, got %s",
                            json_value_type_name(value));
        return;
    }
    if (value->count > most) {
        semantic_report_add(r->report, here(r), "at most %zu are taken, these are %zu", most,
                            value->count);
        return;
    }
    struct str *texts = arena_array(&r->to->arena, value->count + 1, sizeof *texts);
    JSON_EACH(item, value) {
        size_t before = enter_index(r, i);
        if (texts != NULL && read_text(r, item, NAME_BYTES, &texts[i]))
            i++;
        r->pointer_len = before;
    }
    *to = (struct semantic_texts){texts, i};
}

static const struct member *find_member(const struct member *members, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, str_of(members[i].name)))
            return &members[i];
    return NULL;
}

static void read_member(struct reader *r, const struct member *member,
                        const struct json_value *value, char *to)
{
    switch (member->type) {
    case TEXT:
        (void)read_text(r, value, member->most, (struct str *)(void *)(to + member->offset));
        break;
    case CODE:
        (void)read_code(r, value, member->most, (struct str *)(void *)(to + member->offset));
        break;
    case TEXTS:
        read_texts(r, value, member->most, (struct semantic_texts *)(void *)(to + member->offset));
        break;
    case FLAG:
        if (value->type == JSON_BOOL)
            *(int *)(void *)(to + member->offset) = value->boolean;
        else
            semantic_report_add(r->report, here(r), "expected true or false, got %s",
                                json_value_type_name(value));
        break;
    case ACCESS:
        if (value->type != JSON_STRING ||
            !column_access_find(value->text, (enum column_access *)(void *)(to + member->offset)))
            semantic_report_add(r->report, here(r), "expected %s", COLUMN_ACCESS_WORDS);
        break;
    case NUMBER:
        if (value->type != JSON_INT || value->integer != (int64_t)member->most)
            semantic_report_add(r->report, here(r), "expected %zu, the only version there is",
                                member->most);
        break;
    default:
        break;
    }
}

/* The plain members of an object into to; those of type OTHER are the caller's. False: it is no
 * object. */
static bool read_members(struct reader *r, const struct json_value *value,
                         const struct member *members, size_t count, void *to)
{
    if (value->type != JSON_OBJECT) {
        semantic_report_add(r->report, here(r), "expected an object, got %s",
                            json_value_type_name(value));
        return false;
    }
    JSON_EACH(item, value) {
        size_t before = enter(r, item->key);
        const struct member *member = find_member(members, count, item->key);
        if (member == NULL)
            semantic_report_add(r->report, here(r),
                                "there is no such member here; see docs/semantic.md");
        else if (item->type != JSON_NULL)
            read_member(r, member, item, to);
        r->pointer_len = before;
    }
    for (size_t i = 0; i < count; i++) {
        const struct json_value *item = json_value_member(value, str_of(members[i].name));
        if (members[i].required && (item == NULL || item->type == JSON_NULL))
            semantic_report_add(r->report, here(r), "\"%s\" is missing", members[i].name);
    }
    return true;
}

/* ---- objects ---- */

static bool begin_list(struct reader *r, const struct json_value *value, enum json_type type,
                       size_t most)
{
    if (value == NULL || value->type == JSON_NULL)
        return false;
    if (value->type != type)
        semantic_report_add(r->report, here(r), "expected %s, got %s",
                            type == JSON_ARRAY ? "an array" : "an object",
                            json_value_type_name(value));
    else if (value->count > most)
        semantic_report_add(r->report, here(r), "at most %zu are taken, these are %zu", most,
                            value->count);
    else
        return true;
    return false;
}

static void read_columns(struct reader *r, const struct json_value *value,
                         struct semantic_table *table)
{
    size_t before = enter(r, STR("columns"));
    if (begin_list(r, value, JSON_OBJECT, MAX_COLUMNS))
        table->columns = arena_array(&r->to->arena, value->count + 1, sizeof *table->columns);
    if (table->columns != NULL)
        JSON_EACH(item, value) {
            struct semantic_column *column = &table->columns[table->column_count++];
            size_t at = enter(r, item->key);
            column->name = arena_str(&r->to->arena, item->key);
            column->pii = SEMANTIC_UNSAID;
            column->column = CATALOG_NONE;
            (void)read_members(r, item, column_members, countof(column_members), column);
            r->pointer_len = at;
        }
    r->pointer_len = before;
}

static void read_references(struct reader *r, const struct json_value *value,
                            struct semantic_table *table)
{
    size_t before = enter(r, STR("references"));
    if (begin_list(r, value, JSON_OBJECT, MAX_COLUMNS))
        table->references = arena_array(&r->to->arena, value->count + 1, sizeof *table->references);
    if (table->references != NULL)
        JSON_EACH(item, value) {
            struct semantic_reference *reference = &table->references[table->reference_count++];
            size_t at = enter(r, item->key);
            reference->column = arena_str(&r->to->arena, item->key);
            if (read_text(r, item, NAME_BYTES, &reference->to) &&
                str_find_char(reference->to, '.') == STR_NONE)
                semantic_report_add(r->report, here(r), "expected \"TABLE.COLUMN\", got \"%.*s\"",
                                    STR_ARG(reference->to));
            r->pointer_len = at;
        }
    r->pointer_len = before;
}

static void read_tables(struct reader *r, const struct json_value *value)
{
    struct semantic *to = r->to;
    size_t before = enter(r, STR("tables"));
    if (begin_list(r, value, JSON_OBJECT, MAX_TABLES))
        to->tables = arena_array(&to->arena, value->count + 1, sizeof *to->tables);
    if (to->tables != NULL)
        JSON_EACH(item, value) {
            struct semantic_table *table = &to->tables[to->table_count++];
            size_t at = enter(r, item->key);
            table->name = arena_str(&to->arena, item->key);
            table->lookup = SEMANTIC_UNSAID;
            table->table = table->time_table = table->time_column = CATALOG_NONE;
            if (read_members(r, item, table_members, countof(table_members), table)) {
                read_references(r, json_value_member(item, STR("references")), table);
                read_columns(r, json_value_member(item, STR("columns")), table);
            }
            r->pointer_len = at;
        }
    r->pointer_len = before;
}

static size_t list_size(const struct json_value *root, const char *name, size_t most)
{
    const struct json_value *list = json_value_member(root, str_of(name));
    return list == NULL || list->type != JSON_ARRAY || list->count > most ? 0 : list->count;
}

/* Whether two names get in each other's way: "cancelled" may be said of orders and of events. */
static bool is_taken(const struct semantic_named *named, const struct semantic_named *other)
{
    bool are_filters = !named->is_metric && !other->is_metric;
    return named->name.len > 0 && str_equal_nocase(named->name, other->name) &&
           !(are_filters && !str_equal_nocase(named->table_name, other->table_name));
}

static void read_named(struct reader *r, const struct json_value *root, const char *name,
                       bool is_metric)
{
    const struct json_value *value = json_value_member(root, str_of(name));
    size_t before = enter(r, str_of(name)), i = 0;
    if (begin_list(r, value, JSON_ARRAY, MAX_NAMED))
        JSON_EACH(item, value) {
            struct semantic_named *named = &r->to->named[r->to->named_count++];
            size_t at = enter_index(r, i++);
            *named = (struct semantic_named){.is_metric = is_metric, .table = CATALOG_NONE};
            if (is_metric)
                (void)read_members(r, item, metric_members, countof(metric_members), named);
            else
                (void)read_members(r, item, filter_members, countof(filter_members), named);
            for (size_t k = 0; k + 1 < r->to->named_count; k++)
                if (is_taken(named, &r->to->named[k]))
                    semantic_report_add(r->report, here(r),
                                        "the name '%.*s' is there twice; give it another one",
                                        STR_ARG(named->name));
            r->pointer_len = at;
        }
    r->pointer_len = before;
    if (is_metric)
        r->to->metric_count = r->to->named_count;
}

static void read_terms(struct reader *r, const struct json_value *value)
{
    size_t before = enter(r, STR("glossary")), i = 0;
    if (begin_list(r, value, JSON_ARRAY, MAX_TERMS))
        JSON_EACH(item, value) {
            struct semantic_term *term = &r->to->terms[r->to->term_count++];
            size_t at = enter_index(r, i++);
            term->table = term->column = CATALOG_NONE;
            (void)read_members(r, item, term_members, countof(term_members), term);
            bool linked = term->table_name.len > 0 || term->column_name.len > 0;
            if (linked &&
                (term->table_name.len == 0 || term->column_name.len == 0 || term->value.len == 0))
                semantic_report_add(r->report, here(r),
                                    "a word for a value needs \"table\", \"column\" and \"value\"");
            else if (!linked && term->meaning.len == 0)
                semantic_report_add(r->report, here(r),
                                    "\"meaning\" is missing, or the value that it stands for");
            r->pointer_len = at;
        }
    r->pointer_len = before;
}

/* The schema of a tool's arguments, as a text. */
static void read_parameters(struct reader *r, const struct json_value *value,
                            struct semantic_verified *to)
{
    struct json_write json;
    struct buf out;
    if (value == NULL)
        return;
    if (value->type != JSON_OBJECT || to->name.len == 0) {
        semantic_report_add(r->report, here(r), "parameters are a JSON schema, beside a name");
        return;
    }
    buf_init(&out, SQL_BYTES);
    json_write_init(&json, &out);
    json_value_write(value, &json);
    to->parameters = arena_str(&r->to->arena, buf_str(&out));
    if (!buf_ok(&out))
        semantic_report_add(r->report, here(r), "parameters have at most %d bytes", SQL_BYTES);
    buf_fini(&out);
}

static void read_verified(struct reader *r, const struct json_value *value)
{
    size_t before = enter(r, STR("verified_queries")), i = 0;
    if (begin_list(r, value, JSON_ARRAY, MAX_VERIFIED))
        JSON_EACH(item, value) {
            size_t at = enter_index(r, i++);
            struct semantic_verified *to = &r->to->verified[r->to->verified_count++];
            if (read_members(r, item, verified_members, countof(verified_members), to))
                read_parameters(r, json_value_member(item, STR("parameters")), to);
            r->pointer_len = at;
        }
    r->pointer_len = before;
}

static void read_root(struct reader *r, const struct json_value *root)
{
    struct semantic *to = r->to;
    char nothing[1];
    if (!read_members(r, root, root_members, countof(root_members), nothing))
        return;
    size_t named = list_size(root, "metrics", MAX_NAMED) + list_size(root, "filters", MAX_NAMED);
    to->named = arena_array(&to->arena, named + 1, sizeof *to->named);
    to->terms =
        arena_array(&to->arena, list_size(root, "glossary", MAX_TERMS) + 1, sizeof *to->terms);
    to->verified = arena_array(&to->arena, list_size(root, "verified_queries", MAX_VERIFIED) + 1,
                               sizeof *to->verified);
    if (!arena_ok(&to->arena))
        return;
    read_tables(r, json_value_member(root, STR("tables")));
    read_named(r, root, "metrics", true);
    read_named(r, root, "filters", false);
    read_terms(r, json_value_member(root, STR("glossary")));
    read_verified(r, json_value_member(root, STR("verified_queries")));
}

/* Add to the error of a text that is not JSON the line and the column as an editor shows them. */
static void say_place(struct str json, struct err *err)
{
    const struct str at = STR(" at byte ");
    struct str text = str_of(err->text);
    ptrdiff_t found = str_find(text, at);
    uint64_t byte, line = 1, column = 1;
    if (found < 0 || !str_to_u64(str_from(text, (size_t)found + at.len), &byte))
        return;
    for (size_t i = 0; i < json.len && i < byte; i++) {
        column = json.at[i] == '\n' ? 1 : column + 1;
        line += json.at[i] == '\n';
    }
    const struct err before = *err;
    err_set(err, before.code, "%s (line %" PRIu64 ", column %" PRIu64 ")", before.text, line,
            column);
}

enum err_code semantic_file_read(struct str json, struct semantic **out,
                                 struct semantic_report *report, struct err *err)
{
    struct arena arena;
    struct semantic *to = mem_zalloc(1, sizeof *to);
    struct reader reader = {.to = to, .report = report};
    enum err_code code = ERR_OK;
    *out = NULL;
    if (to == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the semantic file");
    arena_init(&to->arena, ARENA_BYTES);
    arena_init(&arena, ARENA_BYTES);
    const struct json_value *root = json_value_parse(&arena, json, NULL, err);
    if (root != NULL)
        read_root(&reader, root);
    else
        say_place(json, err);
    if (root == NULL)
        code = err->code;
    arena_fini(&arena);
    if (code == ERR_OK && !arena_ok(&to->arena))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the semantic file");
    if (code == ERR_OK && report->count > 0) {
        struct str lines = buf_str(&report->text), first = str_split(&lines, '\n');
        code = err_set(err, ERR_INVALID, "%.*s%s", STR_ARG(first),
                       report->count > 1 ? "; askd semantic check names all mistakes" : "");
    }
    if (code == ERR_OK)
        *out = to;
    else
        semantic_model_destroy(to);
    return code;
}

enum err_code semantic_file_load(const char *path, struct semantic **out,
                                 struct semantic_report *report, struct err *err)
{
    struct buf text;
    *out = NULL;
    buf_init(&text, FILE_BYTES);
    enum err_code code = file_read(path, &text, err);
    if (code == ERR_OK)
        code = semantic_file_read(buf_str(&text), out, report, err);
    buf_fini(&text);
    return code == ERR_OK || code == ERR_NO_MEMORY ? code : (err->code = ERR_INVALID);
}

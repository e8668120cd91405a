/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/learn_file.c - picks what holds out of an answer, and joins it with the file.
 *
 * Happy path: of each table the members of the file stay, and members that it lacks are added;
 * codes become words of the glossary. Failure: a member of another type is left out. */
#include "server/cli/semantic/learn_file.h"

#include "agents/lexicon/column_values.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { LINE_BYTES = 1 << 20, SHORT_BYTES = 120, LONG_BYTES = 400, MOST_SYNONYMS = 12 };

static const struct json_value *member_of(const struct json_value *object, const char *name)
{
    return object == NULL || object->type != JSON_OBJECT ? NULL
                                                         : json_value_member(object, str_of(name));
}

/* Its first line: further ones would stand in prompts as lines of their own. */
static struct str line_of(const struct json_value *value)
{
    struct str text = str_trim(value->text);
    size_t len = 0;
    while (len < text.len && (unsigned char)text.at[len] >= ' ')
        len++;
    return str_trim(str_slice(text, 0, len));
}

static struct str text_of(const struct json_value *object, const char *name, size_t most)
{
    const struct json_value *value = member_of(object, name);
    return value != NULL && value->type == JSON_STRING ? str_utf8_prefix(line_of(value), most)
                                                       : STR("");
}

static void copy_text(const struct json_value *from, const char *name, size_t most,
                      struct json_write *json)
{
    struct str text = text_of(from, name, most);
    if (text.len > 0)
        json_write_member_str(json, str_of(name), text);
}

static void copy_synonyms(const struct json_value *from, struct json_write *json)
{
    const struct json_value *list = member_of(from, "synonyms");
    size_t count = 0;
    if (list == NULL || list->type != JSON_ARRAY)
        return;
    json_write_key(json, STR("synonyms"));
    json_write_array(json);
    JSON_EACH(one, list) {
        struct str text = one->type == JSON_STRING ? line_of(one) : STR("");
        if (text.len > 0 && text.len <= SHORT_BYTES && count < MOST_SYNONYMS) {
            json_write_str(json, text);
            count++;
        }
    }
    json_write_array_end(json);
}

/* The description, with what the model was unsure of behind it. */
static void copy_description(const struct json_value *from, struct arena *arena,
                             struct json_write *json)
{
    struct str says = text_of(from, "description", LONG_BYTES);
    struct str unsure = text_of(from, "unsure", SHORT_BYTES);
    if (unsure.len > 0)
        says = arena_printf(arena, "%.*s%s[unsure: %.*s]", STR_ARG(says), says.len > 0 ? " " : "",
                            STR_ARG(unsure));
    if (says.len > 0)
        json_write_member_str(json, STR("description"), says);
}

/* ---- lines ---- */

static bool is_value(const struct lexicon *lexicon, int table, int column, struct str text)
{
    struct str values[LEXICON_FEW];
    bool has_all;
    size_t count = lexicon_column_values_few(lexicon, table, column, values, &has_all);
    for (size_t i = 0; i < count; i++)
        if (str_equal(values[i], text))
            return true;
    return false;
}

static void copy_codes(const struct lexicon *lexicon, int table, int column,
                       const struct json_value *from, struct json_write *json)
{
    const struct json_value *codes = member_of(from, "codes");
    json_write_key(json, STR("codes"));
    json_write_array(json);
    for (const struct json_value *code = codes != NULL && codes->type == JSON_ARRAY ? codes->first
                                                                                    : NULL;
         code != NULL; code = code->next) {
        struct str value = text_of(code, "value", SHORT_BYTES);
        if (text_of(code, "term", SHORT_BYTES).len == 0 || !is_value(lexicon, table, column, value))
            continue;
        json_write_object(json);
        json_write_member_str(json, STR("value"), value);
        copy_text(code, "term", SHORT_BYTES, json);
        copy_text(code, "meaning", LONG_BYTES, json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void copy_column(const struct lexicon *lexicon, int table, const struct json_value *from,
                        struct arena *arena, struct json_write *json)
{
    struct str name = text_of(from, "name", SHORT_BYTES);
    int column = catalog_find_column(lexicon->catalog, table, name);
    if (column == CATALOG_NONE || lexicon->catalog->tables[table].columns[column].hidden)
        return;
    json_write_object(json);
    json_write_member_str(json, STR("name"), lexicon->catalog->tables[table].columns[column].name);
    copy_text(from, "label", SHORT_BYTES, json);
    copy_synonyms(from, json);
    copy_text(from, "unit", SHORT_BYTES, json);
    copy_description(from, arena, json);
    copy_codes(lexicon, table, column, from, json);
    json_write_object_end(json);
}

struct str learn_file_line(const struct lexicon *lexicon, int table, struct str answer,
                           struct arena *arena)
{
    const struct json_value *said =
        str_is_absent(answer) ? NULL : json_value_parse(arena, answer, NULL, NULL);
    const struct json_value *columns = member_of(said, "columns");
    struct json_write json;
    struct buf out;
    if (said == NULL || said->type != JSON_OBJECT)
        return (struct str){NULL, 0};
    buf_init(&out, LINE_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("table"), lexicon->catalog->tables[table].name);
    json_write_key(&json, STR("said"));
    json_write_object(&json);
    copy_text(said, "label", SHORT_BYTES, &json);
    copy_synonyms(said, &json);
    copy_description(said, arena, &json);
    copy_text(said, "grain", SHORT_BYTES, &json);
    json_write_key(&json, STR("columns"));
    json_write_array(&json);
    for (const struct json_value *one =
             columns != NULL && columns->type == JSON_ARRAY ? columns->first : NULL;
         one != NULL; one = one->next)
        copy_column(lexicon, table, one, arena, &json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    json_write_object_end(&json);
    struct str line = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return line;
}

void learn_file_read(struct learn_file *file, struct str lines, struct arena *arena)
{
    file->count = 0;
    while (lines.len > 0) {
        struct str line = str_trim(str_split(&lines, '\n'));
        const struct json_value *root =
            line.len == 0 ? NULL : json_value_parse(arena, line, NULL, NULL);
        const struct json_value *said = member_of(root, "said");
        struct str table = text_of(root, "table", LONG_BYTES);
        if (said == NULL || table.len == 0 || learn_file_has(file, table) ||
            file->count == LEARN_MOST_TABLES)
            continue;
        file->tables[file->count] = table;
        file->said[file->count++] = said;
    }
}

bool learn_file_has(const struct learn_file *file, struct str table)
{
    for (size_t i = 0; i < file->count; i++)
        if (str_equal(file->tables[i], table))
            return true;
    return false;
}

/* ---- the whole file ---- */

struct joining {
    const struct learn_file *file;
    struct json_write *json;
    struct learn_counts *counts;
};

/* The members of old, then those of said that old lacks; not columns, name and codes. */
static void join_members(struct joining *j, const struct json_value *old,
                         const struct json_value *said)
{
    static const char *const apart[] = {"columns", "name", "codes"};
    for (const struct json_value *one = old == NULL ? NULL : old->first; one != NULL;
         one = one->next) {
        if (str_equal(one->key, STR("columns")))
            continue;
        json_write_key(j->json, one->key);
        json_value_write(one, j->json);
    }
    for (const struct json_value *one = said == NULL ? NULL : said->first; one != NULL;
         one = one->next) {
        bool is_apart = false;
        for (size_t i = 0; i < countof(apart); i++)
            is_apart = is_apart || str_equal(one->key, str_of(apart[i]));
        if (is_apart || (old != NULL && json_value_member(old, one->key) != NULL))
            continue;
        json_write_key(j->json, one->key);
        json_value_write(one, j->json);
        j->counts->unsure +=
            one->type == JSON_STRING && str_find(one->text, STR("[unsure: ")) != STR_NONE;
    }
}

static const struct json_value *find_column(const struct json_value *said, struct str name)
{
    const struct json_value *columns = member_of(said, "columns");
    for (const struct json_value *one = columns == NULL ? NULL : columns->first; one != NULL;
         one = one->next)
        if (str_equal(text_of(one, "name", SHORT_BYTES), name))
            return one;
    return NULL;
}

static void join_columns(struct joining *j, const struct json_value *old,
                         const struct json_value *said)
{
    const struct json_value *known = member_of(old, "columns"), *more = member_of(said, "columns");
    if (known == NULL && more == NULL)
        return;
    json_write_key(j->json, STR("columns"));
    json_write_object(j->json);
    for (const struct json_value *one = known == NULL ? NULL : known->first; one != NULL;
         one = one->next) {
        json_write_key(j->json, one->key);
        json_write_object(j->json);
        join_members(j, one, find_column(said, one->key));
        json_write_object_end(j->json);
    }
    for (const struct json_value *one = more == NULL ? NULL : more->first; one != NULL;
         one = one->next) {
        struct str name = text_of(one, "name", SHORT_BYTES);
        if ((known != NULL && json_value_member(known, name) != NULL) ||
            find_column(said, name) != one) /* a model may name one twice: the first counts */
            continue;
        json_write_key(j->json, name);
        json_write_object(j->json);
        join_members(j, NULL, one);
        json_write_object_end(j->json);
        j->counts->columns++;
    }
    json_write_object_end(j->json);
}

static void join_table(struct joining *j, struct str name, const struct json_value *old,
                       const struct json_value *said)
{
    json_write_key(j->json, name);
    json_write_object(j->json);
    join_members(j, old, said);
    join_columns(j, old, said);
    json_write_object_end(j->json);
    j->counts->tables += said != NULL;
}

static const struct json_value *find_said(const struct learn_file *file, struct str table)
{
    for (size_t i = 0; i < file->count; i++)
        if (str_equal(file->tables[i], table))
            return file->said[i];
    return NULL;
}

static void join_tables(struct joining *j, const struct json_value *old)
{
    json_write_key(j->json, STR("tables"));
    json_write_object(j->json);
    for (const struct json_value *one = old == NULL ? NULL : old->first; one != NULL;
         one = one->next)
        join_table(j, one->key, one, find_said(j->file, one->key));
    for (size_t i = 0; i < j->file->count; i++)
        if (old == NULL || json_value_member(old, j->file->tables[i]) == NULL)
            join_table(j, j->file->tables[i], NULL, j->file->said[i]);
    json_write_object_end(j->json);
}

/* A word that the file explains already, or that was just explained, stays as it is. */
static bool is_explained(const struct json_value *old, struct str term)
{
    for (const struct json_value *one = old == NULL ? NULL : old->first; one != NULL;
         one = one->next)
        if (str_equal_nocase(text_of(one, "term", LONG_BYTES), term))
            return true;
    return false;
}

static void join_codes(struct joining *j, const struct json_value *old, struct str table,
                       const struct json_value *column)
{
    const struct json_value *codes = member_of(column, "codes");
    for (const struct json_value *code = codes == NULL ? NULL : codes->first; code != NULL;
         code = code->next) {
        struct str term = text_of(code, "term", SHORT_BYTES);
        struct str value = text_of(code, "value", SHORT_BYTES);
        struct str meaning = text_of(code, "meaning", LONG_BYTES);
        if (is_explained(old, term) || str_equal_nocase(term, value)) /* it says nothing more */
            continue;
        json_write_object(j->json);
        json_write_member_str(j->json, STR("term"), term);
        json_write_member_str(j->json, STR("meaning"), meaning.len > 0 ? meaning : term);
        json_write_member_str(j->json, STR("table"), table);
        json_write_member_str(j->json, STR("column"), text_of(column, "name", SHORT_BYTES));
        json_write_member_str(j->json, STR("value"), value);
        json_write_object_end(j->json);
        j->counts->words++;
    }
}

static void join_glossary(struct joining *j, const struct json_value *old)
{
    json_write_key(j->json, STR("glossary"));
    json_write_array(j->json);
    for (const struct json_value *one = old == NULL ? NULL : old->first; one != NULL;
         one = one->next)
        json_value_write(one, j->json);
    for (size_t i = 0; i < j->file->count; i++) {
        const struct json_value *columns = member_of(j->file->said[i], "columns");
        for (const struct json_value *one = columns == NULL ? NULL : columns->first; one != NULL;
             one = one->next)
            if (find_column(j->file->said[i], text_of(one, "name", SHORT_BYTES)) == one)
                join_codes(j, old, j->file->tables[i], one);
    }
    json_write_array_end(j->json);
}

enum err_code learn_file_write(const struct learn_file *file, struct str before,
                               struct arena *arena, struct buf *out, struct learn_counts *counts,
                               struct err *err)
{
    struct json_write json;
    struct joining j = {file, &json, counts};
    struct str text = before.len > 0 ? before : STR("{\"version\":1}");
    const struct json_value *root = json_value_parse(arena, arena_str(arena, text), NULL, err);
    if (root == NULL || root->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "it is no semantic.json");
    json_write_init(&json, out);
    json_write_object(&json);
    JSON_EACH(one, root) {
        if (str_equal(one->key, STR("tables")) || str_equal(one->key, STR("glossary")))
            continue;
        json_write_key(&json, one->key);
        json_value_write(one, &json);
    }
    join_tables(&j, json_value_member(root, STR("tables")));
    join_glossary(&j, json_value_member(root, STR("glossary")));
    json_write_object_end(&json);
    return ERR_OK;
}

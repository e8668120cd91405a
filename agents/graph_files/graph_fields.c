/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_fields.c - placeholders bound to fields of the state, facts, tables, and
 * texts with placeholders of their own.
 *
 * Happy path: at load each placeholder finds its source; at run time the source gives its text.
 * Failure: a name that is nothing is a mistake of the file. */
#include "agents/graph_files/graph_fields.h"

#include "agents/common/prompt.h"
#include "agents/common/refusals.h"
#include "agents/graph_files/graph_condition.h"
#include "agents/services/slot_text.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/values.h"
#include "agents/rows/shown.h"
#include "agents/semantic/prompt.h"
#include "agents/semantic_query/statement.h"
#include "agents/sql/catalog/quote.h"
#include "proto/json_write.h"

enum {
    MAX_TABLES = 64,
    MAX_DEPTH = 4,
    SCHEMA_BYTES = 256 * 1024,
    LIST_BYTES = 1 << 20,
    VALUE_BYTES = 1 << 20
};

/* What a placeholder stands for, beside facts. */
struct source {
    struct slot_ref slot;
    const char *shown; /* what of a result: "rows", "row_count", "truncated"; NULL: the slot */
    struct str *tables;
    size_t table_count;
    const struct graph_condition *condition; /* NULL: always then */
    const struct graph_text *then, *otherwise;
};

static const struct {
    const char *name;
    struct str (*make)(struct node *node);
} facts[] = {
    {"today", facts_today},       {"dialect", facts_dialect},       {"naming", facts_naming},
    {"scope", schema_text_scope}, {"queries", semantic_query_rule}, {"language", facts_language},
    {"units", facts_units},
};

/* ---- at run time ---- */

static struct str state_text(struct node *node, const void *from)
{
    const struct source *source = from;
    struct str text = slot_text(node_state(node), slot_index(source->slot), node_arena(node));
    return str_is_absent(text) ? STR("") : text;
}

static struct str shown_text(struct node *node, const void *from)
{
    const struct source *source = from;
    return rows_shown(node, slot_index(source->slot), str_of(source->shown));
}

static struct str refusal_text(struct node *node, const void *from)
{
    const struct source *source = from;
    struct str reason = node_str(node, slot_index(source->slot));
    return str_is_empty(reason) ? STR("") : refusals_sentence(node_arena(node), reason);
}

static struct str chosen_text(struct node *node, const void *from)
{
    const struct source *source = from;
    bool holds = source->condition == NULL ||
                 graph_condition_holds(source->condition, node_state(node), node_graph(node));
    const struct graph_text *text = holds ? source->then : source->otherwise;
    return text == NULL ? STR("") : graph_fields_write(node, text);
}

static size_t find_tables(struct node *node, const struct source *source, int tables[MAX_TABLES])
{
    const struct catalog *catalog = knowledge(node)->catalog;
    size_t count = 0;
    for (size_t i = 0; catalog != NULL && i < source->table_count; i++) {
        tables[count] = catalog_find_dotted(catalog, source->tables[i]);
        count += tables[count] != CATALOG_NONE;
    }
    return count;
}

static struct str values_text(struct node *node, const void *from)
{
    const struct source *source = from;
    int tables[MAX_TABLES];
    size_t count = find_tables(node, source, tables);
    return values_write(node, tables, count, node_session(node)->message);
}

static struct str schema_text(struct node *node, const void *from)
{
    const struct source *source = from;
    int tables[MAX_TABLES];
    struct buf out;
    size_t count = find_tables(node, source, tables);
    if (knowledge(node)->catalog == NULL)
        return STR("");
    buf_init(&out, SCHEMA_BYTES);
    schema_text_write(knowledge(node), node_session(node)->message, tables, count,
                      services(node)->limits->sql_max_columns_in_schema, facts_today(node), &out);
    buf_push(&out, schema_text_examples(node, node_session(node)->message, tables, count));
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

static struct str meanings_text(struct node *node, const void *from)
{
    const struct source *source = from;
    const struct knowledge *knows = knowledge(node);
    int tables[MAX_TABLES];
    struct buf out;
    size_t count = find_tables(node, source, tables);
    if (knows->semantic == NULL || knows->catalog == NULL)
        return STR("");
    buf_init(&out, SCHEMA_BYTES);
    semantic_prompt_write_all(knows->semantic, knows->catalog, tables, count, facts_today(node),
                              &out);
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

static struct str examples_text(struct node *node, const void *from)
{
    const struct source *source = from;
    int tables[MAX_TABLES];
    size_t count = find_tables(node, source, tables);
    return schema_text_examples(node, node_session(node)->message, tables, count);
}

static struct str company_text(struct node *node)
{
    return node_session(node)->caller.company_id;
}

static struct str user_text(struct node *node)
{
    return node_session(node)->caller.user_id;
}

/* ---- at load ---- */

static bool bind_tables(struct graph_reader *r, const struct json_value *list,
                        struct source *source)
{
    source->tables =
        arena_array(r->json.arena, size_min(list->count, MAX_TABLES), sizeof *source->tables);
    if (source->tables == NULL && list->count > 0)
        return graph_reader_no_memory(r);
    JSON_EACH(item, list) {
        if (item->type != JSON_STRING || source->table_count == MAX_TABLES)
            return graph_reader_fail(r, NULL, "expected at most %d names of tables", MAX_TABLES);
        source->tables[source->table_count++] = item->text;
    }
    return true;
}

/* {"if":CONDITION,"then":TEXT,"else":TEXT}, or {"text":TEXT}; more: as of graph_fields_bind. */
static bool bind_chosen(struct graph_reader *r, const struct json_value *object,
                        const struct json_value *more, struct source *source,
                        struct ask_field *field)
{
    static const char *const choice[] = {"if", "then", "else", NULL};
    static const char *const plain[] = {"text", NULL};
    const struct json_value *condition = json_value_member(object, STR("if"));
    field->make_of = chosen_text;
    if (!graph_reader_members(r, object, condition == NULL ? plain : choice, NULL))
        return false;
    if (condition != NULL) {
        source->condition = graph_condition_read(r, object);
        if (source->condition == NULL)
            return false;
        source->otherwise = graph_fields_read(r, object, "else", false, more);
    }
    source->then = graph_fields_read(r, object, condition == NULL ? "text" : "then", true, more);
    return source->then != NULL && graph_reader_ok(r);
}

/* What a member of an entry of "fields" means: of a field, or of tables. */
static const struct {
    const char *member;
    struct str (*make_of)(struct node *node, const void *source);
    const char *shown;
    unsigned types; /* of the field; 0: tables */
} described[] = {
    {"rows_of", shown_text, "rows", 1u << SLOT_JSON},
    {"row_count_of", shown_text, "row_count", 1u << SLOT_JSON},
    {"truncated_of", shown_text, "truncated", 1u << SLOT_JSON},
    {"refusal_of", refusal_text, NULL, 1u << SLOT_TEXT},
    {"values_of", values_text, NULL, 0},
    {"schema_of", schema_text, NULL, 0},
    {"meanings_of", meanings_text, NULL, 0},
    {"examples_of", examples_text, NULL, 0},
};

/* A field that the node's "fields" describe. */
static bool bind_described(struct graph_reader *r, const struct json_value *object,
                           const struct json_value *more, struct source *source,
                           struct ask_field *field)
{
    static const char *const members[] = {
        "rows_of",     "row_count_of", "truncated_of", "refusal_of", "values_of", "schema_of",
        "meanings_of", "examples_of",  "text",         "if",         "then",      "else",
        NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    if (json_value_member(object, STR("if")) != NULL ||
        json_value_member(object, STR("text")) != NULL)
        return bind_chosen(r, object, more, source, field);
    for (size_t i = 0; object->count == 1 && i < countof(described); i++) {
        if (json_value_member(object, str_of(described[i].member)) == NULL)
            continue;
        field->make_of = described[i].make_of;
        source->shown = described[i].shown;
        if (described[i].types == 0) {
            const struct json_value *tables =
                graph_reader_array(r, object, described[i].member, true);
            return tables != NULL && bind_tables(r, tables, source);
        }
        source->slot = graph_reader_slot(r, object, described[i].member, true, described[i].types);
        return slot_is_named(source->slot);
    }
    return graph_reader_fail(r, NULL, "expected one member");
}

static bool bind_fact(struct str name, struct ask_field *field)
{
    for (size_t i = 0; i < countof(facts); i++)
        if (str_equal(name, str_of(facts[i].name)))
            field->make = facts[i].make;
    if (str_equal(name, STR("company")))
        field->make = company_text;
    if (str_equal(name, STR("user")))
        field->make = user_text;
    return field->make != NULL;
}

static bool bind_slot(struct graph_reader *r, struct str name, struct source *source,
                      struct ask_field *field)
{
    for (size_t i = 0; i < r->slot_count; i++)
        if (str_equal(str_of(r->slots[i].name), name)) {
            source->slot = (struct slot_ref)SLOT(i);
            field->make_of = state_text;
            return true;
        }
    return bind_fact(name, field) ||
           graph_reader_fail(r, NULL,
                             "{%.*s} is no field of /state, no fact (today, dialect, naming, "
                             "scope, queries, language, units, company, user) and not among "
                             "\"fields\"",
                             STR_ARG(name));
}

static bool bind_one(struct graph_reader *r, struct str name, const struct json_value *more,
                     struct ask_field *field)
{
    struct source *source = arena_alloc(r->json.arena, sizeof *source);
    const struct json_value *says = json_value_member(more, name);
    field->name = arena_cstr(r->json.arena, name);
    field->source = source;
    if (source == NULL || field->name == NULL)
        return graph_reader_no_memory(r);
    if (says == NULL)
        return bind_slot(r, name, source, field);
    /* "fields" stands in the node, wherever the placeholder stands. */
    const struct json_members here = r->json;
    graph_reader_leave(r, r->node_mark);
    (void)graph_reader_enter(r, STR("fields"));
    (void)graph_reader_enter(r, name);
    if (!bind_described(r, says, more, source, field))
        return false;
    r->json = here;
    return true;
}

static bool is_bound(const struct ask_field *fields, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(str_of(fields[i].name), name))
            return true;
    return false;
}

static bool bind_next(struct graph_reader *r, struct str name, const struct json_value *more,
                      struct ask_field fields[ASK_MAX_FIELDS], size_t *count)
{
    if (is_bound(fields, *count, name))
        return true;
    if (*count == ASK_MAX_FIELDS)
        return graph_reader_fail(r, NULL, "more than %d different placeholders", ASK_MAX_FIELDS);
    if (r->depth == MAX_DEPTH)
        return graph_reader_fail(r, NULL,
                                 "{%.*s} stands in a text of \"fields\" within others, "
                                 "deeper than %d",
                                 STR_ARG(name), MAX_DEPTH);
    r->depth++;
    bool ok = bind_one(r, name, more, &fields[(*count)++]);
    r->depth--;
    return ok;
}

bool graph_fields_bind(struct graph_reader *r, const struct prompt *prompt,
                       const struct json_value *more, struct ask_field fields[ASK_MAX_FIELDS])
{
    size_t count = 0;
    for (size_t i = 0; graph_reader_ok(r); i++) {
        struct str name = prompt_field(prompt, i);
        if (str_is_absent(name))
            return true;
        if (!bind_next(r, name, more, fields, &count))
            return false;
    }
    return false;
}

bool graph_fields_bind_names(struct graph_reader *r, const char *const *names,
                             const struct json_value *more, struct ask_field fields[ASK_MAX_FIELDS])
{
    size_t count = 0;
    for (size_t i = 0; i < PROMPT_MAX_FIELDS && names[i] != NULL; i++)
        if (!bind_next(r, str_of(names[i]), more, fields, &count))
            return false;
    return graph_reader_ok(r);
}

const struct graph_text *graph_fields_read(struct graph_reader *r, const struct json_value *object,
                                           const char *member, bool required,
                                           const struct json_value *more)
{
    struct err err;
    struct str text = graph_reader_text(r, object, member, required);
    if (str_is_absent(text))
        return NULL;
    struct graph_text *made = arena_alloc(r->json.arena, sizeof *made);
    if (made == NULL) {
        graph_reader_no_memory(r);
        return NULL;
    }
    made->prompt = prompt_make(text, true, r->json.arena, &err);
    if (made->prompt == NULL) {
        graph_reader_fail(r, member, "%s", err.text);
        return NULL;
    }
    size_t mark = graph_reader_enter(r, str_of(member));
    bool ok = graph_fields_bind(r, made->prompt, more, made->fields);
    graph_reader_leave(r, mark);
    return ok ? made : NULL;
}

static struct str field_text(struct node *node, const struct ask_field *field)
{
    return field->make_of != NULL ? field->make_of(node, field->source) : field->make(node);
}

struct str graph_fields_write(struct node *node, const struct graph_text *text)
{
    struct llm_field fields[ASK_MAX_FIELDS];
    size_t count = 0;
    for (; count < ASK_MAX_FIELDS && text->fields[count].name != NULL; count++)
        fields[count] = (struct llm_field){str_of(text->fields[count].name),
                                           field_text(node, &text->fields[count])};
    return prompt_text(text->prompt, fields, count, node_arena(node));
}

static bool is_bare(const struct state *state, const struct source *source)
{
    enum slot_type type = state_schema(state)->slots[slot_index(source->slot)].type;
    return type == SLOT_INT || type == SLOT_REAL;
}

/* The literal of a field; absent: it cannot be written. */
static struct str literal(struct node *node, const struct ask_field *field)
{
    const struct source *source = field->source;
    bool is_slot = field->make_of == state_text;
    if (is_slot && !node_has(node, slot_index(source->slot)))
        return STR("NULL");
    struct str text = field_text(node, field);
    if (is_slot && is_bare(node_state(node), source))
        return text;
    return sql_quote_text_in(knowledge(node)->dialect, text, node_arena(node));
}

struct str graph_fields_write_sql(struct node *node, const struct graph_text *text)
{
    struct llm_field fields[ASK_MAX_FIELDS];
    size_t count = 0;
    for (; count < ASK_MAX_FIELDS && text->fields[count].name != NULL; count++) {
        fields[count] = (struct llm_field){str_of(text->fields[count].name),
                                           literal(node, &text->fields[count])};
        if (str_is_absent(fields[count].value))
            return fields[count].value;
    }
    return prompt_text(text->prompt, fields, count, node_arena(node));
}

void graph_fields_put(struct node *node, unsigned slot, const struct json_value *value)
{
    const enum slot_type type = state_schema(node_state(node))->slots[slot].type;
    const bool is_number = value != NULL && (value->type == JSON_INT || value->type == JSON_DOUBLE);
    struct json_write json;
    struct buf text;
    if (type == SLOT_INT && is_number && value->type == JSON_INT)
        node_put_int(node, slot, value->integer);
    else if (type == SLOT_REAL && is_number)
        node_put_real(node, slot, value->number);
    else if (type == SLOT_BOOL && value != NULL && value->type == JSON_BOOL)
        node_put_bool(node, slot, value->boolean);
    else if (type == SLOT_TEXT && value != NULL && value->type == JSON_STRING)
        node_put_str(node, slot, value->text);
    else if (type == SLOT_JSON && value != NULL) {
        buf_init(&text, VALUE_BYTES);
        json_write_init(&json, &text);
        json_value_write(value, &json);
        if (buf_ok(&text))
            node_put_str(node, slot, buf_str(&text));
        buf_fini(&text);
    } else
        node_clear(node, slot);
}

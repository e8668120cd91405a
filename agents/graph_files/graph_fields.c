/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_fields.c - placeholders bound to fields of the state, facts and tables.
 *
 * Happy path: at load each placeholder finds its source; at run time the source gives its text.
 * Failure: a name that is nothing is a mistake of the file. */
#include "agents/graph_files/graph_fields.h"

#include "agents/common/prompt.h"
#include "agents/services/slot_text.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/values.h"
#include "agents/rows/shown.h"
#include "agents/sql/catalog/quote.h"
#include "proto/json_write.h"

enum { MAX_TABLES = 64, SCHEMA_BYTES = 256 * 1024, LIST_BYTES = 1 << 20 };

/* What a placeholder stands for, beside facts. */
struct source {
    struct slot_ref slot;
    const char *shown; /* what of a result: "rows", "row_count", "truncated"; NULL: the slot */
    struct str tables[MAX_TABLES];
    size_t table_count;
};

static const struct {
    const char *name;
    struct str (*make)(struct node *node);
} facts[] = {
    {"today", facts_today},
    {"dialect", facts_dialect},
    {"naming", facts_naming},
    {"scope", schema_text_scope},
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

static struct str company_text(struct node *node)
{
    return node_session(node)->caller.company_id;
}

static struct str user_text(struct node *node)
{
    return node_session(node)->caller.user_id;
}

/* ---- at load ---- */

static bool take_tables(struct graph_reader *r, const struct json_value *list,
                        struct source *source)
{
    JSON_EACH(item, list) {
        if (item->type != JSON_STRING || source->table_count == MAX_TABLES)
            return graph_reader_fail(r, NULL, "expected at most %d names of tables", MAX_TABLES);
        source->tables[source->table_count++] = item->text;
    }
    return true;
}

/* A field that the node's "fields" describe. */
static bool bind_described(struct graph_reader *r, const struct json_value *object,
                           struct source *source, struct ask_field *field)
{
    static const char *const members[] = {"rows_of",   "row_count_of", "truncated_of",
                                          "values_of", "schema_of",    NULL};
    static const char *const shown[] = {"rows", "row_count", "truncated"};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    if (object->count != 1)
        return graph_reader_fail(r, NULL, "expected one member");
    for (size_t i = 0; i < countof(shown); i++) {
        source->slot = graph_reader_slot(r, object, members[i], false, 1u << SLOT_JSON);
        source->shown = shown[i];
        field->make_of = shown_text;
        if (slot_is_named(source->slot) || !graph_reader_ok(r))
            return graph_reader_ok(r);
    }
    const struct json_value *tables = graph_reader_array(r, object, "values_of", false);
    field->make_of = tables != NULL ? values_text : schema_text;
    if (tables == NULL)
        tables = graph_reader_array(r, object, "schema_of", false);
    return tables != NULL && take_tables(r, tables, source);
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
                             "scope, company, user) and not among \"fields\"",
                             STR_ARG(name));
}

static bool bind_one(struct graph_reader *r, struct str name, const struct json_value *more,
                     struct ask_field *field)
{
    struct source *source = arena_alloc(r->json.arena, sizeof *source);
    const struct json_value *described = json_value_member(more, name);
    field->name = arena_cstr(r->json.arena, name);
    field->source = source;
    if (source == NULL || field->name == NULL)
        return graph_reader_no_memory(r);
    if (described == NULL)
        return bind_slot(r, name, source, field);
    size_t outer = graph_reader_enter(r, STR("fields")), inner = graph_reader_enter(r, name);
    bool ok = bind_described(r, described, source, field);
    graph_reader_leave(r, inner);
    graph_reader_leave(r, outer);
    return ok;
}

static bool is_bound(const struct ask_field *fields, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(str_of(fields[i].name), name))
            return true;
    return false;
}

bool graph_fields_bind(struct graph_reader *r, const struct prompt *prompt,
                       const struct json_value *more, struct ask_field fields[ASK_MAX_FIELDS])
{
    size_t count = 0;
    for (size_t i = 0; graph_reader_ok(r); i++) {
        struct str name = prompt_field(prompt, i);
        if (str_is_absent(name))
            return true;
        if (is_bound(fields, count, name))
            continue;
        if (count == ASK_MAX_FIELDS)
            return graph_reader_fail(r, NULL, "more than %d different placeholders",
                                     ASK_MAX_FIELDS);
        if (!bind_one(r, name, more, &fields[count++]))
            return false;
    }
    return false;
}

const struct graph_text *graph_fields_read(struct graph_reader *r, const struct json_value *object,
                                           const char *member, bool required)
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
    bool ok = graph_fields_bind(r, made->prompt, NULL, made->fields);
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
    struct buf out;
    if (is_slot && !node_has(node, slot_index(source->slot)))
        return STR("NULL");
    struct str text = field_text(node, field);
    if (is_slot && is_bare(node_state(node), source))
        return text;
    if (str_find_char(text, '\\') != STR_NONE)
        return str_make(NULL, 0);
    buf_init(&out, LIST_BYTES);
    sql_quote_text(text, &out);
    text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : str_make(NULL, 0);
    buf_fini(&out);
    return text;
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

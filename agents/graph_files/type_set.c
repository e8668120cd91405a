/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_set.c - "set": fields get texts, numbers or nothing; "branch": nothing
 * but a place for a route.
 *
 * "values" has a member for each field: a text with placeholders, a number, true or false, null
 * (absent), {"if":CONDITION,"then":VALUE,"else":VALUE} (no else: absent), {"sql":TEXT}: the
 * placeholders are written as literals of SQL, or {"add":NUMBER}: to what the field holds. */
#include "agents/graph_files/node_types.h"

#include "agents/graph_files/graph_condition.h"
#include "agents/graph_files/graph_fields.h"

enum { MAX_VALUES = 16 };

struct value {
    const struct graph_condition *condition; /* NULL: always; else what follows is for "then" */
    const struct value *otherwise;           /* NULL: absent */
    const struct graph_text *text, *sql;
    const struct json_value *plain; /* a number, a boolean, null */
    bool add;                       /* plain, to what is there; absent counts as 0 */
};

struct set_file {
    struct slot_ref slots[MAX_VALUES];
    struct value values[MAX_VALUES];
    size_t count;
};

/* ---- at run time ---- */

static void put_plain(struct node *node, unsigned slot, const struct json_value *plain)
{
    if (plain->type == JSON_BOOL)
        node_put_bool(node, slot, plain->boolean);
    else if (plain->type == JSON_NULL)
        node_clear(node, slot);
    else if (state_schema(node_state(node))->slots[slot].type == SLOT_INT)
        node_put_int(node, slot, plain->integer);
    else
        node_put_real(node, slot, plain->number);
}

static void add_plain(struct node *node, unsigned slot, const struct json_value *plain)
{
    int64_t sum;
    if (state_schema(node_state(node))->slots[slot].type == SLOT_REAL)
        node_put_real(node, slot, state_real(node_state(node), slot) + plain->number);
    else if (!__builtin_add_overflow(node_int(node, slot), plain->integer, &sum))
        node_put_int(node, slot, sum);
}

/* False: a text could not be written. */
static bool put(struct node *node, unsigned slot, const struct value *value)
{
    if (value->condition != NULL &&
        !graph_condition_holds(value->condition, node_state(node), node_graph(node)))
        value = value->otherwise;
    if (value == NULL) {
        node_clear(node, slot);
        return true;
    }
    if (value->add) {
        add_plain(node, slot, value->plain);
        return true;
    }
    if (value->plain != NULL) {
        put_plain(node, slot, value->plain);
        return true;
    }
    struct str text = value->text != NULL ? graph_fields_write(node, value->text)
                                          : graph_fields_write_sql(node, value->sql);
    if (str_is_absent(text))
        return false;
    if (state_schema(node_state(node))->slots[slot].type == SLOT_LIST)
        node_push_item(node, slot, text);
    else
        node_put_str(node, slot, text);
    return true;
}

static enum step enter(struct node *node)
{
    const struct set_file *file = node_config(node);
    for (size_t i = 0; file != NULL && i < file->count; i++) {
        unsigned slot = slot_index(file->slots[i]);
        struct err err;
        if (put(node, slot, &file->values[i]))
            continue;
        err_set(&err, ERR_INVALID, "node '%s': the value of '%s' cannot be written%s",
                node_name(node), state_schema(node_state(node))->slots[slot].name,
                arena_ok(node_arena(node)) ? ": a text in it holds a backslash"
                                           : ": no memory is left");
        return node_fail(node, &err);
    }
    return STEP_DONE;
}

static const struct graph_node_type set_node = {.enter = enter};

/* ---- at load ---- */

static bool fits_plain(enum slot_type type, const struct json_value *plain)
{
    if (plain->type == JSON_NULL)
        return true;
    if (plain->type == JSON_BOOL)
        return type == SLOT_BOOL;
    return type == SLOT_REAL || (type == SLOT_INT && plain->type == JSON_INT);
}

static bool read_value(struct graph_reader *r, const struct json_value *parent, const char *member,
                       enum slot_type type, struct value *to);

static bool read_choice(struct graph_reader *r, const struct json_value *object,
                        enum slot_type type, struct value *to)
{
    static const char *const members[] = {"if", "then", "else", NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    to->condition = graph_condition_read(r, object);
    if (to->condition == NULL || !read_value(r, object, "then", type, to))
        return false;
    if (json_value_member(object, STR("else")) == NULL)
        return true;
    struct value *otherwise = arena_alloc(r->json.arena, sizeof *otherwise);
    to->otherwise = otherwise;
    return otherwise == NULL ? graph_reader_no_memory(r)
                             : read_value(r, object, "else", type, otherwise);
}

static bool read_add(struct graph_reader *r, const struct json_value *number, enum slot_type type,
                     struct value *to)
{
    to->plain = number;
    to->add = true;
    bool is_number = number->type == JSON_INT || number->type == JSON_DOUBLE;
    return (is_number && (type == SLOT_REAL || type == SLOT_INT) && fits_plain(type, number)) ||
           graph_reader_fail(r, "add", "expected a number, and a field that holds such a one");
}

static bool read_object(struct graph_reader *r, const struct json_value *object,
                        enum slot_type type, struct value *to)
{
    static const char *const members[] = {"sql", "add", NULL};
    const struct json_value *add = json_value_member(object, STR("add"));
    if (json_value_member(object, STR("if")) != NULL && to->condition == NULL)
        return read_choice(r, object, type, to);
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    if (object->count != 1)
        return graph_reader_fail(r, NULL, "expected \"sql\", \"add\" or \"if\"");
    if (add != NULL)
        return read_add(r, add, type, to);
    to->sql = graph_fields_read(r, object, "sql", true, NULL);
    if (type != SLOT_TEXT)
        return graph_reader_fail(r, NULL, "a statement goes into a field of type text");
    return to->sql != NULL;
}

static bool read_value(struct graph_reader *r, const struct json_value *parent, const char *member,
                       enum slot_type type, struct value *to)
{
    const struct json_value *value = json_value_member(parent, str_of(member));
    if (value == NULL)
        return graph_reader_fail(r, member, "expected a value");
    if (value->type == JSON_STRING) {
        to->text = graph_fields_read(r, parent, member, true, NULL);
        if (type != SLOT_TEXT && type != SLOT_JSON && type != SLOT_LIST)
            return graph_reader_fail(r, member, "a text does not fit into the field");
        return to->text != NULL;
    }
    if (value->type == JSON_OBJECT) {
        size_t mark = graph_reader_enter(r, str_of(member));
        bool ok = read_object(r, value, type, to);
        graph_reader_leave(r, mark);
        return ok;
    }
    to->plain = value;
    return (value->type != JSON_ARRAY && fits_plain(type, value)) ||
           graph_reader_fail(r, member, "%s does not fit into the field",
                             json_value_type_name(value));
}

static bool read_set(struct graph_reader *r, const struct json_value *object, unsigned index,
                     struct graph_node *node)
{
    const struct json_value *values = graph_reader_object(r, object, "values", true);
    struct set_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    if (values == NULL)
        return false;
    size_t mark = graph_reader_enter(r, STR("values"));
    JSON_EACH(item, values) {
        const char *name = arena_cstr(r->json.arena, item->key);
        if (file->count == MAX_VALUES || name == NULL)
            return graph_reader_fail(r, NULL, "more than %d values", MAX_VALUES);
        struct slot_ref slot = graph_reader_slot_named(r, name, item->key);
        if (!slot_is_named(slot))
            return false;
        r->slots[slot_index(slot)].writers |= SLOT_WRITER(index);
        file->slots[file->count] = slot;
        if (!read_value(r, values, name, r->slots[slot_index(slot)].type,
                        &file->values[file->count++]))
            return false;
    }
    graph_reader_leave(r, mark);
    node->type = &set_node;
    node->config = file;
    return true;
}

static bool read_branch(struct graph_reader *r, const struct json_value *object,
                        unsigned index UNUSED, struct graph_node *node)
{
    node->type = &set_node; /* without values */
    return json_value_member(object, STR("route")) != NULL ||
           graph_reader_fail(r, "route", "a branch needs a route");
}

const struct node_type type_set_node = {"set", {"values"}, read_set};
const struct node_type type_set_branch_node = {"branch", {NULL}, read_branch};

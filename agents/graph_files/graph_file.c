/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_file.c - tables of a graph, made from the members of a file.
 *
 * Happy path: the fields of the state, the budgets and the names of the nodes first, since
 * everything else refers to them; then each node by its type, the edges, what is reported.
 * Failure: the first mistake, with its pointer; no memory. */
#include "agents/graph_files/graph_file.h"

#include <stdio.h>

#include "agents/common/members.h"
#include "agents/services/slot_text.h"
#include "agents/graph_files/graph_condition.h"
#include "agents/graph_files/node_types.h"
#include "core/base/mem.h"
#include "proto/json_write.h"

enum {
    ARENA_BYTES = 16 << 20,
    MAX_EDGES = 256,
    MAX_BUDGETS = 16,
    MAX_REPORTED = 32,
    MAX_CODES = 8,
    MAX_TIMEOUT_MS = 600 * 1000,
    MAX_RETRIES = 10,
    MAX_LIMIT = 1000,
};

struct reported {
    const char *member;
    unsigned slot;
    const struct graph_condition *condition; /* NULL: always */
};

/* What a field holds when a run begins. */
struct start {
    unsigned slot;
    const struct json_value *plain; /* a text, a number, a boolean; NULL: whose is */
    enum whose { OF_COMPANY, OF_USER, OF_CONVERSATION } whose;
};

struct graph_file {
    struct arena arena;
    struct graph_def def; /* found again by its schema, which states point to */
    struct registry_entry entry;
    struct reported reported[MAX_REPORTED];
    size_t reported_count;
    struct start *starts;
    size_t start_count;
    struct slot_ref failure_slot;
    const struct choice *failure_codes;
    uint64_t hash;
};

struct choice {                              /* of a route, or of codes of a failure */
    const struct graph_condition *condition; /* NULL: otherwise */
    const char *label;
};

/* ---- what a run asks a definition ---- */

static const struct graph_file *file_of(const struct state *state)
{
    return container_of(state_schema(state), struct graph_file, def.schema);
}

static void report(const struct state *state, struct buf *out)
{
    const struct graph_file *file = file_of(state);
    for (size_t i = 0; i < file->reported_count; i++) {
        const struct reported *reported = &file->reported[i];
        struct buf value;
        if (!state_has(state, reported->slot) ||
            (reported->condition != NULL &&
             !graph_condition_holds(reported->condition, state, NULL)))
            continue;
        buf_init(&value, out->limit);
        struct json_write writer;
        json_write_init(&writer, &value);
        slot_text_write(state, reported->slot, &writer);
        members_raw(out, reported->member, buf_str(&value));
        buf_fini(&value);
    }
}

static const char *pick(const struct choice *choices, const struct state *state,
                        const struct graph *graph)
{
    while (choices->condition != NULL && !graph_condition_holds(choices->condition, state, graph))
        choices++;
    return choices->label;
}

static const char *failure(const struct state *state, struct str *message)
{
    const struct graph_file *file = file_of(state);
    if (!slot_is_named(file->failure_slot) || !state_has(state, slot_index(file->failure_slot)))
        return NULL;
    *message = state_str(state, slot_index(file->failure_slot));
    return pick(file->failure_codes, state, NULL);
}

static const char *pick_label(const struct graph_node *node, const struct state *state,
                              const struct graph *graph)
{
    return pick(node->rules, state, graph);
}

static struct str whose_name(enum whose whose, const struct identity *caller)
{
    return whose == OF_COMPANY ? caller->company_id
           : whose == OF_USER  ? caller->user_id
                               : caller->conversation_id;
}

static void put_start(struct update *input, const struct start *start, enum slot_type type,
                      const struct session *session)
{
    struct str text =
        start->plain == NULL ? whose_name(start->whose, &session->caller) : start->plain->text;
    if (type == SLOT_BOOL)
        update_put_bool(input, start->slot, start->plain->boolean);
    else if (type == SLOT_INT)
        update_put_int(input, start->slot, start->plain->integer);
    else if (type == SLOT_REAL)
        update_put_real(input, start->slot, start->plain->number);
    else if (!str_is_absent(text))
        update_put_str(input, start->slot, text);
}

/* Nothing of the budgets is used yet. */
static void begin(const struct registry_entry *entry, struct update *input,
                  const struct session *session)
{
    const struct graph_file *file = container_of(entry, struct graph_file, entry);
    for (size_t i = 0; i < file->def.budget_count; i++)
        update_put_int(input, slot_index(file->def.budgets[i].counter_slot), 0);
    for (size_t i = 0; i < file->start_count; i++)
        put_start(input, &file->starts[i], file->def.schema.slots[file->starts[i].slot].type,
                  session);
}

/* ---- state ---- */

static bool find_word(struct graph_reader *r, const char *member, struct str word,
                      const char *const *words, size_t count, unsigned *which)
{
    struct buf known;
    for (*which = 0; *which < count; ++*which)
        if (str_equal(word, str_of(words[*which])))
            return true;
    buf_init(&known, ERR_TEXT_BYTES);
    for (size_t i = 0; i < count; i++)
        buf_printf(&known, "%s%s", i > 0 ? ", " : "", words[i]);
    graph_reader_fail(r, member, "expected one of %.*s, got '%.*s'", STR_ARG(buf_str(&known)),
                      STR_ARG(word));
    buf_fini(&known);
    return false;
}

/* {"caller":"company"|"user"|"conversation"}. */
static bool read_whose(struct graph_reader *r, const struct json_value *object, struct start *start)
{
    static const char *const members[] = {"caller", NULL};
    static const char *const whose[] = {"company", "user", "conversation"};
    unsigned which;
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    struct str name = graph_reader_text(r, object, "caller", true);
    if (!graph_reader_ok(r) || !find_word(r, "caller", name, whose, countof(whose), &which))
        return false;
    start->whose = (enum whose)which;
    return true;
}

static bool read_start(struct graph_reader *r, const struct json_value *value,
                       struct graph_file *file)
{
    const struct json_value *plain = json_value_member(value, STR("start"));
    struct slot *slot = &r->slots[r->slot_count];
    struct start *start = &file->starts[file->start_count];
    if (plain == NULL)
        return true;
    size_t mark = graph_reader_enter(r, STR("start"));
    const bool is_whose = slot->type == SLOT_TEXT && plain->type == JSON_OBJECT;
    const bool fits =
        is_whose || (slot->type == SLOT_TEXT && plain->type == JSON_STRING) ||
        (slot->type == SLOT_BOOL && plain->type == JSON_BOOL) ||
        (slot->type == SLOT_INT && plain->type == JSON_INT) ||
        (slot->type == SLOT_REAL && (plain->type == JSON_INT || plain->type == JSON_DOUBLE));
    if (!fits)
        return graph_reader_fail(r, NULL, "%s does not fit into the field",
                                 json_value_type_name(plain));
    start->slot = (unsigned)r->slot_count;
    start->plain = is_whose ? NULL : plain;
    slot->writers |= SLOT_WRITER_INPUT;
    file->start_count++;
    if (is_whose && !read_whose(r, plain, start))
        return false;
    graph_reader_leave(r, mark);
    return true;
}

/* A field: the name of its type, or an object. */
static bool read_slot(struct graph_reader *r, const struct json_value *value,
                      struct graph_file *file, struct slot *slot)
{
    static const char *const members[] = {"type",   "reduce",  "input", "start",
                                          "secret", "passing", NULL};
    static const char *const types[] = {"text", "json", "int", "real", "bool", "list"};
    static const char *const reducers[] = {"replace", "append", "add"};
    unsigned which;
    if (value->type == JSON_STRING) {
        if (!find_word(r, NULL, value->text, types, countof(types), &which))
            return false;
        slot->type = (enum slot_type)which;
        return true;
    }
    if (!graph_reader_members(r, value, members, NULL))
        return false;
    struct str type = graph_reader_text(r, value, "type", true);
    if (!graph_reader_ok(r) || !find_word(r, "type", type, types, countof(types), &which))
        return false;
    slot->type = (enum slot_type)which;
    struct str reducer = graph_reader_text(r, value, "reduce", false);
    if (!str_is_absent(reducer)) {
        if (!find_word(r, "reduce", reducer, reducers, countof(reducers), &which))
            return false;
        slot->reducer = (enum slot_reducer)which;
    }
    if (graph_reader_flag(r, value, "input")) {
        slot->writers = SLOT_WRITER_INPUT;
        file->entry.inputs |= UINT64_C(1) << r->slot_count;
    }
    slot->secret = graph_reader_flag(r, value, "secret");
    slot->passing = graph_reader_flag(r, value, "passing");
    return graph_reader_ok(r) && read_start(r, value, file);
}

static bool read_state(struct graph_reader *r, const struct json_value *root,
                       struct graph_file *file)
{
    const struct json_value *state = graph_reader_object(r, root, "state", true);
    if (state == NULL)
        return false;
    r->slots = arena_array(r->json.arena, GRAPH_READER_SLOTS, sizeof *r->slots);
    file->starts = arena_array(r->json.arena, GRAPH_READER_SLOTS, sizeof *file->starts);
    if (r->slots == NULL || file->starts == NULL)
        return graph_reader_no_memory(r);
    size_t outer = graph_reader_enter(r, STR("state"));
    JSON_EACH(item, state) {
        size_t mark = graph_reader_enter(r, item->key);
        if (r->slot_count == GRAPH_READER_SLOTS)
            return graph_reader_fail(r, NULL, "more than %d fields", GRAPH_READER_SLOTS);
        struct slot *slot = &r->slots[r->slot_count];
        slot->name = arena_cstr(r->json.arena, item->key);
        if (slot->name == NULL)
            return graph_reader_no_memory(r);
        if (!read_slot(r, item, file, slot))
            return false;
        r->slot_count++;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    return true;
}

/* ---- budgets ---- */

static bool read_budget(struct graph_reader *r, const struct json_value *object,
                        struct graph_budget *budget)
{
    static const char *const members[] = {"limit", "counter", "reason", "counted_by_node", NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    budget->limit = (unsigned)graph_reader_int(r, object, "limit", 0, MAX_LIMIT, -1);
    if (graph_reader_ok(r) && json_value_member(object, STR("limit")) == NULL)
        return graph_reader_fail(r, "limit", "expected a number");
    budget->counter_slot = graph_reader_slot(r, object, "counter", true, 1u << SLOT_INT);
    budget->reason_slot =
        graph_reader_slot(r, object, "reason", false, 1u << SLOT_TEXT | 1u << SLOT_JSON);
    budget->counted_by_node = graph_reader_flag(r, object, "counted_by_node");
    if (graph_reader_ok(r))
        r->slots[slot_index(budget->counter_slot)].writers |= SLOT_WRITER_INPUT;
    return graph_reader_ok(r);
}

static bool read_budgets(struct graph_reader *r, const struct json_value *root)
{
    const struct json_value *budgets = graph_reader_object(r, root, "budgets", false);
    if (budgets == NULL)
        return graph_reader_ok(r);
    r->budgets = arena_array(r->json.arena, MAX_BUDGETS, sizeof *r->budgets);
    if (r->budgets == NULL)
        return graph_reader_no_memory(r);
    size_t outer = graph_reader_enter(r, STR("budgets"));
    JSON_EACH(item, budgets) {
        size_t mark = graph_reader_enter(r, item->key);
        if (r->budget_count == MAX_BUDGETS)
            return graph_reader_fail(r, NULL, "more than %d budgets", MAX_BUDGETS);
        struct graph_budget *budget = &r->budgets[r->budget_count];
        budget->name = arena_cstr(r->json.arena, item->key);
        if (budget->name == NULL)
            return graph_reader_no_memory(r);
        if (!read_budget(r, item, budget))
            return false;
        r->budget_count++;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    return true;
}

/* ---- nodes ---- */

static bool read_choice(struct graph_reader *r, const struct json_value *object, bool is_last,
                        struct choice *choice)
{
    static const char *const members[] = {"label", "if", NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    choice->label = graph_reader_name(r, object, "label", true);
    const struct json_value *condition = json_value_member(object, STR("if"));
    if (is_last != (condition == NULL))
        return graph_reader_fail(r, is_last ? "if" : NULL,
                                 is_last ? "the last choice has no condition: it is taken when no "
                                           "other holds"
                                         : "a choice without \"if\" ends the list");
    if (condition == NULL)
        return graph_reader_ok(r);
    choice->condition = graph_condition_read(r, object);
    return choice->condition != NULL;
}

static bool add_label(struct graph_reader *r, struct graph_node *node, const char *label)
{
    size_t i = 0;
    while (i < GRAPH_MAX_LABELS && node->labels[i] != NULL &&
           !str_equal(str_of(node->labels[i]), str_of(label)))
        i++;
    if (i >= GRAPH_MAX_LABELS - 1)
        return graph_reader_fail(r, NULL, "more than %d labels", GRAPH_MAX_LABELS - 1);
    node->labels[i] = label;
    return true;
}

static bool read_route(struct graph_reader *r, const struct json_value *object,
                       struct graph_node *node)
{
    const struct json_value *route = graph_reader_array(r, object, "route", false);
    size_t i = 0, outer = graph_reader_enter(r, STR("route"));
    if (route == NULL) {
        graph_reader_leave(r, outer);
        return graph_reader_ok(r);
    }
    struct choice *choices = arena_array(r->json.arena, route->count, sizeof *choices);
    if (choices == NULL && route->count > 0)
        return graph_reader_no_memory(r);
    if (route->count == 0)
        return graph_reader_fail(r, NULL, "expected at least one choice");
    JSON_EACH(item, route) {
        size_t mark = graph_reader_enter_item(r, i);
        if (!read_choice(r, item, i + 1 == route->count, &choices[i]) ||
            !add_label(r, node, choices[i].label))
            return false;
        graph_reader_leave(r, mark);
        i++;
    }
    graph_reader_leave(r, outer);
    node->rules = choices;
    node->route_by = pick_label;
    return true;
}

static bool read_node(struct graph_reader *r, const struct json_value *object, unsigned index)
{
    static const char *const members[] = {"type",       "route", "timeout_ms", "retries", "catch",
                                          "catch_code", "tool",  "background", NULL};
    struct graph_node *node = &r->nodes[index];
    struct str name = graph_reader_text(r, object, "type", true);
    const struct node_type *type = node_types_find(name);
    struct buf known;
    if (!graph_reader_ok(r))
        return false;
    if (type == NULL) {
        buf_init(&known, ERR_TEXT_BYTES);
        node_types_write(&known);
        graph_reader_fail(r, "type", "there is no type '%.*s'; there are: %.*s", STR_ARG(name),
                          STR_ARG(buf_str(&known)));
        buf_fini(&known);
        return false;
    }
    if (!graph_reader_members(r, object, type->members, members))
        return false;
    node->timeout_ms = (uint64_t)graph_reader_int(r, object, "timeout_ms", 0, MAX_TIMEOUT_MS, 0);
    node->retries = (unsigned)graph_reader_int(r, object, "retries", 0, MAX_RETRIES, 0);
    node->catch_slot = graph_reader_slot(r, object, "catch", false, 1u << SLOT_TEXT);
    node->catch_code_slot = graph_reader_slot(r, object, "catch_code", false, 1u << SLOT_TEXT);
    node->tool = graph_reader_flag(r, object, "tool");
    node->background = graph_reader_flag(r, object, "background");
    return graph_reader_ok(r) && type->read(r, object, index, node) && read_route(r, object, node);
}

static bool name_nodes(struct graph_reader *r, const struct json_value *nodes)
{
    r->nodes = arena_array(r->json.arena, GRAPH_MAX_NODES, sizeof *r->nodes);
    if (r->nodes == NULL)
        return graph_reader_no_memory(r);
    JSON_EACH(item, nodes) {
        if (r->node_count == GRAPH_MAX_NODES)
            return graph_reader_fail(r, "nodes", "more than %d nodes", GRAPH_MAX_NODES);
        r->nodes[r->node_count].name = arena_cstr(r->json.arena, item->key);
        if (r->nodes[r->node_count++].name == NULL)
            return graph_reader_no_memory(r);
    }
    return true;
}

static bool link_node(struct graph_reader *r, const struct json_value *object, unsigned index)
{
    const struct node_type *type = node_types_find(graph_reader_text(r, object, "type", true));
    return type->link == NULL || type->link(r, object, index);
}

/* Do what for every node, in the order of the file. */
static bool each_node(struct graph_reader *r, const struct json_value *nodes,
                      bool (*what)(struct graph_reader *r, const struct json_value *object,
                                   unsigned index))
{
    unsigned index = 0;
    size_t outer = graph_reader_enter(r, STR("nodes"));
    JSON_EACH(item, nodes) {
        size_t mark = graph_reader_enter(r, item->key);
        r->node_mark = graph_reader_enter(r, STR(""));
        graph_reader_leave(r, r->node_mark);
        if (item->type != JSON_OBJECT)
            return graph_reader_fail(r, NULL, "expected an object, got %s",
                                     json_value_type_name(item));
        if (!what(r, item, index++))
            return false;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    return true;
}

static bool read_nodes(struct graph_reader *r, const struct json_value *root)
{
    const struct json_value *nodes = graph_reader_object(r, root, "nodes", true);
    return nodes != NULL && name_nodes(r, nodes) && each_node(r, nodes, read_node) &&
           each_node(r, nodes, link_node);
}

/* ---- edges ---- */

static unsigned find_end(struct graph_reader *r, const char *member, struct str name)
{
    bool is_from = str_equal(str_of(member), STR("from"));
    if (str_equal(name, STR("START")) && is_from)
        return GRAPH_START;
    if (str_equal(name, STR("END")) && !is_from)
        return GRAPH_END;
    for (unsigned i = 0; i < r->node_count; i++)
        if (str_equal(name, str_of(r->nodes[i].name)))
            return i;
    graph_reader_fail(r, member, "'%.*s' is no node of /nodes, nor %s", STR_ARG(name),
                      is_from ? "START" : "END");
    return GRAPH_END;
}

static bool read_edge(struct graph_reader *r, const struct json_value *object,
                      struct graph_edge *edge)
{
    static const char *const members[] = {"from", "to", "label", "budget", NULL};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    struct str from = graph_reader_text(r, object, "from", true);
    struct str to = graph_reader_text(r, object, "to", true);
    struct str budget = graph_reader_text(r, object, "budget", false);
    edge->label = graph_reader_name(r, object, "label", false);
    if (!graph_reader_ok(r))
        return false;
    edge->from = find_end(r, "from", from);
    edge->to = find_end(r, "to", to);
    if (str_is_absent(budget))
        return graph_reader_ok(r);
    bool is_found = graph_reader_budget_named(r, budget, &edge->budget);
    edge->budget++; /* 0 is none */
    return is_found && graph_reader_ok(r);
}

static bool read_edges(struct graph_reader *r, const struct json_value *root, struct graph_def *def)
{
    const struct json_value *list = graph_reader_array(r, root, "edges", true);
    size_t i = 0, outer = graph_reader_enter(r, STR("edges"));
    if (list == NULL)
        return false;
    if (list->count > MAX_EDGES)
        return graph_reader_fail(r, NULL, "more than %d edges", MAX_EDGES);
    struct graph_edge *edges = arena_array(r->json.arena, list->count + 1, sizeof *edges);
    if (edges == NULL)
        return graph_reader_no_memory(r);
    JSON_EACH(item, list) {
        size_t mark = graph_reader_enter_item(r, i);
        if (!read_edge(r, item, &edges[i++]))
            return false;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    def->edges = edges;
    def->edge_count = i;
    return true;
}

/* ---- what a run says of itself ---- */

/* The name of a field, or {"field","if"}. */
static bool read_reported(struct graph_reader *r, const struct json_value *value,
                          struct reported *reported)
{
    static const char *const members[] = {"field", "if", NULL};
    struct slot_ref slot;
    if (value->type == JSON_STRING) {
        slot = graph_reader_slot_named(r, NULL, value->text);
    } else {
        if (!graph_reader_members(r, value, members, NULL))
            return false;
        slot = graph_reader_slot(r, value, "field", true, 63);
        reported->condition = graph_condition_read(r, value);
    }
    if (graph_reader_ok(r))
        reported->slot = slot_index(slot);
    return graph_reader_ok(r);
}

static bool read_report(struct graph_reader *r, const struct json_value *root,
                        struct graph_file *file)
{
    const struct json_value *list = graph_reader_object(r, root, "report", false);
    if (list == NULL)
        return graph_reader_ok(r);
    size_t mark = graph_reader_enter(r, STR("report"));
    JSON_EACH(item, list) {
        size_t inner = graph_reader_enter(r, item->key);
        if (file->reported_count == MAX_REPORTED)
            return graph_reader_fail(r, NULL, "more than %d members", MAX_REPORTED);
        struct reported *reported = &file->reported[file->reported_count++];
        reported->member = arena_cstr(r->json.arena, item->key);
        if (reported->member == NULL)
            return graph_reader_no_memory(r);
        if (!read_reported(r, item, reported))
            return false;
        graph_reader_leave(r, inner);
    }
    graph_reader_leave(r, mark);
    return true;
}

static bool read_code(struct graph_reader *r, const struct json_value *object,
                      struct choice *choice)
{
    static const char *const codes[] = {"sql_rejected", "sql_failed", "retrieval_unavailable",
                                        "model_rejected", "invalid"};
    unsigned which;
    struct str code = graph_reader_text(r, object, "code", true);
    if (!graph_reader_ok(r) || !find_word(r, "code", code, codes, countof(codes), &which))
        return false;
    choice->label = codes[which];
    return true;
}

/* "code", or with "if" the one that it has when that holds and "else" what it is otherwise. */
static bool read_codes(struct graph_reader *r, const struct json_value *object,
                       struct graph_file *file)
{
    static const char *const members[] = {"code", "if", "else", NULL};
    struct choice *choices = arena_array(r->json.arena, MAX_CODES, sizeof *choices);
    if (choices == NULL)
        return graph_reader_no_memory(r);
    file->failure_codes = choices;
    for (size_t i = 0; i < MAX_CODES; i++) {
        const struct json_value *condition = json_value_member(object, STR("if"));
        if (i > 0 && !graph_reader_members(r, object, members, NULL))
            return false;
        if (!read_code(r, object, &choices[i]))
            return false;
        if (condition == NULL)
            return true;
        choices[i].condition = graph_condition_read(r, object);
        if (choices[i].condition == NULL)
            return false;
        object = graph_reader_object(r, object, "else", true);
        if (object == NULL)
            return false;
        (void)graph_reader_enter(r, STR("else"));
    }
    return graph_reader_fail(r, NULL, "more than %d codes", MAX_CODES);
}

static bool read_failure(struct graph_reader *r, const struct json_value *root,
                         struct graph_file *file)
{
    static const char *const members[] = {"field", "code", "if", "else", NULL};
    const struct json_value *object = graph_reader_object(r, root, "failure", false);
    if (object == NULL)
        return graph_reader_ok(r);
    size_t mark = graph_reader_enter(r, STR("failure"));
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    file->failure_slot = graph_reader_slot(r, object, "field", true, 1u << SLOT_TEXT);
    if (!graph_reader_ok(r) || !read_codes(r, object, file))
        return false;
    graph_reader_leave(r, mark);
    return true;
}

static bool read_names(struct graph_reader *r, const struct json_value *root,
                       struct graph_file *file)
{
    static const char *const members[] = {
        "name",   "purpose", "state",   "question",        "nodes",  "edges", "budgets",
        "report", "$schema", "failure", "recursion_limit", "routes", NULL};
    struct graph_def *def = &file->def;
    if (!graph_reader_members(r, root, members, NULL))
        return false;
    r->graph = def->name = graph_reader_name(r, root, "name", true);
    def->purpose = graph_reader_name(r, root, "purpose", true);
    def->recursion_limit = (unsigned)graph_reader_int(r, root, "recursion_limit", 1, MAX_LIMIT, 0);
    def->routes = graph_reader_flag(r, root, "routes");
    return graph_reader_ok(r);
}

static bool read_question(struct graph_reader *r, const struct json_value *root,
                          struct graph_file *file)
{
    struct slot_ref slot = graph_reader_slot(r, root, "question", true, 1u << SLOT_TEXT);
    if (!slot_is_named(slot))
        return false;
    file->entry.question = slot_index(slot);
    r->slots[slot_index(slot)].writers |= SLOT_WRITER_INPUT;
    return true;
}

static bool read_all(struct graph_reader *r, const struct json_value *root, struct graph_file *file)
{
    struct graph_def *def = &file->def;
    bool ok = read_names(r, root, file) && read_state(r, root, file) &&
              read_question(r, root, file) && read_budgets(r, root) && read_nodes(r, root) &&
              read_edges(r, root, def);
    r->has_ended = true;
    if (!ok || !read_report(r, root, file) || !read_failure(r, root, file))
        return false;
    for (size_t i = 0; i < r->node_count; i++) { /* a failure that is caught is the node's */
        const struct graph_node *node = &r->nodes[i];
        if (slot_is_named(node->catch_slot))
            r->slots[slot_index(node->catch_slot)].writers |= SLOT_WRITER(i);
        if (slot_is_named(node->catch_code_slot))
            r->slots[slot_index(node->catch_code_slot)].writers |= SLOT_WRITER(i);
    }
    def->schema = (struct schema){r->slots, r->slot_count};
    def->nodes = r->nodes;
    def->node_count = r->node_count;
    def->budgets = r->budgets;
    def->budget_count = r->budget_count;
    def->report = report;
    def->failure = failure;
    file->entry.def = def;
    file->entry.begin = begin;
    file->entry.takes_client_tools = r->takes_client_tools;
    return true;
}

enum err_code graph_file_read(const char *path, struct str text,
                              const struct graph_file_world *world, struct graph_file **out,
                              struct err *err)
{
    struct err why = {0};
    struct graph_file *file = mem_zalloc(1, sizeof *file);
    if (file == NULL)
        return err_set(err, ERR_NO_MEMORY, "%s: no memory for the graph", path);
    arena_init(&file->arena, ARENA_BYTES);
    struct graph_reader r = {.json = {.arena = &file->arena, .err = &why, .path = path},
                             .find = world->find,
                             .owner = world->owner,
                             .has_tool = world->has_tool,
                             .tools = world->tools};
    struct str kept = arena_str(&file->arena, text); /* views of it are in the definition */
    const struct json_value *root = json_value_parse(&file->arena, kept, NULL, &why);
    if (root == NULL)
        err_prefix(&why, path);
    if (root != NULL && read_all(&r, root, file)) {
        file->entry.hash = file->hash = (str_hash(kept) ^ r.hash) | 1;
        *out = file;
        return ERR_OK;
    }
    graph_file_destroy(file);
    if (err != NULL)
        *err = why;
    return why.code;
}

void graph_file_destroy(struct graph_file *file)
{
    if (file == NULL)
        return;
    arena_fini(&file->arena);
    mem_free(file);
}

const struct registry_entry *graph_file_entry(const struct graph_file *file)
{
    return &file->entry;
}

uint64_t graph_file_hash(const struct graph_file *file)
{
    return file->hash;
}

/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_map.c - "map": another graph for each item of a list, several at once.
 *
 * "over" names a list, or JSON with an array in it ("at"); "graph" runs once for each item, which
 * ("pick": a part of it) goes into its field "item" (its question, when absent); "in" are fields
 * that every one gets. Its
 * field "take", or else what it says, becomes an item of the list "output", in the order of "over".
 * What an item that fails does is "on_error": "fail" (the node fails, which is usual), "skip", or
 * "keep": {"error"} stands in its place. "failed" is a list of {"item","error"} for both.
 * Happy path: results are memos of the visit, so that a run which is taken over does only what is
 * left; the walk of each graph is in the checkpoints. A graph that pauses for a person pauses the
 * node, once the others have ended. Failure: no array; too many items; an item's, by "on_error". */
#include "agents/services/slot_text.h"
#include "agents/graph_files/node_types.h"
#include "agents/services/ask_graph.h"
#include "proto/json_value.h"

enum { USUAL_AT_ONCE = 4, MAX_AT_ONCE = 32, USUAL_MOST = 100, MAX_ITEMS = 1000 };
enum { MAX_SECONDS = 3600 };
enum { RESULT_BYTES = 1 << 20, DONE = 'd', FAILED = 'f' };

enum on_error { FAIL, SKIP, KEEP };

struct map_file {
    const struct registry_entry *entry;
    const struct graph_def *inner[2];
    struct slot_ref over, output, failed;
    const char *at;   /* a JSON pointer into over; NULL: the whole */
    const char *pick; /* a JSON pointer into each item, likewise */
    unsigned item;    /* of the other graph's slots */
    struct slot_ref take;
    const struct graph_pass *in;
    size_t in_count;
    enum on_error on_error;
    unsigned at_once, most;
    uint64_t most_ms;
};

struct element {
    struct inner inner;
    struct mapping *map;
    struct str item, text;
    unsigned number;
    bool has_failed;
};

struct mapping {
    struct op op; /* until none runs any more */
    struct node *node;
    struct list ops;
    struct element *elements;
    unsigned count, next, ended;
    bool is_paused, is_stopped;
    struct err err; /* why it was stopped */
    const char *wire_code;
};

static node_fn keep;

static struct str name_memo(struct node *node, unsigned number)
{
    return arena_printf(node_arena(node), "item %u", number);
}

/* ---- the items ---- */

/* What of an item goes into the other graph; NULL: it has no such thing. */
static const struct json_value *pick(const struct map_file *file, const struct json_value *item)
{
    return file->pick == NULL ? item : json_value_find(item, file->pick);
}

static struct str item_text(struct node *node, const struct json_value *item)
{
    if (item == NULL || item->type == JSON_NULL)
        return STR("");
    if (item->type == JSON_STRING)
        return item->text;
    return json_value_text(item, node_arena(node), RESULT_BYTES);
}

static enum step refuse(struct node *node, enum err_code code, const char *what, size_t count)
{
    const struct map_file *file = node_config(node);
    struct err err;
    err_set(&err, code, "node '%s': '%s' has %s (%zu, at most %u)", node_name(node),
            state_schema(node_state(node))->slots[slot_index(file->over)].name, what, count,
            file->most);
    return node_fail(node, &err);
}

/* The array in the field, or NULL. */
static const struct json_value *find_array(struct node *node, const struct map_file *file)
{
    const struct json_value *root =
        json_value_parse(node_arena(node), node_str(node, slot_index(file->over)), NULL, NULL);
    if (root != NULL && file->at != NULL)
        root = json_value_find(root, file->at);
    return root != NULL && root->type == JSON_ARRAY ? root : NULL;
}

static bool make_elements(struct node *node, struct mapping *map, size_t count)
{
    map->node = node;
    map->count = (unsigned)count;
    map->elements = arena_array(node_arena(node), count + 1, sizeof *map->elements);
    return map->elements != NULL;
}

/* False: the step says why. */
static bool read_items(struct node *node, struct mapping *map, enum step *step)
{
    const struct map_file *file = node_config(node);
    const struct state *state = node_state(node);
    unsigned slot = slot_index(file->over);
    bool is_list = state_schema(state)->slots[slot].type == SLOT_LIST;
    const struct json_value *array = is_list ? NULL : find_array(node, file);
    size_t count = is_list ? state_list_count(state, slot) : array == NULL ? 0 : array->count;
    *step = STEP_DONE;
    if (!is_list && array == NULL && node_has(node, slot))
        *step = refuse(node, ERR_INVALID, "no array", 0);
    else if (count > file->most)
        *step = refuse(node, ERR_TOO_LARGE, "too many items", count);
    else if (!make_elements(node, map, count))
        *step = refuse(node, ERR_NO_MEMORY, "more items than fit into memory", count);
    if (*step != STEP_DONE)
        return false;
    for (unsigned i = 0; is_list && i < count; i++)
        map->elements[i].item = state_list_item(state, slot, i);
    unsigned i = 0;
    if (array != NULL)
        JSON_EACH(item, array)
            map->elements[i++].item = item_text(node, pick(file, item));
    return true;
}

/* ---- one element ---- */

static void put_memo(struct element *element)
{
    struct node *node = element->map->node;
    struct str text = arena_printf(node_arena(node), "%c%.*s", element->has_failed ? FAILED : DONE,
                                   STR_ARG(element->text));
    if (!str_is_absent(text))
        node_put_memo(node, name_memo(node, element->number), text);
}

/* Whether it had ended before the run was taken over. */
static bool read_memo(struct element *element)
{
    struct node *node = element->map->node;
    struct str kept = node_find_memo(node, name_memo(node, element->number));
    if (kept.len == 0)
        return false;
    element->has_failed = kept.at[0] == FAILED;
    element->text = str_from(kept, 1);
    return true;
}

static void tell(struct mapping *map)
{
    struct arena *arena = node_arena(map->node);
    if (node_is_heard(map->node, EVENT_TOOL_PROGRESS))
        node_emit(map->node, EVENT_TOOL_PROGRESS, str_of(node_name(map->node)),
                  arena_printf(arena, "\"id\":\"%s\",\"message\":\"%u of %u\"",
                               node_name(map->node), map->ended, map->count),
                  0);
}

static void stop(struct mapping *map, const struct element *element)
{
    if (map->is_stopped)
        return;
    map->is_stopped = true;
    map->wire_code = element->inner.wire_code;
    err_set(&map->err,
            element->inner.op.err.code == ERR_OK ? ERR_REJECTED : element->inner.op.err.code,
            "item %u: %.*s", element->number + 1, STR_ARG(element->text));
    op_group_cancel(&map->ops);
}

static void take_result(struct element *element)
{
    struct mapping *map = element->map;
    const struct map_file *file = node_config(map->node);
    struct arena *arena = node_arena(map->node);
    struct str members;
    element->has_failed =
        !ask_graph_result(file->entry, &element->inner, arena, &element->text, &members);
    if (!element->has_failed && slot_is_named(file->take))
        element->text = slot_text(element->inner.state, slot_index(file->take), arena);
    map->ended++;
    if (element->has_failed && file->on_error == FAIL) {
        stop(map, element);
        return;
    }
    put_memo(element);
    tell(map);
}

static void start_some(struct mapping *map);

static void on_element(struct op *op)
{
    struct element *element = op_owner(op);
    struct mapping *map = element->map;
    if (element->inner.is_paused)
        map->is_paused = true;
    else if (!map->is_stopped)
        take_result(element);
    op_release(op);
    start_some(map);
    if (op_group_pending(&map->ops) == 0)
        op_finish(&map->op, ERR_OK, "%s", "");
}

static bool start_one(struct mapping *map, struct element *element)
{
    const struct map_file *file = node_config(map->node);
    const struct op_waiter around = node_waiter(map->node);
    struct arena *arena = node_arena(map->node);
    struct update *input;
    struct str key = arena_printf(arena, "%u", element->number);
    element->inner.most_ms = file->most_ms;
    if (str_is_absent(key) || !inner_make(&element->inner, map->node, 0, key, &input))
        return false;
    if (input != NULL) {
        ask_graph_begin(file->entry, input, node_session(map->node));
        inner_pass(map->node, file->in, file->in_count, input);
        update_put_str(input, file->item, element->item);
    }
    inner_start(&element->inner, (struct op_waiter){on_element, element, &map->ops, around.trace});
    return true;
}

static void start_some(struct mapping *map)
{
    const struct map_file *file = node_config(map->node);
    while (!map->is_stopped && map->next < map->count &&
           op_group_pending(&map->ops) < file->at_once) {
        struct element *element = &map->elements[map->next];
        element->number = map->next++;
        element->map = map;
        if (read_memo(element)) {
            map->ended++;
        } else if (!start_one(map, element)) {
            map->is_stopped = true;
            err_set(&map->err, ERR_NO_MEMORY, "item %u: the run's memory budget is spent",
                    element->number + 1);
            op_group_cancel(&map->ops);
        }
    }
}

/* ---- all of them ---- */

static void cancel_map(struct op *op)
{
    struct mapping *map = container_of(op, struct mapping, op);
    map->is_stopped = true;
    err_set(&map->err, ERR_CANCELLED, "the run was cancelled");
    op_group_cancel(&map->ops);
}

static void hold_map(struct op *op)
{
    op_group_hold(&container_of(op, struct mapping, op)->ops);
}

static void go_map(struct op *op)
{
    op_group_go(&container_of(op, struct mapping, op)->ops);
}

static const struct op_kind map_kind = {"graph.map", cancel_map, hold_map, go_map, NULL};

static enum step enter(struct node *node)
{
    struct mapping *map = node_frame(node);
    enum step step;
    list_init(&map->ops);
    if (!read_items(node, map, &step))
        return step;
    op_begin(&map->op, &map_kind, node_loop(node), node_waiter(node));
    start_some(map);
    if (op_group_pending(&map->ops) == 0)
        op_finish(&map->op, ERR_OK, "%s", "");
    return node_settle(node, keep);
}

static struct str error_item(struct node *node, const struct element *element, bool has_number)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, RESULT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    if (has_number)
        json_write_member_u64(&writer, STR("item"), element->number + 1);
    json_write_member_str(&writer, STR("error"), element->text);
    json_write_object_end(&writer);
    struct str text =
        buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

static void put_element(struct node *node, const struct map_file *file,
                        const struct element *element)
{
    if (element->has_failed && slot_is_named(file->failed))
        node_push_item(node, slot_index(file->failed), error_item(node, element, true));
    if (!element->has_failed)
        node_push_item(node, slot_index(file->output), element->text);
    else if (file->on_error == KEEP)
        node_push_item(node, slot_index(file->output), error_item(node, element, false));
}

static enum step keep(struct node *node)
{
    const struct mapping *map = node_frame(node);
    const struct map_file *file = node_config(node);
    if (map->is_stopped)
        return map->wire_code != NULL ? node_fail_as(node, map->wire_code, &map->err)
                                      : node_fail(node, &map->err);
    if (map->is_paused)
        return inner_interrupt(node);
    for (unsigned i = 0; i < map->count; i++)
        put_element(node, file, &map->elements[i]);
    return STEP_DONE;
}

static const struct graph_node_type map_node = {.enter = enter,
                                                .frame_bytes = sizeof(struct mapping)};

/* ---- at load ---- */

static void read_limits(struct graph_reader *r, const struct json_value *object,
                        struct map_file *file)
{
    static const char *const words[] = {"fail", "skip", "keep"};
    struct str on_error = graph_reader_text(r, object, "on_error", false);
    file->at_once = (unsigned)graph_reader_int(r, object, "at_once", 1, MAX_AT_ONCE, USUAL_AT_ONCE);
    file->most = (unsigned)graph_reader_int(r, object, "most", 1, MAX_ITEMS, USUAL_MOST);
    file->most_ms = 1000 * (uint64_t)graph_reader_int(r, object, "seconds", 1, MAX_SECONDS, 0);
    unsigned which = 0;
    while (!str_is_absent(on_error) && which < countof(words) &&
           !str_equal(on_error, str_of(words[which])))
        which++;
    if (which == countof(words))
        graph_reader_fail(r, "on_error", "expected fail, skip or keep, got '%.*s'",
                          STR_ARG(on_error));
    file->on_error = (enum on_error)which;
}

/* The other graph's field that a member names; not named: it is not there. */
static struct slot_ref read_inner_field(struct graph_reader *r, const struct json_value *object,
                                        const char *member, const struct graph_def *inner)
{
    struct str name = graph_reader_text(r, object, member, false);
    struct slot_ref none = {0};
    if (str_is_absent(name))
        return none;
    for (unsigned i = 0; i < inner->schema.slot_count; i++)
        if (str_equal(str_of(inner->schema.slots[i].name), name))
            return (struct slot_ref)SLOT(i);
    graph_reader_fail(r, member, "graph '%s' has no field '%.*s'", inner->name, STR_ARG(name));
    return none;
}

static bool read_item(struct graph_reader *r, const struct json_value *object,
                      struct map_file *file)
{
    const struct graph_def *inner = file->entry->def;
    struct slot_ref item = read_inner_field(r, object, "item", inner);
    file->take = read_inner_field(r, object, "take", inner);
    file->item = slot_is_named(item) ? slot_index(item) : file->entry->question;
    const struct slot *slot = &inner->schema.slots[file->item];
    if (!graph_reader_ok(r))
        return false;
    if ((slot->type != SLOT_TEXT && slot->type != SLOT_JSON) ||
        (slot->writers & SLOT_WRITER_INPUT) == 0)
        return graph_reader_fail(r, "item",
                                 "field '%s' of graph '%s' is no text that its caller may write",
                                 slot->name, inner->name);
    return true;
}

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct map_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    file->entry = type_graph_find(r, object, "graph");
    if (file->entry == NULL || !read_item(r, object, file))
        return false;
    file->inner[0] = file->entry->def;
    file->over = graph_reader_slot(r, object, "over", true, 1u << SLOT_LIST | 1u << SLOT_JSON);
    file->at = graph_reader_name(r, object, "at", false);
    file->pick = graph_reader_name(r, object, "pick", false);
    file->in = type_graph_passes_in(r, object, file->entry->def, &file->in_count);
    file->output = graph_reader_output(r, object, "output", true, 1u << SLOT_LIST, index);
    file->failed = graph_reader_output(r, object, "failed", false, 1u << SLOT_LIST, index);
    read_limits(r, object, file);
    node->type = &map_node;
    node->config = file;
    node->inner = file->inner;
    return graph_reader_ok(r);
}

const struct node_type type_map_node = {"map",
                                        {"over", "at", "pick", "graph", "item", "in", "take",
                                         "output", "failed", "on_error", "at_once", "most",
                                         "seconds"},
                                        read};

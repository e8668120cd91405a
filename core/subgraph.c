/* SPDX-License-Identifier: MIT */
/* core/subgraph.c - a node that is a graph: values in, a walk of its own, values out.
 *
 * Happy path: a fresh state gets the passed values as if from a caller, the walk runs under the
 * node's path, its end stages the values that go out. What a list or a sum got passed in does not
 * go out a second time: only what the sub-graph added does. When only background nodes of the
 * sub-graph still run, the values go out at once and the graph around it does not wait either. A
 * run that was restored goes on inside, with the state that was there.
 * Failure: the walk's end is the node's failure, code on the wire kept; once the values went out,
 * nothing in the sub-graph is a failure of the node any more. */
#include "core/checkpoint.h"
#include "core/run_internal.h"
#include "core/update.h"

/* Stage what from holds in slot from_slot into to_slot, list items from first on. */
static void copy_value(struct update *update, const struct state *from, unsigned from_slot,
                       unsigned to_slot, size_t first)
{
    switch (state_schema(from)->slots[from_slot].type) {
    case SLOT_TEXT:
    case SLOT_JSON:
        update_put_str(update, to_slot, state_str(from, from_slot));
        break;
    case SLOT_INT:
        update_put_int(update, to_slot, state_int(from, from_slot));
        break;
    case SLOT_REAL:
        update_put_real(update, to_slot, state_real(from, from_slot));
        break;
    case SLOT_BOOL:
        update_put_bool(update, to_slot, state_bool(from, from_slot));
        break;
    case SLOT_LIST:
        for (size_t i = first; i < state_list_count(from, from_slot); i++)
            update_push_item(update, to_slot, state_list_item(from, from_slot, i));
        break;
    }
}

static bool is_passed_in(const struct graph_node *def, const struct graph_pass *out)
{
    for (size_t i = 0; i < def->in_count; i++)
        if (def->in[i].outer == out->outer && def->in[i].inner == out->inner)
            return true;
    return false;
}

static void pass_out(struct node *node, const struct graph_pass *pass)
{
    const struct state *outer = node_state(node), *inner = node->sub->options.state;
    const struct slot *slot = &state_schema(outer)->slots[pass->outer];
    bool returns = is_passed_in(node->def, pass);
    if (!state_has(inner, pass->inner)) {
        if (slot->reducer == REDUCE_REPLACE)
            update_clear(node->update, pass->outer);
    } else if (slot->reducer == REDUCE_ADD && slot->type == SLOT_INT && returns) {
        update_put_int(node->update, pass->outer,
                       state_int(inner, pass->inner) - state_int(outer, pass->outer));
    } else if (slot->reducer == REDUCE_ADD && slot->type == SLOT_REAL && returns) {
        update_put_real(node->update, pass->outer,
                        state_real(inner, pass->inner) - state_real(outer, pass->outer));
    } else {
        bool appends = slot->reducer == REDUCE_APPEND && returns;
        copy_value(node->update, inner, pass->inner, pass->outer,
                   appends ? state_list_count(outer, pass->outer) : 0);
    }
}

static void put_out(struct node *node)
{
    for (size_t i = 0; i < node->def->out_count; i++)
        pass_out(node, &node->def->out[i]);
    if (node->failure.code == ERR_OK)
        node->outcome = NODE_DONE;
}

static void on_sub_end(struct walk *walk, const struct walk_end *end)
{
    struct node *node = walk_owner(walk);
    if (end->code != ERR_OK) {
        node_note_failure(node, end->code, end->wire_code, str_of(end->err.text));
    } else if (end->interrupted) {
        node->outcome = NODE_INTERRUPTED;
    } else if (!node->lingers) {
        node->walk->end.is_early |= end->is_early;
        put_out(node);
    }
    node_proceed(node);
}

static void on_sub_answered(struct walk *walk)
{
    struct node *node = walk_owner(walk);
    if (node->walk->stopping || walk->end.interrupted || node->failure.code != ERR_OK)
        return;
    node->walk->end.is_early |= walk->end.is_early;
    put_out(node);
    node_linger(node);
}

/* A state with what is passed in; NULL: the arena is spent. */
static struct state *make_state(struct node *node, const struct graph *graph)
{
    struct arena *arena = node_arena(node);
    struct state *state = state_create(&graph_def(graph)->schema, arena);
    if (state == NULL)
        return NULL;
    struct update *update = update_create(state, STATE_INPUT_WRITER, arena);
    if (update == NULL)
        return NULL;
    for (size_t i = 0; i < node->def->in_count; i++) {
        const struct graph_pass *pass = &node->def->in[i];
        if (state_has(node_state(node), pass->outer))
            copy_value(update, node_state(node), pass->outer, pass->inner, 0);
    }
    return update_merge(update, state) == ERR_OK ? state : NULL;
}

bool subgraph_begin(struct node *node)
{
    const struct graph *graph = graph_sub(node_graph(node), node->index);
    struct checkpoint_part *part = checkpoint_find_part(node_run(node), node->path);
    struct state *state = part == NULL ? make_state(node, graph) : part->state;
    if (state == NULL)
        return false;
    const struct walk_options options = {
        .run = node_run(node),
        .graph = graph,
        .path = node->path,
        .trace = node_place(node),
        .on_end = on_sub_end,
        .on_answered = on_sub_answered,
        .owner = node,
    };
    if (node->sub == NULL)
        node->sub = walk_make(&options);
    if (node->sub == NULL)
        return false;
    node->sub->first_attempt = part == NULL ? node->attempt : 1;
    if (!walk_begin(node->sub, state, part == NULL ? NULL : &part->snapshot))
        return false;
    if (part != NULL)
        list_remove(&part->link); /* it is the walk's now */
    if (node->walk->held)
        walk_hold(node->sub);
    return true;
}

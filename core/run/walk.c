/* SPDX-License-Identifier: MIT */
/* core/run/walk.c - supersteps: enter a set of nodes, merge when all have ended, route, repeat.
 *
 * Happy path: walk_begin's task enters START's successors; the last node of a superstep to end
 * brings merge, routes and the next set; no next set and nothing in the background is the end.
 * Background nodes are outside the superstep: what they put is merged at the next superstep's end.
 * A sub-graph that has answered and goes on in the background has ended for its superstep, lingers
 * as a background node, and is not entered again before that is over. A superstep in which a node
 * pauses for a person is the walk's last and is not merged: whoever goes on enters all of it again.
 * Failure: a node's failure without a catch slot, a route that breaks its declaration, a spent
 * budget or limit, a spent arena, or walk_cancel stop the walk: everything in flight is cancelled,
 * the first reason is kept, and the end comes when nothing is in flight. */
#include "core/run/aside.h"
#include "core/run/walk_internal.h"
#include "core/run/update.h"
#include "core/store/wire_code.h"

/* For the bits of a mask, lowest (first in the table) first. */
#define EACH_BIT(i, mask)                                                                          \
    uint64_t left_##i = (mask), i = 0;                                                             \
    left_##i != 0 && (i = (uint64_t)__builtin_ctzll(left_##i), true);                              \
    left_##i &= left_##i - 1

static loop_fn on_begin_turn;

static uint64_t bit(uint64_t node)
{
    return UINT64_C(1) << node;
}

/* The only writer of phase. */
static void set_phase(struct walk *walk, enum walk_phase next)
{
    static const unsigned may_become[WALK_PHASES] = {
        [WALK_RESTS] = 1U << WALK_GOES,
        [WALK_GOES] = 1U << WALK_ANSWERED | 1U << WALK_STOPS | 1U << WALK_RESTS,
        [WALK_ANSWERED] = 1U << WALK_STOPS | 1U << WALK_RESTS,
        [WALK_STOPS] = 1U << WALK_RESTS,
    };
    CHECK(may_become[walk->phase] & 1U << next);
    walk->phase = next;
}

struct walk *walk_make(const struct walk_options *options)
{
    struct arena *arena = &options->context->arena;
    struct walk *walk = arena_alloc(arena, sizeof *walk);
    if (walk == NULL)
        return NULL;
    walk->options = *options;
    walk->arena = arena;
    walk->loop = options->context->loop;
    walk->first_attempt = 1;
    walk->nodes = arena_array(arena, graph_def(options->graph)->node_count, sizeof(struct node *));
    return walk->nodes == NULL ? NULL : walk;
}

/* Make the nodes what they were when from was written. False: the arena is spent. */
static bool restore_nodes(struct walk *walk, const struct snapshot *from)
{
    for (unsigned i = 0; i < graph_def(walk->options.graph)->node_count; i++) {
        bool begins = (from->next & bit(i)) != 0;
        if (!begins && from->visits[i] == 0)
            continue;
        if (walk->nodes[i] == NULL)
            walk->nodes[i] = walk_visit_make(walk, i);
        struct node *node = walk->nodes[i];
        if (node == NULL)
            return false;
        node->visits = node->entry_visits = (unsigned)from->visits[i];
        node->attempt = (unsigned)size_max(node->attempt, (size_t)from->attempts[i]);
        node->entry_attempt = node->attempt;
    }
    walk->entered = from->next;
    walk->entered_id = from->last_event_id;
    walk->supersteps = (unsigned)from->step - 1; /* counted when it is entered again */
    return true;
}

bool walk_begin(struct walk *walk, struct state *state, const struct snapshot *from)
{
    CHECK(!walk_is_active(walk));
    walk->options.state = state;
    walk->running = walk->background = walk->delayed = walk->ended = walk->entered = 0;
    walk->supersteps = 0;
    walk->from = from;
    walk->is_marked = walk->is_due = false;
    walk->held = false;
    walk->end = (struct walk_end){0};
    if (from != NULL && !restore_nodes(walk, from))
        return false;
    set_phase(walk, WALK_GOES);
    loop_post(walk->loop, &walk->task, on_begin_turn);
    return true;
}

struct walk *walk_start(const struct walk_options *options)
{
    struct walk *walk = walk_make(options);
    if (walk == NULL || !walk_begin(walk, options->state, options->from))
        return NULL;
    return walk;
}

void *walk_owner(const struct walk *walk)
{
    return walk->options.owner;
}

/* ---- the end ---- */

static bool is_idle(const struct walk *walk)
{
    return (walk->running | walk->background) == 0;
}

/* The last thing that happens; the callee may free everything. */
static void end_walk(struct walk *walk)
{
    struct walk_end end = walk->end;
    walk->end.err = (struct err_kept){0};
    set_phase(walk, WALK_RESTS);
    walk->options.on_end(walk, &end);
    err_forget(&end.err);
}

/* Stop and end when nothing is in flight. The last thing the caller does. */
static void fail(struct walk *walk, const struct err *err)
{
    walk_stop(walk, err, wire_code_of(NULL, err->code));
    if (is_idle(walk))
        end_walk(walk);
}

static void fail_memory(struct walk *walk)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "graph '%s': the run's memory budget is spent",
            graph_def(walk->options.graph)->name);
    fail(walk, &err);
}

/* ---- entering ---- */

static bool make_nodes(struct walk *walk, uint64_t mask)
{
    for (EACH_BIT(i, mask)) {
        if (walk->nodes[i] == NULL)
            walk->nodes[i] = walk_visit_make(walk, (unsigned)i);
        if (walk->nodes[i] == NULL)
            return false;
    }
    return true;
}

static uint64_t background_of(const struct walk *walk, uint64_t mask)
{
    uint64_t background = 0;
    for (EACH_BIT(i, mask))
        if (graph_def(walk->options.graph)->nodes[i].background)
            background |= bit(i);
    return background;
}

static uint64_t lingering_of(const struct walk *walk, uint64_t mask)
{
    uint64_t lingering = 0;
    for (EACH_BIT(i, mask & walk->background))
        if (walk->nodes[i]->lingers)
            lingering |= bit(i);
    return lingering;
}

static void say_answered(struct walk *walk)
{
    if (walk->phase != WALK_GOES)
        return;
    set_phase(walk, WALK_ANSWERED);
    if (walk->options.on_answered != NULL)
        walk->options.on_answered(walk);
}

/* Enter the nodes of mask (not empty) as the next superstep. */
static void enter_superstep(struct walk *walk, uint64_t mask)
{
    const struct graph *graph = walk->options.graph;
    mask &= ~walk->background; /* one that still runs is not entered again */
    if (++walk->supersteps > graph_recursion_limit(graph)) {
        struct err err;
        err_set(&err, ERR_LIMIT, "graph '%s': more than %u supersteps", graph_def(graph)->name,
                graph_recursion_limit(graph));
        fail(walk, &err);
        return;
    }
    if (!make_nodes(walk, mask)) {
        fail_memory(walk);
        return;
    }
    uint64_t background = background_of(walk, mask);
    walk->background |= background;
    walk->running = mask & ~background;
    walk->entered = mask;
    walk->entered_id = event_log_last_id(walk->options.context->events);
    walk->is_due = true;
    for (EACH_BIT(i, mask))
        walk_visit_begin(walk->nodes[i]);
    if (walk->options.aside != NULL)
        aside_keep(walk->options.aside, walk->options.context);
    run_context_step(walk->options.context);
    if (walk->running == 0)
        say_answered(walk);
}

static void on_begin_turn(struct loop_task *task)
{
    struct walk *walk = container_of(task, struct walk, task);
    uint64_t first;
    unsigned budget;
    bool ends;
    struct err err;
    const struct snapshot *from = walk->from;
    walk->from = NULL;
    if (walk_is_stopping(walk))
        end_walk(walk);
    else if (from != NULL)
        enter_superstep(walk, from->next);
    else if (graph_next(walk->options.graph, GRAPH_START, NULL, &first, &ends, &budget, &err) !=
             ERR_OK)
        fail(walk, &err);
    else if (first == 0)
        end_walk(walk);
    else
        enter_superstep(walk, first);
}

/* ---- the end of a superstep ---- */

/* Merge what the ended nodes put, in table order. False: the arena is spent. */
static bool merge(struct walk *walk, uint64_t ended)
{
    struct state *state = walk->options.state;
    for (EACH_BIT(i, ended)) {
        struct node *node = walk->nodes[i];
        enum err_code code =
            node->outcome == NODE_DONE
                ? update_merge(node->update, state)
                : state_set_str(state, slot_index(node->def->catch_slot), node->failure.told);
        if (code == ERR_OK && node->outcome != NODE_DONE &&
            slot_is_named(node->def->catch_code_slot))
            code = state_set_str(state, slot_index(node->def->catch_code_slot),
                                 str_of(node->failure.wire_code));
        if (code != ERR_OK)
            return false;
        run_context_describe(walk->options.context, node->path, state, state_take_changed(state));
    }
    return true;
}

/* Count one use of a budget (1 + index) by an edge from node. */
static enum err_code count_budget(struct walk *walk, unsigned node, unsigned budget,
                                  struct err *err)
{
    const struct graph *graph = walk->options.graph;
    struct state *state = walk->options.state;
    const struct graph_budget *def = &graph_def(graph)->budgets[budget - 1];
    if (!graph_budget_left(graph, state, budget - 1))
        return err_set(err, ERR_LIMIT, "graph '%s': budget '%s' of %u is spent",
                       graph_def(graph)->name, def->name, graph_budget_limit(graph, budget - 1));
    int64_t used = state_int(state, slot_index(def->counter_slot)) + (def->counted_by_node ? 0 : 1);
    if (def->is_turn)
        return state_set_int(state, slot_index(def->counter_slot), used);
    struct str reason = STR("");
    if (slot_is_named(def->reason_slot))
        reason = state_str(state, slot_index(def->reason_slot));
    struct str text = wire_code_loggable("sql_rejected", reason, walk->options.context->log.level);
    LOG(&walk->options.context->log, WARN, "graph.retry",
        "graph=%s budget=%s used=%lld limit=%u reason=\"%.*s\"", graph_def(graph)->name, def->name,
        (long long)used, graph_budget_limit(graph, budget - 1), STR_ARG(text));
    const struct event event = {
        .kind = EVENT_RETRY, .name = str_of(def->name), .text = reason, .number = used};
    run_context_emit(walk->options.context, &event);
    if (walk->options.context->hooks.on_retry != NULL)
        walk->options.context->hooks.on_retry(walk->options.context, graph_def(graph), node,
                                              budget - 1);
    return def->counted_by_node ? ERR_OK
                                : state_set_int(state, slot_index(def->counter_slot), used);
}

/* All routes first, then the budgets of the edges taken: no route sees another's counting. */
static enum err_code route(struct walk *walk, uint64_t ended, uint64_t *next, struct err *err)
{
    const struct graph *graph = walk->options.graph;
    unsigned from[GRAPH_MAX_NODES], budgets[GRAPH_MAX_NODES], count = 0;
    *next = 0;
    for (EACH_BIT(i, ended)) {
        const struct graph_node *def = walk->nodes[i]->def;
        uint64_t mask;
        unsigned budget;
        bool ends, is_routed;
        const char *label = graph_pick(graph, (unsigned)i, walk->options.state, &is_routed);
        if (is_routed && label == NULL)
            return err_set(err, ERR_INTERNAL, "graph '%s': node '%s': its route gave no label",
                           graph_def(graph)->name, def->name);
        if (graph_next(graph, (unsigned)i, label, &mask, &ends, &budget, err) != ERR_OK)
            return err->code;
        *next |= mask;
        if (budget == 0)
            continue;
        from[count] = (unsigned)i;
        budgets[count++] = budget;
    }
    enum err_code code = ERR_OK;
    for (unsigned i = 0; i < count && code == ERR_OK; i++)
        code = count_budget(walk, from[i], budgets[i], err);
    return code;
}

/* node's visit is over, and what was noted for one that repeats it. */
static void forget(struct walk *walk, const struct node *node)
{
    run_context_drop_memos(walk->options.context, str_of(node->path));
    run_context_drop_parts(walk->options.context, str_of(node->path));
}

/* Nothing is entered any more. The last thing the caller does. */
static void wind_up(struct walk *walk)
{
    if (walk->background == 0)
        end_walk(walk);
    else
        say_answered(walk);
}

/* No node of the superstep runs any more. The last thing the caller does. */
static void finish_superstep(struct walk *walk)
{
    uint64_t ended = walk->ended, next;
    struct err err;
    if (walk->end.interrupted) { /* it is entered again, with what ended beside it */
        wind_up(walk);
        return;
    }
    walk->ended = 0;
    if (!merge(walk, ended)) {
        fail_memory(walk);
        return;
    }
    if (walk->end.is_early) {
        wind_up(walk);
        return;
    }
    if (route(walk, ended, &next, &err) != ERR_OK) {
        fail(walk, &err);
        return;
    }
    for (EACH_BIT(i, ended))
        forget(walk, walk->nodes[i]);
    next |= walk->delayed;
    walk->delayed = lingering_of(walk, next); /* one that lingers is entered afterwards */
    next &= ~walk->delayed;
    if (next != 0)
        enter_superstep(walk, next);
    else if (walk->delayed == 0)
        wind_up(walk);
}

static void note_failure(struct walk *walk, const struct node *node, bool was_background)
{
    struct err err;
    if (slot_is_named(node->def->catch_slot) && node->failure.code != ERR_NO_MEMORY) {
        walk->ended |= bit(node->index);
        return;
    }
    if (was_background) { /* announced in the log; the reply does not care */
        forget(walk, node);
        return;
    }
    err_set(&err, node->failure.code, "%.*s", STR_ARG(node->failure.told));
    walk_stop(walk, &err, node->failure.wire_code);
}

void walk_node_ended(struct walk *walk, struct node *node)
{
    bool was_background = (walk->background & bit(node->index)) != 0;
    walk->running &= ~bit(node->index);
    walk->background &= ~bit(node->index);
    if (node->outcome != NODE_CANCELLED)
        run_context_drop_resume(walk->options.context, node->path);
    if (node->lingers)
        node->lingers = false; /* its superstep has it already */
    else if (node->outcome == NODE_DONE)
        walk->ended |= bit(node->index);
    else if (node->outcome == NODE_FAILED)
        note_failure(walk, node, was_background);
    else if (node->outcome == NODE_INTERRUPTED)
        walk->end.interrupted = true;
    if (walk->running != 0)
        return;
    if (!walk_is_stopping(walk))
        finish_superstep(walk);
    else if (walk->background == 0)
        end_walk(walk);
}

void walk_node_lingers(struct walk *walk, struct node *node)
{
    node->lingers = true;
    walk->running &= ~bit(node->index);
    walk->background |= bit(node->index);
    walk->ended |= bit(node->index);
    if (walk->running == 0)
        finish_superstep(walk);
}

/* ---- where it is ---- */

static bool is_open(const struct walk *walk, const struct node *node)
{
    return ((walk->running | walk->background) & bit(node->index)) != 0 && !node->lingers;
}

bool walk_is_inside(const struct walk *walk, const struct node *node)
{
    const struct walk *sub = node->sub;
    if (sub == NULL || sub->entered == 0 || node->lingers)
        return false;
    return node->outcome == NODE_INTERRUPTED ? sub->end.interrupted
                                             : walk_is_active(sub) && is_open(walk, node);
}

bool walk_is_inside_as(const struct walk *walk, const struct node *node, const struct walk *inner)
{
    bool may_be = node->outcome == NODE_INTERRUPTED || is_open(walk, node);
    return may_be && inner->entered != 0 && (walk_is_active(inner) || inner->end.interrupted);
}

void walk_tell(const struct walk *walk, struct snapshot *snapshot)
{
    uint64_t lingering = lingering_of(walk, walk->background);
    *snapshot = (struct snapshot){
        .step = walk->supersteps + (walk->from != NULL), /* it is not entered again yet */
        .next = walk->entered | walk->ended | (walk->background & ~lingering) | walk->delayed,
        .last_event_id = walk->entered_id,
        .attempt = 1,
    };
    for (unsigned i = 0; i < graph_def(walk->options.graph)->node_count; i++) {
        const struct node *node = walk->nodes[i];
        if (node == NULL)
            continue;
        bool begins = (snapshot->next & ~walk->delayed & bit(i)) != 0;
        snapshot->visits[i] = begins ? node->entry_visits : node->visits;
        snapshot->attempts[i] = begins ? node->entry_attempt : node->attempt + node->streamed;
    }
}

/* ---- from outside ---- */

void walk_stop(struct walk *walk, const struct err *err, const char *wire_code)
{
    if (!walk_is_active(walk) || walk_is_stopping(walk))
        return;
    set_phase(walk, WALK_STOPS);
    walk->end = (struct walk_end){.code = err->code, .wire_code = wire_code};
    err_keep(&walk->end.err, err);
    for (EACH_BIT(i, walk->running | walk->background))
        walk_visit_stop(walk->nodes[i]);
}

void walk_cancel(struct walk *walk, const struct err *why)
{
    struct err err;
    if (why == NULL || why->code == ERR_OK)
        err_set(&err, ERR_CANCELLED, "the run was cancelled");
    else
        err = *why;
    walk_stop(walk, &err, wire_code_of(NULL, err.code));
}

void walk_hold(struct walk *walk)
{
    if (!walk_is_active(walk) || walk->held)
        return;
    walk->held = true;
    for (EACH_BIT(i, walk->running | walk->background))
        walk_visit_hold(walk->nodes[i]);
}

void walk_go(struct walk *walk)
{
    if (!walk_is_active(walk) || !walk->held)
        return;
    walk->held = false;
    for (EACH_BIT(i, walk->running | walk->background))
        walk_visit_go(walk->nodes[i]);
}

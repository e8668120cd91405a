/* SPDX-License-Identifier: MIT */
/* core/run/walk_visit.c - one visit of a node: enter, steps, end; a sub-graph is a walk inside of
 * it.
 *
 * Happy path: the queued task enters the node on a fresh frame; each step either waits (resumed
 * from the last operation's done) or decides the outcome; the end releases the operations and
 * tells the walk. A node may leave before its operations have ended: the walk goes on, and they
 * have LINGER_MS to come to their end.
 * Failure: the first failed operation of an await, node_fail or the node's timer note a failure
 * and cancel what is in flight; when nothing is, the table's retries speak, then the walk. A walk
 * that stops cancels the same way and the outcome is NODE_CANCELLED.
 *
 * A sub-graph: a fresh state gets the passed values as if from a caller, the walk runs under the
 * node's path, its end stages the values that go out. What a list or a sum got passed in does not
 * go out a second time: only what the sub-graph added does. When only background nodes of the
 * sub-graph still run, the values go out at once and the graph around it does not wait either. A
 * run that was restored goes on inside, with the state that was there. Its walk's end is the node's
 * failure, code on the wire kept; once the values went out, nothing in the sub-graph is a failure
 * of the node any more. */
#include <inttypes.h>
#include <string.h>

#include "core/run/update.h"
#include "core/run/walk_internal.h"
#include "core/store/wire_code.h"

/* What a model says behind the part that was needed: as long as most take to tell their usage. */
enum { LINGER_MS = 250 };

struct node *walk_visit_make(struct walk *walk, unsigned index)
{
    struct node *node = arena_alloc(walk->arena, sizeof *node);
    if (node == NULL)
        return NULL;
    node->walk = walk;
    node->index = index;
    node->def = &graph_def(walk->options.graph)->nodes[index];
    node->path = node->def->name;
    node->attempt = walk->first_attempt;
    list_init(&node->ops);
    list_init(&node->inner);
    arena_init_within(&node->scratch, walk->arena);
    if (walk->options.path != NULL) {
        struct str path = arena_printf(walk->arena, "%s/%s", walk->options.path, node->def->name);
        if (str_is_absent(path))
            return NULL;
        node->path = path.at; /* arena_printf ends it with a NUL */
    }
    return node;
}

/* ---- saying ---- */

static struct run_context *context_of(const struct node *node)
{
    return node->walk->options.context;
}

static const struct log *log_of(const struct node *node)
{
    return &context_of(node)->log;
}

static void emit(const struct node *node, enum event_kind kind, const char *name, int64_t number)
{
    const struct event event = {.kind = kind, .name = str_of(name), .number = number};
    run_context_emit(context_of(node), &event);
}

static void open_span(struct node *node)
{
    const struct trace_place *parent = node->walk->options.trace;
    if (parent == NULL)
        return;
    node->place = trace_child(parent);
    node->entered_ns = loop_precise_ns();
}

static void close_span(const struct node *node)
{
    if (node->place.trace == NULL)
        return;
    struct tracer *tracer = node->place.trace->tracer;
    const struct trace_node ended = {
        .place = &node->place,
        .parent = node->walk->options.trace,
        .path = node->path,
        .graph = graph_def(node->walk->options.graph)->name,
        .failed = node->outcome == NODE_FAILED      ? node->failure.wire_code
                  : node->outcome == NODE_CANCELLED ? "cancelled"
                                                    : NULL,
        .retries = node->retries,
        .took_ns = loop_precise_ns() - node->entered_ns,
    };
    tracer->node_ended(tracer, &ended);
}

static void announce_start(struct node *node)
{
    open_span(node);
    emit(node, EVENT_NODE_START, node->path, 0);
    if (node->def->tool)
        emit(node, EVENT_TOOL_START, node->def->name, 0);
}

static struct str loggable(const struct node *node)
{
    if (node->failure.code == ERR_OK)
        return STR("");
    return wire_code_loggable(node->failure.wire_code, node->failure.text, log_of(node)->level);
}

static void announce_end(const struct node *node)
{
    struct str text = loggable(node);
    int64_t ms = (int64_t)(loop_now_ms(node->walk->loop) - node->entered_ms);
    if (node->outcome == NODE_FAILED)
        LOG(log_of(node), WARN, "node.failed", "node=%s code=%s text=\"%.*s\"", node->path,
            node->failure.wire_code, STR_ARG(text));
    if (node->def->tool)
        emit(node, EVENT_TOOL_END, node->def->name, ms);
    emit(node, EVENT_NODE_END, node->path, ms);
    close_span(node);
    if (context_of(node)->hooks.on_visited != NULL)
        context_of(node)->hooks.on_visited(context_of(node), graph_def(node->walk->options.graph),
                                           node->index,
                                           loop_now_ms(node->walk->loop) - node->entered_ms);
}

/* ---- the visit ---- */

static loop_fn on_entry_turn, on_resume_turn;
static void proceed(struct node *node);

static void queue_entry(struct node *node)
{
    node->outcome = NODE_OPEN;
    node->failure = (struct node_failure){0};
    loop_post(node->walk->loop, &node->task, on_entry_turn);
}

void walk_visit_begin(struct node *node)
{
    node->retries = 0;
    node->entry_visits = node->visits;
    node->entry_attempt = node->attempt + node->streamed;
    node->entered_ms = loop_now_ms(node->walk->loop);
    queue_entry(node);
}

void walk_visit_fail(struct node *node, enum err_code code, const char *wire_code, struct str text)
{
    if (node->failure.code != ERR_OK || node->outcome != NODE_OPEN)
        return;
    struct str copy = arena_str(node->walk->arena, text);
    if (str_is_absent(copy))
        copy = STR("the run's memory budget is spent");
    node->failure =
        (struct node_failure){code, wire_code, copy, wire_code_public(wire_code, code, copy)};
}

static bool may_retry(const struct node *node)
{
    return node->retries < node->def->retries && node->failure.code != ERR_NO_MEMORY &&
           err_is_retryable(node->failure.code);
}

static void retry(struct node *node)
{
    struct str text = loggable(node);
    node->retries++;
    LOG(log_of(node), WARN, "node.retry", "node=%s retry=%u code=%s text=\"%.*s\"", node->path,
        node->retries, node->failure.wire_code, STR_ARG(text));
    const struct event event = {.kind = EVENT_RETRY,
                                .name = str_of(node->path),
                                .text = node->failure.told,
                                .number = node->retries};
    run_context_emit(context_of(node), &event);
    queue_entry(node);
}

static void drop_scratch(struct node *node)
{
    node->frame = NULL;
    arena_fini(&node->scratch);
}

/* The one way a visit ends. */
static void end_visit(struct node *node, enum node_outcome outcome)
{
    timer_stop(&node->timer);
    loop_unpost(&node->early_task);
    op_group_release(&node->ops);
    if (outcome == NODE_FAILED && may_retry(node)) {
        retry(node);
        return;
    }
    node->outcome = outcome;
    drop_scratch(node);
    if (!node->lingers)
        announce_end(node);
    walk_node_ended(node->walk, node);
}

/* The node has done its part: end the visit as far as others can see. The last thing the caller
 * does. */
static void linger(struct node *node)
{
    CHECK(node->outcome == NODE_DONE);
    announce_end(node);
    walk_node_lingers(node->walk, node);
}

static void on_lingered_long(struct timer *timer)
{
    op_group_cancel(&container_of(timer, struct node, timer)->ops);
}

/* Nobody waits for the node's operations any more. The last thing the caller does. */
static void leave(struct node *node)
{
    node->outcome = NODE_DONE;
    if (walk_is_stopping(node->walk))
        op_group_cancel(&node->ops);
    if (op_group_pending(&node->ops) == 0) {
        proceed(node);
    } else if (!walk_is_stopping(node->walk)) {
        timer_start(&node->timer, node->walk->loop, LINGER_MS, on_lingered_long);
        linger(node);
    }
}

/* Run one function of the node and see what is to be waited for. */
static void take_step(struct node *node, node_fn *step)
{
    struct walk *walk = node->walk;
    node->next = NULL;
    loop_unpost(&node->early_task); /* it was about what is over now */
    switch (step(node)) {
    case STEP_WAIT:
        CHECK(node->next != NULL);
        break;
    case STEP_DONE:
        node->outcome = NODE_DONE;
        break;
    case STEP_FAILED:
        CHECK(node->failure.code != ERR_OK);
        break;
    case STEP_INTERRUPTED:
        node->outcome = NODE_INTERRUPTED;
        break;
    case STEP_LAST:
        node->outcome = NODE_DONE;
        walk->end.is_early = true;
        break;
    case STEP_LEFT:
        leave(node);
        return;
    }
    bool waits = node->outcome == NODE_OPEN && node->failure.code == ERR_OK;
    if (walk->held)
        op_group_hold(&node->ops);
    if (!waits || walk_is_stopping(walk))
        op_group_cancel(&node->ops);
    if (op_group_pending(&node->ops) > 0)
        return;
    if (waits)
        loop_post(walk->loop, &node->task, on_resume_turn);
    else
        proceed(node);
}

/* Nothing of node is in flight: go on, or come to the end. The last thing the caller does. */
static void proceed(struct node *node)
{
    node_fn *last = node->next;
    if (node->outcome == NODE_DONE && last != NULL) { /* it has left */
        node->next = NULL;
        (void)last(node);
    }
    if (walk_is_stopping(node->walk))
        end_visit(node, NODE_CANCELLED);
    else if (node->failure.code != ERR_OK)
        end_visit(node, NODE_FAILED);
    else if (node->outcome != NODE_OPEN)
        end_visit(node, node->outcome);
    else
        take_step(node, node->next);
}

static void on_resume_turn(struct loop_task *task)
{
    proceed(container_of(task, struct node, task));
}

static void on_early_turn(struct loop_task *task)
{
    struct node *node = container_of(task, struct node, early_task);
    if (!walk_is_stopping(node->walk) && node->outcome == NODE_OPEN &&
        node->failure.code == ERR_OK && op_group_pending(&node->ops) > 0)
        take_step(node, node->early);
}

void walk_visit_hasten(struct node *node, node_fn *next)
{
    node->early = next;
    loop_at_turn_end(node->walk->loop, &node->early_task, on_early_turn);
}

/* ---- a sub-graph ---- */

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
    const struct state *outer = node->walk->options.state, *inner = node->sub->options.state;
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
        walk_visit_fail(node, end->code, end->wire_code, str_of(end->err.text));
    } else if (end->interrupted) {
        node->outcome = NODE_INTERRUPTED;
    } else if (!node->lingers) {
        node->walk->end.is_early |= end->is_early;
        put_out(node);
    }
    proceed(node);
}

static void on_sub_answered(struct walk *walk)
{
    struct node *node = walk_owner(walk);
    if (walk_is_stopping(node->walk) || walk->end.interrupted || node->failure.code != ERR_OK)
        return;
    node->walk->end.is_early |= walk->end.is_early;
    put_out(node);
    timer_stop(&node->timer);
    linger(node);
}

void walk_visit_pass_in(const struct node *node, const struct graph_pass *passes, size_t count,
                        struct update *input)
{
    const struct state *outer = node->walk->options.state;
    for (size_t i = 0; i < count; i++)
        if (state_has(outer, passes[i].outer))
            copy_value(input, outer, passes[i].outer, passes[i].inner, 0);
}

/* A state with what is passed in; NULL: the arena is spent. */
static struct state *make_state(struct node *node, const struct graph *graph)
{
    struct arena *arena = node->walk->arena;
    struct state *state = state_create(&graph_def(graph)->schema, arena);
    if (state == NULL)
        return NULL;
    struct update *update = update_create(state, UPDATE_INPUT_WRITER, arena);
    if (update == NULL)
        return NULL;
    walk_visit_pass_in(node, node->def->in, node->def->in_count, update);
    return update_merge(update, state) == ERR_OK ? state : NULL;
}

static bool begin_sub(struct node *node)
{
    const struct graph *graph = graph_sub(node->walk->options.graph, node->index);
    struct run_part *part = run_context_find_part(context_of(node), str_of(node->path));
    struct state *state = part == NULL ? make_state(node, graph) : part->state;
    if (state == NULL)
        return false;
    const struct walk_options options = {
        .context = context_of(node),
        .graph = graph,
        .path = node->path,
        .trace = walk_visit_place(node),
        .on_end = on_sub_end,
        .on_answered = on_sub_answered,
        .aside = node->walk->options.aside,
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

/* ---- entering, timing out, being stopped ---- */

static void stop_in_flight(struct node *node, const struct err *why)
{
    op_group_cancel(&node->ops);
    if (node->sub != NULL && walk_is_active(node->sub))
        walk_cancel(node->sub, why);
}

static void on_timeout(struct timer *timer)
{
    struct node *node = container_of(timer, struct node, timer);
    struct err err;
    err_set(&err, ERR_TIMEOUT, "node '%s' took longer than %" PRIu64 " ms", node->path,
            node->def->timeout_ms);
    walk_visit_fail(node, ERR_TIMEOUT, wire_code_of(NULL, ERR_TIMEOUT), str_of(err.text));
    stop_in_flight(node, &err);
}

/* A fresh frame and update. False: the arena is spent. */
static bool prepare_visit(struct node *node)
{
    const struct graph_node_type *type = node->def->type;
    struct walk *walk = node->walk;
    node->visits++;
    node->attempt += node->streamed;
    node->streamed = false;
    list_init(&node->inner);
    drop_scratch(node); /* of the try before */
    if (type != NULL)
        node->frame = arena_alloc(&node->scratch, type->frame_bytes);
    node->update = update_create(walk->options.state, node->index, walk->arena);
    return (node->frame != NULL || type == NULL) && node->update != NULL;
}

static void on_entry_turn(struct loop_task *task)
{
    struct node *node = container_of(task, struct node, task);
    bool goes_on =
        run_context_find_part(context_of(node), str_of(node->path)) != NULL; /* in its sub-graph */
    if (node->retries == 0 && !goes_on)
        announce_start(node);
    if (walk_is_stopping(node->walk)) { /* perhaps because there was no memory to say so */
        end_visit(node, NODE_CANCELLED);
        return;
    }
    bool ready = prepare_visit(node);
    if (ready && node->def->timeout_ms > 0)
        timer_start(&node->timer, node->walk->loop, node->def->timeout_ms, on_timeout);
    if (ready && node->def->sub == NULL) {
        take_step(node, node->def->type->enter);
    } else if (!ready || !begin_sub(node)) {
        walk_visit_fail(node, ERR_NO_MEMORY, wire_code_of(NULL, ERR_NO_MEMORY),
                        STR("the run's memory budget is spent"));
        proceed(node);
    }
}

void walk_visit_on_op(struct op *op)
{
    struct node *node = op_owner(op);
    if (op->err.code != ERR_OK && !node->settles && !walk_is_stopping(node->walk)) {
        walk_visit_fail(node, op->err.code, wire_code_of(op->kind->name, op->err.code),
                        str_of(op->err.text));
        op_group_cancel(&node->ops);
    }
    if (op_group_pending(&node->ops) == 0)
        proceed(node);
}

const struct trace_place *walk_visit_place(const struct node *node)
{
    return node->place.trace == NULL ? NULL : &node->place;
}

void walk_visit_stop(struct node *node)
{
    stop_in_flight(node, err_kept(&node->walk->end.err));
}

void walk_visit_hold(struct node *node)
{
    op_group_hold(&node->ops);
    if (node->sub != NULL && walk_is_active(node->sub))
        walk_hold(node->sub);
}

void walk_visit_go(struct node *node)
{
    op_group_go(&node->ops);
    if (node->sub != NULL && walk_is_active(node->sub))
        walk_go(node->sub);
}

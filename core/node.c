/* SPDX-License-Identifier: MIT */
/* core/node.c - one visit of a node: enter, steps, end; and what its functions may ask for.
 *
 * Happy path: the queued task enters the node on a fresh frame; each step either waits (resumed
 * from the last operation's done) or decides the outcome; the end releases the operations and
 * tells the walk.
 * Failure: the first failed operation of an await, node_fail or the node's timer note a failure
 * and cancel what is in flight; when nothing is, the table's retries speak, then the walk. A walk
 * that stops cancels the same way and the outcome is NODE_CANCELLED. */
#include <inttypes.h>
#include <string.h>

#include "core/checkpoint.h"
#include "core/walk_internal.h"
#include "core/update.h"
#include "core/wire_code.h"

struct node *node_make(struct walk *walk, unsigned index)
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
    if (walk->options.path != NULL) {
        struct str path = arena_printf(walk->arena, "%s/%s", walk->options.path, node->def->name);
        if (str_is_absent(path))
            return NULL;
        node->path = path.at; /* arena_printf ends it with a NUL */
    }
    return node;
}

/* ---- saying ---- */

static struct run *run_of(const struct node *node)
{
    return node->walk->options.run;
}

static void emit(const struct node *node, enum event_kind kind, const char *name, int64_t number)
{
    const struct event event = {.kind = kind, .name = str_of(name), .number = number};
    run_emit(run_of(node), &event);
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
    return wire_code_loggable(node->failure.wire_code, node->failure.text, node_log(node)->level);
}

static void announce_end(const struct node *node)
{
    struct str text = loggable(node);
    int64_t ms = (int64_t)(loop_now_ms(node->walk->loop) - node->entered_ms);
    if (node->outcome == NODE_FAILED)
        LOG(node_log(node), WARN, "node.failed", "node=%s code=%s text=\"%.*s\"", node->path,
            node->failure.wire_code, STR_ARG(text));
    if (node->def->tool)
        emit(node, EVENT_TOOL_END, node->def->name, ms);
    emit(node, EVENT_NODE_END, node->path, ms);
    close_span(node);
    run_note_visit(run_of(node), node);
}

/* ---- the visit ---- */

static loop_fn on_entry_turn, on_resume_turn;

static void queue_entry(struct node *node)
{
    node->outcome = NODE_OPEN;
    node->failure = (struct node_failure){0};
    loop_post(node->walk->loop, &node->task, on_entry_turn);
}

void node_begin_visit(struct node *node)
{
    node->retries = 0;
    node->entry_visits = node->visits;
    node->entry_attempt = node->attempt + node->streamed;
    node->entered_ms = loop_now_ms(node->walk->loop);
    queue_entry(node);
}

void node_note_failure(struct node *node, enum err_code code, const char *wire_code,
                       struct str text)
{
    if (node->failure.code != ERR_OK || node->outcome != NODE_OPEN)
        return;
    struct str copy = arena_str(node->walk->arena, text);
    node->failure = (struct node_failure){code, wire_code, copy};
    if (str_is_absent(copy))
        node->failure.text = STR("the run's memory budget is spent");
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
    LOG(node_log(node), WARN, "node.retry", "node=%s retry=%u code=%s text=\"%.*s\"", node->path,
        node->retries, node->failure.wire_code, STR_ARG(text));
    node_emit(node, EVENT_RETRY, str_of(node->path), node->failure.text, node->retries);
    queue_entry(node);
}

/* The one way a visit ends. */
static void end_visit(struct node *node, enum node_outcome outcome)
{
    timer_stop(&node->timer);
    op_group_release(&node->ops);
    if (outcome == NODE_FAILED && may_retry(node)) {
        retry(node);
        return;
    }
    node->outcome = outcome;
    if (!node->lingers)
        announce_end(node);
    walk_node_ended(node->walk, node);
}

void node_linger(struct node *node)
{
    CHECK(node->outcome == NODE_DONE);
    timer_stop(&node->timer);
    announce_end(node);
    walk_node_lingers(node->walk, node);
}

/* Run one function of the node and see what is to be waited for. */
static void take_step(struct node *node, node_fn *step)
{
    struct walk *walk = node->walk;
    node->next = NULL;
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
    }
    bool waits = node->outcome == NODE_OPEN && node->failure.code == ERR_OK;
    if (walk->held)
        op_group_hold(&node->ops);
    if (!waits || walk->stopping)
        op_group_cancel(&node->ops);
    if (op_group_pending(&node->ops) > 0)
        return;
    if (waits)
        loop_post(walk->loop, &node->task, on_resume_turn);
    else
        node_proceed(node);
}

void node_proceed(struct node *node)
{
    if (node->walk->stopping)
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
    node_proceed(container_of(task, struct node, task));
}

static void stop_in_flight(struct node *node, const struct err *why)
{
    op_group_cancel(&node->ops);
    if (node->sub != NULL && node->sub->active)
        walk_cancel(node->sub, why);
}

static void on_timeout(struct timer *timer)
{
    struct node *node = container_of(timer, struct node, timer);
    struct err err;
    err_set(&err, ERR_TIMEOUT, "node '%s' took longer than %" PRIu64 " ms", node->path,
            node->def->timeout_ms);
    node_note_failure(node, ERR_TIMEOUT, wire_code_of(NULL, ERR_TIMEOUT), str_of(err.text));
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
    if (node->frame == NULL && type != NULL)
        node->frame = arena_alloc(walk->arena, type->frame_bytes);
    else if (type != NULL)
        memset(node->frame, 0, type->frame_bytes);
    node->update = update_create(walk->options.state, node->index, walk->arena);
    return (node->frame != NULL || type == NULL) && node->update != NULL;
}

static void on_entry_turn(struct loop_task *task)
{
    struct node *node = container_of(task, struct node, task);
    bool goes_on = checkpoint_find_part(run_of(node), node->path) != NULL; /* in its sub-graph */
    if (node->retries == 0 && !goes_on)
        announce_start(node);
    if (node->walk->stopping) { /* perhaps because there was no memory to say so */
        end_visit(node, NODE_CANCELLED);
        return;
    }
    bool ready = prepare_visit(node);
    if (ready && node->def->timeout_ms > 0)
        timer_start(&node->timer, node->walk->loop, node->def->timeout_ms, on_timeout);
    if (ready && node->def->sub == NULL) {
        take_step(node, node->def->type->enter);
    } else if (!ready || !subgraph_begin(node)) {
        node_note_failure(node, ERR_NO_MEMORY, wire_code_of(NULL, ERR_NO_MEMORY), STR(""));
        node_proceed(node);
    }
}

static void on_op_done(struct op *op)
{
    struct node *node = op_owner(op);
    if (op->err.code != ERR_OK && !node->settles && !node->walk->stopping) {
        node_note_failure(node, op->err.code, wire_code_of(op->kind->name, op->err.code),
                          str_of(op->err.text));
        op_group_cancel(&node->ops);
    }
    if (op_group_pending(&node->ops) == 0)
        node_proceed(node);
}

const struct trace_place *node_place(const struct node *node)
{
    return node->place.trace == NULL ? NULL : &node->place;
}

void node_stop(struct node *node)
{
    stop_in_flight(node, &node->walk->end.err);
}

void node_hold(struct node *node)
{
    op_group_hold(&node->ops);
    if (node->sub != NULL && node->sub->active)
        walk_hold(node->sub);
}

void node_go(struct node *node)
{
    op_group_go(&node->ops);
    if (node->sub != NULL && node->sub->active)
        walk_go(node->sub);
}

/* ---- what node functions may ask for ---- */

void *node_frame(struct node *node)
{
    return node->frame;
}

const void *node_config(const struct node *node)
{
    return node->def->config;
}

const char *node_name(const struct node *node)
{
    return node->def->name;
}

void *node_services(const struct node *node)
{
    return run_services(run_of(node));
}

struct run *node_run(struct node *node)
{
    return run_of(node);
}

const struct graph *node_graph(const struct node *node)
{
    return node->walk->options.graph;
}

struct arena *node_arena(struct node *node)
{
    return node->walk->arena;
}

struct loop *node_loop(struct node *node)
{
    return node->walk->loop;
}

const struct log *node_log(const struct node *node)
{
    return run_logger(run_of(node));
}

unsigned node_visit(const struct node *node)
{
    return node->visits;
}

unsigned node_attempt(const struct node *node)
{
    return node->attempt;
}

const struct state *node_state(const struct node *node)
{
    return node->walk->options.state;
}

void node_put_str(struct node *node, unsigned slot, struct str value)
{
    update_put_str(node->update, slot, value);
}

void node_put_int(struct node *node, unsigned slot, int64_t value)
{
    update_put_int(node->update, slot, value);
}

void node_put_real(struct node *node, unsigned slot, double value)
{
    update_put_real(node->update, slot, value);
}

void node_put_bool(struct node *node, unsigned slot, bool value)
{
    update_put_bool(node->update, slot, value);
}

void node_push_item(struct node *node, unsigned slot, struct str item)
{
    update_push_item(node->update, slot, item);
}

void node_clear(struct node *node, unsigned slot)
{
    update_clear(node->update, slot);
}

void node_emit_token(struct node *node, const char *channel, struct str text)
{
    if (strcmp(channel, EVENT_FINAL_CHANNEL) != 0 && !run_wants(run_of(node), EVENT_DEBUG))
        return;
    node->streamed = true;
    run_answer_emit(run_of(node), channel, text, node->attempt);
}

void node_emit(struct node *node, enum event_kind kind, struct str name, struct str text,
               int64_t number)
{
    CHECK(!event_is_terminal(kind));
    const struct event event = {.kind = kind, .name = name, .text = text, .number = number};
    run_emit(run_of(node), &event);
}

void node_count_llm(struct node *node, const struct node_usage *usage)
{
    run_count_llm(run_of(node), usage);
}

void node_count_sql(struct node *node)
{
    run_count_sql(run_of(node));
}

struct op_waiter node_waiter(struct node *node)
{
    return (struct op_waiter){on_op_done, node, &node->ops, node_place(node)};
}

struct node *node_of(const struct op *op)
{
    struct node *node = op_owner(op);
    CHECK(op->waiter.group == &node->ops); /* done may be an observer's */
    return node;
}

enum step node_await(struct node *node, node_fn *next)
{
    node->next = next;
    node->settles = false;
    return STEP_WAIT;
}

enum step node_settle(struct node *node, node_fn *next)
{
    node->next = next;
    node->settles = true;
    return STEP_WAIT;
}

enum step node_fail(struct node *node, const struct err *err)
{
    const char *kind = NULL;
    LIST_EACH(link, &node->ops) {
        const struct op *op = list_item(link, struct op, group_link);
        if (!op_is_pending(op) && op->err.code == err->code && kind == NULL)
            kind = op->kind->name;
    }
    return node_fail_as(node, wire_code_of(kind, err->code), err);
}

enum step node_fail_as(struct node *node, const char *code, const struct err *err)
{
    CHECK(err->code != ERR_OK);
    node_note_failure(node, err->code, code, str_of(err->text));
    return STEP_FAILED;
}

enum step node_interrupt(struct node *node, struct str details)
{
    node_emit(node, EVENT_INTERRUPT, str_of(node->path), details, 0);
    checkpoint_note_interrupt(run_of(node), node->path, details);
    return STEP_INTERRUPTED;
}

struct str node_resume(const struct node *node)
{
    return checkpoint_find_resume(run_of(node), node->path);
}

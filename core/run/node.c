/* SPDX-License-Identifier: MIT */
/* core/run/node.c - what a node function may ask for, out of its visit, its walk and its run.
 *
 * Happy path: reads are of the walk's state, puts are staged in the visit's update, what is said
 * goes to the run's event log, and an operation's end leads back into the visit (core/run/walk).
 * Failure: a full arena surfaces when the superstep's puts are merged. */
#include "core/run/node.h"

#include <string.h>

#include "core/loop/ahead.h"

#include "core/run/aside.h"
#include "core/run/update.h"
#include "core/run/walk_internal.h"
#include "core/store/wire_code.h"

static struct run_context *context_of(const struct node *node)
{
    return node->walk->options.context;
}

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
    return context_of(node)->services;
}

const struct graph *node_graph(const struct node *node)
{
    return node->walk->options.graph;
}

struct arena *node_scratch(struct node *node)
{
    return &node->scratch;
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
    return &context_of(node)->log;
}

unsigned node_visit(const struct node *node)
{
    return node->visits;
}

unsigned node_attempt(const struct node *node)
{
    return node->attempt;
}

void node_begin_attempt(struct node *node)
{
    node->attempt += node->streamed;
    node->streamed = false;
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
    struct aside *aside = node->walk->options.aside;
    AHEAD_NOTE(node->walk->loop, &node->walk, &node->streamed, &node->walk->loop,
               &node->walk->options.context, &node->walk->options.aside);
    bool is_answer = strcmp(channel, EVENT_FINAL_CHANNEL) == 0;
    if (is_answer && aside != NULL) { /* an answer to whoever runs the graph, not to the reader */
        node->streamed = true;
        aside_say(aside, text, node->attempt);
        return;
    }
    if (!is_answer && !run_context_wants(context_of(node), EVENT_DEBUG))
        return;
    node->streamed = true;
    run_context_say(context_of(node), channel, text, node->attempt);
}

bool node_is_heard(struct node *node, enum event_kind kind)
{
    return run_context_wants(context_of(node), event_level(kind));
}

void node_emit(struct node *node, enum event_kind kind, struct str name, struct str text,
               int64_t number)
{
    CHECK(!event_is_terminal(kind));
    const struct event event = {.kind = kind, .name = name, .text = text, .number = number};
    run_context_emit(context_of(node), &event);
}

/* The model among those that wrote, added when it is new; absent: it has no name, or there are too
 * many. */
static struct str note_model(struct run_context *context, struct str name)
{
    struct run_stats *stats = &context->stats;
    for (size_t i = 0; i < stats->model_count; i++)
        if (str_equal(stats->models[i], name))
            return stats->models[i];
    struct str copy = {NULL, 0};
    if (name.len > 0 && stats->model_count < RUN_STATS_MODELS)
        copy = arena_str(&context->arena, name);
    if (!str_is_absent(copy))
        stats->models[stats->model_count++] = copy;
    return copy;
}

void node_count_llm(struct node *node, const struct node_usage *usage)
{
    struct run_context *context = context_of(node);
    struct run_stats *stats = &context->stats;
    stats->llm_calls++;
    stats->prompt_tokens += usage->prompt_tokens;
    stats->completion_tokens += usage->completion_tokens;
    stats->estimated |= usage->estimated;
    stats->cached_tokens += usage->cached_tokens;
    stats->reasoning_tokens += usage->reasoning_tokens;
    stats->cost += usage->cost;
    bool is_answer = usage->final_channel && node->walk->options.aside == NULL;
    if (is_answer)
        stats->answer_tokens += usage->completion_tokens;
    struct str model = note_model(context, usage->model);
    if (str_is_absent(stats->model) || (is_answer && !str_is_absent(model)))
        stats->model = model;
}

void node_count_sql(struct node *node)
{
    context_of(node)->stats.sql_attempts++;
}

void node_count_candidates(struct node *node, uint64_t count, bool decided)
{
    struct run_stats *stats = &context_of(node)->stats;
    stats->candidates += count;
    stats->decided |= decided;
}

struct op_waiter node_waiter(struct node *node)
{
    return (struct op_waiter){walk_visit_on_op, node, &node->ops, walk_visit_place(node)};
}

struct node *node_of(const struct op *op)
{
    struct node *node = op_owner(op);
    AHEAD_NOTE(op->loop, &op->waiter, &node->def, &node->ops);
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

void node_hasten(struct node *node, node_fn *next)
{
    walk_visit_hasten(node, next);
}

enum step node_leave(struct node *node, node_fn *last)
{
    node->next = last;
    node->settles = true;
    return STEP_LEFT;
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
    walk_visit_fail(node, err->code, code, str_of(err->text));
    return STEP_FAILED;
}

enum step node_interrupt(struct node *node, struct str details)
{
    node_emit(node, EVENT_INTERRUPT, str_of(node->path), details, 0);
    run_context_interrupt(context_of(node), node->path, details);
    return STEP_INTERRUPTED;
}

void node_put_memo(struct node *node, struct str key, struct str text)
{
    run_context_put_memo(context_of(node), str_of(node->path), key, text);
}

struct str node_find_memo(const struct node *node, struct str key)
{
    return run_context_find_memo(context_of(node), str_of(node->path), key);
}

struct str node_resume(const struct node *node)
{
    return run_context_find_resume(context_of(node), node->path);
}

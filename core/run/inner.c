/* SPDX-License-Identifier: MIT */
/* core/run/inner.c - a walk as an operation of a node.
 *
 * Happy path: a fresh state gets the caller's input, or the state and the place come from the
 * checkpoint; the walk's end is the operation's. Failure: the walk's, code on the wire kept; its
 * time has passed; the arena is spent. */
#include "core/run/inner.h"

#include <inttypes.h>

#include "core/run/update.h"
#include "core/run/walk_internal.h"

static struct run_context *context_of(const struct inner *inner)
{
    return inner->node->walk->options.context;
}

struct str inner_said(const struct inner *inner)
{
    return aside_text(&inner->aside);
}

/* ---- the operation ---- */

static void cancel_inner(struct op *op)
{
    walk_cancel(container_of(op, struct inner, op)->walk, NULL);
}

static void hold_inner(struct op *op)
{
    walk_hold(container_of(op, struct inner, op)->walk);
}

static void go_inner(struct op *op)
{
    walk_go(container_of(op, struct inner, op)->walk);
}

static void release_inner(struct op *op)
{
    aside_fini(&container_of(op, struct inner, op)->aside);
}

static const struct op_kind inner_kind = {
    "graph.run", cancel_inner, hold_inner, go_inner, release_inner,
};

static void on_end(struct walk *walk, const struct walk_end *end)
{
    struct inner *inner = walk_owner(walk);
    timer_stop(&inner->timer);
    inner->is_paused = end->code == ERR_OK && end->interrupted;
    inner->wire_code = end->wire_code;
    if (end->code != ERR_OK) {
        op_finish(&inner->op, end->code, "%s", end->err.text);
        return;
    }
    op_finish(&inner->op, ERR_OK, "%s", "");
}

static void on_timeout(struct timer *timer)
{
    struct inner *inner = container_of(timer, struct inner, timer);
    struct err err;
    err_set(&err, ERR_TIMEOUT, "graph '%s' took longer than %" PRIu64 " ms",
            graph_def(inner->walk->options.graph)->name, inner->most_ms);
    walk_cancel(inner->walk, &err);
}

/* ---- the start ---- */

static bool make_walk(struct inner *inner, const struct graph *graph, const char *path)
{
    const struct walk_options options = {
        .context = context_of(inner),
        .graph = graph,
        .path = path,
        .trace = walk_visit_place(inner->node),
        .on_end = on_end,
        .aside = &inner->aside,
        .owner = inner,
    };
    inner->walk = walk_make(&options);
    return inner->walk != NULL;
}

bool inner_make(struct inner *inner, struct node *node, unsigned which, struct str key,
                struct update **input)
{
    const struct graph *graph = graph_inner(node->walk->options.graph, node->index, which);
    struct arena *arena = node->walk->arena;
    CHECK(graph != NULL);
    const char *name = graph_def(graph)->name;
    struct str path = arena_printf(arena, "%s/%s:%.*s", node->path, name, STR_ARG(key));
    *input = NULL;
    inner->node = node;
    inner->aside.path = str_of(node->path);
    inner->aside.key = arena_printf(arena, "said %s:%.*s", name, STR_ARG(key));
    if (str_is_absent(path) || str_is_absent(inner->aside.key) || !make_walk(inner, graph, path.at))
        return false;
    inner->part = run_context_find_part(context_of(inner), path);
    if (inner->part != NULL) {
        list_remove(&inner->part->link); /* it is the walk's now */
        inner->state = inner->part->state;
        return true;
    }
    inner->state = state_create(&graph_def(graph)->schema, arena);
    if (inner->state != NULL)
        *input = inner->input = update_create(inner->state, UPDATE_INPUT_WRITER, arena);
    return *input != NULL;
}

/* False: the arena is spent. */
static bool begin(struct inner *inner)
{
    const struct run_part *part = inner->part;
    if (part == NULL && update_merge(inner->input, inner->state) != ERR_OK)
        return false;
    return walk_begin(inner->walk, inner->state, part == NULL ? NULL : &part->snapshot);
}

void inner_start(struct inner *inner, struct op_waiter waiter)
{
    struct loop *loop = inner->node->walk->loop;
    op_begin(&inner->op, &inner_kind, loop, waiter);
    aside_init(&inner->aside, context_of(inner), inner->aside.path, inner->aside.key,
               inner->part != NULL);
    if (!begin(inner)) {
        op_finish(&inner->op, ERR_NO_MEMORY, "the run's memory budget is spent");
        return;
    }
    list_push(&inner->node->inner, &inner->walk->link);
    if (inner->most_ms > 0)
        timer_start(&inner->timer, loop, inner->most_ms, on_timeout);
    if (inner->node->walk->held)
        op_hold(&inner->op);
}

void inner_pass(const struct node *node, const struct graph_pass *passes, size_t count,
                struct update *input)
{
    walk_visit_pass_in(node, passes, count, input);
}

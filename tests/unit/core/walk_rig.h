/* SPDX-License-Identifier: MIT */
/* tests/unit/core/walk_rig.h - a run over a graph of scripted nodes, and its transcript.
 *
 * Every node waits for one fake operation as its config says, pushes its name to TRACE and ends.
 * The transcript is one line per event: "token final hello 1". */
#ifndef TESTS_UNIT_CORE_WALK_RIG_H
#define TESTS_UNIT_CORE_WALK_RIG_H

#include "tests/lib/loop_rig.h"

#include <stdio.h>

#include "core/run/node.h"
#include "core/run/run.h"
#include "core/loop/timer.h"
#include "core/run/update.h"

enum { TRACE, INPUT, ERROR, RETRIES, SUM, REASON, SLOT_COUNT };

#define RIG_WRITERS(node_count) (((UINT64_C(1) << (node_count)) - 1) | SLOT_WRITER_INPUT)
#define RIG_SLOTS(node_count)                                                                      \
    {                                                                                              \
        [TRACE] = {"trace", SLOT_LIST, REDUCE_APPEND, RIG_WRITERS(node_count)},                    \
        [INPUT] = {"input", SLOT_TEXT, REDUCE_REPLACE, RIG_WRITERS(node_count)},                   \
        [ERROR] = {"error", SLOT_TEXT, REDUCE_REPLACE, RIG_WRITERS(node_count)},                   \
        [RETRIES] = {"retry_count", SLOT_INT, REDUCE_REPLACE, 0},                                  \
        [SUM] = {"sum", SLOT_INT, REDUCE_ADD, RIG_WRITERS(node_count)},                            \
        [REASON] = {"reason", SLOT_TEXT, REDUCE_REPLACE, RIG_WRITERS(node_count)},                 \
    }

/* ---- an operation that ends when its time has come, saying text every step_ms ---- */

struct fake_op {
    struct op op;
    struct timer timer;
    struct loop *loop;
    const char *const *tokens; /* NULL-terminated; may be NULL */
    uint64_t step_ms;
    enum err_code code;
    bool final;
    unsigned at, hold_calls, go_calls;
};

static inline void fake_end(struct fake_op *fake, enum err_code code)
{
    timer_stop(&fake->timer);
    op_finish(&fake->op, code, "%s", "scripted");
}

static inline void fake_cancel(struct op *op)
{
    fake_end(container_of(op, struct fake_op, op), ERR_CANCELLED);
}

static inline void fake_hold(struct op *op)
{
    container_of(op, struct fake_op, op)->hold_calls++;
}

static inline void fake_on_step(struct timer *timer)
{
    struct fake_op *fake = container_of(timer, struct fake_op, timer);
    if (op_is_held(&fake->op)) /* data waits, and with it the end that follows it */
        return;
    if (fake->tokens == NULL || fake->tokens[fake->at] == NULL) {
        fake_end(fake, fake->code);
        return;
    }
    node_emit_token(node_of(&fake->op), fake->final ? EVENT_FINAL_CHANNEL : "other",
                    str_of(fake->tokens[fake->at++]));
    if (!op_is_finishing(&fake->op))
        timer_start(&fake->timer, fake->loop, fake->step_ms, fake_on_step);
}

static inline void fake_go(struct op *op)
{
    struct fake_op *fake = container_of(op, struct fake_op, op);
    fake->go_calls++;
    if (!timer_is_running(&fake->timer))
        timer_start(&fake->timer, fake->loop, fake->step_ms, fake_on_step);
}

static inline void fake_start(struct fake_op *fake, struct loop *loop, const char *const *tokens,
                              uint64_t step_ms, enum err_code code, struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "llm.fake", .cancel = fake_cancel, .hold = fake_hold, .go = fake_go};
    op_begin(&fake->op, &kind, loop, waiter);
    fake->loop = loop;
    fake->tokens = tokens;
    fake->step_ms = step_ms;
    fake->code = code;
    fake->at = 0;
    timer_start(&fake->timer, loop, step_ms, fake_on_step);
}

/* ---- a node that follows a script ---- */

struct script {
    uint64_t step_ms;
    enum err_code code;        /* of its operation */
    unsigned fails;            /* only the first so many visits fail with code; 0: all */
    const char *const *tokens; /* said on "final" */
    int64_t add;               /* to SUM */
    const char *put;           /* into INPUT */
    bool interrupts;
};

struct scripted {
    struct fake_op fake;
};

static inline enum step scripted_end(struct node *node)
{
    const struct script *script = node_config(node);
    node_push_item(node, TRACE, str_of(node_name(node)));
    if (script != NULL && script->add != 0)
        node_put_int(node, SUM, script->add);
    if (script != NULL && script->put != NULL)
        node_put_str(node, INPUT, str_of(script->put));
    if (script != NULL && script->interrupts)
        return node_interrupt(node, STR("\"why\":\"person\""));
    return STEP_DONE;
}

static inline enum step scripted_enter(struct node *node)
{
    static const struct script plain = {.step_ms = 1};
    const struct script *script = node_config(node) == NULL ? &plain : node_config(node);
    struct scripted *f = node_frame(node);
    bool fails = script->fails == 0 || node_visit(node) <= script->fails;
    f->fake.final = true;
    fake_start(&f->fake, node_loop(node), script->tokens, script->step_ms,
               fails ? script->code : ERR_OK, node_waiter(node));
    return node_await(node, scripted_end);
}

static const struct graph_node_type scripted = {scripted_enter, sizeof(struct scripted)};

/* ---- a run and its transcript ---- */

struct walk_rig {
    struct loop_rig base;
    struct graph *graph;
    struct run *run;
    unsigned end_count;
    char said[4096];
};

static inline void walk_rig_on_end(struct run *run)
{
    struct walk_rig *rig = run_owner(run);
    rig->end_count++;
}

static inline struct run_options walk_rig_options(struct walk_rig *rig)
{
    static const struct log quiet = {.level = LOG_OFF};
    return (struct run_options){
        .loop = rig->base.loop,
        .graph = rig->graph,
        .limits = {.arena_bytes = 1 << 20, .log_bytes = 1 << 16},
        .id = {"run_test"},
        .log = &quiet,
        .on_end = walk_rig_on_end,
        .owner = rig,
        .detail = EVENT_CORE,
    };
}

static inline void walk_rig_init(struct walk_rig *rig, const struct graph_def *def)
{
    struct err err = {0};
    *rig = (struct walk_rig){0};
    loop_rig_init(&rig->base);
    if (graph_compile(def, NULL, 0, &rig->graph, &err) != ERR_OK)
        fail_msg("%s", err.text);
}

static inline void walk_rig_start(struct walk_rig *rig, const struct run_options *options)
{
    rig->run = run_create(options);
    assert_non_null(rig->run);
    update_put_str(run_input(rig->run), INPUT, STR("question"));
    run_start(rig->run);
}

static inline const char *walk_rig_transcript(struct walk_rig *rig)
{
    struct event event = {0};
    struct buf text;
    buf_init(&text, sizeof rig->said - 1);
    while (event_log_after(run_log(rig->run), event.id, &event) == ERR_OK) {
        buf_printf(&text, "%s", event_name(event.kind));
        if (event.name.len > 0)
            buf_printf(&text, " %.*s", STR_ARG(event.name));
        if (event.text.len > 0)
            buf_printf(&text, " %.*s", STR_ARG(event.text));
        if (event.more.len > 0)
            buf_printf(&text, " + %.*s", STR_ARG(event.more));
        if (event.number != 0)
            buf_printf(&text, " %lld", (long long)event.number);
        buf_push_char(&text, '\n');
    }
    struct str all = buf_str(&text);
    memcpy(rig->said, all.at, all.len);
    rig->said[all.len] = '\0';
    buf_fini(&text);
    return rig->said;
}

static inline const char *walk_rig_trace(struct walk_rig *rig)
{
    const struct state *state = run_state(rig->run);
    size_t len = 0;
    for (size_t i = 0; i < state_list_count(state, TRACE); i++) {
        struct str item = state_list_item(state, TRACE, i);
        len += (size_t)snprintf(rig->said + len, sizeof rig->said - len, "%s%.*s",
                                len == 0 ? "" : " ", STR_ARG(item));
    }
    rig->said[len] = '\0';
    return rig->said;
}

/* Every run ends once, with one terminal event, and leaves nothing in the loop. */
static inline void walk_rig_fini(struct walk_rig *rig, const char *name)
{
    loop_rig_dry(&rig->base);
    if (rig->run != NULL) {
        EXPECT_INT(name, rig->end_count, 1);
        EXPECT_INT(name, run_phase(rig->run), RUN_ENDED);
        EXPECT_TRUE(name, event_log_is_closed(run_log(rig->run)));
    }
    run_destroy(rig->run);
    graph_destroy(rig->graph);
    loop_rig_fini(&rig->base);
}

/* Run def to its end under options made by walk_rig_options. */
static inline void walk_rig_run(struct walk_rig *rig, const struct graph_def *def)
{
    walk_rig_init(rig, def);
    struct run_options options = walk_rig_options(rig);
    walk_rig_start(rig, &options);
    loop_rig_dry(&rig->base);
}

#endif

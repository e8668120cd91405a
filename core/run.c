/* SPDX-License-Identifier: MIT */
/* core/run.c - a run's beginning, flow and end, around one walk.
 *
 * Happy path: run_start merges the input, starts the walk and the deadline; the walk's end (or its
 * answer, while background nodes go on) becomes the one terminal event; on_end follows.
 * Failure: a walk that ends badly, run_cancel or the deadline become an error event; so do no
 * memory for the walk (on the next turn) and no memory for an event (the run is cancelled). */
#include "core/run.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/run_internal.h"
#include "core/update.h"
#include "core/wire_code.h"

enum {
    DEFAULT_MEMBERS_BYTES = 8 * 1024 * 1024,
    SMALLEST_LOG_BYTES = 1024,
};

/* ---- life ---- */

static void on_pressure(void *owner, bool full);
static void apply_flow(struct run *run);

struct run *run_create(const struct run_options *options)
{
    CHECK(options->limits.log_bytes >= SMALLEST_LOG_BYTES);
    struct run *run = mem_zalloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->options = *options;
    run->log = *options->log;
    run->log.run_id = run->options.id.text;
    arena_init(&run->arena, options->limits.arena_bytes);
    list_init(&run->parts);
    run->wants_full = true;
    run->conversation_id = arena_str(&run->arena, options->conversation_id);
    run->state = state_create(&graph_def(options->graph)->schema, &run->arena);
    if (run->state != NULL)
        run->input = update_create(run->state, STATE_INPUT_WRITER, &run->arena);
    run->events = event_log_create(options->loop, options->limits.log_bytes,
                                   (struct event_log_hooks){run, on_pressure});
    if (run->input != NULL && run->events != NULL && arena_ok(&run->arena))
        return run;
    run_destroy(run);
    return NULL;
}

void run_destroy(struct run *run)
{
    if (run == NULL)
        return;
    CHECK(run->phase == RUN_CREATED || run->phase == RUN_ENDED);
    event_log_destroy(run->events);
    arena_fini(&run->arena);
    mem_free(run);
}

struct update *run_input(struct run *run)
{
    CHECK(run->phase == RUN_CREATED);
    return run->input;
}

struct arena *run_arena(struct run *run)
{
    return &run->arena;
}

/* ---- the end ---- */

static void set_result(struct run *run, const struct err *err, const char *wire_code)
{
    run->result = *err;
    run->wire_code = wire_code;
}

/* The graph may call a reached END a failure. */
static void ask_graph(struct run *run)
{
    const struct graph_def *def = graph_def(run->options.graph);
    struct str message = STR("");
    if (def->failure == NULL || run->interrupted || run->walk->end.is_early)
        return;
    const char *code = def->failure(run->state, &message);
    if (code == NULL)
        return;
    err_set(&run->result, ERR_REJECTED, "%.*s", STR_ARG(message));
    run->wire_code = code;
    run->reports_failure = true;
}

static void settle_stats(struct run *run)
{
    struct run_stats *stats = &run->stats;
    stats->duration_ms = loop_now_ms(run->options.loop) - run->began_ms;
    if (stats->answer_tokens == 0 && run->final_deltas > 0) {
        stats->answer_tokens = run->final_deltas;
        stats->estimated = true;
    }
}

static void write_members(struct run *run, bool with_report, struct buf *members)
{
    const struct graph_def *def = graph_def(run->options.graph);
    if (run->interrupted)
        buf_printf(members, EVENT_PAUSED_MEMBERS ",\"interrupts\":[%.*s]",
                   STR_ARG(run->interrupts));
    if (with_report && def->report != NULL) /* with a comma before, when there is something */
        def->report(run->state, members);
    if (buf_len(members) > 0)
        buf_push_char(members, ',');
    if (run->options.finish != NULL)
        run->options.finish(run, members);
    struct str text = buf_str(members);
    if (text.len > 0 && text.at[text.len - 1] == ',') /* nothing came after it */
        buf_truncate(members, text.len - 1);
}

static void append_terminal(struct run *run, struct str members)
{
    struct event event = {.kind = EVENT_COMPLETE, .text = members};
    if (run->result.code != ERR_OK)
        event = (struct event){.kind = EVENT_ERROR,
                               .name = str_of(run->wire_code),
                               .text = str_of(run->result.text),
                               .more = members,
                               .number = wire_code_is_retryable(run->wire_code)};
    if (event_log_append(run->events, &event) != 0)
        return;
    /* untested from here: memory that is gone for longer than one allocation */
    set_result(run, &(struct err){ERR_NO_MEMORY, "no memory for the end of the run"}, "internal");
    event = (struct event){
        .kind = EVENT_ERROR, .name = str_of(run->wire_code), .text = str_of(run->result.text)};
    if (event_log_append(run->events, &event) == 0)
        LOG(&run->log, ERROR, "run.mute", "text=\"%s\"", run->result.text);
}

/* The one terminal event. */
static void say_end(struct run *run)
{
    size_t limit = run->options.limits.members_bytes;
    struct buf members;
    if (run->said_end)
        return;
    run->said_end = true;
    if (run->result.code == ERR_OK)
        ask_graph(run);
    settle_stats(run);
    bool with_report =
        run->result.code == ERR_OK || run->result.code == ERR_LIMIT || run->reports_failure;
    buf_init(&members, limit == 0 ? DEFAULT_MEMBERS_BYTES : limit);
    write_members(run, with_report, &members);
    if (!buf_ok(&members)) {
        struct err err;
        err_set(&err, ERR_TOO_LARGE, "the answer does not fit in %zu bytes", members.limit);
        set_result(run, &err, "internal");
        buf_clear(&members);
        write_members(run, false, &members);
    }
    append_terminal(run, buf_ok(&members) ? buf_str(&members) : STR(""));
    buf_fini(&members);
    apply_flow(run);
}

/* The last thing that happens; the owner may destroy the run. */
static void end_run(struct run *run)
{
    say_end(run);
    timer_stop(&run->deadline);
    run->phase = RUN_ENDED;
    LOG(&run->log, INFO, "run.end",
        "graph=%s route=%.*s code=%s duration_ms=%" PRIu64 " first_token_ms=%" PRIu64
        " tokens=%" PRIu64 " llm_calls=%" PRIu64,
        graph_def(run->options.graph)->name, STR_ARG(run->route),
        run->wire_code == NULL ? "ok" : run->wire_code, run->stats.duration_ms, run->stats.ttft_ms,
        run->stats.answer_tokens, run->stats.llm_calls);
    if (run->options.on_end != NULL)
        run->options.on_end(run);
}

static void on_not_started(struct loop_task *task)
{
    end_run(container_of(task, struct run, task));
}

static void on_walk_end(struct walk *walk, const struct walk_end *end)
{
    struct run *run = walk_owner(walk);
    if (run->said_end) {
        struct str text =
            end->code == ERR_OK
                ? STR("")
                : wire_code_loggable(end->wire_code, str_of(end->err.text), run->log.level);
        if (end->code != ERR_OK)
            LOG(&run->log, WARN, "run.background", "code=%s text=\"%.*s\"", end->wire_code,
                STR_ARG(text));
    } else if (end->code != ERR_OK) {
        set_result(run, &end->err, end->wire_code);
    } else {
        run->interrupted = end->interrupted;
    }
    end_run(run);
}

static void on_answered(struct walk *walk)
{
    struct run *run = walk_owner(walk);
    run->interrupted = walk->end.interrupted;
    say_end(run);
    if (run->options.on_answered != NULL)
        run->options.on_answered(run);
}

/* ---- the beginning, flow and cancel ---- */

/* After the terminal event nobody is to be waited for: background nodes go on. */
static void apply_flow(struct run *run)
{
    if (run->walk == NULL)
        return;
    if ((run->readers_hold || run->log_holds) && !run->said_end)
        walk_hold(run->walk);
    else
        walk_go(run->walk);
}

static void on_pressure(void *owner, bool full)
{
    struct run *run = owner;
    run->log_holds = full;
    apply_flow(run);
}

void run_hold(struct run *run)
{
    run->readers_hold = true;
    apply_flow(run);
}

void run_go(struct run *run)
{
    run->readers_hold = false;
    apply_flow(run);
}

static void on_deadline(struct timer *timer)
{
    struct run *run = container_of(timer, struct run, deadline);
    char message[80];
    snprintf(message, sizeof message, "the run took longer than %" PRIu64 " ms",
             run->options.limits.deadline_ms);
    run_cancel(run, "deadline_exceeded", message);
}

void run_start(struct run *run)
{
    const struct graph_def *def = graph_def(run->options.graph);
    CHECK(run->phase == RUN_CREATED);
    run->phase = RUN_ACTIVE;
    run->began_ms = loop_now_ms(run->options.loop) - run->stats.duration_ms;
    run->stats.started_ms = loop_wall_ms(run->options.loop) - run->stats.duration_ms;
    if ((!def->routes || run->route.len > 0) && event_log_last_id(run->events) == 0) {
        const struct event event = {.kind = EVENT_ROUTE_DECISION,
                                    .name = def->routes ? run->route : str_of(def->name)};
        run_emit(run, &event);
    }
    run_answer_void(run);
    if (run->result.code == ERR_OK &&
        (run->is_restored || update_merge(run->input, run->state) == ERR_OK)) {
        const struct walk_options options = {
            .run = run,
            .graph = run->options.graph,
            .state = run->state,
            .from = run->is_restored ? &run->top : NULL,
            .trace = run->options.trace,
            .on_end = on_walk_end,
            .on_answered = on_answered,
            .owner = run,
        };
        run->walk = walk_start(&options);
    }
    if (run->walk == NULL) {
        const struct err spent = {ERR_NO_MEMORY, "the run's memory budget is spent"};
        if (run->result.code == ERR_OK)
            set_result(run, &spent, wire_code_of(NULL, spent.code));
        loop_post(run->options.loop, &run->task, on_not_started);
        return;
    }
    uint64_t deadline_ms = run->options.limits.deadline_ms, used_ms = run->stats.duration_ms;
    if (deadline_ms > 0)
        timer_start(&run->deadline, run->options.loop,
                    deadline_ms > used_ms ? deadline_ms - used_ms : 1, on_deadline);
    apply_flow(run);
}

void run_cancel(struct run *run, const char *code, const char *message)
{
    struct err err;
    if (run->phase == RUN_ENDING || run->phase == RUN_ENDED)
        return;
    bool late = str_equal(str_of(code), STR("deadline_exceeded"));
    err_set(&err, late ? ERR_TIMEOUT : ERR_CANCELLED, "%s", message);
    if (run->phase == RUN_ACTIVE)
        run->phase = RUN_ENDING;
    if (run->walk != NULL)
        walk_stop(run->walk, &err, code);
    else if (run->result.code == ERR_OK)
        set_result(run, &err, code); /* run_start ends it */
}

/* ---- asking ---- */

const char *run_id(const struct run *run)
{
    return run->options.id.text;
}

void *run_owner(const struct run *run)
{
    return run->options.owner;
}

enum run_phase run_phase(const struct run *run)
{
    return run->phase;
}

const struct graph *run_graph(const struct run *run)
{
    return run->options.graph;
}

struct event_log *run_log(struct run *run)
{
    return run->events;
}

const struct state *run_state(const struct run *run)
{
    return run->state;
}

bool run_is_paused(const struct run *run)
{
    return run->interrupted && run->result.code == ERR_OK;
}

enum event_level run_detail(const struct run *run)
{
    return run->options.detail;
}

struct str run_route(const struct run *run)
{
    return run->route;
}

struct str run_conversation_id(const struct run *run)
{
    return run->conversation_id;
}

enum err_code run_result(const struct run *run, struct str *wire_code, struct str *message)
{
    *wire_code = str_of(run->wire_code);
    *message = str_of(run->result.text);
    return run->result.code;
}

const struct run_stats *run_stats(const struct run *run)
{
    return &run->stats;
}

/* ---- for walk and node ---- */

struct loop *run_loop(const struct run *run)
{
    return run->options.loop;
}

void *run_services(const struct run *run)
{
    return run->options.services;
}

const struct log *run_logger(const struct run *run)
{
    return &run->log;
}

bool run_wants(const struct run *run, enum event_level level)
{
    return level <= run->options.detail && !run->said_end;
}

void run_note_event(struct run *run, const struct event *event)
{
    if (event->kind == EVENT_ROUTE_DECISION)
        run->route = arena_str(&run->arena, event->name);
    if (run_answer_is(event) && run->final_deltas++ == 0 && run->stats.ttft_ms == 0)
        run->stats.ttft_ms = size_max(1, loop_now_ms(run->options.loop) - run->began_ms);
}

void run_emit(struct run *run, const struct event *event)
{
    if (!run_wants(run, event->kind == EVENT_TOKEN ? EVENT_CORE : event_level(event->kind)))
        return;
    if (event->name.len + event->text.len + event->more.len > run->options.limits.log_bytes / 4) {
        LOG(&run->log, WARN, "event.dropped", "kind=%s bytes=%zu", event_name(event->kind),
            event->text.len);
        return;
    }
    run_note_event(run, event);
    if (event_log_append(run->events, event) == 0)
        run_cancel(run, "internal", "no memory for the event log");
}

void run_describe(struct run *run, const char *node, const struct state *state, uint64_t changed)
{
    const struct schema *schema = state_schema(state);
    struct buf members;
    for (unsigned i = 0; i < schema->slot_count; i++)
        if (schema->slots[i].secret)
            changed &= ~(UINT64_C(1) << i);
    if (changed == 0 || run->options.describe == NULL || !run_wants(run, EVENT_NODES))
        return;
    buf_init(&members, run->options.limits.log_bytes / 4);
    run->options.describe(state, changed, &members);
    const struct event event = {
        .kind = EVENT_STATE, .name = str_of(node), .text = buf_str(&members)};
    if (buf_ok(&members))
        run_emit(run, &event);
    buf_fini(&members);
}

void run_note_visit(struct run *run, const struct node *node)
{
    const struct run_visit visit = {
        .graph = graph_def(node->walk->options.graph),
        .node = node->index,
        .took_ms = loop_now_ms(run->options.loop) - node->entered_ms,
    };
    if (run->options.on_visited != NULL)
        run->options.on_visited(run, &visit);
}

void run_note_retry(struct run *run, const struct graph *graph, unsigned node, unsigned budget)
{
    const struct run_visit visit = {.graph = graph_def(graph), .node = node, .budget = budget};
    if (run->options.on_retry != NULL)
        run->options.on_retry(run, &visit);
}

void run_count_llm(struct run *run, const struct node_usage *usage)
{
    struct run_stats *stats = &run->stats;
    stats->llm_calls++;
    stats->prompt_tokens += usage->prompt_tokens;
    stats->completion_tokens += usage->completion_tokens;
    stats->estimated |= usage->estimated;
    if (usage->final_channel)
        stats->answer_tokens += usage->completion_tokens;
    if (str_is_absent(stats->model))
        stats->model = arena_str(&run->arena, usage->model);
}

void run_count_sql(struct run *run)
{
    run->stats.sql_attempts++;
}

/* SPDX-License-Identifier: MIT */
/* core/run/run.c - a run's beginning, flow and end, around one walk.
 *
 * Happy path: run_start merges the input, starts the walk and the deadline; the walk's end (or its
 * answer, while background nodes go on) becomes the one terminal event; on_end follows.
 * Failure: a walk that ends badly, run_cancel or the deadline become an error event; so do no
 * memory for the walk (on the next turn) and no memory for an event (the run is cancelled). */
#include "core/run/run.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/run/run_internal.h"
#include "core/run/save.h"
#include "core/run/update.h"
#include "core/store/wire_code.h"

enum {
    DEFAULT_MEMBERS_BYTES = 8 * 1024 * 1024,
    SMALLEST_LOG_BYTES = 1024,
};

/* ---- life ---- */

static void on_pressure(void *owner, bool full);
static void apply_flow(struct run *run);

static struct run *run_of(struct run_context *context)
{
    return container_of(context, struct run, context);
}

static void on_mute(struct run_context *context)
{
    run_cancel(run_of(context), "internal", "no memory for the event log");
}

static void on_step(struct run_context *context)
{
    struct run *run = run_of(context);
    if (run->options.on_step != NULL)
        run->options.on_step(run);
}

static bool on_save(struct run_context *context)
{
    struct run *run = run_of(context);
    return run->options.on_save != NULL && run->options.on_save(run);
}

/* End the waits for what is stored, a checkpoint and the events before it. */
static void on_stored(void *owner)
{
    struct run *run = owner;
    enum event_log_keeping keeping = event_log_keeping(run->context.events);
    if (keeping == EVENT_LOG_LOST)
        save_settle(&run->context, 0, false);
    else if (keeping == EVENT_LOG_UNKEPT ||
             event_log_stored_id(run->context.events) >= run->stored.event_id)
        save_settle(&run->context, run->stored.memos, true);
}

void run_saved(struct run *run, bool is_kept)
{
    if (is_kept) {
        run->stored = run->written;
        on_stored(run);
    } else {
        save_settle(&run->context, 0, false);
    }
}

static void on_visited(struct run_context *context, const struct graph_def *graph, unsigned node,
                       uint64_t took_ms)
{
    struct run *run = run_of(context);
    const struct run_visit visit = {.graph = graph, .node = node, .took_ms = took_ms};
    if (run->options.on_visited != NULL)
        run->options.on_visited(run, &visit);
}

static void on_retry(struct run_context *context, const struct graph_def *graph, unsigned node,
                     unsigned budget)
{
    struct run *run = run_of(context);
    const struct run_visit visit = {.graph = graph, .node = node, .budget = budget};
    if (run->options.on_retry != NULL)
        run->options.on_retry(run, &visit);
}

/* All but the event log, of which there may be none. */
static void init_context(struct run *run)
{
    const struct run_options *options = &run->options;
    run->context = (struct run_context){
        .loop = options->loop,
        .services = options->services,
        .log = *options->log,
        .log_bytes = options->limits.log_bytes,
        .detail = options->detail,
        .wants_data = options->wants_data,
        .hooks = {on_mute, on_step, on_save, on_visited, on_retry, options->describe},
    };
    run->context.log.run_id = options->id.text;
    arena_init(&run->context.arena, options->limits.arena_bytes);
    list_init(&run->context.parts);
    list_init(&run->context.memos);
    list_init(&run->context.saves);
}

struct run *run_create(const struct run_options *options)
{
    CHECK(options->limits.log_bytes >= SMALLEST_LOG_BYTES);
    struct run *run = mem_zalloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->options = *options;
    init_context(run);
    run->wants_full = true;
    run->conversation_id = arena_str(&run->context.arena, options->conversation_id);
    run->state = state_create(&graph_def(options->graph)->schema, &run->context.arena);
    if (run->state != NULL)
        run->input = update_create(run->state, UPDATE_INPUT_WRITER, &run->context.arena);
    run->context.events = event_log_create(options->loop, options->limits.log_bytes,
                                           (struct event_log_hooks){run, on_pressure, on_stored});
    if (run->input != NULL && run->context.events != NULL && arena_ok(&run->context.arena))
        return run;
    run_destroy(run);
    return NULL;
}

void run_destroy(struct run *run)
{
    if (run == NULL)
        return;
    CHECK(run->context.phase == RUN_CREATED || run->context.phase == RUN_ENDED);
    event_log_destroy(run->context.events);
    arena_fini(&run->context.arena);
    err_forget(&run->result);
    mem_free(run);
}

struct update *run_input(struct run *run)
{
    CHECK(run->context.phase == RUN_CREATED);
    return run->input;
}

struct arena *run_arena(struct run *run)
{
    return &run->context.arena;
}

/* ---- the end ---- */

static void set_result(struct run *run, const struct err *err, const char *wire_code)
{
    err_keep(&run->result, err);
    run->wire_code = wire_code;
}

/* The graph may call a reached END a failure. */
static void ask_graph(struct run *run)
{
    const struct graph_def *def = graph_def(run->options.graph);
    struct str message = STR("");
    if (def->failure == NULL || run->outcome == RUN_INTERRUPTED || run->walk->end.is_early)
        return;
    const char *code = def->failure(run->state, &message);
    if (code == NULL)
        return;
    struct err err;
    err_set(&err, ERR_REJECTED, "%.*s", STR_ARG(message));
    set_result(run, &err, code);
    run->outcome = RUN_CALLED_FAILED;
}

static void settle_stats(struct run *run)
{
    struct run_stats *stats = &run->context.stats;
    stats->duration_ms = loop_now_ms(run->context.loop) - run->context.began_ms;
    if (stats->answer_tokens == 0 && run->context.final_deltas > 0) {
        stats->answer_tokens = run->context.final_deltas;
        stats->estimated = true;
    }
}

static void write_members(struct run *run, bool with_report, struct buf *members)
{
    const struct graph_def *def = graph_def(run->options.graph);
    if (run->outcome == RUN_INTERRUPTED)
        buf_printf(members, EVENT_PAUSED_MEMBERS ",\"interrupts\":[%.*s]",
                   STR_ARG(run->context.interrupts));
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
    if (event_log_append(run->context.events, &event) != 0)
        return;
    set_result(run, &(struct err){ERR_NO_MEMORY, "no memory for the end of the run"}, "internal");
    event = (struct event){
        .kind = EVENT_ERROR, .name = str_of(run->wire_code), .text = str_of(run->result.text)};
    CHECK(event_log_append(run->context.events, &event) != 0); /* it is short enough */
}

/* The one terminal event. */
static void say_end(struct run *run)
{
    size_t limit = run->options.limits.members_bytes;
    struct buf members;
    run_phase_move(&run->context.phase, RUN_ANSWERED);
    if (run->result.code == ERR_OK)
        ask_graph(run);
    settle_stats(run);
    bool with_report = run->result.code == ERR_OK || run->result.code == ERR_LIMIT ||
                       run->outcome == RUN_CALLED_FAILED;
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
    if (!run_phase_is_over(run->context.phase))
        say_end(run);
    timer_stop(&run->deadline);
    run_phase_move(&run->context.phase, RUN_ENDED);
    LOG(&run->context.log, INFO, "run.end",
        "graph=%s route=%.*s code=%s duration_ms=%" PRIu64 " first_token_ms=%" PRIu64
        " tokens=%" PRIu64 " llm_calls=%" PRIu64,
        graph_def(run->options.graph)->name, STR_ARG(run->context.route),
        run->wire_code == NULL ? "ok" : run->wire_code, run->context.stats.duration_ms,
        run->context.stats.ttft_ms, run->context.stats.answer_tokens, run->context.stats.llm_calls);
    if (run->options.on_end != NULL)
        run->options.on_end(run);
}

static void on_not_started(struct loop_task *task)
{
    end_run(container_of(task, struct run, task));
}

static void note_outcome(struct run *run, const struct walk_end *end)
{
    run->outcome = end->interrupted ? RUN_INTERRUPTED : RUN_REACHED_END;
}

static void on_walk_end(struct walk *walk, const struct walk_end *end)
{
    struct run *run = walk_owner(walk);
    if (run_phase_is_over(run->context.phase)) {
        struct str text =
            end->code == ERR_OK
                ? STR("")
                : wire_code_loggable(end->wire_code, str_of(end->err.text), run->context.log.level);
        if (end->code != ERR_OK)
            LOG(&run->context.log, WARN, "run.background", "code=%s text=\"%.*s\"", end->wire_code,
                STR_ARG(text));
    } else if (end->code != ERR_OK) {
        set_result(run, err_kept(&end->err), end->wire_code);
    } else {
        note_outcome(run, end);
    }
    end_run(run);
}

static void on_answered(struct walk *walk)
{
    struct run *run = walk_owner(walk);
    note_outcome(run, &walk->end);
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
    if ((run->readers_hold || run->log_holds) && !run_phase_is_over(run->context.phase))
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
    run_phase_move(&run->context.phase, RUN_ACTIVE);
    run->context.began_ms = loop_now_ms(run->context.loop) - run->context.stats.duration_ms;
    run->context.stats.started_ms =
        loop_wall_ms(run->context.loop) - run->context.stats.duration_ms;
    if ((!def->routes || run->context.route.len > 0) &&
        event_log_last_id(run->context.events) == 0) {
        const struct event event = {.kind = EVENT_ROUTE_DECISION,
                                    .name = def->routes ? run->context.route : str_of(def->name)};
        run_context_emit(&run->context, &event);
    }
    run_context_void_answer(&run->context);
    if (run->result.code == ERR_OK &&
        (run->is_restored || update_merge(run->input, run->state) == ERR_OK)) {
        const struct walk_options options = {
            .context = &run->context,
            .graph = run->options.graph,
            .state = run->state,
            .from = run->is_restored ? run->top : NULL,
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
        loop_post(run->context.loop, &run->task, on_not_started);
        return;
    }
    uint64_t deadline_ms = run->options.limits.deadline_ms,
             used_ms = run->context.stats.duration_ms;
    if (deadline_ms > 0)
        timer_start(&run->deadline, run->context.loop,
                    deadline_ms > used_ms ? deadline_ms - used_ms : 1, on_deadline);
    apply_flow(run);
}

void run_cancel(struct run *run, const char *code, const char *message)
{
    struct err err;
    if (run->context.phase == RUN_ENDING || run->context.phase == RUN_ENDED)
        return;
    bool late = str_equal(str_of(code), STR("deadline_exceeded"));
    err_set(&err, late ? ERR_TIMEOUT : ERR_CANCELLED, "%s", message);
    if (run->context.phase == RUN_ACTIVE)
        run_phase_move(&run->context.phase, RUN_ENDING);
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
    return run->context.phase;
}

const struct graph *run_graph(const struct run *run)
{
    return run->options.graph;
}

struct event_log *run_log(struct run *run)
{
    return run->context.events;
}

const struct state *run_state(const struct run *run)
{
    return run->state;
}

bool run_is_paused(const struct run *run)
{
    return run->outcome == RUN_INTERRUPTED && run->result.code == ERR_OK;
}

enum event_level run_detail(const struct run *run)
{
    return run->context.detail;
}

struct str run_route(const struct run *run)
{
    return run->context.route;
}

struct str run_conversation_id(const struct run *run)
{
    return run->conversation_id;
}

enum err_code run_result(const struct run *run, struct str *wire_code, struct str *message)
{
    *wire_code = str_of(run->wire_code);
    *message = str_of(err_kept(&run->result)->text);
    return run->result.code;
}

const struct run_stats *run_stats(const struct run *run)
{
    return &run->context.stats;
}

/* SPDX-License-Identifier: MIT */
/* server/cli/local_engine.c - loop_run, stopped by the end of what is waited for.
 *
 * Happy path: backends open, knowledge is loaded; each run is made, started, read as it speaks, and
 * kept until the next one.
 * Failure: no memory, broken prompts, no such graph at open; the refusal of the graph at run. */
#include "server/cli/local_engine.h"

#include <limits.h>

#include "core/base/mem.h"
#include "server/records/event_json.h"
#include "server/wiring/knowledge.h"
#include "server/config/config_tools.h"
#include "server/config/run_limits.h"
#include "server/records/run_text.h"
#include "server/process/signals.h"
#include "server/wiring/wiring.h"

enum {
    TEXT_BYTES = 4 * 1024 * 1024,
    MEMBERS_BYTES = 32 * 1024 * 1024,
};

struct local_engine {
    const struct config *config;
    struct loop *loop;
    struct registry *registry;
    int graph;
    struct log log;
    struct limits limits;
    struct wiring wiring;
    struct knowledge_load load;
    struct knowledge_set *set;
    struct services services;
    struct session session;
    struct run *run;
    struct event_reader reader;
    uint64_t read_id;
    struct buf text, members;
    struct local_engine_listener listener;
    struct signals *signals;
    bool wired, stopped;
};

static void on_known(struct op *op)
{
    struct local_engine *engine = op_owner(op);
    loop_stop(engine->loop);
}

static void stop_loop(void *owner)
{
    loop_stop(owner);
}

static enum err_code learn(struct local_engine *engine, struct err *err)
{
    knowledge_load_start(&engine->load, engine->loop, engine->config, engine->wiring.sql,
                         (struct op_waiter){on_known, engine, NULL});
    loop_run(engine->loop);
    engine->set = engine->load.set;
    *err = engine->load.op.err;
    op_release(&engine->load.op);
    struct str warnings = engine->set == NULL ? STR("") : buf_str(&engine->set->warnings);
    while (warnings.len > 0) {
        struct str line = str_split(&warnings, '\n');
        LOG(&engine->log, WARN, "database.view", "warning=\"%.*s\"", STR_ARG(line));
    }
    if (err->code == ERR_OK)
        wiring_know(&engine->wiring, &engine->set->knows);
    return err->code;
}

static enum err_code open_parts(struct local_engine *engine, const char *graph, struct err *err)
{
    const struct config *config = engine->config;
    config_limits(config, &engine->limits);
    engine->loop = loop_create();
    if (engine->loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    enum err_code code = registry_create(&engine->limits, &engine->registry, err);
    if (code == ERR_OK)
        registry_know_tools(engine->registry, config_has_tool, config);
    if (code == ERR_OK && config->graphs[0] != '\0')
        code = registry_load_files(engine->registry, config->graphs, NULL, err);
    if (code != ERR_OK)
        return code;
    engine->graph = registry_find(engine->registry, str_of(graph));
    if (engine->graph < 0)
        return err_set(err, ERR_NOT_FOUND, "there is no graph '%s'", graph);
    engine->wired = true;
    code = wiring_open(&engine->wiring, engine->loop, config, &engine->log,
                       &(struct wiring_share){.workers = 1}, err);
    return code == ERR_OK ? learn(engine, err) : code;
}

struct local_engine *local_engine_open(const struct config *config, const char *graph,
                                       struct err *err)
{
    struct local_engine *engine = mem_zalloc(1, sizeof *engine);
    if (engine == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory");
        return NULL;
    }
    engine->config = config;
    engine->log.format = config->log_format;
    engine->log.level = config->log_level == LOG_INFO ? LOG_WARN : config->log_level;
    buf_init(&engine->text, TEXT_BYTES);
    buf_init(&engine->members, MEMBERS_BYTES);
    if (open_parts(engine, graph, err) == ERR_OK) {
        engine->services = wiring_services(&engine->wiring, &engine->limits, &engine->log);
        return engine;
    }
    local_engine_close(engine);
    return NULL;
}

static void drop_run(struct local_engine *engine)
{
    if (engine->run == NULL)
        return;
    event_log_detach(run_log(engine->run), &engine->reader);
    run_destroy(engine->run);
    engine->run = NULL;
}

static void on_said(struct op *op)
{
    loop_stop(((struct local_engine *)op_owner(op))->loop);
}

struct str local_engine_chat(struct local_engine *engine, const char *task,
                             const struct llm_message *messages, size_t count, struct arena *arena,
                             struct err *err)
{
    struct llm_chat chat = {0};
    const struct llm_prompt prompt = {
        .task = task,
        .messages = messages,
        .message_count = count,
        .temperature = engine->limits.temperature,
        .max_output_tokens = engine->limits.max_output_tokens,
        .timeout_ms = engine->limits.llm_timeout_ms,
        .arena = arena,
    };
    llm_chat_start(&chat, engine->wiring.llm, &prompt, NULL,
                   (struct op_waiter){.done = on_said, .owner = engine});
    loop_run(engine->loop);
    *err = chat.op.err;
    struct str text = err->code == ERR_OK ? arena_str(arena, chat.text) : (struct str){NULL, 0};
    op_release(&chat.op);
    return text;
}

const struct lexicon *local_engine_lexicon(const struct local_engine *engine)
{
    return engine->set == NULL || engine->set->knows.catalog == NULL ? NULL
                                                                     : engine->set->knows.lexicon;
}

const struct knowledge *local_engine_knowledge(const struct local_engine *engine, struct str role)
{
    const struct registry_entry *entry = registry_entry(engine->registry, (size_t)engine->graph);
    return knowledge_of(engine->set, str_of(entry->def->name), role);
}

bool local_engine_is_offline(const struct local_engine *engine)
{
    return engine->wiring.llm == engine->wiring.offline;
}

void local_engine_close(struct local_engine *engine)
{
    if (engine == NULL)
        return;
    drop_run(engine);
    signals_close(engine->signals);
    if (engine->wired) {
        wiring_close(&engine->wiring, stop_loop, engine->loop);
        loop_run(engine->loop);
        loop_run(engine->loop); /* until all that closes later is closed */
    }
    knowledge_destroy_set(engine->set);
    registry_destroy(engine->registry);
    loop_destroy(engine->loop);
    buf_fini(&engine->text);
    buf_fini(&engine->members);
    mem_free(engine);
}

static void tell(const struct local_engine_listener *listener, const struct event *event)
{
    if (event->kind == EVENT_TOKEN && str_equal(event->name, STR(EVENT_FINAL_CHANNEL)) &&
        listener->on_text != NULL)
        listener->on_text(listener->owner, event->text);
    if (event->kind == EVENT_NODE_START && listener->on_step != NULL)
        listener->on_step(listener->owner, event->name);
}

static void on_grown(struct event_reader *reader)
{
    struct local_engine *engine = reader->owner;
    struct event_log *log = run_log(engine->run);
    struct event event;
    while (event_log_after(log, engine->read_id, &event) == ERR_OK) {
        engine->read_id = event.id;
        tell(&engine->listener, &event);
        if (event_is_terminal(event.kind))
            buf_push(&engine->members, event.kind == EVENT_COMPLETE ? event.text : event.more);
    }
    event_log_advance(log, reader, engine->read_id);
}

/* Stop the loop after this turn, at the end of which the terminal event is read. */
static void on_end(struct run *run)
{
    struct local_engine *engine = run_owner(run);
    loop_stop(engine->loop);
}

static enum err_code make_run(struct local_engine *engine,
                              const struct local_engine_question *question, struct err *err)
{
    const struct registry_entry *entry = registry_entry(engine->registry, (size_t)engine->graph);
    const struct run_options options = {
        .loop = engine->loop,
        .graph = registry_graph(engine->registry, (size_t)engine->graph),
        .services = &engine->session,
        .limits = run_limits_of(engine->config),
        .id = id_run(0),
        .log = &engine->log,
        .on_end = on_end,
        .owner = engine,
        .detail = engine->listener.on_step != NULL ? EVENT_NODES : EVENT_CORE,
        .finish = event_json_finish,
        .conversation_id = question->caller.conversation_id,
    };
    engine->run = run_create(&options);
    if (engine->run == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a run");
    struct arena *arena = run_arena(engine->run);
    engine->session = (struct session){
        .has = &engine->services,
        .knows = knowledge_of(engine->set, str_of(entry->def->name), question->caller.role),
        .caller = identity_copy(arena, &question->caller),
        .message = arena_str(arena, question->message),
    };
    return registry_begin(entry, run_input(engine->run), &engine->session, err);
}

enum err_code local_engine_run(struct local_engine *engine,
                               const struct local_engine_question *question,
                               const struct local_engine_listener *listener,
                               struct local_engine_answer *answer, struct err *err)
{
    drop_run(engine);
    buf_clear(&engine->text);
    buf_clear(&engine->members);
    engine->listener = listener == NULL ? (struct local_engine_listener){0} : *listener;
    enum err_code code = make_run(engine, question, err);
    if (code != ERR_OK)
        return code;
    engine->read_id = 0;
    engine->reader = (struct event_reader){.on_grown = on_grown, .owner = engine};
    code = event_log_attach(run_log(engine->run), &engine->reader, 0);
    CHECK(code == ERR_OK);
    run_start(engine->run);
    const bool works_blind = registry_entry(engine->registry, (size_t)engine->graph)->works_blind &&
                             (engine->wiring.vec != NULL || engine->wiring.text != NULL);
    if (!works_blind && wiring_is_blind(&engine->wiring, &engine->set->knows))
        run_cancel(engine->run, "database_unavailable", engine->set->knows.catalog_err.text);
    while (run_phase(engine->run) != RUN_ENDED)
        loop_run(engine->loop);
    on_grown(&engine->reader);
    run_text_collect(engine->run, &engine->text);
    *answer = (struct local_engine_answer){
        .run = engine->run, .text = buf_str(&engine->text), .members = buf_str(&engine->members)};
    if (run_result(engine->run, &answer->code, &answer->message) == ERR_OK)
        answer->code = answer->message = (struct str){NULL, 0};
    return ERR_OK;
}

static void on_stop(void *owner)
{
    struct local_engine *engine = owner;
    engine->stopped = true;
    if (engine->run != NULL && run_phase(engine->run) != RUN_ENDED)
        run_cancel(engine->run, "cancelled", "stopped by a signal");
}

bool local_engine_heed_signals(struct local_engine *engine)
{
    const struct signals_hooks hooks = {.owner = engine, .on_stop = on_stop, .on_reload = on_stop};
    if (engine->signals == NULL)
        engine->signals = signals_open(engine->loop, &hooks);
    return engine->signals != NULL;
}

bool local_engine_is_stopped(const struct local_engine *engine)
{
    return engine->stopped;
}

void local_engine_ignore_signals(struct local_engine *engine)
{
    signals_close(engine->signals);
    engine->signals = NULL;
    engine->stopped = false;
}

static void on_queried(struct op *op)
{
    struct local_engine *engine = op_owner(op);
    loop_stop(engine->loop);
}

enum err_code local_engine_query(struct local_engine *engine, const struct sql_statement *statement,
                                 struct sql_query *query, struct err *err)
{
    *query = (struct sql_query){0};
    if (engine->wiring.sql == NULL)
        return err_set(err, ERR_NOT_CONFIGURED, "no database is configured");
    sql_query_start(query, engine->wiring.sql, statement,
                    (struct op_waiter){on_queried, engine, NULL});
    while (op_is_pending(&query->op))
        loop_run(engine->loop);
    *err = query->op.err;
    return err->code;
}

enum sql_dialect local_engine_dialect(const struct local_engine *engine)
{
    return engine->set->knows.dialect;
}

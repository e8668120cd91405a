/* SPDX-License-Identifier: MIT */
/* server/asking.c - loop_run, stopped by whatever was waited for.
 *
 * Happy path: backends open, knowledge is read; each run is made, started, read as it speaks, and
 * kept until the next one.
 * Failure: no memory, broken prompts, no such graph at open; the graph's refusal at run. */
#include "server/asking.h"

#include <limits.h>

#include "core/base/mem.h"
#include "server/event_json.h"
#include "server/knowing.h"
#include "server/run_limits.h"
#include "server/run_text.h"
#include "server/signals.h"
#include "server/wiring.h"

enum {
    TEXT_BYTES = 4 * 1024 * 1024,
    MEMBERS_BYTES = 32 * 1024 * 1024,
    TERMINAL_ROWS = 1000, /* where a server's client gets a page, a terminal gets the list */
};

struct asking {
    const struct config *config;
    struct loop *loop;
    struct registry *registry;
    int graph;
    struct log log;
    struct limits limits;
    struct wiring wiring;
    struct knowing knowing;
    struct knowledge_set *set;
    struct services services;
    struct session session;
    struct run *run;
    struct event_reader reader;
    uint64_t read_id;
    struct buf text, members;
    void (*on_text)(void *owner, struct str text);
    void *owner;
    struct signals *signals;
    bool wired, stopped;
};

static void on_known(struct op *op)
{
    struct asking *asking = op_owner(op);
    loop_stop(asking->loop);
}

static void stop_loop(void *owner)
{
    loop_stop(owner);
}

static enum err_code learn(struct asking *asking, struct err *err)
{
    knowing_start(&asking->knowing, asking->loop, asking->config, asking->wiring.sql,
                  (struct op_waiter){on_known, asking, NULL});
    loop_run(asking->loop);
    asking->set = asking->knowing.set;
    *err = asking->knowing.op.err;
    op_release(&asking->knowing.op);
    struct str warnings = asking->set == NULL ? STR("") : buf_str(&asking->set->warnings);
    while (warnings.len > 0) {
        struct str line = str_split(&warnings, '\n');
        LOG(&asking->log, WARN, "database.view", "warning=\"%.*s\"", STR_ARG(line));
    }
    if (err->code == ERR_OK)
        wiring_know(&asking->wiring, &asking->set->knows);
    return err->code;
}

static enum err_code open_parts(struct asking *asking, const char *graph, struct err *err)
{
    const struct config *config = asking->config;
    config_limits(config, &asking->limits);
    asking->limits.max_query_rows = size_max(asking->limits.max_query_rows, TERMINAL_ROWS);
    asking->loop = loop_create();
    if (asking->loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    enum err_code code = registry_create(&asking->limits, &asking->registry, err);
    if (code != ERR_OK)
        return code;
    asking->graph = registry_find(asking->registry, str_of(graph));
    if (asking->graph < 0)
        return err_set(err, ERR_NOT_FOUND, "there is no graph '%s'", graph);
    asking->wired = true;
    code = wiring_open(&asking->wiring, asking->loop, config, &asking->log,
                       &(struct wiring_share){.workers = 1}, err);
    return code == ERR_OK ? learn(asking, err) : code;
}

struct asking *asking_open(const struct config *config, const char *graph, struct err *err)
{
    struct asking *asking = mem_zalloc(1, sizeof *asking);
    if (asking == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory");
        return NULL;
    }
    asking->config = config;
    asking->log.format = config->log_format;
    asking->log.level = config->log_level == LOG_INFO ? LOG_WARN : config->log_level;
    buf_init(&asking->text, TEXT_BYTES);
    buf_init(&asking->members, MEMBERS_BYTES);
    if (open_parts(asking, graph, err) == ERR_OK) {
        asking->services = wiring_services(&asking->wiring, &asking->limits, &asking->log);
        return asking;
    }
    asking_close(asking);
    return NULL;
}

static void drop_run(struct asking *asking)
{
    if (asking->run == NULL)
        return;
    event_log_detach(run_log(asking->run), &asking->reader);
    run_destroy(asking->run);
    asking->run = NULL;
}

void asking_close(struct asking *asking)
{
    if (asking == NULL)
        return;
    drop_run(asking);
    signals_close(asking->signals);
    if (asking->wired) {
        wiring_close(&asking->wiring, stop_loop, asking->loop);
        loop_run(asking->loop);
        loop_run(asking->loop); /* what closes after that */
    }
    knowing_destroy_set(asking->set);
    registry_destroy(asking->registry);
    loop_destroy(asking->loop);
    buf_fini(&asking->text);
    buf_fini(&asking->members);
    mem_free(asking);
}

static void on_grown(struct event_reader *reader)
{
    struct asking *asking = reader->owner;
    struct event_log *log = run_log(asking->run);
    struct event event;
    while (event_log_after(log, asking->read_id, &event) == ERR_OK) {
        asking->read_id = event.id;
        if (event.kind == EVENT_TOKEN && str_equal(event.name, STR(EVENT_FINAL_CHANNEL)) &&
            asking->on_text != NULL)
            asking->on_text(asking->owner, event.text);
        if (event_is_terminal(event.kind))
            buf_push(&asking->members, event.kind == EVENT_COMPLETE ? event.text : event.more);
    }
    event_log_advance(log, reader, asking->read_id);
}

/* The terminal event is read in this turn's end; stop after it. */
static void on_end(struct run *run)
{
    struct asking *asking = run_owner(run);
    loop_stop(asking->loop);
}

static enum err_code make_run(struct asking *asking, const struct asking_question *question,
                              struct err *err)
{
    const struct registry_entry *entry = registry_entry(asking->registry, (size_t)asking->graph);
    const struct run_options options = {
        .loop = asking->loop,
        .graph = registry_graph(asking->registry, (size_t)asking->graph),
        .services = &asking->session,
        .limits = run_limits_of(asking->config),
        .id = id_run(0),
        .log = &asking->log,
        .on_end = on_end,
        .owner = asking,
        .finish = event_json_finish,
        .conversation_id = question->caller.conversation_id,
    };
    asking->run = run_create(&options);
    if (asking->run == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a run");
    struct arena *arena = run_arena(asking->run);
    asking->session = (struct session){
        .has = &asking->services,
        .knows = &asking->set->knows,
        .caller = identity_copy(arena, &question->caller),
        .message = arena_str(arena, question->message),
    };
    return registry_begin(entry, run_input(asking->run), &asking->session, err);
}

enum err_code asking_run(struct asking *asking, const struct asking_question *question,
                         void (*on_text)(void *owner, struct str text), void *owner,
                         struct asking_answer *answer, struct err *err)
{
    drop_run(asking);
    buf_clear(&asking->text);
    buf_clear(&asking->members);
    asking->on_text = on_text;
    asking->owner = owner;
    enum err_code code = make_run(asking, question, err);
    if (code != ERR_OK)
        return code;
    asking->read_id = 0;
    asking->reader = (struct event_reader){.on_grown = on_grown, .owner = asking};
    code = event_log_attach(run_log(asking->run), &asking->reader, 0);
    CHECK(code == ERR_OK);
    run_start(asking->run);
    if (wiring_is_blind(&asking->wiring, &asking->set->knows))
        run_cancel(asking->run, "database_unavailable", asking->set->knows.catalog_err.text);
    while (run_phase(asking->run) != RUN_ENDED)
        loop_run(asking->loop);
    on_grown(&asking->reader);
    run_text_collect(asking->run, &asking->text);
    *answer = (struct asking_answer){
        .run = asking->run, .text = buf_str(&asking->text), .members = buf_str(&asking->members)};
    if (run_result(asking->run, &answer->code, &answer->message) == ERR_OK)
        answer->code = answer->message = (struct str){NULL, 0};
    return ERR_OK;
}

static void on_stop(void *owner)
{
    struct asking *asking = owner;
    asking->stopped = true;
    if (asking->run != NULL && run_phase(asking->run) != RUN_ENDED)
        run_cancel(asking->run, "cancelled", "stopped by a signal");
}

bool asking_heed_signals(struct asking *asking)
{
    const struct signals_hooks hooks = {.owner = asking, .on_stop = on_stop, .on_reload = on_stop};
    if (asking->signals == NULL)
        asking->signals = signals_open(asking->loop, &hooks);
    return asking->signals != NULL;
}

bool asking_is_stopped(const struct asking *asking)
{
    return asking->stopped;
}

static void on_queried(struct op *op)
{
    struct asking *asking = op_owner(op);
    loop_stop(asking->loop);
}

enum err_code asking_query(struct asking *asking, const struct sql_statement *statement,
                           struct sql_query *query, struct err *err)
{
    *query = (struct sql_query){0};
    if (asking->wiring.sql == NULL)
        return err_set(err, ERR_NOT_CONFIGURED, "no database is configured");
    sql_query_start(query, asking->wiring.sql, statement,
                    (struct op_waiter){on_queried, asking, NULL});
    while (op_is_pending(&query->op))
        loop_run(asking->loop);
    *err = query->op.err;
    return err->code;
}

enum sql_dialect asking_dialect(const struct asking *asking)
{
    return asking->set->knows.dialect;
}

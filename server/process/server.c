/* SPDX-License-Identifier: MIT */
/* server/process/server.c - the main thread's loop: loading knowledge, signals, ends of workers.
 *
 * Happy path: workers are made and bound; knowledge is loaded and given to them; their threads
 * start; a stop drains them; the last one's message ends the loop.
 * Failure paths:
 * - bad graphs, prompts or address: err, everything made is unmade;
 * - the database cannot be read, or not within START_MS: workers start all the same, and answer
 *   that they are not ready; reading is tried again and again;
 * - a reload that fails: logged, configuration and knowledge stay as they were. */
#include "server/process/server.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "backends/vectors/vec_shared.h"
#include "core/base/log_sink.h"
#include "core/base/mem.h"
#include "core/base/resident.h"
#include "server/auth/auth_book.h"
#include "server/wiring/database.h"
#include "server/config/config_tools.h"
#include "server/config/database_url.h"
#include "server/process/descriptors.h"
#include "server/process/notify.h"
#include "server/process/routes.h"
#include "server/wiring/checkpoint_stores.h"
#include "server/wiring/document_stores.h"
#include "server/process/signals.h"
#include "server/process/watchdog.h"
#include "server/process/worker.h"

enum {
    PROMPT_POLL_MS = 10 * 1000, /* a look at each file: nobody changes prompts more often */
    TRIM_EVERY_MS = 30 * 1000,  /* peaks come in minutes, and giving back takes time */
    START_MS = 1000,
    RETRY_MS = 3000 /* between attempts to read a database that could not be read: a restart of a
                       database server takes longer, a person notices less */
};

struct server {
    struct server_options options;
    struct config *config;
    struct loop *loop;
    struct inbox *main_inbox;
    struct registry *registry;
    struct meters *meters;
    struct shard_group group;
    struct seen seen;
    struct worker_shared shared;
    struct vec_shared *vectors;
    struct auth_book *book;   /* keys and issuers of the start */
    struct audit_file *audit; /* NULL: none is kept */
    struct worker **workers;
    const struct metrics **metrics; /* of each worker */
    struct shard **shards;          /* of each worker */
    struct exchange_site **sites;   /* of each worker */
    size_t made, running;
    uint64_t trimmed_ms, trimmed_bytes; /* when memory was looked at; what resident_trim keeps */
    struct log log;
    struct wiring wiring; /* the database only */
    struct knowledge_load load;
    struct lexicon_progress reading;
    struct list sets;
    struct knowledge_set *current;
    struct timer retry, poll, opening, values;
    struct watchdog watchdog;
    struct signals *signals;
    struct err failure;
    struct err unread; /* why the database could not be read the last time */
    bool started, stopping, know_again, reloading;
    bool is_refresh; /* what is being read was not asked for: it may only add to what is known */
    unsigned port;
};

static void read_known(struct server *server);
static void start_reading(struct server *server, bool is_refresh);

/* ---- knowledge ---- */

static void drop_unheld(struct server *server)
{
    LIST_EACH_SAFE(link, &server->sets) {
        struct knowledge_set *set = list_item(link, struct knowledge_set, link);
        if (set->holders > 0 || set == server->current)
            continue;
        list_remove(&set->link);
        knowledge_destroy_set(set);
    }
}

static void on_pin_returned(struct inbox_message *message, void *main_inbox)
{
    struct knowledge_pin *pin = container_of(message, struct knowledge_pin, message);
    pin->set->holders--;
    mem_free(pin);
    drop_unheld(main_inbox);
}

static enum err_code give_out(struct server *server, struct knowledge_set *set)
{
    for (size_t i = 0; i < server->made; i++) {
        struct knowledge_pin *pin = mem_zalloc(1, sizeof *pin);
        if (pin == NULL)
            return ERR_NO_MEMORY;
        *pin = (struct knowledge_pin){.message = {.open = on_pin_returned}, .set = set};
        const struct worker_message message = {.order = WORKER_KNOW, .pin = pin};
        set->holders++;
        if (worker_send(server->workers[i], &message) != ERR_OK) {
            set->holders--;
            mem_free(pin);
            return ERR_NO_MEMORY;
        }
    }
    return ERR_OK;
}

static void on_retry(struct timer *timer)
{
    read_known(container_of(timer, struct server, retry));
}

static void on_poll(struct timer *timer)
{
    struct server *server = container_of(timer, struct server, poll);
    timer_start(timer, server->loop, PROMPT_POLL_MS, on_poll);
    if (loop_now_ms(server->loop) >= server->trimmed_ms + TRIM_EVERY_MS) {
        server->trimmed_ms = loop_now_ms(server->loop);
        if (resident_trim(&server->trimmed_bytes))
            LOG(&server->log, INFO, "server.memory", "held_after=%" PRIu64, server->trimmed_bytes);
    }
    if (server->current != NULL && prompt_set_changed(server->current->prompts)) {
        LOG(&server->log, INFO, "prompts.changed", "reading=all");
        read_known(server);
    }
}

/* Values are words: a customer who was entered since is to be one, too; and so is a new column. */
static void on_values(struct timer *timer)
{
    struct server *server = container_of(timer, struct server, values);
    if (op_is_pending(&server->load.op))
        timer_start(timer, server->loop, server->config->refresh_ms, on_values);
    else
        start_reading(server, true);
}

static void log_warnings(struct server *server, const struct knowledge_set *set)
{
    for (struct str rest = buf_str(&set->warnings); rest.len > 0;) {
        struct str line = str_split(&rest, '\n');
        LOG(&server->log, WARN, "database.view", "warning=\"%.*s\"", STR_ARG(line));
    }
}

/* Whether set is left, since what is known is more. */
static bool is_left(struct server *server, struct knowledge_set *set)
{
    if (!server->is_refresh || server->current == NULL || !knowledge_is_less(set, server->current))
        return false;
    LOG(&server->log, WARN, "values.unread", "error=\"%s\" kept=\"what was known\"",
        set->knows.catalog == NULL ? set->knows.catalog_err.text : "fewer columns could be read");
    knowledge_destroy_set(set);
    return true;
}

static void take_set(struct server *server, struct knowledge_set *set)
{
    const struct err *problem = &set->knows.catalog_err;
    bool worse = set->knows.catalog == NULL && server->current != NULL;
    bool is_new = strcmp(problem->text, server->unread.text) != 0;
    if (set->knows.catalog == NULL && is_new) /* logged once, not at every attempt */
        LOG(&server->log, WARN, "database.unread", "error=\"%s\"", problem->text);
    else if (set->knows.catalog != NULL)
        LOG(&server->log, INFO, "database.read", "tables=%zu", set->knows.catalog->table_count);
    if (buf_len(&set->tenancy) > 0)
        LOG(&server->log, INFO, "database.tenancy", "tables=\"%.*s\"",
            STR_ARG(buf_str(&set->tenancy)));
    log_warnings(server, set);
    server->unread = *problem;
    /* What is not configured stays so until somebody changes it. */
    if (set->knows.catalog == NULL && server->wiring.sql != NULL &&
        problem->code != ERR_NOT_CONFIGURED)
        timer_start(&server->retry, server->loop, RETRY_MS, on_retry);
    if (worse) { /* the last good knowledge stays */
        knowledge_destroy_set(set);
        return;
    }
    list_push(&server->sets, &set->link);
    server->current = set;
    if (give_out(server, set) != ERR_OK)
        LOG(&server->log, ERROR, "known.give", "error=\"no memory\"");
    drop_unheld(server);
}

static void start_workers(struct server *server)
{
    server->started = true;
    timer_stop(&server->opening);
    for (size_t i = 0; i < server->made; i++) {
        if (worker_start(server->workers[i], &server->failure) != ERR_OK)
            break;
        server->running++;
    }
    timer_start(&server->poll, server->loop, PROMPT_POLL_MS, on_poll);
    if (watchdog_start(&server->watchdog, server->loop, server->meters, server->metrics,
                       server->running) != ERR_OK)
        LOG(&server->log, WARN, "server.watchdog", "error=\"no memory\"");
    if (server->running < server->made)
        server_ask_stop(server);
    else
        notify_send("READY=1");
}

static void on_opening(struct timer *timer)
{
    struct server *server = container_of(timer, struct server, opening);
    LOG(&server->log, INFO, "server.opening", "database=\"still being read\"");
    start_workers(server);
}

static void stop(struct server *server);

static void on_known(struct op *op)
{
    struct server *server = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK && !is_left(server, server->load.set))
        take_set(server, server->load.set);
    else if (err.code != ERR_OK && err.code != ERR_CANCELLED)
        LOG(&server->log, ERROR, "known.refused", "error=\"%s\"", err.text);
    if (server->stopping) {
        stop(server);
        return;
    }
    if (server->current == NULL && err.code != ERR_OK) {
        server->failure = err;
        server->stopping = true;
        stop(server);
        return;
    }
    if (!server->started)
        start_workers(server);
    if (server->reloading)
        notify_send("READY=1");
    server->reloading = false;
    if (server->wiring.sql != NULL && server->config->refresh_ms > 0)
        timer_start(&server->values, server->loop, server->config->refresh_ms, on_values);
    if (server->know_again) {
        server->know_again = false;
        read_known(server);
    }
}

static void read_known(struct server *server)
{
    timer_stop(&server->retry);
    if (server->stopping)
        return;
    if (op_is_pending(&server->load.op)) {
        server->know_again = true;
        return;
    }
    start_reading(server, false);
}

/* Nothing is being read. */
static void start_reading(struct server *server, bool is_refresh)
{
    server->is_refresh = is_refresh;
    server->load = (struct knowledge_load){
        .log = &server->log, .progress = &server->reading, .again = is_refresh};
    knowledge_load_start(&server->load, server->loop, server->config, server->wiring.sql,
                         (struct op_waiter){on_known, server, NULL});
}

/* ---- stopping ---- */

static void on_database_closed(void *owner)
{
    struct server *server = owner;
    for (size_t i = 0; i < server->made; i++) {
        worker_join(server->workers[i]);
        worker_destroy(server->workers[i]); /* may return pins */
    }
    server->made = 0;
    server->current = NULL;
    inbox_close(server->main_inbox); /* opens the messages that came back */
    drop_unheld(server);
    signals_close(server->signals);
    server->signals = NULL;
}

/* Close everything of this thread, once no worker runs and nothing is being read. */
static void close_all(struct server *server)
{
    timer_stop(&server->retry);
    timer_stop(&server->poll);
    timer_stop(&server->values);
    watchdog_stop(&server->watchdog);
    wiring_close(&server->wiring, on_database_closed, server);
}

static void stop(struct server *server)
{
    timer_stop(&server->retry);
    timer_stop(&server->opening);
    timer_stop(&server->values);
    if (op_is_pending(&server->load.op)) {
        op_cancel(&server->load.op); /* on_known comes back here */
        return;
    }
    const struct worker_message message = {.order = WORKER_DRAIN};
    for (size_t i = 0; i < server->running; i++)
        if (worker_send(server->workers[i], &message) != ERR_OK)
            LOG(&server->log, ERROR, "server.stop", "error=\"no memory\"");
    if (server->running == 0)
        close_all(server);
}

static void on_worker_done(struct inbox_message *message, void *main_inbox)
{
    struct server *server = main_inbox;
    (void)message;
    if (--server->running == 0)
        close_all(server);
}

static void on_stop(void *owner)
{
    struct server *server = owner;
    if (server->stopping)
        return;
    notify_send("STOPPING=1");
    LOG(&server->log, INFO, "server.stop", "drain_ms=%" PRIu64, server->config->drain_ms);
    server->stopping = true;
    stop(server);
}

/* ---- reloading ---- */

/* Read keys and issuers anew and give them out with the level of the log and with tools that have
 * changed; keys that are not well stay as they were. */
static void reload_settings(struct server *server, struct config *fresh)
{
    struct err err = {0};
    bool has_tools = config_take_tools(server->config, fresh);
    struct remote_file *tools = has_tools ? server->config->tools : NULL;
    struct auth_book *book = auth_book_load(fresh->api_keys, fresh->auth_file, &err);
    if (book == NULL)
        LOG(&server->log, ERROR, "server.reload", "keys=kept error=\"%s\"", err.text);
    for (size_t i = 0; i < server->made; i++) {
        const struct worker_message message = {.order = WORKER_RELOAD,
                                               .log_level = fresh->log_level,
                                               .book = book == NULL ? NULL : auth_book_ref(book),
                                               .tools = has_tools ? remote_file_ref(tools) : NULL};
        if (worker_send(server->workers[i], &message) != ERR_OK) {
            auth_book_unref(message.book);
            remote_file_unref(message.tools);
            LOG(&server->log, ERROR, "server.reload", "error=\"no memory\"");
        }
    }
    auth_book_unref(book);
    if (has_tools)
        LOG(&server->log, INFO, "tools.read", "http=%zu servers=%zu", tools->http_count,
            tools->server_count);
}

/* The graphs in files; without ASKD_GRAPHS there are none. */
static enum err_code read_graphs(struct registry *registry, const struct config *config,
                                 size_t *changed, struct err *err)
{
    if (config->graphs[0] == '\0')
        return ERR_OK;
    registry_know_tools(registry, config_has_tool, config);
    enum err_code code = registry_load_files(registry, config->graphs, changed, err);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_GRAPHS");
    return code;
}

/* A folder with a mistake changes nothing. */
static void read_graphs_again(struct server *server)
{
    struct err err = {0};
    size_t changed = 0;
    if (server->config->graphs[0] == '\0')
        return;
    if (read_graphs(server->registry, server->config, &changed, &err) == ERR_OK)
        LOG(&server->log, INFO, "graphs.read", "changed=%zu", changed);
    else
        LOG(&server->log, ERROR, "graphs.kept", "error=\"%s\"", err.text);
}

static void on_reload(void *owner)
{
    struct server *server = owner;
    struct config *fresh = NULL;
    if (server->stopping)
        return;
    server->reloading = true;
    if (server->audit != NULL)
        audit_file_reopen(server->audit);
    notify_reloading();
    if (server->options.reload != NULL)
        fresh = server->options.reload(server->options.owner);
    LOG(&server->log, INFO, "server.reload", "keys_and_level=%s", fresh == NULL ? "kept" : "new");
    if (fresh != NULL)
        reload_settings(server, fresh);
    else if (server->config->tools != NULL)
        LOG(&server->log, ERROR, "tools.kept",
            "error=\"the configuration has a mistake, which is told above\"");
    if (fresh != NULL)
        server->log.level = fresh->log_level;
    config_destroy(fresh);
    read_graphs_again(server);
    read_known(server);
}

/* ---- requests from other threads ---- */

static void open_stop(struct inbox_message *message, void *main_inbox)
{
    mem_free(message);
    on_stop(main_inbox);
}

static void open_reload(struct inbox_message *message, void *main_inbox)
{
    mem_free(message);
    on_reload(main_inbox);
}

static void ask(struct server *server, inbox_message_fn *open)
{
    struct inbox_message *message = mem_zalloc(1, sizeof *message);
    if (message != NULL)
        inbox_send(server->main_inbox, message, open);
}

void server_ask_stop(struct server *server)
{
    ask(server, open_stop);
}

void server_ask_reload(struct server *server)
{
    ask(server, open_reload);
}

/* ---- life ---- */

static const char *name_method(enum http_method method)
{
    return method == HTTP_METHOD_GET ? "GET" : method == HTTP_METHOD_POST ? "POST" : "DELETE";
}

/* The series for the routes, the graphs and what is configured. NULL: no memory. */
static struct meters *make_meters(const struct server *server)
{
    const struct config *config = server->config;
    const size_t count = routes_table.count;
    struct meters_route *routes = mem_zalloc(count, sizeof *routes);
    if (routes == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        routes[i] = (struct meters_route){name_method(routes_table.routes[i].method),
                                          routes_table.routes[i].pattern};
    struct meters_options options = {
        .routes = routes,
        .route_count = count,
        .registry = server->registry,
        .engine = database_engine(config),
        .models = {.models = {{config->openai_model, config->model},
                              {config->azure_deployment, config->model},
                              {config->fallback_model, config->model}},
                   .provider = config->model},
    };
    for (size_t i = 0; config->models != NULL && i < config->models->model_count; i++) {
        const struct models_file_model *model = &config->models->models[i];
        options.models.models[i].model = model->model;
        options.models.models[i].provider = config_provider(config, str_of(model->model));
    }
    struct meters *meters = meters_create(&options);
    mem_free(routes);
    return meters;
}

static enum err_code make_workers(struct server *server, struct err *err)
{
    struct worker_shared *shared = &server->shared;
    size_t count = server->config->workers;
    server->workers = mem_zalloc(count, sizeof(struct worker *));
    server->metrics = mem_zalloc(count, sizeof(struct metrics *));
    server->shards = mem_zalloc(count, sizeof(struct shard *));
    server->sites = mem_zalloc(count, sizeof(struct exchange_site *));
    if (server->workers == NULL || server->metrics == NULL || server->shards == NULL ||
        server->sites == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for workers");
    server->group = (struct shard_group){
        .config = server->config,
        .registry = server->registry,
        .meters = server->meters,
        .metrics = server->metrics,
        .seen = &server->seen,
        .reading = &server->reading,
        .shards = server->shards,
        .count = count,
    };
    *shared = (struct worker_shared){
        .group = &server->group,
        .sites = server->sites,
        .routes = &routes_table,
        .vectors = server->vectors,
        .main_inbox = server->main_inbox,
        .log_sink = server->log.sink,
        .audit = server->audit,
        .book = server->book,
        .on_done = on_worker_done,
    };
    for (; server->made < count; server->made++) {
        struct worker *worker = worker_create(shared, (unsigned)server->made, err);
        if (worker == NULL)
            return err->code;
        server->workers[server->made] = worker;
        server->metrics[server->made] = worker->metrics;
        server->shards[server->made] = &worker->shard;
        server->sites[server->made] = &worker->site;
    }
    return ERR_OK;
}

static enum err_code bind_workers(struct server *server, struct err *err)
{
    enum err_code code = ERR_OK;
    server->port = (unsigned)server->config->port;
    if (server->made > 1)
        code = listener_probe(server->config->host, server->port, err);
    for (size_t i = 0; i < server->made && code == ERR_OK; i++) {
        code = worker_listen(server->workers[i], server->port, err);
        if (code == ERR_OK)
            server->port = listener_port(server->workers[i]->listener);
    }
    if (code == ERR_OK && server->config->admin_port != 0)
        code = worker_listen_for_operators(server->workers[0], (unsigned)server->config->admin_port,
                                           err);
    return code;
}

static enum err_code open_audit(struct server *server, struct err *err)
{
    const struct audit_file_options options = {.path = server->config->audit_path,
                                               .log = &server->log};
    if (options.path[0] == '\0')
        return ERR_OK;
    server->audit = audit_file_open(&options, err);
    return server->audit == NULL ? err->code : ERR_OK;
}

static enum err_code make_all(struct server *server, struct err *err)
{
    struct limits limits;
    config_limits(server->config, &limits);
    server->loop = loop_create();
    if (server->loop != NULL)
        server->main_inbox = inbox_create(server->loop, server);
    if (server->main_inbox == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory or no descriptors");
    server->wiring.loop = server->loop;
    enum err_code code = registry_create(&limits, &server->registry, err);
    if (code == ERR_OK)
        code = read_graphs(server->registry, server->config, NULL, err);
    if (code == ERR_OK)
        server->meters = make_meters(server);
    if (code == ERR_OK && server->meters == NULL)
        code = err_set(err, ERR_NO_MEMORY, "no memory for metrics");
    if (code == ERR_OK)
        code = document_stores_share(server->config, &server->vectors, err);
    if (code == ERR_OK)
        code = checkpoint_stores_try(server->config, err);
    if (code == ERR_OK)
        code = open_audit(server, err);
    if (code == ERR_OK) {
        server->book = auth_book_load(server->config->api_keys, server->config->auth_file, err);
        code = server->book == NULL ? err->code : ERR_OK;
        if (server->book == NULL)
            err_prefix(err, "ASKD_AUTH_FILE");
    }
    if (code == ERR_OK)
        code = make_workers(server, err);
    if (code == ERR_OK)
        code = bind_workers(server, err);
    if (code == ERR_OK)
        code = wiring_open_sql(&server->wiring, server->loop, server->config, err);
    return code;
}

struct server *server_create(const struct server_options *options, struct err *err)
{
    struct server *server = mem_zalloc(1, sizeof *server);
    if (server == NULL) {
        config_destroy(options->config);
        err_set(err, ERR_NO_MEMORY, "no memory");
        return NULL;
    }
    server->options = *options;
    server->config = options->config;
    server->log =
        (struct log){.level = options->config->log_level,
                     .format = options->config->log_format,
                     .sink = log_sink_create(STDERR_FILENO)}; /* without memory: it may wait */
    list_init(&server->sets);
    descriptors_fit(server->config, &server->log);
    if (make_all(server, err) == ERR_OK)
        return server;
    server_destroy(server);
    return NULL;
}

enum err_code server_run(struct server *server, struct err *err)
{
    const struct signals_hooks hooks = {server, on_stop, on_reload};
    signals_ignore_failed_writes();
    if (server->options.with_signals)
        server->signals = signals_open(server->loop, &hooks);
    uint64_t start_ms = server->options.start_ms != 0 ? server->options.start_ms : START_MS;
    timer_start(&server->opening, server->loop, start_ms, on_opening);
    read_known(server);
    loop_run(server->loop);
    *err = server->failure;
    return err->code;
}

void server_destroy(struct server *server)
{
    if (server == NULL)
        return;
    if (server->made > 0) /* the workers were made, but never ran */
        close_all(server);
    else if (server->main_inbox != NULL)
        inbox_close(server->main_inbox);
    if (server->loop != NULL)
        loop_run(server->loop);
    inbox_destroy(server->main_inbox);
    loop_destroy(server->loop);
    vec_shared_unref(server->vectors);
    registry_destroy(server->registry);
    meters_destroy(server->meters);
    mem_free(server->workers);
    mem_free(server->metrics);
    mem_free(server->shards);
    mem_free(server->sites);
    auth_book_unref(server->book);
    audit_file_close(server->audit);
    config_destroy(server->config);
    log_sink_destroy(server->log.sink);
    mem_free(server);
}

unsigned server_port(const struct server *server)
{
    return server->port;
}

void server_describe(const struct server *server, struct buf *out)
{
    const struct config *config = server->config;
    const char *model = config->model;
    if (config_has_models(config))
        model = config->models->models[config->models->tasks[0].models[0]].model;
    else if (strcmp(model, "openai") == 0)
        model = config->openai_model;
    buf_printf(out, "askd %s: http://%s%s%s:%u  model %s%s  database ", ASKD_VERSION,
               strchr(config->host, ':') != NULL ? "[" : "", config->host,
               strchr(config->host, ':') != NULL ? "]" : "", server->port, model,
               config_has_models(config)             ? " and others (ASKD_MODELS)"
               : strcmp(config->model, "azure") == 0 ? " (Azure)"
                                                     : "");
    if (config->database_url[0] == '\0')
        buf_push(out, STR("none"));
    else
        database_url_mask(out, str_of(config->database_url));
    buf_printf(out, "  workers %zu%s\n", server->group.count,
               auth_book_has_doors(server->book)
                   ? ""
                   : "  (no ASKD_API_KEYS: callers on this machine only)");
}

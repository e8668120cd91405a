/* SPDX-License-Identifier: MIT */
/* server/process/worker.c - made on the main thread, run on its own, ended by a message.
 *
 * Happy path: loop, inbox, backends, runs and listener are made; the thread runs the loop; DRAIN
 * closes the listener and idle connections, waits for the open ones, then closes the backends and
 * the inbox; the loop runs dry and the thread ends with a message to the main inbox.
 * Failure paths: no memory at creation: undone; streams that outlive the drain: their runs are
 * cancelled with server_shutdown; connections that are open a while later are cut. */
#include "server/process/worker.h"

#include <uv.h>

#include "backends/remote/remote_file.h"
#include "core/base/log_sink.h"
#include "core/base/mem.h"
#include "server/api/documents/documents.h"
#include "server/records/run_input.h"

enum {
    CUT_MS = 3000,
    SAMPLE_EVERY_MS = 1000,
    STREAM_LIMIT_BYTES = 64 * 1024 * 1024,
    LINGER_BYTES = 64 * 1024 * 1024, /* ended runs kept for late readers, over all workers */
    LEAST_TURNS = 50,                /* brought into memory: what tiers of memory look at */
    HOUR_MS = 3600 * 1000,
    MARK_MS = 20
};

/* Limits of one connection: nothing here depends on the machine or on the caller. */
enum {
    BACKLOG = 1024,        /* connections the kernel holds until they are accepted: one burst */
    TARGET_BYTES = 8192,   /* of a request's target; nginx's default */
    HEAD_BYTES = 32768,    /* of a request's line and headers together; nginx's default */
    BODY_BYTES = 1048576,  /* of a request's body, at least */
    MESSAGES_OF_BODY = 32, /* longest messages in one body: some clients send the conversation */
    HEADER_MS = 10000,     /* for a request's headers to arrive: slow senders hold no place */
    BODY_MS = 20000,       /* for a request's whole body, for the same reason */
    FILE_MS = 300000,      /* for a whole file, by a telephone */
    IDLE_MS = 75000,       /* without a request: what most proxies keep a connection for */
    WRITE_MS = 30000,      /* a reader that takes no byte for so long is gone */
    HIGH_BYTES = 65536     /* unsent bytes at which the sender is held: what a socket takes */
};

enum {
    OPERATORS_CONNECTIONS = 64, /* probes, scrapers and a person or two */
    BODIES_BYTES =
        1024 * 1024 * 1024, /* of all requests, over all workers, without a memory limit */
    BODIES_SHARE = 4        /* of ASKD_MEMORY_LIMIT: bodies may have the fourth part */
};

static void consider_stop(struct loop_task *task);

static void settle(struct worker *worker)
{
    if (worker->shard.draining && !worker->shard.stopping)
        loop_post(worker->loop, &worker->settle_task, consider_stop);
}

/* ---- hooks ---- */

static void on_conn_closed(void *owner)
{
    struct worker *worker = container_of(owner, struct worker, site);
    meters_set(worker->shared->group->meters, worker->metrics, METER_CONNECTIONS,
               (int64_t)worker->site.conns.count);
    settle(worker);
}

static void on_operator_closed(void *owner)
{
    (void)owner; /* nobody waits for an operator to leave */
}

static bool is_full_of_operators(void *owner)
{
    struct worker *worker = owner;
    return worker->operators.conns.count >= OPERATORS_CONNECTIONS;
}

static void on_run_ended(void *owner)
{
    settle(owner);
}

static void return_pin(struct worker *worker, struct knowledge_pin *pin)
{
    inbox_send(worker->shared->main_inbox, &pin->message, pin->message.open);
}

static void on_unpinned(void *owner, struct knowledge_pin *pin)
{
    return_pin(owner, pin);
}

/* Drop the pin of the worker; runs that still hold it return it later. NULL is fine. */
static void retire_pin(struct worker *worker, struct knowledge_pin *pin)
{
    if (pin == NULL)
        return;
    pin->is_old = true;
    if (pin->runs == 0)
        return_pin(worker, pin);
}

/* A stream of HTTP/2 takes what a connection of HTTP/1 takes, but for a descriptor. */
static bool has_no_place(const struct worker *worker)
{
    const struct channel_site *conns = &worker->site.conns;
    return admission_is_full(&worker->admission, conns->count + conns->stream_count);
}

static bool is_full_of_streams(void *owner)
{
    return has_no_place(container_of(owner, struct worker, site));
}

static bool is_full(void *owner)
{
    struct worker *worker = owner;
    bool full = has_no_place(worker);
    shard_count(&worker->shard, full ? METER_SHED : METER_ACCEPTED, 1);
    meters_set(worker->shared->group->meters, worker->metrics, METER_CONNECTIONS,
               (int64_t)worker->site.conns.count + !full);
    return full;
}

static void sample(struct timer *timer);

static void await_sample(struct worker *worker)
{
    timer_start(&worker->sample_timer, worker->loop, SAMPLE_EVERY_MS, sample);
}

static void sample(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, sample_timer);
    instrument_sample(&worker->observers);
    await_sample(worker);
}

/* ---- stopping ---- */

static void on_auth_closed(void *owner)
{
    struct worker *worker = owner;
    inbox_close(worker->inbox);
}

static void on_traces_sent(void *owner)
{
    struct worker *worker = owner;
    auth_close(worker->auth, on_auth_closed, worker);
}

static void on_backends_closed(void *owner)
{
    struct worker *worker = owner;
    struct tracing *tracing = worker->observers.tracing;
    worker->observers.tracing = NULL;
    if (tracing != NULL)
        tracing_close(tracing, on_traces_sent, worker);
    else
        on_traces_sent(worker);
}

/* Health is told until the end. */
static void close_operators(struct worker *worker)
{
    listener_close(worker->operators_listener);
    worker->operators_listener = NULL;
    if (worker->operators.conns.scratch != NULL)
        conn_site_cut(&worker->operators.conns);
}

static void on_documents_closed(void *owner)
{
    struct worker *worker = owner;
    wiring_close(&worker->wiring, on_backends_closed, worker);
}

static void stop(struct worker *worker)
{
    struct documents *documents = worker->shard.documents;
    worker->shard.stopping = true;
    worker->site.is_closed = true;
    close_operators(worker);
    timer_stop(&worker->drain_timer);
    timer_stop(&worker->sample_timer);
    runs_forget_ended(worker->shard.runs, NULL);
    schema_indexing_stop(&worker->schema);
    retention_stop(&worker->retention);
    retention_stop(&worker->events_retention);
    takeover_stop(&worker->takeover);
    schedule_runner_stop(&worker->schedules);
    delivery_runner_stop(&worker->deliveries);
    retire_pin(worker, worker->shard.pin);
    worker->shard.pin = NULL;
    worker->shard.documents = NULL;
    if (documents != NULL)
        documents_close(documents, on_documents_closed, worker);
    else
        on_documents_closed(worker);
}

static void consider_stop(struct loop_task *task)
{
    struct worker *worker = container_of(task, struct worker, settle_task);
    if (worker->site.conns.count == 0 && worker->site.conns.stream_count == 0 &&
        runs_open_count(worker->shard.runs) == 0 &&
        conversations_saving(worker->shard.conversations) == 0 &&
        (worker->event_writers == NULL || event_writers_count(worker->event_writers) == 0))
        stop(worker);
}

static void cut(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain_timer);
    conn_site_cut(&worker->site.conns);
    conversations_abandon(worker->shard.conversations);
    if (worker->event_writers != NULL)
        event_writers_abandon(worker->event_writers);
    settle(worker);
}

static void end_runs(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain_timer);
    runs_cancel_all(worker->shard.runs, "server_shutdown", "the server is stopping; ask again");
    timer_start(&worker->drain_timer, worker->loop, CUT_MS, cut);
}

static void close_doors(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain_timer);
    listener_close(worker->listener);
    worker->listener = NULL;
    conn_site_drain(&worker->site.conns);
    runs_drain(worker->shard.runs);
    timer_start(&worker->drain_timer, worker->loop, worker->shared->group->config->drain_ms,
                end_runs);
    settle(worker);
}

static void drain(struct worker *worker)
{
    if (worker->shard.draining)
        return;
    worker->shard.draining = true;
    worker->admission.draining = true;
    timer_start(&worker->drain_timer, worker->loop, worker->shared->group->config->drain_delay_ms,
                close_doors);
}

/* ---- messages ---- */

static void know(struct worker *worker, struct knowledge_pin *pin)
{
    struct knowledge_pin *old = worker->shard.pin;
    if (worker->shard.stopping) {
        return_pin(worker, pin);
        return;
    }
    worker->shard.pin = pin;
    wiring_know(&worker->wiring, &pin->set->knows);
    if (worker->shard.index == 0)
        schema_indexing_know(&worker->schema, pin);
    retire_pin(worker, old);
}

static void reload(struct worker *worker, const struct worker_message *message)
{
    worker->log.level = message->log_level;
    if (message->book != NULL && !worker->shard.stopping)
        auth_use_book(worker->auth, message->book);
    if (message->tools != NULL && !worker->shard.stopping &&
        wiring_use_tools(&worker->wiring, message->tools) != ERR_OK)
        LOG(&worker->log, ERROR, "tools.kept", "error=\"no memory\"");
}

static void open_message(struct inbox_message *sealed, void *receiver)
{
    struct worker_message *message = container_of(sealed, struct worker_message, message);
    struct worker *worker = receiver;
    switch (message->order) {
    case WORKER_KNOW:
        know(worker, message->pin);
        break;
    case WORKER_RELOAD:
        reload(worker, message);
        break;
    case WORKER_DRAIN:
        drain(worker);
        break;
    }
    auth_book_unref(message->book);
    remote_file_unref(message->tools);
    mem_free(message);
}

enum err_code worker_send(struct worker *worker, const struct worker_message *message)
{
    struct worker_message *copy = mem_alloc(sizeof *copy);
    if (copy == NULL)
        return ERR_NO_MEMORY;
    *copy = *message;
    inbox_send(worker->inbox, &copy->message, open_message);
    return ERR_OK;
}

/* ---- parts ---- */

static struct conversations *make_conversations(struct worker *worker)
{
    const struct conversations_options options = {
        .loop = worker->loop,
        .store = worker->wiring.store,
        .history = worker->wiring.history,
        .turns =
            size_max((size_t)worker->shared->group->config->conversation_messages, LEAST_TURNS),
        .log = &worker->log,
        .owner = worker,
        .on_idle = on_run_ended,
    };
    return conversations_create(&options);
}

/* Whether the record of a run may end: its turn is stored, or lost, or late for long. The next run
 * in the conversation, on any server, then finds the turn; until then a server that takes the run
 * over saves it. */
static bool may_end(void *owner, const struct store_run *run)
{
    struct worker *worker = owner;
    return !conversations_is_saving(worker->shard.conversations, &run->key) &&
           (worker->checkpoint_writers == NULL ||
            !checkpoint_writers_is_writing(worker->checkpoint_writers, run->run_id));
}

static struct event_writers *make_event_writers(struct worker *worker)
{
    const struct config *config = worker->shared->group->config;
    const struct event_writers_options options = {
        .loop = worker->loop,
        .store = worker->wiring.events,
        .instance = str_of(worker->shard.instance.text),
        .lease_ms = config->lease_ms,
        .durability = config_is_async(config)  ? EVENT_WRITERS_ASYNC
                      : config_is_sync(config) ? EVENT_WRITERS_SYNC
                                               : EVENT_WRITERS_EXIT,
        .log = &worker->log,
        .owner = worker,
        .on_idle = on_run_ended,
        .may_end = may_end,
        .on_stop = runs_stop_run,
        .on_lost = runs_lose_run,
        .on_doubt = runs_doubt_run,
    };
    return event_writers_create(&options);
}

static struct checkpoint_writers *make_marks(struct worker *worker)
{
    const struct checkpoint_writers_options options = {
        .loop = worker->loop,
        .store = worker->wiring.events,
        .instance = str_of(worker->shard.instance.text),
        .delay_ms = config_is_async(worker->shared->group->config) ? MARK_MS : 0,
        .log = &worker->log,
    };
    return checkpoint_writers_create(&options);
}

static struct runs *make_runs(struct worker *worker)
{
    const struct shard_group *group = worker->shared->group;
    const struct runs_options options = {
        .loop = worker->loop,
        .config = group->config,
        .worker = worker->shard.index,
        .worker_count = (unsigned)group->count,
        .linger_bytes = LINGER_BYTES / group->count,
        .services = &worker->services,
        .event_writers = worker->event_writers,
        .checkpoint_writers = worker->checkpoint_writers,
        .conversations = worker->shard.conversations,
        .admission = &worker->admission,
        .tracing = worker->observers.tracing,
        .meters = group->meters,
        .metrics = worker->metrics,
        .log = &worker->log,
        .owner = worker,
        .on_idle = on_run_ended,
        .on_unpinned = on_unpinned,
    };
    return runs_create(&options);
}

/* ---- hooks of takeover, and the duties of the first worker ---- */

static bool has_room(void *owner)
{
    const struct worker *worker = owner;
    return worker->shard.pin != NULL && !worker->shard.draining &&
           runs_open_count(worker->shard.runs) < worker->admission.max_runs;
}

static enum err_code revive(void *owner, const struct stored_run *past, uint64_t epoch,
                            struct err *err)
{
    struct worker *worker = owner;
    const struct registry *registry = worker->shared->group->registry;
    const struct store_run *run = past->run;
    const struct runs_revival revival = {.past = past, .is_taken_over = true, .epoch = epoch};
    struct runs_entry *entry;
    int place =
        registry_find_definition(registry, run->graph, run_input_definition(run->input), err);
    if (place < 0)
        return err->code;
    if (worker->shard.pin == NULL)
        return err_set(err, ERR_BUSY, "the server does not know its database yet");
    const struct runs_request request = {
        .graph = registry_graph(registry, (size_t)place),
        .entry = registry_entry(registry, (size_t)place),
        .pin = worker->shard.pin,
        .caller = run->key,
        .message = run_input_message(run->input),
        .revival = &revival,
    };
    return runs_submit(worker->shard.runs, &request, &entry, err);
}

/* Begin to take over runs whose server is gone, and to remove old conversations. */
static void tend_store(struct worker *worker)
{
    const struct config *config = worker->shared->group->config;
    const struct takeover_options takeover = {
        .store = worker->wiring.events,
        .turns = worker->wiring.store,
        .instance = str_of(worker->shard.instance.text),
        .lease_ms = config->lease_ms,
        .conversations = worker->shard.conversations,
        .log = &worker->log,
        .worker = worker->shard.index,
        .worker_count = (unsigned)worker->shared->group->count,
        .owner = worker,
        .revive = config_is_async(config) || config_is_sync(config) ? revive : NULL,
        .has_room = has_room,
    };
    uint64_t age_ms = (uint64_t)(config->conversation_age_hours * HOUR_MS);
    uint64_t every_ms = (uint64_t)(config->conversation_cleanup_hours * HOUR_MS);
    struct store *store = worker->wiring.store, *events = worker->wiring.events;
    if (events != NULL)
        takeover_start(&worker->takeover, &takeover);
    if (events != NULL)
        schedule_runner_start(&worker->schedules, &worker->shard);
    if (events != NULL && config->webhooks[0] != '\0')
        delivery_runner_start(&worker->deliveries, &worker->shard);
    if (worker->shard.index != 0)
        return;
    if (age_ms > 0 && store != NULL)
        retention_start(&worker->retention, store, age_ms, every_ms, &worker->log);
    if (age_ms > 0 && events != NULL && events != store)
        retention_start(&worker->events_retention, events, age_ms, every_ms, &worker->log);
}

/* ---- life ---- */

/* Bytes that the bodies of requests of one worker may take. */
static size_t bodies_bytes(const struct config *config, size_t longest)
{
    uint64_t all = config->memory_bytes == 0 ? BODIES_BYTES : config->memory_bytes / BODIES_SHARE;
    return size_max((size_t)(all / config->workers), 2 * longest);
}

static void fill_site(struct worker *worker, struct exchange_site *site)
{
    const struct config *config = worker->shared->group->config;
    size_t longest = size_max(BODY_BYTES, MESSAGES_OF_BODY * config->max_message_bytes);
    *site = (struct exchange_site){
        .routes = worker->shared->routes,
        .auth = worker->auth,
        .meters = worker->shared->group->meters,
        .metrics = worker->metrics,
        .inbox = worker->inbox,
        .peers = worker->shared->sites,
        .shard = &worker->shard,
        .language = language_wanted(str_of(config->language), LANGUAGE_EN),
        .cors_origins = config->cors_origins,
    };
    site->conns = (struct channel_site){
        .loop = worker->loop,
        .log = &worker->log,
        .inbox = worker->inbox,
        .limits = {.http = {.target_bytes = TARGET_BYTES,
                            .head_bytes = HEAD_BYTES,
                            .body_bytes = size_max(longest, config->document_bytes)},
                   .body_bytes = longest,
                   .header_ms = HEADER_MS,
                   .body_ms = BODY_MS,
                   .file_ms = FILE_MS,
                   .idle_ms = IDLE_MS,
                   .write_ms = WRITE_MS,
                   .high_bytes = HIGH_BYTES,
                   .limit_bytes = HIGH_BYTES + STREAM_LIMIT_BYTES,
                   .bodies_bytes = bodies_bytes(config, longest)},
        .owner = site,
        .on_head = exchange_on_head,
        .on_request = exchange_on_request,
        .on_refused = exchange_on_refused,
        .on_drained = exchange_on_drained,
        .on_gone = exchange_on_gone,
        .on_closed = on_conn_closed,
    };
}

/* Make loop, inbox and connections. False: no memory or no descriptors. */
static bool open_site(struct worker *worker)
{
    worker->loop = loop_create();
    worker->metrics = metrics_create(meters_schema(worker->shared->group->meters));
    if (worker->loop != NULL)
        worker->auth = auth_create(worker->loop, &worker->log, worker->shared->book);
    if (worker->loop != NULL)
        worker->inbox = inbox_create(worker->loop, worker);
    if (worker->inbox == NULL || worker->metrics == NULL || worker->auth == NULL)
        return false;
    fill_site(worker, &worker->site);
    worker->site.conns.is_full = is_full_of_streams;
    return conn_site_open(&worker->site.conns) == ERR_OK;
}

static enum err_code open_backends(struct worker *worker, struct err *err)
{
    const struct config *config = worker->shared->group->config;
    const struct wiring_share share = {.workers = worker->shared->group->count,
                                       .vectors = worker->shared->vectors,
                                       .with_store = true};
    config_limits(config, &worker->limits);
    worker->wired = true;
    if (wiring_open(&worker->wiring, worker->loop, config, &worker->log, &share, err) != ERR_OK)
        return err->code;
    worker->services = wiring_services(&worker->wiring, &worker->limits, &worker->log);
    worker->observers = (struct instrument){.wiring = &worker->wiring,
                                            .meters = worker->shared->group->meters,
                                            .metrics = worker->metrics,
                                            .audit = worker->shared->audit,
                                            .seen = worker->shared->group->seen};
    if (!instrument_open(&worker->observers, &worker->services, &worker->log,
                         str_of(worker->shard.instance.text)))
        return err_set(err, ERR_NO_MEMORY, "no memory for traces");
    worker->schema = (struct schema_indexing){.has = &worker->services,
                                              .url = config->database_url,
                                              .on_unpinned = on_unpinned,
                                              .owner = worker};
    return ERR_OK;
}

static void fill_shard(struct worker *worker, unsigned index)
{
    worker->shard = (struct shard){
        .group = worker->shared->group,
        .index = index,
        .instance = id_random(),
        .loop = worker->loop,
        .inbox = worker->inbox,
        .log = &worker->log,
        .metrics = worker->metrics,
        .wiring = &worker->wiring,
        .services = &worker->services,
    };
    list_init(&worker->shard.listings);
}

/* Make what runs need, and runs. False: no memory. */
static bool open_runs(struct worker *worker)
{
    const struct config *config = worker->shared->group->config;
    bool stored = worker->wiring.events != NULL;
    bool checkpoint_writers = stored && (config_is_async(config) || config_is_sync(config));
    worker->shard.conversations = make_conversations(worker);
    if (stored)
        worker->event_writers = make_event_writers(worker);
    if (checkpoint_writers)
        worker->checkpoint_writers = make_marks(worker);
    if (worker->shard.conversations != NULL &&
        (worker->checkpoint_writers != NULL || !checkpoint_writers) &&
        (worker->event_writers != NULL || !stored))
        worker->shard.runs = make_runs(worker);
    if (worker->wiring.vec != NULL || worker->wiring.text != NULL)
        worker->shard.documents = documents_create(worker->loop, worker->shard.services, config);
    return worker->shard.runs != NULL;
}

/* Every turn's length is counted; the worker's lines of a turn are written together. */
static void on_turn(void *owner)
{
    struct worker *worker = owner;
    meters_observe_ns(worker->shared->group->meters, worker->metrics, METER_LOOP_LAG_SECONDS,
                      loop_turn_ns(worker->loop));
    if (worker->own_sink != NULL)
        log_sink_flush(worker->own_sink);
}

static void gather_log(struct worker *worker)
{
    struct log_sink *whole = worker->shared->log_sink;
    struct log_sink *sink = whole == NULL ? NULL : log_sink_create_gathering(whole);
    if (sink != NULL)
        worker->own_sink = worker->log.sink = sink;
}

struct worker *worker_create(const struct worker_shared *shared, unsigned index, struct err *err)
{
    const struct config *config = shared->group->config;
    struct worker *worker = mem_zalloc(1, sizeof *worker);
    if (worker == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a worker");
        return NULL;
    }
    worker->shared = shared;
    worker->log = (struct log){
        .level = config->log_level, .format = config->log_format, .sink = shared->log_sink};
    if (!open_site(worker))
        goto fail;
    gather_log(worker);
    loop_each_turn(worker->loop, on_turn, worker);
    admission_init(&worker->admission, worker->loop, config);
    fill_shard(worker, index);
    if (open_backends(worker, err) == ERR_OK && open_runs(worker)) {
        tend_store(worker);
        await_sample(worker);
        return worker;
    }
fail:
    if (err->code == ERR_OK)
        err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a worker");
    worker_destroy(worker);
    return NULL;
}

enum err_code worker_listen(struct worker *worker, unsigned port, struct err *err)
{
    const struct config *config = worker->shared->group->config;
    const struct listener_options options = {
        .site = &worker->site.conns,
        .host = config->host,
        .port = port,
        .shared = worker->shared->group->count > 1,
        .backlog = BACKLOG,
        .is_full = is_full,
        .owner = worker,
    };
    worker->listener = listener_open(&options, err);
    return worker->listener == NULL ? err->code : ERR_OK;
}

enum err_code worker_listen_for_operators(struct worker *worker, unsigned port, struct err *err)
{
    const struct listener_options options = {
        .site = &worker->operators.conns,
        .host = worker->shared->group->config->host,
        .port = port,
        .backlog = BACKLOG,
        .is_full = is_full_of_operators,
        .owner = worker,
    };
    fill_site(worker, &worker->operators);
    worker->operators.is_for_operators = true;
    worker->operators.conns.on_closed = on_operator_closed;
    if (conn_site_open(&worker->operators.conns) != ERR_OK)
        return err_set(err, ERR_NO_MEMORY, "no memory for connections of operators");
    worker->operators_listener = listener_open(&options, err);
    return worker->operators_listener == NULL ? err->code : ERR_OK;
}

static void run_thread(void *arg)
{
    struct worker *worker = arg;
    loop_run(worker->loop);
    inbox_send(worker->shared->main_inbox, &worker->message_done, worker->shared->on_done);
}

enum err_code worker_start(struct worker *worker, struct err *err)
{
    uv_thread_t *thread = mem_zalloc(1, sizeof *thread);
    int code = thread == NULL ? UV_ENOMEM : uv_thread_create(thread, run_thread, worker);
    if (code == 0) {
        worker->thread = thread;
        return ERR_OK;
    }
    mem_free(thread);
    return err_set(err, ERR_NO_MEMORY, "cannot start a thread: %s", uv_strerror(code));
}

void worker_join(struct worker *worker)
{
    if (worker->thread == NULL)
        return;
    uv_thread_join(worker->thread);
    mem_free(worker->thread);
    worker->thread = NULL;
}

static void ignore_closed(void *owner)
{
    (void)owner;
}

/* Close, on this thread, a worker that was made but never ran. */
static void close_unstarted(struct worker *worker)
{
    if (worker->shard.stopping || worker->loop == NULL)
        return;
    timer_stop(&worker->sample_timer);
    retention_stop(&worker->retention);
    retention_stop(&worker->events_retention);
    takeover_stop(&worker->takeover);
    schedule_runner_stop(&worker->schedules);
    delivery_runner_stop(&worker->deliveries);
    worker->shard.stopping = true; /* messages that are still in the inbox are returned */
    listener_close(worker->listener);
    worker->site.is_closed = true;
    close_operators(worker);
    if (worker->auth != NULL)
        auth_close(worker->auth, ignore_closed, NULL);
    if (worker->shard.documents != NULL)
        documents_close(worker->shard.documents, ignore_closed, NULL);
    if (worker->wired)
        wiring_close(&worker->wiring, ignore_closed, NULL);
    if (worker->observers.tracing != NULL)
        tracing_close(worker->observers.tracing, ignore_closed, NULL);
    if (worker->inbox != NULL)
        inbox_close(worker->inbox);
    loop_run(worker->loop);
}

void worker_destroy(struct worker *worker)
{
    if (worker == NULL)
        return;
    CHECK(worker->thread == NULL);
    close_unstarted(worker);
    runs_destroy(worker->shard.runs);
    admission_fini(&worker->admission);
    event_writers_destroy(worker->event_writers);
    checkpoint_writers_destroy(worker->checkpoint_writers);
    conversations_destroy(worker->shard.conversations);
    inbox_destroy(worker->inbox);
    conn_site_close(&worker->site.conns);
    if (worker->operators.conns.scratch != NULL)
        conn_site_close(&worker->operators.conns);
    auth_destroy(worker->auth);
    metrics_destroy(worker->metrics);
    loop_destroy(worker->loop);
    log_sink_destroy(worker->own_sink);
    mem_free(worker);
}

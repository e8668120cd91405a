/* SPDX-License-Identifier: MIT */
/* server/worker.c - made on the main thread, run on its own, ended by a letter.
 *
 * Happy path: loop, inbox, backends, runs and listener are made; the thread runs the loop; DRAIN
 * closes the listener and idle connections, waits for the open ones, then closes the backends and
 * the inbox; the loop runs dry and the thread ends with a letter to the office.
 * Failure paths: no memory at creation: undone; streams that outlive the drain: their runs are
 * cancelled with server_shutdown, what is open a while later is cut. */
#include "server/worker.h"

#include <string.h>
#include <uv.h>

#include "core/base/mem.h"
#include "server/exchange.h"
#include "server/observers.h"
#include "server/worker_parts.h"

enum { CUT_MS = 3000, LAG_EVERY_MS = 1000, STREAM_LIMIT_BYTES = 64 * 1024 * 1024 };

/* What one connection may take: nothing here depends on the machine or on who asks. */
enum {
    BACKLOG = 1024,        /* connections the kernel holds until they are accepted: one burst */
    TARGET_BYTES = 8192,   /* of a request's target; nginx's default */
    HEAD_BYTES = 32768,    /* of a request's line and headers together; nginx's default */
    BODY_BYTES = 1048576,  /* of a request's body, at least */
    MESSAGES_OF_BODY = 32, /* longest messages in one body: some clients send the conversation */
    HEADER_MS = 10000,     /* for a request's headers to arrive: slow senders hold no place */
    BODY_MS = 10000,       /* between two pieces of a request's body, for the same reason */
    WRITE_MS = 30000,      /* a reader that takes no byte for so long is gone */
    HIGH_BYTES = 65536     /* unsent bytes at which who writes is held: what a socket takes */
};

static void consider_stop(struct loop_task *task);

static void settle(struct worker *worker)
{
    if (worker->draining && !worker->stopping)
        loop_post(worker->loop, &worker->settle_task, consider_stop);
}

/* ---- hooks ---- */

static void on_conn_closed(void *owner)
{
    struct worker *worker = owner;
    meters_set(worker->crew->meters, worker->metrics, METER_CONNECTIONS,
               (int64_t)worker->site.count);
    settle(worker);
}

static void on_run_ended(void *owner)
{
    settle(owner);
}

static void return_pin(struct worker *worker, struct knowledge_pin *pin)
{
    inbox_send(worker->crew->office, &pin->letter, pin->letter.open);
}

static void on_unpinned(void *owner, struct knowledge_pin *pin)
{
    return_pin(owner, pin);
}

/* NULL is fine. Whoever still holds it returns it later. */
static void retire_pin(struct worker *worker, struct knowledge_pin *pin)
{
    if (pin == NULL)
        return;
    pin->is_old = true;
    if (pin->runs == 0)
        return_pin(worker, pin);
}

static bool is_full(void *owner)
{
    struct worker *worker = owner;
    bool full = admission_is_full(&worker->admission, worker->site.count);
    worker_count(worker, full ? METER_SHED : METER_ACCEPTED, 1);
    meters_set(worker->crew->meters, worker->metrics, METER_CONNECTIONS,
               (int64_t)worker->site.count + !full);
    return full;
}

void worker_count(struct worker *worker, enum meter meter, int64_t amount)
{
    meters_add(worker->crew->meters, worker->metrics, meter, amount);
}

size_t worker_of_run(const struct worker *worker, struct str run_id)
{
    unsigned index;
    return id_run_worker(run_id, &index) ? index : worker->crew->count;
}

size_t worker_of_conversation(const struct worker *worker, struct str conversation_id)
{
    return conversation_id.len == 0 ? worker->index
                                    : str_hash(conversation_id) % worker->crew->count;
}

static void measure_lag(struct timer *timer);

static void await_lag(struct worker *worker)
{
    worker->lag_due_ms = loop_now_ms(worker->loop) + LAG_EVERY_MS;
    timer_start(&worker->lag_timer, worker->loop, LAG_EVERY_MS, measure_lag);
}

static void measure_lag(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, lag_timer);
    uint64_t now_ms = loop_now_ms(worker->loop);
    meters_observe_ms(worker->crew->meters, worker->metrics, METER_LOOP_LAG_SECONDS,
                      now_ms > worker->lag_due_ms ? now_ms - worker->lag_due_ms : 0);
    observers_sample(worker);
    await_lag(worker);
}

/* ---- stopping ---- */

static void on_traces_sent(void *owner)
{
    struct worker *worker = owner;
    inbox_close(worker->inbox);
}

static void on_backends_closed(void *owner)
{
    struct worker *worker = owner;
    struct tracing *tracing = worker->tracing;
    worker->tracing = NULL;
    if (tracing != NULL)
        tracing_close(tracing, on_traces_sent, worker);
    else
        on_traces_sent(worker);
}

static void stop(struct worker *worker)
{
    worker->stopping = true;
    timer_stop(&worker->drain_timer);
    timer_stop(&worker->lag_timer);
    runs_forget_ended(worker->runs, NULL);
    schema_keeping_stop(&worker->schema);
    retention_stop(&worker->retention);
    retention_stop(&worker->events_retention);
    orphans_stop(&worker->orphans);
    retire_pin(worker, worker->pin);
    worker->pin = NULL;
    wiring_close(&worker->wiring, on_backends_closed, worker);
}

static void consider_stop(struct loop_task *task)
{
    struct worker *worker = container_of(task, struct worker, settle_task);
    if (worker->site.count == 0 && runs_open_count(worker->runs) == 0 &&
        conversations_saving(worker->conversations) == 0 &&
        (worker->keepers == NULL || run_keepers_count(worker->keepers) == 0))
        stop(worker);
}

static void cut(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain_timer);
    conn_site_cut(&worker->site);
    conversations_abandon(worker->conversations);
    if (worker->keepers != NULL)
        run_keepers_abandon(worker->keepers);
    settle(worker);
}

static void end_runs(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain_timer);
    runs_cancel_all(worker->runs, "server_shutdown", "the server is stopping; ask again");
    timer_start(&worker->drain_timer, worker->loop, CUT_MS, cut);
}

static void close_doors(struct timer *timer)
{
    struct worker *worker = container_of(timer, struct worker, drain_timer);
    listener_close(worker->listener);
    worker->listener = NULL;
    conn_site_drain(&worker->site);
    runs_drain(worker->runs);
    timer_start(&worker->drain_timer, worker->loop, worker->crew->config->drain_ms, end_runs);
    settle(worker);
}

static void drain(struct worker *worker)
{
    if (worker->draining)
        return;
    worker->draining = true;
    worker->admission.draining = true;
    timer_start(&worker->drain_timer, worker->loop, worker->crew->config->drain_delay_ms,
                close_doors);
}

/* ---- letters ---- */

static void know(struct worker *worker, struct knowledge_pin *pin)
{
    struct knowledge_pin *old = worker->pin;
    if (worker->stopping) {
        return_pin(worker, pin);
        return;
    }
    worker->pin = pin;
    wiring_know(&worker->wiring, &pin->set->knows);
    if (worker->index == 0)
        schema_keeping_know(&worker->schema, pin);
    retire_pin(worker, old);
}

static void reload(struct worker *worker, const struct worker_letter *letter)
{
    struct auth *auth = auth_create(letter->api_keys);
    worker->log.level = letter->log_level;
    if (auth == NULL) {
        LOG(&worker->log, ERROR, "worker.reload", "error=\"no memory for the keys\"");
        return;
    }
    auth_destroy(worker->auth);
    worker->auth = auth;
}

static void arrive(struct worker *worker, struct conn *conn)
{
    if (worker->stopping || worker->site.scratch == NULL)
        conn_discard(conn);
    else if (conn_arrive(conn, &worker->site) != ERR_OK)
        LOG(&worker->log, WARN, "worker.arrival", "error=\"the connection could not be opened\"");
}

static void open_letter(struct letter *sealed, void *receiver)
{
    struct worker_letter *letter = container_of(sealed, struct worker_letter, letter);
    struct worker *worker = receiver;
    switch (letter->order) {
    case WORKER_KNOW:
        know(worker, letter->pin);
        break;
    case WORKER_RELOAD:
        reload(worker, letter);
        break;
    case WORKER_DRAIN:
        drain(worker);
        break;
    case WORKER_ARRIVAL:
        arrive(worker, letter->conn);
        break;
    case WORKER_CANCEL:
        runs_cancel_call(worker->runs, str_of(letter->call), letter->why);
        break;
    }
    mem_free(letter->call);
    mem_free(letter->api_keys);
    mem_free(letter);
}

enum err_code worker_send(struct worker *worker, const struct worker_letter *letter)
{
    struct worker_letter *copy = mem_alloc(sizeof *copy);
    if (copy == NULL)
        return ERR_NO_MEMORY;
    *copy = *letter;
    inbox_send(worker->inbox, &copy->letter, open_letter);
    return ERR_OK;
}

/* Without memory for a letter a run goes on to its end. */
void worker_cancel_call(struct worker *worker, struct str call, const char *why)
{
    for (size_t i = 0; i < worker->crew->count; i++) {
        char *copy = mem_alloc(call.len + 1);
        if (copy == NULL)
            return;
        memcpy(copy, call.at, call.len);
        copy[call.len] = '\0';
        const struct worker_letter letter = {.order = WORKER_CANCEL, .call = copy, .why = why};
        if (worker_send(worker->crew->workers[i], &letter) != ERR_OK)
            mem_free(copy);
    }
}

/* ---- life ---- */

static void fill_site(struct worker *worker)
{
    const struct config *config = worker->crew->config;
    worker->site = (struct conn_site){
        .loop = worker->loop,
        .log = &worker->log,
        .limits = {.http = {.target_bytes = TARGET_BYTES,
                            .head_bytes = HEAD_BYTES,
                            .body_bytes = size_max(BODY_BYTES, MESSAGES_OF_BODY *
                                                                   config->max_message_bytes)},
                   .header_ms = HEADER_MS,
                   .body_ms = BODY_MS,
                   .idle_ms = config->idle_ms,
                   .write_ms = WRITE_MS,
                   .high_bytes = HIGH_BYTES,
                   .limit_bytes = HIGH_BYTES + STREAM_LIMIT_BYTES},
        .owner = worker,
        .on_request = exchange_on_request,
        .on_refused = exchange_on_refused,
        .on_drained = exchange_on_drained,
        .on_gone = exchange_on_gone,
        .on_closed = on_conn_closed,
    };
}

struct worker *worker_create(const struct worker_crew *crew, unsigned index, struct err *err)
{
    const struct config *config = crew->config;
    struct worker *worker = mem_zalloc(1, sizeof *worker);
    if (worker == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a worker");
        return NULL;
    }
    worker->crew = crew;
    worker->index = index;
    worker->log = (struct log){.level = config->log_level, .format = config->log_format};
    census_init(&worker->census);
    worker->loop = loop_create();
    worker->metrics = metrics_create(meters_schema(crew->meters));
    worker->auth = auth_create(config->api_keys);
    if (worker->loop != NULL)
        worker->inbox = inbox_create(worker->loop, worker);
    if (worker->inbox == NULL || worker->metrics == NULL || worker->auth == NULL)
        goto fail;
    fill_site(worker);
    if (conn_site_open(&worker->site) != ERR_OK)
        goto fail;
    config_limits(config, &worker->limits);
    admission_init(&worker->admission, worker->loop, config);
    worker->wired = true;
    const struct wiring_share share = {
        .workers = crew->count, .vectors = crew->vectors, .with_store = true};
    if (wiring_open(&worker->wiring, worker->loop, config, &worker->log, &share, err) != ERR_OK)
        goto fail;
    worker->instance = id_random();
    worker->services = wiring_services(&worker->wiring, &worker->limits, &worker->log);
    if (!observers_open(worker))
        goto fail;
    worker->schema = (struct schema_keeping){.has = &worker->services,
                                             .url = config->database_url,
                                             .on_unpinned = on_unpinned,
                                             .owner = worker};
    worker->conversations = worker_parts_make_conversations(worker, on_run_ended);
    if (worker->wiring.events != NULL)
        worker->keepers = worker_parts_make_keepers(worker, on_run_ended);
    bool marks =
        worker->wiring.events != NULL && (config_is_async(config) || config_is_sync(config));
    if (marks)
        worker->marks = worker_parts_make_marks(worker);
    if (worker->conversations != NULL && (worker->marks != NULL || !marks) &&
        (worker->keepers != NULL || worker->wiring.events == NULL))
        worker->runs = worker_parts_make_runs(worker, on_run_ended, on_unpinned);
    if (worker->runs != NULL) {
        worker_parts_tend_store(worker);
        await_lag(worker);
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
    const struct config *config = worker->crew->config;
    const struct listener_options options = {
        .site = &worker->site,
        .host = config->host,
        .port = port,
        .shared = worker->crew->count > 1,
        .backlog = BACKLOG,
        .is_full = is_full,
        .owner = worker,
    };
    worker->listener = listener_open(&options, err);
    return worker->listener == NULL ? err->code : ERR_OK;
}

static void run_thread(void *arg)
{
    struct worker *worker = arg;
    loop_run(worker->loop);
    inbox_send(worker->crew->office, &worker->letter_done, worker->crew->on_done);
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

/* What was made but never ran is closed on this thread. */
static void close_unstarted(struct worker *worker)
{
    if (worker->stopping || worker->loop == NULL)
        return;
    timer_stop(&worker->lag_timer);
    retention_stop(&worker->retention);
    retention_stop(&worker->events_retention);
    orphans_stop(&worker->orphans);
    worker->stopping = true; /* letters that wait are returned */
    listener_close(worker->listener);
    if (worker->wired)
        wiring_close(&worker->wiring, ignore_closed, NULL);
    if (worker->tracing != NULL)
        tracing_close(worker->tracing, ignore_closed, NULL);
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
    runs_destroy(worker->runs);
    admission_fini(&worker->admission);
    run_keepers_destroy(worker->keepers);
    run_marks_destroy(worker->marks);
    conversations_destroy(worker->conversations);
    inbox_destroy(worker->inbox);
    if (worker->site.scratch != NULL)
        conn_site_close(&worker->site);
    auth_destroy(worker->auth);
    metrics_destroy(worker->metrics);
    loop_destroy(worker->loop);
    mem_free(worker);
}

/* SPDX-License-Identifier: MIT */
/* server/process/worker.h - one worker: a thread with its loop, backends, runs and listener,
 * started and stopped in order.
 *
 *   created -start-> serving -drain-> draining -nothing left-> stopping -loop dry-> done
 * The fields belong to the worker's thread once it runs; other threads send messages. */
#ifndef SERVER_PROCESS_WORKER_H
#define SERVER_PROCESS_WORKER_H

#include "core/loop/timer.h"
#include "server/runs/admission.h"
#include "server/http/exchange.h"
#include "server/http/listener.h"
#include "server/wiring/instrument.h"
#include "server/runs/takeover.h"
#include "server/conversations/retention.h"
#include "server/records/event_writers.h"
#include "server/records/checkpoint_writers.h"
#include "server/wiring/schema_indexing.h"
#include "server/runs/shard.h"
#include "server/schedules/delivery_runner.h"
#include "server/schedules/schedule_runner.h"

struct worker;

/* What all workers share; immutable while they run. */
struct worker_shared {
    const struct shard_group *group;
    struct exchange_site *const *sites; /* one of each worker */
    const struct route_table *routes;
    struct vec_shared *vectors; /* the image of documents; NULL: none */
    struct inbox *main_inbox;   /* the inbox of the main loop */
    struct log_sink *log_sink;
    struct audit_file *audit; /* NULL: none is kept */
    struct auth_book *book; /* of the start */
    void (*on_done)(struct inbox_message *message,
                    void *main_inbox); /* opens message_done (below) on the main loop */
};

struct worker {
    const struct worker_shared *shared;
    struct shard shard;        /* what its requests are answered from */
    struct exchange_site site; /* where requests come from */
    struct listener *listener;
    struct exchange_site operators;      /* where those come from that have a port of their own */
    struct listener *operators_listener; /* NULL: no such port */
    struct metrics *metrics;
    /* private */
    struct loop *loop;
    struct inbox *inbox;
    struct log log;
    struct log_sink *own_sink; /* of log; NULL: it is the server's */
    struct auth *auth;
    struct admission admission;
    struct event_writers *event_writers;
    struct checkpoint_writers *checkpoint_writers; /* NULL: none are written */
    struct retention retention;                    /* the first worker's */
    struct retention events_retention;             /* if runs have a store of their own */
    struct takeover takeover;
    struct schedule_runner schedules;
    struct delivery_runner deliveries;
    struct wiring wiring;
    struct instrument observers;
    struct schema_indexing schema; /* the first worker's */
    struct services services;
    struct limits limits;
    struct inbox_message message_done; /* sent to the main inbox as the last thing */
    struct timer drain_timer, sample_timer;
    struct loop_task settle_task;
    void *thread;
    bool wired;
};

/* Make everything but the thread, on the calling thread. NULL: err says why. */
struct worker *worker_create(const struct worker_shared *shared, unsigned index, struct err *err);
/* Listen on port, which other workers may listen on as well; 0: a free one. Before start. */
MUST_USE enum err_code worker_listen(struct worker *worker, unsigned port, struct err *err);
/* Listen on port for operators as well, outside the limit of connections. Before start. */
MUST_USE enum err_code worker_listen_for_operators(struct worker *worker, unsigned port,
                                                   struct err *err);
MUST_USE enum err_code worker_start(struct worker *worker, struct err *err);
/* After message_done has arrived: wait for the thread to end. */
void worker_join(struct worker *worker);
/* Destroy a worker that was joined, or never started. NULL is fine. */
void worker_destroy(struct worker *worker);

/* Messages to a worker, from any thread. Each is the worker's until it frees it. */
enum worker_order { WORKER_KNOW, WORKER_RELOAD, WORKER_DRAIN };
struct worker_message {
    struct inbox_message message;
    enum worker_order order;
    struct knowledge_pin *pin; /* WORKER_KNOW */
    struct auth_book *book;    /* WORKER_RELOAD: a reference, adopted; NULL: as it was */
    struct remote_file *tools; /* likewise */
    enum log_level log_level;
};
/* Send the worker a copy of message. ERR_NO_MEMORY. */
MUST_USE enum err_code worker_send(struct worker *worker, const struct worker_message *message);

#endif

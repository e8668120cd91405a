/* SPDX-License-Identifier: MIT */
/* server/wiring/wiring.h - configuration -> one loop's backends: model, embeddings, database,
 * history, clock.
 *
 * One per worker, and one for `askd ask`. Opened and closed whole; one loop, one thread. */
#ifndef SERVER_WIRING_WIRING_H
#define SERVER_WIRING_WIRING_H

#include "agents/services/services.h"
#include "backends/http/http_client.h"
#include "server/config/config.h"

struct vec_shared;

struct wiring {
    struct loop *loop;
    struct http_client *client;
    struct llm *llm;
    struct llm *offline; /* the offline engine: llm itself, or its fallback; else NULL */
    struct embed *embed;
    struct sql *sql;
    struct vec *vec;       /* NULL: none configured */
    struct text *text;     /* NULL: none configured */
    struct rerank *rerank; /* NULL: none configured */
    struct remote *remote; /* tools outside; NULL: none configured */
    struct history *history;
    struct store *store;  /* of conversations; NULL: none */
    struct store *events; /* of runs, often the same one; NULL: none */
    struct services_kept kept;
    const struct config *config;
    /* private */
    void (*on_closed)(void *owner);
    void *owner;
    unsigned closing;
    struct loop_task closed_task;
};

struct wiring_share {           /* what the wirings of one process have in common */
    size_t workers;             /* how many share the history's limit */
    struct vec_shared *vectors; /* NULL: this wiring has its own, or there are none */
    bool with_store;            /* open the stores of conversations and runs */
};

/* Open all backends. config and log are borrowed until closed. ERR_NO_MEMORY, ERR_INVALID; whatever
 * is open then, wiring_close closes. */
MUST_USE enum err_code wiring_open(struct wiring *wiring, struct loop *loop,
                                   const struct config *config, const struct log *log,
                                   const struct wiring_share *share, struct err *err);
/* Open the database only, for loading knowledge. */
MUST_USE enum err_code wiring_open_sql(struct wiring *wiring, struct loop *loop,
                                       const struct config *config, struct err *err);
/* Close what is open, then call on_closed(owner), once, later. */
void wiring_close(struct wiring *wiring, void (*on_closed)(void *owner), void *owner);

/* The services that agents get from wiring. limits and log are borrowed. */
struct services wiring_services(struct wiring *wiring, const struct limits *limits,
                                const struct log *log);
/* There is new knowledge: caches that were made with the old one are emptied, and the offline
 * engine, where there is one, is told what to answer from. */
void wiring_know(struct wiring *wiring, const struct knowledge *knows);
/* Use the tools outside of file from now on; calls that are under way end as they would have. */
MUST_USE enum err_code wiring_use_tools(struct wiring *wiring, struct remote_file *file);
/* Whether no question about data can be answered: the model is the offline engine, and knows has no
 * database. Runs of graphs that do not work blind then end with database_unavailable and
 * knows.catalog_err. */
bool wiring_is_blind(const struct wiring *wiring, const struct knowledge *knows);

#endif

/* SPDX-License-Identifier: MIT */
/* server/process/server.h - all workers, what they know together, and the order of start, reload
 * and stop.
 *
 * Runs on one thread, the main one; workers have their own. Reads what is known before it listens,
 * and again on reload and while the database cannot be read. */
#ifndef SERVER_PROCESS_SERVER_H
#define SERVER_PROCESS_SERVER_H

#include "server/config/config.h"

struct server;

struct server_options {
    struct config *config; /* adopted */
    /* Reads the configuration again on reload: a new struct config, or NULL after it logged why.
     * May be NULL. */
    struct config *(*reload)(void *owner);
    void *owner;
    bool with_signals; /* SIGTERM and SIGINT stop, a second one at once; SIGHUP reloads */
    uint64_t
        start_ms; /* doors stay shut so long at most while the database is first read; 0: 1 s */
};

/* Make everything and bind. NULL: err says why (ERR_INVALID: the configuration). config is gone
 * either way. */
struct server *server_create(const struct server_options *options, struct err *err);
/* Serve until stopped; then everything is closed. ERR_OK, or why it could not start. */
MUST_USE enum err_code server_run(struct server *server, struct err *err);
/* After run, or instead of it. */
void server_destroy(struct server *server);

/* Any thread, while it runs. */
void server_ask_stop(struct server *server);
void server_ask_reload(struct server *server);

unsigned server_port(const struct server *server);
/* One line for people: address, model, database. */
void server_describe(const struct server *server, struct buf *out);

#endif

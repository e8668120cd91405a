/* SPDX-License-Identifier: MIT */
/* server/process/server.h - the whole server: all workers, the knowledge they share, and the order
 * of start, reload and stop.
 *
 * It runs on the main thread; workers have their own. Knowledge is loaded before the server
 * listens, again on reload, and again and again while the database cannot be read. */
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
    bool with_signals; /* SIGTERM, SIGINT stop it, a second one at once; SIGHUP reloads */
    uint64_t start_ms; /* to wait for the database before listening, at most; 0: 1 s */
};

/* Make everything and bind. NULL: err says why (ERR_INVALID: the configuration). In both cases
 * config is adopted. */
struct server *server_create(const struct server_options *options, struct err *err);
/* Serve until stopped; then everything is closed. ERR_OK, or why it could not start. */
MUST_USE enum err_code server_run(struct server *server, struct err *err);
/* Destroy a server whose server_run has returned, or was never called. */
void server_destroy(struct server *server);

/* Stop, and reload; from any thread, while the server runs. */
void server_ask_stop(struct server *server);
void server_ask_reload(struct server *server);

unsigned server_port(const struct server *server);
/* One line for people: address, model, database. */
void server_describe(const struct server *server, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_conn.h - one connection to Redis, and commands on it as operations.
 *
 * Connects when a command wants it, and again after a cut, with a jittered, doubling pause;
 * commands of one turn leave in one write and are answered in order. A command that was sent when
 * the connection is cut ends with ERR_UNAVAILABLE, and nobody knows whether it was done: it is
 * never sent twice. One that was not sent waits for the next attempt to connect, and ends with what
 * that says if it fails. A command that was given up (deadline, cancel) after it was sent is done
 * all the same, and its answer dropped. When a deadline passes and nothing at all was heard since
 * the command was sent, the server is taken for stuck and the connection is cut. Not for commands
 * that wait or get more than one answer (BLPOP, SUBSCRIBE to what somebody publishes). One loop,
 * one thread. */
#ifndef BACKENDS_REDIS_REDIS_CONN_H
#define BACKENDS_REDIS_REDIS_CONN_H

#include "backends/redis/redis_reply.h"
#include "backends/redis/redis_url.h"
#include "core/loop/op.h"
#include "core/loop/timer.h"

struct redis_conn;
struct redis_conn_slot;

struct redis_script { /* Lua that the server keeps by its hash */
    struct str text;  /* borrowed */
    char sha[41];
};

struct redis_conn_options {
    const struct redis_url *url; /* borrowed until closed */
    uint64_t connect_ms;         /* name, socket, login, all addresses together. 0: 2,000 */
    uint64_t retry_ms;           /* the first pause is 0 to this long. 0: 50; it doubles to 2 s */
    size_t queue_limit;          /* commands not yet answered; more get ERR_BUSY. 0: 4,096 */
    size_t queue_bytes;          /* of those commands. 0: 32 MiB */
    size_t reply_bytes;          /* of one answer, as on the wire. 0: 16 MiB */
    void (*on_cut)(void *user);  /* it was up; from inside, so without calling. NULL: nobody asks */
    void *user;
};

struct redis_request {
    const struct redis_script *script; /* NULL: args[0] is the command */
    const struct str *args;            /* copied; of a script: the keys, then the rest */
    size_t arg_count, key_count;
    uint64_t deadline_ms; /* the connecting and waiting included. 0: 2,000 */
};

struct redis_command {
    struct op op;             /* "redis.command" */
    struct redis_reply reply; /* after ERR_OK, until released; never a refusal at the top */
    /* private */
    struct redis_conn *conn;
    struct redis_conn_slot *slot; /* NULL: not in the queue */
    struct timer timer;
    struct arena arena; /* of reply */
    uint64_t deadline_ms;
};

/* Make script of text, which is kept. */
void redis_script_init(struct redis_script *script, struct str text);

/* NULL: no memory. Connects nothing yet. */
struct redis_conn *redis_conn_create(struct loop *loop, const struct redis_conn_options *options);
/* End all commands with ERR_CANCELLED, drop the connection, free, then call on_closed(owner) once,
 * later. */
void redis_conn_close(struct redis_conn *conn, void (*on_closed)(void *owner), void *owner);

/* Send a command and await its answer. A script goes by its hash; a server that does not know it
 * gets the text, then after what was sent meanwhile.
 * ERR_UNAVAILABLE: not connected or cut, or the server is not ready; ERR_DENIED: it wants another
 * login; ERR_TIMEOUT; ERR_BUSY: the queue is full, or the server is out of memory; ERR_TOO_LARGE:
 * the answer is over its limit; ERR_PROTOCOL; ERR_INVALID: the command is refused, text says why.
 */
void redis_command_start(struct redis_command *command, struct redis_conn *conn,
                         const struct redis_request *request, struct op_waiter waiter);

/* Last known: ERR_OK, or why it could not be reached, with err. No I/O. */
enum err_code redis_conn_ready(const struct redis_conn *conn, struct err *err);

struct redis_conn_counts { /* for metrics and tests */
    size_t waiting, sent;  /* commands; sent: those given up, too */
    uint64_t connects, cuts;
};
struct redis_conn_counts redis_conn_count(const struct redis_conn *conn);

#endif

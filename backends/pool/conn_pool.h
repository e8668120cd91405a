/* SPDX-License-Identifier: MIT */
/* backends/pool/conn_pool.h - connections to one database on one loop: who waits, who holds, who is
 * idle.
 *
 * Opens what is asked for, up to size + overflow; keeps at most size of them idle; gives an idle
 * one out only after a check (pre-ping) when it was idle longer than check_after_ms; closes one
 * that is older than recycle_ms when it comes back. Waiters are served in the order of core/fair:
 * companies take turns, then users. A caller with a name who has half of the connections, or more,
 * gets another only while one more is left for others; one who has held a connection for longer
 * than POOL_SLOW_MS has an eighth of them at most, and two at least, until it is given back; one
 * whose statement was late within the last minute has one connection at a time. Knows nothing of
 * the wire: a conn_kind opens, checks and closes, and tells the pool. One loop, one thread.
 *
 *   opening -opened-> idle -lease-> (checking) -> leased -end-> idle
 *      any of them -lost or closed-> closing -> gone
 */
#ifndef BACKENDS_POOL_CONN_POOL_H
#define BACKENDS_POOL_CONN_POOL_H

#include "core/loop/fair.h"
#include "core/loop/op.h"
#include "core/loop/timer.h"

struct conn_pool;

enum { POOL_SLOW_MS = 100 };

enum pool_conn_state {
    POOL_CONN_OPENING,
    POOL_CONN_IDLE,
    POOL_CONN_CHECKING,
    POOL_CONN_LEASED,
    POOL_CONN_CLOSING,
    POOL_CONN_STATES
};

struct pool_conn { /* first member of a kind's connection, zeroed by its open, filled by the pool */
    struct list link;
    struct conn_pool *pool;
    enum pool_conn_state state;
    uint64_t opened_ms, idle_since_ms;
    struct conn_lease *lease; /* who holds it or waits for its check; NULL: taken while idle */
    bool doubted;             /* another was lost since this one was used: to be checked */
    bool is_lost;             /* while leased: never given out again */
};

/* What a kind of connection can do, all on the loop. No function calls the pool back from inside
 * unless its comment says so; each may be called from inside the functions by which a kind tells
 * the pool (conn_pool_opened, conn_pool_checked, conn_pool_lost, conn_pool_gone). */
struct conn_kind {
    const char *name; /* "postgresql": in messages */
    /* Allocate a connection and begin to connect; conn_pool_opened or conn_pool_lost follows,
     * later. NULL: no memory. */
    struct pool_conn *(*open)(void *owner);
    /* Ask whether the connection is alive; conn_pool_checked or conn_pool_lost follows, later. */
    void (*check)(struct pool_conn *conn);
    /* Drop the socket whatever state it is in and free conn; conn_pool_gone follows, later or from
     * inside. */
    void (*close)(struct pool_conn *conn);
};

struct conn_pool_options {
    size_t size, overflow;   /* kept idle at most; opened beyond that. 0, 0: 5 + 10 (R193) */
    size_t queue_limit;      /* waiters; more end with ERR_BUSY. 0: 256 */
    uint64_t recycle_ms;     /* 0: 3,600,000 (R193) */
    uint64_t check_after_ms; /* idle longer: checked before it is given out. 0: 1,000 */
    uint64_t retry_ms; /* after a failed open, no new attempt sooner (it doubles, to 16 times);
                          waiters of that time get the failure at once, unless some connection is
                          still in use and may come back to them. 0: 100 */
    /* An idle connection was lost; from inside, so without calling the pool. NULL: nobody asks. */
    void (*on_idle_lost)(void *user);
    void *user;
};

struct conn_lease {
    struct op op;           /* "conn.lease"; release gives the connection back */
    struct pool_conn *conn; /* valid after done with ERR_OK, until conn_lease_end */
    struct identity caller; /* who wants it: set before start, borrowed until it returns */
    /* private */
    struct conn_pool *pool;
    struct list link;
    struct fair_place place; /* inside while it holds a connection, when the caller has a name */
    struct timer timer;      /* until when it waits; then when it becomes slow */
    bool is_named, was_late, is_slow;
};

/* owner is the kind's (borrowed until closed). NULL: no memory. Opens nothing yet. */
struct conn_pool *conn_pool_create(struct loop *loop, const struct conn_kind *kind, void *owner,
                                   const struct conn_pool_options *options);
/* End waiters with ERR_CANCELLED, close what is idle now and what is leased when it comes back,
 * free, then call on_closed(owner) once, later. */
void conn_pool_close(struct conn_pool *pool, void (*on_closed)(void *owner), void *owner);

/* Get a connection, waiting at most wait_ms (opening included). lease is zeroed before its first
 * start. ERR_BUSY: the queue is full, all connections were in use all the time, or the caller's
 * statements were late too often; ERR_UNAVAILABLE: the database cannot be reached (text says why),
 * ERR_DENIED: it refuses the login; ERR_CANCELLED; ERR_NO_MEMORY. */
void conn_lease_start(struct conn_lease *lease, struct conn_pool *pool, uint64_t wait_ms,
                      struct op_waiter waiter);
/* A statement of caller ran into its deadline. After several within a minute the leases of that
 * caller, and of no other, end with ERR_BUSY for a while (backends/pool/strikes.h). */
void conn_pool_note_late(struct conn_pool *pool, const struct identity *caller);
/* Give the connection back; usable false closes it. Idempotent; fine on a lease that never got a
 * connection. */
void conn_lease_end(struct conn_lease *lease, bool usable);

/* What a kind tells the pool, in any state of the connection; what comes too late is ignored. err
 * of conn_pool_lost: why, as the next waiter should read it; a lost connection that is leased stays
 * with its holder, whose query fails by its own doing, until conn_lease_end; any other is closed
 * from inside, so the kind touches it no more. After a loss the idle ones are checked before they
 * are given out again: a database that restarted took them all. */
void conn_pool_opened(struct pool_conn *conn);
void conn_pool_checked(struct pool_conn *conn);
void conn_pool_lost(struct pool_conn *conn, const struct err *err);
void conn_pool_gone(struct conn_pool *pool);

/* An idle connection right now, taken without a check, or NULL: for cancelling what runs on
 * another. Given back with conn_pool_put. */
struct pool_conn *conn_pool_take_idle(struct conn_pool *pool);
void conn_pool_put(struct pool_conn *conn, bool usable);

/* Last known: ERR_OK, or why it could not be reached, with err. No I/O. */
enum err_code conn_pool_ready(const struct conn_pool *pool, struct err *err);

struct conn_pool_counts { /* for metrics and tests; leased: those being checked, too */
    size_t opening, idle, leased, closing, waiting;
};
struct conn_pool_counts conn_pool_count(const struct conn_pool *pool);

#endif

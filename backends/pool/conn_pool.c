/* SPDX-License-Identifier: MIT */
/* backends/pool/conn_pool.c - one list per state of a connection, one queue of waiters.
 *
 * Happy path: a lease takes the idle connection used last, or queues and has one opened; the
 * connection that opens or comes back goes to the first in the queue; without a queue it idles.
 * Failure paths:
 *   queue full                        ERR_BUSY at once
 *   wait_ms passed                    ERR_BUSY when all were in use, else ERR_UNAVAILABLE; the
 *                                     connection that did not answer its check is closed
 *   cancelled while waiting           leaves the queue; what was being opened idles when it comes,
 *                                     what was being checked is closed
 *   lost while idle or checked        closed; whose it was to be goes to the front of the queue
 *   lost while leased                 closed by conn_lease_end; the idle ones are doubted
 *   failed to open                    backoff; waiters fail when nothing else may come to them,
 *                                     else they wait on and a timer tries again
 *   closing                           waiters end, the leased are closed as they come back
 * serve() is the only place that gives connections out and opens them. */
#include "backends/pool/conn_pool.h"

#include <inttypes.h>

#include "backends/pool/strikes.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { DEFAULT_SIZE = 5, DEFAULT_OVERFLOW = 10, DEFAULT_QUEUE = 256 };
enum { DEFAULT_RECYCLE_MS = 3600000, DEFAULT_CHECK_MS = 1000, DEFAULT_RETRY_MS = 100 };
enum { MOST_DOUBLINGS = 4 };
enum { SLOW_SHARE = 8, LEAST_SLOW = 2 };

struct conn_pool {
    struct loop *loop;
    const struct conn_kind *kind;
    void *owner;
    struct conn_pool_options options;
    struct list conns[POOL_CONN_STATES];
    size_t counts[POOL_CONN_STATES];
    struct fair line;  /* of waiters */
    struct list front; /* waiters whose connection failed its check: before the line */
    size_t waiting;    /* in both */
    struct strikes strikes;
    struct err failure; /* of the last attempt to open; ERR_OK: it went well */
    unsigned failures;  /* in a row, attempts made at once counted once */
    uint64_t retry_at_ms;
    struct timer retry_timer;
    struct loop_task serve_task;
    struct closing closing; /* out: connections */
};

/* ---- states ---- */

#define TO(state) (1U << POOL_CONN_##state)

static const unsigned may_become[POOL_CONN_STATES] = {
    [POOL_CONN_OPENING] = TO(IDLE) | TO(CLOSING),
    [POOL_CONN_IDLE] = TO(CHECKING) | TO(LEASED) | TO(CLOSING),
    [POOL_CONN_CHECKING] = TO(IDLE) | TO(LEASED) | TO(CLOSING),
    [POOL_CONN_LEASED] = TO(IDLE) | TO(CLOSING),
};

static void enter(struct pool_conn *conn, enum pool_conn_state state)
{
    struct conn_pool *pool = conn->pool;
    conn->state = state;
    pool->counts[state]++;
    list_push_front(&pool->conns[state], &conn->link);
}

/* The only writer of state. Closing: the connection may be gone on return. */
static void set_state(struct pool_conn *conn, enum pool_conn_state next)
{
    struct conn_pool *pool = conn->pool;
    CHECK(may_become[conn->state] & (1U << next));
    pool->counts[conn->state]--;
    list_remove(&conn->link);
    if (next == POOL_CONN_CLOSING) {
        conn->state = next;
        pool->counts[next]++;
        pool->kind->close(conn);
        return;
    }
    enter(conn, next);
    if (next == POOL_CONN_IDLE)
        conn->idle_since_ms = loop_now_ms(pool->loop);
}

static size_t count_all(const struct conn_pool *pool)
{
    size_t all = 0;
    for (size_t i = 0; i < POOL_CONN_STATES; i++)
        all += pool->counts[i];
    return all;
}

static size_t capacity(const struct conn_pool *pool)
{
    return pool->options.size + pool->options.overflow;
}

static size_t count_in_use(const struct conn_pool *pool)
{
    return pool->counts[POOL_CONN_LEASED] + pool->counts[POOL_CONN_CHECKING];
}

static bool is_old(const struct conn_pool *pool, const struct pool_conn *conn)
{
    return loop_now_ms(pool->loop) - conn->opened_ms >= pool->options.recycle_ms;
}

static struct pool_conn *first_of(const struct list *list)
{
    return list_is_empty(list) ? NULL : list_item(list->next, struct pool_conn, link);
}

/* ---- leases ---- */

/* Out of the queue; when it is served its company pays for its turn, and a caller with a name has
 * one more place until the lease ends. All without a name would share the places of one. */
static void leave_queue(struct conn_lease *lease, bool served)
{
    struct conn_pool *pool = lease->pool;
    bool in_line = fair_state(&lease->place) == FAIR_WAITING;
    pool->waiting -= in_line || list_is_linked(&lease->link);
    if (in_line && served)
        fair_enter(&pool->line, &lease->place);
    if (!served || !lease->is_named)
        fair_leave(&pool->line, &lease->place);
    list_remove(&lease->link);
}

/* The one way a lease ends: out of queue and timer first. */
static void finish_lease(struct conn_lease *lease, const struct err *err)
{
    timer_stop(&lease->timer);
    leave_queue(lease, err->code == ERR_OK);
    op_finish_err(&lease->op, err);
}

static void fail_lease(struct conn_lease *lease, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s: %s", lease->pool->kind->name, text);
    finish_lease(lease, &err);
}

/* Whether a lease of the same user holds a connection for long. */
static bool has_slow(const struct conn_lease *lease)
{
    LIST_EACH(link, &lease->pool->conns[POOL_CONN_LEASED]) {
        const struct conn_lease *held = list_item(link, struct pool_conn, link)->lease;
        if (held != NULL && held->is_slow && fair_is_same_user(&held->place, &lease->place))
            return true;
    }
    return false;
}

static void on_slow(struct timer *timer)
{
    struct conn_lease *lease = container_of(timer, struct conn_lease, timer);
    const size_t share = size_max(capacity(lease->pool) / SLOW_SHARE, LEAST_SLOW);
    lease->is_slow = true;
    fair_limit_user(&lease->place, lease->was_late ? 1 : share);
}

/* Who was quick, and has nothing slow besides, has no share of slow ones to keep to. */
static void leave_inside(struct conn_lease *lease)
{
    timer_stop(&lease->timer);
    if (fair_state(&lease->place) == FAIR_INSIDE && !has_slow(lease))
        fair_limit_user(&lease->place, lease->was_late ? 1 : 0);
    fair_leave(&lease->pool->line, &lease->place);
}

static void give(struct conn_lease *lease, struct pool_conn *conn)
{
    conn->lease = lease;
    lease->conn = conn;
    set_state(conn, POOL_CONN_LEASED);
    finish_lease(lease, &(struct err){0});
    if (fair_state(&lease->place) == FAIR_INSIDE)
        timer_start(&lease->timer, lease->pool->loop, POOL_SLOW_MS, on_slow);
}

static void check(struct conn_lease *lease, struct pool_conn *conn)
{
    leave_queue(lease, true);
    conn->lease = lease;
    lease->conn = conn;
    set_state(conn, POOL_CONN_CHECKING);
    lease->pool->kind->check(conn);
}

/* Take the lease from a connection that is being checked; NULL: it is in another state. */
static struct conn_lease *take_lease(struct pool_conn *conn)
{
    struct conn_lease *lease = conn->lease;
    conn->lease = NULL;
    if (lease != NULL)
        lease->conn = NULL;
    return lease;
}

static void wait_in_front(struct conn_lease *lease)
{
    list_push_front(&lease->pool->front, &lease->link);
    lease->pool->waiting++;
}

static struct conn_lease *lease_of(struct fair_place *place)
{
    return place == NULL ? NULL : container_of(place, struct conn_lease, place);
}

/* One that waits, whether or not it may have a connection now; there is one. */
static struct conn_lease *any_waiter(struct conn_pool *pool)
{
    struct fair_place *place = NULL;
    if (!list_is_empty(&pool->front))
        return list_item(pool->front.next, struct conn_lease, link);
    CHECK(fair_order(&pool->line, &place, 1) == 1);
    return lease_of(place);
}

/* ---- serving the queue ---- */

/* Who may have a connection now; NULL: nobody. The last free one is for those who have few. */
static struct conn_lease *next_waiter(struct conn_pool *pool)
{
    size_t spare = pool->counts[POOL_CONN_IDLE] + capacity(pool) - count_all(pool);
    if (!list_is_empty(&pool->front))
        return list_item(pool->front.next, struct conn_lease, link);
    return lease_of(spare > 1 ? fair_next(&pool->line)
                              : fair_next_below(&pool->line, size_max(capacity(pool) / 2, 1)));
}

static void serve(struct conn_pool *pool);

static void on_retry(struct timer *timer)
{
    serve(container_of(timer, struct conn_pool, retry_timer));
}

static bool is_backing_off(const struct conn_pool *pool)
{
    return pool->failures > 0 && loop_now_ms(pool->loop) < pool->retry_at_ms;
}

static void note_failure(struct conn_pool *pool, const struct err *err)
{
    pool->failure = *err;
    if (is_backing_off(pool)) /* begun before the failure that is already counted */
        return;
    unsigned doublings = pool->failures < MOST_DOUBLINGS ? pool->failures : MOST_DOUBLINGS;
    pool->retry_at_ms = loop_now_ms(pool->loop) + (pool->options.retry_ms << doublings);
    pool->failures++;
}

static void serve_idle(struct conn_pool *pool)
{
    struct pool_conn *conn;
    struct conn_lease *lease;
    while (pool->waiting > 0 && (conn = first_of(&pool->conns[POOL_CONN_IDLE])) != NULL &&
           (lease = next_waiter(pool)) != NULL) {
        uint64_t idle_ms = loop_now_ms(pool->loop) - conn->idle_since_ms;
        if (is_old(pool, conn))
            set_state(conn, POOL_CONN_CLOSING);
        else if (conn->doubted || idle_ms > pool->options.check_after_ms)
            check(lease, conn);
        else
            give(lease, conn);
    }
}

static void open_more(struct conn_pool *pool)
{
    if (pool->waiting == 0 || pool->counts[POOL_CONN_IDLE] > 0) /* nobody who waits may have one */
        return;
    const size_t in_front = pool->waiting - fair_count(&pool->line).waiting;
    const size_t wanted = in_front + fair_ready(&pool->line);
    while (pool->counts[POOL_CONN_OPENING] < wanted && count_all(pool) < capacity(pool) &&
           !is_backing_off(pool)) {
        struct pool_conn *conn = pool->kind->open(pool->owner);
        if (conn == NULL) {
            struct err err;
            err_set(&err, ERR_NO_MEMORY, "%s: no memory for a connection", pool->kind->name);
            note_failure(pool, &err);
            return;
        }
        conn->pool = pool;
        closing_enter(&pool->closing);
        enter(conn, POOL_CONN_OPENING);
    }
}

static void serve(struct conn_pool *pool)
{
    serve_idle(pool);
    open_more(pool);
    if (pool->waiting == 0 || !is_backing_off(pool) || pool->counts[POOL_CONN_OPENING] > 0) {
        timer_stop(&pool->retry_timer);
    } else if (count_in_use(pool) > 0) {
        timer_start(&pool->retry_timer, pool->loop, pool->retry_at_ms - loop_now_ms(pool->loop),
                    on_retry);
    } else {
        timer_stop(&pool->retry_timer);
        while (pool->waiting > 0)
            finish_lease(any_waiter(pool), &pool->failure);
    }
}

/* A connection that nobody holds any more: kept, or closed; then the next is served. */
static void settle(struct pool_conn *conn, bool usable)
{
    struct conn_pool *pool = conn->pool;
    conn->lease = NULL;
    if (!usable || conn->is_lost || closing_is_begun(&pool->closing) || is_old(pool, conn) ||
        (pool->waiting == 0 && pool->counts[POOL_CONN_IDLE] >= pool->options.size))
        set_state(conn, POOL_CONN_CLOSING);
    else
        set_state(conn, POOL_CONN_IDLE);
    serve(pool);
}

/* ---- the operation ---- */

static void on_waited(struct timer *timer)
{
    struct conn_lease *lease = container_of(timer, struct conn_lease, timer);
    struct conn_pool *pool = lease->pool;
    struct pool_conn *checked = lease->conn;
    bool share_used = pool->counts[POOL_CONN_IDLE] > 0; /* what is idle is for other callers */
    bool all_used = checked == NULL && (share_used || count_in_use(pool) == capacity(pool));
    if (checked != NULL)
        take_lease(checked);
    if (all_used)
        fail_lease(lease, ERR_BUSY,
                   share_used ? "other statements of the same caller had its share all the time"
                              : "all connections were in use all the time");
    else if (pool->failure.code != ERR_OK)
        finish_lease(lease, &pool->failure);
    else
        fail_lease(lease, ERR_UNAVAILABLE, "the database did not answer in time");
    if (checked != NULL)
        settle(checked, false);
}

static void cancel_lease(struct op *op)
{
    struct conn_lease *lease = container_of(op, struct conn_lease, op);
    struct pool_conn *checked = lease->conn;
    if (checked != NULL)
        take_lease(checked);
    fail_lease(lease, ERR_CANCELLED, "the wait for a connection was cancelled");
    if (checked != NULL) /* nobody's deadline would watch its check any more */
        settle(checked, false);
}

static void release_lease(struct op *op)
{
    conn_lease_end(container_of(op, struct conn_lease, op), true);
}

static const struct op_kind lease_kind = {
    .name = "conn.lease", .cancel = cancel_lease, .release = release_lease};

static void fail_late(struct conn_lease *lease, uint64_t wait_ms)
{
    struct err err;
    err_set(&err, ERR_BUSY,
            "%s: statements of this caller ran into their deadline again and again; try again in "
            "%" PRIu64 " seconds, and ask for less",
            lease->pool->kind->name, wait_ms / 1000 + 1);
    finish_lease(lease, &err);
}

void conn_pool_note_late(struct conn_pool *pool, const struct identity *caller)
{
    strikes_add(&pool->strikes, caller, loop_now_ms(pool->loop));
}

void conn_lease_start(struct conn_lease *lease, struct conn_pool *pool, uint64_t wait_ms,
                      struct op_waiter waiter)
{
    op_begin(&lease->op, &lease_kind, pool->loop, waiter);
    lease->pool = pool;
    lease->conn = NULL;
    lease->is_slow = false;
    lease->is_named = lease->caller.company_id.len > 0 || lease->caller.user_id.len > 0;
    bool may_be_served = pool->waiting == 0 && pool->counts[POOL_CONN_IDLE] > 0;
    uint64_t late_ms = strikes_wait_ms(&pool->strikes, &lease->caller, loop_now_ms(pool->loop));
    if (closing_is_begun(&pool->closing)) {
        fail_lease(lease, ERR_CANCELLED, "the database is being closed");
    } else if (late_ms > 0) {
        fail_late(lease, late_ms);
    } else if (pool->waiting >= pool->options.queue_limit && !may_be_served) {
        fail_lease(lease, ERR_BUSY, "too many are waiting for a connection");
    } else if (!fair_wait(&pool->line, &lease->place, &lease->caller, 0)) {
        fail_lease(lease, ERR_NO_MEMORY, "no memory to wait for a connection");
    } else {
        lease->was_late = strikes_was_late(&pool->strikes, &lease->caller, loop_now_ms(pool->loop));
        if (lease->was_late)
            fair_limit_user(&lease->place, 1);
        pool->waiting++;
        timer_start(&lease->timer, pool->loop, wait_ms, on_waited);
        serve(pool);
    }
}

void conn_lease_end(struct conn_lease *lease, bool usable)
{
    CHECK(!op_is_pending(&lease->op));
    struct pool_conn *conn = lease->conn;
    lease->conn = NULL;
    if (conn == NULL)
        return;
    leave_inside(lease);
    settle(conn, usable);
}

/* ---- what kinds tell ---- */

void conn_pool_opened(struct pool_conn *conn)
{
    struct conn_pool *pool = conn->pool;
    if (conn->state != POOL_CONN_OPENING)
        return;
    pool->failures = 0;
    pool->failure = (struct err){0};
    conn->opened_ms = loop_now_ms(pool->loop);
    settle(conn, true);
}

void conn_pool_checked(struct pool_conn *conn)
{
    if (conn->state != POOL_CONN_CHECKING)
        return;
    conn->doubted = false;
    give(conn->lease, conn);
}

static void doubt_idle(struct conn_pool *pool)
{
    LIST_EACH(link, &pool->conns[POOL_CONN_IDLE])
        list_item(link, struct pool_conn, link)->doubted = true;
}

void conn_pool_lost(struct pool_conn *conn, const struct err *err)
{
    struct conn_pool *pool = conn->pool;
    switch (conn->state) {
    case POOL_CONN_LEASED:
        conn->is_lost = true;
        doubt_idle(pool);
        return;
    case POOL_CONN_CLOSING:
        return;
    case POOL_CONN_OPENING:
        note_failure(pool, err);
        break;
    case POOL_CONN_CHECKING:
        wait_in_front(take_lease(conn));
        break;
    case POOL_CONN_IDLE:
        if (pool->options.on_idle_lost != NULL)
            pool->options.on_idle_lost(pool->options.user);
        break;
    case POOL_CONN_STATES:
        break;
    }
    doubt_idle(pool);
    settle(conn, false);
}

static void free_pool(struct closing *closing)
{
    struct conn_pool *pool = container_of(closing, struct conn_pool, closing);
    fair_fini(&pool->line);
    mem_free(pool);
}

static void on_gone(struct loop_task *task)
{
    serve(container_of(task, struct conn_pool, serve_task));
}

void conn_pool_gone(struct conn_pool *pool)
{
    CHECK(pool->counts[POOL_CONN_CLOSING] > 0);
    pool->counts[POOL_CONN_CLOSING]--;
    closing_leave(&pool->closing);
    if (!closing_is_begun(&pool->closing))
        loop_post(pool->loop, &pool->serve_task, on_gone);
}

struct pool_conn *conn_pool_take_idle(struct conn_pool *pool)
{
    struct pool_conn *conn = first_of(&pool->conns[POOL_CONN_IDLE]);
    if (conn != NULL)
        set_state(conn, POOL_CONN_LEASED);
    return conn;
}

void conn_pool_put(struct pool_conn *conn, bool usable)
{
    CHECK(conn->state == POOL_CONN_LEASED && conn->lease == NULL);
    settle(conn, usable);
}

/* ---- the pool ---- */

enum err_code conn_pool_ready(const struct conn_pool *pool, struct err *err)
{
    if (pool->failure.code == ERR_OK)
        return ERR_OK;
    return err_set(err, pool->failure.code, "%s", pool->failure.text);
}

struct conn_pool_counts conn_pool_count(const struct conn_pool *pool)
{
    return (struct conn_pool_counts){.opening = pool->counts[POOL_CONN_OPENING],
                                     .idle = pool->counts[POOL_CONN_IDLE],
                                     .leased = count_in_use(pool),
                                     .closing = pool->counts[POOL_CONN_CLOSING],
                                     .waiting = pool->waiting};
}

static struct conn_pool_options with_defaults(const struct conn_pool_options *given)
{
    struct conn_pool_options options = *given;
    if (options.size == 0 && options.overflow == 0) {
        options.size = DEFAULT_SIZE;
        options.overflow = DEFAULT_OVERFLOW;
    }
    options.queue_limit = options.queue_limit == 0 ? DEFAULT_QUEUE : options.queue_limit;
    options.recycle_ms = options.recycle_ms == 0 ? DEFAULT_RECYCLE_MS : options.recycle_ms;
    options.check_after_ms =
        options.check_after_ms == 0 ? DEFAULT_CHECK_MS : options.check_after_ms;
    options.retry_ms = options.retry_ms == 0 ? DEFAULT_RETRY_MS : options.retry_ms;
    return options;
}

struct conn_pool *conn_pool_create(struct loop *loop, const struct conn_kind *kind, void *owner,
                                   const struct conn_pool_options *options)
{
    static closing_fn *const steps[] = {free_pool, NULL};
    struct conn_pool *pool = mem_zalloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->loop = loop;
    pool->kind = kind;
    pool->owner = owner;
    pool->options = with_defaults(options);
    for (size_t i = 0; i < POOL_CONN_STATES; i++)
        list_init(&pool->conns[i]);
    fair_init(&pool->line, 0, 0);
    list_init(&pool->front);
    closing_init(&pool->closing, loop, steps);
    return pool;
}

static void close_all(struct conn_pool *pool, enum pool_conn_state state)
{
    struct pool_conn *conn;
    while ((conn = first_of(&pool->conns[state])) != NULL) {
        struct conn_lease *lease = take_lease(conn);
        if (lease != NULL)
            fail_lease(lease, ERR_CANCELLED, "the database is being closed");
        set_state(conn, POOL_CONN_CLOSING);
    }
}

void conn_pool_close(struct conn_pool *pool, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&pool->closing, on_closed, owner);
    timer_stop(&pool->retry_timer);
    loop_unpost(&pool->serve_task);
    while (pool->waiting > 0)
        fail_lease(any_waiter(pool), ERR_CANCELLED, "the database is being closed");
    close_all(pool, POOL_CONN_OPENING);
    close_all(pool, POOL_CONN_IDLE);
    close_all(pool, POOL_CONN_CHECKING);
}

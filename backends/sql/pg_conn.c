/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_conn.c - a reactor around PQconsumeInput, PQgetResult and PQflush.
 *
 * Happy path: logged in (pg_conn_open), it settles with one batch, then is the pool's. A batch is
 * queued in libpq's pipeline; what comes back is read until libpq would block, result by result.
 * Failure paths, all to lose():
 *   the login, or no answer to the first batch  the pool is told why
 *   a lost socket at rest or at work            the pool is told; the user of a batch, too
 *   a message over its user's limit             counted as it comes in, before libpq has all of it
 *   cannot send                                 told on a later turn
 * Polling stops before anything that may close libpq's socket. */
#include "backends/sql/pg_conn.h"

#include <libpq-fe.h>
#include <sys/ioctl.h>

#include "backends/sql/pg_conn_open.h"
#include "backends/sql/pg_error.h"
#include "core/base/mem.h"

enum { CHECK_INTERVAL_SINCE = 140000 }; /* PQserverVersion */

enum phase {
    PHASE_OPENING,
    PHASE_SETTLING, /* its first batch */
    PHASE_IDLE,
    PHASE_CHECKING,
    PHASE_BUSY, /* a batch of its user */
    PHASE_LOST,
    PHASE_COUNT
};

#define TO(phase) (1U << PHASE_##phase)

static const unsigned may_become[PHASE_COUNT] = {
    [PHASE_OPENING] = TO(SETTLING) | TO(LOST),
    [PHASE_SETTLING] = TO(IDLE) | TO(LOST),
    [PHASE_IDLE] = TO(CHECKING) | TO(BUSY) | TO(LOST),
    [PHASE_CHECKING] = TO(IDLE) | TO(LOST),
    [PHASE_BUSY] = TO(IDLE) | TO(LOST),
};

struct pg_connection {
    struct pool_conn pooled;
    const struct pg_conn_site *site;
    enum phase phase;
    PGconn *pg;
    struct pg_conn_open open;
    struct pg_conn_poll poll;
    struct timer deadline; /* of settling */
    uint64_t give_up_ms;
    struct loop_task task; /* tell later, free */
    bool closing;

    /* a batch */
    struct pg_conn_user *user;
    int row_step;
    bool is_derailed;                     /* libpq will not go on: lost on this or a later turn */
    unsigned step, syncs;                 /* answered statements; awaited syncs */
    size_t message_bytes, received_bytes; /* limit of one message; read since the last result */
};

static void set_phase(struct pg_connection *conn, enum phase next)
{
    CHECK(may_become[conn->phase] & (1U << next));
    conn->phase = next;
}

struct pg_connection *pg_conn_of(struct pool_conn *conn)
{
    return container_of(conn, struct pg_connection, pooled);
}

static void free_conn(struct loop_task *task)
{
    struct pg_connection *conn = container_of(task, struct pg_connection, task);
    struct conn_pool *pool = conn->pooled.pool;
    mem_free(conn);
    conn_pool_gone(pool);
}

/* ---- losing it ---- */

static void lose(struct pg_connection *conn, const struct err *err)
{
    struct pg_conn_user *user = conn->phase == PHASE_BUSY ? conn->user : NULL;
    set_phase(conn, PHASE_LOST);
    pg_conn_poll_stop(&conn->poll);
    timer_stop(&conn->deadline);
    conn->user = NULL;
    conn_pool_lost(&conn->pooled, err);
    if (user != NULL) /* leased: the pool left the connection to its holder */
        user->on_lost(user, err);
}

static void lose_as(struct pg_connection *conn, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "postgresql: %s", text);
    lose(conn, &err);
}

static void lose_by_libpq(struct pg_connection *conn)
{
    char where[PG_TARGET_WHERE_BYTES];
    struct err err;
    pg_target_where(conn->site->target, conn->open.place, where);
    pg_error_connect(PQerrorMessage(conn->pg), where, &err);
    err.code = ERR_UNAVAILABLE;
    lose(conn, &err);
}

/* ---- reading and writing a batch ---- */

static void finish_batch(struct pg_connection *conn)
{
    enum phase was = conn->phase;
    struct pg_conn_user *user = conn->user;
    conn->user = NULL;
    timer_stop(&conn->deadline);
    set_phase(conn, PHASE_IDLE);
    if (was == PHASE_SETTLING)
        conn_pool_opened(&conn->pooled);
    else if (was == PHASE_CHECKING)
        conn_pool_checked(&conn->pooled);
    else
        user->on_done(user);
}

static void take_result(struct pg_connection *conn, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    conn->received_bytes = 0;
    if (status == PGRES_PIPELINE_SYNC)
        conn->syncs--;
    else if (conn->user != NULL)
        conn->user->on_result(conn->user, conn->step, result);
    if (status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH)
        conn->is_derailed = true; /* libpq would give this result for ever */
    PQclear(result);
}

/* All that can be read without waiting. A statement's results end with a NULL. */
static void take_results(struct pg_connection *conn)
{
    while (conn->syncs > 0 && !conn->is_derailed && PQstatus(conn->pg) == CONNECTION_OK &&
           !PQisBusy(conn->pg)) {
        PGresult *result = PQgetResult(conn->pg);
        if (result != NULL) {
            take_result(conn, result);
        } else {
            conn->step++;
            if ((int)conn->step == conn->row_step) /* its turn has come */
                PQsetSingleRowMode(conn->pg);
        }
    }
}

static void drop_notifications(PGconn *pg)
{
    PGnotify *notify;
    while ((notify = PQnotifies(pg)) != NULL)
        PQfreemem(notify);
}

/* False: the message that is coming in is over its limit. */
static bool count_input(struct pg_connection *conn)
{
    int waiting = 0;
    if (ioctl(PQsocket(conn->pg), FIONREAD, &waiting) == 0 && waiting > 0)
        conn->received_bytes += (size_t)waiting;
    return conn->message_bytes == 0 || conn->received_bytes <= conn->message_bytes;
}

static void work_on(void *owner);

static bool watch(struct pg_connection *conn, bool write)
{
    return pg_conn_poll_start(&conn->poll, conn->site->loop, PQsocket(conn->pg), write, work_on,
                              conn);
}

/* Read, write, tell: whenever the socket is ready or something was queued. */
static void work_on(void *owner)
{
    struct pg_connection *conn = owner;
    if (!count_input(conn)) {
        lose_as(conn, ERR_TOO_LARGE, "one value or row is over the limit");
        return;
    }
    bool is_alive = PQconsumeInput(conn->pg) == 1;
    take_results(conn);
    if (conn->syncs == 0)
        (void)PQisBusy(conn->pg); /* takes in what comes unasked */
    drop_notifications(conn->pg);
    /* Derailed just now, too: when all of the answer is in, nothing more would wake us. */
    is_alive = is_alive && !conn->is_derailed && PQstatus(conn->pg) == CONNECTION_OK;
    int unsent = is_alive ? PQflush(conn->pg) : -1;
    if (unsent < 0 || !watch(conn, unsent > 0))
        lose_by_libpq(conn);
    else if (conn->syncs == 0 && conn->phase != PHASE_IDLE)
        finish_batch(conn);
}

static void on_later(struct loop_task *task)
{
    struct pg_connection *conn = container_of(task, struct pg_connection, task);
    struct pg_conn_user *user = conn->user;
    struct err err = {0};
    if (conn->phase != PHASE_LOST) {
        work_on(conn);
    } else if (user != NULL) { /* begun on a connection that was lost since it was leased */
        conn->user = NULL;
        err_set(&err, ERR_UNAVAILABLE, "postgresql: the connection was lost");
        user->on_lost(user, &err);
    }
}

static void begin_batch(struct pg_connection *conn, enum phase phase, int row_step,
                        size_t message_bytes)
{
    set_phase(conn, phase);
    conn->row_step = row_step;
    conn->step = conn->syncs = 0;
    conn->message_bytes = message_bytes;
    conn->received_bytes = 0;
}

void pg_conn_begin(struct pg_connection *conn, struct pg_conn_user *user, int row_step,
                   size_t message_bytes)
{
    CHECK(conn->pooled.state == POOL_CONN_LEASED);
    conn->user = user;
    if (conn->phase == PHASE_LOST)
        loop_post(conn->site->loop, &conn->task, on_later);
    else
        begin_batch(conn, PHASE_BUSY, row_step, message_bytes);
}

static bool send_params(struct pg_connection *conn, const char *text,
                        const struct pg_conn_param *params, int count)
{
    Oid types[PG_CONN_MOST_PARAMS];
    const char *values[PG_CONN_MOST_PARAMS];
    int lengths[PG_CONN_MOST_PARAMS], formats[PG_CONN_MOST_PARAMS];
    for (int i = 0; i < count; i++) {
        types[i] = params[i].type;
        values[i] = params[i].value;
        lengths[i] = (int)params[i].len;
        formats[i] = params[i].is_binary;
    }
    return PQsendQueryParams(conn->pg, text, count, types, values, lengths, formats, 0) == 1;
}

void pg_conn_send(struct pg_connection *conn, const char *text, const struct pg_conn_param *params,
                  size_t param_count)
{
    CHECK(param_count <= PG_CONN_MOST_PARAMS);
    if (conn->phase != PHASE_LOST && !conn->is_derailed)
        conn->is_derailed = !send_params(conn, text, params, (int)param_count);
}

void pg_conn_sync(struct pg_connection *conn)
{
    if (conn->phase == PHASE_LOST)
        return;
    conn->syncs++;
    if (PQpipelineSync(conn->pg) != 1)
        conn->is_derailed = true;
    if (conn->row_step == 0 && conn->step == 0)
        PQsetSingleRowMode(conn->pg);
    if (conn->is_derailed)
        loop_post(conn->site->loop, &conn->task, on_later);
    else if (PQflush(conn->pg) > 0)
        loop_post(conn->site->loop, &conn->task, on_later);
}

/* ---- the kind ---- */

static void on_deadline(struct timer *timer)
{
    lose_as(container_of(timer, struct pg_connection, deadline), ERR_UNAVAILABLE,
            "no answer in time");
}

/* One batch for what start-up options cannot say: an older server would refuse the login. */
static void settle_in(struct pg_connection *conn)
{
    uint64_t now = loop_now_ms(conn->site->loop);
    PQsetErrorVerbosity(conn->pg, PQERRORS_DEFAULT);
    if (PQsetnonblocking(conn->pg, 1) != 0 || PQenterPipelineMode(conn->pg) != 1 ||
        !watch(conn, false)) {
        lose_as(conn, ERR_NO_MEMORY, "no memory for a connection");
        return;
    }
    timer_start(&conn->deadline, conn->site->loop,
                conn->give_up_ms > now ? conn->give_up_ms - now : 0, on_deadline);
    begin_batch(conn, PHASE_SETTLING, PG_CONN_WHOLE, 0);
    if (PQserverVersion(conn->pg) >= CHECK_INTERVAL_SINCE)
        pg_conn_send(conn, "SET client_connection_check_interval = '2s'", NULL, 0);
    pg_conn_sync(conn); /* an error, on a system that cannot do it, changes nothing */
}

static void on_opened(struct op *op)
{
    struct pg_connection *conn = op_owner(op);
    if (conn->closing) {
        PQfinish(conn->open.pg);
        free_conn(&conn->task);
    } else if (op->err.code != ERR_OK) {
        lose(conn, &op->err);
    } else {
        conn->pg = conn->open.pg;
        settle_in(conn);
    }
}

static struct pool_conn *open_conn(void *owner)
{
    struct pg_conn_site *site = owner;
    struct pg_connection *conn = mem_zalloc(1, sizeof *conn);
    if (conn == NULL)
        return NULL;
    conn->site = site;
    conn->give_up_ms = loop_now_ms(site->loop) + site->connect_ms;
    pg_conn_open_start(&conn->open, site->loop, site->target, site->connect_ms,
                       (struct op_waiter){.done = on_opened, .owner = conn});
    return &conn->pooled;
}

static void check_conn(struct pool_conn *pooled)
{
    struct pg_connection *conn = pg_conn_of(pooled);
    begin_batch(conn, PHASE_CHECKING, PG_CONN_WHOLE, 0);
    pg_conn_sync(conn); /* alone, it is answered by "ready" */
}

static void close_conn(struct pool_conn *pooled)
{
    struct pg_connection *conn = pg_conn_of(pooled);
    conn->closing = true;
    timer_stop(&conn->deadline);
    loop_unpost(&conn->task);
    pg_conn_poll_stop(&conn->poll);
    PQfinish(conn->pg); /* NULL is fine */
    conn->pg = NULL;
    if (op_is_pending(&conn->open.op))
        op_cancel(&conn->open.op); /* on_opened frees */
    else
        loop_post(conn->site->loop, &conn->task, free_conn);
}

const struct conn_kind pg_conn_kind = {
    .name = "postgresql", .open = open_conn, .check = check_conn, .close = close_conn};

/* ---- what its user may ask ---- */

bool pg_conn_is_clean(const struct pg_connection *conn)
{
    return conn->phase == PHASE_IDLE && PQtransactionStatus(conn->pg) == PQTRANS_IDLE;
}

int pg_conn_pid(const struct pg_connection *conn)
{
    return PQbackendPID(conn->pg);
}

void *pg_conn_canceller(struct pg_connection *conn)
{
    return PQgetCancel(conn->pg);
}

void pg_conn_canceller_free(void *canceller)
{
    PQfreeCancel(canceller);
}

enum err_code pg_conn_cancel(void *canceller, struct err *err)
{
    char text[256] = "";
    if (PQcancel(canceller, text, sizeof text))
        return ERR_OK;
    return err_set(err, ERR_UNAVAILABLE, "postgresql: %s", text);
}

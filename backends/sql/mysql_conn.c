/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_conn.c - drives Connector/C's non-blocking calls from the loop.
 *
 * Happy path: a call starts a step; the step says what it waits for; the poll handle or a timer
 * says it has come; the step goes on until it is over and its ended decides what is next.
 * Failure paths:
 *   the socket broke            the step ends with an error that says so: broken
 *   deadline, cancel, destroy   the socket is shut down and the suspended step is resumed until it
 *                               has unwound (it owns memory on a stack of its own): broken
 *   closed while idle           by the server; the poll handle sees it: broken, on_lost
 *   no memory, no descriptors   the call ends with ERR_NO_MEMORY: broken
 * Under TLS the library reads the system's authorities (tens of milliseconds, whether they are to
 * be asked or not), shakes hands and logs in with blocking calls. It may begin as soon as the
 * socket is connected, if the greeting has come by then: so from there to the end of connecting all
 * goes on in core/work, and so does freeing what it made. Afterwards the socket never blocks.
 * The poll handle watches a duplicate of the socket: the library closes its own when it likes, and
 * a watched descriptor must not be closed, or reused, under libuv. Reading stays armed between
 * calls, so that a round trip costs no call to epoll_ctl. */
#include "backends/sql/mysql_conn_internal.h"
#include "core/base/mem.h"

/* After ours: it defines list_push as a macro. */
#include <mysql.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <uv.h>

/* Resumptions of a step whose socket is shut down: reads and writes fail at once, so it takes one
 * or two; a bound, because the library promises nothing. */
enum { UNWIND_MAX = 1000 };

/* One wait of the TLS handshake; the call's own deadline interrupts it sooner. */
enum { SHAKE_SECONDS = 10 };

struct mysql_conn_poll {
    uv_poll_t handle;
    struct mysql_conn *conn; /* NULL: it is being closed */
    int fd;                  /* ours */
    int events;              /* armed */
};

/* A handle of the library on its way out; ours until its work is done. */
struct grave {
    struct work work;
    MYSQL *mysql;
    MYSQL_STMT *stmts[MYSQL_SLOT_COUNT];
};

void mysql_conn_set_state(struct mysql_conn *conn, enum mysql_conn_state next)
{
    static const unsigned may[] = {
        [MYSQL_CONN_NEW] = 1u << MYSQL_CONN_RESOLVING | 1u << MYSQL_CONN_BUSY,
        [MYSQL_CONN_RESOLVING] = 1u << MYSQL_CONN_BUSY | 1u << MYSQL_CONN_BROKEN,
        [MYSQL_CONN_SHAKING] = 1u << MYSQL_CONN_BUSY,
        [MYSQL_CONN_BUSY] =
            1u << MYSQL_CONN_SHAKING | 1u << MYSQL_CONN_IDLE | 1u << MYSQL_CONN_BROKEN,
        [MYSQL_CONN_IDLE] = 1u << MYSQL_CONN_BUSY | 1u << MYSQL_CONN_BROKEN,
        [MYSQL_CONN_BROKEN] = 0,
    };
    CHECK(may[conn->state] & 1u << next);
    conn->state = next;
}

/* ---- the socket's events ---- */

static void on_poll_closed(uv_handle_t *handle)
{
    mem_free(handle->data);
}

static void close_poll(struct mysql_conn *conn)
{
    struct mysql_conn_poll *poll = conn->poll;
    if (poll == NULL)
        return;
    conn->poll = NULL;
    poll->conn = NULL;
    uv_poll_stop(&poll->handle);
    close(poll->fd);
    uv_close((uv_handle_t *)&poll->handle, on_poll_closed);
}

static bool open_poll(struct mysql_conn *conn)
{
    struct mysql_conn_poll *poll = mem_zalloc(1, sizeof *poll);
    if (poll == NULL)
        return false;
    poll->fd = dup((int)mysql_get_socket(conn->mysql));
    if (poll->fd < 0 || uv_poll_init(loop_uv(conn->loop), &poll->handle, poll->fd) != 0) {
        if (poll->fd >= 0)
            close(poll->fd);
        mem_free(poll);
        return false;
    }
    poll->handle.data = poll;
    poll->conn = conn;
    conn->poll = poll;
    return true;
}

static void resume(struct mysql_conn *conn, int events);

static void lose_idle(struct mysql_conn *conn)
{
    mysql_conn_set_state(conn, MYSQL_CONN_BROKEN);
    mysql_conn_drop(conn);
    if (conn->options.on_lost != NULL)
        conn->options.on_lost(conn->options.owner);
}

static void on_poll(uv_poll_t *handle, int status, int events)
{
    struct mysql_conn_poll *poll = handle->data;
    struct mysql_conn *conn = poll->conn;
    int came = 0;
    if (status < 0) { /* libuv has stopped polling; the library will find out what it is */
        poll->events = 0;
        came = MYSQL_WAIT_READ | MYSQL_WAIT_WRITE | MYSQL_WAIT_EXCEPT;
    }
    came |= events & UV_READABLE ? MYSQL_WAIT_READ : 0;
    came |= events & UV_WRITABLE ? MYSQL_WAIT_WRITE : 0;
    came |= events & UV_PRIORITIZED ? MYSQL_WAIT_EXCEPT : 0;
    if ((conn->waiting & came) != 0) {
        resume(conn, conn->waiting & came);
    } else if (conn->state == MYSQL_CONN_IDLE && !conn->rows_left) {
        lose_idle(conn); /* nobody asked: a farewell, or the end */
    } else if (poll->events != 0) {
        uv_poll_stop(handle); /* rows that nobody waits for yet */
        poll->events = 0;
    }
}

static bool watch(struct mysql_conn *conn, int events)
{
    struct mysql_conn_poll *poll = conn->poll;
    if (poll->events == events)
        return true;
    poll->events = events;
    return uv_poll_start(&poll->handle, events, on_poll) == 0;
}

/* An idle connection is watched, but keeps no loop running. */
static void watch_idle(struct mysql_conn *conn)
{
    if (conn->poll == NULL)
        return;
    if (!conn->rows_left)
        watch(conn, UV_READABLE);
    uv_unref((uv_handle_t *)&conn->poll->handle);
}

/* ---- steps ---- */

/* The library asks OpenSSL what went wrong without forgetting first what went wrong earlier on the
 * same thread, on whatever connection: one broken connection would break them all. */
static int start_step(struct mysql_conn *conn)
{
    ERR_clear_error();
    return conn->step->start(conn);
}

static int continue_step(struct mysql_conn *conn, int events)
{
    ERR_clear_error();
    return conn->step->cont(conn, events);
}

static void on_patience(struct timer *timer)
{
    resume(container_of(timer, struct mysql_conn, patience), MYSQL_WAIT_TIMEOUT);
}

static bool wait_for(struct mysql_conn *conn, int waiting)
{
    int events = (waiting & MYSQL_WAIT_READ ? UV_READABLE : 0) |
                 (waiting & MYSQL_WAIT_WRITE ? UV_WRITABLE : 0) |
                 (waiting & MYSQL_WAIT_EXCEPT ? UV_PRIORITIZED : 0);
    if (conn->poll == NULL && !open_poll(conn))
        return false;
    if (events != 0 && !watch(conn, events))
        return false;
    uv_ref((uv_handle_t *)&conn->poll->handle);
    if (waiting & MYSQL_WAIT_TIMEOUT)
        timer_start(&conn->patience, conn->loop, mysql_get_timeout_value_ms(conn->mysql),
                    on_patience);
    return true;
}

static void advance(struct mysql_conn *conn, int waiting)
{
    conn->waiting = waiting;
    while (conn->waiting == 0) {
        if (!conn->step->ended(conn))
            return;
        conn->waiting = start_step(conn);
    }
    if (!wait_for(conn, conn->waiting)) {
        struct err err = {0};
        err_set(&err, ERR_NO_MEMORY, "no memory or descriptor for a database connection");
        mysql_conn_end(conn, &err, false);
    }
}

/* ---- the handshake, which the library does with blocking calls ---- */

static enum err_code shake(struct work *work, struct err *err)
{
    struct mysql_conn *conn = work->arg;
    (void)err;
    conn->shake_waiting = continue_step(conn, conn->shake_events);
    return ERR_OK;
}

bool mysql_conn_resume(struct mysql_conn *conn, const struct op *op)
{
    mysql_conn_set_state(conn, MYSQL_CONN_BUSY);
    if (!conn->given_up && op->err.code == ERR_OK)
        return true;
    bool destroyed = conn->given_up && conn->destroyed;
    mysql_conn_end(conn, conn->given_up ? &conn->last_failure : &op->err, false);
    if (destroyed)
        mysql_conn_destroy(conn);
    return false;
}

static void on_shaken(struct op *op)
{
    struct mysql_conn *conn = op_owner(op);
    conn->waiting = conn->shake_waiting;
    if (mysql_conn_resume(conn, op))
        advance(conn, conn->waiting);
}

static void start_shake(struct mysql_conn *conn, int events)
{
    const struct timeval patience = {.tv_sec = SHAKE_SECONDS};
    setsockopt(conn->poll->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(conn->poll->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    uv_poll_stop(&conn->poll->handle);
    conn->poll->events = 0;
    conn->shake_events = events;
    conn->shake_waiting = conn->waiting; /* should it never run */
    mysql_conn_set_state(conn, MYSQL_CONN_SHAKING);
    work_start(&conn->shake, conn->loop, shake, conn,
               (struct op_waiter){.done = on_shaken, .owner = conn});
}

bool mysql_conn_interrupt(struct mysql_conn *conn)
{
    if (conn->state != MYSQL_CONN_SHAKING)
        return false;
    shutdown(conn->poll->fd, SHUT_RDWR);
    return true;
}

void mysql_conn_unblock(struct mysql_conn *conn)
{
    int fd = (int)mysql_get_socket(conn->mysql);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void resume(struct mysql_conn *conn, int events)
{
    timer_stop(&conn->patience);
    if (conn->step->may_block && conn->tls && events != MYSQL_WAIT_TIMEOUT)
        start_shake(conn, events);
    else
        advance(conn, continue_step(conn, events));
}

void mysql_conn_go(struct mysql_conn *conn, const struct mysql_conn_step *step)
{
    conn->step = step;
    advance(conn, start_step(conn));
}

static void unwind(struct mysql_conn *conn)
{
    shutdown((int)mysql_get_socket(conn->mysql), SHUT_RDWR);
    for (unsigned i = 0; conn->waiting != 0 && i < UNWIND_MAX; i++)
        conn->waiting = continue_step(conn, MYSQL_WAIT_TIMEOUT);
    conn->waiting = 0;
}

/* ---- the end of the library's handle ---- */

static void free_handle(MYSQL *mysql, MYSQL_STMT *const *stmts)
{
    mysql_close(mysql);
    for (size_t i = 0; i < MYSQL_SLOT_COUNT; i++) {
        if (stmts[i] != NULL)
            mysql_stmt_close(stmts[i]); /* memory only: its connection is gone */
    }
}

static enum err_code free_buried(struct work *work, struct err *err)
{
    struct grave *grave = work->arg;
    (void)err;
    free_handle(grave->mysql, grave->stmts);
    return ERR_OK;
}

static void on_buried(struct op *op)
{
    struct grave *grave = op_owner(op);
    if (op->err.code != ERR_OK) /* it never ran */
        free_handle(grave->mysql, grave->stmts);
    mem_free(grave);
}

/* Free the library's handle on another thread: with TLS it holds every authority of the system. */
static void bury(struct mysql_conn *conn)
{
    struct grave *grave = mem_zalloc(1, sizeof *grave);
    if (grave == NULL) {
        free_handle(conn->mysql, conn->stmts);
        return;
    }
    grave->mysql = conn->mysql;
    memcpy(grave->stmts, conn->stmts, sizeof grave->stmts);
    work_start(&grave->work, conn->loop, free_buried, grave,
               (struct op_waiter){.done = on_buried, .owner = grave});
}

void mysql_conn_drop(struct mysql_conn *conn)
{
    timer_stop(&conn->patience);
    loop_unpost(&conn->resume_task);
    mem_free(conn->binds);
    conn->binds = NULL;
    if (conn->mysql == NULL)
        return;
    if (conn->waiting != 0)
        unwind(conn);
    /* The library says goodbye and, under TLS, would wait for an answer: there will be none. It is
     * not asked for its socket, of which it has none to tell where a login had no memory. */
    if (conn->poll != NULL)
        shutdown(conn->poll->fd, SHUT_RD);
    close_poll(conn);
    if (conn->tls)
        bury(conn);
    else
        free_handle(conn->mysql, conn->stmts);
    conn->mysql = NULL;
    memset(conn->stmts, 0, sizeof conn->stmts);
    conn->rows_left = false;
}

/* ---- calls ---- */

void mysql_conn_end(struct mysql_conn *conn, const struct err *err, bool usable)
{
    struct mysql_call *call = conn->call;
    timer_stop(&conn->deadline);
    conn->call = NULL;
    conn->give_up_ms = 0;
    if (usable) {
        mysql_conn_set_state(conn, MYSQL_CONN_IDLE);
        watch_idle(conn);
    } else {
        mysql_conn_set_state(conn, MYSQL_CONN_BROKEN);
        mysql_conn_drop(conn);
    }
    op_finish_err(&call->op, err);
}

/* Give the call in flight up, whatever it waits for. */
static void abandon(struct mysql_conn *conn, const struct err *err)
{
    if (conn->state != MYSQL_CONN_RESOLVING && conn->state != MYSQL_CONN_SHAKING) {
        mysql_conn_end(conn, err, false);
        return;
    }
    conn->given_up = true; /* told when the lookup or the handshake has ended */
    conn->last_failure = *err;
    if (!mysql_conn_interrupt(conn))
        op_cancel(&conn->resolve.op);
}

static void on_deadline(struct timer *timer)
{
    struct mysql_conn *conn = container_of(timer, struct mysql_conn, deadline);
    struct err err = {0};
    err_set(&err, conn->give_up_ms != 0 ? ERR_UNAVAILABLE : ERR_TIMEOUT,
            "the database at %s does not answer in time", conn->place);
    abandon(conn, &err);
}

static void cancel_call(struct op *op)
{
    struct err err = {0};
    err_set(&err, ERR_CANCELLED, "the database connection was given up");
    abandon(container_of(op, struct mysql_call, op)->conn, &err);
}

static const struct op_kind call_kind = {.name = "mysql.call", .cancel = cancel_call};

bool mysql_conn_begin(struct mysql_call *call, struct mysql_conn *conn, uint64_t timeout_ms,
                      struct op_waiter waiter)
{
    op_begin(&call->op, &call_kind, conn->loop, waiter);
    call->conn = conn;
    call->number = 0;
    call->sqlstate[0] = '\0';
    CHECK(conn->call == NULL);
    if (conn->state == MYSQL_CONN_BROKEN) {
        op_finish(&call->op, ERR_UNAVAILABLE, "the connection to the database was lost");
        return false;
    }
    conn->call = call;
    if (timeout_ms != 0)
        timer_start(&conn->deadline, conn->loop, timeout_ms, on_deadline);
    return true;
}

struct mysql_conn *mysql_conn_create(struct loop *loop, const struct mysql_conn_options *options)
{
    struct mysql_conn *conn = mem_zalloc(1, sizeof *conn);
    if (conn == NULL)
        return NULL;
    conn->loop = loop;
    conn->options = *options;
    conn->tls = options->url->tls != MYSQL_URL_TLS_DISABLED && options->url->socket == NULL;
    return conn;
}

void mysql_conn_destroy(struct mysql_conn *conn)
{
    if (conn == NULL)
        return;
    conn->options.on_lost = NULL;
    if (conn->call != NULL)
        op_cancel(&conn->call->op);
    timer_stop(&conn->deadline);
    if (conn->state == MYSQL_CONN_RESOLVING || conn->state == MYSQL_CONN_SHAKING) {
        conn->destroyed = true; /* freed when that has ended */
        return;
    }
    mysql_conn_drop(conn);
    mem_free(conn);
}

bool mysql_conn_is_usable(const struct mysql_conn *conn)
{
    return conn->state != MYSQL_CONN_BROKEN;
}

bool mysql_conn_is_prepared(const struct mysql_conn *conn, enum mysql_slot slot)
{
    return conn->stmts[slot] != NULL;
}

bool mysql_conn_has_rows(const struct mysql_conn *conn)
{
    return conn->rows_left;
}

bool mysql_conn_is_mariadb(const struct mysql_conn *conn)
{
    return conn->mysql != NULL && mariadb_connection(conn->mysql) != 0; /* NULL: lost meanwhile */
}

unsigned long mysql_conn_id(const struct mysql_conn *conn)
{
    return mysql_thread_id(conn->mysql);
}

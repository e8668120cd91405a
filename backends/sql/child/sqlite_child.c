/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sqlite_child.c - uv_spawn, a socket, one statement at a time.
 *
 * Happy path: spawned; a frame goes out, a reply frame comes in; at the end killed (there is
 * nothing to be tidied up: the file is read only), waited for, freed.
 * Failure paths:
 *   cannot be spawned             lost, with why
 *   ends, closes its socket,
 *   or speaks nonsense            lost; whoever waits for its reply is told
 * The process handle is closed after the process has ended, so that none stays a zombie. */
#include "backends/sql/child/sqlite_child.h"

#include <signal.h>
#include <uv.h>

#include "core/base/mem.h"

enum { FIRST_READ_BYTES = 64 << 10, PIPE_FD = 3, FDS = 4 };

struct sqlite_child {
    struct pool_conn conn; /* first */
    const struct sqlite_child_site *site;
    uv_process_t process;
    uv_pipe_t pipe;
    struct sqlite_child_user *user;
    struct buf in;
    size_t most;
    struct loop_task task; /* tells what open, or check, came to */
    struct err failure;
    size_t handles; /* open ones */
    bool is_running, is_closing, is_lost, is_asked;
};

struct outgoing { /* one frame; frees itself */
    uv_write_t write;
    struct buf bytes;
};

/* ---- the end ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct sqlite_child *child = handle->data;
    struct conn_pool *pool = child->conn.pool;
    if (--child->handles > 0)
        return;
    buf_fini(&child->in);
    mem_free(child);
    conn_pool_gone(pool);
}

static void free_later(struct loop_task *task)
{
    struct sqlite_child *child = container_of(task, struct sqlite_child, task);
    struct conn_pool *pool = child->conn.pool;
    mem_free(child);
    conn_pool_gone(pool);
}

static void close_child(struct pool_conn *conn)
{
    struct sqlite_child *child = sqlite_child_of(conn);
    child->is_closing = true;
    child->user = NULL;
    loop_unpost(&child->task);
    if (child->handles == 0) {
        loop_post(child->site->loop, &child->task, free_later);
        return;
    }
    uv_close((uv_handle_t *)&child->pipe, on_handle_closed);
    uv_ref((uv_handle_t *)&child->process);
    if (child->is_running)
        (void)uv_process_kill(&child->process, SIGKILL);
    else
        uv_close((uv_handle_t *)&child->process, on_handle_closed);
}

/* Nothing comes from it any more. The user is told first: it gives the lease back. */
static void lose(struct sqlite_child *child, const struct err *err)
{
    struct sqlite_child_user *user = child->user;
    if (child->is_lost || child->is_closing)
        return;
    child->is_lost = true;
    child->user = NULL;
    uv_read_stop((uv_stream_t *)&child->pipe);
    conn_pool_lost(&child->conn, err);
    if (user != NULL)
        user->on_lost(user, err);
}

static void on_exit(uv_process_t *process, int64_t status, int signal)
{
    struct sqlite_child *child = process->data;
    struct err err;
    child->is_running = false;
    err_set(&err, ERR_UNAVAILABLE, "SQLite's process ended, by signal %d, with status %d", signal,
            (int)status);
    if (child->is_closing)
        uv_close((uv_handle_t *)process, on_handle_closed);
    else
        lose(child, &err);
}

/* ---- bytes ---- */

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *room)
{
    struct sqlite_child *child = handle->data;
    size_t size = size_max(FIRST_READ_BYTES, buf_len(&child->in) / 2);
    (void)wanted;
    char *at = buf_reserve(&child->in, size);
    *room = uv_buf_init(at, at == NULL ? 0 : (unsigned)size);
}

static void lose_nonsense(struct sqlite_child *child)
{
    struct err err;
    err_set(&err, ERR_UNAVAILABLE, "SQLite's process speaks nonsense");
    lose(child, &err);
}

static void lose_memory(struct sqlite_child *child)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "no memory for a result");
    lose(child, &err);
}

static void take_frame(struct sqlite_child *child)
{
    enum sql_wire_kind kind;
    struct str body;
    switch (sql_wire_next(buf_str(&child->in), child->most, &kind, &body)) {
    case SQL_WIRE_PART:
        return;
    case SQL_WIRE_WRONG:
        lose_nonsense(child);
        return;
    case SQL_WIRE_WHOLE:
        break;
    }
    struct sqlite_child_user *user = child->user;
    child->is_asked = false;
    child->user = NULL;
    if (user != NULL)
        user->on_reply(user, &child->in, body);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct sqlite_child *child = stream->data;
    (void)room;
    if (count == 0)
        return;
    if (count < 0) { /* a child without a socket is none; its exit tells why */
        uv_read_stop(stream);
        if (count == UV_ENOBUFS)
            lose_memory(child);
        else if (child->is_running)
            (void)uv_process_kill(&child->process, SIGKILL);
        return;
    }
    buf_commit(&child->in, (size_t)count);
    if (!child->is_asked)
        lose_nonsense(child);
    else
        take_frame(child);
}

static void on_written(uv_write_t *write, int status)
{
    struct outgoing *outgoing = container_of(write, struct outgoing, write);
    (void)status; /* a child that cannot be written to ends, which is told */
    buf_fini(&outgoing->bytes);
    mem_free(outgoing);
}

/* Adopts frame. */
static bool send_frame(struct sqlite_child *child, struct buf *frame)
{
    struct outgoing *outgoing = buf_ok(frame) ? mem_zalloc(1, sizeof *outgoing) : NULL;
    if (outgoing == NULL) {
        buf_fini(frame);
        return false;
    }
    outgoing->bytes = *frame;
    buf_init(frame, 0);
    struct str bytes = buf_str(&outgoing->bytes);
    uv_buf_t room = uv_buf_init(outgoing->bytes.at + outgoing->bytes.start, (unsigned)bytes.len);
    if (uv_write(&outgoing->write, (uv_stream_t *)&child->pipe, &room, 1, on_written) == 0)
        return true;
    on_written(&outgoing->write, 0);
    return false;
}

/* ---- the kind ---- */

static void tell_opened(struct loop_task *task)
{
    struct sqlite_child *child = container_of(task, struct sqlite_child, task);
    if (child->failure.code == ERR_OK)
        conn_pool_opened(&child->conn);
    else
        conn_pool_lost(&child->conn, &child->failure);
}

static void tell_checked(struct loop_task *task)
{
    conn_pool_checked(&container_of(task, struct sqlite_child, task)->conn);
}

static void check_child(struct pool_conn *conn)
{
    struct sqlite_child *child = sqlite_child_of(conn);
    loop_post(child->site->loop, &child->task, tell_checked);
}

static int spawn(struct sqlite_child *child)
{
    char name[] = "askd", command[] = "sqlite-worker";
    char *path = (char *)(uintptr_t)child->site->path; /* uv_spawn does not write there */
    char *const arguments[] = {name, command, path, NULL};
    char *environment[] = {NULL};
    uv_stdio_container_t fds[FDS] = {
        {.flags = UV_IGNORE},
        {.flags = UV_IGNORE},
        {.flags = UV_INHERIT_FD, .data = {.fd = 2}},
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
         .data = {.stream = (uv_stream_t *)&child->pipe}},
    };
    const uv_process_options_t options = {.file = child->site->program,
                                          .args = (char **)(uintptr_t)arguments,
                                          .env = environment,
                                          .stdio_count = FDS,
                                          .stdio = fds,
                                          .exit_cb = on_exit};
    return uv_spawn(loop_uv(child->site->loop), &child->process, &options);
}

static struct pool_conn *open_child(void *owner)
{
    const struct sqlite_child_site *site = owner;
    struct sqlite_child *child = mem_zalloc(1, sizeof *child);
    if (child == NULL)
        return NULL;
    child->site = site;
    buf_init(&child->in, SIZE_MAX);
    CHECK(uv_pipe_init(loop_uv(site->loop), &child->pipe, 0) == 0);
    int code = spawn(child); /* it makes a handle of process, whatever comes of it */
    child->handles = 2;
    child->pipe.data = child->process.data = child;
    child->is_running = code == 0;
    if (code == 0)
        code = uv_read_start((uv_stream_t *)&child->pipe, give_room, on_read);
    if (code != 0)
        err_set(&child->failure, ERR_UNAVAILABLE, "SQLite's process cannot be started: %s",
                uv_strerror(code));
    uv_unref((uv_handle_t *)&child->process);
    uv_unref((uv_handle_t *)&child->pipe);
    loop_post(site->loop, &child->task, tell_opened);
    return &child->conn;
}

const struct conn_kind sqlite_child_kind = {
    .name = "sqlite", .open = open_child, .check = check_child, .close = close_child};

/* ---- statements ---- */

bool sqlite_child_begin(struct sqlite_child *child, struct sqlite_child_user *user,
                        struct buf *frame, size_t most)
{
    child->user = user;
    child->most = most;
    buf_clear(&child->in);
    uv_ref((uv_handle_t *)&child->pipe);
    child->is_asked = send_frame(child, frame);
    return child->is_asked;
}

void sqlite_child_interrupt(struct sqlite_child *child)
{
    struct buf frame;
    buf_init(&frame, SQL_WIRE_HEAD_BYTES);
    sql_wire_put_cancel(&frame);
    (void)send_frame(child, &frame); /* without memory the child is killed a little later */
}

bool sqlite_child_end(struct sqlite_child *child)
{
    child->user = NULL;
    if (!child->is_closing)
        uv_unref((uv_handle_t *)&child->pipe);
    return !child->is_asked && !child->is_lost;
}

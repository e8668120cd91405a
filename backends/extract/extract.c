/* SPDX-License-Identifier: MIT */
/* backends/extract/extract.c - uv_spawn, two pipes, a deadline.
 *
 * Happy path: the file is written, the text read until its end; the child exits with 0; once all
 * three handles are closed the operation ends.
 * Failure paths:
 *   it cannot be started          ERR_UNAVAILABLE, on the next turn
 *   it says too much, is late,
 *   or is no longer wanted        its group is killed; the end is as that of any other child
 *   it exits with 1               its text is the reason
 *   a signal ends it              it took more memory or time than it may */
#include "backends/extract/extract.h"

#include <signal.h>
#include <uv.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"

enum { PIECE_BYTES = 64 * 1024, EXIT_REFUSED = 1, FDS = 3, REASON_BYTES = 300 };

struct extract_child { /* frees itself once all its handles are closed */
    struct extract *extract;
    struct loop *loop;
    struct timer timer;
    uv_process_t process;
    uv_pipe_t in, out;
    uv_write_t write;
    unsigned handles; /* open ones */
    int64_t status;
    struct err failure; /* decided before its end */
    bool is_running, has_ended;
};

static void end_child(struct extract_child *child)
{
    if (child->is_running)
        (void)uv_kill(-child->process.pid, SIGKILL); /* with pdftotext */
}

static void fail(struct extract_child *child, enum err_code code, const char *why)
{
    if (child->failure.code == ERR_OK)
        err_set(&child->failure, code, "%s", why);
    end_child(child);
}

static void on_cancel(struct op *op)
{
    struct extract *extract = container_of(op, struct extract, op);
    if (extract->child != NULL) /* NULL: it is finishing */
        fail(extract->child, ERR_CANCELLED, "cancelled");
}

static void on_release(struct op *op)
{
    buf_fini(&container_of(op, struct extract, op)->text);
}

static const struct op_kind extract_kind = {
    .name = "docs.extract", .cancel = on_cancel, .release = on_release};

/* ---- the end ---- */

static void judge_end(struct extract_child *child)
{
    struct str said = str_trim(buf_str(&child->extract->text));
    struct err *failure = &child->failure;
    if (failure->code != ERR_OK || child->status == 0)
        return;
    if (child->status == EXIT_REFUSED && said.len > 0)
        err_set(failure, ERR_INVALID, "%.*s", (int)size_min(said.len, REASON_BYTES), said.at);
    else
        err_set(failure, ERR_TOO_LARGE, "reading it takes more time or memory than it may");
}

static void on_closed(uv_handle_t *handle)
{
    struct extract_child *child = handle->data;
    if (--child->handles > 0)
        return;
    timer_stop(&child->timer);
    judge_end(child);
    child->extract->child = NULL;
    op_finish_err(&child->extract->op, &child->failure);
    mem_free(child);
}

/* The child has ended, and what it said was read to the end. */
static void close_all(struct extract_child *child)
{
    if (child->is_running || !child->has_ended || uv_is_closing((uv_handle_t *)&child->process))
        return;
    uv_close((uv_handle_t *)&child->process, on_closed);
    uv_close((uv_handle_t *)&child->out, on_closed);
    if (!uv_is_closing((uv_handle_t *)&child->in))
        uv_close((uv_handle_t *)&child->in, on_closed);
}

static void on_exit(uv_process_t *process, int64_t status, int signal)
{
    struct extract_child *child = process->data;
    child->is_running = false;
    child->status = signal != 0 ? -signal : status;
    close_all(child);
}

/* ---- bytes ---- */

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *room)
{
    struct extract_child *child = handle->data;
    (void)wanted;
    char *at = buf_reserve(&child->extract->text, PIECE_BYTES);
    *room = uv_buf_init(at, at == NULL ? 0 : PIECE_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct extract_child *child = stream->data;
    (void)room;
    if (count > 0) {
        buf_commit(&child->extract->text, (size_t)count);
        return;
    }
    if (count == 0)
        return;
    if (count == UV_ENOBUFS)
        fail(child, ERR_TOO_LARGE, "it holds more text than 16 MiB");
    uv_read_stop(stream);
    child->has_ended = true;
    close_all(child);
}

static void on_written(uv_write_t *write, int status)
{
    struct extract_child *child = write->data;
    (void)status; /* a child that reads no more says why by its end */
    if (!uv_is_closing((uv_handle_t *)&child->in))
        uv_close((uv_handle_t *)&child->in, on_closed);
}

static void on_late(struct timer *timer)
{
    fail(container_of(timer, struct extract_child, timer), ERR_TIMEOUT,
         "reading it takes too long");
}

/* ---- the beginning ---- */

static int spawn(struct extract_child *child, const struct extract_options *asked)
{
    char name[] = "askd", command[] = "document-worker";
    char *format = (char *)(uintptr_t)asked->format; /* uv_spawn does not write there */
    char *const arguments[] = {name, command, format, NULL};
    char *environment[] = {NULL};
    uv_stdio_container_t fds[FDS] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data = {.stream = (uv_stream_t *)&child->in}},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
         .data = {.stream = (uv_stream_t *)&child->out}},
        {.flags = UV_IGNORE},
    };
    const uv_process_options_t options = {
        .file = asked->program,
        .args = (char **)(uintptr_t)arguments,
        .env = environment,
        .flags = UV_PROCESS_DETACHED, /* a group of its own, to be killed as one */
        .stdio_count = FDS,
        .stdio = fds,
        .exit_cb = on_exit};
    return uv_spawn(loop_uv(child->loop), &child->process, &options);
}

static void send_bytes(struct extract_child *child, struct str bytes)
{
    uv_buf_t room = uv_buf_init((char *)(uintptr_t)bytes.at, (unsigned)bytes.len);
    child->write.data = child;
    if (bytes.len == 0 || bytes.len > UINT32_MAX ||
        uv_write(&child->write, (uv_stream_t *)&child->in, &room, 1, on_written) != 0)
        on_written(&child->write, 0);
}

void extract_start(struct extract *extract, struct loop *loop,
                   const struct extract_options *options, struct op_waiter waiter)
{
    struct extract_child *child = mem_zalloc(1, sizeof *child);
    op_begin(&extract->op, &extract_kind, loop, waiter);
    extract->child = child;
    buf_init(&extract->text, EXTRACT_MAX_TEXT);
    if (child == NULL) {
        op_finish(&extract->op, ERR_NO_MEMORY, "no memory to read a document");
        return;
    }
    child->extract = extract;
    child->loop = loop;
    CHECK(uv_pipe_init(loop_uv(loop), &child->in, 0) == 0);
    CHECK(uv_pipe_init(loop_uv(loop), &child->out, 0) == 0);
    int code = spawn(child, options); /* it makes a handle of process, whatever comes of it */
    child->process.data = child->in.data = child->out.data = child;
    child->handles = 3;
    child->is_running = code == 0;
    timer_start(&child->timer, loop,
                options->timeout_ms > 0 ? options->timeout_ms : EXTRACT_TIMEOUT_MS, on_late);
    if (code == 0)
        code = uv_read_start((uv_stream_t *)&child->out, give_room, on_read);
    if (code == 0) {
        send_bytes(child, options->bytes);
        return;
    }
    err_set(&child->failure, ERR_UNAVAILABLE, "the reader of documents cannot be started: %s",
            uv_strerror(code));
    child->has_ended = true;
    end_child(child);
    close_all(child);
}

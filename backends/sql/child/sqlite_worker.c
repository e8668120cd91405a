/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sqlite_worker.c - a child's side: frames in, statements on sql_sqlite, frames
 * out.
 *
 * Happy path: limits are set, descriptors closed; a statement frame starts a query, whose end is a
 * reply frame; the parent's end of the socket closes, and so does all.
 * Failure paths:
 *   a cancel frame             the query is cancelled, and replies so
 *   memory spent               ERR_TOO_LARGE: it is the statement's limit
 *   nonsense, a lost parent    the process ends
 * The parent is trusted to kill what is stuck; the kernel does when the parent dies. */
#include "backends/sql/child/sqlite_worker.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "backends/sql/sql_sqlite.h"
#include "backends/sql/child/sql_wire.h"
#include "core/base/mem.h"

enum { EXIT_FINE = 0, EXIT_NONSENSE = 1, FRAME_BYTES = 16 << 20, ARENA_BYTES = 64 << 20 };
enum { HEAP_BYTES = 272 << 20, ADDRESS_BYTES = 2047 << 20, REPLY_BYTES = 512 << 20 };
enum { READ_BYTES = 64 << 10, MAX_FDS = 64, CPU_SLACK_S = 5 };

struct worker {
    struct loop *loop;
    struct sql *sql;
    uv_pipe_t pipe;
    uv_write_t write;
    struct buf in, out;
    struct sql_query query;
    struct sql_statement statement;
    struct arena arena; /* what the statement's lists are in */
    struct buf asked;   /* and its texts */
    bool is_busy;
    int status;
};

static void leave(struct worker *worker, int status)
{
    worker->status = status;
    loop_stop(worker->loop);
}

static void on_written(uv_write_t *write, int status)
{
    struct worker *worker = write->data;
    buf_fini(&worker->out);
    if (status != 0)
        leave(worker, EXIT_FINE);
}

static void send_reply(struct worker *worker)
{
    buf_init(&worker->out, REPLY_BYTES);
    sql_wire_put_reply(&worker->out, &worker->query);
    struct str bytes = buf_str(&worker->out);
    uv_buf_t room = uv_buf_init(worker->out.at + worker->out.start, (unsigned)bytes.len);
    worker->write.data = worker;
    if (!buf_ok(&worker->out) ||
        uv_write(&worker->write, (uv_stream_t *)&worker->pipe, &room, 1, on_written) != 0)
        leave(worker, EXIT_NONSENSE);
}

static void on_done(struct op *op)
{
    struct worker *worker = op_owner(op);
    if (op->err.code == ERR_NO_MEMORY)
        err_set(&op->err, ERR_TOO_LARGE,
                "the statement takes more memory than it may; sort, group or join less");
    send_reply(worker);
    op_release(op);
    arena_fini(&worker->arena);
    buf_fini(&worker->asked);
    worker->is_busy = false;
}

/* So much of the processor may the next statement take, beside what was taken: the kernel ends a
 * process whose parent forgot it. */
static void limit_cpu(uint64_t timeout_ms)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0)
        return;
    uint64_t seconds = (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec;
    struct rlimit limit = {.rlim_cur = seconds + 2 * (timeout_ms / 1000) + CPU_SLACK_S,
                           .rlim_max = RLIM_INFINITY};
    (void)setrlimit(RLIMIT_CPU, &limit);
}

static void begin_statement(struct worker *worker, struct str body)
{
    buf_init(&worker->asked, FRAME_BYTES);
    buf_push(&worker->asked, body);
    arena_init(&worker->arena, ARENA_BYTES);
    if (worker->is_busy || !buf_ok(&worker->asked) ||
        sql_wire_read_statement(buf_str(&worker->asked), &worker->arena, &worker->statement) !=
            ERR_OK) {
        leave(worker, EXIT_NONSENSE);
        return;
    }
    worker->is_busy = true;
    worker->query = (struct sql_query){.impl = NULL};
    limit_cpu(worker->statement.timeout_ms);
    sql_query_start(&worker->query, worker->sql, &worker->statement,
                    (struct op_waiter){.done = on_done, .owner = worker});
}

static void take_frames(struct worker *worker)
{
    enum sql_wire_kind kind;
    enum sql_wire_found found;
    struct str body;
    while ((found = sql_wire_next(buf_str(&worker->in), FRAME_BYTES, &kind, &body)) ==
           SQL_WIRE_WHOLE) {
        if (kind == SQL_WIRE_STATEMENT)
            begin_statement(worker, body);
        else if (kind == SQL_WIRE_CANCEL && worker->is_busy)
            op_cancel(&worker->query.op);
        buf_consume(&worker->in, SQL_WIRE_HEAD_BYTES + body.len);
    }
    if (found == SQL_WIRE_WRONG)
        leave(worker, EXIT_NONSENSE);
}

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *room)
{
    struct worker *worker = handle->data;
    (void)wanted;
    char *at = buf_reserve(&worker->in, READ_BYTES);
    *room = uv_buf_init(at, at == NULL ? 0 : READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct worker *worker = stream->data;
    (void)room;
    if (count < 0) {
        leave(worker, count == UV_EOF ? EXIT_FINE : EXIT_NONSENSE);
    } else if (count > 0) {
        buf_commit(&worker->in, (size_t)count);
        take_frames(worker);
    }
}

/* A terminal, or systemd, sends these to all processes of askd; the parent decides what becomes of
 * statements, and ends its children by closing their sockets. */
static void ignore_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < countof(ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
}

/* Sanitizers reserve more addresses than any limit allows. */
static void limit_process(int fd)
{
    const struct rlimit none = {0, 0}, fds = {MAX_FDS, MAX_FDS};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)close_range((unsigned)fd + 1, ~0U, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)setrlimit(RLIMIT_NOFILE, &fds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit address = {ADDRESS_BYTES, ADDRESS_BYTES};
    (void)setrlimit(RLIMIT_AS, &address);
#endif
    (void)sqlite3_hard_heap_limit64(HEAP_BYTES);
}

int sqlite_worker_main(int fd, const char *path)
{
    struct worker worker = {.status = EXIT_NONSENSE};
    ignore_signals();
    limit_process(fd);
    worker.loop = loop_create();
    if (worker.loop == NULL)
        return EXIT_NONSENSE;
    worker.sql = sql_sqlite_create(worker.loop, path, 1, 1);
    buf_init(&worker.in, FRAME_BYTES + READ_BYTES);
    CHECK(uv_pipe_init(loop_uv(worker.loop), &worker.pipe, 0) == 0);
    worker.pipe.data = &worker;
    if (worker.sql != NULL && uv_pipe_open(&worker.pipe, fd) == 0 &&
        uv_read_start((uv_stream_t *)&worker.pipe, give_room, on_read) == 0)
        loop_run(worker.loop);
    /* Not undone: a thread may be in the middle of a statement that nobody can stop. */
    _exit(worker.status);
}

/* SPDX-License-Identifier: MIT */
/* server/http/conn_out.c - two bufs: one gathers, the other is being written.
 *
 * Happy path: flush tries to write all of gathering; what the kernel does not take becomes
 * sending, is queued with one uv_write, and gathering starts anew behind it.
 * Failure: a write error or a peer that takes nothing for write_ms breaks it: told once, on a later
 * turn; what comes after is dropped. */
#include "server/http/conn_out.h"

#include <uv.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"

enum { KEEP_BYTES = 16 * 1024 }; /* more than that goes back to memory when all is sent */

struct conn_out {
    struct conn_out_options options;
    struct buf gathering, sending;
    struct timer progress;
    struct loop_task broken_task;
    uv_write_t write;
    uint64_t total;
    size_t left; /* of sending, when the progress timer was started */
    bool writing, high, broken, stopped;
};

struct conn_out *conn_out_create(const struct conn_out_options *options)
{
    struct conn_out *out = mem_zalloc(1, sizeof *out);
    if (out == NULL)
        return NULL;
    out->options = *options;
    out->write.data = out;
    buf_init(&out->gathering, options->limit_bytes);
    buf_init(&out->sending, options->limit_bytes);
    return out;
}

void conn_out_stop(struct conn_out *out)
{
    out->stopped = true;
    timer_stop(&out->progress);
    loop_unpost(&out->broken_task);
}

void conn_out_destroy(struct conn_out *out)
{
    if (out == NULL)
        return;
    conn_out_stop(out);
    CHECK(!out->writing);
    buf_fini(&out->gathering);
    buf_fini(&out->sending);
    mem_free(out);
}

struct buf *conn_out_buf(struct conn_out *out)
{
    return &out->gathering;
}

size_t conn_out_pending(const struct conn_out *out)
{
    return buf_len(&out->gathering) + (out->writing ? buf_len(&out->sending) : 0);
}

bool conn_out_is_high(struct conn_out *out)
{
    if (conn_out_pending(out) < out->options.high_bytes)
        return false;
    out->high = true;
    return true;
}

uint64_t conn_out_total(const struct conn_out *out)
{
    return out->total;
}

static void tell_broken(struct loop_task *task)
{
    struct conn_out *out = container_of(task, struct conn_out, broken_task);
    out->options.on_broken(out->options.owner);
}

static void break_off(struct conn_out *out)
{
    if (out->broken || out->stopped)
        return;
    out->broken = true;
    buf_clear(&out->gathering);
    timer_stop(&out->progress);
    loop_post(out->options.loop, &out->broken_task, tell_broken);
}

static void check_progress(struct timer *timer)
{
    struct conn_out *out = container_of(timer, struct conn_out, progress);
    size_t left = uv_stream_get_write_queue_size(out->options.stream);
    if (left >= out->left) {
        break_off(out);
        return;
    }
    out->left = left;
    timer_start(&out->progress, out->options.loop, out->options.write_ms, check_progress);
}

static void give_back(struct buf *buf)
{
    if (buf->cap > KEEP_BYTES) {
        size_t limit = buf->limit;
        buf_fini(buf);
        buf_init(buf, limit);
    } else {
        buf_clear(buf);
    }
}

static void on_written(uv_write_t *write, int status)
{
    struct conn_out *out = write->data;
    out->writing = false;
    if (status == 0)
        out->total += buf_len(&out->sending);
    give_back(&out->sending);
    if (out->stopped)
        return;
    timer_stop(&out->progress);
    if (status != 0) {
        break_off(out);
        return;
    }
    conn_out_flush(out);
    if (out->broken)
        return;
    if (conn_out_pending(out) == 0) {
        bool was_high = out->high;
        out->high = false;
        if (was_high)
            out->options.on_drained(out->options.owner);
        else
            out->options.on_sent(out->options.owner);
    } else if (out->high && conn_out_pending(out) <= out->options.high_bytes / 2) {
        out->high = false;
        out->options.on_drained(out->options.owner);
    }
}

static void queue_rest(struct conn_out *out)
{
    struct buf spare = out->sending;
    out->sending = out->gathering;
    out->gathering = spare;
    struct str rest = buf_str(&out->sending);
    uv_buf_t piece = {.base = (char *)(uintptr_t)rest.at, .len = rest.len};
    if (uv_write(&out->write, out->options.stream, &piece, 1, on_written) != 0) {
        buf_clear(&out->sending);
        break_off(out);
        return;
    }
    out->writing = true;
    out->left = rest.len;
    timer_start(&out->progress, out->options.loop, out->options.write_ms, check_progress);
}

void conn_out_flush(struct conn_out *out)
{
    struct str bytes = buf_str(&out->gathering);
    if (out->broken || out->stopped) {
        buf_clear(&out->gathering);
        return;
    }
    if (!buf_ok(&out->gathering)) {
        break_off(out);
        return;
    }
    if (out->writing || bytes.len == 0)
        return;
    uv_buf_t piece = {.base = (char *)(uintptr_t)bytes.at, .len = bytes.len};
    int sent = uv_try_write(out->options.stream, &piece, 1);
    if (sent < 0 && sent != UV_EAGAIN) {
        break_off(out);
        return;
    }
    if (sent > 0) {
        out->total += (size_t)sent;
        buf_consume(&out->gathering, (size_t)sent);
    }
    if (buf_len(&out->gathering) == 0)
        give_back(&out->gathering);
    else
        queue_rest(out);
}

/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_conn_poll.c - one uv_poll_t per descriptor number, freed when libuv has closed
 * it.
 *
 * Happy path: started again and again on the same number, which costs no new handle.
 * Failure: no memory for a handle. libuv reports POLLERR as an error and stops polling; the owner
 * asks libpq and starts anew if the connection lives. */
#include "backends/sql/pg_conn_poll.h"

#include <uv.h>

#include "core/base/mem.h"

struct pg_conn_poll_handle {
    uv_poll_t uv;
    int fd;
    pg_conn_poll_fn *on_ready;
    void *owner;
};

static void on_poll(uv_poll_t *uv, int status, int events)
{
    struct pg_conn_poll_handle *handle = container_of(uv, struct pg_conn_poll_handle, uv);
    (void)status;
    (void)events;
    handle->on_ready(handle->owner);
}

static void on_handle_closed(uv_handle_t *closed)
{
    mem_free(container_of(closed, struct pg_conn_poll_handle, uv));
}

bool pg_conn_poll_start(struct pg_conn_poll *poll, struct loop *loop, int fd, bool write,
                        pg_conn_poll_fn *on_ready, void *owner)
{
    if (poll->handle != NULL && poll->handle->fd != fd)
        pg_conn_poll_stop(poll);
    if (poll->handle == NULL) {
        struct pg_conn_poll_handle *handle = mem_zalloc(1, sizeof *handle);
        if (handle == NULL)
            return false;
        if (uv_poll_init(loop_uv(loop), &handle->uv, fd) != 0) {
            mem_free(handle); /* untested: a socket can always be polled */
            return false;
        }
        handle->fd = fd;
        poll->handle = handle;
    }
    poll->handle->on_ready = on_ready;
    poll->handle->owner = owner;
    return uv_poll_start(&poll->handle->uv, write ? UV_READABLE | UV_WRITABLE : UV_READABLE,
                         on_poll) == 0;
}

void pg_conn_poll_pause(struct pg_conn_poll *poll)
{
    if (poll->handle != NULL)
        uv_poll_stop(&poll->handle->uv);
}

void pg_conn_poll_stop(struct pg_conn_poll *poll)
{
    struct pg_conn_poll_handle *handle = poll->handle;
    if (handle == NULL)
        return;
    poll->handle = NULL;
    uv_poll_stop(&handle->uv);
    uv_close((uv_handle_t *)&handle->uv, on_handle_closed);
}

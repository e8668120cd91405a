/* SPDX-License-Identifier: MIT */
/* server/http/conn_site.c - all connections of one loop.
 *
 * Failure: no memory for the scratch that reads go through. */
#include "core/base/mem.h"
#include "server/http/conn.h"

enum err_code conn_site_open(struct channel_site *site)
{
    list_init(&site->conns);
    site->count = site->stream_count = 0;
    site->body_bytes = 0;
    site->draining = false;
    site->scratch = mem_alloc(CONN_SCRATCH_BYTES);
    return site->scratch == NULL ? ERR_NO_MEMORY : ERR_OK;
}

void conn_site_drain(struct channel_site *site)
{
    site->draining = true;
    LIST_EACH_SAFE(link, &site->conns)
        conn_close_idle(conn_of_link(link));
}

void conn_site_cut(struct channel_site *site)
{
    site->draining = true;
    LIST_EACH_SAFE(link, &site->conns)
        conn_cut(conn_of_link(link));
}

void conn_site_close(struct channel_site *site)
{
    CHECK(site->count == 0);
    mem_free(site->scratch);
    site->scratch = NULL;
}

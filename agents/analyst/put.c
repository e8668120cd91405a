/* SPDX-License-Identifier: MIT */
/* agents/analyst/put.c - writes into the buffer and puts its text into the slot. */
#include "agents/analyst/put.h"

#include "agents/analyst/state.h"
#include "agents/nodes/search.h"
#include "proto/json_write.h"

void analyst_put_begin(struct analyst_put *put, struct json_write *json)
{
    buf_init(&put->buf, ANALYST_PUT_BYTES);
    json_write_init(json, &put->buf);
}

bool analyst_put_end(struct analyst_put *put, struct node *node, unsigned slot)
{
    bool fits = buf_ok(&put->buf) && arena_ok(node_arena(node));
    if (fits)
        node_put_str(node, slot, buf_str(&put->buf));
    buf_fini(&put->buf);
    return fits;
}

enum step analyst_put_fail(struct node *node, const char *what)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "%s: %s does not fit into the run's memory", node_name(node),
            what);
    return node_fail(node, &err);
}

size_t analyst_put_hits(struct node *node, const struct search_hit **hits)
{
    *hits = NULL;
    if (!node_has(node, ANALYST_RETRIEVED_CONTEXT))
        return 0;
    return search_read_hits(node_arena(node), node_str(node, ANALYST_RETRIEVED_CONTEXT), hits);
}

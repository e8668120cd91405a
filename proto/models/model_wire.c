/* SPDX-License-Identifier: MIT */
/* proto/models/model_wire.c - what the three wires differ in outside of their bodies.
 *
 * Failure: none but a full buf, which says so itself. */
#include "proto/models/model_wire.h"

struct str model_wire_base(struct str base)
{
    while (str_ends_with(base, STR("/")))
        base.len--;
    return base;
}

struct str model_wire_auth_name(const struct model_endpoint *endpoint)
{
    static const struct str names[] = {[MODEL_WIRE_OPENAI] = STR("Authorization"),
                                       [MODEL_WIRE_AZURE] = STR("api-key"),
                                       [MODEL_WIRE_ANTHROPIC] = STR("x-api-key")};
    return endpoint->key.len == 0 ? (struct str){NULL, 0} : names[endpoint->dialect];
}

void model_wire_write_auth(struct buf *buf, const struct model_endpoint *endpoint)
{
    if (endpoint->key.len > 0 && endpoint->dialect == MODEL_WIRE_OPENAI)
        buf_push(buf, STR("Bearer "));
    buf_push(buf, endpoint->key);
}

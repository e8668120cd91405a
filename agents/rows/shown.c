/* SPDX-License-Identifier: MIT */
/* agents/rows/shown.c - takes a member out of the JSON that a node put. */
#include "agents/rows/shown.h"

#include "core/base/buf.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { SHOWN_BYTES = 1024 * 1024 }; /* a prompt's rows, and what JSON adds to them at worst */

struct str rows_shown(struct node *node, unsigned shown, struct str name)
{
    const struct json_value *value = json_value_member(
        json_value_parse(node_arena(node), node_str(node, shown), NULL, NULL), name);
    struct buf out;
    struct json_write writer;
    if (value == NULL || value->type == JSON_STRING)
        return value == NULL ? STR("") : value->text;
    buf_init(&out, SHOWN_BYTES);
    json_write_init(&writer, &out);
    json_value_write(value, &writer);
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

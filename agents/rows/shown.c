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
    if (value == NULL || value->type == JSON_STRING)
        return value == NULL ? STR("") : value->text;
    struct str text = json_value_text(value, node_arena(node), SHOWN_BYTES);
    return str_is_absent(text) ? STR("") : text;
}

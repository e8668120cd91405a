/* SPDX-License-Identifier: MIT */
/* agents/common/members.c - appends a comma, a key, and a value written by json_write. */
#include "agents/common/members.h"

#include "proto/json_write.h"

static void begin_member(struct buf *out, const char *key)
{
    struct json_write writer;
    if (buf_len(out) > 0)
        buf_push_char(out, ',');
    json_write_init(&writer, out);
    json_write_str(&writer, str_of(key));
    buf_push_char(out, ':');
}

void members_str(struct buf *out, const char *key, struct str value)
{
    struct json_write writer;
    if (str_is_absent(value))
        return;
    begin_member(out, key);
    json_write_init(&writer, out);
    json_write_str(&writer, value);
}

void members_raw(struct buf *out, const char *key, struct str value)
{
    if (str_is_absent(value))
        return;
    begin_member(out, key);
    buf_push(out, value);
}

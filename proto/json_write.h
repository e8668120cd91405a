/* SPDX-License-Identifier: MIT */
/* proto/json_write.h - values -> compact JSON in a buf.
 *
 * Commas and colons come by themselves; wrong nesting is our mistake and CHECKed. Output is always
 * valid UTF-8 on one line: control characters are escaped, broken bytes become U+FFFD. Allocates
 * only when buf grows. Ask buf_ok at the end. One thread. */
#ifndef PROTO_JSON_WRITE_H
#define PROTO_JSON_WRITE_H

#include "core/base/buf.h"

enum { JSON_WRITE_MAX_DEPTH = 64 };

struct json_write {
    /* private */
    struct buf *buf;
    unsigned depth;
    uint64_t objects; /* bit n: level n is an object */
    bool needs_comma; /* a value came before at this level */
    bool has_key;     /* a key waits for its value */
    bool is_complete; /* the one value at the top is written */
};

/* Begin one JSON value at the end of buf, which is the caller's. */
void json_write_init(struct json_write *writer, struct buf *buf);
/* Whether exactly one value was written and it is closed; with buf_ok, the end of the matter. */
bool json_write_is_complete(const struct json_write *writer);

void json_write_object(struct json_write *writer);
void json_write_object_end(struct json_write *writer);
void json_write_array(struct json_write *writer);
void json_write_array_end(struct json_write *writer);
/* The name of the next value, inside an object. */
void json_write_key(struct json_write *writer, struct str key);

void json_write_str(struct json_write *writer, struct str value);
void json_write_i64(struct json_write *writer, int64_t value);
void json_write_u64(struct json_write *writer, uint64_t value);
/* The shortest text that reads back the same; infinite and NaN become null. */
void json_write_double(struct json_write *writer, double value);
void json_write_bool(struct json_write *writer, bool value);
void json_write_null(struct json_write *writer);
/* One value that is JSON already; the caller vouches for it. */
void json_write_raw(struct json_write *writer, struct str json);

/* A key and its value; the absent str writes nothing at all. */
void json_write_member_str(struct json_write *writer, struct str key, struct str value);
void json_write_member_i64(struct json_write *writer, struct str key, int64_t value);
void json_write_member_u64(struct json_write *writer, struct str key, uint64_t value);
void json_write_member_double(struct json_write *writer, struct str key, double value);
void json_write_member_bool(struct json_write *writer, struct str key, bool value);
void json_write_member_raw(struct json_write *writer, struct str key, struct str json);

/* s as a JSON string at the end of buf, without a writer: where what is around it is fixed. */
void json_write_quoted(struct buf *buf, struct str s);

#endif

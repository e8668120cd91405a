/* SPDX-License-Identifier: MIT */
/* proto/json_read.h - a pull reader over one JSON text in memory: no allocation, no recursion.
 *
 * Strict RFC 8259: well-formed UTF-8, no lone surrogates, no leading zeros, nothing after the
 * value. Views point into the text. After JSON_TOKEN_ERROR every call gives it again. json_value
 * builds a tree with this. One thread. */
#ifndef PROTO_JSON_READ_H
#define PROTO_JSON_READ_H

#include "core/base/buf.h"
#include "core/base/err.h"

enum json_token {
    JSON_TOKEN_ERROR,
    JSON_TOKEN_END, /* the text is complete */
    JSON_TOKEN_NULL,
    JSON_TOKEN_TRUE,
    JSON_TOKEN_FALSE,
    JSON_TOKEN_NUMBER, /* text: as written */
    JSON_TOKEN_STRING, /* text: between the quotes, escapes and all */
    JSON_TOKEN_KEY,    /* text: a member's name, so; its value follows */
    JSON_TOKEN_OBJECT, /* '{' */
    JSON_TOKEN_OBJECT_END,
    JSON_TOKEN_ARRAY,
    JSON_TOKEN_ARRAY_END
};

enum { JSON_READ_MAX_DEPTH = 64 };

struct json_read {
    struct str text;  /* of the last NUMBER, STRING or KEY */
    bool has_escapes; /* text needs json_read_unescape */
    bool is_integer;  /* NUMBER: neither fraction nor exponent */
    unsigned depth;   /* open objects and arrays */
    /* private */
    const char *begin, *at, *end;
    uint64_t objects;    /* bit n: level n is an object */
    int expect;          /* what may come next; the source's enum */
    const char *problem; /* static; set once */
    bool refuse_nul;
};

/* Start on text, which stays put while reading. */
void json_read_init(struct json_read *reader, struct str text);
/* json_read_init, but \u0000 in a string is an error. */
void json_read_init_no_nul(struct json_read *reader, struct str text);

enum json_token json_read_next(struct json_read *reader);
/* Skip to the end of the value that token began, or, after a KEY, over the key's value. False: the
 * text is broken. */
MUST_USE bool json_read_skip(struct json_read *reader, enum json_token token);

/* Whether the last KEY or STRING, unescaped, equals plain. */
bool json_read_is(const struct json_read *reader, struct str plain);
/* The last STRING or KEY unescaped: a view of the text when it has no escapes, else appended to
 * scratch and a view of that. Absent: scratch is full. */
struct str json_read_unescape(const struct json_read *reader, struct buf *scratch);
/* Unescape the last STRING or KEY into to, which has room for text.len bytes; returns the length
 * written. */
size_t json_read_unescape_to(const struct json_read *reader, char *to);
/* The last NUMBER; false when it is not an integer or out of range. */
MUST_USE bool json_read_i64(const struct json_read *reader, int64_t *value);
/* The last NUMBER; false when it is infinite or longer than 64 bytes. */
MUST_USE bool json_read_double(const struct json_read *reader, double *value);

/* After JSON_TOKEN_ERROR: "expected ',' or '}' at byte 17", as ERR_INVALID. */
enum err_code json_read_error(const struct json_read *reader, struct err *err);
/* Bytes read so far. */
size_t json_read_offset(const struct json_read *reader);

#endif

/* SPDX-License-Identifier: MIT */
/* proto/json_value.h - a JSON text as a tree in an arena, and typed access with JSON pointers.
 *
 * For request bodies, answers and files; the token path uses json_read. Everything lives as long
 * as the arena; strings without escapes are views of the text, which must live as long too.
 * A tree does not change. Any thread may read it. */
#ifndef PROTO_JSON_VALUE_H
#define PROTO_JSON_VALUE_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct json_write;

enum json_type {
    JSON_NULL,
    JSON_BOOL,
    JSON_INT,    /* written as an integer and fits int64 */
    JSON_DOUBLE, /* any other number */
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_value {
    enum json_type type;
    bool boolean;
    int64_t integer;          /* JSON_INT */
    double number;            /* JSON_INT and JSON_DOUBLE */
    struct str text;          /* JSON_STRING: unescaped; numbers: as written */
    struct str key;           /* of a member, unescaped; absent in arrays and at the root */
    struct json_value *first; /* items or members in order */
    struct json_value *next;  /* the next sibling */
    size_t count;             /* items or members */
    /* private */
    const struct json_value **by_key; /* sorted members of a large object */
};

#define JSON_EACH(item, parent)                                                                    \
    for (const struct json_value *item = (parent)->first; item != NULL; item = item->next)

struct json_limits {
    size_t text_bytes;     /* 0: no limit but the arena's */
    unsigned depth;        /* 0: 64, which is also the most */
    bool allow_duplicates; /* all are kept, lookups find the last; else refused */
    bool refuse_nul;       /* \u0000 in strings and keys is refused */
};

/* Parse the whole text. limits may be NULL. NULL: err says what and at which byte; ERR_INVALID,
 * ERR_TOO_LARGE or ERR_NO_MEMORY. */
const struct json_value *json_value_parse(struct arena *arena, struct str text,
                                          const struct json_limits *limits, struct err *err);

/* The member called key, the last of several; NULL: none, or object is NULL or no object. */
const struct json_value *json_value_member(const struct json_value *object, struct str key);
/* The value a JSON pointer (RFC 6901: "/conversation/id", "/items/0", "") names below root; NULL:
 * none. An index into an array is walked to. */
const struct json_value *json_value_find(const struct json_value *root, const char *pointer);

/* Typed access below root by JSON pointer. ERR_NOT_FOUND: nothing is there, or null. ERR_INVALID:
 * another type or out of range. Text: "/conversation/id: expected a string, got a number".
 * *value is untouched on failure. */
MUST_USE enum err_code json_value_str(const struct json_value *root, const char *pointer,
                                      struct str *value, struct err *err);
MUST_USE enum err_code json_value_i64(const struct json_value *root, const char *pointer,
                                      int64_t *value, struct err *err);
MUST_USE enum err_code json_value_double(const struct json_value *root, const char *pointer,
                                         double *value, struct err *err);
MUST_USE enum err_code json_value_bool(const struct json_value *root, const char *pointer,
                                       bool *value, struct err *err);
MUST_USE enum err_code json_value_object(const struct json_value *root, const char *pointer,
                                         const struct json_value **value, struct err *err);
MUST_USE enum err_code json_value_array(const struct json_value *root, const char *pointer,
                                        const struct json_value **value, struct err *err);

/* "a string", "an object", ... for messages; "nothing" for NULL. Static. */
const char *json_value_type_name(const struct json_value *value);
/* Write the tree as one value; numbers as they were written. */
void json_value_write(const struct json_value *value, struct json_write *writer);
/* The same as a text in arena. Absent: no memory, or more than most bytes. */
struct str json_value_text(const struct json_value *value, struct arena *arena, size_t most);

#endif

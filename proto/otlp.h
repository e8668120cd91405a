/* SPDX-License-Identifier: MIT */
/* proto/otlp.h - spans -> the JSON form of OTLP's trace export request.
 *
 * Ids are lower-case hex, 64-bit numbers decimal strings, enums numbers, keys camelCase; what is
 * absent is left out. One request: otlp_begin, a comma and a span any number of times, otlp_end.
 * No I/O; one thread. */
#ifndef PROTO_OTLP_H
#define PROTO_OTLP_H

#include "core/base/arena.h"
#include "core/base/buf.h"

enum otlp_kind { OTLP_INTERNAL = 1, OTLP_SERVER = 2, OTLP_CLIENT = 3 };
enum otlp_type { OTLP_TEXT, OTLP_INT, OTLP_REAL, OTLP_BOOL, OTLP_TEXTS };

struct otlp_attribute {
    const char *key;
    enum otlp_type type;
    struct str text; /* OTLP_TEXTS: a list of this one; absent: the attribute is left out */
    int64_t integer; /* OTLP_BOOL: 0 or 1 */
    double real;
};

enum { OTLP_MAX_ATTRIBUTES = 24 };

struct otlp_span {
    const char *trace_id, *span_id, *parent_id; /* hex; parent_id NULL: a root */
    enum otlp_kind kind;
    char name[128];
    uint64_t began_ns, ended_ns; /* since 1970 */
    struct otlp_attribute attributes[OTLP_MAX_ATTRIBUTES];
    size_t attribute_count;
    bool is_error;
    struct str message; /* of the error; absent: none is told */
};

/* One more attribute; past the most there may be it is left out. */
void otlp_put_text(struct otlp_span *span, const char *key, struct str value);
void otlp_put_texts(struct otlp_span *span, const char *key, struct str only);
void otlp_put_int(struct otlp_span *span, const char *key, int64_t value);
void otlp_put_real(struct otlp_span *span, const char *key, double value);
void otlp_put_bool(struct otlp_span *span, const char *key, bool value);

/* What all spans of a process have in common. */
struct otlp_resource {
    struct str service_name, version, instance;
    struct str attributes; /* "key=value,key=value", percent-encoded, as OTEL_RESOURCE_ATTRIBUTES
                              has it; pairs that are none are passed over */
};

void otlp_begin(const struct otlp_resource *resource, struct buf *out);
void otlp_write_span(const struct otlp_span *span, struct buf *out);
void otlp_end(struct buf *out);

/* A list of headers, "name=value,name=value" with percent-encoded values: cuts the next pair off
 * *rest, its value decoded in arena. False: no more; what is no pair is passed over. */
MUST_USE bool otlp_next_pair(struct arena *arena, struct str *rest, struct str *name,
                             struct str *value);

#endif

/* SPDX-License-Identifier: MIT */
/* server/http/problem.h - a failure before the stream -> status and RFC 9457 body naming the field.
 *
 * Only values and bytes; who sends them is exchange's affair. */
#ifndef SERVER_HTTP_PROBLEM_H
#define SERVER_HTTP_PROBLEM_H

#include "core/base/buf.h"
#include "core/base/err.h"

enum { PROBLEM_POINTER_BYTES = 128 };

enum { PROBLEM_RETRY_AFTER = 1 }; /* seconds after which who was turned away may come again */

struct problem {
    int status;
    const char *code; /* of the closed list: "invalid_request", "overloaded", ...; static */
    char pointer[PROBLEM_POINTER_BYTES]; /* JSON pointer into the body; "": none */
    struct err err;                      /* text: what, where, what now */
    unsigned retry_after;                /* seconds; 0: no header */
    const char *allow;                   /* 405: the Allow header; static */
};

/* How a kind of client reads problems; without one they are RFC 9457's. */
struct problem_style {
    const char *type;       /* of the content */
    int invalid_status;     /* what stands for our 422 */
    int unsupported_status; /* what stands for our 501 of a member of the body */
    void (*write)(const struct problem *problem, const char *request_id, struct buf *out);
};

/* Fill it and return false, so that a check can end with `return problem_set(...)`. */
bool problem_set(struct problem *problem, int status, const char *code, const char *fmt, ...)
    PRINTF(4, 5);
/* problem_set for the field at pointer: 422 invalid_request. */
bool problem_field(struct problem *problem, const char *pointer, const char *fmt, ...) PRINTF(3, 4);
/* 501: feature, at pointer, is not built. */
bool problem_unsupported(struct problem *problem, const char *pointer, const char *feature);
/* The code that goes with a status when there is none better. */
const char *problem_code(int status);
/* The body; request_id may be empty. */
void problem_write(const struct problem *problem, const char *request_id, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* core/base/err.h - a failure: a code a program acts on and a sentence a person acts on.
 *
 * The code set is closed: each exists because some caller treats it differently. Text is one line,
 * says what was expected and what came, and is never NULL. Any thread; only err_keep allocates. */
#ifndef CORE_BASE_ERR_H
#define CORE_BASE_ERR_H

#include "core/base/defs.h"

/* X(NAME, wire name, HTTP status, retryable) */
#define ERR_CODES(X)                                                                               \
    X(OK, "ok", 200, false)                                                                        \
    X(CANCELLED, "cancelled", 499, true)     /* somebody asked for it */                           \
    X(TIMEOUT, "timeout", 504, true)         /* its deadline passed */                             \
    X(UNAVAILABLE, "unavailable", 503, true) /* try elsewhere */                                   \
    X(BUSY, "busy", 429, true)               /* try later */                                       \
    X(REJECTED, "rejected", 422, false)      /* do not try again */                                \
    X(INVALID, "invalid", 400, false)        /* the input is wrong */                              \
    X(NOT_FOUND, "not_found", 404, false)                                                          \
    X(GONE, "gone", 410, false)                                                                    \
    X(TOO_LARGE, "too_large", 413, false)                                                          \
    X(DENIED, "denied", 403, false)                                                                \
    X(CONFLICT, "conflict", 409, false)                                                            \
    X(NOT_CONFIGURED, "not_configured", 503, false) /* an operator must set something */           \
    X(LIMIT, "limit", 500, false)                   /* a budget of the graph is spent */           \
    X(NO_MEMORY, "no_memory", 503, true)                                                           \
    X(PROTOCOL, "protocol", 502, true) /* a peer spoke nonsense */                                 \
    X(INTERNAL, "internal", 500, false)

enum err_code {
#define ERR_ENUM(name, text, status, retry) ERR_##name,
    ERR_CODES(ERR_ENUM)
#undef ERR_ENUM
        ERR_CODE_COUNT
};

enum { ERR_TEXT_BYTES = 480 };

struct err {
    enum err_code code;
    char text[ERR_TEXT_BYTES]; /* UTF-8, cut at a character, NUL-terminated */
};

/* Fill err (NULL is fine) and return code. */
enum err_code err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF(3, 4);
/* Put "prefix: " before the text that is there. */
void err_prefix(struct err *err, const char *prefix);

/* "timeout" and so on; static. */
const char *err_name(enum err_code code);
/* The HTTP status that says it best. */
int err_http_status(enum err_code code);
/* Whether the same request may succeed when sent again. */
bool err_is_retryable(enum err_code code);

/* A failure that a structure keeps for longer than a call: two words while there is none. Zeroed:
 * none, without a text. */
struct err_kept {
    enum err_code code;
    const char *text; /* "" of ERR_OK */
};

/* Keep a copy of err, which may be what is kept already, in place of that. Without memory for the
 * text the code's name is the text. */
void err_keep(struct err_kept *kept, const struct err *err);
/* The whole of it, borrowed until the next err_keep or err_forget. */
const struct err *err_kept(const struct err_kept *kept);
/* Give the text's memory back: what is left is the code, and its name as the text. */
void err_forget(struct err_kept *kept);

#endif

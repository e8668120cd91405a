/* SPDX-License-Identifier: MIT */
/* proto/openai_answer.h - what a chat-completions server says: chunks, whole answers, errors.
 *
 * Tolerant: unknown members are skipped, absent and null ones are absent; only what is not JSON or
 * has the wrong type where we look is refused. Only the first choice is read. A chunk costs no
 * allocation once scratch has grown. One thread. */
#ifndef PROTO_OPENAI_ANSWER_H
#define PROTO_OPENAI_ANSWER_H

#include "core/base/buf.h"
#include "core/base/err.h"

enum openai_finish {
    OPENAI_FINISH_NONE, /* not yet */
    OPENAI_FINISH_STOP,
    OPENAI_FINISH_LENGTH,         /* max_tokens was reached */
    OPENAI_FINISH_CONTENT_FILTER, /* the provider cut it */
    OPENAI_FINISH_OTHER           /* tool_calls and what may come */
};

struct openai_usage {
    uint64_t prompt_tokens, completion_tokens;
};

/* Views into the data given, or into scratch. */
struct openai_answer {
    struct str content; /* absent: none here */
    struct str model;   /* as the server names it; absent: not said */
    struct str role;    /* absent: not said */
    enum openai_finish finish;
    bool has_usage;
    struct openai_usage usage;
    bool is_done; /* a stream's "[DONE]" */
};

/* One event of a stream. scratch is cleared and holds what had to be unescaped, until the next
 * call. ERR_PROTOCOL: not a chunk. A {"error": ...} in the stream gives the code that
 * openai_answer_error would and its message. ERR_NO_MEMORY: scratch. */
MUST_USE enum err_code openai_answer_chunk(struct str data, struct buf *scratch,
                                           struct openai_answer *answer, struct err *err);
/* The answer to a request without stream; scratch and errors are as of openai_answer_chunk. */
MUST_USE enum err_code openai_answer_whole(struct str body, struct buf *scratch,
                                           struct openai_answer *answer, struct err *err);
/* The body of an HTTP error, JSON or not, cut to what err holds, control bytes blanked:
 * "429: Rate limit reached". Returns the code: 401, 403 ERR_DENIED; 429 ERR_BUSY (ERR_REJECTED
 * when the quota is spent); 408, 409 and 5xx ERR_UNAVAILABLE; others ERR_REJECTED. */
enum err_code openai_answer_error(int status, struct str body, struct err *err);

#endif

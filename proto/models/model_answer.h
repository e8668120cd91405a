/* SPDX-License-Identifier: MIT */
/* proto/models/model_answer.h - what a model server's answer says, whichever wire it came by: a
 * piece of a stream, or a whole answer. Read by openai_answer and anthropic_answer. */
#ifndef PROTO_MODELS_MODEL_ANSWER_H
#define PROTO_MODELS_MODEL_ANSWER_H

#include "core/base/buf.h"
#include "core/base/err.h"

enum model_finish {
    MODEL_FINISH_NONE, /* not yet */
    MODEL_FINISH_STOP,
    MODEL_FINISH_LENGTH,         /* the most tokens were reached */
    MODEL_FINISH_CONTENT_FILTER, /* the provider cut it */
    MODEL_FINISH_REFUSAL,        /* the model declined */
    MODEL_FINISH_TOOL_CALL,      /* the model wants a tool */
    MODEL_FINISH_OTHER           /* what may come */
};

struct model_usage { /* 0: not said here */
    uint64_t prompt_tokens, completion_tokens;
    uint64_t cached_tokens;    /* of prompt_tokens: read from the provider's cache */
    uint64_t reasoning_tokens; /* of completion_tokens: thought, not said */
};

/* What a piece of an answer says of one call of a tool; model_calls puts pieces together. */
struct model_call_piece {
    int64_t index; /* which call, as the server counts them; -1: not said */
    struct str id, name;
    struct str arguments; /* the next bytes of their text, or the whole */
    bool is_whole;        /* arguments came as a JSON object instead of its text */
};

enum { MODEL_MOST_CALLS = 32 }; /* in one answer */

/* Views into the data given, or into scratch. */
struct model_answer {
    struct str content; /* absent: none here */
    struct str refusal; /* the words with which the model declines; absent: none here */
    struct str model;   /* as the server names it; absent: not said */
    struct str role;    /* absent: not said */
    enum model_finish finish;
    bool has_reasoning; /* the model thinks aloud here, apart from content */
    bool has_tool_call;
    bool has_usage;
    struct model_usage usage;
    bool is_done; /* nothing follows: "[DONE]", message_stop */
    size_t call_count;
    struct model_call_piece calls[MODEL_MOST_CALLS]; /* not cleared beyond call_count */
};

/* Reads one event of a stream, or a whole answer. scratch is cleared and holds what had to be
 * unescaped, until the next call. ERR_PROTOCOL: neither. An error object gives the code that
 * model_error would and its message. ERR_NO_MEMORY: scratch. */
typedef enum err_code model_answer_fn(struct str data, struct buf *scratch,
                                      struct model_answer *answer, struct err *err);

/* The finish that a server's word stands for: "stop", "end_turn", "max_tokens", ...; an empty
 * word is MODEL_FINISH_NONE. */
enum model_finish model_finish_of(struct str word);

#endif

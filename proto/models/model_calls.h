/* SPDX-License-Identifier: MIT */
/* proto/models/model_calls.h - the calls of tools in one answer of a model, put together from the
 * pieces in which they come.
 *
 * Servers differ in how they say which call a piece is of: a number each, the same number for all
 * calls (each then comes whole), a new id on each piece, no number at all. Memory is taken with the
 * first piece and bounded. One thread. */
#ifndef PROTO_MODELS_MODEL_CALLS_H
#define PROTO_MODELS_MODEL_CALLS_H

#include "proto/models/model_answer.h"
#include "proto/models/model_wire.h"

struct model_calls { /* zeroed: there are none */
    size_t count;
    /* private */
    struct model_call_slot *slots;
    size_t bytes; /* of all arguments */
};

/* Take a piece of an answer of at most limit_bytes. ERR_PROTOCOL: more calls than
 * MODEL_MOST_CALLS, or an id or a name that is none; ERR_TOO_LARGE; ERR_NO_MEMORY. */
MUST_USE enum err_code model_calls_take(struct model_calls *calls,
                                        const struct model_call_piece *piece, size_t limit_bytes,
                                        struct err *err);
/* The i-th call, borrowed until the next piece. Its id is empty when the server gave none;
 * arguments that never came are "{}". */
struct model_call model_calls_get(const struct model_calls *calls, size_t i);
/* Forget the calls and free their memory. */
void model_calls_clear(struct model_calls *calls);

/* Take the calls that a model wrote into its text, where its server has no parser for them:
 * <tool_call>{"name":...,"arguments":{...}}</tool_call>, [TOOL_CALLS][...], or nothing but such an
 * object or an array of them, perhaps fenced. Only calls of the tools offered count. How many were
 * taken; 0: the text is text. *before: what of it comes before the calls. */
MUST_USE size_t model_calls_read_text(struct model_calls *calls, struct str text,
                                      const struct model_tool *offered, size_t offered_count,
                                      size_t limit_bytes, struct str *before);

#endif

/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_plan.h - what to answer to one request, and which faults to commit on the way.
 *
 * Faults are asked for by the model's name: "mock" and any of the words below, joined by dashes, a
 * number after a word where it takes one: "mock-tokens-5-cut", "mock-slow-first-300". A script's
 * line may name them, too ("fault":"stall"). */
#ifndef TESTS_MOCKLLM_MOCK_PLAN_H
#define TESTS_MOCKLLM_MOCK_PLAN_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "proto/models/model_wire.h"
#include "tests/mockllm/mock_script.h"

/* X(member, word, number when none is given): the number counts tokens, ms, tokens a second, or
 * failures before a success. */
#define MOCK_FAULTS(X)                                                                             \
    X(tokens, "tokens", 0)            /* how many to generate */                                   \
    X(rate, "rate", 0)                /* tokens a second; 0: as fast as it goes */                 \
    X(slow_first, "slow-first", 3000) /* ms before the first token, after the head */              \
    X(silent, "silent", 1)            /* the request is read, nothing is ever said */              \
    X(cut, "cut", 3)                  /* after so many tokens the connection is closed */          \
    X(stall, "stall", 3)              /* after so many tokens nothing more comes */                \
    X(hold, "hold", 3)                /* after so many tokens it waits for POST /mock/release */   \
    X(error_mid, "error-mid", 3)      /* after so many tokens an error object, then the end */     \
    X(refuse_429, "429", 2)           /* so many requests, then one well */                        \
    X(refuse_500, "500", 1000000)                                                                  \
    X(refuse_503, "503", 2)                                                                        \
    X(refuse_401, "401", 1000000)                                                                  \
    X(refuse_404, "404", 1000000)                                                                  \
    X(retry_after, "retry-after", 20) /* ms said with 429 and 503 */                               \
    X(split, "split-utf8", 1)         /* every byte in a write and a chunk of its own */           \
    X(crlf, "crlf", 1)                /* CRLF line ends */                                         \
    X(comments, "comments", 1)        /* a comment before every event */                           \
    X(no_usage, "no-usage", 1)                                                                     \
    X(no_done, "no-done", 1)       /* finish_reason is there, [DONE] is not */                     \
    X(linger, "linger", 1)         /* the stream is not ended after [DONE] */                      \
    X(nonjson, "nonjson", 1)       /* 200 and a page of HTML */                                    \
    X(garbage, "garbage", 1)       /* an event that is not JSON */                                 \
    X(whole, "whole", 1)           /* one JSON although a stream was asked for */                  \
    X(length, "length", 1)         /* finish_reason "length" */                                    \
    X(filtered, "filtered", 1)     /* finish_reason "content_filter" */                            \
    X(refusal, "refusal", 1)       /* the model declines, in words of their own */                 \
    X(tool, "tool", 1)             /* a call of a tool that nobody offered, no text */             \
    X(same_index, "same-index", 1) /* every call has the number 0, and comes whole: Ollama */      \
    X(new_ids, "new-ids", 1)       /* an id of its own on each piece of a call: LM Studio */       \
    X(no_index, "no-index", 1)     /* pieces of calls have no number */                            \
    X(object_arguments, "object-arguments", 1) /* arguments are an object, not its text */         \
    X(calls_in_text, "calls-in-text", 1)       /* <tool_call> in content: no parser for them */    \
    X(empty, "empty", 1)                       /* so many answers without text, then one well */   \
    X(thinks, "thinks", 1)                     /* <think>...</think> before the text */            \
    X(unopened, "unopened", 1)                 /* the same, the first tag is the template's */     \
    X(reasoning, "reasoning", 1)               /* deltas of reasoning_content before the text */   \
    X(overthinks, "overthinks", 1)      /* finish "length" without text, unless there is room */   \
    X(parts, "parts", 1)                /* content is an array of parts */                         \
    X(cached, "cached", 5)              /* tokens of the prompt that the cache had */              \
    X(no_max_tokens, "newer-limit", 1)  /* wants max_completion_tokens */                          \
    X(no_limit, "no-limit", 1)          /* refuses both names */                                   \
    X(small_limit, "small-limit", 1000) /* refuses larger numbers */                               \
    X(no_temperature, "no-temperature", 1)                                                         \
    X(no_stream_options, "no-stream-options", 1)                                                   \
    X(no_json, "no-json", 1)                   /* refuses response_format */                       \
    X(slow_after_role, "slow-after-role", 300) /* ms between the role's chunk and the text */      \
    X(spent, "spent", 300)           /* x-ratelimit says: nothing remains, for so many ms */       \
    X(moderated, "moderated", 1)     /* 403 of a filter */                                         \
    X(overloaded, "overloaded", 1)   /* so many 529, then one well */                              \
    X(keyless, "keyless", 1)         /* refuses a request that shows a key */                      \
    X(drop, "drop", 1)               /* the connection is closed after the answer, unsaid */       \
    X(dims, "dims", 64)              /* embeddings: numbers of a vector */                         \
    X(wrong_dims, "wrong-dims", 1)   /* the second vector has one more */                          \
    X(wrong_count, "wrong-count", 1) /* the last vector is missing */                              \
    X(floats, "floats", 1)           /* base64 is refused */                                       \
    X(too_long, "too-long", 8000)    /* texts over so many bytes are refused */

struct mock_faults {
#define MOCK_MEMBER(member, word, number) int64_t member; /* -1: not asked for */
    MOCK_FAULTS(MOCK_MEMBER)
#undef MOCK_MEMBER
};

struct mock_plan {
    struct mock_faults faults;
    bool is_stream, wants_usage;
    bool is_anthropic; /* the wire; else OpenAI's */
    bool has_temperature, has_response_format;
    int64_t max_tokens, max_completion_tokens; /* -1: not sent */
    bool is_cached;                            /* Anthropic: the system text is marked */
    struct str model;
    const struct model_call *calls; /* scripted */
    size_t call_count;
    struct str reply; /* scripted; absent: generated tokens */
    uint64_t tokens, rate;
};

/* The faults that a model's name asks for. */
void mock_plan_faults(struct mock_faults *faults, struct str model);
/* Read the request's JSON. path_model: Azure's deployment, or absent. Views are in arena and in
 * the script. ERR_INVALID says what is wrong with it. */
MUST_USE enum err_code mock_plan_make(struct mock_plan *plan, struct arena *arena,
                                      struct mock_script *script, struct str path_model,
                                      struct str body, struct err *err);

#endif

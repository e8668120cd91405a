/* SPDX-License-Identifier: MIT */
/* backends/llm_answer.h - what is told of a model's answer besides its text: why it ended, what it
 * took. Data, and what it cost. */
#ifndef BACKENDS_LLM_ANSWER_H
#define BACKENDS_LLM_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

struct llm_usage {
    uint64_t prompt_tokens, completion_tokens;
    uint64_t cached_tokens;    /* of prompt_tokens: read from the provider's cache */
    uint64_t reasoning_tokens; /* of completion_tokens: thought, not said */
    bool estimated;            /* counted from deltas, not told by the provider */
};

struct llm_prices { /* of a million tokens, in whatever the deployment pays in; 0: not known */
    double input, cached_input, output;
};

/* What usage cost, in what prices are in. */
static inline double llm_cost(const struct llm_usage *usage, const struct llm_prices *prices)
{
    const double million = 1e6;
    uint64_t cached = usage->cached_tokens < usage->prompt_tokens ? usage->cached_tokens
                                                                  : usage->prompt_tokens;
    double cached_price = prices->cached_input > 0 ? prices->cached_input : prices->input;
    return ((double)(usage->prompt_tokens - cached) * prices->input +
            (double)cached * cached_price + (double)usage->completion_tokens * prices->output) /
           million;
}

/* Why an answer ended, of a call that ended well; LLM_FINISH_FILTER also of one that failed. */
enum llm_finish {
    LLM_FINISH_STOP,      /* by itself: all is said */
    LLM_FINISH_LENGTH,    /* at the most tokens: text is cut, or empty where all was thought */
    LLM_FINISH_FILTER,    /* by a filter of the provider: text is cut or empty */
    LLM_FINISH_REFUSAL,   /* the model declines; text is what it says of it, perhaps nothing */
    LLM_FINISH_TOOL_CALL, /* it calls tools, perhaps one that nobody offered; text is what it said
                             before */
    LLM_FINISH_EMPTY,     /* by itself, but nothing was said, in two tries */
    LLM_FINISH_OTHER      /* for a reason that is not known */
};

/* "stop", "length", "content_filter", "refusal", "tool_calls", "empty", "other". Static. */
static inline const char *llm_finish_name(enum llm_finish finish)
{
    static const char *const names[] = {"stop",       "length", "content_filter", "refusal",
                                        "tool_calls", "empty",  "other"};
    return names[finish];
}

#endif

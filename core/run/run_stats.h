/* SPDX-License-Identifier: MIT */
/* core/run/run_stats.h - what a run counts while it goes on; final once it has ended. Data only. */
#ifndef CORE_RUN_RUN_STATS_H
#define CORE_RUN_RUN_STATS_H

#include "core/base/str.h"

enum { RUN_STATS_MODELS = 8 }; /* more are not named */

struct run_stats {
    uint64_t answer_tokens, prompt_tokens, completion_tokens;
    uint64_t cached_tokens, reasoning_tokens; /* of prompt_tokens; of completion_tokens */
    double cost;                              /* by the prices of the models; 0: not known */
    uint64_t llm_calls, sql_attempts;
    uint64_t candidates; /* statements for one question whose rows were compared; 0: none were */
    bool decided;        /* they differed, and a model decided */
    uint64_t started_ms, duration_ms, ttft_ms; /* ttft: first final token; 0: none */
    bool estimated;
    struct str model; /* that wrote the answer; before there is one, the first that wrote */
    struct str models[RUN_STATS_MODELS]; /* all that wrote anything, in order */
    size_t model_count;
};

#endif

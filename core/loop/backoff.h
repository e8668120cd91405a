/* SPDX-License-Identifier: MIT */
/* core/loop/backoff.h - which failures of a model's server pass by themselves, and how long to
 * wait.
 *
 * Shared by llm_steady and embed_openai. Any thread. */
#ifndef CORE_LOOP_BACKOFF_H
#define CORE_LOOP_BACKOFF_H

#include "core/base/err.h"

struct backoff {
    unsigned max_attempts;
    uint64_t base_ms, cap_ms; /* full jitter: 0 to base * 2^(attempt-1), at most cap */
};

/* A copy with the defaults where a member is 0: 3 attempts, 500 ms, 8 s. */
struct backoff backoff_of(unsigned max_attempts, uint64_t base_ms, uint64_t cap_ms);
/* Whether code says something about the server's health, not about the question. */
bool backoff_is_weather(enum err_code code);
/* The wait after attempt number attempts (1 upwards): what the provider asked for, else a random
 * part of a doubling bound. retry_after_ms UINT64_MAX: the provider asked for nothing. */
uint64_t backoff_wait_ms(const struct backoff *backoff, unsigned attempts, uint64_t retry_after_ms);

#endif

/* SPDX-License-Identifier: MIT */
/* core/loop/backoff.c - exponential, with full jitter. Failure: none. */
#include "core/loop/backoff.h"

#include "core/base/id.h"

enum { DEFAULT_ATTEMPTS = 3, DEFAULT_BASE_MS = 500, DEFAULT_CAP_MS = 8000 };

struct backoff backoff_of(unsigned max_attempts, uint64_t base_ms, uint64_t cap_ms)
{
    return (struct backoff){
        .max_attempts = max_attempts == 0 ? DEFAULT_ATTEMPTS : max_attempts,
        .base_ms = base_ms == 0 ? DEFAULT_BASE_MS : base_ms,
        .cap_ms = cap_ms == 0 ? DEFAULT_CAP_MS : cap_ms,
    };
}

bool backoff_is_weather(enum err_code code)
{
    return code == ERR_UNAVAILABLE || code == ERR_TIMEOUT || code == ERR_PROTOCOL;
}

uint64_t backoff_wait_ms(const struct backoff *backoff, unsigned attempts, uint64_t retry_after_ms)
{
    if (retry_after_ms != UINT64_MAX)
        return retry_after_ms;
    unsigned doublings = attempts > 0 ? attempts - 1 : 0;
    uint64_t bound = backoff->cap_ms;
    if (doublings < 32 && backoff->base_ms << doublings < bound)
        bound = backoff->base_ms << doublings;
    return id_random_u64() % (bound + 1);
}

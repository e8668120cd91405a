/* SPDX-License-Identifier: MIT */
/* core/loop/breaker.c - closed -> open -> probing -> closed, or open again.
 *
 * Failure: none. */
#include "core/loop/breaker.h"

#include "core/loop/backoff.h"

static const char *const names[] = {"closed", "open", "probing"};
static const bool moves[3][3] = {
    [BREAKER_CLOSED] = {[BREAKER_OPEN] = true},
    [BREAKER_OPEN] = {[BREAKER_PROBING] = true},
    [BREAKER_PROBING] = {[BREAKER_CLOSED] = true, [BREAKER_OPEN] = true},
};

static void set_state(struct breaker *breaker, enum breaker_state next)
{
    CHECK(moves[breaker->state][next]);
    if (breaker->log != NULL)
        LOG(breaker->log, WARN, breaker->event, "from=%s to=%s failures=%u", names[breaker->state],
            names[next], breaker->failures);
    breaker->state = next;
}

static void open_until(struct breaker *breaker, uint64_t probe_ms)
{
    set_state(breaker, BREAKER_OPEN);
    breaker->probe_ms = probe_ms;
}

bool breaker_admits(struct breaker *breaker, uint64_t now_ms, bool *is_probe)
{
    *is_probe = false;
    if (breaker->state == BREAKER_CLOSED)
        return true;
    if (breaker->state == BREAKER_PROBING || now_ms < breaker->probe_ms)
        return false;
    set_state(breaker, BREAKER_PROBING);
    *is_probe = true;
    return true;
}

void breaker_tell(struct breaker *breaker, uint64_t now_ms, enum err_code code, bool is_probe)
{
    const bool is_weather = backoff_is_weather(code);
    if (breaker->most_failures == 0)
        return;
    if (code == ERR_CANCELLED) {
        if (is_probe)
            open_until(breaker, now_ms);
        return;
    }
    breaker->failures = is_weather ? breaker->failures + 1 : 0;
    if (is_probe && !is_weather)
        set_state(breaker, BREAKER_CLOSED);
    else if (is_probe ||
             (breaker->state == BREAKER_CLOSED && breaker->failures >= breaker->most_failures))
        open_until(breaker, now_ms + breaker->open_ms);
}

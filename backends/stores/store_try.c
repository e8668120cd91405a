/* SPDX-License-Identifier: MIT */
/* backends/stores/store_try.c - a count of attempts, a pause between them, one end, and a breaker.
 *
 * Happy path: asked once, finished with the answer.
 * Failure paths: no memory, or the store is being closed: finished at its start; given up during a
 * pause: ERR_CANCELLED when that is over. */
#include "backends/stores/store_try.h"

enum { PAUSE_MS = 50, MOST_PAUSE_MS = 400, PROBE_MS = 500 };

void store_tries_init(struct store_tries *tries, struct loop *loop, struct closing *closing,
                      uint64_t timeout_ms)
{
    tries->loop = loop;
    tries->closing = closing;
    tries->timeout_ms = timeout_ms == 0 ? STORE_TIMEOUT_MS : timeout_ms;
    tries->backoff = backoff_of(1, PAUSE_MS, MOST_PAUSE_MS);
}

/* Whether this call must not ask: the store is away, and another looked lately. */
static bool is_shut(struct store_tries *tries)
{
    uint64_t now_ms = loop_now_ms(tries->loop);
    bool is_shut = tries->is_away && now_ms < tries->probe_ms;
    if (!is_shut)
        tries->probe_ms = now_ms + PROBE_MS;
    return is_shut;
}

static void note_end(struct store_try *try, enum err_code code)
{
    struct store_tries *tries = try->tries;
    bool is_silent = code == ERR_UNAVAILABLE || code == ERR_TIMEOUT;
    if (try->attempts == 0 || code == ERR_CANCELLED || code == ERR_NO_MEMORY)
        return;
    if (!is_silent) {
        tries->is_away = false;
        tries->answered_ms = loop_now_ms(tries->loop);
    } else if (!tries->is_away && tries->answered_ms < try->began_ms) {
        tries->is_away = true;
        tries->probe_ms = loop_now_ms(tries->loop) + PROBE_MS;
    }
}

bool store_try_begin(struct store_try *try, struct store_call *call, struct store_tries *tries)
{
    if (try == NULL) {
        op_finish(&call->op, ERR_NO_MEMORY, "no memory to ask the store");
        return false;
    }
    try->call = call;
    try->tries = tries;
    try->token = id_random();
    try->began_ms = loop_now_ms(tries->loop);
    try->due_ms = try->began_ms + tries->timeout_ms;
    closing_enter(tries->closing);
    if (closing_is_begun(tries->closing)) {
        store_try_finish_as(try, ERR_CANCELLED, "the store is being closed");
        return false;
    }
    if (!is_shut(tries))
        return true;
    store_try_finish_as(try, ERR_UNAVAILABLE, "the store does not answer");
    return false;
}

void store_try_ask(struct store_try *try)
{
    try->attempts++;
    arena_fini(&try->call->arena);
    store_call_begin(try->call);
    try->tries->ask(try);
}

bool store_try_goes_on(struct store_try *try)
{
    if (!try->is_cancelled && !closing_is_begun(try->tries->closing))
        return true;
    store_try_finish_as(try, ERR_CANCELLED, "the call of the store was cancelled");
    return false;
}

static void on_paused(struct op *op)
{
    struct store_try *try = op_owner(op);
    if (store_try_goes_on(try))
        store_try_ask(try);
}

bool store_try_again(struct store_try *try, enum err_code why)
{
    const struct store_tries *tries = try->tries;
    uint64_t pause_ms = backoff_wait_ms(&tries->backoff, try->attempts, UINT64_MAX) + 1;
    if (why == ERR_UNAVAILABLE || why == ERR_TIMEOUT)
        store_note_failure(try->call->store);
    if (try->is_cancelled || closing_is_begun(tries->closing) ||
        loop_now_ms(tries->loop) + pause_ms >= try->due_ms)
        return false;
    delay_start(&try->pause, tries->loop, pause_ms,
                (struct op_waiter){.done = on_paused, .owner = try});
    return true;
}

void store_try_extend(struct store_try *try, uint64_t ms)
{
    uint64_t due_ms = loop_now_ms(try->tries->loop) + ms;
    if (due_ms > try->due_ms)
        try->due_ms = due_ms;
}

uint64_t store_try_left_ms(const struct store_try *try)
{
    uint64_t now_ms = loop_now_ms(try->tries->loop);
    return try->due_ms > now_ms ? try->due_ms - now_ms : 1;
}

void store_try_cancel(struct store_try *try)
{
    try->is_cancelled = true;
    op_cancel(&try->pause.op);
}

void store_try_finish(struct store_try *try, const struct err *err)
{
    struct store_call *call = try->call;
    struct closing *closing = try->tries->closing;
    call->impl = NULL;
    note_end(try, err->code);
    store_call_finish(call, err);
    try->tries->drop(try);
    closing_leave(closing);
}

void store_try_finish_as(struct store_try *try, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    store_try_finish(try, &err);
}

/* SPDX-License-Identifier: MIT */
/* backends/store_redis.c - core/store over redis_conn: one script, told the verb.
 *
 * Happy path: the ask goes out as words with a token, the answer is copied into the call.
 * Failure paths:
 *   cut, refused, not ready      again after a short jittered pause, while the deadline lasts; the
 *                                script knows by the token, or by what it finds, what it did before
 *   the deadline                 ERR_TIMEOUT, or ERR_UNAVAILABLE saying what was wrong
 *   refused by Redis             what it stores is strange (ERR_PROTOCOL), or it is out of memory
 *   the store closes             all calls end with ERR_CANCELLED */
#include "backends/store_redis.h"

#include <string.h>

#include "backends/backoff.h"
#include "backends/redis_conn.h"
#include "backends/store_redis_answer.h"
#include "backends/store_redis_lua.h"
#include "backends/store_words.h"
#include "core/base/id.h"
#include "core/base/mem.h"
#include "core/closing.h"
#include "core/delay.h"

enum {
    PREFIX_BYTES = 64,
    ASK_BYTES = 1 << 20, /* words and numbers; texts are sent from where they are */
    PAUSE_MS = 50,
    MOST_PAUSE_MS = 400
};

struct store_redis {
    struct store store;
    struct redis_url url;
    struct redis_conn *conn;
    struct redis_script script;
    char prefix[PREFIX_BYTES];
    size_t prefix_len;
    uint64_t timeout_ms;
    struct backoff backoff;
    struct closing closing; /* out: calls and the connection */
};

struct asked { /* one call on its way: call->impl */
    struct store_call *call;
    struct store_redis *redis;
    struct redis_command command;
    struct delay pause;
    struct id token;
    uint64_t due_ms;
    unsigned attempts;
    bool is_cancelled;
};

static struct store_redis *redis_of(struct store *store)
{
    return container_of(store, struct store_redis, store);
}

/* The one way a call ends that was begun. */
static void finish(struct asked *asked, const struct err *err)
{
    struct store_call *call = asked->call;
    struct store_redis *redis = asked->redis;
    op_release(&asked->command.op);
    call->impl = NULL;
    op_finish_err(&call->op, err);
    mem_free(asked);
    closing_leave(&redis->closing);
}

static void finish_as(struct asked *asked, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    finish(asked, &err);
}

static void send(struct asked *asked);

static void on_paused(struct op *op)
{
    struct asked *asked = op_owner(op);
    if (asked->is_cancelled || closing_is_begun(&asked->redis->closing))
        finish_as(asked, ERR_CANCELLED, "the call of the store was cancelled");
    else
        send(asked);
}

/* What Redis refuses is not our caller's input. */
static void rename_refusal(struct err *err)
{
    if (err->code == ERR_INVALID)
        err->code = ERR_PROTOCOL;
    else if (err->code == ERR_DENIED || err->code == ERR_BUSY)
        err->code = ERR_UNAVAILABLE;
}

static void fail_or_repeat(struct asked *asked)
{
    struct store_redis *redis = asked->redis;
    struct err err = asked->command.op.err;
    uint64_t now = loop_now_ms(redis->store.loop);
    uint64_t pause = backoff_wait_ms(&redis->backoff, asked->attempts, UINT64_MAX) + 1;
    if (err.code != ERR_UNAVAILABLE || asked->is_cancelled || closing_is_begun(&redis->closing) ||
        now + pause >= asked->due_ms) {
        rename_refusal(&err);
        finish(asked, &err);
        return;
    }
    op_release(&asked->command.op);
    delay_start(&asked->pause, redis->store.loop, pause,
                (struct op_waiter){.done = on_paused, .owner = asked});
}

static void on_answered(struct op *op)
{
    struct asked *asked = op_owner(op);
    struct err err = {.code = ERR_OK};
    if (op->err.code != ERR_OK) {
        fail_or_repeat(asked);
        return;
    }
    enum err_code code = store_redis_answer(asked->call, &asked->command.reply, &err);
    bool was_erased = code == ERR_NOT_FOUND && asked->call->verb == STORE_ERASE &&
                      asked->attempts > 1; /* by an earlier attempt, perhaps: it is gone */
    if (was_erased)
        err = (struct err){.code = ERR_OK};
    finish(asked, &err);
}

static void send(struct asked *asked)
{
    struct store_redis *redis = asked->redis;
    uint64_t now = loop_now_ms(redis->store.loop);
    struct arena arena;
    arena_init(&arena, ASK_BYTES);
    struct store_words words = {.arena = &arena};
    asked->attempts++;
    store_words_push(&words, str_make(redis->prefix, redis->prefix_len));
    store_words_push(&words, str_of(store_verb_name(asked->call->verb)));
    if (!store_words_ask(&words, asked->call, str_of(asked->token.text))) {
        finish_as(asked, ERR_NO_MEMORY, "no memory to ask the store");
    } else {
        const struct redis_request request = {
            .script = &redis->script,
            .args = words.at,
            .arg_count = words.count,
            .key_count = 1,
            .deadline_ms = asked->due_ms > now ? asked->due_ms - now : 1,
        };
        redis_command_start(&asked->command, redis->conn, &request,
                            (struct op_waiter){.done = on_answered, .owner = asked});
    }
    arena_fini(&arena);
}

/* ---- the vtable ---- */

static void cancel_call(struct op *op)
{
    struct store_call *call = container_of(op, struct store_call, op);
    struct asked *asked = call->impl;
    if (asked == NULL)
        return; /* it is finishing since its start */
    asked->is_cancelled = true;
    op_cancel(&asked->command.op);
    op_cancel(&asked->pause.op);
}

static const struct op_kind call_kind = {
    .name = "store.redis", .cancel = cancel_call, .release = store_call_release};

static void start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct store_redis *redis = redis_of(store);
    op_begin(&call->op, &call_kind, store->loop, waiter);
    store_call_begin(call);
    struct asked *asked = mem_zalloc(1, sizeof *asked);
    call->impl = asked;
    if (asked == NULL) {
        op_finish(&call->op, ERR_NO_MEMORY, "no memory to ask the store");
        return;
    }
    asked->call = call;
    asked->redis = redis;
    asked->token = id_random();
    asked->due_ms = loop_now_ms(store->loop) + redis->timeout_ms;
    closing_enter(&redis->closing);
    if (closing_is_begun(&redis->closing))
        finish_as(asked, ERR_CANCELLED, "the store is being closed");
    else
        send(asked);
}

static enum err_code ready(struct store *store, struct err *err)
{
    return redis_conn_ready(redis_of(store)->conn, err);
}

static void free_store(struct closing *closing)
{
    struct store_redis *redis = container_of(closing, struct store_redis, closing);
    redis_url_fini(&redis->url);
    mem_free(redis);
}

static void close_store(struct store *store, void (*on_closed)(void *owner), void *owner)
{
    struct store_redis *redis = redis_of(store);
    closing_begin(&redis->closing, on_closed, owner);
    closing_enter(&redis->closing);
    /* Pauses end by themselves, and soon. */
    redis_conn_close(redis->conn, closing_leave_part, &redis->closing);
}

struct store *store_redis_create(struct loop *loop, const struct store_redis_options *options,
                                 struct err *err)
{
    static const struct store_vtable vtable = {"redis", start, ready, close_store};
    static closing_fn *const steps[] = {free_store, NULL};
    struct str prefix = str_is_empty(options->prefix) ? STR("askd:") : options->prefix;
    if (prefix.len > PREFIX_BYTES) {
        err_set(err, ERR_INVALID, "the prefix of redis keys is over %d bytes", PREFIX_BYTES);
        return NULL;
    }
    struct store_redis *redis = mem_zalloc(1, sizeof *redis);
    if (redis == NULL || redis_url_parse(&redis->url, options->url, err) != ERR_OK)
        goto fail;
    redis->store = (struct store){&vtable, loop};
    closing_init(&redis->closing, loop, steps);
    memcpy(redis->prefix, prefix.at, prefix.len);
    redis->prefix_len = prefix.len;
    redis->timeout_ms = options->timeout_ms == 0 ? STORE_TIMEOUT_MS : options->timeout_ms;
    redis->backoff = backoff_of(1, PAUSE_MS, MOST_PAUSE_MS);
    redis_script_init(&redis->script, store_redis_lua);
    redis->conn =
        redis_conn_create(loop, &(struct redis_conn_options){.url = &redis->url,
                                                             .connect_ms = redis->timeout_ms,
                                                             .reply_bytes = STORE_ANSWER_BYTES});
    if (redis->conn != NULL)
        return &redis->store;
fail:
    if (redis == NULL || err->code == ERR_OK)
        err_set(err, ERR_NO_MEMORY, "no memory for a store");
    if (redis != NULL)
        redis_url_fini(&redis->url);
    mem_free(redis);
    return NULL;
}

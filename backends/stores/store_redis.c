/* SPDX-License-Identifier: MIT */
/* backends/stores/store_redis.c - core/store over redis_conn: one script, told the verb.
 *
 * Happy path: the ask goes out as words with a token, the answer is copied into the call.
 * Failure paths:
 *   cut, refused, not ready      again after a short jittered pause, while the deadline lasts; the
 *                                script knows by the token, or by what it finds, what it did before
 *   the deadline                 ERR_TIMEOUT, or ERR_UNAVAILABLE saying what was wrong
 *   refused by Redis             what it stores is strange (ERR_PROTOCOL), or it is out of memory
 *   the store closes             all calls end with ERR_CANCELLED */
#include "backends/stores/store_redis.h"

#include <stdio.h>
#include <string.h>

#include "backends/redis/redis_conn.h"
#include "backends/stores/store_attend.h"
#include "backends/stores/store_redis_lua.h"
#include "backends/stores/store_try.h"
#include "backends/stores/store_wire.h"
#include "core/base/mem.h"

enum {
    PREFIX_BYTES = 64,
    CHANNEL_BYTES = PREFIX_BYTES + sizeof(struct id) + 8,
    CHANNEL_RETRY_MS = 20,
    ASK_BYTES = 1 << 20, /* words and numbers; texts are sent from where they are */
};

struct store_redis {
    struct store store;
    struct redis_url url;
    struct redis_conn *conn;
    struct redis_script script;
    char prefix[PREFIX_BYTES];
    size_t prefix_len;
    struct store_tries tries;
    struct store_attend attend;
    struct redis_conn *channel_conn; /* which listens to attend's channel */
    struct redis_command listening, knowing;
    struct closing closing; /* out: calls and the connections */
};

struct asked { /* one call on its way: call->impl */
    struct store_try try;
    struct store_redis *redis;
    struct store_attend_wait wait;
    struct redis_command command;
};

static struct asked *asked_of(struct store_try *try)
{
    return container_of(try, struct asked, try);
}

static struct store_redis *redis_of(struct store *store)
{
    return container_of(store, struct store_redis, store);
}

/* ---- the wire ---- */

/* Words as store_wire.h has them: the fields, how long each list is, the lists. False: no memory.
 */
static bool write_ask(struct store_wire_words *words, const struct asked *asked)
{
    const struct store_call *call = asked->try.call;
    const struct store_wire_verb *verb = store_wire_verb_of(call->verb);
    store_wire_push(words, str_make(asked->redis->prefix, asked->redis->prefix_len));
    store_wire_push(words, str_of(store_verb_name(call->verb)));
    store_wire_push_fields(words, call, str_of(asked->try.token.text));
    for (size_t i = 0; i < verb->list_count; i++)
        store_wire_push(
            words, arena_printf(words->arena, "%zu", store_wire_list_count(call, &verb->lists[i])));
    for (size_t i = 0; i < verb->list_count; i++)
        store_wire_push_list(words, call, &verb->lists[i]);
    return arena_ok(words->arena);
}

/* Places in an answer: a code, three numbers, and a list of records for each kind. */
enum { AT_CODE, AT_NUMBERS, AT_LISTS = 4 };

struct fields { /* of a record, read in order */
    struct store_wire_source source;
    const struct redis_reply *record;
    size_t at;
};

static bool next_text(struct store_wire_source *source, struct str *text)
{
    struct fields *fields = container_of(source, struct fields, source);
    *text = redis_reply_text(fields->record, fields->at++);
    return !str_is_absent(*text);
}

static bool next_number(struct store_wire_source *source, uint64_t *number)
{
    struct fields *fields = container_of(source, struct fields, source);
    int64_t value = 0;
    bool is_good = redis_reply_number(fields->record, fields->at++, &value) && value >= 0;
    *number = is_good ? (uint64_t)value : 0;
    return is_good;
}

static struct fields fields_of(const struct redis_reply *record, size_t at)
{
    return (struct fields){{"the redis store", next_text, next_number}, record, at};
}

/* Fill the call's answers from a reply. The code that the script gave, or ERR_PROTOCOL,
 * ERR_TOO_LARGE. */
static enum err_code read_answer(struct store_call *call, const struct redis_reply *reply,
                                 struct err *err)
{
    struct fields head = fields_of(reply, AT_NUMBERS);
    struct str code = redis_reply_text(reply, AT_CODE);
    if (str_equal(code, STR("protocol")))
        return err_set(err, ERR_PROTOCOL, "the redis store cannot be used: %.*s",
                       STR_ARG(redis_reply_text(reply, AT_CODE + 1)));
    enum err_code given = store_wire_code(call, code, &head.source, err);
    if (given == ERR_PROTOCOL || store_wire_read_numbers(call, &head.source, err) != ERR_OK)
        return ERR_PROTOCOL;
    for (enum store_wire_kind kind = 0; kind < STORE_WIRE_KINDS; kind++) {
        const struct redis_reply *list = redis_reply_find(reply, AT_LISTS + kind);
        if (list == NULL || list->kind != REDIS_REPLY_IS_ARRAY)
            return store_wire_strange(&head.source, err);
        for (size_t i = 0; i < list->count; i++) {
            struct fields fields = fields_of(&list->items[i], 0);
            enum err_code added = store_wire_add(call, kind, &fields.source, err);
            if (added != ERR_OK)
                return added;
        }
    }
    return given;
}

/* ---- a call's course ---- */

static void drop(struct store_try *try)
{
    op_release(&asked_of(try)->command.op);
    mem_free(asked_of(try));
}

/* What Redis refuses is not our caller's input; and what is no Redis at all may be one again. */
static void rename_refusal(struct err *err)
{
    if (err->code == ERR_PROTOCOL)
        err->code = ERR_UNAVAILABLE;
    else if (err->code == ERR_INVALID)
        err->code = ERR_PROTOCOL;
    else if (err->code == ERR_DENIED || err->code == ERR_BUSY)
        err->code = ERR_UNAVAILABLE;
}

static void fail_or_repeat(struct asked *asked)
{
    struct err err = asked->command.op.err;
    bool is_refused = err.code == ERR_DENIED || err.code == ERR_BUSY;
    op_release(&asked->command.op);
    rename_refusal(&err);
    if (err.code == ERR_UNAVAILABLE && !is_refused && store_try_again(&asked->try, err.code))
        return;
    store_try_finish(&asked->try, &err);
}

static void on_answered(struct op *op)
{
    struct asked *asked = op_owner(op);
    struct err err = {.code = ERR_OK};
    if (op->err.code != ERR_OK) {
        fail_or_repeat(asked);
        return;
    }
    enum err_code code = read_answer(asked->try.call, &asked->command.reply, &err);
    bool was_erased = code == ERR_NOT_FOUND && asked->try.call->verb == STORE_ERASE &&
                      asked->try.attempts > 1; /* by an earlier attempt, perhaps: it is gone */
    if (was_erased)
        err = (struct err){.code = ERR_OK};
    store_try_finish(&asked->try, &err);
}

static void ask(struct store_try *try)
{
    struct asked *asked = asked_of(try);
    struct store_redis *redis = asked->redis;
    struct arena arena;
    arena_init(&arena, ASK_BYTES);
    struct store_wire_words words = {.arena = &arena};
    if (!write_ask(&words, asked)) {
        store_try_finish_as(try, ERR_NO_MEMORY, "no memory to ask the store");
    } else {
        const struct redis_request request = {
            .script = &redis->script,
            .args = words.at,
            .arg_count = words.count,
            .key_count = 1,
            .deadline_ms = store_try_left_ms(try),
        };
        redis_command_start(&asked->command, redis->conn, &request,
                            (struct op_waiter){.done = on_answered, .owner = asked});
    }
    arena_fini(&arena);
}

/* ---- the vtable ---- */

static void on_attended(struct store_attend_wait *wait)
{
    struct asked *asked = container_of(wait, struct asked, wait);
    if (store_try_goes_on(&asked->try))
        store_try_ask(&asked->try);
}

static void cancel_call(struct op *op)
{
    struct store_call *call = container_of(op, struct store_call, op);
    struct asked *asked = call->impl;
    if (asked == NULL)
        return; /* it is finishing since its start */
    store_try_cancel(&asked->try);
    op_cancel(&asked->command.op);
    if (list_is_linked(&asked->wait.link)) {
        list_remove(&asked->wait.link);
        on_attended(&asked->wait); /* it is gone then */
    }
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
    if (asked != NULL)
        asked->redis = redis;
    if (store_try_begin(asked == NULL ? NULL : &asked->try, call, &redis->tries) &&
        !store_attend_await(&redis->attend, call->verb, &asked->wait, on_attended))
        store_try_ask(&asked->try);
}

/* ---- attending: a listener on the channel that runs.lua looks for ---- */

static uint64_t patience_ms(const struct store_redis *redis)
{
    return redis->attend.is_coming ? redis->tries.timeout_ms : STORE_ATTEND_TIMEOUT_MS;
}

static void on_known(struct op *op)
{
    struct store_redis *redis = op_owner(op);
    bool is_shown = op->err.code == ERR_OK;
    op_release(op);
    store_attend_again(&redis->attend, is_shown);
}

/* Who listens is known from now on (end_leases). */
static void on_listening(struct op *op)
{
    struct store_redis *redis = op_owner(op);
    bool is_shown = op->err.code == ERR_OK;
    char key[PREFIX_BYTES + 8];
    op_release(op);
    if (!is_shown || closing_is_begun(&redis->closing)) {
        store_attend_again(&redis->attend, false);
        return;
    }
    int len = snprintf(key, sizeof key, "%.*sal", (int)redis->prefix_len, redis->prefix);
    const struct str args[] = {STR("HSETNX"), str_make(key, (size_t)len),
                               str_of(redis->attend.instance.text), STR("0")};
    const struct redis_request request = {
        .args = args, .arg_count = countof(args), .deadline_ms = patience_ms(redis)};
    redis_command_start(&redis->knowing, redis->conn, &request,
                        (struct op_waiter){.done = on_known, .owner = redis});
}

static void on_cut(void *user)
{
    struct store_redis *redis = user;
    store_attend_lost(&redis->attend);
}

/* One answer for each time: the connection may have been another the last time, or this one listens
 * already. Nobody publishes anything there. */
static void listen_on(struct store_attend *attend)
{
    struct store_redis *redis = container_of(attend, struct store_redis, attend);
    char channel[CHANNEL_BYTES];
    int len = snprintf(channel, sizeof channel, "%.*salive:%s", (int)redis->prefix_len,
                       redis->prefix, attend->instance.text);
    const struct str args[] = {STR("SUBSCRIBE"), str_make(channel, (size_t)len)};
    const struct redis_request request = {
        .args = args, .arg_count = countof(args), .deadline_ms = patience_ms(redis)};
    redis_command_start(&redis->listening, redis->channel_conn, &request,
                        (struct op_waiter){.done = on_listening, .owner = redis});
}

static void attend(struct store *store, struct str instance)
{
    struct store_redis *redis = redis_of(store);
    store_attend_start(&redis->attend, store->loop, &redis->closing, instance, listen_on);
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
    store_attend_stop(&redis->attend);
    /* Pauses end by themselves, and soon. */
    redis_conn_close(redis->conn, closing_leave_part, &redis->closing);
    closing_enter(&redis->closing);
    redis_conn_close(redis->channel_conn, closing_leave_part, &redis->closing);
}

struct store *store_redis_create(struct loop *loop, const struct store_redis_options *options,
                                 struct err *err)
{
    static const struct store_vtable vtable = {"redis", start, ready, close_store, attend};
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
    store_tries_init(&redis->tries, loop, &redis->closing, options->timeout_ms);
    redis->tries.ask = ask;
    redis->tries.drop = drop;
    redis_script_init(&redis->script, store_redis_lua);
    redis->conn =
        redis_conn_create(loop, &(struct redis_conn_options){.url = &redis->url,
                                                             .connect_ms = redis->tries.timeout_ms,
                                                             .reply_bytes = STORE_ANSWER_BYTES});
    redis->channel_conn =
        redis_conn_create(loop, &(struct redis_conn_options){.url = &redis->url,
                                                             .connect_ms = redis->tries.timeout_ms,
                                                             .retry_ms = CHANNEL_RETRY_MS,
                                                             .on_cut = on_cut,
                                                             .user = redis});
    if (redis->conn != NULL && redis->channel_conn != NULL)
        return &redis->store;
    if (redis->conn != NULL)
        redis_conn_close(redis->conn, NULL, NULL);
    if (redis->channel_conn != NULL)
        redis_conn_close(redis->channel_conn, NULL, NULL);
fail:
    if (redis == NULL || err->code == ERR_OK)
        err_set(err, ERR_NO_MEMORY, "no memory for a store");
    if (redis != NULL)
        redis_url_fini(&redis->url);
    mem_free(redis);
    return NULL;
}

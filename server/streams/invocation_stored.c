/* SPDX-License-Identifier: MIT */
/* server/streams/invocation_stored.c - ask until it has ended, read its end, then its turn's state.
 *
 * Happy path: the run's record says that it is over or waits for a person; its terminal event is
 * read, the run's turn is looked for, and the state that came with that turn is restored.
 * Failure paths: the terminal event was lost: 410; the conversation does not have the run's turn,
 * or the run has no conversation: the state is empty; a store fails: its status; the client left:
 * freed. */
#include "server/streams/invocation_stored.h"

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/conversations/conversation_state.h"
#include "server/http/exchange_wait.h"
#include "server/streams/invocation.h"
#include "server/records/stored_run.h"
#include "server/runs/shard.h"

enum { LOOK_MS = 50, LAST_TURNS = 64, ARENA_BYTES = 64 * 1024 * 1024 };

struct stored {
    struct exchange_wait wait;
    struct shard *shard;
    struct store *runs, *turns; /* turns: NULL: no conversation is kept */
    struct arena arena;
    struct identity key;
    struct str run_id;
    struct store_find find;
    struct store_load load;
    struct store_restore restore;
    struct store_call call;
    struct stored_run past;
    struct timer timer;
};

static void destroy(struct stored *stored)
{
    timer_stop(&stored->timer);
    op_release(&stored->call.op);
    op_release(&stored->past.op);
    arena_fini(&stored->arena);
    mem_free(stored);
}

static void fail(struct stored *stored, const struct err *err)
{
    struct exchange *exchange = exchange_wait_take(&stored->wait);
    if (exchange != NULL)
        exchange_fail_stored(exchange, err);
    destroy(stored);
}

/* Whether it is given up: the step failed, or nobody waits for it. */
static bool has_failed(struct stored *stored, const struct op *op)
{
    const struct err err = op->err;
    if (err.code == ERR_OK && stored->wait.exchange != NULL)
        return false;
    fail(stored, &err);
    return true;
}

static struct op_waiter waiter_of(struct stored *stored, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = stored};
}

/* ---- the answer ---- */

/* Pick, of the members of the terminal event, those that every answer has. */
static struct str pick_members(struct stored *stored, struct str all)
{
    static const char *const names[] = {"run_id", "conversation_id", "route", "stats"};
    const struct json_limits limits = {.allow_duplicates = true};
    struct json_write json;
    struct buf out;
    struct str text = arena_printf(&stored->arena, "{%.*s}", STR_ARG(all));
    const struct json_value *root = json_value_parse(&stored->arena, text, &limits, NULL);
    buf_init(&out, all.len + 64);
    json_write_init(&json, &out);
    json_write_object(&json);
    for (size_t i = 0; i < countof(names); i++) {
        const struct json_value *member = json_value_member(root, str_of(names[i]));
        if (member == NULL)
            continue;
        json_write_key(&json, str_of(names[i]));
        json_value_write(member, &json);
    }
    json_write_object_end(&json);
    struct str picked = arena_str(&stored->arena, buf_str(&out));
    buf_fini(&out);
    return str_slice(picked, 1, picked.len - 1);
}

/* Answer with the state that was; NULL: the run's state is not kept. */
static void answer(struct stored *stored, const struct conversation_state *was)
{
    const struct registry *registry = stored->shard->group->registry;
    int place = registry_find(registry, stored->past.run->graph);
    struct event last;
    struct err err = {0};
    struct buf out;
    bool has_ended;
    if (place < 0 || stored_run_find_end(&stored->past, &has_ended, &last, &err) != ERR_OK ||
        !has_ended) {
        err_set(&err, ERR_GONE, "the run's answer was lost with the server that gave it");
        fail(stored, &err);
        return;
    }
    bool failed = last.kind == EVENT_ERROR;
    const struct registry_entry *entry = registry_entry(registry, (size_t)place);
    struct invocation_end end = {
        .state = was != NULL ? was->state : state_create(&entry->def->schema, &stored->arena),
        .failed = failed,
        .code = failed ? last.name : STR(""),
        .message = failed ? last.text : STR(""),
        .members = pick_members(stored, failed ? last.more : last.text),
    };
    if (end.state == NULL || !arena_ok(&stored->arena)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for an answer");
        fail(stored, &err);
        return;
    }
    buf_init(&out, ARENA_BYTES);
    invocation_write_state(entry, &end, &out);
    struct exchange *exchange = exchange_wait_take(&stored->wait);
    invocation_say(exchange->language, end.code,
                   failed ? end.message : (struct str){NULL, 0}, &out);
    exchange_reply_buf(exchange, 200, "application/json", &out);
    destroy(stored);
}

static void on_restored(struct op *op)
{
    struct stored *stored = op_owner(op);
    struct conversation_state was;
    struct err err = {0};
    if (has_failed(stored, op))
        return;
    bool is_read = conversation_state_read(stored->shard->group->registry, &stored->call,
                                           &stored->arena, &was, &err) == ERR_OK;
    answer(stored, is_read ? &was : NULL);
}

static void on_loaded(struct op *op)
{
    struct stored *stored = op_owner(op);
    uint64_t version = 0;
    if (has_failed(stored, op))
        return;
    for (size_t i = 0; i < stored->call.turn_count; i++)
        if (str_equal(stored->call.turns[i].run_id, stored->run_id))
            version = stored->call.turns[i].version;
    op_release(op);
    if (version == 0) {
        answer(stored, NULL);
        return;
    }
    stored->restore = (struct store_restore){stored->key, version};
    store_restore_start(&stored->call, stored->turns, &stored->restore,
                        waiter_of(stored, on_restored));
}

static void on_past(struct op *op)
{
    struct stored *stored = op_owner(op);
    if (has_failed(stored, op))
        return;
    if (stored->turns == NULL || stored->key.conversation_id.len == 0) {
        answer(stored, NULL);
        return;
    }
    op_release(&stored->call.op);
    stored->load = (struct store_load){.key = stored->key, .turn_limit = LAST_TURNS};
    store_load_start(&stored->call, stored->turns, &stored->load, waiter_of(stored, on_loaded));
}

/* ---- the end of the run ---- */

static void look(struct stored *stored);

static void look_again(struct timer *timer)
{
    look(container_of(timer, struct stored, timer));
}

static void on_found(struct op *op)
{
    struct stored *stored = op_owner(op);
    if (has_failed(stored, op))
        return;
    bool goes_on = stored->call.runs[0].status == STORE_RUNNING;
    op_release(op);
    if (goes_on)
        timer_start(&stored->timer, stored->shard->loop, LOOK_MS, look_again);
    else
        stored_run_start(&stored->past, stored->runs, NULL, &stored->key, stored->run_id,
                         waiter_of(stored, on_past));
}

static void look(struct stored *stored)
{
    stored->find = (struct store_find){.key = stored->key, .run_id = stored->run_id};
    store_find_start(&stored->call, stored->runs, &stored->find, waiter_of(stored, on_found));
}

static void on_gone(struct exchange_wait *wait)
{
    struct stored *stored = container_of(wait, struct stored, wait);
    op_cancel(&stored->call.op);
    op_cancel(&stored->past.op);
    if (timer_is_running(&stored->timer))
        destroy(stored);
}

void invocation_stored_start(struct exchange *exchange, const struct identity *key,
                             struct str run_id)
{
    struct stored *stored = mem_zalloc(1, sizeof *stored);
    struct err err;
    if (stored == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return;
    }
    arena_init(&stored->arena, ARENA_BYTES);
    stored->shard = exchange->shard;
    stored->runs = exchange->shard->wiring->events;
    stored->turns = conversations_store(exchange->shard->conversations);
    stored->key = identity_copy(&stored->arena, key);
    stored->run_id = arena_str(&stored->arena, run_id);
    exchange_wait_begin(&stored->wait, exchange, on_gone);
    look(stored);
}

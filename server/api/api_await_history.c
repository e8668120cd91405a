/* SPDX-License-Identifier: MIT */
/* server/api/api_await_history.c - one operation between a request's body and its run.
 *
 * Happy path: the conversation is opened, what is known is pinned anew, the request goes on.
 * Failure paths: no place for one more run: refused before the store is asked for anything, so that
 * a request that is turned away costs the others nothing there; no memory: 503; the client left:
 * the operation is cancelled and nothing follows it. */
#include "server/api/api_await_history.h"

#include "core/base/mem.h"
#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"

struct opening {
    struct conversations_opening conversation;
    struct exchange_wait wait;
    struct runs_request request;
    api_await_history_fn *go_on;
    struct arena arena; /* of the key: the exchange may go first */
};

enum { KEY_BYTES = 4096 };

static void on_opened(struct op *op)
{
    struct opening *opening = op_owner(op);
    struct exchange *exchange = exchange_wait_take(&opening->wait);
    struct runs_request request = opening->request;
    struct err err = op->err;
    api_await_history_fn *go_on = opening->go_on;
    op_release(op);
    arena_fini(&opening->arena);
    mem_free(opening);
    if (exchange == NULL)
        return;
    request.pin = exchange->shard->pin; /* the one it had may be gone */
    if (err.code == ERR_OK)
        go_on(exchange, &request);
    else
        exchange_fail_stored(exchange, &err);
}

static void on_gone(struct exchange_wait *wait)
{
    struct opening *opening = container_of(wait, struct opening, wait);
    op_cancel(&opening->conversation.op);
}

void api_await_history_conversation(struct exchange *exchange, const struct runs_request *request,
                                    api_await_history_fn *go_on)
{
    struct conversations *conversations = exchange->shard->conversations;
    struct runs_request copy = *request;
    if (request->caller.conversation_id.len == 0 || conversations_store(conversations) == NULL) {
        go_on(exchange, &copy);
        return;
    }
    struct runs *runs = exchange->shard->runs;
    struct err err;
    if (runs_find_key(runs, request) == NULL && !runs_has_place(runs, request, &err)) {
        exchange_fail_later(exchange, &err, runs_retry_s(runs));
        return;
    }
    struct opening *opening = mem_zalloc(1, sizeof *opening);
    struct identity key = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    if (opening != NULL) {
        arena_init(&opening->arena, KEY_BYTES);
        key = identity_copy(&opening->arena, &request->caller);
    }
    if (opening == NULL || !arena_ok(&opening->arena)) {
        if (opening != NULL)
            arena_fini(&opening->arena);
        mem_free(opening);
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return;
    }
    opening->request = copy;
    opening->go_on = go_on;
    exchange_wait_begin(&opening->wait, exchange, on_gone);
    conversations_open_start(&opening->conversation, conversations, &key,
                             (struct op_waiter){.done = on_opened, .owner = opening});
}

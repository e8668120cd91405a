/* SPDX-License-Identifier: MIT */
/* server/api/cancel_elsewhere.c - whose run is it, then stop it: two calls to the store, which
 * itself takes an empty name for anybody's.
 *
 * Failure: the store's, as its status; the client left: the call is let come to its end. */
#include "server/api/cancel_elsewhere.h"

#include "core/base/mem.h"
#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"

enum { NAMES_BYTES = 4096 };

struct stopping {
    struct exchange_wait wait;
    struct arena arena;
    struct identity user;
    bool is_anyones; /* user is not asked for */
    struct store_find whose;
    struct store_stop ask;
    struct store_call call;
};

static void answer(struct exchange *exchange, const struct stopping *stopping)
{
    const struct store_call *call = &stopping->call;
    enum err_code code = call->op.err.code;
    struct problem problem;
    if (code == ERR_NOT_FOUND) {
        shard_miss_run(exchange->shard, &problem);
        exchange_problem(exchange, &problem);
    } else if (code != ERR_OK) {
        exchange_fail_stored(exchange, &call->op.err);
    } else if (!stopping->is_anyones && !identity_is_same_user(&call->runs->key, &stopping->user)) {
        problem_set(&problem, 404, "not_found", "there is no such run");
        exchange_problem(exchange, &problem);
    } else if (call->runs[0].status > STORE_PAUSED) {
        exchange_reply(exchange, 200, "application/json", STR("{\"state\":\"ended\"}"));
    } else {
        exchange_reply(exchange, 202, "application/json", STR("{\"state\":\"ending\"}"));
    }
}

static void end(struct op *op)
{
    struct stopping *stopping = op_owner(op);
    if (stopping->wait.exchange != NULL)
        answer(exchange_wait_take(&stopping->wait), stopping);
    op_release(op);
    arena_fini(&stopping->arena);
    mem_free(stopping);
}

static void on_found(struct op *op)
{
    struct stopping *stopping = op_owner(op);
    bool is_theirs =
        op->err.code == ERR_OK &&
        (stopping->is_anyones || identity_is_same_user(&stopping->call.runs->key, &stopping->user));
    if (!is_theirs) {
        end(op);
        return;
    }
    op_release(op);
    store_stop_start(&stopping->call, stopping->call.store, &stopping->ask,
                     (struct op_waiter){.done = end, .owner = stopping});
}

void cancel_elsewhere_start(struct exchange *exchange, struct store *store,
                            const struct cancel_elsewhere_options *options)
{
    struct stopping *stopping = mem_zalloc(1, sizeof *stopping);
    struct err err;
    if (stopping == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return;
    }
    struct arena *arena = &stopping->arena;
    arena_init(arena, NAMES_BYTES);
    stopping->is_anyones = options->key == NULL;
    if (!stopping->is_anyones)
        stopping->user = identity_copy(arena, options->key);
    stopping->whose = (struct store_find){.run_id = arena_str(arena, options->run_id)};
    stopping->ask =
        (struct store_stop){.run_id = stopping->whose.run_id, .forget = options->forget};
    exchange_wait_begin(&stopping->wait, exchange, NULL);
    store_find_start(&stopping->call, store, &stopping->whose,
                     (struct op_waiter){.done = on_found, .owner = stopping});
}

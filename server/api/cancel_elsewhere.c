/* SPDX-License-Identifier: MIT */
/* server/api/cancel_elsewhere.c - one call to the store.
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
    struct store_stop ask;
    struct store_find whose;
    struct store_call call;
    bool is_anothers;
};

static void on_stopped(struct op *op);

static void answer(struct exchange *exchange, const struct stopping *stopping)
{
    struct problem problem;
    enum err_code code = stopping->call.op.err.code;
    if (code == ERR_NOT_FOUND) {
        shard_miss_run(exchange->shard, &problem);
        exchange_problem(exchange, &problem);
    } else if (code != ERR_OK) {
        exchange_fail(exchange, &stopping->call.op.err);
    } else if (stopping->is_anothers) {
        problem_set(&problem, 404, "not_found", "there is no such run");
        exchange_problem(exchange, &problem);
    } else if (stopping->call.runs[0].status > STORE_PAUSED) {
        exchange_reply(exchange, 200, "application/json", STR("{\"state\":\"ended\"}"));
    } else {
        exchange_reply(exchange, 202, "application/json", STR("{\"state\":\"ending\"}"));
    }
}

/* The caller has no such run: ask whether somebody else has. */
static void ask_whose(struct stopping *stopping)
{
    op_release(&stopping->call.op);
    stopping->is_anothers = true; /* if there is one */
    stopping->whose = (struct store_find){.run_id = stopping->ask.run_id};
    store_find_start(&stopping->call, stopping->call.store, &stopping->whose,
                     (struct op_waiter){.done = on_stopped, .owner = stopping});
}

static void on_stopped(struct op *op)
{
    struct stopping *stopping = op_owner(op);
    bool has_left = stopping->wait.exchange == NULL;
    if (!has_left && op->err.code == ERR_NOT_FOUND && !stopping->is_anothers) {
        ask_whose(stopping);
        return;
    }
    if (!has_left)
        answer(exchange_wait_take(&stopping->wait), stopping);
    op_release(op);
    arena_fini(&stopping->arena);
    mem_free(stopping);
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
    const struct identity user = identity_user(&options->key);
    stopping->ask = (struct store_stop){identity_copy(arena, &user),
                                        arena_str(arena, options->run_id), options->forget};
    exchange_wait_begin(&stopping->wait, exchange, NULL);
    store_stop_start(&stopping->call, store, &stopping->ask,
                     (struct op_waiter){.done = on_stopped, .owner = stopping});
}

/* SPDX-License-Identifier: MIT */
/* server/api/api_await_claim.c - one more watch of the run, until it may begin.
 *
 * Happy path: told that the run may begin, the request goes on while the watch still keeps the run.
 * Failure paths: told that the run may not begin, the request is refused, or follows the run that
 * was in its way; the client left: the watch leaves, as any reader; no memory: the run is
 * cancelled. */
#include "server/api/api_await_claim.h"
#include "server/http/exchange_wait.h"
#include "server/records/run_input.h"

#include "core/base/mem.h"
#include "core/run/run.h"

struct claiming {
    struct runs_watch watch;
    struct exchange_wait wait;
    struct api_await_claim_hooks hooks;
    struct runs_entry *entry;
};

bool api_await_claim_must_wait(const struct runs_entry *entry, const struct runs_request *request)
{
    return runs_is_claiming(entry) &&
           (request->multitask == RUNS_REJECT || request->idempotency_key.len > 0);
}

static void follow(struct claiming *claiming, const struct store_run *rival)
{
    const struct run *run = runs_run(claiming->entry);
    const struct api_await_claim_rival same = {
        .run_id = rival->run_id,
        .key = rival->key,
        .is_same = str_equal(run_input_message(rival->input), runs_message(claiming->entry)) &&
                   str_equal(rival->graph, str_of(graph_def(run_graph(run))->name)),
    };
    claiming->hooks.follow(exchange_wait_take(&claiming->wait), &same);
}

static void on_claimed(struct runs_watch *watch, const struct err *err,
                       const struct store_run *rival)
{
    struct claiming *claiming = watch->owner;
    if (err->code == ERR_OK)
        claiming->hooks.go_on(exchange_wait_take(&claiming->wait), claiming->entry);
    else if (rival != NULL)
        follow(claiming, rival);
    else
        claiming->hooks.refuse(exchange_wait_take(&claiming->wait), err);
    runs_detach(watch);
    mem_free(claiming);
}

static void on_gone(struct exchange_wait *wait)
{
    struct claiming *claiming = container_of(wait, struct claiming, wait);
    runs_detach(&claiming->watch);
    mem_free(claiming);
}

void api_await_claim_start(struct exchange *exchange, struct runs_entry *entry,
                           const struct api_await_claim_hooks *hooks)
{
    struct claiming *claiming = mem_zalloc(1, sizeof *claiming);
    if (claiming == NULL) {
        struct err err;
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        runs_cancel(entry, "cancelled", err.text);
        exchange_fail(exchange, &err);
        return;
    }
    claiming->hooks = *hooks;
    claiming->entry = entry;
    claiming->watch.on_claimed = on_claimed;
    claiming->watch.owner = claiming;
    exchange_wait_begin(&claiming->wait, exchange, on_gone);
    runs_attach(entry, &claiming->watch);
}

/* SPDX-License-Identifier: MIT */
/* server/facades/openai/responses_chain.c - where the earlier response's turn is, and what follows
 * it.
 *
 * Happy path: what was said is with the store, the turn is the conversation's last one and nothing
 * goes on there: the new run goes on in it.
 * - something follows that turn, or is about to, here or at another server, whose record of its
 *   run ends after its turn is stored: the conversation is forked as the turn left it;
 * - nothing is stored: memory knows the last run of a conversation, and no others.
 * Failure paths: no such turn: 400; a branch in memory only, or under a key that could repeat it:
 * 501; the store's failure: its status. */
#include "server/facades/openai/responses_chain.h"

#include "server/api/api_run.h"
#include "server/api/conversations/conversation_request.h"
#include "server/runs/shard.h"

#define POINTER "/previous_response_id"

static conversation_request_fn look_around, look_at_others, find, follow,
    go_on_in_fork; /* in running order */

static void refuse(struct exchange *exchange)
{
    struct problem problem;
    problem_field(&problem, POINTER, POINTER ": there is no such response that was stored");
    exchange_problem(exchange, &problem);
}

static void refuse_branch(struct exchange *exchange, const char *feature)
{
    struct problem problem;
    problem_unsupported(&problem, POINTER, feature);
    exchange_problem(exchange, &problem);
}

static void look_around(struct conversation_request *request)
{
    enum { LISTED = 8 };
    struct store *runs = request->shard->wiring->events;
    if (runs == NULL) {
        find(request);
        return;
    }
    request->ask.runs = (struct store_runs){.key = request->key, .limit = LISTED};
    store_runs_start(&request->call, runs, &request->ask.runs,
                     conversation_request_waiter(request, look_at_others));
}

static void look_at_others(struct conversation_request *request)
{
    struct responses_chain *chain = request->owner;
    const struct store_call *call = &request->call;
    for (size_t i = 0; i < call->run_count; i++) { /* last begun first */
        const struct store_run *run = &call->runs[i];
        if (str_equal(run->run_id, chain->previous_run_id))
            break;
        chain->is_followed |= run->status == STORE_RUNNING || run->status == STORE_PAUSED;
    }
    find(request);
}

static void find(struct conversation_request *request)
{
    struct responses_chain *chain = request->owner;
    turn_find_start(&request->finding, request->store, &request->key, chain->previous_run_id,
                    conversation_request_waiter(request, follow));
}

static void branch(struct conversation_request *request)
{
    struct err err;
    request->to = shard_make_name(request->shard, &request->arena);
    if (str_is_absent(request->to)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        conversation_request_fail(request, &err);
        return;
    }
    const struct fork_stored_options options = {request->store, request->key, request->to,
                                                request->finding.version};
    fork_stored_start(&request->forking, &options,
                      conversation_request_waiter(request, go_on_in_fork));
}

static void follow(struct conversation_request *request)
{
    struct responses_chain *chain = request->owner;
    const struct turn_find *finding = &request->finding;
    if (!finding->is_there) {
        refuse(conversation_request_leave(request));
    } else if (finding->is_last && !chain->is_followed &&
               runs_find_conversation(request->shard->runs, &request->key) == NULL) {
        chain->go_on(conversation_request_leave(request), chain->owner);
    } else if (chain->run->idempotency_key.len > 0) {
        refuse_branch(conversation_request_leave(request), "a branch under an Idempotency-Key is");
    } else {
        branch(request);
    }
}

static void go_on_in_fork(struct conversation_request *request)
{
    struct responses_chain *chain = request->owner;
    chain->run->caller.conversation_id = arena_str(&request->wait.exchange->arena, request->to);
    chain->go_on(conversation_request_leave(request), chain->owner);
}

/* Without a store: memory's last run of the conversation is all there is. */
static void find_in_memory(struct exchange *exchange, const struct responses_chain *chain)
{
    const struct identity *caller = &chain->run->caller;
    const struct history *history = exchange->shard->services->history;
    if (history == NULL || history_count(history, caller) == 0)
        refuse(exchange);
    else if (str_equal(history_note(history, caller, HISTORY_LAST_RUN), chain->previous_run_id))
        chain->go_on(exchange, chain->owner);
    else
        refuse_branch(exchange, "a branch without a store (ASKD_CHECKPOINT_URL) is");
}

void responses_chain_find(struct exchange *exchange, struct responses_chain *chain)
{
    if (api_run_goes_elsewhere(exchange, chain->run))
        return;
    if (conversations_store(exchange->shard->conversations) == NULL) {
        find_in_memory(exchange, chain);
        return;
    }
    struct conversation_request *request =
        conversation_request_open_for(exchange, &chain->run->caller);
    if (request == NULL)
        return;
    request->owner = chain;
    conversation_request_settle(request, look_around);
}

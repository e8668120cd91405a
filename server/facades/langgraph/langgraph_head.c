/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_head.c - the thread's last turn and what waits behind it are
 * asked for.
 *
 * Happy path: what was said is with the store, the newest turn has the checkpoint's version, or the
 * run that waits has its id; the run begins.
 * Failure paths: another checkpoint: 501; no such thread: 404; the store's failure: its status. */
#include "server/facades/langgraph/langgraph_head.h"

#include "server/api/conversations/conversation_request.h"
#include "server/runs/shard.h"

static conversation_request_fn load, find_pause, compare; /* in running order */

static const struct langgraph_head_options *options_of(const struct conversation_request *request)
{
    return request->owner;
}

static void load(struct conversation_request *request)
{
    request->ask.load = (struct store_load){.key = request->key, .turn_limit = 1};
    store_load_start(&request->call, request->store, &request->ask.load,
                     conversation_request_waiter(request, find_pause));
}

static void find_pause(struct conversation_request *request)
{
    run_pause_start(&request->pause, request->shard, &request->key,
                    conversation_request_waiter(request, compare));
}

static bool is_head(const struct conversation_request *request)
{
    const struct store_call *call = &request->call;
    const struct stored_run *paused = request->pause.past;
    struct str id = options_of(request)->checkpoint_id;
    uint64_t version;
    if (paused != NULL)
        return str_equal(id, paused->run->run_id);
    return call->turn_count > 0 && str_to_u64(id, &version) &&
           version == call->turns[call->turn_count - 1].version;
}

static void compare(struct conversation_request *request)
{
    const struct langgraph_head_options *options = options_of(request);
    struct problem problem;
    bool goes_on = is_head(request);
    struct exchange *exchange = conversation_request_leave(request);
    if (goes_on) {
        options->go_on(exchange, options->owner);
        return;
    }
    problem_unsupported(&problem, "/checkpoint", "runs from an earlier checkpoint are");
    exchange_problem(exchange, &problem);
}

void langgraph_head_check(struct exchange *exchange, const struct langgraph_head_options *options)
{
    struct langgraph_head_options *kept = arena_alloc(&exchange->arena, sizeof *kept);
    struct problem problem;
    if (kept == NULL) {
        problem_set(&problem, 503, "overloaded", "no memory for another request");
        exchange_problem(exchange, &problem);
        return;
    }
    *kept = *options;
    struct conversation_request *request = conversation_request_open_for(exchange, &options->key);
    if (request == NULL)
        return;
    request->owner = kept;
    conversation_request_settle(request, load);
}

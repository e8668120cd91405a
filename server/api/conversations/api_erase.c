/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_erase.c - the runs of the conversation are looked at first, then the
 * stores erase, then memory.
 *
 * Happy path: no run of the conversation goes on here, nor, by the store of runs, anywhere else;
 * what was said is with the store; the conversation is erased.
 * Failure paths: a run goes on: 409; a store fails: its status, and a request that comes again
 * finds what is left. */
#include "server/api/conversations/api_erase.h"

#include "server/api/conversations/api_label.h"
#include "server/conversations/conversations.h"
#include "server/api/conversations/erase_memory.h"
#include "server/runs/runs.h"
#include "server/runs/shard.h"

static void refuse(struct conversation_request *request)
{
    struct err err;
    err_set(&err, ERR_CONFLICT,
            "a run of this conversation is going on; cancel it or wait for its end");
    conversation_request_fail(request, &err);
}

static void reply(struct conversation_request *request)
{
    erase_memory_start(request->shard, &request->key);
    conversation_request_reply(request, 204, STR(""));
}

/* A name that was given while it was being erased goes with it. */
static void forget_label(struct conversation_request *request)
{
    if (str_is_empty(request->key.conversation_id))
        reply(request);
    else
        api_label_forget(request, reply);
}

static void erase_stored_all(struct conversation_request *request)
{
    struct shard *shard = request->shard;
    erase_stored_start(&request->erasing, shard->services, request->store, shard->wiring->events,
                       &request->key, conversation_request_waiter(request, forget_label));
}

/* What the user called it goes first. */
static void erase(struct conversation_request *request)
{
    if (str_is_empty(request->key.conversation_id))
        erase_stored_all(request);
    else
        api_label_forget(request, erase_stored_all);
}

/* Runs that ended here may not be stored as ended yet. */
static void erase_unless_run(struct conversation_request *request)
{
    const struct store_call *open = &request->second;
    bool is_run = false;
    for (size_t i = 0; i < open->run_count; i++)
        is_run |= open->runs[i].status == STORE_RUNNING &&
                  runs_find(request->shard->runs, open->runs[i].run_id) == NULL;
    if (is_run)
        refuse(request);
    else
        erase(request);
}

static void find_runs(struct conversation_request *request)
{
    struct store *events = request->shard->wiring->events;
    if (events == NULL) {
        erase(request);
        return;
    }
    request->ask.runs = (struct store_runs){.key = request->key, .only_open = true};
    store_runs_start(&request->second, events, &request->ask.runs,
                     conversation_request_waiter(request, erase_unless_run));
}

void api_erase_start(struct conversation_request *request)
{
    const struct shard *shard = request->shard;
    const struct identity *key = &request->key;
    if (str_is_empty(key->conversation_id))
        conversation_request_settle(request, erase);
    else if (runs_find_conversation(shard->runs, key) != NULL)
        refuse(request);
    else
        conversation_request_settle(request, find_runs);
}

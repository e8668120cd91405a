/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_steps.c - which run, its checkpoints, and one of them put
 * into a run.
 *
 * Happy path: the last run of the conversation is looked for unless one is named; its checkpoints
 * are listed, or read and cut behind the one that is asked for.
 * Failure paths: no such run or checkpoint of the caller's: 404; a chain that does not read to its
 * end: ERR_GONE; as the store of runs fails. */
#include "server/api/conversations/conversation_steps.h"

#include "server/config/run_limits.h"
#include "server/runs/shard.h"

static void list_marks(struct conversation_request *request)
{
    request->ask.marks =
        (struct store_marks){.key = request->key, .run_id = request->run_id, .only_list = true};
    store_marks_start(&request->second, request->shard->wiring->events, &request->ask.marks,
                      conversation_request_waiter(request, request->loaded_next));
}

static void on_last_found(struct conversation_request *request)
{
    const struct store_call *found = &request->loaded;
    if (found->run_count == 0) {
        request->loaded_next(request);
        return;
    }
    request->run_id = arena_str(&request->arena, found->runs[0].run_id);
    list_marks(request);
}

void conversation_steps_list(struct conversation_request *request, conversation_request_fn *next)
{
    request->loaded_next = next;
    if (request->shard->wiring->events == NULL) {
        next(request);
    } else if (request->run_id.len > 0) {
        list_marks(request);
    } else {
        request->ask.runs = (struct store_runs){.key = request->key, .limit = 1};
        store_runs_start(&request->loaded, request->shard->wiring->events, &request->ask.runs,
                         conversation_request_waiter(request, on_last_found));
    }
}

static void on_read(struct conversation_request *request)
{
    struct err err;
    if (stored_run_cut(&request->past, request->version)) {
        request->loaded_next(request);
        return;
    }
    err_set(&err, ERR_NOT_FOUND, "the run has no such checkpoint (any more)");
    conversation_request_fail(request, &err);
}

void conversation_steps_read(struct conversation_request *request, conversation_request_fn *next)
{
    struct store *runs = request->shard->wiring->events;
    struct err err;
    if (runs == NULL) {
        err_set(&err, ERR_NOT_FOUND, "there is no such run: what runs say is kept in memory only");
        conversation_request_fail(request, &err);
        return;
    }
    request->loaded_next = next;
    stored_run_start(&request->past, runs, NULL, &request->key, request->run_id,
                     conversation_request_waiter(request, on_read));
}

struct run *conversation_steps_open(const struct shard *shard, const struct stored_run *past,
                                    size_t count, struct err *err)
{
    const struct registry *registry = shard->group->registry;
    int place = registry_find(registry, past->run->graph);
    size_t used = 0;
    if (place < 0) {
        err_set(err, ERR_GONE, "there is no graph '%.*s' any more", STR_ARG(past->run->graph));
        return NULL;
    }
    const struct run_options options = {
        .loop = shard->loop,
        .graph = registry_graph(registry, (size_t)place),
        .limits = {.arena_bytes = RUN_LIMITS_ARENA_BYTES, .log_bytes = RUN_LIMITS_LOG_BYTES},
        .log = shard->log,
    };
    struct run *run = run_create(&options);
    if (run == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a run to look at");
        return NULL;
    }
    if (checkpoint_restore(run, past->kept, count, UINT64_MAX, &used, err) == ERR_OK &&
        used == count)
        return run;
    run_destroy(run);
    if (err->code != ERR_NO_MEMORY)
        err->code = ERR_GONE;
    return NULL;
}

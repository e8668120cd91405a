/* SPDX-License-Identifier: MIT */
/* server/worker_parts.c - the options of each part, from the worker's configuration.
 *
 * Failure: no memory. */
#include "server/worker_parts.h"
#include "server/run_record.h"

#include "server/runs_hooks.h"

enum {
    LEAST_TURNS = 50, /* brought into memory: what tiers of memory look at */
    HOUR_MS = 3600 * 1000,
    MARK_MS = 20
};

struct conversations *worker_parts_make_conversations(struct worker *worker,
                                                      void (*on_idle)(void *owner))
{
    const struct conversations_options options = {
        .loop = worker->loop,
        .store = worker->wiring.store,
        .history = worker->wiring.history,
        .turns = size_max((size_t)worker->crew->group->config->conversation_messages, LEAST_TURNS),
        .log = &worker->log,
        .owner = worker,
        .on_idle = on_idle,
    };
    return conversations_create(&options);
}

/* A run's record ends when its turn is stored, or lost, or late for long: who begins then,
 * anywhere, finds it, and until then whoever takes the record up keeps the turn. */
static bool may_end(void *owner, const struct store_run *run)
{
    struct worker *worker = owner;
    return !conversations_is_saving(worker->shard.conversations, run->key.conversation_id) &&
           (worker->marks == NULL || !run_marks_is_writing(worker->marks, run->run_id));
}

struct run_keepers *worker_parts_make_keepers(struct worker *worker, void (*on_idle)(void *owner))
{
    const struct config *config = worker->crew->group->config;
    const struct run_keepers_options options = {
        .loop = worker->loop,
        .store = worker->wiring.events,
        .instance = str_of(worker->shard.instance.text),
        .lease_ms = config->lease_ms,
        .durability = config_is_async(config)  ? RUN_KEEPERS_ASYNC
                      : config_is_sync(config) ? RUN_KEEPERS_SYNC
                                               : RUN_KEEPERS_EXIT,
        .log = &worker->log,
        .owner = worker,
        .on_idle = on_idle,
        .may_end = may_end,
        .on_stop = runs_stop_run,
        .on_lost = runs_lose_run,
        .on_doubt = runs_doubt_run,
    };
    return run_keepers_create(&options);
}

struct run_marks *worker_parts_make_marks(struct worker *worker)
{
    const struct run_marks_options options = {
        .loop = worker->loop,
        .store = worker->wiring.events,
        .instance = str_of(worker->shard.instance.text),
        .delay_ms = config_is_async(worker->crew->group->config) ? MARK_MS : 0,
        .log = &worker->log,
    };
    return run_marks_create(&options);
}

/* The hooks of orphans. */

static bool has_room(void *owner)
{
    const struct worker *worker = owner;
    return worker->shard.pin != NULL && !worker->shard.draining &&
           runs_open_count(worker->shard.runs) < worker->admission.max_runs;
}

static enum err_code revive(void *owner, const struct run_past *past, uint64_t epoch,
                            struct err *err)
{
    struct worker *worker = owner;
    const struct registry *registry = worker->crew->group->registry;
    const struct store_run *run = past->run;
    const struct runs_revival revival = {.past = past, .is_orphan = true, .epoch = epoch};
    struct runs_entry *entry;
    int place = registry_find(registry, run->graph);
    if (place < 0)
        return err_set(err, ERR_NOT_FOUND, "there is no graph '%.*s'", STR_ARG(run->graph));
    if (worker->shard.pin == NULL)
        return err_set(err, ERR_BUSY, "the server does not know its database yet");
    const struct runs_request request = {
        .graph = registry_graph(registry, (size_t)place),
        .entry = registry_entry(registry, (size_t)place),
        .pin = worker->shard.pin,
        .conversation_id = run->key.conversation_id,
        .user_id = run->key.user_id,
        .company_id = run->key.company_id,
        .message = run_record_message(run->input),
        .revival = &revival,
    };
    return runs_submit(worker->shard.runs, &request, &entry, err);
}

void worker_parts_tend_store(struct worker *worker)
{
    const struct config *config = worker->crew->group->config;
    const struct orphans_options orphans = {
        .store = worker->wiring.events,
        .turns = worker->wiring.store,
        .instance = str_of(worker->shard.instance.text),
        .lease_ms = config->lease_ms,
        .conversations = worker->shard.conversations,
        .log = &worker->log,
        .owner = worker,
        .revive = config_is_async(config) || config_is_sync(config) ? revive : NULL,
        .has_room = has_room,
    };
    uint64_t age_ms = (uint64_t)(config->conversation_age_hours * HOUR_MS);
    uint64_t every_ms = (uint64_t)(config->conversation_cleanup_hours * HOUR_MS);
    struct store *store = worker->wiring.store, *events = worker->wiring.events;
    if (events != NULL)
        orphans_start(&worker->orphans, &orphans);
    if (worker->shard.index != 0)
        return;
    if (age_ms > 0 && store != NULL)
        retention_start(&worker->retention, store, age_ms, every_ms, &worker->log);
    if (age_ms > 0 && events != NULL && events != store)
        retention_start(&worker->events_retention, events, age_ms, every_ms, &worker->log);
}

struct runs *worker_parts_make_runs(struct worker *worker, void (*on_idle)(void *owner),
                                    void (*on_unpinned)(void *owner, struct knowledge_pin *pin))
{
    const struct shard_group *group = worker->crew->group;
    const struct runs_options options = {
        .loop = worker->loop,
        .config = group->config,
        .worker = worker->shard.index,
        .worker_count = (unsigned)group->count,
        .services = &worker->services,
        .keepers = worker->keepers,
        .marks = worker->marks,
        .conversations = worker->shard.conversations,
        .admission = &worker->admission,
        .tracing = worker->observers.tracing,
        .meters = group->meters,
        .metrics = worker->metrics,
        .log = &worker->log,
        .owner = worker,
        .on_idle = on_idle,
        .on_unpinned = on_unpinned,
    };
    return runs_create(&options);
}

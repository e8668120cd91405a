/* SPDX-License-Identifier: MIT */
/* server/runs/shard.c - which shard has what, and messages between shards.
 *
 * Happy path: a message is opened by one shard after the other, each of which sends it on.
 * Failure paths:
 * - a shard that stops may send no more: the message ends there;
 * - no memory for a message that cancels: the run goes on to its end. */
#include "server/runs/shard.h"

#include <string.h>

#include "core/base/id.h"
#include "core/base/mem.h"

/* How long after a failure other servers may not have stored the records of their runs: they ask
 * the store again after 2 s at most (server/records/event_writers.h), and wait 2 s for its answer
 * (STORE_TIMEOUT_MS), and may have found it lost a little later than this server. */
enum { MISSED_MS = 10 * 1000 };

size_t shard_of_run(const struct shard *shard, struct str run_id)
{
    unsigned index;
    return id_run_worker(run_id, &index) ? index : shard->group->count;
}

size_t shard_of_conversation(const struct shard *shard, struct str conversation_id)
{
    return conversation_id.len == 0 ? shard->index
                                    : str_hash(conversation_id) % shard->group->count;
}

struct str shard_make_name(const struct shard *shard, struct arena *arena)
{
    struct id id;
    do
        id = id_random();
    while (shard_of_conversation(shard, str_of(id.text)) != shard->index);
    return arena_str(arena, str_of(id.text));
}

void shard_miss_run(const struct shard *shard, struct problem *problem)
{
    const struct store *store = shard->wiring->events;
    problem_set(problem, 410, "gone", "the run's events are gone");
    if (store == NULL || !store_failed_lately(store, MISSED_MS))
        return;
    problem_set(problem, 503, "overloaded",
                "the store could not be used lately, and may not know the run yet; ask again");
    problem->retry_after = PROBLEM_RETRY_AFTER;
}

enum err_code shard_suits(const struct shard *shard, const struct registry_entry *entry,
                          struct err *err)
{
    const struct catalog *catalog = shard->pin == NULL ? NULL : shard->pin->set->catalog;
    for (size_t i = 0; catalog != NULL && i < entry->table_count; i++)
        if (catalog_find_dotted(catalog, entry->tables[i]) == CATALOG_NONE)
            return err_set(err, ERR_NOT_FOUND,
                           "the graph '%s' is about a database with a table '%.*s', which this one "
                           "has not",
                           entry->def->name, STR_ARG(entry->tables[i]));
    return ERR_OK;
}

bool shard_offers(const struct shard *shard, size_t place)
{
    struct err ignored;
    const struct registry *registry = shard->group->registry;
    return registry_is_listed(registry, place) &&
           shard_suits(shard, registry_entry(registry, place), &ignored) == ERR_OK;
}

void shard_count(const struct shard *shard, enum meter meter, int64_t amount)
{
    meters_add(shard->group->meters, shard->metrics, meter, amount);
}

/* ---- a message to all shards at once ---- */

struct cancel_message {
    struct inbox_message message;
    struct runs *runs; /* the runs of the shard that the message is sent to */
    const char *why;
    char call[];
};

static void open_cancel(struct inbox_message *message, void *receiver)
{
    struct cancel_message *cancel = container_of(message, struct cancel_message, message);
    (void)receiver;
    runs_cancel_call(cancel->runs, str_of(cancel->call), cancel->why);
    mem_free(cancel);
}

void shard_cancel_call(const struct shard *shard, struct str call, const char *why)
{
    for (size_t i = 0; i < shard->group->count; i++) {
        const struct shard *to = shard->group->shards[i];
        struct cancel_message *cancel = mem_zalloc(1, sizeof *cancel + call.len + 1);
        if (cancel == NULL)
            return;
        cancel->runs = to->runs;
        cancel->why = why;
        memcpy(cancel->call, call.at, call.len);
        inbox_send(to->inbox, &cancel->message, open_cancel);
    }
}

/* ---- a message from shard to shard ---- */

static void open_next(struct inbox_message *message, void *receiver);

static void send_on(struct shard_message *message)
{
    const struct shard_group *group = message->at->group;
    message->at = group->shards[(message->at->index + 1) % group->count];
    inbox_send(message->at->inbox, &message->message, open_next);
}

static void open_next(struct inbox_message *sealed, void *receiver)
{
    struct shard_message *message = container_of(sealed, struct shard_message, message);
    (void)receiver;
    if (message->at->stopping) {
        message->end(message, NULL);
    } else if (message->at == message->home) {
        message->end(message, message->home);
    } else {
        message->visit(message, message->at);
        send_on(message);
    }
}

void shard_send_around(struct shard *home, struct shard_message *message)
{
    message->home = message->at = home;
    message->visit(message, home);
    if (home->group->count == 1)
        message->end(message, home);
    else
        send_on(message);
}

/* SPDX-License-Identifier: MIT */
/* server/forgetting.c - one letter, from inbox to inbox, until it is home again.
 *
 * Failure paths: no memory: the other workers keep what they have for as long as it lingers; one
 * that stops drops the letter, and all it has. */
#include "server/forgetting.h"

#include "core/base/mem.h"
#include "server/conversations.h"
#include "server/inbox.h"
#include "server/runs.h"
#include "server/worker.h"

enum { NAMES_BYTES = 1024 };

struct forgetting {
    struct letter letter;
    struct worker *home;
    struct arena arena; /* of the key */
    struct store_key key;
};

static void forget_here(struct worker *worker, const struct store_key *key)
{
    const struct history_key said = {key->conversation_id, key->company_id, key->user_id};
    conversations_forget(worker->conversations, &said);
    runs_forget_ended(worker->runs, key);
}

static void free_forgetting(struct forgetting *forgetting)
{
    arena_fini(&forgetting->arena);
    mem_free(forgetting);
}

static void open_forgetting(struct letter *letter, void *receiver);

static void send_on(struct forgetting *forgetting, const struct worker *from)
{
    const struct worker_crew *crew = from->crew;
    struct worker *next = crew->workers[(from->index + 1) % crew->count];
    inbox_send(next->inbox, &forgetting->letter, open_forgetting);
}

static void open_forgetting(struct letter *letter, void *receiver)
{
    struct forgetting *forgetting = container_of(letter, struct forgetting, letter);
    struct worker *worker = receiver;
    if (worker == forgetting->home || worker->stopping) {
        free_forgetting(forgetting);
        return;
    }
    forget_here(worker, &forgetting->key);
    send_on(forgetting, worker);
}

void forgetting_start(struct worker *worker, const struct store_key *key)
{
    forget_here(worker, key);
    if (worker->crew->count == 1 || !str_is_empty(key->conversation_id))
        return;
    struct forgetting *forgetting = mem_zalloc(1, sizeof *forgetting);
    if (forgetting == NULL)
        return;
    forgetting->home = worker;
    arena_init(&forgetting->arena, NAMES_BYTES);
    forgetting->key = (struct store_key){STR(""), arena_str(&forgetting->arena, key->company_id),
                                         arena_str(&forgetting->arena, key->user_id)};
    if (str_is_absent(forgetting->key.company_id) || str_is_absent(forgetting->key.user_id))
        free_forgetting(forgetting);
    else
        send_on(forgetting, worker);
}

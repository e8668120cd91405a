/* SPDX-License-Identifier: MIT */
/* backends/store_memory_remove.c - conversations and runs leave the store in memory.
 *
 * Happy path: what is asked for is freed at once. Failure: it is not there, or another instance
 * prunes. */
#include "backends/store_memory_internal.h"

#include <string.h>

#include "core/base/mem.h"

void store_memory_drop(struct store_memory_conversation *conversation)
{
    list_remove(&conversation->link);
    arena_fini(&conversation->arena);
    mem_free(conversation);
}

/* Everything of the user at once: there is no one to wait for it. */
static enum err_code erase_user(struct store_memory *memory, struct store_call *call)
{
    const struct identity *user = &call->ask.erase->key;
    LIST_EACH_SAFE(link, &memory->conversations) {
        struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        if (!identity_is_same_user(&conversation->key, user))
            continue;
        store_memory_drop(conversation);
        call->total++;
    }
    LIST_EACH_SAFE(link, &memory->runs) {
        struct store_memory_run *run = list_item(link, struct store_memory_run, link);
        if (!identity_is_same_user(&run->run.key, user))
            continue;
        store_memory_drop_run(run);
        call->total++;
    }
    LIST_EACH_SAFE(link, &memory->notes)
        if (identity_is_same_user(&store_memory_kept_of(link)->key, user))
            list_remove(link);
    return ERR_OK;
}

enum err_code store_memory_erase(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_erase *ask = call->ask.erase;
    struct store_memory_conversation *conversation;
    if (str_is_empty(ask->key.conversation_id))
        return erase_user(memory, call);
    enum err_code code = store_memory_find(memory, &ask->key, &conversation, err);
    if (code != ERR_OK)
        return code;
    if (!store_memory_drop_runs(memory, &ask->key) && conversation == NULL)
        return err_set(err, ERR_NOT_FOUND, "there is no such conversation");
    if (conversation != NULL)
        store_memory_drop(conversation);
    return ERR_OK;
}

/* Whether asker may prune now; then it is the one that does. */
static bool take_lock(struct store_memory *memory, const struct store_prune *ask)
{
    uint64_t now_ms = store_memory_now(memory);
    if (memory->pruner.len > 0 && !str_equal(memory->pruner, ask->instance) &&
        now_ms < memory->pruned_ms + ask->lock_ms)
        return false;
    size_t len = size_min(ask->instance.len, sizeof memory->pruner_text);
    memcpy(memory->pruner_text, ask->instance.at, len);
    memory->pruner = str_make(memory->pruner_text, len);
    memory->pruned_ms = now_ms;
    return true;
}

enum err_code store_memory_prune(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_prune *ask = call->ask.prune;
    uint64_t now_ms = store_memory_now(memory);
    uint64_t before_ms = now_ms > ask->age_ms ? now_ms - ask->age_ms : 0;
    uint64_t limit = store_rows(ask->limit);
    if (!take_lock(memory, ask))
        return err_set(err, ERR_BUSY, "another instance prunes");
    LIST_EACH_SAFE(link, &memory->conversations) {
        struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        if (call->total == limit)
            return ERR_OK;
        if (conversation->changed_ms > before_ms ||
            store_memory_has_fresh_run(memory, conversation->key.conversation_id, before_ms))
            continue;
        (void)store_memory_drop_runs(memory, &conversation->key);
        store_memory_drop(conversation);
        call->total++;
    }
    LIST_EACH_SAFE(link, &memory->runs) {
        struct store_memory_run *run = list_item(link, struct store_memory_run, link);
        if (run->run.changed_ms > before_ms || call->total == limit)
            continue;
        store_memory_drop_run(run);
        call->total++;
    }
    return ERR_OK;
}

/* SPDX-License-Identifier: MIT */
/* server/api/conversations/erase_memory.c - one message, to every shard.
 *
 * Failure paths: no memory: the other shards keep what they have until its linger time is over; a
 * shard that stops ends the message's way, and keeps nothing itself. */
#include "server/api/conversations/erase_memory.h"

#include "core/base/mem.h"
#include "server/runs/shard.h"

enum { NAMES_BYTES = 1024 };

struct erase_memory {
    struct shard_message message;
    struct arena arena; /* of the key */
    struct identity key;
};

static void forget_here(struct shard *shard, const struct identity *key)
{
    conversations_forget(shard->conversations, key);
    runs_forget_ended(shard->runs, key);
}

static void free_forgetting(struct erase_memory *forgetting)
{
    arena_fini(&forgetting->arena);
    mem_free(forgetting);
}

static void visit(struct shard_message *message, struct shard *shard)
{
    const struct erase_memory *forgetting = container_of(message, struct erase_memory, message);
    forget_here(shard, &forgetting->key);
}

static void end(struct shard_message *message, struct shard *home)
{
    (void)home;
    free_forgetting(container_of(message, struct erase_memory, message));
}

void erase_memory_start(struct shard *shard, const struct identity *key)
{
    bool is_everywhere = shard->group->count > 1 && str_is_empty(key->conversation_id);
    struct erase_memory *forgetting = is_everywhere ? mem_zalloc(1, sizeof *forgetting) : NULL;
    if (forgetting == NULL) {
        forget_here(shard, key);
        return;
    }
    forgetting->message = (struct shard_message){.visit = visit, .end = end};
    arena_init(&forgetting->arena, NAMES_BYTES);
    forgetting->key = identity_copy(&forgetting->arena, key);
    if (str_is_absent(forgetting->key.company_id) || str_is_absent(forgetting->key.user_id)) {
        forget_here(shard, key);
        free_forgetting(forgetting);
    } else {
        shard_send_around(shard, &forgetting->message);
    }
}

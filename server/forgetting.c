/* SPDX-License-Identifier: MIT */
/* server/forgetting.c - one letter, to every shard.
 *
 * Failure paths: no memory: the other shards keep what they have for as long as it lingers; one
 * that stops ends the letter's way, and keeps nothing itself. */
#include "server/forgetting.h"

#include "core/base/mem.h"
#include "server/shard.h"

enum { NAMES_BYTES = 1024 };

struct forgetting {
    struct shard_letter letter;
    struct arena arena; /* of the key */
    struct identity key;
};

static void forget_here(struct shard *shard, const struct identity *key)
{
    conversations_forget(shard->conversations, key);
    runs_forget_ended(shard->runs, key);
}

static void free_forgetting(struct forgetting *forgetting)
{
    arena_fini(&forgetting->arena);
    mem_free(forgetting);
}

static void visit(struct shard_letter *letter, struct shard *shard)
{
    const struct forgetting *forgetting = container_of(letter, struct forgetting, letter);
    forget_here(shard, &forgetting->key);
}

static void end(struct shard_letter *letter, struct shard *home)
{
    (void)home;
    free_forgetting(container_of(letter, struct forgetting, letter));
}

void forgetting_start(struct shard *shard, const struct identity *key)
{
    bool is_everywhere = shard->group->count > 1 && str_is_empty(key->conversation_id);
    struct forgetting *forgetting = is_everywhere ? mem_zalloc(1, sizeof *forgetting) : NULL;
    if (forgetting == NULL) {
        forget_here(shard, key);
        return;
    }
    forgetting->letter = (struct shard_letter){.visit = visit, .end = end};
    arena_init(&forgetting->arena, NAMES_BYTES);
    forgetting->key = identity_copy(&forgetting->arena, key);
    if (str_is_absent(forgetting->key.company_id) || str_is_absent(forgetting->key.user_id)) {
        forget_here(shard, key);
        free_forgetting(forgetting);
    } else {
        shard_send_around(shard, &forgetting->letter);
    }
}

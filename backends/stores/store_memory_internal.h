/* SPDX-License-Identifier: MIT */
/* backends/stores/store_memory_internal.h - what the files of store_memory share. */
#ifndef BACKENDS_STORES_STORE_MEMORY_INTERNAL_H
#define BACKENDS_STORES_STORE_MEMORY_INTERNAL_H

#include "backends/stores/store_memory.h"
#include "core/loop/closing.h"

struct store_memory {
    struct store store;
    struct list conversations, runs, notes; /* notes: the users' */
    struct list jobs;                       /* last begun first */
    struct list ended;                      /* runs, in the order of their ends */
    uint64_t end_ms;                        /* of the last of them, though it be gone */
    struct arena notes_arena;
    struct str pruner; /* the instance that pruned last, in pruner_text */
    char pruner_text[128];
    uint64_t pruned_ms;
    struct closing closing; /* out: nothing */
};

struct store_memory_conversation {
    struct list link;
    struct arena arena;
    struct identity key;
    uint64_t version, turn_count, began_ms, changed_ms;
    struct list checkpoints, turns, notes; /* oldest first */
};

/* A record in a list, with its copy in the arena of what it belongs to. */
struct store_memory_kept {
    struct list link;
    struct identity key; /* of a user's note */
    union {
        struct store_checkpoint checkpoint;
        struct store_turn turn;
        struct store_note note;
        struct store_batch batch;
    } is;
};

struct store_memory_run {
    struct list link;
    struct arena arena;
    struct store_run run;
    struct list batches, marks;
    struct list ended; /* among those that have, in their order */
};

static inline uint64_t store_memory_now(const struct store_memory *memory)
{
    return loop_wall_ms(memory->store.loop);
}

static inline struct store_memory_conversation *store_memory_conversation_of(struct list *link)
{
    return list_item(link, struct store_memory_conversation, link);
}

static inline struct store_memory_kept *store_memory_kept_of(struct list *link)
{
    return list_item(link, struct store_memory_kept, link);
}

/* store_memory_load and so on: answer a call. */
#define STORE_MEMORY_VERB(verb, name, effect)                                                      \
    enum err_code store_memory_##name(struct store_memory *memory, struct store_call *call,        \
                                      struct err *err);
STORE_VERBS(STORE_MEMORY_VERB)
#undef STORE_MEMORY_VERB

/* The conversation's version; 0: there is none. */
uint64_t store_memory_version(const struct store_memory *memory, const struct identity *key);
/* Drop the jobs of the user, or of the user's conversation, that key names; how many. */
uint64_t store_memory_drop_jobs(struct store_memory *memory, const struct identity *key);
/* Of every owner, at the end. */
void store_memory_drop_all_jobs(struct store_memory *memory);
void store_memory_drop_run(struct store_memory_run *run);
/* Drop a conversation's runs; whether there were any. */
bool store_memory_drop_runs(struct store_memory *memory, const struct identity *key);
/* Whether a run of the conversation changed after changed_ms. */
bool store_memory_has_fresh_run(const struct store_memory *memory, const struct identity *key,
                                uint64_t changed_ms);

#endif

/* SPDX-License-Identifier: MIT */
/* server/runs/shard.h - what requests of one loop are answered from: its runs, conversations,
 * backends.
 *
 * Runs and conversations are divided among the shards of a process: a run's id names its shard, a
 * conversation's id hashes to one. Each worker fills one shard before it starts, and only its
 * thread reads it then; shards reach each other by messages. Everything is borrowed. */
#ifndef SERVER_RUNS_SHARD_H
#define SERVER_RUNS_SHARD_H

#include "agents/registry.h"
#include "core/base/id.h"
#include "core/base/log.h"
#include "server/config/config.h"
#include "server/conversations/conversations.h"
#include "core/loop/inbox.h"
#include "server/wiring/knowledge.h"
#include "server/observe/meters.h"
#include "server/runs/runs.h"
#include "server/wiring/wiring.h"

struct shard;

/* What all shards of a process have in common; immutable while they serve. */
struct shard_group {
    const struct config *config;
    const struct registry *registry;
    const struct meters *meters;
    const struct metrics *const *metrics;   /* of each shard */
    const struct lexicon_progress *reading; /* how far the database has been read */
    struct shard *const *shards;
    size_t count;
};

struct shard {
    const struct shard_group *group;
    unsigned index;     /* its place in the group */
    struct id instance; /* its name in stores */
    struct loop *loop;
    struct inbox *inbox;
    const struct log *log;
    struct metrics *metrics;
    const struct wiring *wiring;
    const struct services *services;
    struct runs *runs;
    struct conversations *conversations;
    struct knowledge_pin *pin; /* what new runs know; NULL: nothing yet */
    bool draining;             /* no new runs */
    bool stopping;             /* messages are only freed */
    struct list listings;      /* lists of runs that wait for their message; of run listings */
    uint64_t listing_count;    /* how many there were */
};

/* The shard that a run id names; none: the group's count or more. */
size_t shard_of_run(const struct shard *shard, struct str run_id);
/* The shard that a conversation belongs to; of "", this one. */
size_t shard_of_conversation(const struct shard *shard, struct str conversation_id);
/* Add to a counter or gauge of this shard. */
void shard_count(const struct shard *shard, enum meter meter, int64_t amount);

/* Cancel the run that goes by call, on whichever shard it is; why is static. Without memory for a
 * message the run goes on to its end. */
void shard_cancel_call(const struct shard *shard, struct str call, const char *why);

/* A message that visits every shard: the one it begins at, its home, then the others in turn, until
 * it is home again. Nothing is shared: the message has one owner at a time. */
struct shard_letter {
    /* On the loop of each shard. */
    void (*visit)(struct shard_letter *message, struct shard *shard);
    /* The end of the way: adopts the message. home: where it is again. NULL: a shard that stops
     * took it, on that shard's loop. */
    void (*end)(struct shard_letter *message, struct shard *home);
    /* private */
    struct inbox_message message;
    struct shard *home, *at;
};

/* Visit home at once, then send message, the group's from here on, to the others. With one shard it
 * ends inside this call. */
void shard_send_around(struct shard *home, struct shard_letter *message);

#endif

/* SPDX-License-Identifier: MIT */
/* server/runs/shard.h - what the requests of one loop are answered from: its runs, conversations
 * and backends.
 *
 * Runs and conversations are divided among the shards of a process: a run's id names its shard, a
 * conversation's id hashes to one. Each worker fills one shard before it starts; from then on only
 * its thread reads it, and shards reach each other by messages. Everything is borrowed. */
#ifndef SERVER_RUNS_SHARD_H
#define SERVER_RUNS_SHARD_H

#include "agents/registry.h"
#include "core/base/id.h"
#include "core/base/log.h"
#include "server/config/config.h"
#include "server/conversations/conversations.h"
#include "core/loop/inbox.h"
#include "server/http/problem.h"
#include "server/wiring/knowledge.h"
#include "server/observe/meters.h"
#include "server/runs/runs.h"
#include "server/wiring/wiring.h"

struct shard;
struct documents; /* server/api/documents */

/* What all shards of a process have in common; immutable while they serve. */
struct shard_group {
    const struct config *config;
    const struct registry *registry;
    const struct meters *meters;
    const struct metrics *const *metrics;   /* one of each shard */
    struct seen *seen;                      /* how calls of backends ended, on all shards */
    const struct lexicon_progress *reading; /* how far the database has been read */
    struct shard *const *shards;
    size_t count;
};

struct shard {
    const struct shard_group *group;
    unsigned index;     /* the place of the shard in the group */
    struct id instance; /* the name of the shard in stores */
    struct loop *loop;
    struct inbox *inbox;
    const struct log *log;
    struct metrics *metrics;
    const struct wiring *wiring;
    const struct services *services;
    struct runs *runs;
    struct conversations *conversations;
    struct documents *documents;
    struct knowledge_pin *pin; /* the knowledge for new runs; NULL: none yet */
    bool draining;             /* no new runs */
    bool stopping;             /* messages that arrive are only freed */
    struct list listings;      /* the run listings that wait for their message */
    uint64_t listing_count;    /* how many run listings there were */
    uint64_t download_bytes;   /* that whole results fill, or may fill while they are read */
};

/* Index of the shard that run_id names; the group's count or more: it names none. */
size_t shard_of_run(const struct shard *shard, struct str run_id);
/* Index of the shard that the conversation belongs to; of "", that of this shard. */
size_t shard_of_conversation(const struct shard *shard, struct str conversation_id);
/* A new random name of a conversation, or of a key, that this shard is home to: no other need be
 * asked. In arena; absent: no memory. */
struct str shard_make_name(const struct shard *shard, struct arena *arena);
/* Fill *problem for a request about a run that the store of runs says it does not have. 410: there
 * is no such run. 503, with a time after which to ask again: the store could not be used lately,
 * and a server that answers all the same may have begun the run and not stored its record yet. */
void shard_miss_run(const struct shard *shard, struct problem *problem);
/* Add to a counter or gauge of this shard. */
void shard_count(const struct shard *shard, enum meter meter, int64_t amount);

/* Whether people are offered the graph at place of the registry: it is listed, and the database, as
 * far as it is known, has what the graph is about. */
bool shard_offers(const struct shard *shard, size_t place);
/* ERR_NOT_FOUND: entry is about tables that the database has not; err names them. */
MUST_USE enum err_code shard_suits(const struct shard *shard, const struct registry_entry *entry,
                                   struct err *err);

/* Cancel the run whose request had this call name, on whichever shard it is; why is static text.
 * Without memory for a message the run is not cancelled. */
void shard_cancel_call(const struct shard *shard, struct str call, const char *why);

/* A message that visits every shard: its home, where it begins, then the others in turn, until it
 * is home again. Nothing is shared: the message has one owner at a time. */
struct shard_message {
    /* Called on the loop of each shard. */
    void (*visit)(struct shard_message *message, struct shard *shard);
    /* The end of the way: message is the callee's to free. home: the shard where it began and is
     * again; called on its loop. NULL: a shard that stops took the message; called on the loop of
     * that shard. */
    void (*end)(struct shard_message *message, struct shard *home);
    /* private */
    struct inbox_message message;
    struct shard *home, *at;
};

/* Visit home at once, then send message, which is the group's from here on, to the other shards.
 * With one shard, end is called inside this call. */
void shard_send_around(struct shard *home, struct shard_message *message);

#endif

/* SPDX-License-Identifier: MIT */
/* server/api/erase_memory.h - what was erased goes from memory, too: messages and the runs that
 * ended.
 *
 * A conversation is in its own worker's memory, all that is a user's in any worker's: a message
 * goes around. Runs that somebody reads stay until that is over. Not what other servers of the same
 * store hold: that goes with their linger. One loop. */
#ifndef SERVER_API_ERASE_MEMORY_H
#define SERVER_API_ERASE_MEMORY_H

#include "core/store/store_records.h"

struct shard;

/* Begin, here at once; nobody waits for the other workers. An empty conversation_id: all of the
 * user. */
void erase_memory_start(struct shard *shard, const struct identity *key);

#endif

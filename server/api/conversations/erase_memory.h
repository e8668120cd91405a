/* SPDX-License-Identifier: MIT */
/* server/api/conversations/erase_memory.h - erasing from memory what was erased from the stores:
 * messages, and the runs that ended.
 *
 * A conversation is in the memory of its own worker, what is a user's in that of any worker: so a
 * message goes around the workers. Runs that somebody reads stay until the reading is over. Memory
 * of other servers of the same store is not reached: it goes when their linger is over. One loop.
 */
#ifndef SERVER_API_CONVERSATIONS_ERASE_MEMORY_H
#define SERVER_API_CONVERSATIONS_ERASE_MEMORY_H

#include "core/store/store_records.h"

struct shard;

/* Begin: this worker forgets at once, nobody waits for the other workers. An empty conversation_id:
 * all of the user. */
void erase_memory_start(struct shard *shard, const struct identity *key);

#endif

/* SPDX-License-Identifier: MIT */
/* server/records/conversation_queue.h - one queue a conversation: whose run has its turn there.
 *
 * Members stand in the order of joining; the first has its turn until it leaves. One thread. */
#ifndef SERVER_RECORDS_CONVERSATION_QUEUE_H
#define SERVER_RECORDS_CONVERSATION_QUEUE_H

#include "core/base/list.h"
#include "core/base/map.h"

struct conversation_queue {
    /* private */
    struct map firsts; /* key -> the first member */
};

struct conversation_queue_member { /* embedded, zeroed */
    struct str key;                /* names the conversation; borrowed while in line; empty: the
                                      member is alone, always first */
    /* private */
    struct list link; /* the other members of this key, a ring without a head */
};

void conversation_queue_init(struct conversation_queue *turns);
/* The queues must be empty. */
void conversation_queue_fini(struct conversation_queue *turns);
/* Put member at the end of key's queue. False: no memory. */
MUST_USE bool conversation_queue_join(struct conversation_queue *turns,
                                      struct conversation_queue_member *member, struct str key);
/* Take member out of its queue, wherever it stands. Idempotent. Returns the member whose turn comes
 * by that; NULL: nobody's. */
struct conversation_queue_member *
conversation_queue_leave(struct conversation_queue *turns,
                         struct conversation_queue_member *member);
/* The member that has the turn of key; NULL: the queue is empty. */
struct conversation_queue_member *conversation_queue_first(const struct conversation_queue *turns,
                                                           struct str key);
bool conversation_queue_is_first(const struct conversation_queue *turns,
                                 const struct conversation_queue_member *member);

#endif

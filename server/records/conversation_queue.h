/* SPDX-License-Identifier: MIT */
/* server/records/conversation_queue.h - whose turn it is in a conversation: one line of members per
 * key.
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
    struct str key;                /* borrowed while in line; empty: alone, always first */
    /* private */
    struct list link; /* the others of this key, a ring without a head */
};

void conversation_queue_init(struct conversation_queue *turns);
/* Nobody may be in line. */
void conversation_queue_fini(struct conversation_queue *turns);
/* Stand at the end of key's line. False: no memory. */
MUST_USE bool conversation_queue_join(struct conversation_queue *turns,
                                      struct conversation_queue_member *member, struct str key);
/* Idempotent. */
void conversation_queue_leave(struct conversation_queue *turns,
                              struct conversation_queue_member *member);
/* Who has the turn of key; NULL: nobody is in line. */
struct conversation_queue_member *conversation_queue_first(const struct conversation_queue *turns,
                                                           struct str key);
bool conversation_queue_is_first(const struct conversation_queue *turns,
                                 const struct conversation_queue_member *member);

#endif

/* SPDX-License-Identifier: MIT */
/* server/records/conversation_queue.c - a map to the first member; the others are linked behind it
 * in a ring.
 *
 * Failure: no memory for the map when a key's first member joins; when a line moves up, the entry
 * that is freed makes the room. */
#include "server/records/conversation_queue.h"

void conversation_queue_init(struct conversation_queue *turns)
{
    map_init(&turns->firsts);
}

void conversation_queue_fini(struct conversation_queue *turns)
{
    CHECK(map_count(&turns->firsts) == 0);
    map_fini(&turns->firsts);
}

bool conversation_queue_join(struct conversation_queue *turns,
                             struct conversation_queue_member *member, struct str key)
{
    list_init(&member->link);
    member->key = key;
    if (key.len == 0)
        return true;
    struct conversation_queue_member *first = map_find(&turns->firsts, key);
    if (first != NULL) {
        list_push(&first->link, &member->link);
        return true;
    }
    if (map_put(&turns->firsts, key, member))
        return true;
    member->key = STR("");
    return false;
}

struct conversation_queue_member *conversation_queue_leave(struct conversation_queue *turns,
                                                           struct conversation_queue_member *member)
{
    struct str key = member->key;
    if (key.len == 0)
        return NULL;
    bool was_first = map_find(&turns->firsts, key) == member;
    struct conversation_queue_member *next = NULL;
    if (list_is_linked(&member->link))
        next = list_item(member->link.next, struct conversation_queue_member, link);
    list_remove(&member->link);
    member->key = STR("");
    if (!was_first)
        return NULL;
    (void)map_take(&turns->firsts, key);
    if (next != NULL)
        CHECK(map_put(&turns->firsts, next->key, next));
    return next;
}

struct conversation_queue_member *conversation_queue_first(const struct conversation_queue *turns,
                                                           struct str key)
{
    return key.len == 0 ? NULL : map_find(&turns->firsts, key);
}

bool conversation_queue_is_first(const struct conversation_queue *turns,
                                 const struct conversation_queue_member *member)
{
    return member->key.len == 0 || map_find(&turns->firsts, member->key) == member;
}

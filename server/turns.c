/* SPDX-License-Identifier: MIT */
/* server/turns.c - a map to the first member; the others are linked behind it in a ring.
 *
 * Failure: no memory for the map when a key's first member joins; when a line moves up, the entry
 * that is freed makes the room. */
#include "server/turns.h"

void turns_init(struct turns *turns)
{
    map_init(&turns->firsts);
}

void turns_fini(struct turns *turns)
{
    CHECK(map_count(&turns->firsts) == 0);
    map_fini(&turns->firsts);
}

bool turns_join(struct turns *turns, struct turns_member *member, struct str key)
{
    list_init(&member->link);
    member->key = key;
    if (key.len == 0)
        return true;
    struct turns_member *first = map_find(&turns->firsts, key);
    if (first != NULL) {
        list_push(&first->link, &member->link);
        return true;
    }
    if (map_put(&turns->firsts, key, member))
        return true;
    member->key = STR("");
    return false;
}

void turns_leave(struct turns *turns, struct turns_member *member)
{
    struct str key = member->key;
    if (key.len == 0)
        return;
    bool was_first = map_find(&turns->firsts, key) == member;
    struct turns_member *next = NULL;
    if (list_is_linked(&member->link))
        next = list_item(member->link.next, struct turns_member, link);
    list_remove(&member->link);
    member->key = STR("");
    if (!was_first)
        return;
    (void)map_take(&turns->firsts, key);
    if (next != NULL)
        CHECK(map_put(&turns->firsts, next->key, next));
}

struct turns_member *turns_first(const struct turns *turns, struct str key)
{
    return key.len == 0 ? NULL : map_find(&turns->firsts, key);
}

bool turns_is_first(const struct turns *turns, const struct turns_member *member)
{
    return member->key.len == 0 || map_find(&turns->firsts, member->key) == member;
}

/* SPDX-License-Identifier: MIT */
/* server/turns.h - whose turn it is in a conversation: one line of members per key.
 *
 * Members stand in the order of joining; the first has its turn until it leaves. One thread. */
#ifndef SERVER_TURNS_H
#define SERVER_TURNS_H

#include "core/base/list.h"
#include "core/base/map.h"

struct turns {
    /* private */
    struct map firsts; /* key -> the first member */
};

struct turns_member { /* embedded, zeroed */
    struct str key;   /* borrowed while in line; empty: alone, always first */
    /* private */
    struct list link; /* the others of this key, a ring without a head */
};

void turns_init(struct turns *turns);
/* Nobody may be in line. */
void turns_fini(struct turns *turns);
/* Stand at the end of key's line. False: no memory. */
MUST_USE bool turns_join(struct turns *turns, struct turns_member *member, struct str key);
/* Idempotent. */
void turns_leave(struct turns *turns, struct turns_member *member);
/* Who has the turn of key; NULL: nobody is in line. */
struct turns_member *turns_first(const struct turns *turns, struct str key);
bool turns_is_first(const struct turns *turns, const struct turns_member *member);

#endif

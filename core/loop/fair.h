/* SPDX-License-Identifier: MIT */
/* core/loop/fair.h - the order in which waiting callers get places: fair among companies, then
 * among a company's users, then first come, first served.
 *
 * Start-time fair queuing on both levels: a caller that goes in pays one unit of virtual time,
 * divided by its company's weight; the caller with the least virtual time is next. So a company
 * that asks a hundred times as often as others gets no more places than they while they want some
 * too, and all of them when nobody else does. A time in which a caller wanted no place earns it
 * nothing. A place is waiting, then inside, then away; limits count the places inside. Of a
 * caller's identity only company and user count, as identity_is_same_user has them: all callers
 * without a name share the places of one. This module knows no number of places and no clock. One
 * thread. */
#ifndef CORE_LOOP_FAIR_H
#define CORE_LOOP_FAIR_H

#include "core/base/list.h"
#include "core/base/identity.h"

struct fair_group;

struct fair {
    /* private */
    struct fair_group *root; /* NULL: nobody came yet */
    size_t company_limit, user_limit;
    uint64_t sequence;
};

enum fair_state { FAIR_AWAY, FAIR_WAITING, FAIR_INSIDE };

struct fair_tag { /* a virtual time; ties go to fewer turns, then to the longer wait */
    uint64_t at, turns, since;
};

struct fair_place { /* embedded in the waiting caller; zeroed before use */
    /* private */
    struct list link; /* among the user's, while waiting */
    struct fair_group *user;
    struct fair_tag in_company, in_all; /* as fair_order found them */
    enum fair_state state;
};

struct fair_count {
    size_t waiting, inside;
};

/* Most places that one company, and one of its users, may have inside; 0: no limit. */
void fair_init(struct fair *fair, size_t company_limit, size_t user_limit);
/* Free fair, in which no place may be waiting or inside. Fine on a zeroed struct. */
void fair_fini(struct fair *fair);

/* Put place in line. caller's names are copied. weight is the company's from now on; 0 means 1.
 * False: no memory, place is away. */
MUST_USE bool fair_wait(struct fair *fair, struct fair_place *place, const struct identity *caller,
                        unsigned weight);
/* The user of place, which waits or is inside, may have most places inside from now on; 0: any
 * number. It holds until the user has neither. */
void fair_limit_user(struct fair_place *place, size_t most);
/* Whether two places, neither of them away, are the same user's. */
static inline bool fair_is_same_user(const struct fair_place *a, const struct fair_place *b)
{
    return a->user == b->user;
}
/* The place that goes next; NULL: none waits, or all that wait are at a limit. */
struct fair_place *fair_next(struct fair *fair);
/* As fair_next, of users who have fewer than most places inside. */
struct fair_place *fair_next_below(struct fair *fair, size_t most);
/* Move place from the line to the inside; it need not be the next one. */
void fair_enter(struct fair *fair, struct fair_place *place);
/* Move place away, out of the line or from the inside. Idempotent. */
void fair_leave(struct fair *fair, struct fair_place *place);
static inline enum fair_state fair_state(const struct fair_place *place)
{
    return place->state;
}

/* How many of the places that wait may go now, one after the other, were there room for all of
 * them; the others are at a limit. */
size_t fair_ready(const struct fair *fair);
/* Places that wait and are inside: all, those of caller's company, those of caller's user. */
struct fair_count fair_count(const struct fair *fair);
struct fair_count fair_count_company(const struct fair *fair, const struct identity *caller);
struct fair_count fair_count_user(const struct fair *fair, const struct identity *caller);
/* Fill places with at most room of the places that wait, in the order in which they go if no other
 * comes and no limit holds one up; returns how many. room must be at least the number that waits,
 * else some are missing. */
size_t fair_order(struct fair *fair, struct fair_place **places, size_t room);

#endif

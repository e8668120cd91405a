/* SPDX-License-Identifier: MIT */
/* core/loop/fair.h - who goes next when many want the same places: first among companies, then
 * among a company's users, then in order of coming.
 *
 * Start-time fair queuing on both levels: who goes pays one unit of virtual time, divided by the
 * company's weight; the next is whose time is least. So a company that asks a hundred times as
 * often as others gets no more than they while they want places too, and all of them when nobody
 * does. Who waited for nothing saved nothing up. A place is waiting, then inside, then away; limits
 * count those inside. Of a caller's identity only company and user count, as
 * identity_is_same_user has them: all who have no name share the places of one. Knows no number of
 * places and no clock. One thread. */
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

struct fair_tag { /* a virtual time; ties go to who had fewer turns, then to who waits longer */
    uint64_t at, turns, since;
};

struct fair_place { /* embedded in who waits; zeroed */
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
/* Nobody may be waiting or inside. Fine on a zeroed one. */
void fair_fini(struct fair *fair);

/* Stand in line. caller's names are copied. weight is the company's from now on; 0: 1. False: no
 * memory, it is away. */
MUST_USE bool fair_wait(struct fair *fair, struct fair_place *place, const struct identity *caller,
                        unsigned weight);
/* Who goes next; NULL: nobody waits, or only who is at its limit. */
struct fair_place *fair_next(struct fair *fair);
/* From the line to the inside; it need not be the next. */
void fair_enter(struct fair *fair, struct fair_place *place);
/* Away, from wherever it is. Idempotent. */
void fair_leave(struct fair *fair, struct fair_place *place);
static inline enum fair_state fair_state(const struct fair_place *place)
{
    return place->state;
}

/* All, a caller's company, a caller's user. */
struct fair_count fair_count(const struct fair *fair);
struct fair_count fair_count_company(const struct fair *fair, const struct identity *caller);
struct fair_count fair_count_user(const struct fair *fair, const struct identity *caller);
/* Fill places with at most room of those that wait, in the order in which they go if nobody comes
 * and no limit holds anybody up; how many. room: at least all that wait, or some are missing. */
size_t fair_order(struct fair *fair, struct fair_place **places, size_t room);

#endif

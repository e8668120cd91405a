/* SPDX-License-Identifier: MIT */
/* agents/memory/elsewhere.h - a text per user: what was mentioned in conversations other than the
 * one that goes on, as the store last said.
 *
 * A user is who identity_is_same_user says. Bounded: the users longest untouched are forgotten
 * first. One thread. */
#ifndef AGENTS_MEMORY_ELSEWHERE_H
#define AGENTS_MEMORY_ELSEWHERE_H

#include "core/base/identity.h"

struct elsewhere;

/* For at most max_users, ELSEWHERE_BYTES each. NULL: no memory. */
enum { ELSEWHERE_BYTES = 16 * 1024 };
struct elsewhere *elsewhere_create(size_t max_users);
/* NULL is fine. */
void elsewhere_destroy(struct elsewhere *elsewhere);
/* Copy text, cut at ELSEWHERE_BYTES at a line's end; empty, or no memory: the user has none. */
void elsewhere_set(struct elsewhere *elsewhere, const struct identity *user, struct str text);
/* Borrowed until the next set; empty: none. */
struct str elsewhere_get(const struct elsewhere *elsewhere, const struct identity *user);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/memory/elsewhere.h - keeps a text for each user: what was mentioned in the user's other
 * conversations, as the store last reported it.
 *
 * Two identities are one user when identity_is_same_user says so. Bounded: the users longest
 * untouched are forgotten first. One thread. */
#ifndef AGENTS_MEMORY_ELSEWHERE_H
#define AGENTS_MEMORY_ELSEWHERE_H

#include "core/base/identity.h"

struct elsewhere;

/* Keep texts of at most max_users users, ELSEWHERE_BYTES each. NULL: no memory. */
enum { ELSEWHERE_BYTES = 16 * 1024 };
struct elsewhere *elsewhere_create(size_t max_users);
/* NULL is fine. */
void elsewhere_destroy(struct elsewhere *elsewhere);
/* Keep a copy of text for user, cut at the end of a line to at most ELSEWHERE_BYTES. text is empty,
 * or no memory: the user has no text. */
void elsewhere_set(struct elsewhere *elsewhere, const struct identity *user, struct str text);
/* The text of user, borrowed until the next elsewhere_set; empty: none. */
struct str elsewhere_get(const struct elsewhere *elsewhere, const struct identity *user);

#endif

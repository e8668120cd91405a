/* SPDX-License-Identifier: MIT */
/* agents/memory/elsewhere.h - a text per user: what was mentioned in conversations other than the
 * one that goes on, as the store last said.
 *
 * Bounded: the users longest untouched are forgotten first. One thread. */
#ifndef AGENTS_MEMORY_ELSEWHERE_H
#define AGENTS_MEMORY_ELSEWHERE_H

#include "core/base/str.h"

struct elsewhere;

/* For at most max_users, ELSEWHERE_BYTES each. NULL: no memory. */
enum { ELSEWHERE_BYTES = 16 * 1024 };
struct elsewhere *elsewhere_create(size_t max_users);
/* NULL is fine. */
void elsewhere_destroy(struct elsewhere *elsewhere);
/* Copy text, cut at ELSEWHERE_BYTES at a line's end; empty, or no memory: the user has none. */
void elsewhere_set(struct elsewhere *elsewhere, struct str company_id, struct str user_id,
                   struct str text);
/* Borrowed until the next set; empty: none. */
struct str elsewhere_get(const struct elsewhere *elsewhere, struct str company_id,
                         struct str user_id);

#endif

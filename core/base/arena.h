/* SPDX-License-Identifier: MIT */
/* core/base/arena.h - bump allocation with a budget; everything goes at once.
 *
 * Exhaustion is sticky: after the first NULL all further allocations give NULL, so a caller may
 * check once at the end with arena_ok. Unused memory is poisoned under ASan. One thread. */
#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include "core/base/str.h"

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *at, *end;             /* free space of the newest block */
    size_t used, budget;        /* bytes taken for blocks, and the most that may be */
    bool exhausted;
    struct arena *within; /* that pays for it; NULL: none */
};

/* An empty arena that may take at most budget bytes from mem. Allocates nothing yet. */
void arena_init(struct arena *arena, size_t budget);
/* An empty arena whose blocks are counted against the budget of outer until it is emptied, for what
 * may go before the rest of outer does. When it is exhausted outer is, too, for good. outer must
 * outlive it. */
void arena_init_within(struct arena *arena, struct arena *outer);
/* Free everything and leave it as after its init. */
void arena_fini(struct arena *arena);

/* Take all that from holds over: it lives as long as arena from then on, whatever the budget of
 * arena says, and from, which is within no other, is left empty. */
void arena_adopt(struct arena *arena, struct arena *from);

static inline bool arena_ok(const struct arena *arena)
{
    return !arena->exhausted;
}

/* size zeroed bytes, aligned for any type. NULL: budget or memory is spent. */
MUST_USE void *arena_alloc(struct arena *arena, size_t size);
/* As arena_alloc, but not zeroed: for memory that is written before it is read. */
MUST_USE void *arena_raw(struct arena *arena, size_t size);
/* count * size zeroed bytes. */
MUST_USE void *arena_array(struct arena *arena, size_t count, size_t size);
/* A copy of s; the absent string when the arena is spent, or when s is absent. */
struct str arena_str(struct arena *arena, struct str s);
/* A NUL-terminated copy of s; NULL when the arena is spent or when s holds a NUL. */
char *arena_cstr(struct arena *arena, struct str s);
/* Formatted text; the absent string when the arena is spent. */
struct str arena_printf(struct arena *arena, const char *fmt, ...) PRINTF(2, 3);

#endif

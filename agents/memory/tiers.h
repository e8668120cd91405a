/* SPDX-License-Identifier: MIT */
/* agents/memory/tiers.h - what a long conversation is to a model: its last turns in full, those
 * before in summaries of a few turns each, all that was earlier in one (R240).
 *
 * A part is made once, when its turns are behind the last TIERS_FULL ones; when there are more than
 * TIERS_PARTS the oldest joins the summary of all that was earlier. So a conversation of n turns
 * costs n / TIERS_PART summaries of bounded size, and its note is bounded. Pure. */
#ifndef AGENTS_MEMORY_TIERS_H
#define AGENTS_MEMORY_TIERS_H

#include "core/base/arena.h"
#include "core/base/buf.h"

enum {
    TIERS_FULL = 5, /* turns, of two messages each: the last 10 messages */
    TIERS_PART = 5,
    TIERS_PARTS = 4,         /* 40 messages: the 11th to the 50th last */
    TIERS_TEXT_BYTES = 1200, /* of one summary */
};

struct tiers_part {
    uint64_t last; /* turn; its first is behind the last one of the part before */
    struct str text;
};

struct tiers {
    struct tiers_part earlier; /* the rest; last 0: none */
    struct tiers_part parts[TIERS_PARTS + 1];
    size_t part_count;
};

/* From a conversation's note; views into arena. False: the note is not one of these, or no memory,
 * and *tiers is empty. */
MUST_USE bool tiers_read(struct tiers *tiers, struct str note, struct arena *arena);
/* Append the note. */
void tiers_write(const struct tiers *tiers, struct buf *out);
/* The last turn that is summed up. */
uint64_t tiers_covered(const struct tiers *tiers);
/* Whether turns first to last are to be summed up, in a conversation of so many. */
bool tiers_due(const struct tiers *tiers, uint64_t turns, uint64_t *first, uint64_t *last);
/* Add a part up to turn last. text is kept, cut at TIERS_TEXT_BYTES. */
void tiers_add(struct tiers *tiers, uint64_t last, struct str text);
/* Whether the oldest part is to join the earlier ones; then tiers_join says with which text. */
bool tiers_overflows(const struct tiers *tiers);
void tiers_join(struct tiers *tiers, struct str text);
/* Only so many turns were said: drop what sums up any that are shown in full, or that there are
 * not. */
void tiers_cut(struct tiers *tiers, uint64_t turns);
/* Append all summaries as lines for a prompt; nothing when there are none. */
void tiers_render(const struct tiers *tiers, struct buf *out);

#endif

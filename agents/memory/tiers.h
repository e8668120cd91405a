/* SPDX-License-Identifier: MIT */
/* agents/memory/tiers.h - how a long conversation is shown to a model: its last turns in full, the
 * turns before them as summaries of a few turns each, everything earlier as one summary (R240).
 *
 * A part (one summary) is made once, when its turns are behind the last TIERS_FULL turns; when
 * there are more than TIERS_PARTS parts the oldest joins the summary of everything earlier. A
 * conversation of n turns so costs n / TIERS_PART summaries of bounded size, and its note is
 * bounded. Pure. */
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
    uint64_t last; /* its last turn; its first follows the last of the part before */
    struct str text;
};

struct tiers {
    struct tiers_part earlier; /* everything before parts; last 0: none */
    struct tiers_part parts[TIERS_PARTS + 1];
    size_t part_count;
};

/* Read tiers from a conversation's note, as views into arena. False: the note has another form, or
 * no memory, and *tiers is empty. */
MUST_USE bool tiers_read(struct tiers *tiers, struct str note, struct arena *arena);
/* Append the note that tiers_read reads. */
void tiers_write(const struct tiers *tiers, struct buf *out);
/* The number of the last turn that is summed up. */
uint64_t tiers_covered(const struct tiers *tiers);
/* Whether turns are to be summed up now, in a conversation of this many turns; then turns *first to
 * *last. */
bool tiers_due(const struct tiers *tiers, uint64_t turns, uint64_t *first, uint64_t *last);
/* Add a part up to turn last. text is kept, cut at TIERS_TEXT_BYTES. */
void tiers_add(struct tiers *tiers, uint64_t last, struct str text);
/* Whether the oldest part is to join the summary of everything earlier; then tiers_join does so,
 * with text as the new summary. */
bool tiers_overflows(const struct tiers *tiers);
void tiers_join(struct tiers *tiers, struct str text);
/* Keep tiers true for a conversation of only this many turns: drop each summary of a turn that is
 * shown in full, or that there is not. */
void tiers_cut(struct tiers *tiers, uint64_t turns);
/* Append all summaries as lines for a prompt; nothing when there are none. */
void tiers_render(const struct tiers *tiers, struct buf *out);

#endif

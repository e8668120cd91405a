/* SPDX-License-Identifier: MIT */
/* agents/memory/mentions.h - the persons and things that a conversation spoke of: technicians,
 * jobs, customers, dates; the last mentioned first.
 *
 * A mention is a value and its kind ("employee", "date"). Mentions are bounded in count and bytes.
 * Their note has one mention a line; its text comes from rows and questions and is data, never an
 * instruction. Pure. */
#ifndef AGENTS_MEMORY_MENTIONS_H
#define AGENTS_MEMORY_MENTIONS_H

#include "core/base/arena.h"
#include "core/base/buf.h"

enum { MENTIONS_MOST = 24, MENTIONS_VALUE_BYTES = 80, MENTIONS_BYTES = 2048 };

enum mention_sort {
    MENTION_PERSON, /* somebody: "he", "her" */
    MENTION_THING,  /* something that has a name or number: "it", "that job" */
    MENTION_TIME,   /* a date or a range of them: "then" */
};

struct mention {
    enum mention_sort sort;
    struct str kind, value;
};

struct mentions {
    struct mention at[MENTIONS_MOST];
    size_t count;
};

/* Add the mentions of a note behind those that are there; they are views into it. Lines that are
 * not mentions are ignored. */
void mentions_read(struct mentions *mentions, struct str note);
/* Put mention first, copied into arena, cleaned and cut; where it is there already it moves to the
 * front. */
void mentions_add(struct mentions *mentions, const struct mention *mention, struct arena *arena);
/* Append the note of mentions, at most MENTIONS_BYTES. */
void mentions_write(const struct mentions *mentions, struct buf *out);
/* Append mentions for a prompt: "employee: Ann Lee, Bob Ray; date: 2025-05-01"; nothing when there
 * are none. */
void mentions_render(const struct mentions *mentions, struct buf *out);
/* The question with the last mentioned value in the place of "he", "her", "that job"; absent: it
 * has no such word, or no mention that the word could stand for. */
struct str mentions_resolve(const struct mentions *mentions, struct str question,
                            struct arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* core/loop/ahead.h - memory that the next piece of a stream will want, fetched before it is read.
 *
 * Between two tokens of one of a thousand streams the machine's caches see a thousand others, so
 * each of the twenty structs on a token's way would be waited for in turn. Who reads a stream has
 * what it touches noted on the way of a piece, and asks for all of it at once before it reads the
 * next one, which takes the kernel longer than memory takes. A note is a hint: what is at a place,
 * or whether anything still is, does not matter. One stream at a time on each loop. */
#ifndef CORE_LOOP_AHEAD_H
#define CORE_LOOP_AHEAD_H

#include "core/loop/loop.h"

enum { AHEAD_LINES = 46, AHEAD_LINE_BYTES = 64 };

struct ahead { /* zeroed: nothing is noted */
    int32_t count;
    int32_t lines[AHEAD_LINES]; /* private: from the one that the struct begins in */
};

/* Note anew on loop, until ahead_end, which comes before ahead goes. */
void ahead_begin(struct ahead *ahead, struct loop *loop);
void ahead_end(struct loop *loop);

/* What is at these places was wanted. What does not fit, or is on no stream's way, is not noted. */
void ahead_note(struct loop *loop, const void *const *places, size_t count);
#define AHEAD_NOTE(loop, ...)                                                                      \
    ahead_note(loop, (const void *const[]){__VA_ARGS__},                                           \
               sizeof((const void *const[]){__VA_ARGS__}) / sizeof(const void *))

/* The beginning of the i-th line that was noted, i < ahead->count. */
const void *ahead_line(const struct ahead *ahead, int32_t i);
/* Ask for all that was noted; returns at once. */
void ahead_fetch(const struct ahead *ahead);

#endif

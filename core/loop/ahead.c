/* SPDX-License-Identifier: MIT */
/* core/loop/ahead.c - lines as differences of 32 bits, so that the notes themselves are few lines.
 *
 * Failure: a place that is too far away, or one too many, is not noted. */
#include "core/loop/ahead.h"

void ahead_begin(struct ahead *ahead, struct loop *loop)
{
    ahead->count = 0;
    *loop_ahead(loop) = ahead;
}

void ahead_end(struct loop *loop)
{
    *loop_ahead(loop) = NULL;
}

static intptr_t line_of(const void *place)
{
    return (intptr_t)((uintptr_t)place / AHEAD_LINE_BYTES);
}

void ahead_note(struct loop *loop, const void *const *places, size_t count)
{
    struct ahead *ahead = *loop_ahead(loop);
    if (ahead == NULL)
        return;
    const intptr_t own = line_of(ahead);
    int32_t noted = ahead->count, last = noted > 0 ? ahead->lines[noted - 1] : INT32_MIN;
    for (size_t i = 0; i < count && noted < AHEAD_LINES; i++) {
        const intptr_t far = line_of(places[i]) - own;
        const int32_t line = (int32_t)far;
        if (line != far || line == last)
            continue;
        ahead->lines[noted++] = last = line;
    }
    ahead->count = noted;
}

const void *ahead_line(const struct ahead *ahead, int32_t i)
{
    return (const void *)((uintptr_t)(line_of(ahead) + ahead->lines[i]) * AHEAD_LINE_BYTES);
}

void ahead_fetch(const struct ahead *ahead)
{
    for (int32_t i = 0; i < ahead->count; i++)
        __builtin_prefetch(ahead_line(ahead, i), 1);
}

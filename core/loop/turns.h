/* SPDX-License-Identifier: MIT */
/* core/loop/turns.h - the workers of a process that do something in turns, by the clock that all of
 * them share: no worker tells another, and their turns stay apart whatever each takes. */
#ifndef CORE_LOOP_TURNS_H
#define CORE_LOOP_TURNS_H

#include "core/base/defs.h"

/* Milliseconds from now_ms on until it is the turn of worker (0 to count - 1; count 0 is 1), when
 * somebody's is every between_ms: from 1 to count * between_ms. */
static inline uint64_t turns_until_ms(uint64_t now_ms, uint64_t between_ms, uint64_t worker,
                                      uint64_t count)
{
    const uint64_t round_ms = between_ms * (count == 0 ? 1 : count);
    return round_ms - (now_ms + round_ms - between_ms * worker) % round_ms;
}

#endif

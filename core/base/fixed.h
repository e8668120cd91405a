/* SPDX-License-Identifier: MIT */
/* core/base/fixed.h - numbers as a given count of bytes, the least significant first. Any thread.
 */
#ifndef CORE_BASE_FIXED_H
#define CORE_BASE_FIXED_H

#include "core/base/buf.h"

static inline void fixed_push(struct buf *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buf_push_char(out, (char)(value >> (8 * i)));
}

/* Cut a number of so many bytes off the beginning of from, which must have at least as many. */
static inline uint64_t fixed_take(struct str *from, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)from->at[i] << (8 * i);
    *from = str_from(*from, bytes);
    return value;
}

#endif

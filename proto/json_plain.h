/* SPDX-License-Identifier: MIT */
/* proto/json_plain.h - how far a string's bytes stand for themselves in JSON: eight at a time.
 *
 * Inline, for all text passes here. Private to proto. Any thread. */
#ifndef PROTO_JSON_PLAIN_H
#define PROTO_JSON_PLAIN_H

#include <endian.h>
#include <string.h>

#include "core/base/defs.h"

/* First byte from at on that is not plain: a quote, a backslash, a control or above ASCII.
 * Subtracting sets the high bit of a byte that is below; a borrow can only set it wrongly above
 * the first byte that is right, so the lowest one is exact. */
static inline const char *json_plain_end(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    for (; end - at >= 8; at += 8) {
        uint64_t word, quote, slash;
        memcpy(&word, at, sizeof word);
        word = le64toh(word); /* the first byte is the lowest */
        quote = word ^ (ones * '"');
        slash = word ^ (ones * '\\');
        uint64_t stop = (word - ones * 0x20) | (quote - ones) | (slash - ones) | word;
        stop &= highs;
        if (stop != 0)
            return at + (__builtin_ctzll(stop) >> 3);
    }
    while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
           *at != '\\')
        at++;
    return at;
}

#endif

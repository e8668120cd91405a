/* SPDX-License-Identifier: MIT */
/* tests/fuzz/cuts.h - a parser that is fed says the same however its input is cut. */
#ifndef TESTS_FUZZ_CUTS_H
#define TESTS_FUZZ_CUTS_H

#include <stdint.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

enum { CUTS_SAID_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a parser of this kind says of input, fed step bytes at a time, into out (which it clears).
 */
typedef void cuts_say_fn(struct str input, size_t step, struct buf *out);

/* A piece in memory of its own, just as long: freed after it was fed, so a kept view shows. */
static inline char *cuts_copy(struct str piece)
{
    char *exact = mem_alloc(piece.len);
    CHECK(exact != NULL);
    memcpy(exact, piece.at, piece.len);
    return exact;
}

/* Whole, by bytes, and in pieces of a size that the input picks. Longer inputs are passed over. */
static inline int cuts_try(const uint8_t *data, size_t size, size_t most, cuts_say_fn *say)
{
    struct str input = {(const char *)data, size};
    struct buf whole, cut;
    if (size == 0 || size > most)
        return 0;
    buf_init(&whole, CUTS_SAID_BYTES);
    buf_init(&cut, CUTS_SAID_BYTES);
    say(input, size, &whole);
    say(input, 1, &cut);
    CHECK(str_equal(buf_str(&whole), buf_str(&cut)));
    say(input, 2 + data[0] % 61u, &cut);
    CHECK(str_equal(buf_str(&whole), buf_str(&cut)));
    buf_fini(&whole);
    buf_fini(&cut);
    return 0;
}

#endif

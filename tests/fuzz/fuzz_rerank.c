/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_rerank.c - a reranker's answer: a finite score for every text, or an error in
 * UTF-8. The first byte says how many texts there were. */
#include <math.h>
#include <stdint.h>

#include "proto/models/rerank_wire.h"

enum { MOST = 32, ARENA_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double scores[MOST];
    struct err err = {0};
    struct arena arena;
    if (size == 0)
        return 0;
    const size_t count = 1 + data[0] % MOST;
    arena_init(&arena, ARENA_BYTES);
    enum err_code code =
        rerank_wire_read(&arena, str_make((const char *)data + 1, size - 1), scores, count, &err);
    for (size_t i = 0; code == ERR_OK && i < count; i++)
        CHECK(isfinite(scores[i]));
    CHECK(code == ERR_OK || str_is_utf8(str_of(err.text)));
    arena_fini(&arena);
    return 0;
}

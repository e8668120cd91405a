/* SPDX-License-Identifier: MIT */
/* tests/fuzz/hits.h - what a store of vectors answered: read or refused; hits become points again.
 */
#ifndef TESTS_FUZZ_HITS_H
#define TESTS_FUZZ_HITS_H

#include <stdint.h>
#include <string.h>

#include "backends/passages/passage_check.h"
#include "core/base/mem.h"

enum { HITS_BYTES = 16384, HITS_MOST = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void hits_check_code(enum err_code code, const struct err *err)
{
    CHECK(code == ERR_OK || code == ERR_PROTOCOL);
    CHECK(code == ERR_OK || str_is_utf8(str_of(err->text)));
}

/* Those of the hits that a change may hold, as its points; list: to each. How many. */
static inline size_t hits_to_points(const struct passage_hit *hits, size_t count,
                                    struct vec_point points[HITS_MOST],
                                    const struct vec_point *list[HITS_MOST])
{
    static const float vector[1];
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < HITS_MOST; i++) {
        const struct passage *passage = &hits[i].passage;
        CHECK(str_is_utf8(passage->id) && str_is_utf8(passage->text));
        points[kept] = (struct vec_point){*passage, vector};
        list[kept] = &points[kept];
        const struct vec_change change = {.collection = STR("c"),
                                          .model = STR("m"),
                                          .dimensions = 1,
                                          .upsert = &points[kept],
                                          .upsert_count = 1};
        struct err err;
        kept += passage_check_vec_change(&change, &err) == ERR_OK;
    }
    return kept;
}

/* Read answer (in memory of its own, just as long), whatever it is. */
typedef void hits_read_fn(struct arena *arena, struct str answer);

static inline int hits_try(const uint8_t *data, size_t size, hits_read_fn *read)
{
    struct arena arena;
    if (size == 0 || size > HITS_BYTES)
        return 0;
    char *exact = mem_alloc(size);
    CHECK(exact != NULL);
    memcpy(exact, data, size);
    arena_init(&arena, 64 << 20);
    read(&arena, str_make(exact, size));
    arena_fini(&arena);
    mem_free(exact);
    return 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_vec.h - a vector store at the vtable: in memory, exact, or down as it is told. */
#ifndef TESTS_LIB_FAKE_VEC_H
#define TESTS_LIB_FAKE_VEC_H

#include "backends/vec.h"
#include "core/base/arena.h"

enum { FAKE_VEC_POINTS = 2048 };

struct fake_vec {
    struct vec vec;                                   /* give &fake.vec */
    enum err_code failure;                            /* of every search and write; ERR_OK: none */
    const char *fails;                                /* only of this collection; NULL: of all */
    bool stall;                                       /* calls end only when cancelled */
    unsigned searches, writes, pending;               /* calls so far; stalled ones */
    struct str last_filters[2 * PASSAGE_MAX_FILTERS]; /* name, first value of the last search */
    size_t last_filter_count, last_top_k;             /* of the last search */
    /* private */
    struct arena arena;
    struct {
        struct str collection, model;
        size_t dimensions;
        struct passage passage;
        const float *vector;
        bool is_removed;
    } points[FAKE_VEC_POINTS];
    size_t count;
};

void fake_vec_init(struct fake_vec *fake, struct loop *loop);
void fake_vec_fini(struct fake_vec *fake);
/* Passages of collection that are there now. */
size_t fake_vec_count(const struct fake_vec *fake, struct str collection);
/* The passage of that id, or NULL. */
const struct passage *fake_vec_find(const struct fake_vec *fake, struct str collection,
                                    struct str id);

#endif

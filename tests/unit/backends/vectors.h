/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/vectors.h - images of random vectors for tests, the same every time. */
#ifndef TESTS_UNIT_BACKENDS_VECTORS_H
#define TESTS_UNIT_BACKENDS_VECTORS_H

#include <math.h>
#include <stdio.h>

#include "backends/passages/passage_codec.h"
#include "backends/vectors/vec_image.h"
#include "tests/lib/test.h"

struct vectors {
    struct vec_image *image;
    size_t dimensions, count;
    uint64_t random;
};

static inline double vectors_random(struct vectors *f)
{
    uint64_t z = f->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* A unit vector near one of sixteen corners: neighbours are near, as in texts. */
static inline void vectors_make(struct vectors *f, float *vector)
{
    unsigned corner = (unsigned)(vectors_random(f) * 16);
    double sum = 0;
    for (size_t i = 0; i < f->dimensions; i++) {
        double middle = corner >> (i % 4) & 1 ? 0.6 : -0.6;
        vector[i] = (float)(middle + vectors_random(f) * 2 - 1);
        sum += (double)vector[i] * (double)vector[i];
    }
    for (size_t i = 0; i < f->dimensions; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
}

static inline struct vec_collection *vectors_collection(struct vectors *f)
{
    return &f->image->collections[0];
}

/* Append count rows with fields "third" (0, 1, 2) and, every fourth, "rare" (of 50). */
static inline void vectors_append(struct vectors *f, size_t count)
{
    float vector[64];
    struct err err;
    for (size_t i = 0; i < count; i++) {
        char key[16], third[8], rare[8];
        struct buf bytes;
        size_t row = f->count++;
        snprintf(key, sizeof key, "k%06zu", row * 7919 % 1000003);
        snprintf(third, sizeof third, "%zu", row % 3);
        snprintf(rare, sizeof rare, "%zu", row % 50);
        const struct passage_field fields[] = {{STR("third"), str_of(third)},
                                               {STR("rare"), str_of(rare)}};
        buf_init(&bytes, 1024);
        passage_codec_write(&bytes, fields, row % 4 == 0 ? 2 : 1);
        vectors_make(f, vector);
        const struct vec_rows_new new = {(int64_t)row + 1, str_of(key), buf_str(&bytes), vector};
        EXPECT_INT("append", vec_rows_append(vectors_collection(f)->rows, &new, &err), ERR_OK);
        buf_fini(&bytes);
    }
    vec_image_settle(f->image);
}

static inline void vectors_begin(struct vectors *f, size_t dimensions, size_t count)
{
    const struct vec_collection like = {
        .id = 1, .name = STR("docs"), .model = STR("m"), .is_listed = true};
    struct err err;
    *f = (struct vectors){.image = vec_image_grow(NULL), .dimensions = dimensions, .random = 5};
    assert_non_null(f->image);
    EXPECT_INT("collection", vec_image_add(f->image, &like, dimensions, &err), ERR_OK);
    vectors_append(f, count);
}

static inline void vectors_end(struct vectors *f)
{
    vec_image_unref(f->image);
}

#endif

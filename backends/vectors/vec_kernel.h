/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_kernel.h - dot products, compiled for what the processor can.
 *
 * Lengths are multiples of VEC_KERNEL_LANES: whoever keeps vectors pads them with zeros. Sums are
 * made in one fixed order per length, so that equal vectors score equally on one machine. Any
 * thread. */
#ifndef BACKENDS_VECTORS_VEC_KERNEL_H
#define BACKENDS_VECTORS_VEC_KERNEL_H

#include "core/base/defs.h"

enum { VEC_KERNEL_LANES = 16 };

/* The next multiple of VEC_KERNEL_LANES. */
static inline size_t vec_kernel_stride(size_t dimensions)
{
    return (dimensions + VEC_KERNEL_LANES - 1) / VEC_KERNEL_LANES * VEC_KERNEL_LANES;
}

float vec_kernel_dot(const float *a, const float *b, size_t stride);

/* A vector coded in a quarter of its memory: its number i is about scale * codes[i]. error: the
 * length of the difference between the vector and its code; length: that of the coded vector. */
struct vec_kernel_code {
    float scale, error, length;
};
struct vec_kernel_code vec_kernel_encode(const float *vector, size_t stride, int8_t *codes);
/* Encode the vector to compare with, in half of its memory: codes are so small that the sum of
 * stride products fits an int32_t. */
struct vec_kernel_code vec_kernel_encode_query(const float *vector, size_t stride, int16_t *codes);
/* The product of both codes, exact; times both scales it is near the dot product. */
int32_t vec_kernel_dot_codes(const int16_t *query, const int8_t *codes, size_t stride);

/* Begin to bring codes near. */
static inline void vec_kernel_fetch(const int8_t *codes, size_t stride)
{
    for (size_t i = 0; i < stride; i += 64)
        __builtin_prefetch(codes + i);
}

#endif

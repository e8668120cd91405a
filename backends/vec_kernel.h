/* SPDX-License-Identifier: MIT */
/* backends/vec_kernel.h - dot products, compiled for what the processor can.
 *
 * Lengths are multiples of VEC_KERNEL_LANES: whoever keeps vectors pads them with zeros. Sums are
 * made in one fixed order per length, so that equal vectors score equally on one machine. Any
 * thread. */
#ifndef BACKENDS_VEC_KERNEL_H
#define BACKENDS_VEC_KERNEL_H

#include "core/base/defs.h"

enum { VEC_KERNEL_LANES = 16 };

/* The next multiple of VEC_KERNEL_LANES. */
static inline size_t vec_kernel_stride(size_t dimensions)
{
    return (dimensions + VEC_KERNEL_LANES - 1) / VEC_KERNEL_LANES * VEC_KERNEL_LANES;
}

float vec_kernel_dot(const float *a, const float *b, size_t stride);

#endif

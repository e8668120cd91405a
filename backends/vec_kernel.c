/* SPDX-License-Identifier: MIT */
/* backends/vec_kernel.c - sums in sixteen lanes, which every compiler turns into what the target
 * has: one register with AVX-512, two with AVX2, four with SSE2 or NEON.
 *
 * The clone is chosen once, by the loader (ifunc), so on x86-64 with glibc only; under the thread
 * sanitizer, whose runtime is not there yet when the loader asks, the plain one serves. The cloned
 * functions are static: clang 14 gives what other files would call another name. */
#include "backends/vec_kernel.h"

#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define KERNEL_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KERNEL_PLAIN 1
#endif
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(KERNEL_PLAIN)
#define KERNEL_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define KERNEL_CLONES
#endif

typedef float lanes __attribute__((vector_size(VEC_KERNEL_LANES * sizeof(float))));

/* Two sums at a time hide the latency of an addition; blocks of vectors are longer than caches, so
 * more would only wait for memory. */
KERNEL_CLONES static float dot(const float *a, const float *b, size_t stride)
{
    lanes even = {0}, odd = {0}, x, y;
    size_t i = 0;
    for (; i + 2 * VEC_KERNEL_LANES <= stride; i += 2 * (size_t)VEC_KERNEL_LANES) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        even += x * y;
        memcpy(&x, a + i + VEC_KERNEL_LANES, sizeof x);
        memcpy(&y, b + i + VEC_KERNEL_LANES, sizeof y);
        odd += x * y;
    }
    if (i < stride) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        even += x * y;
    }
    even += odd;
    float sum = 0;
    for (size_t lane = 0; lane < VEC_KERNEL_LANES; lane++)
        sum += even[lane];
    return sum;
}

float vec_kernel_dot(const float *a, const float *b, size_t stride)
{
    return dot(a, b, stride);
}

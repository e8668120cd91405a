/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_kernel.c - sums in sixteen lanes, which every compiler turns into what the
 * target has: one register with AVX-512, two with AVX2, four with SSE2 or NEON.
 *
 * The clone is chosen once, by the loader (ifunc), so on x86-64 with glibc only; under the thread
 * sanitizer, whose runtime is not there yet when the loader asks, the plain one serves. The cloned
 * functions are static: clang 14 gives what other files would call another name. */
#include "backends/vectors/vec_kernel.h"

#include <math.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define KERNEL_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KERNEL_PLAIN 1
#endif
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(KERNEL_PLAIN)
#define KERNEL_CLONES                                                                              \
    __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define KERNEL_CLONES
#endif

typedef float lanes __attribute__((vector_size(VEC_KERNEL_LANES * sizeof(float))));

enum { CODE_MOST = 127 };

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

/* Written as a plain loop: compilers make one instruction of 16 or 32 products and sums of it,
 * while gcc 12 takes vectors of bytes apart. */
KERNEL_CLONES static int32_t dot_codes(const int16_t *query, const int8_t *codes, size_t stride)
{
    int32_t sum = 0;
    for (size_t i = 0; i < stride; i++)
        sum += (int32_t)query[i] * (int32_t)(int16_t)codes[i];
    return sum;
}

int32_t vec_kernel_dot_codes(const int16_t *query, const int8_t *codes, size_t stride)
{
    return dot_codes(query, codes, stride);
}

static float largest(const float *vector, size_t stride)
{
    float most = 0;
    for (size_t i = 0; i < stride; i++)
        most = fabsf(vector[i]) > most ? fabsf(vector[i]) : most;
    return most;
}

/* The code of value in units of scale, and what that is off. */
static int32_t encode(float value, float scale, struct vec_kernel_code *code)
{
    float units = scale > 0 ? value / scale : 0;
    int32_t rounded = (int32_t)(units + (units < 0 ? -0.5F : 0.5F));
    float back = scale * (float)rounded, off = value - back;
    code->error += off * off;
    code->length += back * back;
    return rounded;
}

static struct vec_kernel_code with_roots(struct vec_kernel_code code)
{
    return (struct vec_kernel_code){code.scale, sqrtf(code.error), sqrtf(code.length)};
}

struct vec_kernel_code vec_kernel_encode(const float *vector, size_t stride, int8_t *codes)
{
    struct vec_kernel_code code = {.scale = largest(vector, stride) / CODE_MOST};
    for (size_t i = 0; i < stride; i++)
        codes[i] = (int8_t)encode(vector[i], code.scale, &code);
    return with_roots(code);
}

struct vec_kernel_code vec_kernel_encode_query(const float *vector, size_t stride, int16_t *codes)
{
    size_t most = size_min(INT16_MAX, (size_t)INT32_MAX / (CODE_MOST * stride));
    struct vec_kernel_code code = {.scale = largest(vector, stride) / (float)most};
    for (size_t i = 0; i < stride; i++)
        codes[i] = (int16_t)encode(vector[i], code.scale, &code);
    return with_roots(code);
}

/* SPDX-License-Identifier: MIT */
/* core/base/defs.h - what the language lacks: counts, containers, attributes, CHECK.
 *
 * Not a place for helpers with a subject of their own. Any thread. */
#ifndef CORE_BASE_DEFS_H
#define CORE_BASE_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_USE           __attribute__((warn_unused_result))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define NORETURN           __attribute__((noreturn))
#define UNUSED             __attribute__((unused))

#define countof(array) (sizeof(array) / sizeof((array)[0]))

/* The struct that holds member at ptr. The char step keeps -Wcast-align and -Wcast-qual quiet. */
#define container_of(ptr, type, member)                                                            \
    ((type *)(void *)((char *)(uintptr_t)(ptr)-offsetof(type, member)))

/* For our own mistakes only, never for input: prints where and aborts, in every build. */
#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0))                                                          \
            defs_check_failed(__FILE__, __LINE__, #cond);                                          \
    } while (0)

NORETURN void defs_check_failed(const char *file, int line, const char *cond);

/* *sum = a + b. False when it does not fit; *sum is then untouched. */
static inline MUST_USE bool size_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* *product = a * b. False when it does not fit. */
static inline MUST_USE bool size_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif

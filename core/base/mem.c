/* SPDX-License-Identifier: MIT */
/* core/base/mem.c - malloc with a thread-local trip wire. The two counters are the tree's only
 * mutable globals besides the logger's stop flag; they are per thread and exist for tests. */
#include "core/base/mem.h"

#include <stdlib.h>

static _Thread_local uint64_t alloc_count;
static _Thread_local uint64_t fail_at; /* 0: never */

static bool must_fail(void)
{
    alloc_count++;
    if (fail_at == 0 || --fail_at != 0)
        return false;
    return true;
}

void *mem_alloc(size_t size)
{
    return must_fail() ? NULL : malloc(size_max(size, 1));
}

void *mem_zalloc(size_t count, size_t size)
{
    return must_fail() ? NULL : calloc(size_max(count, 1), size_max(size, 1));
}

void *mem_resize(void *at, size_t size)
{
    return must_fail() ? NULL : realloc(at, size_max(size, 1));
}

void mem_free(void *at)
{
    free(at);
}

void mem_fail_nth(uint64_t n)
{
    fail_at = n;
}

uint64_t mem_alloc_count(void)
{
    return alloc_count;
}

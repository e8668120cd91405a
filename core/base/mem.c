/* SPDX-License-Identifier: MIT */
/* core/base/mem.c - malloc with a thread-local trip wire. The counters are the tree's only
 * mutable globals besides the logger's stop flag; they exist for tests and metrics. Each thread
 * counts for itself; what is held is told to all now and then, since one thread may free what
 * another took. */
#include "core/base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local uint64_t alloc_count;
static _Thread_local int64_t held_bytes; /* not told yet */
static _Atomic int64_t told_bytes;
static _Thread_local uint64_t fail_at; /* 0: never */

static bool must_fail(void)
{
    alloc_count++;
    if (fail_at == 0 || --fail_at != 0)
        return false;
    return true;
}

enum { TELL_BYTES = 16 * 1024 };

static void hold(int64_t bytes)
{
    held_bytes += bytes;
    if (held_bytes < TELL_BYTES && held_bytes > -TELL_BYTES)
        return;
    atomic_fetch_add_explicit(&told_bytes, held_bytes, memory_order_relaxed);
    held_bytes = 0;
}

static void *taken(void *at)
{
    hold((int64_t)malloc_usable_size(at));
    return at;
}

void *mem_alloc(size_t size)
{
    return must_fail() ? NULL : taken(malloc(size_max(size, 1)));
}

void *mem_zalloc(size_t count, size_t size)
{
    return must_fail() ? NULL : taken(calloc(size_max(count, 1), size_max(size, 1)));
}

void *mem_resize(void *at, size_t size)
{
    if (must_fail())
        return NULL;
    int64_t before = (int64_t)malloc_usable_size(at);
    void *resized = realloc(at, size_max(size, 1));
    if (resized != NULL)
        hold(-before);
    return taken(resized);
}

void mem_free(void *at)
{
    hold(-(int64_t)malloc_usable_size(at));
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

int64_t mem_held_bytes(void)
{
    return atomic_load_explicit(&told_bytes, memory_order_relaxed) + held_bytes;
}

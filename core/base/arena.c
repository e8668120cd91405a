/* SPDX-License-Identifier: MIT */
/* core/base/arena.c - blocks grow with what the arena holds: twice as much until it has 512 bytes,
 * an eighth more from 4 KiB on, up to 64 KiB; so many small arenas cost little, and a large one
 * wastes a ninth at most. A request that takes half a block gets one of its own behind the current
 * one, so the space left in that is not lost. */
#include "core/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(at, size)   __asan_poison_memory_region(at, size)
#define UNPOISON(at, size) __asan_unpoison_memory_region(at, size)
enum { GAP = 8 }; /* poisoned bytes between two allocations */
#else
#define POISON(at, size)   ((void)(at), (void)(size))
#define UNPOISON(at, size) ((void)(at), (void)(size))
enum { GAP = 0 };
#endif

enum {
    ALIGN = _Alignof(max_align_t),
    SMALLEST_BLOCK = 256,
    SMALL_BLOCK = 512,
    LAST_BLOCK = 64 * 1024
};

enum { PART = 8 }; /* of what there is, a further block */

struct arena_block {
    struct arena_block *older;
    size_t size;
    _Alignas(max_align_t) char bytes[];
};

void arena_init(struct arena *arena, size_t budget)
{
    *arena = (struct arena){.budget = budget};
}

void arena_init_within(struct arena *arena, struct arena *outer)
{
    *arena = (struct arena){.budget = SIZE_MAX, .within = outer};
}

void arena_fini(struct arena *arena)
{
    struct arena *outer = arena->within;
    struct arena_block *block = arena->blocks;
    while (block != NULL) {
        struct arena_block *older = block->older;
        UNPOISON(block->bytes, block->size);
        mem_free(block);
        block = older;
    }
    if (outer != NULL)
        outer->used -= arena->used;
    *arena = (struct arena){.budget = arena->budget, .within = outer};
}

void arena_adopt(struct arena *arena, struct arena *from)
{
    struct arena_block **last = &arena->blocks; /* behind the newest, where bumping goes on */
    CHECK(from->within == NULL);
    while (*last != NULL)
        last = &(*last)->older;
    *last = from->blocks;
    arena->used += from->used;
    arena->budget = size_max(arena->budget, arena->used);
    arena_init(from, from->budget);
}

static size_t left_of(const struct arena *arena)
{
    const struct arena *payer = arena->within != NULL ? arena->within : arena;
    return payer->budget - payer->used;
}

static struct arena_block *take_block(struct arena *arena, size_t size)
{
    size_t total;
    if (!size_add(size, sizeof(struct arena_block), &total) || total > left_of(arena))
        return NULL;
    struct arena_block *block = mem_alloc(total);
    if (block == NULL)
        return NULL;
    arena->used += total;
    if (arena->within != NULL)
        arena->within->used += total;
    block->size = size;
    POISON(block->bytes, size);
    return block;
}

/* A block for one large allocation, put behind the newest so that bumping goes on there. */
static char *alloc_apart(struct arena *arena, size_t size)
{
    struct arena_block *block = take_block(arena, size);
    if (block == NULL)
        return NULL;
    if (arena->blocks == NULL) {
        block->older = NULL;
        arena->blocks = block;
    } else {
        block->older = arena->blocks->older;
        arena->blocks->older = block;
    }
    return block->bytes;
}

/* The bytes of the next block, its head included. */
static size_t next_block(const struct arena *arena)
{
    size_t size =
        arena->used < SMALL_BLOCK ? arena->used : size_max(arena->used / PART, SMALL_BLOCK);
    size = size_min(size_max(size, SMALLEST_BLOCK), LAST_BLOCK);
    return size & ~(size_t)(ALIGN - 1);
}

static bool start_block(struct arena *arena, size_t need)
{
    size_t size = size_max(need, next_block(arena) - sizeof(struct arena_block));
    size_t left = left_of(arena);
    if (left > sizeof(struct arena_block) && size > left - sizeof(struct arena_block))
        size = size_max(need, left - sizeof(struct arena_block));
    struct arena_block *block = take_block(arena, size);
    if (block == NULL)
        return false;
    block->older = arena->blocks;
    arena->blocks = block;
    arena->at = block->bytes;
    arena->end = block->bytes + size;
    return true;
}

/* What is not to be had within another is not to be had there. */
static void *run_out(struct arena *arena)
{
    arena->exhausted = true;
    if (arena->within != NULL)
        arena->within->exhausted = true;
    return NULL;
}

void *arena_raw(struct arena *arena, size_t size)
{
    size_t need;
    if (arena->exhausted)
        return NULL;
    if (!size_add(size_max(size, 1), ALIGN - 1 + GAP, &need))
        return run_out(arena);
    need &= ~(size_t)(ALIGN - 1);
    char *at;
    if (need > (size_t)(arena->end - arena->at) && need > next_block(arena) / 2) {
        at = alloc_apart(arena, need);
        if (at == NULL)
            return run_out(arena);
    } else {
        if (need > (size_t)(arena->end - arena->at) && !start_block(arena, need))
            return run_out(arena);
        at = arena->at;
        arena->at += need;
    }
    UNPOISON(at, size_max(size, 1));
    return at;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    void *at = arena_raw(arena, size);
    return at == NULL ? NULL : memset(at, 0, size_max(size, 1));
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;
    if (!size_mul(count, size, &total))
        return run_out(arena);
    return arena_alloc(arena, total);
}

struct str arena_str(struct arena *arena, struct str s)
{
    if (str_is_absent(s))
        return s;
    char *at = arena_raw(arena, s.len);
    if (at == NULL)
        return (struct str){NULL, 0};
    memcpy(at, s.at, s.len);
    return str_make(at, s.len);
}

char *arena_cstr(struct arena *arena, struct str s)
{
    if (str_find_char(s, '\0') != STR_NONE)
        return NULL;
    char *at = arena_alloc(arena, s.len + 1);
    if (at != NULL && s.len > 0)
        memcpy(at, s.at, s.len);
    return at;
}

struct str arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    char *at = len < 0 ? NULL : arena_alloc(arena, (size_t)len + 1);
    if (at != NULL)
        vsnprintf(at, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    return at == NULL ? (struct str){NULL, 0} : str_make(at, (size_t)len);
}

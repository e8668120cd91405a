/* SPDX-License-Identifier: MIT */
/* agents/lexicon/exact.c - hashes of column and value with linear probing, at most half full; the
 * hash of a column without a value says that the column is whole. Values over 256 bytes are not
 * noted: a caller who meets one must not call the column whole. */
#include "agents/lexicon/exact.h"

#include "core/base/mem.h"

enum { MAX_VALUE_BYTES = 256, FIRST_CAP = 1024 };

/* FNV-1a 64 over both numbers and the folded value; its low bits are mixed with the high ones. */
static uint64_t hash_of(int table, int column, struct str value, uint64_t owner)
{
    const uint64_t prime = 1099511628211u;
    uint64_t hash = 14695981039346656037u ^ owner;
    hash = (hash ^ (unsigned)table) * prime;
    hash = (hash ^ (unsigned)column) * prime;
    for (size_t i = 0; i < value.len; i++)
        hash = (hash ^ (unsigned char)str_lower(value.at[i])) * prime;
    hash ^= hash >> 32;
    return hash == 0 ? 1 : hash;
}

/* Where hash is, or where it would go; there are free slots. */
static size_t find_slot(const struct lexicon_exact *exact, uint64_t hash)
{
    size_t i = (size_t)hash & (exact->cap - 1);
    while (exact->slots[i] != 0 && exact->slots[i] != hash)
        i = (i + 1) & (exact->cap - 1);
    return i;
}

static bool grow(struct lexicon_exact *exact)
{
    struct lexicon_exact bigger = {.cap = exact->cap == 0 ? FIRST_CAP : exact->cap * 2,
                                   .count = exact->count};
    bigger.slots = mem_zalloc(bigger.cap, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < exact->cap; i++)
        if (exact->slots[i] != 0)
            bigger.slots[find_slot(&bigger, exact->slots[i])] = exact->slots[i];
    mem_free(exact->slots);
    *exact = bigger;
    return true;
}

static bool put(struct lexicon_exact *exact, uint64_t hash)
{
    if ((exact->count + 1) * 2 > exact->cap && !grow(exact))
        return false;
    size_t slot = find_slot(exact, hash);
    exact->count += exact->slots[slot] == 0;
    exact->slots[slot] = hash;
    return true;
}

static bool has(const struct lexicon_exact *exact, uint64_t hash)
{
    return exact->count > 0 && exact->slots[find_slot(exact, hash)] == hash;
}

void lexicon_exact_fini(struct lexicon_exact *exact)
{
    mem_free(exact->slots);
    *exact = (struct lexicon_exact){0};
}

bool lexicon_exact_add(struct lexicon_exact *exact, int table, int column, struct str value,
                       uint64_t owner)
{
    return str_is_empty(value) || value.len > MAX_VALUE_BYTES ||
           put(exact, hash_of(table, column, value, owner));
}

bool lexicon_exact_is_whole(struct lexicon_exact *exact, int table, int column)
{
    return put(exact, hash_of(table, column, STR(""), 0));
}

bool lexicon_exact_is_read(const struct lexicon_exact *exact, int table, int column)
{
    return has(exact, hash_of(table, column, STR(""), 0));
}

bool lexicon_exact_has(const struct lexicon_exact *exact, int table, int column, struct str value,
                       uint64_t company)
{
    return has(exact, hash_of(table, column, value, 0)) ||
           has(exact, hash_of(table, column, value, company));
}

bool lexicon_exact_lacks(const struct lexicon_exact *exact, int table, int column, struct str value,
                         uint64_t company)
{
    return value.len > 0 && value.len <= MAX_VALUE_BYTES &&
           lexicon_exact_is_read(exact, table, column) &&
           !lexicon_exact_has(exact, table, column, value, company);
}

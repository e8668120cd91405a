/* SPDX-License-Identifier: MIT */
/* backends/embed_memory: what was asked for last is there, what was not used longest goes, nothing
 * beyond the limit. */
#include "backends/models/embed_memory.h"

#include <string.h>

#include "tests/lib/test.h"

enum { DIMENSIONS = 3, GROUP = 4 };

/* Keys of one number share a group, whatever number of groups there is. */
static struct sqlite_embeddings_key key_of(uint64_t group, unsigned char last)
{
    struct sqlite_embeddings_key key = {{0}};
    memcpy(key.bytes, &group, sizeof group);
    key.bytes[sizeof key.bytes - 1] = last;
    return key;
}

static size_t bytes_of(size_t slots)
{
    return slots * (DIMENSIONS * sizeof(float) + sizeof(struct embed_memory_slot));
}

static void put(struct embed_memory *memory, uint64_t group, unsigned char last)
{
    const float vector[DIMENSIONS] = {(float)group, last, 1};
    struct sqlite_embeddings_key key = key_of(group, last);
    embed_memory_put(memory, &key, vector, DIMENSIONS);
}

static bool has(struct embed_memory *memory, uint64_t group, unsigned char last)
{
    struct sqlite_embeddings_key key = key_of(group, last);
    const float *vector = embed_memory_find(memory, &key);
    if (vector != NULL) {
        EXPECT_INT("its own", (int)vector[0], (int)group);
        EXPECT_INT("its own", (int)vector[1], last);
        EXPECT_INT("whole", (int)vector[2], 1);
    }
    return vector != NULL;
}

TEST(what_was_put_is_found)
{
    struct embed_memory memory;
    embed_memory_init(&memory, bytes_of(64));
    EXPECT_TRUE("empty", !has(&memory, 0, 0));
    for (unsigned char i = 0; i < 16; i++)
        put(&memory, i, i);
    for (unsigned char i = 0; i < 16; i++) {
        EXPECT_TRUE("there", has(&memory, i, i));
        EXPECT_TRUE("all of the key counts", !has(&memory, i, (unsigned char)(i + 1)));
    }
    EXPECT_INT("as many places as fit", memory.slot_count, 64);
    embed_memory_fini(&memory);
    EXPECT_TRUE("gone", !has(&memory, 1, 1));
}

TEST(the_longest_unused_of_a_group_goes)
{
    struct embed_memory memory;
    embed_memory_init(&memory, bytes_of(8 * GROUP));
    put(&memory, 1, 100); /* another group stays as it is */
    for (unsigned char i = 0; i < GROUP; i++)
        put(&memory, 0, i);
    EXPECT_TRUE("used again", has(&memory, 0, 0));
    put(&memory, 0, 1); /* a put of what is there is a use */
    put(&memory, 0, 50);
    EXPECT_TRUE("the oldest use went", !has(&memory, 0, 2));
    EXPECT_TRUE("used", has(&memory, 0, 0));
    EXPECT_TRUE("put again", has(&memory, 0, 1));
    EXPECT_TRUE("newer", has(&memory, 0, 3));
    EXPECT_TRUE("new", has(&memory, 0, 50));
    for (unsigned char i = 0; i < 200; i++)
        put(&memory, 0, i);
    for (unsigned char i = 0; i < 200; i++)
        EXPECT_INT("the last four", has(&memory, 0, i), i >= 200 - GROUP);
    EXPECT_TRUE("the other group", has(&memory, 1, 100));
    embed_memory_fini(&memory);
}

TEST(limits)
{
    static const struct {
        const char *name;
        size_t bytes, slots;
    } cases[] = {
        {"nothing", 0, 0},
        {"less than a group", GROUP - 1, 0},
        {"one group", GROUP, GROUP},
        {"whole groups only", GROUP + 3, GROUP},
        {"two", 2 * GROUP, 2 * GROUP},
    };
    TEST_EACH(c, cases) {
        struct embed_memory memory;
        size_t found = 0;
        embed_memory_init(&memory, bytes_of(c->bytes));
        for (unsigned char i = 0; i < 100; i++)
            put(&memory, i, i);
        for (unsigned char i = 0; i < 100; i++)
            found += has(&memory, i, i);
        EXPECT_INT(c->name, found, c->slots);
        embed_memory_fini(&memory);
    }
}

TEST(another_number_of_dimensions_is_not_kept)
{
    const float longer[DIMENSIONS + 1] = {9, 9, 9, 9};
    struct embed_memory memory;
    struct sqlite_embeddings_key key = key_of(3, 3);
    embed_memory_init(&memory, bytes_of(16));
    put(&memory, 1, 1);
    embed_memory_put(&memory, &key, longer, DIMENSIONS + 1);
    EXPECT_TRUE("not there", embed_memory_find(&memory, &key) == NULL);
    EXPECT_TRUE("nothing overwritten", has(&memory, 1, 1));
    embed_memory_fini(&memory);
}

TEST(without_memory_nothing_is_kept)
{
    for (uint64_t n = 1; n <= 2; n++) {
        struct embed_memory memory;
        embed_memory_init(&memory, bytes_of(16));
        mem_fail_nth(n);
        put(&memory, 1, 1);
        mem_fail_nth(0);
        EXPECT_TRUE("not there", !has(&memory, 1, 1));
        put(&memory, 1, 1);
        EXPECT_TRUE("there the next time", has(&memory, 1, 1));
        embed_memory_fini(&memory);
    }
}

RUN_TESTS(T(what_was_put_is_found), T(the_longest_unused_of_a_group_goes), T(limits),
          T(another_number_of_dimensions_is_not_kept), T(without_memory_nothing_is_kept))

/* SPDX-License-Identifier: MIT */
/* Put, find, take and walk, against a plain array as the model; no memory. */
#include "tests/lib/test.h"

#include <stdio.h>

#include "core/base/map.h"

enum { KEYS = 300 };

static char names[KEYS][16];

static struct str key_of(size_t i)
{
    return str_make(names[i], (size_t)snprintf(names[i], sizeof names[i], "key %zu", i));
}

TEST(against_a_model)
{
    static int values[KEYS];
    void *model[KEYS] = {0};
    struct map map;
    uint32_t random = 7;
    size_t count = 0;
    map_init(&map);
    for (unsigned step = 0; step < 20000; step++) {
        random = random * 1664525 + 1013904223;
        size_t i = (random >> 8) % KEYS;
        if (random % 3 == 0) {
            EXPECT_TRUE("take", map_take(&map, key_of(i)) == model[i]);
            count -= model[i] != NULL;
            model[i] = NULL;
        } else {
            void *value = &values[(random >> 16) % KEYS];
            assert_true(map_put(&map, key_of(i), value));
            count += model[i] == NULL;
            model[i] = value;
        }
        EXPECT_INT("count", map_count(&map), count);
        EXPECT_TRUE("find", map_find(&map, key_of(i)) == model[i]);
    }
    struct map_entry entry;
    size_t walked = 0;
    for (size_t cursor = 0; map_next(&map, &cursor, &entry); walked++)
        EXPECT_TRUE("entry", map_find(&map, entry.key) == entry.value);
    EXPECT_INT("walked", walked, count);
    EXPECT_TRUE("never put", map_find(&map, STR("other")) == NULL);
    map_fini(&map);
    EXPECT_TRUE("empty", map_find(&map, key_of(0)) == NULL && map_take(&map, key_of(0)) == NULL);
}

TEST(odd_keys)
{
    struct map map;
    int one = 1, two = 2;
    map_init(&map);
    assert_true(map_put(&map, STR(""), &one));
    assert_true(map_put(&map, str_make("a\0b", 3), &two));
    EXPECT_TRUE("empty", map_find(&map, STR("")) == &one);
    EXPECT_TRUE("NUL", map_find(&map, str_make("a\0b", 3)) == &two);
    EXPECT_TRUE("not its prefix", map_find(&map, STR("a")) == NULL);
    map_fini(&map);
}

TEST(no_memory_changes_nothing)
{
    for (uint64_t n = 1; n < 6; n++) {
        struct map map;
        size_t good = 0;
        map_init(&map);
        mem_fail_nth(n);
        for (size_t i = 0; i < KEYS; i++)
            good += map_put(&map, key_of(i), names[i]);
        mem_fail_nth(0);
        EXPECT_INT("count", map_count(&map), good);
        EXPECT_TRUE("at most one lost", good >= KEYS - 1);
        map_fini(&map);
    }
}

RUN_TESTS(T(against_a_model), T(odd_keys), T(no_memory_changes_nothing))

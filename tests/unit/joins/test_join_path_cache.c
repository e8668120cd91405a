/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_path_cache: what was put is found by all of its key, and no more is kept
 * than there are places (R208, C31). */
#include "agents/sql/joins/join_path_cache.h"

#include "tests/lib/test.h"

static struct join_cache_key key_of(uint64_t words, int from, int to, unsigned kind)
{
    return (struct join_cache_key){.words = words, .tables = {from, to}, .count = 2, .kind = kind};
}

TEST(found_by_all_of_its_key)
{
    static const struct str words[] = {{"a", 1}, {"bc", 2}}, others[] = {{"ab", 2}, {"c", 1}};
    struct join_cache *cache = join_cache_create();
    assert_non_null(cache);
    const struct join_plan plan = {.root = 3, .cost = 17};
    const uint64_t hash = join_cache_words(words, 2);
    struct join_cache_key key = key_of(hash, 3, 9, 0);
    EXPECT_TRUE("nothing yet", join_cache_find(cache, &key) == NULL);
    join_cache_put(cache, &key, &plan);
    const struct join_plan *found = join_cache_find(cache, &key);
    EXPECT_TRUE("found", found != NULL && found->root == 3 && found->cost == 17);
    EXPECT_TRUE("a copy", found != &plan);
    EXPECT_TRUE("words are cut elsewhere", join_cache_words(others, 2) != hash);
    const struct join_cache_key different[] = {
        key_of(join_cache_words(others, 2), 3, 9, 0),
        key_of(hash, 9, 3, 0),
        key_of(hash, 3, 8, 0),
        key_of(hash, 3, 9, 1),
    };
    for (size_t i = 0; i < countof(different); i++)
        EXPECT_TRUE("another", join_cache_find(cache, &different[i]) == NULL);
    join_cache_destroy(cache);
}

TEST(old_plans_give_way)
{
    enum { PLANS = 5000, KEPT_AT_MOST = 1000 };
    struct join_cache *cache = join_cache_create();
    size_t kept = 0;
    assert_non_null(cache);
    for (int i = 0; i < PLANS; i++) {
        struct join_cache_key key = key_of(1, i, i + 1, 0);
        const struct join_plan plan = {.root = i};
        join_cache_put(cache, &key, &plan);
        const struct join_plan *found = join_cache_find(cache, &key);
        EXPECT_TRUE("the newest is there", found != NULL && found->root == i);
    }
    for (int i = 0; i < PLANS; i++) {
        struct join_cache_key key = key_of(1, i, i + 1, 0);
        const struct join_plan *found = join_cache_find(cache, &key);
        EXPECT_TRUE("never another's", found == NULL || found->root == i);
        kept += found != NULL;
    }
    EXPECT_TRUE("some, and not all", kept > 0 && kept <= KEPT_AT_MOST);
    join_cache_destroy(cache);
}

RUN_TESTS(T(found_by_all_of_its_key), T(old_plans_give_way))

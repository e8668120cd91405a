/* SPDX-License-Identifier: MIT */
/* Alignment, zeroing, budgets, sticky exhaustion. */
#include "tests/lib/test.h"

#include "core/base/arena.h"

TEST(allocations_are_zeroed_aligned_and_apart)
{
    static const size_t sizes[] = {0, 1, 7, 16, 100, 1000, 1024, 5000, 70000, 3, 200000, 8};
    char *at[countof(sizes)];
    struct arena arena;
    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < countof(sizes); i++) {
        at[i] = arena_alloc(&arena, sizes[i]);
        assert_non_null(at[i]);
        EXPECT_INT("aligned", (uintptr_t)at[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            EXPECT_INT("zeroed", at[i][j], 0);
        memset(at[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < countof(sizes); i++)
        for (size_t j = 0; j < sizes[i]; j++)
            EXPECT_INT("nobody else's", at[i][j], (int)i + 1);
    EXPECT_TRUE("ok", arena_ok(&arena));
    arena_fini(&arena);
    EXPECT_INT("empty", arena.used, 0);
    arena_fini(&arena);
}

TEST(exhaustion_is_sticky_and_within_the_budget)
{
    for (size_t budget = 0; budget < 5000; budget += 37) {
        struct arena arena;
        size_t got = 0;
        arena_init(&arena, budget);
        while (arena_alloc(&arena, 48) != NULL)
            got += 48;
        EXPECT_TRUE("within", arena.used <= budget && got <= budget);
        EXPECT_TRUE("most of it", budget < 300 || got > budget / 3);
        EXPECT_TRUE("sticky", !arena_ok(&arena) && arena_alloc(&arena, 1) == NULL);
        EXPECT_TRUE("absent", str_is_absent(arena_str(&arena, STR("x"))));
        EXPECT_TRUE("absent", str_is_absent(arena_printf(&arena, "%d", 1)));
        EXPECT_TRUE("null", arena_cstr(&arena, STR("x")) == NULL);
        arena_fini(&arena);
        EXPECT_TRUE("as new", arena_ok(&arena));
    }
}

TEST(sizes_that_overflow)
{
    struct arena arena;
    arena_init(&arena, 1 << 16);
    assert_null(arena_array(&arena, SIZE_MAX / 2, 3));
    EXPECT_TRUE("spent", !arena_ok(&arena));
    arena_fini(&arena);
    assert_null(arena_alloc(&arena, SIZE_MAX));
    arena_fini(&arena);
}

TEST(copies)
{
    struct arena arena;
    arena_init(&arena, 1 << 16);
    struct str copy = arena_str(&arena, STR("text"));
    EXPECT_STR("copy", copy, STR("text"));
    EXPECT_TRUE("absent stays absent", str_is_absent(arena_str(&arena, (struct str){0})));
    EXPECT_TRUE("empty stays empty", !str_is_absent(arena_str(&arena, STR(""))));
    assert_string_equal(arena_cstr(&arena, STR("text")), "text");
    assert_null(arena_cstr(&arena, str_make("a\0b", 3)));
    EXPECT_TRUE("a NUL is not exhaustion", arena_ok(&arena));
    EXPECT_STR("printf", arena_printf(&arena, "%s/%d", "a", 7), STR("a/7"));
    arena_fini(&arena);
}

TEST(what_is_adopted_lives_on)
{
    static const size_t sizes[] = {0, 10, 5000, 100000}; /* taken before */
    TEST_EACH(size, sizes) {
        struct arena arena, from;
        arena_init(&arena, 1 << 20);
        arena_init(&from, 1 << 20);
        struct str before = *size == 0 ? STR("") : str_make(arena_alloc(&arena, *size), *size);
        struct str text = arena_str(&from, STR("text"));
        void *large = arena_alloc(&from, 100000);
        assert_true(before.at != NULL && large != NULL);
        arena_adopt(&arena, &from);
        arena_fini(&from);
        struct str after = arena_str(&arena, STR("after"));
        EXPECT_STR("adopted", text, STR("text"));
        EXPECT_STR("goes on", after, STR("after"));
        EXPECT_TRUE("counted", arena.used > 100000 && from.used == 0);
        arena_adopt(&arena, &from);
        arena_fini(&arena);
    }
}

TEST(what_is_within_counts_outside)
{
    struct arena outer, inner;
    arena_init(&outer, 10000);
    arena_init_within(&inner, &outer);
    assert_non_null(arena_alloc(&outer, 100));
    size_t before = outer.used;
    assert_non_null(arena_alloc(&inner, 6000));
    EXPECT_TRUE("counted", inner.used >= 6000 && outer.used == before + inner.used);
    EXPECT_TRUE("no room for both", arena_alloc(&inner, 6000) == NULL);
    EXPECT_TRUE("spent inside and outside", !arena_ok(&inner) && !arena_ok(&outer));
    arena_fini(&inner);
    EXPECT_TRUE("given back", inner.used == 0 && outer.used == before && arena_ok(&inner));
    assert_non_null(arena_alloc(&inner, 6000));
    EXPECT_TRUE("counted again", outer.used == before + inner.used);
    arena_fini(&inner);
    arena_fini(&outer);
}

TEST(little_is_taken_that_nobody_asked_for)
{
    static const struct {
        size_t piece, count, most_bytes; /* most_bytes: of blocks */
    } cases[] = {
        {40, 1, 256}, {40, 20, 2048}, {88, 100, 16000}, {600, 20, 16000}, {3000, 10, 31000}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        for (size_t j = 0; j < cases[i].count; j++)
            assert_non_null(arena_alloc(&arena, cases[i].piece));
        EXPECT_TRUE("blocks", arena.used <= cases[i].most_bytes);
        arena_fini(&arena);
    }
}

TEST(the_nth_allocation_fails)
{
    for (uint64_t n = 1; n < 6; n++) {
        struct arena arena;
        unsigned refused = 0;
        arena_init(&arena, 1 << 20);
        mem_fail_nth(n);
        for (unsigned i = 0; i < 100; i++)
            refused += arena_alloc(&arena, 700) == NULL;
        mem_fail_nth(0);
        EXPECT_INT("refused means spent", refused > 0, !arena_ok(&arena));
        arena_fini(&arena);
    }
}

RUN_TESTS(T(allocations_are_zeroed_aligned_and_apart),
          T(exhaustion_is_sticky_and_within_the_budget), T(sizes_that_overflow), T(copies),
          T(what_is_adopted_lives_on), T(what_is_within_counts_outside),
          T(little_is_taken_that_nobody_asked_for), T(the_nth_allocation_fails))

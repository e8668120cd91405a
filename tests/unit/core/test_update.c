/* SPDX-License-Identifier: MIT */
/* Copies, reducers, merge order, all or nothing, what changed. */
#include "tests/unit/core/state_rig.h"

TEST(puts_are_copied_and_seen_after_the_merge)
{
    struct rig rig;
    char text[] = "first";
    rig_init(&rig, 8192);
    update_put_str(rig.a, TEXT, STR("overwritten"));
    update_put_str(rig.a, TEXT, str_of(text));
    text[0] = '?';
    update_put_str(rig.a, JSON, STR("{}"));
    update_put_int(rig.a, NUMBER, -5);
    update_put_bool(rig.a, FLAG, true);
    EXPECT_TRUE("not before", !state_has(rig.state, TEXT));
    assert_int_equal(update_merge(rig.a, rig.state), ERR_OK);
    EXPECT_STR("text", state_str(rig.state, TEXT), STR("first"));
    EXPECT_STR("json", state_str(rig.state, JSON), STR("{}"));
    EXPECT_INT("number", state_int(rig.state, NUMBER), -5);
    EXPECT_TRUE("flag", state_bool(rig.state, FLAG));
    uint64_t want = 1u << TEXT | 1u << JSON | 1u << NUMBER | 1u << FLAG;
    EXPECT_INT("changed", state_take_changed(rig.state), want);
    EXPECT_INT("taken", state_take_changed(rig.state), 0);
    assert_int_equal(update_merge(rig.a, rig.state), ERR_OK);
    EXPECT_INT("merged twice is merged once", state_take_changed(rig.state), 0);
    update_clear(rig.a, TEXT);
    update_put_str(rig.a, JSON, STR(""));
    assert_int_equal(update_merge(rig.a, rig.state), ERR_OK);
    EXPECT_TRUE("cleared",
                !state_has(rig.state, TEXT) && str_is_absent(state_str(rig.state, TEXT)));
    EXPECT_TRUE("empty is a value", state_has(rig.state, JSON));
    EXPECT_INT("both changed", state_take_changed(rig.state), 1u << TEXT | 1u << JSON);
    arena_fini(&rig.arena);
}

TEST(reducers)
{
    struct rig rig;
    rig_init(&rig, 1 << 16);
    for (unsigned round = 0; round < 20; round++) {
        update_put_int(rig.a, SUM, 3);
        update_put_int(rig.b, SUM, -1);
        update_put_real(rig.a, REAL, 0.5);
        update_put_int(rig.a, NUMBER, 1);
        update_put_int(rig.b, NUMBER, 2);
        update_push_item(rig.b, LOG, STR("b"));
        update_push_item(rig.a, LOG, STR("a"));
        update_push_item(rig.a, PICK, STR("x"));
        update_push_item(rig.a, PICK, STR("y"));
        assert_int_equal(update_merge(rig.a, rig.state), ERR_OK);
        assert_int_equal(update_merge(rig.b, rig.state), ERR_OK);
    }
    EXPECT_INT("sum", state_int(rig.state, SUM), 40);
    EXPECT_TRUE("real", state_real(rig.state, REAL) == 10.0);
    EXPECT_INT("the last merged wins", state_int(rig.state, NUMBER), 2);
    EXPECT_INT("appended", state_list_count(rig.state, LOG), 40);
    EXPECT_STR("in order of merging", state_list_item(rig.state, LOG, 38), STR("a"));
    EXPECT_STR("in order of merging", state_list_item(rig.state, LOG, 39), STR("b"));
    EXPECT_INT("a list that is replaced", state_list_count(rig.state, PICK), 2);
    update_clear(rig.a, LOG);
    update_push_item(rig.a, LOG, STR("anew"));
    assert_int_equal(update_merge(rig.a, rig.state), ERR_OK);
    EXPECT_INT("cleared, then pushed", state_list_count(rig.state, LOG), 1);
    update_put_int(rig.a, SUM, INT64_MAX);
    assert_int_equal(update_merge(rig.a, rig.state), ERR_OK);
    EXPECT_TRUE("saturates", state_int(rig.state, SUM) == INT64_MAX);
    arena_fini(&rig.arena);
}

TEST(a_spent_arena_applies_nothing)
{
    for (size_t budget = 1300; budget < 6000; budget += 40) {
        struct rig rig;
        char big[300];
        memset(big, 'x', sizeof big);
        rig_init(&rig, budget);
        update_put_int(rig.a, NUMBER, 1);
        for (unsigned i = 0; i < 6; i++)
            update_push_item(rig.a, LOG, str_make(big, sizeof big));
        enum err_code code = update_merge(rig.a, rig.state);
        EXPECT_TRUE("code", code == ERR_OK || code == ERR_NO_MEMORY);
        EXPECT_INT("all", state_list_count(rig.state, LOG), code == ERR_OK ? 6 : 0);
        EXPECT_INT("or nothing", state_has(rig.state, NUMBER), code == ERR_OK);
        arena_fini(&rig.arena);
    }
}

RUN_TESTS(T(puts_are_copied_and_seen_after_the_merge), T(reducers),
          T(a_spent_arena_applies_nothing))

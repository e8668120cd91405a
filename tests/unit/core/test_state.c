/* SPDX-License-Identifier: MIT */
/* Types, reducers, merge order, atomic merge, what changed. Misuse is a CHECK (a child process). */
#include "tests/lib/test.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/state.h"

enum { TEXT, JSON, NUMBER, SUM, REAL, FLAG, LOG, PICK, SLOT_COUNT };
#define BOTH (SLOT_WRITER(0) | SLOT_WRITER(1) | SLOT_WRITER_INPUT)
static const struct slot slots[] = {
    [TEXT] = {"text", SLOT_TEXT, REDUCE_REPLACE, BOTH},
    [JSON] = {"json", SLOT_JSON, REDUCE_REPLACE, SLOT_WRITER(0)},
    [NUMBER] = {"number", SLOT_INT, REDUCE_REPLACE, BOTH},
    [SUM] = {"sum", SLOT_INT, REDUCE_ADD, BOTH},
    [REAL] = {"real", SLOT_REAL, REDUCE_ADD, BOTH},
    [FLAG] = {"flag", SLOT_BOOL, REDUCE_REPLACE, BOTH},
    [LOG] = {"log", SLOT_LIST, REDUCE_APPEND, BOTH},
    [PICK] = {"pick", SLOT_LIST, REDUCE_REPLACE, BOTH},
};
static const struct schema schema = {slots, SLOT_COUNT};

struct rig {
    struct arena arena;
    struct state *state;
    struct update *a, *b;
};

static void rig_init(struct rig *rig, size_t budget)
{
    arena_init(&rig->arena, budget);
    rig->state = state_create(&schema, &rig->arena);
    assert_non_null(rig->state);
    rig->a = update_create(rig->state, 0, &rig->arena);
    rig->b = update_create(rig->state, 1, &rig->arena);
    assert_non_null(rig->b);
}

TEST(everything_is_absent_at_first)
{
    struct rig rig;
    rig_init(&rig, 8192);
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        EXPECT_TRUE(slots[i].name, !state_has(rig.state, i));
    EXPECT_TRUE("text", str_is_absent(state_str(rig.state, TEXT)));
    EXPECT_INT("number", state_int(rig.state, NUMBER), 0);
    EXPECT_TRUE("real", state_real(rig.state, REAL) == 0 && !state_bool(rig.state, FLAG));
    EXPECT_INT("list", state_list_count(rig.state, LOG), 0);
    EXPECT_TRUE("schema", state_schema(rig.state) == &schema);
    arena_fini(&rig.arena);
}

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

TEST(the_engine_writes_what_nodes_may_not)
{
    struct rig rig;
    rig_init(&rig, 8192);
    assert_int_equal(state_set_int(rig.state, NUMBER, 9), ERR_OK);
    assert_int_equal(state_set_str(rig.state, TEXT, STR("caught")), ERR_OK);
    EXPECT_STR("text", state_str(rig.state, TEXT), STR("caught"));
    EXPECT_INT("changed", state_take_changed(rig.state), 1u << TEXT | 1u << NUMBER);
    arena_fini(&rig.arena);
}

static void read_wrong_type(struct rig *rig)
{
    (void)state_int(rig->state, TEXT);
}
static void read_missing_slot(struct rig *rig)
{
    (void)state_has(rig->state, SLOT_COUNT);
}
static void put_wrong_type(struct rig *rig)
{
    update_put_int(rig->a, TEXT, 1);
}
static void put_as_stranger(struct rig *rig)
{
    update_put_str(rig->b, JSON, STR("{}"));
}
static void read_beyond_list(struct rig *rig)
{
    (void)state_list_item(rig->state, LOG, 0);
}

TEST(misuse_aborts_and_names_the_slot)
{
    static const struct {
        const char *name;
        void (*misuse)(struct rig *rig);
        const char *want;
    } cases[] = {
        {"wrong type read", read_wrong_type, "'text'"},
        {"no such slot", read_missing_slot, "slot 8"},
        {"wrong type put", put_wrong_type, "'text'"},
        {"not among the writers", put_as_stranger, "'json'"},
        {"beyond the list", read_beyond_list, "count"},
    };
    TEST_EACH(c, cases) {
        char said[1024] = {0};
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            struct rig rig;
            dup2(ends[1], STDERR_FILENO);
            rig_init(&rig, 8192);
            c->misuse(&rig);
            _exit(0);
        }
        close(ends[1]);
        ssize_t len = read(ends[0], said, sizeof said - 1);
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        EXPECT_TRUE(c->name, WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
        EXPECT_TRUE(c->name, len > 0 && strstr(said, c->want) != NULL);
    }
}

RUN_TESTS(T(everything_is_absent_at_first), T(puts_are_copied_and_seen_after_the_merge),
          T(reducers), T(a_spent_arena_applies_nothing), T(the_engine_writes_what_nodes_may_not),
          T(misuse_aborts_and_names_the_slot))

/* SPDX-License-Identifier: MIT */
/* Absence, the engine's own writes; misuse is a CHECK (in a child process). */
#include "tests/unit/core/state_rig.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

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

RUN_TESTS(T(everything_is_absent_at_first), T(the_engine_writes_what_nodes_may_not),
          T(misuse_aborts_and_names_the_slot))

/* SPDX-License-Identifier: MIT */
/* The guard against a real database: attacks show no secret, honest questions get their answer. */
#include "tests/unit/agents/guard_world.h"

#include "tests/unit/agents/guard_attacks.inc"
#include "tests/unit/agents/guard_honest.inc"

enum { ARENA_BYTES = 32 << 20, OUT_BYTES = 1 << 20 };

/* Whether the verdict is the one the table wants; says so when not. */
static bool is_wanted(const struct guard_attack *c, const struct sql_verdict *verdict,
                      const struct buf *out)
{
    bool accepted = verdict->code == ERR_OK, either = strcmp(c->rule, "either") == 0;
    if (either || accepted == (strcmp(c->rule, "safe") == 0)) {
        if (accepted || either || strcmp(c->rule, "any") == 0 ||
            strcmp(c->rule, verdict->rule) == 0)
            return true;
    }
    print_error("want %s, got %s: %s\n  %s%.*s\n  %.*s\n", c->rule,
                accepted ? "accepted" : verdict->rule, c->sql, verdict->err.text,
                STR_ARG(verdict->sql), STR_ARG(buf_str(out)));
    return false;
}

TEST(attacks_show_nothing)
{
    struct guard_world world;
    struct buf out;
    unsigned wrong = 0;
    guard_world_make(&world);
    buf_init(&out, OUT_BYTES);
    TEST_EACH(c, guard_attacks) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, c->policy, str_of(c->sql), &arena, &verdict);
        buf_clear(&out);
        if (verdict.code == ERR_OK)
            guard_run(&world, c->sql, verdict.sql, &out);
        else
            EXPECT_TRUE(c->sql, str_is_absent(verdict.sql) && verdict.err.text[0] != '\0');
        wrong += is_wanted(c, &verdict, &out) ? 0 : 1;
        arena_fini(&arena);
    }
    buf_fini(&out);
    guard_world_lose(&world);
    EXPECT_INT("wrong verdicts", wrong, 0);
}

TEST(honest_questions_are_answered)
{
    struct guard_world world;
    struct buf out, plain;
    unsigned wrong = 0;
    guard_world_make(&world);
    buf_init(&out, OUT_BYTES);
    buf_init(&plain, OUT_BYTES);
    TEST_EACH(c, guard_honest) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, c->policy, str_of(c->sql), &arena, &verdict);
        bool ran = verdict.code == ERR_OK && guard_run(&world, c->sql, verdict.sql, &out);
        struct str want = str_of(c->rows);
        struct str text = str_of(c->sql);
        if (c->rows == NULL) {
            ran = guard_run(&world, c->sql, text, &plain) && ran;
            want = buf_str(&plain);
        }
        if (!ran || !str_equal(buf_str(&out), want)) {
            wrong++;
            print_error("%s\n  %s %s\n  -> %.*s\n  got  %.*s\n  want %.*s\n", c->sql, verdict.rule,
                        verdict.err.text, STR_ARG(verdict.sql), STR_ARG(buf_str(&out)),
                        STR_ARG(want));
        }
        arena_fini(&arena);
    }
    buf_fini(&out);
    buf_fini(&plain);
    guard_world_lose(&world);
    EXPECT_INT("wrong answers", wrong, 0);
}

RUN_TESTS(T(attacks_show_nothing), T(honest_questions_are_answered))

/* SPDX-License-Identifier: MIT */
/* The contract of store, part four: checkpoints of runs. Only who has the run may put one; they
 * come back whole, in order, for its caller only, and go with it. */
#include "tests/contract/store_rig.h"

enum { MANY = 45 };

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct identity bob = {{"c-1", 3}, {"acme", 4}, {"bob", 3}};
static const struct store_fence first = {{"r1", 2}, {"i1", 2}, 1};

static void begin(struct store_rig *f, uint64_t lease_ms)
{
    const struct store_run run = {.key = ann,
                                  .run_id = STR("r1"),
                                  .graph = STR("orchestrator"),
                                  .input = STR("in"),
                                  .instance = STR("i1")};
    STORE_CODE(f, "begin", STORE_RUN(f, begin, .run = run, .lease_ms = lease_ms), ERR_OK);
}

static enum err_code mark(struct store_rig *f, struct store_fence fence, uint64_t version,
                          bool is_full, struct str bytes)
{
    const struct store_checkpoint checkpoint = {
        .version = version, .step = version * 2, .is_full = is_full, .bytes = bytes};
    return STORE_RUN(f, mark, .fence = fence, .checkpoint = checkpoint);
}

STORE_TEST(they_come_back_in_order)
{
    begin(f, STORE_RIG_LEASE_MS);
    STORE_CODE(f, "none", STORE_RUN(f, marks, .key = ann, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("none", f->call.checkpoint_count, 0);
    EXPECT_STR("the run comes with them", f->call.runs[0].graph, STR("orchestrator"));
    STORE_CODE(f, "full", mark(f, first, 1, true, STR("\0full\xff")), ERR_OK);
    STORE_CODE(f, "delta", mark(f, first, 2, false, STR("")), ERR_OK);
    STORE_CODE(f, "sent again", mark(f, first, 2, true, STR("another")), ERR_OK);
    STORE_CODE(f, "delta", mark(f, first, 3, false, STR("d")), ERR_OK);
    STORE_CODE(f, "all", STORE_RUN(f, marks, .run_id = STR("r1")), ERR_OK);
    const struct store_checkpoint *got = f->call.checkpoints;
    EXPECT_INT("all", f->call.checkpoint_count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        EXPECT_INT("version", got[i].version, i + 1);
        EXPECT_INT("step", got[i].step, 2 * (i + 1));
        EXPECT_INT("full", got[i].is_full, i == 0);
        EXPECT_STR("run", got[i].run_id, STR("r1"));
        EXPECT_TRUE("time", got[i].time_ms > 0);
    }
    EXPECT_STR("bytes", got[0].bytes, STR("\0full\xff"));
    EXPECT_STR("bytes", got[1].bytes, STR(""));
    EXPECT_STR("bytes", got[2].bytes, STR("d"));
}

STORE_TEST(they_are_paged_and_listed)
{
    begin(f, STORE_RIG_LEASE_MS);
    for (uint64_t i = 1; i <= MANY; i++)
        STORE_CODE(f, "mark", mark(f, first, i, i % 20 == 1, STR("bytes")), ERR_OK);
    STORE_CODE(f, "the last",
               STORE_RUN(f, marks, .key = ann, .run_id = STR("r1"), .limit = 2, .only_list = true),
               ERR_OK);
    EXPECT_INT("two", f->call.checkpoint_count, 2);
    EXPECT_INT("oldest first", f->call.checkpoints[0].version, MANY - 1);
    EXPECT_INT("then", f->call.checkpoints[1].version, MANY);
    EXPECT_TRUE("no bytes", str_is_empty(f->call.checkpoints[0].bytes));
    STORE_CODE(
        f, "before",
        STORE_RUN(f, marks, .key = ann, .run_id = STR("r1"), .before_version = 11, .limit = 30),
        ERR_OK);
    EXPECT_INT("ten", f->call.checkpoint_count, 10);
    EXPECT_INT("up to", f->call.checkpoints[9].version, 10);
    EXPECT_STR("with bytes", f->call.checkpoints[9].bytes, STR("bytes"));
}

STORE_TEST(only_who_has_the_run_puts_them)
{
    begin(f, 1);
    STORE_CODE(f, "mark", mark(f, first, 1, true, STR("a")), ERR_OK);
    STORE_CODE(f, "another instance",
               mark(f, (struct store_fence){STR("r1"), STR("i2"), 1}, 2, true, STR("b")),
               ERR_CONFLICT);
    STORE_CODE(f, "no such run",
               mark(f, (struct store_fence){STR("r2"), STR("i1"), 1}, 2, true, STR("b")),
               ERR_CONFLICT);
    enum err_code code = ERR_CONFLICT; /* until the lease, by the store's clock, is over */
    for (unsigned try = 0; try < 1000000 && code != ERR_OK; try++)
        code = STORE_RUN(f, claim, .run_id = STR("r1"), .instance = STR("i2"),
                         .lease_ms = STORE_RIG_LEASE_MS);
    STORE_CODE(f, "claim", code, ERR_OK);
    STORE_CODE(f, "who had it", mark(f, first, 2, true, STR("old")), ERR_CONFLICT);
    const struct store_fence second = {STR("r1"), STR("i2"), 2};
    STORE_CODE(f, "who has it", mark(f, second, 2, true, STR("new")), ERR_OK);
    STORE_CODE(f, "pause", STORE_RUN(f, finish, .fence = second, .status = STORE_PAUSED), ERR_OK);
    STORE_CODE(f, "it is over", mark(f, second, 3, true, STR("late")), ERR_CONFLICT);
    STORE_CODE(f, "bob's", STORE_RUN(f, marks, .key = bob, .run_id = STR("r1")), ERR_NOT_FOUND);
    STORE_CODE(f, "no such run", STORE_RUN(f, marks, .key = ann, .run_id = STR("r2")),
               ERR_NOT_FOUND);
    STORE_CODE(f, "all", STORE_RUN(f, marks, .key = ann, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("two", f->call.checkpoint_count, 2);
    EXPECT_STR("his", f->call.checkpoints[1].bytes, STR("new"));
    EXPECT_INT("paused", f->call.runs[0].status, STORE_PAUSED);
}

STORE_TEST(they_go_with_the_run)
{
    begin(f, STORE_RIG_LEASE_MS);
    STORE_CODE(f, "mark", mark(f, first, 1, true, STR("a")), ERR_OK);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = ann), ERR_OK);
    begin(f, STORE_RIG_LEASE_MS); /* of the same name */
    STORE_CODE(f, "all", STORE_RUN(f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("none", f->call.checkpoint_count, 0);
    STORE_CODE(f, "mark", mark(f, first, 1, true, STR("b")), ERR_OK);
    STORE_CODE(f, "prune", STORE_RUN(f, prune, .age_ms = 0, .limit = 10, .instance = STR("i1")),
               ERR_OK);
    begin(f, STORE_RIG_LEASE_MS);
    STORE_CODE(f, "all", STORE_RUN(f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("none", f->call.checkpoint_count, 0);
}

/* Begin it, with one checkpoint. */
static struct store_fence begin_run(struct store_rig *f, const struct identity *key, const char *id)
{
    const struct store_fence fence = {str_of(id), STR("i1"), 1};
    const struct store_run run = {
        .key = *key, .run_id = str_of(id), .graph = STR("g"), .instance = STR("i1")};
    STORE_CODE(f, id, STORE_RUN(f, begin, .run = run, .lease_ms = STORE_RIG_LEASE_MS), ERR_OK);
    STORE_CODE(f, id, mark(f, fence, 1, true, STR("a")), ERR_OK);
    return fence;
}

/* Begin it, with one checkpoint, and end it. */
static void end_run(struct store_rig *f, const struct identity *key, const char *id,
                    enum store_status status)
{
    const struct store_fence fence = begin_run(f, key, id);
    STORE_CODE(f, id, STORE_RUN(f, finish, .fence = fence, .status = status), ERR_OK);
}

STORE_TEST(the_last_run_of_a_conversation_to_end_keeps_its_own)
{
    static const struct identity other = {{"c2", 2}, {"acme", 4}, {"ann", 3}};
    static const struct {
        const char *id;
        enum store_status status;
        const char *left; /* runs of both conversations with one */
    } cases[] = {
        {"p1", STORE_PAUSED, "o1 p1"},          {"e1", STORE_COMPLETE, "o1 p1 e1"},
        {"e2", STORE_FAILED, "o1 p1 e2"},       {"p2", STORE_PAUSED, "o1 p1 e2 p2"},
        {"e3", STORE_CANCELLED, "o1 p1 p2 e3"},
    };
    end_run(f, &other, "o1", STORE_COMPLETE);
    for (size_t i = 0; i < countof(cases); i++) {
        char left[32] = "";
        size_t len = 0;
        end_run(f, &ann, cases[i].id, cases[i].status);
        for (size_t n = 0; n < i + 2; n++) {
            const char *id = n == 0 ? "o1" : cases[n - 1].id;
            STORE_CODE(f, id, STORE_RUN(f, marks, .run_id = str_of(id)), ERR_OK);
            if (f->call.checkpoint_count > 0)
                len += (size_t)snprintf(left + len, sizeof left - len, len > 0 ? " %s" : "%s", id);
        }
        EXPECT_STR(cases[i].id, str_of(left), str_of(cases[i].left));
    }
}

/* The next turn may be asked for, and end, before the end of this one is noted. */
STORE_TEST(the_last_to_begin_keeps_its_own_though_it_ended_first)
{
    const struct store_fence of_a1 = begin_run(f, &ann, "a1");
    const struct store_fence of_a2 = begin_run(f, &ann, "a2");
    STORE_CODE(f, "a2", STORE_RUN(f, finish, .fence = of_a2, .status = STORE_COMPLETE), ERR_OK);
    STORE_CODE(f, "a1", STORE_RUN(f, finish, .fence = of_a1, .status = STORE_COMPLETE), ERR_OK);
    STORE_CODE(f, "a1's", STORE_RUN(f, marks, .run_id = STR("a1")), ERR_OK);
    EXPECT_INT("a1's", f->call.checkpoint_count, 0);
    STORE_CODE(f, "a2's", STORE_RUN(f, marks, .run_id = STR("a2")), ERR_OK);
    EXPECT_INT("a2's", f->call.checkpoint_count, 1);
}

/* ---- in place of one that is paused ---- */

static struct store_resume resume_of(struct str run_id, struct identity key, const char *paused_id)
{
    return (struct store_resume){
        .begin = {.run = {.key = key,
                          .run_id = run_id,
                          .graph = STR("orchestrator"),
                          .input = STR("in"),
                          .instance = STR("i2")},
                  .lease_ms = STORE_RIG_LEASE_MS,
                  .alone = true},
        .paused_id = str_of(paused_id),
        .checkpoint = {.step = 7, .bytes = STR("where it paused")},
    };
}

static enum err_code resume(struct store_rig *f, const struct store_resume *ask)
{
    return STORE_RUN(f, resume, .begin = ask->begin, .paused_id = ask->paused_id,
                     .checkpoint = ask->checkpoint);
}

/* r1, which has a checkpoint. */
static void begin_and_pause(struct store_rig *f)
{
    begin(f, STORE_RIG_LEASE_MS);
    STORE_CODE(f, "mark", mark(f, first, 1, true, STR("a")), ERR_OK);
    STORE_CODE(f, "pause", STORE_RUN(f, finish, .fence = first, .status = STORE_PAUSED), ERR_OK);
}

/* r1 waits as before, with its checkpoint, and there is no r2. */
static void expect_paused(struct store_rig *f, const char *what)
{
    STORE_CODE(f, what, STORE_RUN(f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT(what, f->call.runs[0].status, STORE_PAUSED);
    EXPECT_INT(what, f->call.checkpoint_count, 1);
    STORE_CODE(f, what, STORE_RUN(f, find, .run_id = STR("r2")), ERR_NOT_FOUND);
}

STORE_TEST(a_run_takes_the_place_of_a_paused_one)
{
    struct store_resume ask = resume_of(STR("r2"), ann, "r1");
    begin_and_pause(f);
    STORE_CODE(f, "resume", resume(f, &ask), ERR_OK);
    EXPECT_STR("the new one", f->call.runs[0].run_id, STR("r2"));
    EXPECT_INT("goes on", f->call.runs[0].status, STORE_RUNNING);
    EXPECT_INT("at its beginning", f->call.runs[0].epoch, 1);
    STORE_CODE(f, "old", STORE_RUN(f, marks, .run_id = STR("r1")), ERR_OK);
    EXPECT_INT("is over", f->call.runs[0].status, STORE_COMPLETE);
    EXPECT_INT("without checkpoints", f->call.checkpoint_count, 0);
    STORE_CODE(f, "new", STORE_RUN(f, marks, .run_id = STR("r2")), ERR_OK);
    EXPECT_INT("has one", f->call.checkpoint_count, 1);
    EXPECT_INT("the first", f->call.checkpoints[0].version, 1);
    EXPECT_INT("full", f->call.checkpoints[0].is_full, true);
    EXPECT_INT("its step", f->call.checkpoints[0].step, 7);
    EXPECT_STR("its bytes", f->call.checkpoints[0].bytes, STR("where it paused"));
    const struct store_fence second = {STR("r2"), STR("i2"), 1};
    STORE_CODE(f, "then", mark(f, second, 2, true, STR("b")), ERR_OK);
    STORE_CODE(f, "open", STORE_RUN(f, runs, .key = ann, .only_open = true), ERR_OK);
    EXPECT_INT("one", f->call.run_count, 1);
    ask = resume_of(STR("r3"), ann, "r1");
    STORE_CODE(f, "not twice", resume(f, &ask), ERR_CONFLICT);
    EXPECT_STR("since", f->call.runs[0].run_id, STR("r1"));
    STORE_CODE(f, "nothing began", STORE_RUN(f, find, .run_id = STR("r3")), ERR_NOT_FOUND);
}

STORE_TEST(nothing_takes_the_place_of_another)
{
    const struct identity beside = {STR("c-2"), ann.company_id, ann.user_id};
    struct store_resume ask = resume_of(STR("r2"), ann, "r1");
    STORE_CODE(f, "no such run", resume(f, &ask), ERR_NOT_FOUND);
    begin(f, STORE_RIG_LEASE_MS);
    STORE_CODE(f, "it goes on", resume(f, &ask), ERR_CONFLICT);
    EXPECT_STR("it", f->call.runs[0].run_id, STR("r1"));
    STORE_CODE(f, "mark", mark(f, first, 1, true, STR("a")), ERR_OK);
    STORE_CODE(f, "pause", STORE_RUN(f, finish, .fence = first, .status = STORE_PAUSED), ERR_OK);
    ask = resume_of(STR("r2"), bob, "r1");
    STORE_CODE(f, "somebody else's", resume(f, &ask), ERR_NOT_FOUND);
    expect_paused(f, "somebody else's");
    const struct store_run rival = {.key = ann,
                                    .run_id = STR("r0"),
                                    .graph = STR("g"),
                                    .idempotency_key = STR("once"),
                                    .instance = STR("i1")};
    STORE_CODE(f, "a rival", STORE_RUN(f, begin, .run = rival, .lease_ms = STORE_RIG_LEASE_MS),
               ERR_OK);
    ask = resume_of(STR("r2"), ann, "r1");
    STORE_CODE(f, "busy", resume(f, &ask), ERR_CONFLICT);
    EXPECT_STR("with", f->call.runs[0].run_id, STR("r0"));
    expect_paused(f, "busy");
    ask.begin.alone = false;
    ask.begin.run.idempotency_key = STR("once");
    STORE_CODE(f, "known", resume(f, &ask), ERR_CONFLICT);
    expect_paused(f, "known");
    ask.begin.run.idempotency_key = STR("");
    ask.begin.run.key = beside; /* paused ones are found by their caller */
    STORE_CODE(f, "beside it", resume(f, &ask), ERR_OK);
}

STORE_TEST(a_run_of_no_conversation_keeps_none)
{
    static const struct identity alone = {{"", 0}, {"acme", 4}, {"ann", 3}};
    end_run(f, &alone, "a1", STORE_COMPLETE);
    STORE_CODE(f, "marks", STORE_RUN(f, marks, .run_id = STR("a1")), ERR_OK);
    EXPECT_INT("none", f->call.checkpoint_count, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(the_last_run_of_a_conversation_to_end_keeps_its_own),
        T(the_last_to_begin_keeps_its_own_though_it_ended_first),
        T(a_run_of_no_conversation_keeps_none),
        T(they_come_back_in_order),
        T(they_are_paged_and_listed),
        T(only_who_has_the_run_puts_them),
        T(they_go_with_the_run),
        T(a_run_takes_the_place_of_a_paused_one),
        T(nothing_takes_the_place_of_another),
    };
    return store_rig_main(tests, countof(tests));
}

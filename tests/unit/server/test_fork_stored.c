/* SPDX-License-Identifier: MIT */
/* A conversation begins as another one was, whole or not at all, whichever call of the store fails
 * and whenever it is cancelled; and a run's turn is found, waited for and given up. */
#include <stdio.h>

#include "backends/stores/store_memory.h"
#include "server/records/fork_stored.h"
#include "server/records/turn_find.h"
#include "tests/lib/faulty_store.h"
#include "tests/lib/loop_rig.h"

enum { TURNS = 3 };

struct fixture {
    struct loop_rig rig;
    struct store *memory;
    struct faulty_store faulty;
    struct store_call call;
    struct fork_stored forking;
    struct turn_find finding;
};

static const struct identity from = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};
static const struct identity to = {{"c-2", 3}, {"acme", 4}, {"ann", 3}};
static const char *const runs[TURNS] = {"run-1", "run-2", "run-3"};

static void begin(struct fixture *f)
{
    *f = (struct fixture){0};
    loop_rig_init(&f->rig);
    f->memory = store_memory_create(f->rig.loop);
    assert_non_null(f->memory);
    faulty_store_init(&f->faulty, f->memory);
    for (unsigned i = 0; i < TURNS; i++) {
        const struct store_turn turn = {.run_id = str_of(runs[i]),
                                        .question = STR("q"),
                                        .answer = STR("a"),
                                        .details = STR("{}")};
        const struct store_save save = {.key = from,
                                        .expected_version = i,
                                        .checkpoint = {.is_full = i == 0, .bytes = STR("x")},
                                        .turns = &turn,
                                        .turn_count = 1};
        store_save_start(&f->call, f->memory, &save, loop_rig_waiter(&f->rig));
        loop_rig_dry(&f->rig);
        EXPECT_INT("saved", f->call.op.err.code, ERR_OK);
        op_release(&f->call.op);
    }
    f->rig.done_count = 0;
}

static void end(struct fixture *f)
{
    op_release(&f->forking.op);
    op_release(&f->finding.op);
    op_release(&f->call.op);
    store_close(f->memory, NULL, NULL);
    loop_rig_fini(&f->rig);
}

static void fork_at(struct fixture *f, uint64_t version)
{
    const struct fork_stored_options options = {&f->faulty.store, from, to.conversation_id,
                                                version};
    fork_stored_start(&f->forking, &options, loop_rig_waiter(&f->rig));
}

/* How many turns the new conversation has. */
static size_t turns_of_new(struct fixture *f)
{
    const struct store_load load = {.key = to};
    store_load_start(&f->call, f->memory, &load, loop_rig_waiter(&f->rig));
    loop_rig_dry(&f->rig);
    size_t count = f->call.turn_count;
    op_release(&f->call.op);
    return count;
}

TEST(at_a_version)
{
    static const struct {
        const char *name;
        uint64_t version;
        enum err_code want;
        size_t turns;
    } cases[] = {{"the last", 0, ERR_OK, 3},
                 {"the first", 1, ERR_OK, 1},
                 {"between", 2, ERR_OK, 2},
                 {"one that is not there", 9, ERR_NOT_FOUND, 0}};
    TEST_EACH(c, cases) {
        struct fixture f;
        begin(&f);
        fork_at(&f, c->version);
        loop_rig_dry(&f.rig);
        EXPECT_INT(c->name, f.forking.op.err.code, c->want);
        EXPECT_INT(c->name, f.rig.done_count, 1);
        EXPECT_INT(c->name, turns_of_new(&f), c->turns);
        end(&f);
    }
}

/* Before the store was asked, or before it had answered. */
static void fail_each(bool keeps)
{
    bool is_over = false;
    for (unsigned n = 1; !is_over; n++) {
        struct fixture f;
        begin(&f);
        f.faulty.keeps = keeps;
        f.faulty.fail_at = n;
        fork_at(&f, 0);
        loop_rig_dry(&f.rig);
        is_over = f.faulty.calls < n;
        EXPECT_INT("ended", f.rig.done_count, 1);
        EXPECT_INT("as the store", f.forking.op.err.code, is_over ? ERR_OK : ERR_UNAVAILABLE);
        EXPECT_INT("whole or not at all", turns_of_new(&f), is_over ? TURNS : 0);
        end(&f);
    }
}

TEST(whichever_call_fails)
{
    fail_each(false);
    fail_each(true);
}

/* The first save fails, and there is a conversation of that name that is none of ours. */
TEST(what_is_not_ours_stays)
{
    struct fixture f;
    begin(&f);
    const struct store_turn turn = {
        .run_id = STR("another"), .question = STR("q"), .answer = STR("a"), .details = STR("{}")};
    const struct store_save save = {.key = to,
                                    .checkpoint = {.is_full = true, .bytes = STR("x")},
                                    .turns = &turn,
                                    .turn_count = 1};
    store_save_start(&f.call, f.memory, &save, loop_rig_waiter(&f.rig));
    loop_rig_dry(&f.rig);
    op_release(&f.call.op);
    f.faulty.fail_at = 3;
    fork_at(&f, 0);
    loop_rig_dry(&f.rig);
    EXPECT_INT("as the store", f.forking.op.err.code, ERR_UNAVAILABLE);
    EXPECT_INT("it stays", turns_of_new(&f), 1);
    end(&f);
}

TEST(cancelled_at_every_turn)
{
    bool is_over = false;
    for (unsigned turns = 0; !is_over; turns++) {
        struct fixture f;
        begin(&f);
        fork_at(&f, 0);
        is_over = loop_rig_turn(&f.rig, turns, 1);
        op_cancel(&f.forking.op);
        loop_rig_dry(&f.rig);
        EXPECT_INT("ended", f.rig.done_count, 1);
        EXPECT_INT("all the same", f.forking.op.err.code, ERR_OK);
        EXPECT_INT("whole", turns_of_new(&f), TURNS);
        end(&f);
    }
}

/* ---- where a turn is ---- */

static void find(struct fixture *f, const char *run)
{
    turn_find_start(&f->finding, &f->faulty.store, &from, str_of(run), loop_rig_waiter(&f->rig));
}

TEST(a_turn_is_found)
{
    static const struct {
        const char *name;
        bool is_there, is_last;
        uint64_t version;
    } cases[] = {{"run-3", true, true, 3}, {"run-1", true, false, 1}, {"run-9", false, false, 0}};
    TEST_EACH(c, cases) {
        struct fixture f;
        begin(&f);
        find(&f, c->name);
        loop_rig_dry(&f.rig);
        EXPECT_INT(c->name, f.rig.done_count, 1);
        EXPECT_INT(c->name, f.finding.op.err.code, ERR_OK);
        EXPECT_INT(c->name, f.finding.is_there, c->is_there);
        EXPECT_INT(c->name, f.finding.is_last, c->is_last);
        EXPECT_INT(c->name, f.finding.version, c->version);
        end(&f);
    }
}

TEST(a_search_is_cancelled_at_every_turn)
{
    bool is_over = false;
    for (unsigned turns = 0; !is_over; turns++) {
        struct fixture f;
        begin(&f);
        find(&f, "run-9"); /* waits between its looks */
        is_over = loop_rig_turn(&f.rig, turns, 1);
        op_cancel(&f.finding.op);
        unsigned asked = f.faulty.calls;
        loop_rig_dry(&f.rig);
        EXPECT_INT("ended", f.rig.done_count, 1);
        EXPECT_TRUE("soon", f.faulty.calls <= asked + 1);
        EXPECT_TRUE("not found", !f.finding.is_there);
        end(&f);
    }
}

TEST(a_search_ends_as_the_store)
{
    for (unsigned n = 1; n <= 3; n++) {
        struct fixture f;
        begin(&f);
        f.faulty.fail_at = n;
        find(&f, "run-9");
        loop_rig_dry(&f.rig);
        EXPECT_INT("ended", f.rig.done_count, 1);
        EXPECT_INT("as the store", f.finding.op.err.code, ERR_UNAVAILABLE);
        end(&f);
    }
}

RUN_TESTS(T(at_a_version), T(whichever_call_fails), T(what_is_not_ours_stays),
          T(cancelled_at_every_turn), T(a_turn_is_found), T(a_search_is_cancelled_at_every_turn),
          T(a_search_ends_as_the_store))

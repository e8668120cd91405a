/* SPDX-License-Identifier: MIT */
/* One document and two who want it: the second waits for the end of the first; a claim that is lost
 * is told; one that nobody gives back is waited for no longer than its patience; cancelled. */
#include "tests/lib/loop_rig.h"

#include "backends/sqlite/sqlite_ledger.h"
#include "core/base/mem.h"
#include "server/documents/document_hold.h"
#include "tests/unit/backends/sqlite_file.h"

struct rig {
    struct loop_rig loop;
    struct sqlite_file file;
    struct ledger *ledger;
    struct document_hold one, two;
    unsigned lost, ended;
};

static const struct ledger_entry key = {.collection = STR("documents"),
                                        .company_id = STR("acme"),
                                        .user_id = STR(""),
                                        .name = STR("a.md")};

static void on_lost(void *owner)
{
    struct rig *rig = owner;
    rig->lost++;
}

static void on_ended(void *owner)
{
    struct rig *rig = owner;
    rig->ended++;
}

static struct rig *rig_make(void)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    loop_rig_init(&rig->loop);
    sqlite_file_name(&rig->file);
    rig->ledger = sqlite_ledger_create(rig->loop.loop, rig->file.path);
    assert_non_null(rig->ledger);
    return rig;
}

static void rig_free(struct rig *rig)
{
    ledger_close(rig->ledger, NULL, NULL);
    loop_rig_fini(&rig->loop);
    sqlite_file_remove(&rig->file);
    mem_free(rig);
}

static void start(struct rig *rig, struct document_hold *hold)
{
    document_hold_start(hold, rig->loop.loop, rig->ledger, &key, on_lost, rig,
                        loop_rig_waiter(&rig->loop));
}

static void turn_until(struct rig *rig, const unsigned *count, unsigned most)
{
    for (unsigned turn = 0; *count < most; turn++) {
        EXPECT_TRUE("it ends", turn < LOOP_RIG_TURNS);
        (void)!loop_run_dry(rig->loop.loop, 1);
    }
}

static void end(struct rig *rig, struct document_hold *hold)
{
    const unsigned before = rig->ended;
    document_hold_end(hold, on_ended, rig);
    turn_until(rig, &rig->ended, before + 1);
}

TEST(the_second_waits)
{
    struct rig *rig = rig_make();
    start(rig, &rig->one);
    turn_until(rig, &rig->loop.done_count, 1);
    EXPECT_INT("held", rig->loop.last_code, ERR_OK);
    EXPECT_TRUE("nothing is there", rig->one.entry == NULL);
    start(rig, &rig->two);
    for (unsigned turn = 0; turn < 50; turn++)
        (void)!loop_run_dry(rig->loop.loop, 1);
    EXPECT_TRUE("waits", op_is_pending(&rig->two.op));
    end(rig, &rig->one);
    turn_until(rig, &rig->loop.done_count, 2);
    EXPECT_INT("its turn", rig->two.op.err.code, ERR_OK);
    end(rig, &rig->two);
    EXPECT_INT("none was lost", rig->lost, 0);
    rig_free(rig);
}

TEST(a_lost_claim_is_told)
{
    struct rig *rig = rig_make();
    start(rig, &rig->one);
    turn_until(rig, &rig->loop.done_count, 1);
    sqlite_file_run(&rig->file, "UPDATE document_claims SET holder = 'another'");
    turn_until(rig, &rig->lost, 1);
    EXPECT_TRUE("known", rig->one.is_lost);
    end(rig, &rig->one);
    start(rig, &rig->two);
    turn_until(rig, &rig->loop.done_count, 2);
    EXPECT_INT("the other has it yet", rig->two.op.err.code, ERR_CONFLICT);
    end(rig, &rig->two);
    rig_free(rig);
}

TEST(a_claim_that_is_over_is_taken)
{
    struct rig *rig = rig_make();
    start(rig, &rig->one);
    turn_until(rig, &rig->loop.done_count, 1);
    end(rig, &rig->one);
    sqlite_file_run(&rig->file,
                    "INSERT INTO document_claims VALUES ('documents','acme','','a.md','dead',1);"
                    "INSERT INTO documents VALUES ('documents','acme','','a.md','','T','h',3,4)");
    start(rig, &rig->two);
    turn_until(rig, &rig->loop.done_count, 2);
    EXPECT_INT("held", rig->two.op.err.code, ERR_OK);
    EXPECT_STR("what is there", rig->two.entry->hash, STR("h"));
    end(rig, &rig->two);
    rig_free(rig);
}

/* Turn so often, or until calls are done. True: they are. */
static bool turn_for(struct rig *rig, unsigned turns, unsigned calls)
{
    for (unsigned turn = 0; turn < turns && rig->loop.done_count < calls; turn++)
        (void)!loop_run_dry(rig->loop.loop, 1);
    return rig->loop.done_count >= calls;
}

static bool cancelled_waiting_after(unsigned turns)
{
    struct rig *rig = rig_make();
    start(rig, &rig->one);
    turn_until(rig, &rig->loop.done_count, 1);
    start(rig, &rig->two);
    (void)turn_for(rig, turns, 2);
    const bool is_over = rig->two.op.phase != OP_PENDING; /* told in the next turn, perhaps */
    op_cancel(&rig->two.op);
    turn_until(rig, &rig->loop.done_count, 2);
    EXPECT_INT("how", rig->two.op.err.code, is_over ? ERR_CONFLICT : ERR_CANCELLED);
    end(rig, &rig->two);
    end(rig, &rig->one);
    EXPECT_INT("the first keeps it", rig->lost, 0);
    rig_free(rig);
    return is_over;
}

TEST(cancelled_at_every_turn_while_it_waits)
{
    for (unsigned turns = 0; !cancelled_waiting_after(turns); turns++)
        EXPECT_TRUE("the sweep ends", turns < LOOP_RIG_TURNS);
}

/* However far it came, nothing is left of it: the next has the document at once. */
static bool cancelled_claiming_after(unsigned turns)
{
    struct rig *rig = rig_make();
    start(rig, &rig->one);
    const bool is_over = turn_for(rig, turns, 1);
    op_cancel(&rig->one.op);
    op_cancel(&rig->one.op);
    turn_until(rig, &rig->loop.done_count, 1);
    EXPECT_TRUE("how", rig->one.op.err.code == ERR_OK ||
                           (rig->one.op.err.code == ERR_CANCELLED && !is_over));
    end(rig, &rig->one);
    const uint64_t now_ms = loop_now_ms(rig->loop.loop);
    start(rig, &rig->two);
    turn_until(rig, &rig->loop.done_count, 2);
    EXPECT_INT("the next", rig->two.op.err.code, ERR_OK);
    EXPECT_TRUE("at once", loop_now_ms(rig->loop.loop) == now_ms);
    end(rig, &rig->two);
    rig_free(rig);
    return is_over;
}

TEST(cancelled_at_every_turn_while_it_claims)
{
    for (unsigned turns = 0; !cancelled_claiming_after(turns); turns++)
        EXPECT_TRUE("the sweep ends", turns < LOOP_RIG_TURNS);
}

/* Let go while it is renewed, and between. */
TEST(let_go_at_every_turn)
{
    enum { TURNS = 12 };
    for (unsigned turns = 0; turns < TURNS; turns++) {
        struct rig *rig = rig_make();
        start(rig, &rig->one);
        turn_until(rig, &rig->loop.done_count, 1);
        for (unsigned turn = 0; turn < turns; turn++)
            (void)!loop_run_dry(rig->loop.loop, 1);
        end(rig, &rig->one);
        EXPECT_INT("once", rig->ended, 1);
        start(rig, &rig->two);
        turn_until(rig, &rig->loop.done_count, 2);
        EXPECT_INT("the next", rig->two.op.err.code, ERR_OK);
        end(rig, &rig->two);
        EXPECT_INT("nothing was lost", rig->lost, 0);
        rig_free(rig);
    }
}

RUN_TESTS(T(the_second_waits), T(a_lost_claim_is_told), T(a_claim_that_is_over_is_taken),
          T(cancelled_at_every_turn_while_it_waits), T(cancelled_at_every_turn_while_it_claims),
          T(let_go_at_every_turn))

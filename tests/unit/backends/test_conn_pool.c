/* SPDX-License-Identifier: MIT */
/* backends/conn_pool: order, limits, age, checks, losses in every state, backoff, closing; cancel
 * at every turn and the n-th allocation. */
#include "tests/unit/backends/pool_rig.h"

enum { LONG_MS = 60000 };

TEST(opens_what_is_asked_and_keeps_size)
{
    struct pool_rig f;
    struct conn_lease leases[5] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 2, .overflow = 2});
    pool_rig_expect("nothing yet", &f, "0 0 0 0");
    f.by_itself = true;
    for (size_t i = 0; i < 5; i++)
        pool_rig_lease(&f, &leases[i], LONG_MS);
    pool_rig_expect("four open", &f, "4 0 0 5");
    loop_turn(f.loop.loop, 5);
    EXPECT_INT("four served", f.loop.done_count, 4);
    pool_rig_expect("the fifth waits", &f, "0 0 4 1");
    conn_lease_end(&leases[1], true);
    conn_lease_end(&leases[1], true);
    loop_turn(f.loop.loop, 2);
    EXPECT_INT("the fifth is served", leases[4].op.err.code, ERR_OK);
    EXPECT_TRUE("with the same connection", leases[4].conn != NULL && f.opens == 4);
    for (size_t i = 0; i < 5; i++)
        op_release(&leases[i].op);
    pool_rig_expect("size are kept", &f, "0 2 0 0");
    pool_rig_end(&f);
}

TEST(waiters_are_served_in_order)
{
    struct pool_rig f;
    struct conn_lease leases[12] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1});
    f.by_itself = true;
    for (size_t i = 0; i < countof(leases); i++)
        pool_rig_lease(&f, &leases[i], LONG_MS);
    for (size_t i = 0; i < countof(leases); i++) {
        loop_turn(f.loop.loop, 4);
        EXPECT_INT("one more", f.loop.done_count, i + 1);
        EXPECT_TRUE("the next one", f.loop.last == &leases[i].op);
        EXPECT_INT("waiting", conn_pool_count(f.pool).waiting, countof(leases) - i - 1);
        conn_lease_end(&leases[i], i % 3 != 0); /* every third comes back broken */
    }
    EXPECT_INT("broken ones were replaced", f.opens, 1 + 4);
    pool_rig_end(&f);
}

TEST(one_caller_leaves_a_connection)
{
    struct pool_rig f;
    struct conn_lease leases[6] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 4});
    f.by_itself = true;
    for (size_t i = 0; i < 5; i++) {
        leases[i].caller.user_id = STR("heavy");
        pool_rig_lease(&f, &leases[i], LONG_MS);
    }
    loop_turn(f.loop.loop, 10);
    EXPECT_INT("all but one", f.loop.done_count, 3);
    leases[5].caller.user_id = STR("light");
    pool_rig_lease(&f, &leases[5], LONG_MS);
    loop_turn(f.loop.loop, 3);
    EXPECT_TRUE("another gets it", leases[5].conn != NULL);
    conn_lease_end(&leases[5], true);
    loop_turn(f.loop.loop, 3);
    EXPECT_INT("and leaves it", f.loop.done_count, 4);
    conn_lease_end(&leases[0], true);
    loop_turn(f.loop.loop, 3);
    EXPECT_INT("its own goes round", f.loop.done_count, 5);
    for (size_t i = 1; i < 4; i++)
        op_release(&leases[i].op);
    loop_turn(f.loop.loop, 3);
    for (size_t i = 0; i < 6; i++)
        op_release(&leases[i].op);
    pool_rig_end(&f);
}

/* ---- the share of one caller, at every turn ---- */

enum { MOST_PLACES = 9, SHARE_TURNS = 24 };

struct crowd { /* one caller's statements, twice as many as there are places; and another's */
    struct pool_rig f;
    struct conn_lease heavy[2 * MOST_PLACES], light;
    size_t count, share;
};

static size_t crowd_held(const struct crowd *c)
{
    size_t held = 0;
    for (size_t i = 0; i < c->count; i++)
        held += c->heavy[i].conn != NULL;
    return held;
}

/* One turn, after which all but the share of places are others'. */
static void crowd_turn(struct crowd *c)
{
    loop_turn(c->f.loop.loop, 1);
    EXPECT_TRUE("no more than its share", crowd_held(c) <= c->share);
}

static void crowd_ask(struct crowd *c, size_t i)
{
    c->heavy[i].caller = (struct identity){STR("c"), STR("acme"), STR("ann")};
    pool_rig_lease(&c->f, &c->heavy[i], LONG_MS);
}

/* The turns that another's statement waits for its connection; SHARE_TURNS: it got none. */
static unsigned crowd_wait(struct crowd *c)
{
    unsigned turns = 0;
    c->light.caller = (struct identity){STR("d"), STR("acme"), STR("bob")};
    pool_rig_lease(&c->f, &c->light, LONG_MS);
    for (; turns < SHARE_TURNS && op_is_pending(&c->light.op); turns++)
        crowd_turn(c);
    EXPECT_INT("another is served", c->light.op.err.code, ERR_OK);
    conn_lease_end(&c->light, true);
    return turns;
}

static void crowd_begin(struct crowd *c, size_t places, size_t kept)
{
    *c = (struct crowd){.share = places - 1};
    pool_rig_begin(&c->f, (struct conn_pool_options){
                              .size = kept, .overflow = places - kept, .check_after_ms = 10});
    c->f.by_itself = true;
}

static void crowd_end(struct crowd *c)
{
    for (size_t i = 0; i < c->count; i++)
        op_cancel(&c->heavy[i].op);
    loop_rig_dry(&c->f.loop);
    for (size_t i = 0; i < c->count; i++)
        conn_lease_end(&c->heavy[i], true);
    pool_rig_end(&c->f);
}

/* As long as one waits with nobody else there: opened, then told. */
static unsigned alone_turns(void)
{
    struct crowd c;
    crowd_begin(&c, 2, 1);
    const unsigned turns = crowd_wait(&c);
    crowd_end(&c);
    return turns;
}

TEST(one_caller_holds_its_share_at_most)
{
    const unsigned at_once = alone_turns();
    EXPECT_TRUE("it is served", at_once < SHARE_TURNS);
    for (size_t places = 2; places <= MOST_PLACES; places++)
        for (size_t kept = 1; kept <= places; kept++)
            for (unsigned before = 0; before < SHARE_TURNS; before++) {
                struct crowd c;
                crowd_begin(&c, places, kept);
                c.count = 2 * places;
                for (size_t i = 0; i < c.count; i++)
                    crowd_ask(&c, i);
                EXPECT_TRUE("no more is opened than may be", c.f.opens <= places);
                for (unsigned turn = 0; turn < before; turn++)
                    crowd_turn(&c);
                EXPECT_TRUE("another begins at once", crowd_wait(&c) <= at_once);
                EXPECT_TRUE("so does the next", crowd_wait(&c) <= at_once);
                for (unsigned turn = 0; turn < SHARE_TURNS; turn++)
                    crowd_turn(&c);
                EXPECT_INT("the share is used", crowd_held(&c), c.share);
                EXPECT_INT("the others wait", conn_pool_count(c.f.pool).waiting, c.count - c.share);
                crowd_end(&c);
            }
}

/* Statements that end at every turn, some with their connection, and are begun again at once. */
TEST(one_caller_holds_its_share_however_often_it_asks)
{
    const unsigned at_once = alone_turns();
    for (size_t places = 2; places <= MOST_PLACES; places++)
        for (size_t kept = 1; kept <= places; kept++) {
            struct crowd c;
            crowd_begin(&c, places, kept);
            c.count = 2 * places;
            for (size_t i = 0; i < c.count; i++)
                crowd_ask(&c, i);
            for (unsigned turn = 0; turn < 10 * SHARE_TURNS; turn++) {
                const size_t i = turn % c.count;
                if (c.heavy[i].conn != NULL && !op_is_pending(&c.heavy[i].op)) {
                    conn_lease_end(&c.heavy[i], turn % 5 != 0);
                    crowd_ask(&c, i);
                }
                if (turn % 7 == 0) /* idle for long: checked before it is given */
                    loop_advance(c.f.loop.loop, 11);
                crowd_turn(&c);
                if (turn % 3 == 0)
                    EXPECT_TRUE("another begins at once", crowd_wait(&c) <= at_once);
            }
            crowd_end(&c);
        }
}

TEST(callers_without_a_name_take_all)
{
    struct pool_rig f;
    struct conn_lease leases[4] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 4});
    f.by_itself = true;
    for (size_t i = 0; i < 4; i++)
        pool_rig_lease(&f, &leases[i], LONG_MS);
    loop_turn(f.loop.loop, 10);
    EXPECT_INT("all of them", f.loop.done_count, 4);
    for (size_t i = 0; i < 4; i++)
        op_release(&leases[i].op);
    pool_rig_end(&f);
}

TEST(a_caller_who_was_late_has_one_at_a_time)
{
    struct pool_rig f;
    struct conn_lease late[3] = {0}, other = {.caller = {.user_id = STR("other")}};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 4});
    f.by_itself = true;
    for (size_t i = 0; i < countof(late); i++) {
        late[i].caller.user_id = STR("late");
        if (i == 0)
            conn_pool_note_late(f.pool, &late[i].caller);
        pool_rig_lease(&f, &late[i], LONG_MS);
    }
    pool_rig_lease(&f, &other, LONG_MS);
    loop_turn(f.loop.loop, 8);
    EXPECT_TRUE("one is served", late[0].conn != NULL && late[1].conn == NULL);
    EXPECT_TRUE("so is who was not late", other.conn != NULL);
    EXPECT_INT("two wait", conn_pool_count(f.pool).waiting, 2);
    EXPECT_TRUE("for nothing that is opened", f.opens <= 4);
    unsigned opens = f.opens;
    conn_lease_end(&late[0], true);
    loop_turn(f.loop.loop, 8);
    EXPECT_TRUE("then the next", late[1].conn != NULL && late[2].conn == NULL);
    EXPECT_INT("by a connection that is there", f.opens, opens);
    op_release(&late[0].op);
    op_release(&late[1].op);
    op_release(&other.op);
    loop_turn(f.loop.loop, 8);
    EXPECT_TRUE("and the last", late[2].conn != NULL);
    op_release(&late[2].op);
    pool_rig_end(&f);
}

/* Those who wait at a limit are opened nothing, however often others take the idle one. */
TEST(nothing_is_opened_for_who_may_have_none)
{
    struct pool_rig f;
    struct conn_lease late[6] = {0}, other[2] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 8});
    f.by_itself = true;
    for (size_t i = 0; i < countof(late); i++) {
        late[i].caller.user_id = STR("late");
        if (i == 0)
            conn_pool_note_late(f.pool, &late[i].caller);
        pool_rig_lease(&f, &late[i], LONG_MS);
    }
    loop_turn(f.loop.loop, 8);
    EXPECT_INT("one for the one that may", f.opens, 1);
    for (size_t i = 0; i < countof(other); i++) {
        other[i].caller.user_id = STR("other");
        pool_rig_lease(&f, &other[i], LONG_MS);
        loop_turn(f.loop.loop, 8);
        EXPECT_TRUE("another is served", other[i].conn != NULL);
        EXPECT_INT("by one of its own", f.opens, 2 + i);
    }
    for (size_t i = 0; i < countof(other); i++)
        op_release(&other[i].op);
    loop_turn(f.loop.loop, 8);
    EXPECT_INT("none more", f.opens, 3);
    for (size_t i = 0; i < countof(late); i++) {
        op_release(&late[i].op);
        loop_turn(f.loop.loop, 8);
    }
    pool_rig_end(&f);
}

/* Nothing is known of a statement before it has run for a while: then what its caller has is few.
 */
TEST(a_caller_whose_statements_are_slow_has_few)
{
    struct pool_rig f;
    struct conn_lease slow[8] = {0}, other = {.caller = {.user_id = STR("other")}};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 15});
    f.by_itself = true;
    for (size_t i = 0; i < countof(slow); i++)
        slow[i].caller.user_id = STR("slow");
    pool_rig_lease(&f, &slow[0], LONG_MS);
    loop_turn(f.loop.loop, 3);
    loop_advance(f.loop.loop, POOL_SLOW_MS);
    for (size_t i = 1; i < countof(slow); i++)
        pool_rig_lease(&f, &slow[i], LONG_MS);
    pool_rig_lease(&f, &other, LONG_MS);
    loop_turn(f.loop.loop, 30);
    EXPECT_TRUE("two are served", slow[1].conn != NULL && slow[2].conn == NULL);
    EXPECT_INT("the others wait", conn_pool_count(f.pool).waiting, countof(slow) - 2);
    EXPECT_TRUE("who is not slow does not", other.conn != NULL);
    conn_lease_end(&slow[0], true);
    loop_turn(f.loop.loop, 30);
    EXPECT_TRUE("one for one", slow[2].conn != NULL && slow[3].conn == NULL);
    loop_advance(f.loop.loop, POOL_SLOW_MS);
    loop_turn(f.loop.loop, 1);
    conn_lease_end(&slow[1], true);
    loop_turn(f.loop.loop, 30);
    EXPECT_TRUE("while one is slow", slow[3].conn != NULL && slow[4].conn == NULL);
    conn_lease_end(&slow[2], true);
    conn_lease_end(&slow[3], true);
    loop_turn(f.loop.loop, 30);
    EXPECT_INT("none waits after a quick one", conn_pool_count(f.pool).waiting, 0);
    for (size_t i = 0; i < countof(slow); i++)
        op_release(&slow[i].op);
    op_release(&other.op);
    pool_rig_end(&f);
}

TEST(a_caller_who_is_late_too_often_waits)
{
    struct pool_rig f;
    struct conn_lease late = {.caller = {.user_id = STR("late")}};
    struct conn_lease other = {.caller = {.user_id = STR("other")}};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 4});
    f.by_itself = true;
    for (int i = 0; i < 5; i++)
        conn_pool_note_late(f.pool, &late.caller);
    pool_rig_lease(&f, &late, LONG_MS);
    pool_rig_lease(&f, &other, LONG_MS);
    loop_turn(f.loop.loop, 5);
    EXPECT_INT("closed", late.op.err.code, ERR_BUSY);
    EXPECT_INT("not to others", other.op.err.code, ERR_OK);
    op_release(&late.op);
    op_release(&other.op);
    pool_rig_end(&f);
}

TEST(companies_take_turns)
{
    static const size_t order[] = {0, 3, 1, 2};
    struct pool_rig f;
    struct conn_lease leases[4] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1});
    f.by_itself = true;
    for (size_t i = 0; i < countof(leases); i++) {
        leases[i].caller.company_id = i < 3 ? STR("noisy") : STR("quiet");
        pool_rig_lease(&f, &leases[i], LONG_MS);
    }
    for (size_t i = 0; i < countof(order); i++) {
        loop_turn(f.loop.loop, 4);
        EXPECT_TRUE("the next one", f.loop.last == &leases[order[i]].op);
        conn_lease_end(&leases[order[i]], true);
    }
    pool_rig_end(&f);
}

TEST(full_queue_and_late)
{
    struct pool_rig f;
    struct conn_lease leases[4] = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1, .queue_limit = 2});
    f.by_itself = true;
    pool_rig_lease(&f, &leases[0], LONG_MS);
    loop_turn(f.loop.loop, 4);
    for (size_t i = 1; i < 4; i++)
        pool_rig_lease(&f, &leases[i], 50);
    loop_turn(f.loop.loop, 2);
    EXPECT_INT("only the last is done", f.loop.done_count, 2);
    EXPECT_INT("queue full", leases[3].op.err.code, ERR_BUSY);
    loop_rig_dry(&f.loop);
    EXPECT_INT("late", leases[1].op.err.code, ERR_BUSY);
    EXPECT_INT("late, too", leases[2].op.err.code, ERR_BUSY);
    EXPECT_INT("done", f.loop.done_count, 4);
    conn_lease_end(&leases[1], true); /* never got one */
    conn_lease_end(&leases[0], true);
    pool_rig_expect("idle again", &f, "0 1 0 0");
    pool_rig_end(&f);
}

TEST(deadline_while_opening_and_while_checking)
{
    struct pool_rig f;
    struct conn_lease lease = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1, .check_after_ms = 10});
    pool_rig_lease(&f, &lease, 50);
    loop_rig_dry(&f.loop);
    EXPECT_INT("no answer", lease.op.err.code, ERR_UNAVAILABLE);
    pool_rig_expect("still opening", &f, "1 0 0 0");
    conn_pool_opened(&f.conns[0]->pooled);
    conn_pool_opened(&f.conns[0]->pooled); /* told twice: ignored */
    pool_rig_expect("idle for the next", &f, "0 1 0 0");
    loop_advance(f.loop.loop, 11);
    pool_rig_lease(&f, &lease, 50);
    pool_rig_expect("checked", &f, "0 0 1 0");
    loop_rig_dry(&f.loop);
    EXPECT_INT("no pulse", lease.op.err.code, ERR_UNAVAILABLE);
    EXPECT_INT("closed", f.closes, 1);
    pool_rig_expect("none", &f, "0 0 0 0");
    pool_rig_end(&f);
}

TEST(only_the_long_idle_are_checked)
{
    struct pool_rig f;
    struct conn_lease lease = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1, .check_after_ms = 100});
    f.by_itself = true;
    for (unsigned round = 0; round < 6; round++) {
        pool_rig_lease(&f, &lease, LONG_MS);
        loop_turn(f.loop.loop, 4);
        EXPECT_INT("served", f.loop.done_count, round + 1);
        EXPECT_INT("checks", f.checks, round / 2);
        conn_lease_end(&lease, true);
        loop_advance(f.loop.loop, round % 2 == 0 ? 100 : 101);
    }
    EXPECT_INT("one connection", f.opens, 1);
    f.fail_checks = 1;
    loop_advance(f.loop.loop, 101);
    pool_rig_lease(&f, &lease, LONG_MS);
    loop_turn(f.loop.loop, 6);
    EXPECT_INT("a new one replaces the dead", lease.op.err.code, ERR_OK);
    EXPECT_INT("two connections", f.opens, 2);
    conn_lease_end(&lease, true);
    pool_rig_end(&f);
}

TEST(old_ones_are_closed)
{
    struct pool_rig f;
    struct conn_lease lease = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 2, .recycle_ms = 1000});
    f.by_itself = true;
    pool_rig_lease(&f, &lease, LONG_MS);
    loop_turn(f.loop.loop, 4);
    loop_advance(f.loop.loop, 1000);
    conn_lease_end(&lease, true);
    EXPECT_INT("closed when it came back", f.closes, 1);
    pool_rig_lease(&f, &lease, LONG_MS);
    loop_turn(f.loop.loop, 4);
    conn_lease_end(&lease, true);
    pool_rig_expect("young: kept", &f, "0 1 0 0");
    loop_advance(f.loop.loop, 1000);
    pool_rig_lease(&f, &lease, LONG_MS);
    loop_turn(f.loop.loop, 4);
    EXPECT_INT("old while idle: closed", f.closes, 2);
    EXPECT_INT("and replaced", lease.op.err.code, ERR_OK);
    conn_lease_end(&lease, true);
    pool_rig_end(&f);
}

TEST(failed_opens_back_off)
{
    struct pool_rig f;
    struct conn_lease leases[3] = {0};
    struct err err = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 3, .retry_ms = 100});
    f.by_itself = true;
    f.fail_opens = 3;
    EXPECT_INT("unknown is well", conn_pool_ready(f.pool, &err), ERR_OK);
    for (size_t i = 0; i < 3; i++)
        pool_rig_lease(&f, &leases[i], LONG_MS);
    loop_turn(f.loop.loop, 4);
    EXPECT_INT("all fail", f.loop.done_count, 3);
    EXPECT_STR("with the reason", str_of(leases[0].op.err.text), STR("refused"));
    EXPECT_INT("not ready", conn_pool_ready(f.pool, &err), ERR_UNAVAILABLE);
    static const unsigned waits[] = {100, 200, 400, 800, 1600, 1600};
    TEST_EACH(wait, waits) {
        unsigned opens = f.opens;
        loop_advance(f.loop.loop, *wait - 1);
        pool_rig_lease(&f, &leases[0], LONG_MS);
        loop_turn(f.loop.loop, 4);
        EXPECT_INT("fails at once", leases[0].op.err.code, ERR_UNAVAILABLE);
        EXPECT_INT("without an attempt", f.opens, opens);
        loop_advance(f.loop.loop, 1);
        f.fail_opens = 1;
        pool_rig_lease(&f, &leases[0], LONG_MS);
        loop_turn(f.loop.loop, 4);
        EXPECT_INT("attempted", f.opens, opens + 1);
    }
    loop_advance(f.loop.loop, 1600);
    pool_rig_lease(&f, &leases[0], LONG_MS);
    loop_turn(f.loop.loop, 4);
    EXPECT_INT("well again", leases[0].op.err.code, ERR_OK);
    EXPECT_INT("ready", conn_pool_ready(f.pool, &err), ERR_OK);
    conn_lease_end(&leases[0], true);
    pool_rig_end(&f);
}

TEST(waiters_outlast_a_failed_open_while_others_are_in_use)
{
    struct pool_rig f;
    struct conn_lease first = {0}, second = {0}, third = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 2, .retry_ms = 100});
    f.by_itself = true;
    pool_rig_lease(&f, &first, LONG_MS);
    loop_turn(f.loop.loop, 4);
    f.fail_opens = 1;
    pool_rig_lease(&f, &second, LONG_MS);
    pool_rig_lease(&f, &third, LONG_MS);
    loop_turn(f.loop.loop, 4);
    EXPECT_INT("they wait", f.loop.done_count, 1);
    conn_lease_end(&first, true);
    loop_turn(f.loop.loop, 2);
    EXPECT_TRUE("the one in use comes to the first", f.loop.last == &second.op);
    loop_rig_dry(&f.loop);
    EXPECT_INT("the timer opened one for the other", third.op.err.code, ERR_OK);
    conn_lease_end(&second, true);
    conn_lease_end(&third, true);
    pool_rig_end(&f);
}

static void count_loss(void *user)
{
    ++*(unsigned *)user;
}

TEST(lost_in_every_state)
{
    struct pool_rig f;
    unsigned told = 0;
    struct conn_lease lease = {0}, other = {0};
    pool_rig_begin(&f,
                   (struct conn_pool_options){
                       .size = 2, .check_after_ms = 10, .on_idle_lost = count_loss, .user = &told});
    pool_rig_lease(&f, &lease, LONG_MS);
    pool_rig_lose(f.conns[0], ERR_DENIED, "who are you");
    loop_turn(f.loop.loop, 1);
    EXPECT_INT("opening", lease.op.err.code, ERR_DENIED);

    f.by_itself = true;
    loop_advance(f.loop.loop, 1000);
    pool_rig_lease(&f, &lease, LONG_MS);
    pool_rig_lease(&f, &other, LONG_MS);
    loop_turn(f.loop.loop, 4);
    f.by_itself = false;
    conn_lease_end(&other, true);
    struct rig_conn *held = container_of(lease.conn, struct rig_conn, pooled);
    pool_rig_lose(held, ERR_UNAVAILABLE, "gone while leased");
    EXPECT_TRUE("stays with its holder", lease.conn == &held->pooled);
    conn_lease_end(&lease, true);
    EXPECT_INT("closed all the same", f.closes, 2);
    pool_rig_expect("the idle one is left", &f, "0 1 0 0");

    pool_rig_lease(&f, &lease, LONG_MS); /* at once, but checked: it is doubted */
    pool_rig_expect("checking", &f, "0 0 1 0");
    pool_rig_lose(f.conns[2] != NULL ? f.conns[2] : f.conns[1], ERR_UNAVAILABLE, "no pulse");
    loop_turn(f.loop.loop, 2); /* those that close count until they are gone */
    pool_rig_expect("its lease waits for a new one", &f, "1 0 0 1");
    conn_pool_opened(&f.conns[3]->pooled);
    loop_turn(f.loop.loop, 2);
    EXPECT_INT("and gets it", lease.op.err.code, ERR_OK);
    conn_lease_end(&lease, true);
    EXPECT_INT("of those nobody is told", told, 0);
    pool_rig_lose(f.conns[3], ERR_UNAVAILABLE, "gone while idle");
    EXPECT_INT("told", told, 1);
    pool_rig_expect("idle", &f, "0 0 0 0");
    pool_rig_end(&f);
}

TEST(taken_for_a_cancel)
{
    struct pool_rig f;
    struct conn_lease lease = {0}, next = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1});
    f.by_itself = true;
    EXPECT_TRUE("none yet", conn_pool_take_idle(f.pool) == NULL);
    pool_rig_lease(&f, &lease, LONG_MS);
    loop_turn(f.loop.loop, 4);
    EXPECT_TRUE("none idle", conn_pool_take_idle(f.pool) == NULL);
    conn_lease_end(&lease, true);
    struct pool_conn *taken = conn_pool_take_idle(f.pool);
    EXPECT_TRUE("taken", taken != NULL);
    pool_rig_lease(&f, &next, LONG_MS);
    pool_rig_expect("counts as in use", &f, "0 0 1 1");
    conn_pool_put(taken, true);
    loop_turn(f.loop.loop, 2);
    EXPECT_TRUE("goes to who waits", next.conn == taken);
    conn_lease_end(&next, true);
    pool_rig_end(&f);
}

/* One lease through opening, in use, idle, checking, in use; another beside it that is cancelled,
 * or the pool closed, after the n-th turn. */
static void play(struct pool_rig *f, struct conn_lease leases[3], unsigned cut, bool close)
{
    for (unsigned turn = 0; turn < 14; turn++) {
        if (turn == cut && close)
            conn_pool_close(f->pool, pool_rig_on_closed, f);
        for (size_t i = 0; i < 3 && turn == cut && !close; i++) {
            op_cancel(&leases[i].op);
            op_cancel(&leases[i].op);
        }
        bool open = f->closed_calls == 0 && !(close && turn >= cut);
        for (size_t i = 0; i < 3; i++) {
            if (open && turn == i * 5)
                pool_rig_lease(f, &leases[i], LONG_MS);
            if (turn == i * 5 + 4 && !op_is_pending(&leases[i].op))
                conn_lease_end(&leases[i], i != 1);
        }
        loop_advance(f->loop.loop, 20);
        loop_turn(f->loop.loop, 1);
    }
}

TEST(cancelled_or_closed_at_every_turn)
{
    for (unsigned round = 0; round < 14 * 4; round++) {
        struct pool_rig f;
        struct conn_lease leases[3] = {0};
        bool close = round % 2 == 1;
        pool_rig_begin(&f, (struct conn_pool_options){.size = 1, .check_after_ms = 10});
        f.by_itself = true;
        f.gone_from_inside = round % 4 >= 2;
        play(&f, leases, round / 4, close);
        for (size_t i = 0; i < 3; i++) {
            if (op_is_pending(&leases[i].op))
                loop_rig_dry(&f.loop);
            conn_lease_end(&leases[i], true);
        }
        if (close) {
            loop_rig_dry(&f.loop);
            EXPECT_INT("closed", f.closed_calls, 1);
        }
        EXPECT_TRUE("each done once", f.loop.done_count <= 3);
        pool_rig_end(&f);
    }
}

TEST(closing_waits_for_the_leased)
{
    struct pool_rig f;
    struct conn_lease held = {0}, waiting = {0}, late = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1});
    f.by_itself = true;
    pool_rig_lease(&f, &held, LONG_MS);
    loop_turn(f.loop.loop, 4);
    pool_rig_lease(&f, &waiting, LONG_MS);
    conn_pool_close(f.pool, pool_rig_on_closed, &f);
    pool_rig_lease(&f, &late, LONG_MS);
    loop_rig_dry(&f.loop);
    EXPECT_INT("the waiter ends", waiting.op.err.code, ERR_CANCELLED);
    EXPECT_INT("a late one, too", late.op.err.code, ERR_CANCELLED);
    EXPECT_INT("not closed yet", f.closed_calls, 0);
    conn_lease_end(&held, true);
    loop_rig_dry(&f.loop);
    pool_rig_end(&f);
}

static void note_dones(void *owner)
{
    struct pool_rig *f = owner;
    f->closed_calls++;
    EXPECT_INT("whoever waited was told before", f->loop.done_count, 2);
}

/* A connection goes in the turn of the close: the pool's task is in the queue before the waiter's
 * end. */
TEST(closed_is_told_after_the_last_done)
{
    struct pool_rig f;
    struct conn_lease held = {0}, waiting = {0};
    pool_rig_begin(&f, (struct conn_pool_options){.size = 1});
    f.by_itself = true;
    pool_rig_lease(&f, &held, LONG_MS);
    loop_turn(f.loop.loop, 4);
    pool_rig_lease(&f, &waiting, LONG_MS);
    f.gone_from_inside = true;
    conn_lease_end(&held, false);
    conn_pool_close(f.pool, note_dones, &f);
    loop_rig_dry(&f.loop);
    EXPECT_INT("the waiter ends", waiting.op.err.code, ERR_CANCELLED);
    op_release(&held.op);
    pool_rig_end(&f);
}

TEST(every_allocation_may_fail)
{
    struct pool_rig f;
    mem_fail_nth(1);
    struct conn_pool *none =
        conn_pool_create(NULL, &pool_rig_kind, NULL, &(struct conn_pool_options){.size = 1});
    mem_fail_nth(0);
    EXPECT_TRUE("no pool", none == NULL);
    pool_rig_begin(&f, (struct conn_pool_options){.size = 2, .retry_ms = 100});
    f.by_itself = true;
    struct conn_lease lease = {0};
    mem_fail_nth(1);
    pool_rig_lease(&f, &lease, LONG_MS);
    mem_fail_nth(0);
    loop_rig_dry(&f.loop);
    EXPECT_INT("no connection", lease.op.err.code, ERR_NO_MEMORY);
    loop_advance(f.loop.loop, 100);
    pool_rig_lease(&f, &lease, LONG_MS);
    loop_rig_dry(&f.loop);
    EXPECT_INT("later", lease.op.err.code, ERR_OK);
    conn_lease_end(&lease, true);
    pool_rig_end(&f);
}

RUN_TESTS(T(opens_what_is_asked_and_keeps_size), T(waiters_are_served_in_order),
          T(one_caller_leaves_a_connection), T(one_caller_holds_its_share_at_most),
          T(one_caller_holds_its_share_however_often_it_asks), T(callers_without_a_name_take_all),
          T(a_caller_who_was_late_has_one_at_a_time), T(a_caller_whose_statements_are_slow_has_few),
          T(nothing_is_opened_for_who_may_have_none), T(a_caller_who_is_late_too_often_waits),
          T(companies_take_turns), T(full_queue_and_late),
          T(deadline_while_opening_and_while_checking), T(only_the_long_idle_are_checked),
          T(old_ones_are_closed), T(failed_opens_back_off),
          T(waiters_outlast_a_failed_open_while_others_are_in_use), T(lost_in_every_state),
          T(taken_for_a_cancel), T(cancelled_or_closed_at_every_turn),
          T(closing_waits_for_the_leased), T(closed_is_told_after_the_last_done),
          T(every_allocation_may_fail))

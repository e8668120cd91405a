/* SPDX-License-Identifier: MIT */
/* core/fair: turns among companies and users, weights, limits, debts; the order foretold is the
 * order that comes; one noisy company changes nothing for the others. */
#include "core/loop/fair.h"

#include <stdio.h>

#include "tests/lib/test.h"

enum { MOST = 4096 };

struct guest {
    struct fair_place place;
    struct identity caller;
};

static struct guest guests[MOST];
static size_t guest_count;

static void open_fair(struct fair *fair, size_t company_limit, size_t user_limit)
{
    memset(guests, 0, sizeof guests);
    guest_count = 0;
    fair_init(fair, company_limit, user_limit);
}

static struct guest *come(struct fair *fair, const char *company, const char *user, unsigned weight)
{
    struct guest *guest = &guests[guest_count++];
    assert_true(guest_count <= MOST);
    guest->caller = (struct identity){.company_id = str_of(company), .user_id = str_of(user)};
    assert_true(fair_wait(fair, &guest->place, &guest->caller, weight));
    return guest;
}

/* "company.user" of who goes, who leaves again at once or stays; "" when nobody may. */
static const char *go(struct fair *fair, bool stays)
{
    static char text[64];
    struct fair_place *place = fair_next(fair);
    text[0] = '\0';
    if (place == NULL)
        return text;
    struct guest *guest = container_of(place, struct guest, place);
    snprintf(text, sizeof text, "%.*s.%.*s", STR_ARG(guest->caller.company_id),
             STR_ARG(guest->caller.user_id));
    fair_enter(fair, place);
    if (!stays)
        fair_leave(fair, place);
    return text;
}

static void expect_order(struct fair *fair, const char *want)
{
    struct str rest = str_of(want);
    while (!str_is_absent(rest)) {
        struct str next = str_split(&rest, ' ');
        EXPECT_STR(want, str_of(go(fair, false)), next);
    }
}

static void close_fair(struct fair *fair)
{
    for (size_t i = 0; i < guest_count; i++) {
        fair_leave(fair, &guests[i].place);
        fair_leave(fair, &guests[i].place);
    }
    EXPECT_INT("waiting", fair_count(fair).waiting, 0);
    EXPECT_INT("inside", fair_count(fair).inside, 0);
    fair_fini(fair);
    fair_fini(fair);
}

static const struct {
    const char *name, *come, *want; /* "company.user" or "company*weight.user" */
} cases[] = {
    {"one", "a.x", "a.x "},
    {"in order of coming", "a.x a.x b.x", "a.x b.x a.x "},
    {"a crowd and one", "a.x a.x a.x a.x b.y", "a.x b.y a.x a.x a.x "},
    {"users of a company", "a.x a.x a.x a.y", "a.x a.y a.x a.x "},
    {"users of one do not count for more", "a.x a.y a.z b.x b.x b.x", "a.x b.x a.y b.x a.z b.x "},
    {"a weight of two", "a*2.x a*2.x a*2.x a*2.x b.x b.x", "a.x b.x a.x b.x a.x a.x "},
    {"no names", ". . b.x", ". b.x . "},
    {"names that run together", "ab.c a.bc ab.c", "ab.c a.bc ab.c "},
};

TEST(turns)
{
    TEST_EACH(c, cases) {
        struct fair fair;
        static char words[16][32];
        struct str rest = str_of(c->come);
        open_fair(&fair, 0, 0);
        for (size_t i = 0; !str_is_absent(rest); i++) {
            struct str user = str_split(&rest, ' ');
            struct str weight = str_split(&user, '.');
            struct str company = str_split(&weight, '*');
            uint64_t number = 1;
            if (!str_is_absent(weight))
                assert_true(str_to_u64(weight, &number));
            snprintf(words[i], sizeof words[i], "%.*s", STR_ARG(company));
            char *name = words[i] + company.len + 1;
            snprintf(name, 8, "%.*s", STR_ARG(user));
            come(&fair, words[i], name, (unsigned)number);
        }
        static struct fair_place *order[16];
        char foretold[256] = "";
        size_t len = 0, count = fair_order(&fair, order, countof(order));
        for (size_t i = 0; i < count; i++) {
            const struct guest *guest = container_of(order[i], struct guest, place);
            len +=
                (size_t)snprintf(foretold + len, sizeof foretold - len, "%.*s.%.*s ",
                                 STR_ARG(guest->caller.company_id), STR_ARG(guest->caller.user_id));
        }
        EXPECT_STR(c->name, str_of(foretold), str_of(c->want));
        expect_order(&fair, c->want);
        EXPECT_INT("foretold", count, guest_count);
        close_fair(&fair);
    }
}

/* The order that is foretold is the order in which they go. */
TEST(foretold)
{
    struct fair fair;
    static struct fair_place *order[MOST];
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    uint32_t random = 7;
    open_fair(&fair, 0, 0);
    for (unsigned i = 0; i < 500; i++) {
        random = random * 1664525 + 1013904223;
        come(&fair, names[(random >> 16) % 3], names[(random >> 20) % 5], 0);
        if (random >> 30 == 0)
            go(&fair, false);
    }
    size_t count = fair_order(&fair, order, MOST);
    EXPECT_INT("all", count, fair_count(&fair).waiting);
    for (size_t i = 0; i < count; i++) {
        struct fair_place *next = fair_next(&fair);
        const struct guest *want = container_of(order[i], struct guest, place);
        const struct guest *got = container_of(next, struct guest, place);
        EXPECT_STR("company", got->caller.company_id, want->caller.company_id);
        EXPECT_STR("user", got->caller.user_id, want->caller.user_id);
        fair_enter(&fair, next);
        fair_leave(&fair, next);
    }
    close_fair(&fair);
}

TEST(limits_hold_up_only_their_own)
{
    struct fair fair;
    open_fair(&fair, 3, 2);
    for (unsigned i = 0; i < 4; i++)
        come(&fair, "a", "x", 0);
    come(&fair, "a", "y", 0);
    come(&fair, "a", "y", 0);
    come(&fair, "b", "x", 0);
    EXPECT_INT("four may go", fair_ready(&fair), 4);
    EXPECT_STR("first", str_of(go(&fair, true)), STR("a.x"));
    EXPECT_STR("other company", str_of(go(&fair, true)), STR("b.x"));
    EXPECT_STR("other user", str_of(go(&fair, true)), STR("a.y"));
    EXPECT_STR("third", str_of(go(&fair, true)), STR("a.x"));
    EXPECT_STR("the company is full", str_of(go(&fair, true)), STR(""));
    EXPECT_INT("none may go", fair_ready(&fair), 0);
    const struct identity a = {.company_id = STR("a"), .user_id = STR("x")};
    EXPECT_INT("inside", fair_count_company(&fair, &a).inside, 3);
    EXPECT_INT("waiting", fair_count_company(&fair, &a).waiting, 3);
    EXPECT_INT("user inside", fair_count_user(&fair, &a).inside, 2);
    fair_leave(&fair, &guests[4].place); /* a.y */
    EXPECT_INT("one more", fair_ready(&fair), 1);
    EXPECT_STR("x is full", str_of(go(&fair, true)), STR("a.y"));
    close_fair(&fair);
}

TEST(who_waited_for_nothing_saved_nothing)
{
    struct fair fair;
    open_fair(&fair, 0, 0);
    for (unsigned i = 0; i < 20; i++) /* b is away while a goes twenty times */
        come(&fair, "a", "x", 0);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_STR("a", str_of(go(&fair, true)), STR("a.x"));
    for (unsigned i = 0; i < 3; i++)
        come(&fair, "b", "x", 0);
    expect_order(&fair, "b.x a.x b.x a.x b.x a.x a.x");
    close_fair(&fair);
}

TEST(who_went_a_lot_pays_even_after_it_left)
{
    struct fair fair;
    open_fair(&fair, 0, 0);
    for (unsigned i = 0; i < 6; i++)
        come(&fair, "b", "x", 0);
    come(&fair, "a", "x", 0);
    expect_order(&fair, "b.x a.x"); /* a has nobody in line now, and owes a turn */
    come(&fair, "a", "x", 0);
    expect_order(&fair, "b.x a.x b.x");
    close_fair(&fair);
}

/* A hundred times as many of one company: the others go in the same rounds as without it. */
TEST(a_noisy_company_moves_the_others_by_a_place_a_round)
{
    static const char *const quiet[] = {"q0", "q1", "q2", "q3"};
    for (unsigned noisy = 0; noisy <= 1; noisy++) {
        struct fair fair;
        unsigned gone = 0;
        open_fair(&fair, 0, 0);
        for (unsigned i = 0; noisy > 0 && i < 400; i++)
            come(&fair, "noisy", "bot", 0);
        for (unsigned i = 0; i < 8; i++)
            come(&fair, quiet[i % 4], "x", 0);
        for (unsigned turn = 1; gone < 8; turn++) {
            gone += go(&fair, false)[0] == 'q';
            EXPECT_TRUE("one place a round", turn <= gone + noisy * (gone / 4 + 1));
        }
        close_fair(&fair);
    }
}

TEST(companies_that_are_gone_are_forgotten)
{
    struct fair fair;
    static char names[MOST][16];
    open_fair(&fair, 0, 0);
    come(&fair, "stays", "x", 0);
    go(&fair, true);
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "c%u", i);
        struct guest *guest = come(&fair, names[i], "x", 0);
        go(&fair, true);
        fair_leave(&fair, &guest->place);
    }
    uint64_t before = mem_alloc_count();
    come(&fair, "stays", "x", 0); /* known still */
    EXPECT_INT("no new groups", mem_alloc_count() - before, 0);
    const struct identity gone = {.company_id = STR("c5"), .user_id = STR("x")};
    EXPECT_INT("gone", fair_count_company(&fair, &gone).inside, 0);
    close_fair(&fair);
}

TEST(no_memory)
{
    bool whole = false;
    for (uint64_t nth = 1; !whole; nth++) {
        struct fair fair;
        struct fair_place place = {0};
        const struct identity caller = {.company_id = STR("a"), .user_id = STR("x")};
        fair_init(&fair, 0, 0);
        mem_fail_nth(nth);
        whole = fair_wait(&fair, &place, &caller, 0);
        mem_fail_nth(0);
        EXPECT_INT("away or waiting", fair_state(&place), whole ? FAIR_WAITING : FAIR_AWAY);
        if (whole)
            fair_leave(&fair, &place);
        fair_fini(&fair);
        EXPECT_TRUE("the sweep ends", nth < 100);
    }
}

RUN_TESTS(T(turns), T(foretold), T(limits_hold_up_only_their_own),
          T(who_waited_for_nothing_saved_nothing), T(who_went_a_lot_pays_even_after_it_left),
          T(a_noisy_company_moves_the_others_by_a_place_a_round),
          T(companies_that_are_gone_are_forgotten), T(no_memory))

/* SPDX-License-Identifier: MIT */
/* backends/resolve: numbers without a lookup, names of this machine, what is no name, cancel at
 * every turn, no memory. Nothing here asks a name server. */
#include "backends/http/resolve.h"

#include "tests/lib/loop_rig.h"

#define LABEL16 "0123456789abcdef"
#define LABEL64 LABEL16 LABEL16 LABEL16 LABEL16

static const struct {
    const char *name, *host;
    enum err_code want;
    const char *address;
} cases[] = {
    {"v4", "127.0.0.1", ERR_OK, "127.0.0.1"},
    {"v4 elsewhere", "192.0.2.7", ERR_OK, "192.0.2.7"},
    {"v6", "::1", ERR_OK, "::1"},
    {"v6 long", "2001:db8:0:0:0:0:0:1", ERR_OK, "2001:db8:0:0:0:0:0:1"},
    {"this machine", "localhost", ERR_OK, NULL},
    {"empty", "", ERR_UNAVAILABLE, NULL},
    {"empty label", "a..b", ERR_UNAVAILABLE, NULL},
    {"label of 64", LABEL64 ".test", ERR_UNAVAILABLE, NULL},
    {"too long", LABEL64 LABEL64 LABEL64 LABEL64, ERR_UNAVAILABLE, NULL},
};

TEST(hosts_and_what_is_none)
{
    struct loop_rig rig;
    loop_rig_init(&rig);
    TEST_EACH(c, cases) {
        struct resolve resolve = {0};
        unsigned before = rig.done_count;
        resolve_start(&resolve, rig.loop, str_of(c->host), loop_rig_waiter(&rig));
        EXPECT_INT("done inside start", rig.done_count, before);
        loop_rig_dry(&rig);
        EXPECT_INT("done", rig.done_count, before + 1);
        if (resolve.op.err.code != c->want)
            fail_msg("%s: %s: %s", c->name, err_name(resolve.op.err.code), resolve.op.err.text);
        EXPECT_TRUE(c->name, (resolve.address_count > 0) == (c->want == ERR_OK));
        if (c->address != NULL)
            EXPECT_STR(c->name, str_of(resolve.addresses[0]), str_of(c->address));
        op_release(&resolve.op);
    }
    struct resolve nul = {0};
    resolve_start(&nul, rig.loop, STR("127.0.0.1\0.evil.test"), loop_rig_waiter(&rig));
    loop_rig_dry(&rig);
    EXPECT_INT("NUL", nul.op.err.code, ERR_UNAVAILABLE);
    loop_rig_fini(&rig);
}

TEST(cancelled_at_every_turn)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "a..b"};
    TEST_EACH(host, hosts) {
        bool ended = false;
        for (unsigned turns = 0; !ended; turns++) {
            struct loop_rig rig;
            struct resolve resolve = {0};
            loop_rig_init(&rig);
            resolve_start(&resolve, rig.loop, str_of(*host), loop_rig_waiter(&rig));
            ended = loop_rig_turn(&rig, turns, 1);
            op_cancel(&resolve.op);
            op_cancel(&resolve.op);
            loop_turn(rig.loop, 2);
            EXPECT_INT("done", rig.done_count, 1); /* without waiting for the lookup */
            loop_rig_fini(&rig);
        }
    }
}

TEST(no_memory)
{
    struct loop_rig rig;
    struct resolve resolve = {0};
    loop_rig_init(&rig);
    mem_fail_nth(1);
    resolve_start(&resolve, rig.loop, STR("localhost"), loop_rig_waiter(&rig));
    mem_fail_nth(0);
    loop_rig_dry(&rig);
    EXPECT_INT("no memory", resolve.op.err.code, ERR_NO_MEMORY);
    loop_rig_fini(&rig);
}

RUN_TESTS(T(hosts_and_what_is_none), T(cancelled_at_every_turn), T(no_memory))

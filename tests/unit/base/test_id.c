/* SPDX-License-Identifier: MIT */
/* Shape, the worker in a run id, no repeats. */
#include "tests/lib/test.h"

#include "core/base/id.h"

TEST(run_ids_name_their_worker)
{
    for (unsigned worker = 0; worker < 256; worker++) {
        struct id id = id_run(worker);
        unsigned got = 999;
        EXPECT_INT("length", strlen(id.text), ID_RUN_BYTES);
        struct id later = id_run(worker);
        EXPECT_TRUE("in order of time", memcmp(id.text, later.text, 4 + 2 + 10) <= 0);
        EXPECT_TRUE("not the same", strcmp(id.text, later.text) != 0);
        EXPECT_TRUE("is one", id_run_worker(str_of(id.text), &got));
        EXPECT_INT("worker", got, worker);
    }
}

TEST(what_is_no_run_id)
{
    static const char *const cases[] = {
        "",
        "run_",
        "run_0123456789abcdef012345678",
        "run_0123456789abcdef0123456789a",
        "run_0123456789abcdef01234567zz",
        "run_0123456789abcdef0123456789abcdef0",
        "run_0123456789abcdef0123456789abcdef012",
        "run_0123456789abcdef0123456789abcdefzz",
        "run_0123456789ABCDEF0123456789abcdef01",
        "RUN_0123456789abcdef0123456789abcdef01",
        "run_0123456789abcdef0123456789abcdef0\n",
    };
    unsigned worker;
    TEST_EACH(c, cases)
        EXPECT_TRUE(*c, !id_run_worker(str_of(*c), &worker));
    EXPECT_TRUE("this is one",
                id_run_worker(STR("run_0123456789abcdef0123456789abcdef01"), &worker));
    EXPECT_INT("worker", worker, 1);
    EXPECT_TRUE("as is one of before",
                id_run_worker(STR("run_0223456789abcdef0123456789"), &worker));
    EXPECT_INT("worker", worker, 2);
}

TEST(random_ones_differ)
{
    struct id ids[64];
    TEST_EACH(id, ids) {
        *id = id_random();
        EXPECT_INT("length", strspn(id->text, "0123456789abcdef"), ID_HEX_BYTES);
        for (const struct id *other = ids; other < id; other++)
            EXPECT_TRUE("differ", strcmp(id->text, other->text) != 0);
    }
    EXPECT_TRUE("numbers differ", id_random_u64() != id_random_u64());
}

RUN_TESTS(T(run_ids_name_their_worker), T(what_is_no_run_id), T(random_ones_differ))

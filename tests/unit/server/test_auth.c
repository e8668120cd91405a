/* SPDX-License-Identifier: MIT */
#include "server/auth.h"
#include "tests/lib/test.h"

static const struct {
    const char *name, *keys, *header;
    bool loopback;
    enum err_code want;
} cases[] = {
    {"no keys, here", "", NULL, true, ERR_OK},
    {"no keys, from afar", "", "Bearer x", false, ERR_DENIED},
    {"only commas are no keys", " , ,", NULL, false, ERR_DENIED},
    {"no header", "one", NULL, true, ERR_REJECTED},
    {"another scheme", "one", "Basic one", true, ERR_REJECTED},
    {"scheme alone", "one", "Bearer", true, ERR_REJECTED},
    {"empty token", "one", "Bearer ", true, ERR_REJECTED},
    {"right", "one", "Bearer one", false, ERR_OK},
    {"scheme in any case", "one", "bearer one", false, ERR_OK},
    {"the second of several", "one, two ,three", "Bearer two", false, ERR_OK},
    {"shorter", "one", "Bearer on", false, ERR_REJECTED},
    {"longer", "one", "Bearer onee", false, ERR_REJECTED},
    {"repeated", "one", "Bearer oneone", false, ERR_REJECTED},
    {"two at once", "one,two", "Bearer one,two", false, ERR_REJECTED},
};

TEST(who_may_enter)
{
    TEST_EACH(c, cases) {
        struct auth *auth = auth_create(c->keys);
        struct err err = {0};
        assert_non_null(auth);
        EXPECT_INT(c->name, auth_check(auth, str_of(c->header), c->loopback, &err), c->want);
        EXPECT_TRUE(c->name, str_find(str_of(err.text), STR("onee")) == STR_NONE);
        auth_destroy(auth);
    }
}

RUN_TESTS(T(who_may_enter))

/* SPDX-License-Identifier: MIT */
#include "server/http/auth.h"
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
        const struct auth_caller caller = {.authorization = str_of(c->header),
                                           .is_loopback = c->loopback};
        EXPECT_INT(c->name, auth_check(auth, &caller, &err), c->want);
        EXPECT_TRUE(c->name, str_find(str_of(err.text), STR("onee")) == STR_NONE);
        auth_destroy(auth);
    }
}

/* Pages in a browser on this machine, while it alone is trusted. */
TEST(which_pages_may)
{
    static const struct {
        const char *name, *host, *origin;
        enum err_code want;
    } pages[] = {
        {"no browser, HTTP/1.0", NULL, NULL, ERR_OK},
        {"no browser", "127.0.0.1:8080", NULL, ERR_OK},
        {"IPv6", "[::1]:8080", NULL, ERR_OK},
        {"a name of this machine", "localhost:8080", NULL, ERR_OK},
        {"in capitals, no port", "LOCALHOST", NULL, ERR_OK},
        {"our own page", "127.0.0.1:8080", "http://127.0.0.1:8080", ERR_OK},
        {"our own page behind TLS", "localhost", "https://localhost", ERR_OK},
        {"another site's page", "127.0.0.1:8080", "https://example.com", ERR_DENIED},
        {"another port's page", "127.0.0.1:8080", "http://127.0.0.1:3000", ERR_DENIED},
        {"a sandboxed page", "127.0.0.1:8080", "null", ERR_DENIED},
        {"nothing", "127.0.0.1:8080", "", ERR_DENIED},
        {"longer than ours", "127.0.0.1:80", "http://127.0.0.1:8080", ERR_DENIED},
        {"another name for this address", "example.com:8080", NULL, ERR_DENIED},
        {"and its page", "example.com:8080", "http://example.com:8080", ERR_DENIED},
        {"a name like an address", "127.0.0.1.example.com", NULL, ERR_DENIED},
        {"a name like localhost", "localhost.example.com", NULL, ERR_DENIED},
        {"a name within a network", "askd:8080", NULL, ERR_OK},
        {"no name", ":8080", NULL, ERR_OK},
    };
    static const char *const keys[] = {"", "one"};
    TEST_EACH(page, pages)
        for (size_t i = 0; i < countof(keys); i++) {
            struct auth *auth = auth_create(keys[i]);
            struct err err = {0};
            const struct auth_caller caller = {.authorization = STR("Bearer one"),
                                               .host = str_of(page->host),
                                               .origin = str_of(page->origin),
                                               .is_loopback = true};
            EXPECT_INT(page->name, auth_check(auth, &caller, &err), i == 0 ? page->want : ERR_OK);
            auth_destroy(auth);
        }
}

RUN_TESTS(T(who_may_enter), T(which_pages_may))

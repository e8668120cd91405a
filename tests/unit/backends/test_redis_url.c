/* SPDX-License-Identifier: MIT */
/* backends/redis_url: parts, defaults, and what is refused without showing a password. */
#include "backends/redis/redis_url.h"

#include "tests/lib/test.h"

static const struct {
    const char *text, *host, *user, *password; /* NULL: absent */
    unsigned port, database;
} good[] = {
    {"redis://localhost", "localhost", NULL, NULL, 6379, 0},
    {"redis://localhost/", "localhost", NULL, NULL, 6379, 0},
    {"redis://10.0.0.1:7000/3", "10.0.0.1", NULL, NULL, 7000, 3},
    {"redis://:secret@h:1/15", "h", NULL, "secret", 1, 15},
    {"redis://app:s%40c%3Aret@h", "h", "app", "s@c:ret", 6379, 0},
    {"redis://app:a@b:c@h", "h", "app", "a@b:c", 6379, 0},
    {"redis://[::1]:6380/1", "::1", NULL, NULL, 6380, 1},
    {"redis://[fe80::1]", "fe80::1", NULL, NULL, 6379, 0},
};

static void expect_part(const char *name, struct str got, const char *want)
{
    EXPECT_TRUE(name, str_is_absent(got) == (want == NULL));
    EXPECT_STR(name, got, str_of(want));
}

TEST(parts_of_urls)
{
    TEST_EACH(c, good) {
        struct redis_url url;
        struct err err = {0};
        EXPECT_INT(c->text, redis_url_parse(&url, str_of(c->text), &err), ERR_OK);
        expect_part(c->text, url.host, c->host);
        expect_part(c->text, url.user, c->user);
        expect_part(c->text, url.password, c->password);
        EXPECT_INT(c->text, url.port, c->port);
        EXPECT_INT(c->text, url.database, c->database);
        redis_url_fini(&url);
        redis_url_fini(&url);
    }
}

TEST(refused_urls)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "begins with redis://"},
        {"http://h", "begins with redis://"},
        {"rediss://h", "TLS"},
        {"redis://", "no host"},
        {"redis://:6379", "no host"},
        {"redis://h:0", "port"},
        {"redis://h:65536", "port"},
        {"redis://h:x", "port"},
        {"redis://h/one", "database"},
        {"redis://h/-1", "database"},
        {"redis://h/99999", "database"},
        {"redis://h/1/2", "database"},
        {"redis://user@h", "password"},
        {"redis://:@h", "password"},
        {"redis://:top%ZZsecret@h", "password"},
        {"redis://[::1", "']'"},
        {"redis://[::1]x", "':'"},
        {"redis://h?ssl=1", "parameters"},
    };
    TEST_EACH(c, bad) {
        struct redis_url url;
        struct err err = {0};
        EXPECT_INT(c->text, redis_url_parse(&url, str_of(c->text), &err), ERR_INVALID);
        if (str_find(str_of(err.text), str_of(c->says)) == STR_NONE)
            fail_msg("%s: '%s' does not say '%s'", c->text, err.text, c->says);
        EXPECT_TRUE(c->text, str_find(str_of(err.text), STR("secret")) == STR_NONE);
        redis_url_fini(&url);
    }
}

TEST(no_memory_for_a_url)
{
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t nth = 1; code != ERR_OK; nth++) {
        struct redis_url url;
        mem_fail_nth(nth);
        code = redis_url_parse(&url, STR("redis://us%20er:p%20w@h:1/2"), NULL);
        mem_fail_nth(0);
        EXPECT_TRUE("code", code == ERR_OK || code == ERR_NO_MEMORY);
        redis_url_fini(&url);
    }
}

RUN_TESTS(T(parts_of_urls), T(refused_urls), T(no_memory_for_a_url))

/* SPDX-License-Identifier: MIT */
/* backends/http/http_direct_url: addresses, and what is none. */
#include "backends/http/http_direct_url.h"

#include "tests/lib/test.h"

static const struct {
    const char *url, *authority, *host, *target; /* host NULL: refused */
    unsigned port;
} urls[] = {
    {"http://a/b?c", "a", "a", "/b?c", 80},
    {"HTTP://a-b.c_d:8000", "a-b.c_d:8000", "a-b.c_d", "", 8000},
    {"http://127.0.0.1:65535?x", "127.0.0.1:65535", "127.0.0.1", "?x", 65535},
    {"http://[::1]:80/", "[::1]:80", "::1", "/", 80},
    {"http://[fe80::1]", "[fe80::1]", "fe80::1", "", 80},
    {"https://a/", NULL, NULL, NULL, 0},
    {"file:///etc", NULL, NULL, NULL, 0},
    {"http:/a", NULL, NULL, NULL, 0},
    {"http://", NULL, NULL, NULL, 0},
    {"http:///x", NULL, NULL, NULL, 0},
    {"http://[bad", NULL, NULL, NULL, 0},
    {"http://[::1]x", NULL, NULL, NULL, 0},
    {"http://u:p@a/", NULL, NULL, NULL, 0},
    {"http://u@a/", NULL, NULL, NULL, 0},
    {"http://a:0/", NULL, NULL, NULL, 0},
    {"http://a:65536/", NULL, NULL, NULL, 0},
    {"http://a:/", NULL, NULL, NULL, 0},
    {"http://a:8x/", NULL, NULL, NULL, 0},
    {"http://a b/", NULL, NULL, NULL, 0},
    {"http://a%20b/", NULL, NULL, NULL, 0},
    {"http://a/b c", NULL, NULL, NULL, 0},
    {"http://a/b\r\nX: y", NULL, NULL, NULL, 0},
    {"http://a/b#c", NULL, NULL, NULL, 0},
    {"", NULL, NULL, NULL, 0},
};

TEST(addresses)
{
    TEST_EACH(c, urls) {
        struct http_direct_url parts;
        bool is_read = http_direct_url_read(c->url, &parts);
        EXPECT_INT(c->url, is_read, c->host != NULL);
        if (!is_read)
            continue;
        EXPECT_STR(c->url, parts.authority, str_of(c->authority));
        EXPECT_STR(c->url, parts.host, str_of(c->host));
        EXPECT_STR(c->url, parts.target, str_of(c->target));
        EXPECT_INT(c->url, parts.port, c->port);
    }
}

RUN_TESTS(T(addresses))

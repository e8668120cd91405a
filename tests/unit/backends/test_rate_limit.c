/* SPDX-License-Identifier: MIT */
/* backends/rate_limit: the headers of several providers. */
#include "backends/http/rate_limit.h"

#include <stdio.h>

#include "tests/lib/test.h"

/* Sat, 21 Nov 2026 10:00:00 GMT */
static const uint64_t now_ms = UINT64_C(1795255200000);

static const struct {
    const char *name, *headers[4][2];
    uint64_t want_ms;
} cases[] = {
    {"nothing", {{"content-type", "x"}}, 0},
    {"something remains",
     {{"x-ratelimit-remaining-requests", "1"}, {"x-ratelimit-reset-requests", "1s"}},
     0},
    {"OpenAI",
     {{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "6m0s"}},
     360000},
    {"in any order and case",
     {{"X-RateLimit-Reset-Tokens", "20ms"}, {"X-RateLimit-Remaining-Tokens", "0"}},
     20},
    {"the longest counts",
     {{"x-ratelimit-remaining-requests", "0"},
      {"x-ratelimit-reset-requests", "1s"},
      {"x-ratelimit-remaining-tokens", "0"},
      {"x-ratelimit-reset-tokens", "1m2.5s"}},
     62500},
    {"kinds are apart",
     {{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-tokens", "1s"}},
     0},
    {"Anthropic",
     {{"anthropic-ratelimit-tokens-remaining", "0"},
      {"anthropic-ratelimit-tokens-reset", "2026-11-21T10:00:07Z"}},
     7000},
    {"OpenRouter, the date in ms",
     {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1795255203000"}},
     3000},
    {"a date in seconds",
     {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1795255204"}},
     4000},
    {"seconds", {{"ratelimit-remaining", "0"}, {"ratelimit-reset", "9.5"}}, 9500},
    {"a date that is over",
     {{"ratelimit-remaining", "0"}, {"ratelimit-reset", "2020-01-01T00:00:00Z"}},
     0},
    {"nonsense", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "soon"}}, 0},
    {"more nonsense", {{"x-ratelimit-remaining", "none"}, {"x-ratelimit-reset", "5x"}}, 0},
    {"a day at most", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "99d"}}, 86400000},
};

TEST(pauses)
{
    TEST_EACH(c, cases) {
        struct rate_limit limit = {0};
        for (size_t i = 0; i < countof(c->headers) && c->headers[i][0] != NULL; i++)
            rate_limit_hear(&limit, str_of(c->headers[i][0]), str_of(c->headers[i][1]), now_ms);
        EXPECT_INT(c->name, rate_limit_pause_ms(&limit), c->want_ms);
    }
}

TEST(many_kinds_are_bounded)
{
    struct rate_limit limit = {0};
    for (unsigned i = 0; i < 50; i++) {
        char name[64];
        snprintf(name, sizeof name, "x-ratelimit-remaining-%u", i);
        rate_limit_hear(&limit, str_of(name), STR("0"), now_ms);
        snprintf(name, sizeof name, "x-ratelimit-reset-%u", i);
        rate_limit_hear(&limit, str_of(name), STR("1s"), now_ms);
    }
    EXPECT_INT("heard", rate_limit_pause_ms(&limit), 1000);
    EXPECT_INT("bounded", limit.count, RATE_LIMIT_KINDS);
}

RUN_TESTS(T(pauses), T(many_kinds_are_bounded))

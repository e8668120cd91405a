/* SPDX-License-Identifier: MIT */
#include "server/observe/seen.h"
#include "tests/lib/test.h"

static const struct {
    enum seen_backend backend;
    enum err_code code;
    bool answers, fails;
} ends[] = {
    {SEEN_MODEL, ERR_OK, true, false},
    {SEEN_MODEL, ERR_REJECTED, false, true},
    {SEEN_MODEL, ERR_DENIED, false, true},
    {SEEN_MODEL, ERR_CANCELLED, false, false},
    {SEEN_DATABASE, ERR_REJECTED, true, false},
    {SEEN_DATABASE, ERR_TIMEOUT, false, true},
    {SEEN_CONVERSATIONS, ERR_CONFLICT, true, false},
    {SEEN_VECTORS, ERR_INVALID, false, true},
};

TEST(how_calls_ended)
{
    for (size_t i = 0; i < countof(ends); i++) {
        struct seen seen = {0};
        seen_note(&seen, ends[i].backend, 7, ends[i].code);
        struct seen_ends got = seen_look(&seen, ends[i].backend);
        EXPECT_INT("answered", got.answered_ms, ends[i].answers ? 7 : 0);
        EXPECT_INT("failed", got.failed_ms, ends[i].fails ? 7 : 0);
        if (ends[i].fails)
            EXPECT_INT("failure", got.failure, ends[i].code);
    }
}

TEST(both_times_are_kept)
{
    struct seen seen = {0};
    seen_note(&seen, SEEN_KEYWORDS, 1, ERR_OK);
    seen_note(&seen, SEEN_KEYWORDS, 2, ERR_UNAVAILABLE);
    seen_note(&seen, SEEN_KEYWORDS, 3, ERR_OK);
    struct seen_ends got = seen_look(&seen, SEEN_KEYWORDS);
    EXPECT_INT("answered", got.answered_ms, 3);
    EXPECT_INT("failed", got.failed_ms, 2);
    EXPECT_INT("failure", got.failure, ERR_UNAVAILABLE);
    EXPECT_INT("another", seen_look(&seen, SEEN_MODEL).answered_ms, 0);
}

RUN_TESTS(T(how_calls_ended), T(both_times_are_kept))

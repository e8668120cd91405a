/* SPDX-License-Identifier: MIT */
/* A breaker through its states, by calls that end one way or another at given times. */
#include "tests/lib/test.h"

#include "core/loop/breaker.h"

enum { OPEN_MS = 1000 };

struct step {
    uint64_t at_ms;
    enum { ADMITS, REFUSES, PROBES, ENDS, PROBE_ENDS } what;
    enum err_code code; /* of ENDS and PROBE_ENDS */
    enum breaker_state then;
};

static const struct {
    const char *name;
    unsigned most;
    struct step steps[10];
} cases[] = {
    {"opens after so many in a row, and probes",
     2,
     {{0, ADMITS, 0, BREAKER_CLOSED},
      {0, ENDS, ERR_UNAVAILABLE, BREAKER_CLOSED},
      {5, ENDS, ERR_TIMEOUT, BREAKER_OPEN},
      {1004, REFUSES, 0, BREAKER_OPEN},
      {1005, PROBES, 0, BREAKER_PROBING},
      {1005, REFUSES, 0, BREAKER_PROBING},
      {1006, PROBE_ENDS, ERR_UNAVAILABLE, BREAKER_OPEN},
      {2006, PROBES, 0, BREAKER_PROBING},
      {2007, PROBE_ENDS, ERR_OK, BREAKER_CLOSED},
      {2007, ADMITS, 0, BREAKER_CLOSED}}},
    {"what is no weather begins the count again",
     2,
     {{0, ENDS, ERR_UNAVAILABLE, BREAKER_CLOSED},
      {0, ENDS, ERR_REJECTED, BREAKER_CLOSED},
      {0, ENDS, ERR_UNAVAILABLE, BREAKER_CLOSED},
      {0, ADMITS, 0, BREAKER_CLOSED}}},
    {"a cancelled probe says nothing, the next call probes",
     1,
     {{0, ENDS, ERR_UNAVAILABLE, BREAKER_OPEN},
      {1000, PROBES, 0, BREAKER_PROBING},
      {1001, PROBE_ENDS, ERR_CANCELLED, BREAKER_OPEN},
      {1001, PROBES, 0, BREAKER_PROBING}}},
    {"a cancelled call says nothing",
     1,
     {{0, ENDS, ERR_CANCELLED, BREAKER_CLOSED}, {0, ADMITS, 0, BREAKER_CLOSED}}},
    {"late ends of calls from before change nothing while it is open",
     1,
     {{0, ENDS, ERR_UNAVAILABLE, BREAKER_OPEN},
      {500, ENDS, ERR_UNAVAILABLE, BREAKER_OPEN},
      {1000, PROBES, 0, BREAKER_PROBING}}},
    {"none never opens",
     0,
     {{0, ENDS, ERR_UNAVAILABLE, BREAKER_CLOSED}, {0, ADMITS, 0, BREAKER_CLOSED}}},
};

TEST(moves)
{
    TEST_EACH(c, cases) {
        struct breaker breaker = {.most_failures = c->most, .open_ms = OPEN_MS};
        for (size_t i = 0; i < countof(c->steps); i++) {
            const struct step *step = &c->steps[i];
            bool is_probe = false;
            if (step->what <= PROBES) {
                bool admits = breaker_admits(&breaker, step->at_ms, &is_probe);
                EXPECT_INT(c->name, admits, step->what != REFUSES);
                EXPECT_INT(c->name, is_probe, step->what == PROBES);
            } else {
                breaker_tell(&breaker, step->at_ms, step->code, step->what == PROBE_ENDS);
            }
            EXPECT_INT(c->name, breaker.state, step->then);
            if (i + 1 < countof(c->steps) && c->steps[i + 1].at_ms < step->at_ms)
                break; /* the rest is zero */
        }
    }
}

RUN_TESTS(T(moves))

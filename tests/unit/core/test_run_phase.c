/* SPDX-License-Identifier: MIT */
/* The life of a run has these moves and no others. */
#include "tests/lib/test.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/run/run_phase.h"

static const bool may_move[RUN_PHASES][RUN_PHASES] = {
    [RUN_CREATED] = {[RUN_ACTIVE] = true},
    [RUN_ACTIVE] = {[RUN_ENDING] = true, [RUN_ANSWERED] = true},
    [RUN_ENDING] = {[RUN_ANSWERED] = true},
    [RUN_ANSWERED] = {[RUN_ENDED] = true},
};

/* Whether a child process that moves from one phase to another lives. */
static bool lives(enum run_phase phase, enum run_phase next)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        run_phase_move(&phase, next);
        _exit(phase == next ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(moves)
{
    for (unsigned from = 0; from < RUN_PHASES; from++)
        for (unsigned to = 0; to < RUN_PHASES; to++) {
            char name[32];
            snprintf(name, sizeof name, "from %u to %u", from, to);
            EXPECT_INT(name, lives((enum run_phase)from, (enum run_phase)to), may_move[from][to]);
        }
}

TEST(what_is_over)
{
    EXPECT_TRUE("not yet", !run_phase_is_over(RUN_ENDING));
    EXPECT_TRUE("said", run_phase_is_over(RUN_ANSWERED));
    EXPECT_TRUE("ended", run_phase_is_over(RUN_ENDED));
}

RUN_TESTS(T(moves), T(what_is_over))

/* SPDX-License-Identifier: MIT */
/* What a confined process can no longer do; tried by a child, told by its exit status. */
#include "tests/lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/extract/confine.h"

static const struct confine_limits limits = {.address_bytes = UINT64_C(1) << 30, .cpu_seconds = 1};

typedef bool trial_fn(void); /* in a confined child: whether it is as it should be */

static bool has_no_sockets(void)
{
    int pair[2];
    return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM &&
           socket(AF_UNIX, SOCK_STREAM, 0) < 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0;
}

static bool has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static bool reads_programs_only(void)
{
    if (!has_landlock())
        return true;
    int program = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
    return program >= 0 && open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 &&
           open(".", O_RDONLY | O_CLOEXEC) < 0;
}

static bool writes_no_file(void)
{
    int fd = open("confined.tmp", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 || !has_landlock();
}

static bool is_limited(void)
{
    struct rlimit cpu, size;
    return getrlimit(RLIMIT_CPU, &cpu) == 0 && cpu.rlim_max == limits.cpu_seconds &&
           getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_max == 0;
}

static bool ends_when_it_is_busy(void)
{
    for (volatile unsigned i = 0; i < UINT_MAX; i++)
        i -= 1; /* for ever */
    return false;
}

static int run_confined(trial_fn *trial)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        confine_process(&limits);
        _exit(trial() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_rights(void **state)
{
    static const struct {
        const char *name;
        trial_fn *trial;
    } trials[] = {
        {"sockets", has_no_sockets},
        {"reading", reads_programs_only},
        {"writing", writes_no_file},
        {"limits", is_limited},
    };
    (void)state;
    for (size_t i = 0; i < countof(trials); i++) {
        int status = run_confined(trials[i].trial);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("%s: status %d", trials[i].name, status);
    }
}

static void test_processor_time(void **state)
{
    (void)state;
    assert_true(WIFSIGNALED(run_confined(ends_when_it_is_busy)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_processor_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

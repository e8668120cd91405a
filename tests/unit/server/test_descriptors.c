/* SPDX-License-Identifier: MIT */
/* The limit is raised as far as needed; what does not fit is told, and lowered. */
#include "tests/lib/test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/process/descriptors.h"

static void set_limit(rlim_t soft, rlim_t hard)
{
    const struct rlimit files = {.rlim_cur = soft, .rlim_max = hard};
    EXPECT_INT("set", setrlimit(RLIMIT_NOFILE, &files), 0);
}

static rlim_t soft_limit(void)
{
    struct rlimit files = {0};
    EXPECT_INT("get", getrlimit(RLIMIT_NOFILE, &files), 0);
    return files.rlim_cur;
}

/* What fitting config for so many connections said, in line. */
static void fit(struct config *config, uint64_t connections, char *line, size_t size)
{
    int ends[2];
    EXPECT_INT("pipe", pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    const struct log log = {.level = LOG_INFO, .fd = ends[1]};
    config->max_connections = connections;
    config->workers = 2;
    descriptors_fit(config, &log);
    ssize_t got = read(ends[0], line, size - 1);
    line[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    close(ends[1]);
}

/* The hard limit can only be lowered, so the parts stand in one test. */
TEST(connections_have_two_descriptors_each)
{
    static struct config config;
    char line[1024];
    set_limit(256, 1024);
    fit(&config, 20, line, sizeof line);
    EXPECT_TRUE("enough: stays", config.max_connections == 20 && soft_limit() == 256);
    EXPECT_STR("and is not told", str_of(line), STR(""));
    fit(&config, 300, line, sizeof line);
    EXPECT_INT("raised as far as needed", soft_limit(), 64 + 2 * 64 + 2 * 300);
    EXPECT_INT("none lost", config.max_connections, 300);
    EXPECT_STR("not told either", str_of(line), STR(""));
    fit(&config, 16384, line, sizeof line);
    EXPECT_INT("raised to the hard limit", soft_limit(), 1024);
    EXPECT_INT("what fits", config.max_connections, (1024 - 64 - 2 * 64) / 2);
    EXPECT_TRUE("told", strstr(line, "server.descriptors limit=1024 connections=416"
                                     " configured=16384") != NULL);
    set_limit(100, 100);
    fit(&config, 16384, line, sizeof line);
    EXPECT_INT("at least one", config.max_connections, 1);
}

RUN_TESTS(T(connections_have_two_descriptors_each))

/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/mock_process.h - mockllm as a child for the length of a test. */
#ifndef TESTS_UNIT_BACKENDS_MOCK_PROCESS_H
#define TESTS_UNIT_BACKENDS_MOCK_PROCESS_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/test.h"

struct mock_process {
    pid_t pid;
    char base_url[64]; /* "http://127.0.0.1:PORT/v1" */
};

/* rate: tokens a second, "0" as fast as it goes. script: the path of one; NULL: none. */
static inline void mock_process_start_scripted(struct mock_process *mock, const char *rate,
                                               const char *script)
{
    int out[2];
    assert_int_equal(pipe(out), 0);
    mock->pid = fork();
    assert_true(mock->pid >= 0);
    if (mock->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(out[1], STDOUT_FILENO);
        execl(MOCKLLM_PATH, "mockllm", "--rate", rate, "--tokens", "6",
              script == NULL ? (char *)NULL : "--script", script, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *lines = fdopen(out[0], "r");
    char line[128] = "";
    assert_non_null(fgets(line, sizeof line, lines));
    struct str address = str_trim(str_of(line));
    assert_true(str_starts_with(address, STR("listening ")));
    address = str_from(address, STR("listening ").len);
    snprintf(mock->base_url, sizeof mock->base_url, "http://%.*s/v1", STR_ARG(address));
    fclose(lines);
}

static inline void mock_process_start(struct mock_process *mock, const char *rate)
{
    mock_process_start_scripted(mock, rate, NULL);
}

static inline void mock_process_stop(struct mock_process *mock)
{
    kill(mock->pid, SIGKILL);
    waitpid(mock->pid, NULL, 0);
}

#endif

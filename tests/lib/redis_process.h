/* SPDX-License-Identifier: MIT */
/* tests/lib/redis_process.h - a redis-server of a test's own, empty, on loopback.
 *
 * It starts in hundredths of a second, so a test that stops, stalls or restarts one has its own. It
 * keeps nothing on disk and ends with the test. Blocking. */
#ifndef TESTS_LIB_REDIS_PROCESS_H
#define TESTS_LIB_REDIS_PROCESS_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/test.h"

enum { REDIS_PROCESS_TRIES = 20, REDIS_PROCESS_WAITS = 6000 };

struct redis_process {
    pid_t pid;
    unsigned port;
    char url[64]; /* "redis://127.0.0.1:PORT/0" */
};

/* A port below the ephemeral range that nobody listens on; another may take it before us. */
static inline unsigned redis_process_free_port(unsigned from)
{
    for (unsigned port = from; port < 32000; port++) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        int status = bind(fd, (const struct sockaddr *)&address, sizeof address);
        close(fd);
        if (status == 0)
            return port;
    }
    fail_msg("no free port");
    return 0;
}

/* Whether the server on its port says that it is this process. */
static inline bool redis_process_answers(const struct redis_process *redis, int fd)
{
    char answer[4096], wanted[32];
    size_t len = 0;
    snprintf(wanted, sizeof wanted, "process_id:%d\r", (int)redis->pid);
    if (write(fd, "INFO server\r\n", 13) != 13)
        return false;
    while (len < sizeof answer - 1) {
        ssize_t count = read(fd, answer + len, sizeof answer - 1 - len);
        if (count <= 0)
            return false;
        len += (size_t)count;
        answer[len] = '\0';
        if (strstr(answer, wanted) != NULL)
            return true;
        if (strstr(answer, "io_threads_active:") != NULL) /* near the end */
            return false;
    }
    return false;
}

/* Whether it is up; waits until it is or has ended, perhaps since another has its port. */
static inline bool redis_process_is_up(struct redis_process *redis)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)redis->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (unsigned wait = 0; wait < REDIS_PROCESS_WAITS; wait++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        bool is_up = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                     redis_process_answers(redis, fd);
        close(fd);
        if (is_up)
            return true;
        if (waitpid(redis->pid, NULL, WNOHANG) == redis->pid)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

/* Start it on redis->port. False: it ended, perhaps since the port is taken. */
static inline bool redis_process_launch(struct redis_process *redis)
{
    char port[16];
    snprintf(port, sizeof port, "%u", redis->port);
    redis->pid = fork();
    assert_true(redis->pid >= 0);
    if (redis->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDOUT_FILENO);
        execlp("redis-server", "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
               "--appendonly", "no", "--maxclients", "200", (char *)NULL);
        _exit(127);
    }
    return redis_process_is_up(redis);
}

static inline void redis_process_start(struct redis_process *redis)
{
    unsigned from = 20000 + (unsigned)getpid() * 61 % 10000;
    for (unsigned try = 0; try < REDIS_PROCESS_TRIES; try++) {
        redis->port = redis_process_free_port(from + try * 7);
        snprintf(redis->url, sizeof redis->url, "redis://127.0.0.1:%u/0", redis->port);
        if (redis_process_launch(redis))
            return;
    }
    fail_msg("redis-server does not start");
}

/* End it as a crash does. */
static inline void redis_process_stop(struct redis_process *redis)
{
    kill(redis->pid, SIGKILL);
    waitpid(redis->pid, NULL, 0);
}

/* Start it again on its port, empty. */
static inline void redis_process_again(struct redis_process *redis)
{
    for (unsigned try = 0; try < REDIS_PROCESS_TRIES; try++)
        if (redis_process_launch(redis))
            return;
    fail_msg("redis-server does not start again");
}

#endif

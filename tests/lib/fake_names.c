/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_names.c - getaddrinfo and connect, which the dynamic linker finds here first.
 *
 * An answer is made of the C library's own answers for its numbers, linked into one list, so that
 * its freeaddrinfo frees it. */
#include "tests/lib/fake_names.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

typedef int getaddrinfo_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);
typedef int connect_fn(int, const struct sockaddr *, socklen_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *fake_name;
static const char *const *fake_answers;
static size_t answer_count;
static struct fake_names_seen seen;

void fake_names_set(const char *name, const char *const *answers, size_t count)
{
    pthread_mutex_lock(&lock);
    fake_name = name;
    fake_answers = answers;
    answer_count = count;
    seen = (struct fake_names_seen){0};
    pthread_mutex_unlock(&lock);
}

struct fake_names_seen fake_names_seen(void)
{
    pthread_mutex_lock(&lock);
    struct fake_names_seen now = seen;
    pthread_mutex_unlock(&lock);
    return now;
}

/* NULL: not the name that was set. */
static const char *next_answer(const char *name)
{
    const char *answer = NULL;
    pthread_mutex_lock(&lock);
    if (name != NULL && fake_name != NULL && strcmp(name, fake_name) == 0) {
        answer = fake_answers[seen.lookups < answer_count ? seen.lookups : answer_count - 1];
        seen.lookups++;
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    getaddrinfo_fn *real;
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    const char *answer = next_answer(name);
    if (answer == NULL)
        return real(name, service, hints, found);
    *found = NULL;
    int code = EAI_NONAME;
    while (*answer != '\0') {
        char number[64];
        size_t len = strcspn(answer, " ");
        snprintf(number, sizeof number, "%.*s", (int)len, answer);
        answer += len + strspn(answer + len, " ");
        if (real(number, service, hints, found) != 0)
            continue; /* of a family that was not asked for */
        code = 0;
        while (*found != NULL)
            found = &(*found)->ai_next;
    }
    return code;
}

static bool is_inside(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof in);
        return IN6_IS_ADDR_LOOPBACK(&in.sin6_addr) || IN6_IS_ADDR_V4MAPPED(&in.sin6_addr);
    }
    return true; /* a socket of this machine's files */
}

int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
    connect_fn *real;
    *(void **)&real = dlsym(RTLD_NEXT, "connect");
    bool inside = is_inside(address);
    pthread_mutex_lock(&lock);
    if (inside)
        seen.inside++;
    else
        seen.outside++;
    pthread_mutex_unlock(&lock);
    if (inside)
        return real(fd, address, bytes);
    errno = ENETUNREACH;
    return -1;
}

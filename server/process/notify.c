/* SPDX-License-Identifier: MIT */
/* server/process/notify.c - a datagram to NOTIFY_SOCKET.
 *
 * Happy path: a socket is made, the message sent, the socket closed; a few times in a process's
 * life and twice in a watchdog's period. Failure: dropped, since a daemon works without its
 * manager. */
#include "server/process/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 128 };

/* Read the address of the socket: a path, or an abstract name behind '@'. False: neither, or too
 * long. */
static bool read_address(const char *name, struct sockaddr_un *address, socklen_t *size)
{
    size_t length = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || length >= sizeof address->sun_path)
        return false;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, name, length);
    if (name[0] == '@')
        address->sun_path[0] = '\0';
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    return true;
}

void notify_send(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    socklen_t size;
    if (name == NULL || !read_address(name, &address, &size))
        return;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
    close(fd);
}

void notify_reloading(void)
{
    char message[MESSAGE_BYTES];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(message, sizeof message, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    notify_send(message);
}

/* SPDX-License-Identifier: MIT */
/* core/base/log_sink.c - ask whether there is room, then write, one thread at a time.
 *
 * A pipe that poll calls writable takes PIPE_BUF bytes at once, and no line has more; the lock
 * keeps two threads from sharing one answer of poll. The descriptor is not made non-blocking,
 * because it belongs also to the shell or the service manager that gave it to us. Failure paths: no
 * room: the caller is told; a disk that takes half a line gets the other half once more; anything
 * else: the line is gone, and there is nowhere left to say so. */
#include "core/base/log_sink.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/mem.h"

enum { MOST_WRITES = 4 };

struct log_sink {
    int fd;
    pthread_mutex_t lock; /* around poll and write */
    atomic_uint_fast64_t lost;
};

struct log_sink *log_sink_create(int fd)
{
    struct log_sink *sink = mem_zalloc(1, sizeof *sink);
    if (sink == NULL)
        return NULL;
    sink->fd = fd;
    if (pthread_mutex_init(&sink->lock, NULL) == 0)
        return sink;
    mem_free(sink); /* untested: a mutex needs no memory here */
    return NULL;
}

void log_sink_destroy(struct log_sink *sink)
{
    if (sink == NULL)
        return;
    pthread_mutex_destroy(&sink->lock);
    mem_free(sink);
}

/* Bytes written; 0: there is no room now; below 0: the descriptor is broken. */
static ssize_t write_some(int fd, struct str bytes)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    if (poll(&room, 1, 0) == 0)
        return 0;
    ssize_t sent = send(fd, bytes.at, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == ENOTSOCK)
        sent = write(fd, bytes.at, bytes.len);
    return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : sent;
}

bool log_sink_put(struct log_sink *sink, struct str line)
{
    bool has_begun = false;
    pthread_mutex_lock(&sink->lock);
    for (unsigned i = 0; i < MOST_WRITES && line.len > 0; i++) {
        ssize_t count = write_some(sink->fd, line);
        if (count < 0)
            has_begun = true; /* nowhere left to say that the log is gone */
        if (count <= 0)
            break;
        has_begun = true;
        line = str_from(line, (size_t)count);
    }
    pthread_mutex_unlock(&sink->lock);
    return has_begun;
}

void log_sink_lose(struct log_sink *sink, uint64_t lines)
{
    atomic_fetch_add(&sink->lost, lines);
}

uint64_t log_sink_take_lost(struct log_sink *sink)
{
    return atomic_exchange(&sink->lost, 0);
}

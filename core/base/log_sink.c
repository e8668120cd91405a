/* SPDX-License-Identifier: MIT */
/* core/base/log_sink.c - ask whether there is room, then write, one thread at a time.
 *
 * A pipe that poll calls writable takes PIPE_BUF bytes at once, and no line has more; the lock
 * keeps two threads from sharing one answer of poll. What is gathered is never more than that, so
 * it is written like one line. The descriptor is not made non-blocking, because it belongs also to
 * the shell or the service manager that gave it to us. Failure paths: no room: the caller is told;
 * a disk that takes half a line gets the other half once more; anything else: the line is gone, and
 * there is nowhere left to say so. */
#include "core/base/log_sink.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/mem.h"

enum { MOST_WRITES = 4 };

struct log_sink {
    int fd;
    bool is_no_socket;    /* seen */
    pthread_mutex_t lock; /* around poll and write, and what is gathered */
    atomic_uint_fast64_t lost;
    struct log_sink *whole; /* NULL: this one writes */
    size_t len;
    uint64_t lines;
    char bytes[]; /* gathered: LOG_SINK_BYTES with a whole, else none */
};

static struct log_sink *create(int fd, struct log_sink *whole)
{
    struct log_sink *sink = mem_zalloc(1, sizeof *sink + (whole == NULL ? 0 : LOG_SINK_BYTES));
    if (sink == NULL)
        return NULL;
    sink->fd = fd;
    sink->whole = whole;
    if (pthread_mutex_init(&sink->lock, NULL) == 0)
        return sink;
    mem_free(sink); /* untested: a mutex needs no memory here */
    return NULL;
}

struct log_sink *log_sink_create(int fd)
{
    return create(fd, NULL);
}

struct log_sink *log_sink_create_gathering(struct log_sink *whole)
{
    return create(whole->fd, whole);
}

void log_sink_destroy(struct log_sink *sink)
{
    if (sink == NULL)
        return;
    log_sink_flush(sink);
    pthread_mutex_destroy(&sink->lock);
    mem_free(sink);
}

/* Bytes written; 0: there is no room now; below 0: the descriptor is broken. */
static ssize_t write_some(struct log_sink *sink, struct str bytes)
{
    struct pollfd room = {.fd = sink->fd, .events = POLLOUT};
    ssize_t sent = -1;
    if (poll(&room, 1, 0) == 0)
        return 0;
    if (!sink->is_no_socket) {
        sent = send(sink->fd, bytes.at, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        sink->is_no_socket = sent < 0 && errno == ENOTSOCK;
    }
    if (sink->is_no_socket)
        sent = write(sink->fd, bytes.at, bytes.len);
    return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : sent;
}

static bool write_all(struct log_sink *sink, struct str bytes)
{
    bool has_begun = false;
    pthread_mutex_lock(&sink->lock);
    for (unsigned i = 0; i < MOST_WRITES && bytes.len > 0; i++) {
        ssize_t count = write_some(sink, bytes);
        if (count < 0)
            has_begun = true; /* nowhere left to say that the log is gone */
        if (count <= 0)
            break;
        has_begun = true;
        bytes = str_from(bytes, (size_t)count);
    }
    pthread_mutex_unlock(&sink->lock);
    return has_begun;
}

/* With the lock held. */
static void write_gathered(struct log_sink *sink)
{
    if (sink->len > 0 && !write_all(sink->whole, str_make(sink->bytes, sink->len)))
        log_sink_lose(sink, sink->lines);
    sink->len = 0;
    sink->lines = 0;
}

void log_sink_flush(struct log_sink *sink)
{
    if (sink == NULL || sink->whole == NULL)
        return;
    pthread_mutex_lock(&sink->lock);
    write_gathered(sink);
    pthread_mutex_unlock(&sink->lock);
}

bool log_sink_put(struct log_sink *sink, struct str line)
{
    if (sink->whole == NULL)
        return write_all(sink, line);
    pthread_mutex_lock(&sink->lock);
    if (line.len > LOG_SINK_BYTES - sink->len)
        write_gathered(sink);
    memcpy(sink->bytes + sink->len, line.at, line.len);
    sink->len += line.len;
    sink->lines++;
    pthread_mutex_unlock(&sink->lock);
    return true;
}

void log_sink_lose(struct log_sink *sink, uint64_t lines)
{
    atomic_fetch_add(&sink->lost, lines);
}

uint64_t log_sink_take_lost(struct log_sink *sink)
{
    return atomic_exchange(&sink->lost, 0);
}

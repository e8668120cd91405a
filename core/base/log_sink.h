/* SPDX-License-Identifier: MIT */
/* core/base/log_sink.h - where the lines of a server go: to a descriptor that may not be read.
 *
 * A pipe whose reader stands still must stop no loop, so a line that would have to wait is lost,
 * and lines that are lost are counted, so that the log can say so once it is read again. What the
 * kernel holds for the reader (a pipe's 64 KiB) is the only queue, but for the lines of one turn of
 * a loop, which a sink may gather. Any thread. */
#ifndef CORE_BASE_LOG_SINK_H
#define CORE_BASE_LOG_SINK_H

#include "core/base/str.h"

struct log_sink;

enum { LOG_SINK_BYTES = 4096 }; /* of one write: what a pipe takes whole */

/* A sink that writes to fd, which stays the caller's. NULL: no memory. */
struct log_sink *log_sink_create(int fd);
/* A sink that gathers lines, and writes them to whole at once: when LOG_SINK_BYTES of them wait, or
 * at log_sink_flush. NULL: no memory. */
struct log_sink *log_sink_create_gathering(struct log_sink *whole);
/* No logger may use it any more, and no sink that gathers for it; what is gathered is written. NULL
 * is fine. */
void log_sink_destroy(struct log_sink *sink);
/* Write line, of at most LOG_SINK_BYTES, whole, or gather it. False: it would have to wait, and
 * nothing of it was written. A descriptor that is broken swallows lines. */
bool log_sink_put(struct log_sink *sink, struct str line);
/* Write what is gathered. NULL is fine. */
void log_sink_flush(struct log_sink *sink);
/* Count lines as lost; take the count, which is 0 then. */
void log_sink_lose(struct log_sink *sink, uint64_t lines);
uint64_t log_sink_take_lost(struct log_sink *sink);

#endif

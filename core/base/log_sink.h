/* SPDX-License-Identifier: MIT */
/* core/base/log_sink.h - where the lines of a server go: to a descriptor that may not be read.
 *
 * A pipe whose reader stands still must stop no loop, so a line that would have to wait is lost,
 * and lines that are lost are counted, so that the log can say so once it is read again. What the
 * kernel holds for the reader (a pipe's 64 KiB) is the only queue. Any thread. */
#ifndef CORE_BASE_LOG_SINK_H
#define CORE_BASE_LOG_SINK_H

#include "core/base/str.h"

struct log_sink;

/* A sink that writes to fd, which stays the caller's. NULL: no memory. */
struct log_sink *log_sink_create(int fd);
/* No logger may use it any more. NULL is fine. */
void log_sink_destroy(struct log_sink *sink);
/* Write line, of at most 4096 bytes, whole. False: it would have to wait, and nothing of it was
 * written. A descriptor that is broken swallows lines. */
bool log_sink_put(struct log_sink *sink, struct str line);
/* Count lines as lost; take the count, which is 0 then. */
void log_sink_lose(struct log_sink *sink, uint64_t lines);
uint64_t log_sink_take_lost(struct log_sink *sink);

#endif

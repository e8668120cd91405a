/* SPDX-License-Identifier: MIT */
/* server/observe/process_meters.h - what the operating system knows of this process.
 *
 * Reads files below /proc: not for a loop's thread. */
#ifndef SERVER_OBSERVE_PROCESS_METERS_H
#define SERVER_OBSERVE_PROCESS_METERS_H

#include "core/base/buf.h"

/* In Prometheus text; began: when the process started, Unix seconds. Any thread. */
void process_meters_write(uint64_t began, struct buf *out);

#endif

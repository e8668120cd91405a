/* SPDX-License-Identifier: MIT */
/* core/base/log_pairs.h - a log line's "key=value" pairs as members of a JSON object.
 *
 * For log.c only. Any thread. */
#ifndef CORE_BASE_LOG_PAIRS_H
#define CORE_BASE_LOG_PAIRS_H

#include "core/base/str.h"

/* Write ,"key":value for each pair of text into room and return how many bytes that took; a pair
 * without room is left out. Integers are numbers; "run" and "ms" are called run_id and duration_ms;
 * "code" and "text" (or "error", "reason") together are "err". */
size_t log_pairs_write(struct str text, char *room, size_t size);
/* Write text, escaped, without quotes, as far as there is room; control bytes become blanks. */
size_t log_pairs_escape(struct str text, char *room, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* core/base/log.h - one line per fact: time, level, ids, event name, key=value.
 *
 * A logger is a small value that carries where lines go and the ids to add; copy it and set ids
 * for a run or request. Lines go out with one write(2) on stderr (or a given descriptor), so
 * threads do not mix them; through a sink none of them waits for whoever reads the log. In JSON the
 * pairs are members besides. Prompts, rows and user text only at DEBUG; secrets never. Any thread.
 */
#ifndef CORE_BASE_LOG_H
#define CORE_BASE_LOG_H

#include "core/base/str.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF };
enum log_format { LOG_TEXT, LOG_JSON };

struct log_sink;

struct log {
    enum log_level level;
    enum log_format format;
    int fd;             /* 0 means stderr */
    const char *run_id; /* borrowed; NULL: none */
    const char *request_id;
    const char *trace_id, *span_id; /* borrowed; NULL: none; both or neither */
    const char *conversation_id;    /* borrowed; NULL: none; in JSON only */
    struct log_sink *sink; /* borrowed, instead of fd; NULL: a line takes as long as it takes */
};

/* "debug", "info", "warn", "error", "off". */
MUST_USE bool log_level_of(struct str name, enum log_level *level);

#define LOG(log, severity, event, ...)                                                             \
    do {                                                                                           \
        if ((log)->level <= LOG_##severity)                                                        \
            log_write(log, LOG_##severity, event, __VA_ARGS__);                                    \
    } while (0)

/* event is a dotted name ("llm.retry"); fmt makes "key=value" pairs separated by blanks, a value
 * with blanks in it in double quotes. A line is cut at 4 KiB. Use LOG. */
void log_write(const struct log *log, enum log_level level, const char *event, const char *fmt, ...)
    PRINTF(4, 5);

#endif

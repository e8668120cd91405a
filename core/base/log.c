/* SPDX-License-Identifier: MIT */
/* core/base/log.c - builds a line on the stack and writes it once. Control bytes become blanks,
 * so no text from outside can forge a second line. In JSON the pairs are members, and "msg" is the
 * whole of them. */
#include "core/base/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/log_pairs.h"
#include "core/base/log_sink.h"

enum { LINE_BYTES = 4096, LEVEL_WIDTH = 5 };

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn",
    [LOG_ERROR] = "error", [LOG_OFF] = "off",
};

bool log_level_of(struct str name, enum log_level *level)
{
    for (size_t i = 0; i < countof(level_names); i++) {
        if (str_equal_nocase(name, str_of(level_names[i]))) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

struct line {
    char text[LINE_BYTES];
    size_t len;
};

static void add(struct line *line, const char *fmt, ...) PRINTF(2, 3);
static void add(struct line *line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    size_t room = sizeof line->text - 2 - line->len; /* a quote-and-brace or newline still fits */
    int len = vsnprintf(line->text + line->len, room, fmt, args);
    va_end(args);
    if (len > 0)
        line->len += size_min((size_t)len, room == 0 ? 0 : room - 1);
}

static void add_str(struct line *line, struct str text)
{
    size_t room = sizeof line->text - 3 - size_min(line->len, sizeof line->text - 3);
    size_t len = size_min(text.len, room);
    memcpy(line->text + line->len, text.at, len);
    line->len += len;
}

static void add_named(struct line *line, struct str name, const char *value)
{
    if (value == NULL)
        return;
    add_str(line, name);
    add_str(line, str_of(value));
}

static void add_escaped(struct line *line, const char *text)
{
    size_t room = sizeof line->text - 16;
    if (line->len < room)
        line->len += log_pairs_escape(str_of(text), line->text + line->len, room - line->len);
}

static void add_id(struct line *line, const char *name, const char *id)
{
    if (id == NULL || line->len + strlen(id) * 2 + 64 > sizeof line->text)
        return;
    add(line, ",\"%s\":\"", name);
    add_escaped(line, id);
    line->text[line->len++] = '"';
}

/* number, in so many digits, at to; returns what is behind them. */
static char *put_digits(char *to, unsigned number, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; number /= 10)
        to[i] = (char)('0' + number % 10);
    return to + digits;
}

static void add_time(struct line *line)
{
    static const char pattern[] = "0000-00-00T00:00:00.000Z";
    struct timespec now;
    struct tm utc;
    char text[sizeof pattern];
    memcpy(text, pattern, sizeof text);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    char *at = put_digits(text, (unsigned)utc.tm_year + 1900, 4);
    at = put_digits(at + 1, (unsigned)utc.tm_mon + 1, 2);
    at = put_digits(at + 1, (unsigned)utc.tm_mday, 2);
    at = put_digits(at + 1, (unsigned)utc.tm_hour, 2);
    at = put_digits(at + 1, (unsigned)utc.tm_min, 2);
    at = put_digits(at + 1, (unsigned)utc.tm_sec, 2);
    put_digits(at + 1, (unsigned)(now.tv_nsec / 1000000), 3);
    add_str(line, str_make(text, sizeof text - 1));
}

static void add_json_line(struct line *line, const struct log *log, const char *level,
                          const char *event, const char *message)
{
    add(line, "{\"ts\":\"");
    add_time(line);
    add(line, "\",\"level\":\"%s\",\"event\":\"%s\",\"component\":\"%.*s\"", level, event,
        (int)strcspn(event, "."), event);
    add_id(line, "request_id", log->request_id);
    add_id(line, "run_id", log->run_id);
    add_id(line, "trace_id", log->trace_id);
    add_id(line, "span_id", log->span_id);
    add_id(line, "conversation_id", log->conversation_id);
    add(line, ",\"msg\":\"");
    add_escaped(line, message);
    line->text[line->len++] = '"';
    line->len +=
        log_pairs_write(str_of(message), line->text + line->len,
                        sizeof line->text - 4 - size_min(line->len, sizeof line->text - 4));
    line->text[line->len++] = '}';
}

static void add_text_line(struct line *line, const struct log *log, const char *level,
                          const char *event, const char *message)
{
    size_t level_len = strlen(level),
           blanks = level_len < LEVEL_WIDTH ? LEVEL_WIDTH - level_len : 0;
    add_time(line);
    add_named(line, STR(" "), level);
    add_str(line, str_slice(STR("     "), 0, blanks));
    add_named(line, STR(" "), event);
    add_named(line, STR(" request="), log->request_id);
    add_named(line, STR(" run="), log->run_id);
    add_named(line, STR(" trace="), log->trace_id);
    add_named(line, STR(" "), message);
    for (size_t i = 0; i < line->len; i++)
        if ((unsigned char)line->text[i] < 0x20 || line->text[i] == 0x7f)
            line->text[i] = ' ';
}

static void make_line(struct line *line, const struct log *log, enum log_level level,
                      const char *event, const char *message)
{
    line->len = 0;
    if (log->format == LOG_JSON)
        add_json_line(line, log, level_names[level], event, message);
    else
        add_text_line(line, log, level_names[level], event, message);
    line->text[line->len++] = '\n';
}

/* Say how many lines were lost before this one, if any were; those lines are still lost if that
 * cannot be said either. */
static void say_lost(const struct log *log)
{
    struct line line;
    char message[64];
    const struct log plain = {.format = log->format};
    uint64_t lost = log_sink_take_lost(log->sink);
    if (lost == 0)
        return;
    snprintf(message, sizeof message, "lines=%" PRIu64 " why=\"nobody read the log\"", lost);
    make_line(&line, &plain, LOG_WARN, "log.lost", message);
    if (!log_sink_put(log->sink, str_make(line.text, line.len)))
        log_sink_lose(log->sink, lost);
}

void log_write(const struct log *log, enum log_level level, const char *event, const char *fmt, ...)
{
    struct line line;
    char message[LINE_BYTES / 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    make_line(&line, log, level, event, message);
    if (log->sink == NULL) {
        ssize_t written = write(log->fd == 0 ? STDERR_FILENO : log->fd, line.text, line.len);
        (void)written; /* nowhere left to say that the log is gone */
        return;
    }
    say_lost(log);
    if (!log_sink_put(log->sink, str_make(line.text, line.len)))
        log_sink_lose(log->sink, 1);
    if (level >= LOG_WARN) /* the process may not live to the end of the turn */
        log_sink_flush(log->sink);
}

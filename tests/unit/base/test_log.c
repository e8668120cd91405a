/* SPDX-License-Identifier: MIT */
/* Lines as they leave: levels, ids, formats, and that no text can forge a second line. */
#include "tests/lib/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/log_sink.h"

/* What one LOG call wrote. */
static struct str written(int from, char *room, size_t size)
{
    ssize_t len = read(from, room, size);
    return str_make(room, len < 0 ? 0 : (size_t)len);
}

TEST(lines)
{
    static const struct {
        const char *name;
        enum log_format format;
        const char *run_id, *request_id, *text, *want_end;
    } cases[] = {
        {"text", LOG_TEXT, NULL, NULL, "a=1", " warn  some.event a=1\n"},
        {"ids", LOG_TEXT, "run_1", "req_1", "a=1",
         " warn  some.event request=req_1 run=run_1 a=1\n"},
        {"a newline", LOG_TEXT, NULL, NULL, "a=1\nforged\x7f", " some.event a=1 forged \n"},
        {"json", LOG_JSON, "run_1", "req_1", "a=1",
         "\"level\":\"warn\",\"event\":\"some.event\",\"component\":\"some\","
         "\"request_id\":\"req_1\",\"run_id\":\"run_1\",\"msg\":\"a=1\",\"a\":1}\n"},
        {"json escapes", LOG_JSON, NULL, NULL, "q=\"a\\b\"\n",
         "\"msg\":\"q=\\\"a\\\\b\\\" \",\"q\":\"a\\\\b\"}\n"},
        {"json errors", LOG_JSON, NULL, NULL,
         "node=a/b code=sql_failed text=\"no 'x\\y' here\" n=-1",
         ",\"node\":\"a/b\",\"n\":-1,\"err\":{\"code\":\"sql_failed\","
         "\"message\":\"no 'x\\\\y' here\"}}\n"},
        {"json words", LOG_JSON, NULL, NULL, "run=run_7 ms=12 code=ok x=007 y= stray z=\"1\"",
         ",\"run_id\":\"run_7\",\"duration_ms\":12,\"x\":\"007\",\"y\":\"\",\"z\":\"1\"}\n"},
    };
    TEST_EACH(c, cases) {
        int ends[2];
        char room[8192];
        assert_int_equal(pipe(ends), 0);
        const struct log log = {LOG_INFO, c->format, ends[1], c->run_id, c->request_id};
        LOG(&log, INFO, "first.line", "%s", "x");
        EXPECT_TRUE("first", written(ends[0], room, sizeof room).len > 0);
        LOG(&log, DEBUG, "not.wanted", "%s", "x");
        LOG(&log, WARN, "some.event", "%s", c->text);
        struct str line = written(ends[0], room, sizeof room);
        if (!str_ends_with(line, str_of(c->want_end)))
            fail_msg("%s: %.*s", c->name, STR_ARG(line));
        EXPECT_INT("one line", str_find_char(line, '\n'), (ptrdiff_t)line.len - 1);
        close(ends[0]);
        close(ends[1]);
    }
}

TEST(long_lines_are_cut)
{
    static char text[10000];
    memset(text, '"', sizeof text - 1);
    for (enum log_format format = LOG_TEXT; format <= LOG_JSON; format++) {
        int ends[2];
        char room[8192];
        assert_int_equal(pipe(ends), 0);
        const struct log log = {LOG_DEBUG, format, ends[1], NULL, NULL};
        LOG(&log, ERROR, "long", "%s", text);
        struct str line = written(ends[0], room, sizeof room);
        EXPECT_TRUE("cut", line.len <= 4096);
        EXPECT_TRUE("whole", str_ends_with(line, format == LOG_JSON ? STR("}\n") : STR("\n")));
        close(ends[0]);
        close(ends[1]);
    }
}

TEST(levels)
{
    enum log_level level = LOG_OFF;
    EXPECT_TRUE("warn", log_level_of(STR("Warn"), &level) && level == LOG_WARN);
    EXPECT_TRUE("off", log_level_of(STR("off"), &level) && level == LOG_OFF);
    EXPECT_TRUE("unknown", !log_level_of(STR("verbose"), &level) && level == LOG_OFF);
}

/* A pipe that nobody reads: no call waits, and the count of what is lost is said when it is read.
 */
TEST(a_log_that_nobody_reads)
{
    static const enum log_format formats[] = {LOG_TEXT, LOG_JSON};
    static char room[1 << 20];
    TEST_EACH(format, formats) {
        int ends[2];
        unsigned lines = 0, lost = 0;
        assert_int_equal(pipe(ends), 0);
        struct log_sink *sink = log_sink_create(ends[1]);
        assert_non_null(sink);
        const struct log log = {.level = LOG_INFO, .format = *format, .sink = sink};
        for (unsigned i = 0; i < 5000; i++) /* several times what a pipe holds */
            LOG(&log, INFO, "some.event", "n=%u text=\"0123456789012345678901234567890\"", i);
        struct str all = written(ends[0], room, sizeof room);
        for (size_t i = 0; i < all.len; i++)
            lines += all.at[i] == '\n';
        EXPECT_TRUE("some came", lines > 100 && lines < 5000);
        EXPECT_INT("whole lines", all.at[all.len - 1], '\n');
        LOG(&log, INFO, "some.event", "n=%u", 5000);
        struct str rest = written(ends[0], room, sizeof room - 1);
        room[rest.len] = '\0';
        const char *said = strstr(room, "lines=");
        assert_non_null(said);
        assert_int_equal(sscanf(said, "lines=%u", &lost), 1);
        EXPECT_INT("all are accounted for", lines + lost, 5000);
        EXPECT_TRUE("then the line itself", strstr(said, "n=5000") != NULL);
        LOG(&log, INFO, "some.event", "n=%u", 5001);
        rest = written(ends[0], room, sizeof room);
        EXPECT_TRUE("said once", str_find(rest, STR("log.lost")) == STR_NONE);
        close(ends[0]);
        close(ends[1]);
        log_sink_destroy(sink);
    }
}

TEST(sinks_of_other_kinds)
{
    char name[] = "/tmp/askd_log_XXXXXX", room[256];
    int pair[2], file = mkstemp(name);
    assert_true(file >= 0);
    unlink(name);
    struct log_sink *sink = log_sink_create(file);
    EXPECT_TRUE("a file", log_sink_put(sink, STR("one\n")) && log_sink_put(sink, STR("two\n")));
    EXPECT_INT("holds both", pread(file, room, sizeof room, 0), 8);
    close(file);
    EXPECT_TRUE("a closed one swallows", log_sink_put(sink, STR("three\n")));
    log_sink_destroy(sink);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    sink = log_sink_create(pair[1]);
    unsigned taken = 0;
    while (taken < 100000 && log_sink_put(sink, STR("a line of a log\n")))
        taken++;
    EXPECT_TRUE("a socket fills", taken > 10 && taken < 100000);
    close(pair[0]);
    EXPECT_TRUE("a broken one swallows", log_sink_put(sink, STR("x\n")));
    close(pair[1]);
    log_sink_destroy(sink);
}

/* What a sink gathers is written by one write: at a flush, before a warning, when it is full. */
TEST(gathered_lines)
{
    char room[3 * LOG_SINK_BYTES];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    struct log_sink *whole = log_sink_create(ends[1]);
    struct log_sink *sink = log_sink_create_gathering(whole);
    const struct log log = {.level = LOG_INFO, .sink = sink};
    LOG(&log, INFO, "one.event", "n=1");
    EXPECT_INT("it waits", read(ends[0], room, sizeof room), -1);
    LOG(&log, INFO, "one.event", "n=2");
    log_sink_flush(sink);
    struct str said = str_make(room, (size_t)read(ends[0], room, sizeof room));
    EXPECT_TRUE("both", str_find(said, STR("n=1")) < str_find(said, STR("n=2")));
    LOG(&log, INFO, "one.event", "n=3");
    LOG(&log, WARN, "one.event", "n=4");
    said = str_make(room, (size_t)read(ends[0], room, sizeof room));
    EXPECT_TRUE("a warning is said at once",
                str_find(said, STR("n=3")) < str_find(said, STR("n=4")));
    for (unsigned i = 0; i < 64; i++)
        LOG(&log, INFO, "one.event", "text=%0100u", i);
    said = str_make(room, (size_t)read(ends[0], room, sizeof room));
    EXPECT_TRUE("no write has more than a pipe takes whole",
                said.len > 0 && said.len <= 2 * LOG_SINK_BYTES);
    EXPECT_INT("whole lines", said.at[said.len - 1], '\n');
    log_sink_destroy(sink);
    EXPECT_TRUE("the end writes the rest", read(ends[0], room, sizeof room) > 0);
    log_sink_destroy(whole);
    close(ends[0]);
    close(ends[1]);
}

RUN_TESTS(T(lines), T(long_lines_are_cut), T(levels), T(a_log_that_nobody_reads),
          T(sinks_of_other_kinds), T(gathered_lines))

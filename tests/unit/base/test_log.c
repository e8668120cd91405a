/* SPDX-License-Identifier: MIT */
/* Lines as they leave: levels, ids, formats, and that no text can forge a second line. */
#include "tests/lib/test.h"

#include <unistd.h>

#include "core/base/log.h"

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

RUN_TESTS(T(lines), T(long_lines_are_cut), T(levels))

/* SPDX-License-Identifier: MIT */
/* HTTP/2 sessions without a socket: honest requests, frames that are not, limits and deadlines. */
#include "tests/lib/http2_rig.h"
#include "tests/lib/loop_rig.h"

#define ASK(method, path) ":method: " method "\n:scheme: http\n:path: " path "\n:authority: a\n"

/* The steps of a client, separated by blanks, each for once or, with "*n" behind it, n times; "&"
 * puts several into one read. settings, ack, ping, pong; get7 and post7: a request whole, and one
 * whose body follows; wait7, stream7, away7: requests of those paths, away7 with a body to follow;
 * data7, last7: "abc", the last one ends the stream; empty7, rst7, window7, prio7. "+" for a stream
 * is the next one in a request, and the same in what follows. turn: the loop turns. Or a frame as
 * type:flags:stream:payload, all in hexadecimal. */
struct script {
    struct http2_rig *rig;
    struct loop_rig *loop;
    uint32_t next_id;
    bool is_by_bytes;
};

static void turn(struct script *script)
{
    loop_turn(script->loop->loop, 4);
    if (!script->rig->is_over)
        loop_advance(script->loop->loop, 2); /* what is paced */
    loop_turn(script->loop->loop, 4);
}

static void feed(struct script *script, struct str bytes)
{
    while (bytes.len > 0 && !script->rig->is_over) {
        size_t step = script->is_by_bytes ? 1 : bytes.len;
        size_t taken = http2_session_feed(script->rig->session, str_slice(bytes, 0, step));
        bytes = str_from(bytes, taken);
        if (taken < step)
            turn(script);
    }
}

static void push_request(struct buf *out, const char *lines, unsigned flags, uint32_t id)
{
    struct buf block;
    buf_init(&block, 1 << 20);
    http2_rig_block(&block, str_of(lines));
    http2_rig_frame(out, 1, flags, id, buf_str(&block));
    buf_fini(&block);
}

static unsigned hex_of(struct str text)
{
    unsigned value = 0;
    for (size_t i = 0; i < text.len; i++)
        value = value * 16 +
                (unsigned)(str_is_digit(text.at[i]) ? text.at[i] - '0' : text.at[i] - 'a' + 10);
    return value;
}

static void push_raw(struct script *script, struct buf *out, struct str step)
{
    struct buf payload;
    struct str type = str_split(&step, ':'), flags = str_split(&step, ':');
    struct str id = str_split(&step, ':');
    buf_init(&payload, 1 << 20);
    for (size_t i = 0; i + 1 < step.len; i += 2)
        buf_push_char(&payload, (char)hex_of(str_slice(step, i, i + 2)));
    uint32_t stream = str_equal(id, STR("+")) ? script->next_id += 2 : hex_of(id);
    http2_rig_frame(out, hex_of(type), hex_of(flags), stream, buf_str(&payload));
    buf_fini(&payload);
}

static const struct {
    const char *name, *lines;
    unsigned type, flags;
    struct str payload;
} steps[] = {
    {"settings", NULL, 4, 0, {"", 0}},
    {"ack", NULL, 4, 1, {"", 0}},
    {"ping", NULL, 6, 0, {"12345678", 8}},
    {"pong", NULL, 6, 1, {"\0\0\0\0\0\0\0\0", 8}},
    {"get", ASK("GET", "/"), 1, 5, {"", 0}},
    {"wait", ASK("GET", "/wait"), 1, 5, {"", 0}},
    {"stream", ASK("GET", "/stream"), 1, 5, {"", 0}},
    {"post", ASK("POST", "/p"), 1, 4, {"", 0}},
    {"away", ASK("POST", "/away"), 1, 4, {"", 0}},
    {"data", NULL, 0, 0, {"abc", 3}},
    {"last", NULL, 0, 1, {"abc", 3}},
    {"empty", NULL, 0, 0, {"", 0}},
    {"rst", NULL, 3, 0, {"\0\0\0\x8", 4}},
    {"window", NULL, 8, 0, {"\0\0\0\x1", 4}},
    {"prio", NULL, 2, 0, {"\0\0\0\0\x10", 5}},
};

/* The stream that text names, for a request or for what follows one. */
static uint32_t stream_of(struct script *script, struct str text, bool is_request)
{
    uint64_t id = 0;
    if (str_equal(text, STR("+")))
        return is_request ? script->next_id += 2 : script->next_id;
    (void)!str_to_u64(text, &id);
    return (uint32_t)id;
}

static void push_step(struct script *script, struct buf *out, struct str step)
{
    size_t letters = 0;
    while (letters < step.len && str_is_alpha(step.at[letters]))
        letters++;
    TEST_EACH(s, steps) {
        if (!str_equal(str_slice(step, 0, letters), str_of(s->name)))
            continue;
        uint32_t id = stream_of(script, str_from(step, letters), s->lines != NULL);
        if (s->lines != NULL)
            push_request(out, s->lines, s->flags, id);
        else
            http2_rig_frame(out, s->type, s->flags, id, s->payload);
        return;
    }
    push_raw(script, out, step);
}

static void run_step(struct script *script, struct str step)
{
    struct buf out;
    uint64_t times = 1;
    struct str what = str_split(&step, '*');
    if (!str_is_absent(step))
        EXPECT_TRUE("times", str_to_u64(step, &times));
    buf_init(&out, 1 << 20);
    for (uint64_t i = 0; i < times && !script->rig->is_over; i++) {
        struct str rest = what;
        buf_clear(&out);
        while (!str_is_absent(rest)) /* "get+&rst+" is one step */
            push_step(script, &out, str_split(&rest, '&'));
        feed(script, buf_str(&out));
        if (i % 100 == 99)
            turn(script);
    }
    buf_fini(&out);
}

static void run_script_on(struct script *script, const char *text)
{
    struct str rest = str_of(text);
    while (rest.len > 0) {
        struct str step = str_split(&rest, ' ');
        if (str_equal(step, STR("turn")))
            turn(script);
        else
            run_step(script, step);
    }
    turn(script);
}

static void run_script(struct script *script, const char *text)
{
    script->next_id = UINT32_MAX; /* the first is 1 */
    feed(script, str_of(http2_session_preface));
    run_script_on(script, text);
}

struct set {
    struct loop_rig loop;
    struct http2_rig rig;
    struct script script;
};

static void begin(struct set *set)
{
    loop_rig_init(&set->loop);
    http2_rig_init(&set->rig, set->loop.loop);
    assert_non_null(set->rig.session);
    set->script = (struct script){&set->rig, &set->loop, 0, false};
}

static void end(struct set *set)
{
    http2_rig_fini(&set->rig);
    loop_rig_fini(&set->loop);
}

#define DOWN "settings, goaway "

static const struct {
    const char *name, *script, *want;
} cases[] = {
    {"nothing but settings", "settings", "settings, ack"},
    {"a request", "settings get1", ">GET /, settings, ack, headers 1, data 1 2."},
    {"three at once", "settings get1&get3&get5",
     ">GET /, >GET /, >GET /, settings, ack, headers 1, headers 3, headers 5, data 1 2., data 3 "
     "2., data 5 2."},
    {"a body", "settings post1 data1 last1",
     ">POST /p abcabc, settings, ack, headers 1, data 1 2."},
    {"a body that ends in an empty frame",
     "settings post1 data1 empty1 0:1:1:", ">POST /p abc, settings, ack, headers 1, data 1 2."},
    {"a body that is not wanted", "settings away1 turn data1 last1",
     ">turned away, settings, ack, headers 1, data 1 2., rst 1 0"},
    {"a body that is too long", "settings post1 data1*400 turn get3",
     "settings, ack, >refused 413, headers 1, data 1 2., rst 1 0, >GET /, headers 3, data 3 2."},
    {"trailers", "settings post1 data1 1:5:1:0001610162",
     ">POST /p abc, settings, ack, headers 1, data 1 2."},
    {"many headers",
     "settings 1:5:1:82868441016100016101620001610162000161016200016101620001610162000161016200016"
     "10162",
     ">refused 431, settings, ack, headers 1, data 1 2."},
    {"reset before the answer", "settings wait1 turn rst1", ">GET /wait, settings, ack, >gone"},
    {"reset before the body", "settings post1 rst1 get3",
     ">GET /, settings, ack, headers 3, data 3 2."},
    {"reset after the answer", "settings get1 turn rst1",
     ">GET /, settings, ack, headers 1, data 1 2."},
    {"ping", "settings ping0", "settings, ack, ping"},
    {"a pong that nobody asked for", "settings pong0 get1",
     ">GET /, settings, ack, headers 1, data 1 2."},
    {"an unknown frame", "settings 20:0:1:616263 get1",
     ">GET /, settings, ack, headers 1, data 1 2."},
    {"priorities of old", "settings prio1 prio3 get1",
     ">GET /, settings, ack, headers 1, data 1 2."},
    {"a client that is done", "settings get1 7:0:0:0000000000000000",
     ">GET /, settings, ack, headers 1, data 1 2., >over"},
    {"a head in two frames", "settings 1:1:1:828684 9:4:1:410161 get3",
     ">GET /, >GET /, settings, ack, headers 1, headers 3, data 1 2., data 3 2."},
    {"no settings first", "get1", DOWN "1, >over"},
    {"settings of a wrong size", "settings 4:0:0:0001", DOWN "6, >over"},
    {"settings for a stream", "settings 4:0:1:", DOWN "1, >over"},
    {"an ack with a payload", "settings 4:1:0:000100000000", DOWN "6, >over"},
    {"push that is neither on nor off", "settings 4:0:0:000200000002", DOWN "1, >over"},
    {"a window beyond 2^31", "settings 4:0:0:0004ffffffff", DOWN "3, >over"},
    {"a frame size below the least", "settings 4:0:0:000500000001", DOWN "1, >over"},
    {"data for no stream", "settings 0:0:0:616263", DOWN "1, >over"},
    {"data for an idle stream", "settings data1", DOWN "1, >over"},
    {"data after the end", "settings wait1 data1", ">GET /wait, settings, goaway 5, >gone, >over"},
    {"padding that is longer than the frame", "settings post1 0:8:1:ff61", DOWN "1, >over"},
    {"headers for no stream", "settings 1:5:0:82", DOWN "1, >over"},
    {"headers for an even stream", "settings get2", DOWN "1, >over"},
    {"an id that went down", "settings wait5 get3", ">GET /wait, settings, ack"},
    {"headers that depend on themselves", "settings 1:25:1:000000010082", DOWN "1, >over"},
    {"broken compression", "settings 1:5:1:ff", DOWN "9, >over"},
    {"an index beyond the tables", "settings 1:5:1:ffffffff0f", DOWN "9, >over"},
    {"a table size beyond the limit", "settings 1:5:1:3fffffff0f", DOWN "9, >over"},
    {"no :path", "settings 1:5:1:8286", "settings, ack, rst 1 1"},
    {"two :path", "settings 1:5:1:82868484", "settings, ack, rst 1 1"},
    {"no :authority", "settings 1:5:1:828684", "settings, ack, rst 1 1"},
    {"upper case", "settings 1:5:1:828684410161000141016200", DOWN "9, >over"},
    {"a continuation of nothing", "settings 9:4:1:82", DOWN "1, >over"},
    {"a continuation for another stream", "settings 1:1:1:82 9:4:3:86", DOWN "1, >over"},
    {"another frame in the middle of a head", "settings 1:1:1:82 ping0", DOWN "1, >over"},
    {"a few continuations of nothing", "settings 1:1:1:82 9:0:1:*10", "settings, ack"},
    {"a push promise", "settings 5:4:1:0000000282", DOWN "1, >over"},
    {"a reset of no stream", "settings rst0", DOWN "1, >over"},
    {"a reset of an idle stream", "settings rst7", DOWN "1, >over"},
    {"a reset of a wrong size", "settings 3:0:1:00", DOWN "6, >over"},
    {"a ping of a wrong size", "settings 6:0:0:00", DOWN "6, >over"},
    {"a ping for a stream", "settings ping1", DOWN "1, >over"},
    {"a goaway that is too short", "settings 7:0:0:00", DOWN "6, >over"},
    {"a window update of nothing", "settings 8:0:0:00000000", DOWN "1, >over"},
    {"a window update of nothing for a stream", "settings wait1 8:0:1:00000000",
     ">GET /wait, settings, goaway 1, >gone, >over"},
    {"a window update of a wrong size", "settings 8:0:0:00", DOWN "6, >over"},
    {"a window that overflows", "settings 8:0:0:7fffffff", DOWN "3, >over"},
    {"a priority of a wrong size", "settings 2:0:1:00", DOWN "6, >over"},
};

TEST(frames)
{
    TEST_EACH(c, cases) {
        struct set set;
        begin(&set);
        run_script(&set.script, c->script);
        EXPECT_STR(c->name, buf_str(&set.rig.said), str_of(c->want));
        end(&set);
    }
}

TEST(frames_by_bytes)
{
    struct set set;
    begin(&set);
    set.script.is_by_bytes = true;
    run_script(&set.script, "settings post1 data1 last1 1:1:3:828684 9:4:3:410161");
    EXPECT_STR("said", buf_str(&set.rig.said),
               STR(">POST /p abcabc, >GET /, settings, ack, headers 1, headers 3, data 1 2., data "
                   "3 2."));
    end(&set);
}

/* ---- limits ---- */

enum { CALM = 11 }; /* ENHANCE_YOUR_CALM */

static const struct {
    const char *name, *script;
    int goaway;
} floods[] = {
    {"pings", "settings ping0*6000", CALM},
    {"settings", "settings settings0*6000", CALM},
    {"empty data", "settings post1 empty1*6000", CALM},
    {"window updates", "settings wait1 window1*6000", CALM},
    {"priorities", "settings prio1*6000", CALM},
    {"continuations", "settings 1:1:1:82 9:0:1:*6000", CALM},
    {"rapid reset", "settings wait+&rst+*6000", CALM},
    {"resets that we must send", "settings 1:5:+:8286*6000", CALM},
    {"unknown frames, which cost nothing", "settings 20:0:0:*6000", -1},
    {"some pings", "settings ping0*2000", -1},
    {"a browser that gives up", "settings wait+&rst+*2000", -1},
    {"requests", "settings get+*6000", -1},
    {"requests and window updates", "settings get+&window0&window0*6000", -1},
};

TEST(frames_that_are_no_work)
{
    TEST_EACH(c, floods) {
        struct set set;
        begin(&set);
        set.rig.is_quiet = true;
        run_script(&set.script, c->script);
        EXPECT_INT(c->name, set.rig.goaway, c->goaway);
        EXPECT_TRUE(c->name, set.rig.is_over == (c->goaway >= 0));
        EXPECT_TRUE(c->name, set.rig.request_count <= 6001);
        end(&set);
    }
}

TEST(streams_at_once)
{
    struct set set;
    begin(&set);
    set.rig.is_quiet = true;
    run_script(&set.script, "settings wait+*1024");
    EXPECT_INT("all", set.rig.site.stream_count, HTTP2_SESSION_STREAMS);
    set.rig.is_quiet = false;
    run_script_on(&set.script, "wait+ wait+");
    EXPECT_INT("no more", set.rig.site.stream_count, HTTP2_SESSION_STREAMS);
    EXPECT_STR("refused, to be asked again", buf_str(&set.rig.said), STR("rst 2049 7, rst 2051 7"));
    end(&set);
}

static bool is_full(void *owner)
{
    (void)owner;
    return true;
}

TEST(a_site_that_is_full)
{
    struct set set;
    begin(&set);
    set.rig.site.is_full = is_full;
    run_script(&set.script, "settings get1 get3");
    EXPECT_STR("refused", buf_str(&set.rig.said), STR("settings, ack, rst 1 7, rst 3 7"));
    end(&set);
}

TEST(fields_without_end)
{
    struct set set;
    struct buf block, frame;
    begin(&set);
    run_script(&set.script, "settings");
    buf_init(&block, 1 << 20);
    buf_init(&frame, 1 << 20);
    http2_rig_block(&block, STR(ASK("GET", "/")));
    for (size_t i = 0; i < 200; i++)
        http2_rig_field(&block, STR("x"), STR("y"));
    http2_rig_frame(&frame, 1, 5, 1, buf_str(&block));
    feed(&set.script, buf_str(&frame));
    turn(&set.script);
    EXPECT_INT("goaway", set.rig.goaway, CALM);
    EXPECT_INT("requests", set.rig.request_count, 0);
    buf_fini(&block);
    buf_fini(&frame);
    end(&set);
}

TEST(bodies_of_all)
{
    struct set set;
    begin(&set);
    set.rig.site.limits.bodies_bytes = 300;
    run_script(&set.script, "settings post1 post3 data1 data3*20");
    EXPECT_STR("the second", str_slice(buf_str(&set.rig.said), 0, 12), STR(">refused 503"));
    end(&set);
}

/* ---- deadlines ---- */

static const struct {
    const char *name, *script;
    unsigned after_ms;
    const char *want;
} waits[] = {
    {"a greeting", "", 1000, "goaway 11, >over"},
    {"a head in pieces", "settings 1:1:1:82", 1000, "goaway 11, >over"},
    {"a head in pieces, in time", "settings 1:1:1:82", 900, ""},
    {"a body", "settings post1 data1", 2000, ">refused 408, headers 1, data 1 2., rst 1 0"},
    {"a request", "settings get1", 5000, "goaway 0, ping"},
    {"an answer", "settings wait1", 60000, ""},
    {"progress", "4:0:0:000400000000 get1", 3000, "rst 1 8"},
};

TEST(what_does_not_come)
{
    TEST_EACH(c, waits) {
        struct set set;
        begin(&set);
        run_script(&set.script, c->script);
        buf_clear(&set.rig.said);
        loop_advance(set.loop.loop, c->after_ms);
        turn(&set.script);
        turn(&set.script);
        EXPECT_STR(c->name, buf_str(&set.rig.said), str_of(c->want));
        end(&set);
    }
}

/* ---- backpressure ---- */

static void write_bytes(struct channel *channel, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_push_char(channel->out, 'x');
    channel_flush(channel);
}

TEST(a_stream_whose_window_is_full_is_high)
{
    struct set set;
    begin(&set);
    run_script(&set.script, "4:0:0:0004000003e8 stream1"); /* a window of 1000 */
    struct channel *channel = set.rig.open[0];
    write_bytes(channel, 1000);
    turn(&set.script);
    EXPECT_TRUE("all is taken", !channel_is_high(channel) && buf_len(channel->out) == 0);
    write_bytes(channel, 5000);
    EXPECT_TRUE("high", channel_is_high(channel));
    turn(&set.script);
    EXPECT_INT("nothing is taken", buf_len(channel->out), 5000);
    EXPECT_INT("nobody may go on", set.rig.drained_count, 0);
    run_script_on(&set.script, "8:0:1:000007d0 turn"); /* 2000 more */
    EXPECT_INT("still above the half", set.rig.drained_count, 0);
    run_script_on(&set.script, "8:0:1:000007d0 turn");
    EXPECT_INT("it may go on", set.rig.drained_count, 1);
    EXPECT_INT("left", buf_len(channel->out), 1000);
    loop_advance(set.loop.loop, 3000);
    turn(&set.script);
    loop_advance(set.loop.loop, 3000);
    turn(&set.script);
    EXPECT_TRUE("who takes nothing is gone", set.rig.open[0] == NULL);
    end(&set);
}

TEST(a_client_that_takes_nothing_holds_all_its_streams)
{
    struct set set;
    begin(&set);
    run_script(&set.script, "4:0:0:00047fffffff 8:0:0:40000000 stream1 stream3 turn");
    set.rig.is_full = true;
    for (size_t i = 0; i < 2; i++)
        write_bytes(set.rig.open[i], 40000);
    turn(&set.script);
    EXPECT_TRUE("bounded", buf_len(&set.rig.out) < HTTP2_RIG_HIGH + 20000);
    EXPECT_TRUE("both are high",
                channel_is_high(set.rig.open[0]) && channel_is_high(set.rig.open[1]));
    set.rig.is_full = false;
    for (size_t i = 0; i < 40; i++) {
        http2_rig_flush(&set.rig);
        http2_session_go(set.rig.session);
        turn(&set.script);
    }
    EXPECT_INT("both may go on", set.rig.drained_count, 2);
    EXPECT_INT("all is sent", buf_len(set.rig.open[0]->out) + buf_len(set.rig.open[1]->out), 0);
    end(&set);
}

TEST(much_of_many_streams_holds_each)
{
    struct set set;
    begin(&set);
    set.rig.site.limits.high_bytes = 3 * 1024 * 1024;
    set.rig.site.limits.limit_bytes = 8 * 1024 * 1024;
    run_script(&set.script, "4:0:0:000400000000 stream1 stream3 turn");
    write_bytes(set.rig.open[0], 2500 * 1024);
    EXPECT_TRUE("not yet", !channel_is_high(set.rig.open[0]));
    write_bytes(set.rig.open[1], 2500 * 1024);
    EXPECT_TRUE("the first", channel_is_high(set.rig.open[0]));
    EXPECT_TRUE("the second", channel_is_high(set.rig.open[1]));
    turn(&set.script);
    EXPECT_INT("nobody may go on", set.rig.drained_count, 0);
    run_script_on(&set.script, "rst3 turn turn");
    EXPECT_INT("the other one may", set.rig.drained_count, 1);
    end(&set);
}

/* ---- the end ---- */

TEST(a_drain_says_what_was_the_last)
{
    struct set set;
    begin(&set);
    run_script(&set.script, "settings wait1");
    buf_clear(&set.rig.said);
    http2_session_drain(set.rig.session);
    turn(&set.script);
    run_script_on(&set.script, "get3 pong0 turn get5 turn");
    EXPECT_STR("said", buf_str(&set.rig.said),
               STR("goaway 0, ping, >GET /, headers 3, goaway 0, data 3 2."));
    http2_rig_answer(set.rig.open[0], 200);
    turn(&set.script);
    EXPECT_TRUE("over after the last answer", set.rig.is_over);
    end(&set);
}

TEST(a_drain_waits_a_second_for_the_client)
{
    struct set set;
    begin(&set);
    run_script(&set.script, "settings get1");
    http2_session_drain(set.rig.session);
    turn(&set.script);
    EXPECT_TRUE("not yet", !set.rig.is_over);
    loop_advance(set.loop.loop, 1000);
    turn(&set.script);
    EXPECT_TRUE("over", set.rig.is_over);
    end(&set);
}

TEST(a_cut_answer_is_seen_as_one)
{
    struct set set;
    begin(&set);
    run_script(&set.script, "settings stream1 turn");
    buf_clear(&set.rig.said);
    write_bytes(set.rig.open[0], 10);
    channel_abort(set.rig.open[0]);
    turn(&set.script);
    EXPECT_STR("said", buf_str(&set.rig.said), STR("rst 1 2"));
    end(&set);
}

TEST(many_streams_leave_in_one_write)
{
    struct set set;
    begin(&set);
    run_script(&set.script, "settings stream1 stream3 stream5 turn");
    set.rig.flush_count = 0;
    for (size_t i = 0; i < 3; i++)
        write_bytes(set.rig.open[i], 10);
    turn(&set.script);
    EXPECT_INT("writes", set.rig.flush_count, 1);
    end(&set);
}

/* ---- without memory ---- */

TEST(without_memory)
{
    static const char script[] =
        "settings post1 data1 last1 stream3 rst3 1:1:5:828684 9:4:5:410161";
    struct set set;
    uint64_t before = mem_alloc_count();
    begin(&set);
    run_script(&set.script, script);
    end(&set);
    const uint64_t most = mem_alloc_count() - before;
    for (uint64_t n = 1; n <= most; n++) {
        loop_rig_init(&set.loop);
        mem_fail_nth(n);
        http2_rig_init(&set.rig, set.loop.loop);
        set.script = (struct script){&set.rig, &set.loop, 0, false};
        if (set.rig.session != NULL)
            run_script(&set.script, script);
        mem_fail_nth(0);
        end(&set);
    }
}

RUN_TESTS(T(frames), T(frames_by_bytes), T(frames_that_are_no_work), T(streams_at_once),
          T(a_site_that_is_full), T(fields_without_end), T(bodies_of_all), T(what_does_not_come),
          T(a_stream_whose_window_is_full_is_high),
          T(a_client_that_takes_nothing_holds_all_its_streams), T(much_of_many_streams_holds_each),
          T(a_drain_says_what_was_the_last), T(a_drain_waits_a_second_for_the_client),
          T(a_cut_answer_is_seen_as_one), T(many_streams_leave_in_one_write), T(without_memory))

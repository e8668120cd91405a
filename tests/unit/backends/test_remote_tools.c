/* SPDX-License-Identifier: MIT */
/* backends/remote: a call that is cancelled, whose file is replaced, whose remote is closed, at
 * every turn of it; learning likewise; calls that a person has to allow; memory. */
#include "backends/remote/remote_tools.h"

#include "core/base/log.h"
#include "core/base/mem.h"
#include "tests/unit/backends/stub_server.h"

/* All answers at once: the client takes the one that its question has the number of. A server with
 * sessions does not know the first question; a modern one needs no second, and asks for something
 * before the call is made. */
#define TOOLS(id)                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{\"tools\":[{\"name\":\"t\","                  \
    "\"inputSchema\":{}},{\"name\":\"asks\",\"inputSchema\":{}}]}}"
#define WITH_SESSION                                                                               \
    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"what?\"}},"           \
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\"}}," TOOLS(       \
        3) "," SAID(4) "," SAID(5) "," SAID(6) "]"
#define MODERN                                                                                     \
    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}," TOOLS(  \
        2) ",{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\","         \
           "\"inputRequests\":{\"a\":{\"method\":\"elicitation/"                                   \
           "create\"}},\"requestState\":\"s\"}}," SAID(4) "," SAID(5) "," SAID(6) "]"
#define SAID(id)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ","                                                         \
    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}"

static char reply[2048];
static bool is_modern;

struct tools_rig {
    struct rig rig;
    struct stub_server server;
    struct http_client *client;
    struct log log;
    struct remote *remote;
    struct remote_call call;
    struct remote_learn learn;
};

static struct remote_file *read_file(const struct tools_rig *f, const char *more)
{
    struct remote_file *file = NULL;
    struct err err = {0};
    struct buf text;
    buf_init(&text, 4096);
    buf_printf(&text,
               "{\"allow\":[\"%s\"],\"http\":{\"plain\":{\"description\":\"d\",\"url\":\"%s\","
               "\"private\":true},\"asks\":{\"description\":\"d\",\"url\":\"%s\",\"private\":true,"
               "\"confirm\":true}},\"mcp\":{\"s\":{\"url\":\"%s\",\"private\":true,"
               "\"confirm\":[\"asks\"]%s}}}",
               f->server.url, f->server.url, f->server.url, f->server.url, more);
    if (remote_file_read("f", buf_str(&text), NULL, NULL, &file, &err) != ERR_OK)
        fail_msg("%s", err.text);
    buf_fini(&text);
    return file;
}

static void begin(struct tools_rig *f)
{
    *f = (struct tools_rig){.log = {.level = LOG_OFF}};
    snprintf(reply, sizeof reply,
             "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: 7\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             strlen(is_modern ? MODERN : WITH_SESSION), is_modern ? MODERN : WITH_SESSION);
    rig_begin(&f->rig);
    stub_server_start(&f->server, &f->rig, str_of(reply), STUB_KEEP);
    f->client = http_client_create(f->rig.loop, &(struct http_client_options){.spread = 2});
    assert_non_null(f->client);
    struct remote_file *file = read_file(f, "");
    f->remote = remote_tools_create(f->rig.loop, f->client, file, &f->log);
    remote_file_unref(file);
    assert_non_null(f->remote);
}

static void close_remote(struct tools_rig *f)
{
    remote_close(f->remote, rig_on_closed, &f->rig);
    f->remote = NULL;
}

static void end(struct tools_rig *f)
{
    if (f->remote != NULL)
        close_remote(f);
    for (unsigned turn = 0; turn < RIG_TURNS && f->rig.closed_calls == 0; turn++)
        (void)!loop_run_dry(f->rig.loop, 1);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    op_release(&f->call.op);
    http_client_close(f->client, rig_on_closed, &f->rig);
    stub_server_stop(&f->server);
    rig_end(&f->rig);
}

static void start(struct tools_rig *f, const char *name)
{
    op_release(&f->call.op);
    f->call.name = str_of(name);
    f->call.arguments = STR("{}");
    remote_call_start(&f->call, f->remote, rig_waiter(&f->rig));
}

static enum err_code use(struct tools_rig *f, const char *more)
{
    struct remote_file *file = read_file(f, more);
    enum err_code code = remote_tools_use(f->remote, file);
    remote_file_unref(file);
    return code;
}

/* ---- at every turn ---- */

static void give_up(struct tools_rig *f)
{
    op_cancel(&f->call.op);
    op_cancel(&f->call.op);
}

static void replace(struct tools_rig *f)
{
    EXPECT_INT("used", use(f, ",\"timeout_ms\":9000"), ERR_OK);
    EXPECT_INT("and once more", use(f, ""), ERR_OK);
}

static void replace_and_close(struct tools_rig *f)
{
    replace(f);
    close_remote(f);
}

static const struct {
    const char *name;
    void (*disturb)(struct tools_rig *f);
    bool ends_well;
} disturbances[] = {
    {"cancelled", give_up, false},
    {"replaced", replace, true},
    {"closed", close_remote, false},
    {"replaced and closed", replace_and_close, false},
};

static void sweep_call(const char *name, void (*disturb)(struct tools_rig *f), bool ends_well)
{
    bool is_over = false;
    for (unsigned turns = 0; !is_over; turns = rig_after(turns)) {
        struct tools_rig f;
        begin(&f);
        start(&f, name);
        is_over = rig_turn(&f.rig, turns, 1);
        disturb(&f);
        rig_wait("done once", &f.rig, 1);
        enum err_code code = f.call.op.err.code;
        if (ends_well)
            EXPECT_INT(f.call.op.err.text, code, ERR_OK);
        else
            EXPECT_TRUE(f.call.op.err.text, code == ERR_OK || code == ERR_CANCELLED);
        EXPECT_TRUE("said", code != ERR_OK || !str_is_absent(f.call.text));
        end(&f);
        EXPECT_INT("never twice", f.rig.done_calls, 1);
    }
}

TEST(calls_disturbed_at_every_turn)
{
    TEST_EACH(one, disturbances) {
        sweep_call("plain", one->disturb, one->ends_well);
        for (unsigned i = 0; i < 2; i++) {
            is_modern = i == 1;
            sweep_call("s_t", one->disturb, one->ends_well);
        }
        is_modern = false;
    }
}

static void leave(struct tools_rig *f)
{
    op_cancel(&f->learn.op);
}

static void sweep_learning(void (*disturb)(struct tools_rig *f), bool ends_well)
{
    bool is_over = false;
    for (unsigned turns = 0; !is_over; turns = rig_after(turns)) {
        struct tools_rig f;
        begin(&f);
        remote_learn_start(&f.learn, f.remote, rig_waiter(&f.rig));
        is_over = rig_turn(&f.rig, turns, 1);
        bool is_learned = is_over || op_is_finishing(&f.learn.op); /* of the file of before */
        disturb(&f);
        rig_wait("done once", &f.rig, 1);
        size_t count = 0;
        if (f.remote != NULL && ends_well && !is_learned) {
            (void)!remote_list(f.remote, &count);
            EXPECT_INT("the tools of the newest file are known", count, 4);
        }
        end(&f);
        EXPECT_INT("never twice", f.rig.done_calls, 1);
    }
}

TEST(learning_disturbed_at_every_turn)
{
    sweep_learning(leave, false);
    sweep_learning(replace, true);
    sweep_learning(close_remote, false);
    sweep_learning(replace_and_close, false);
}

/* ---- calls that a person has to allow ---- */

TEST(a_call_that_nobody_allowed_is_refused)
{
    static const char *const names[] = {"asks", "s_asks"};
    for (size_t i = 0; i < countof(names); i++) {
        struct tools_rig f;
        begin(&f);
        start(&f, names[i]);
        rig_wait("refused", &f.rig, 1);
        EXPECT_INT(names[i], f.call.op.err.code, ERR_DENIED);
        f.call.is_allowed = true;
        start(&f, names[i]);
        rig_wait("called", &f.rig, 2);
        EXPECT_INT(names[i], f.call.op.err.code, ERR_OK);
        start(&f, "none");
        rig_wait("none", &f.rig, 3);
        EXPECT_INT("none", f.call.op.err.code, ERR_NOT_FOUND);
        end(&f);
    }
}

/* ---- memory ---- */

TEST(without_memory_the_old_tools_stay)
{
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t nth = 1; code != ERR_OK; nth++) {
        struct tools_rig f;
        begin(&f);
        struct remote_file *file = read_file(&f, ",\"tools\":[\"nothing\"]");
        mem_fail_nth(nth);
        code = remote_tools_use(f.remote, file);
        mem_fail_nth(0);
        remote_file_unref(file);
        start(&f, "s_t");
        rig_wait("called", &f.rig, 1);
        EXPECT_INT("the old ones or the new ones", f.call.op.err.code,
                   code == ERR_OK ? ERR_NOT_FOUND : ERR_OK);
        end(&f);
    }
}

RUN_TESTS(T(calls_disturbed_at_every_turn), T(learning_disturbed_at_every_turn),
          T(a_call_that_nobody_allowed_is_refused), T(without_memory_the_old_tools_stay))

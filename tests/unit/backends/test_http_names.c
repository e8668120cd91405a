/* SPDX-License-Identifier: MIT */
/* Names whose addresses change: what may only reach public addresses (tools, MCP servers) never
 * connects to this machine, whichever of its lookups or answers says so. The address that is judged
 * is the one that is connected to, and there is one lookup for both. */
#include <stdlib.h>

#include "backends/remote/remote_tools.h"
#include "core/base/log.h"
#include "tests/lib/fake_names.h"
#include "tests/unit/backends/stub_server.h"

#define NAME   "moves.test"
#define PUBLIC "8.8.8.8"

static const struct str fine = STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");

struct names_rig {
    struct rig rig;
    struct stub_server server;
    struct http_client *client;
    char url[80]; /* of the server, by NAME */
};

static const struct {
    const char *what;
    const char *answers[3]; /* of one lookup after the other */
} worlds[] = {
    {"private at once", {"127.0.0.1"}},
    {"public, and private behind it", {PUBLIC " 127.0.0.1"}},
    {"private, and public behind it", {"127.0.0.1 " PUBLIC}},
    {"public at first, private when asked again", {PUBLIC, "127.0.0.1", "127.0.0.1"}},
    {"private when asked a third time", {PUBLIC, PUBLIC, "127.0.0.1"}},
    {"IPv6 of this machine", {PUBLIC " ::1"}},
    {"IPv4 in IPv6", {PUBLIC " ::ffff:127.0.0.1"}},
    {"by a translator", {"64:ff9b::7f00:1"}},
    {"a private network", {"10.0.0.1 192.168.1.1 169.254.169.254 fd00::1"}},
    {"nobody's", {"0.0.0.0 ::"}},
};

static void begin(struct names_rig *f, const char *const *answers)
{
    size_t count = 0;
    *f = (struct names_rig){0};
    setenv("no_proxy", "*", 1);
    rig_begin(&f->rig);
    stub_server_start(&f->server, &f->rig, fine, STUB_KEEP);
    snprintf(f->url, sizeof f->url, "http://" NAME "%s", strrchr(f->server.url, ':'));
    f->client = http_client_create(
        f->rig.loop, &(struct http_client_options){.spread = 2, .only_libcurl = true});
    assert_non_null(f->client);
    while (count < 3 && answers[count] != NULL)
        count++;
    fake_names_set(NAME, answers, count);
}

static void end(struct names_rig *f)
{
    http_client_close(f->client, rig_on_closed, &f->rig);
    stub_server_stop(&f->server);
    rig_end(&f->rig);
}

static void on_head(struct http_call *call)
{
    (void)call;
}

static void on_body(struct http_call *call, struct str bytes)
{
    (void)call;
    (void)bytes;
}

static enum err_code ask(struct names_rig *f, bool only_public)
{
    struct http_call call = {0};
    unsigned before = f->rig.done_calls;
    const struct http_call_options options = {
        .url = f->url, .method = "GET", .only_public = only_public};
    http_call_start(&call, f->client, &options, on_head, on_body, rig_waiter(&f->rig));
    rig_wait("call", &f->rig, before + 1);
    enum err_code code = call.op.err.code;
    op_release(&call.op);
    return code;
}

/* Nothing of this machine was reached. */
static void expect_outside(const struct names_rig *f, const char *what)
{
    EXPECT_INT(what, fake_names_seen().inside, 0);
    EXPECT_INT(what, f->server.connections, 0);
}

TEST(a_name_that_moves_reaches_nothing_inside)
{
    TEST_EACH(world, worlds) {
        struct names_rig f;
        begin(&f, world->answers);
        for (unsigned i = 1; i <= 4; i++) {
            struct fake_names_seen before = fake_names_seen();
            enum err_code code = ask(&f, true);
            EXPECT_TRUE(world->what, code == ERR_DENIED || code == ERR_UNAVAILABLE);
            EXPECT_TRUE("one lookup for what is judged and what is connected to",
                        fake_names_seen().lookups <= before.lookups + 1);
            expect_outside(&f, world->what);
        }
        EXPECT_TRUE("it was looked up", fake_names_seen().lookups > 0);
        end(&f);
    }
}

/* The same name serves who may reach it, so what refuses is the address. */
TEST(who_may_reach_it_does)
{
    static const char *const answers[3] = {PUBLIC " 127.0.0.1"};
    struct names_rig f;
    begin(&f, answers);
    EXPECT_INT("allowed", ask(&f, false), ERR_OK);
    EXPECT_INT("by the second answer", fake_names_seen().outside, 1);
    EXPECT_INT("by the second answer", fake_names_seen().inside, 1);
    EXPECT_INT("no connection of another's is taken over", ask(&f, true), ERR_DENIED);
    EXPECT_INT("nothing came of it", f.server.requests, 1);
    end(&f);
}

/* Tools and MCP servers of a file, without "private". */
TEST(tools_reach_nothing_inside)
{
    static const struct str tools[] = {STR("plain"), STR("s_t")};
    TEST_EACH(world, worlds) {
        struct names_rig f;
        struct remote_file *file = NULL;
        struct log log = {.level = LOG_OFF};
        struct err err = {0};
        struct buf text;
        begin(&f, world->answers);
        buf_init(&text, 4096);
        buf_printf(&text,
                   "{\"allow\":[\"%s\"],\"http\":{\"plain\":{\"description\":\"d\",\"url\":\"%s\"}}"
                   ",\"mcp\":{\"s\":{\"url\":\"%s\"}}}",
                   f.url, f.url, f.url);
        if (remote_file_read("f", buf_str(&text), NULL, NULL, &file, &err) != ERR_OK)
            fail_msg("%s", err.text);
        struct remote *remote = remote_tools_create(f.rig.loop, f.client, file, &log);
        remote_file_unref(file);
        assert_non_null(remote);
        TEST_EACH(tool, tools) {
            struct remote_call call = {.name = *tool, .arguments = STR("{}")};
            unsigned before = f.rig.done_calls;
            remote_call_start(&call, remote, rig_waiter(&f.rig));
            rig_wait(world->what, &f.rig, before + 1);
            EXPECT_TRUE(world->what, call.op.err.code != ERR_OK || call.is_error);
            op_release(&call.op);
            expect_outside(&f, world->what);
        }
        EXPECT_TRUE("it was looked up", fake_names_seen().lookups > 0);
        remote_close(remote, NULL, NULL);
        buf_fini(&text);
        end(&f);
    }
}

RUN_TESTS(T(a_name_that_moves_reaches_nothing_inside), T(who_may_reach_it_does),
          T(tools_reach_nothing_inside))

/* SPDX-License-Identifier: MIT */
/* backends/remote: a token is got in three requests; whoever waits is cancelled at every turn of
 * them, alone and beside another. */
#include "backends/remote/remote_oauth.h"

#include "core/base/mem.h"
#include "tests/unit/backends/stub_server.h"

enum { REQUESTS = 3, TEXT_BYTES = 512, REPLY_BYTES = 1024 };

struct get_rig {
    struct rig rig;
    struct stub_server server;
    struct http_client *client;
    struct log log;
    struct remote_file *file;
    struct remote_oauth *oauth;
    struct remote_oauth_get one, two;
    char replies[REQUESTS][REPLY_BYTES];
    struct str script[REQUESTS];
};

static void set_reply(struct get_rig *f, size_t i, const char *body)
{
    int len = snprintf(f->replies[i], REPLY_BYTES,
                       "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       "Content-Length: %zu\r\n\r\n%s",
                       strlen(body), body);
    f->script[i] = str_make(f->replies[i], (size_t)len);
}

static void begin(struct get_rig *f)
{
    char text[TEXT_BYTES];
    struct err err = {0};
    *f = (struct get_rig){.log = {.level = LOG_OFF}};
    rig_begin(&f->rig);
    stub_server_start(&f->server, &f->rig, (struct str){NULL, 0}, STUB_KEEP);
    snprintf(text, sizeof text, "{\"resource\":\"%s\",\"authorization_servers\":[\"%s\"]}",
             f->server.url, f->server.url);
    set_reply(f, 0, text);
    snprintf(text, sizeof text,
             "{\"issuer\":\"%s\",\"token_endpoint\":\"%s\",\"grant_types_supported\":"
             "[\"client_credentials\"]}",
             f->server.url, f->server.url);
    set_reply(f, 1, text);
    set_reply(f, 2, "{\"access_token\":\"t\",\"token_type\":\"Bearer\",\"expires_in\":3600}");
    f->server.script = f->script;
    f->server.script_count = REQUESTS;
    f->client = http_client_create(f->rig.loop, &(struct http_client_options){.spread = 2});
    assert_non_null(f->client);
    snprintf(text, sizeof text,
             "{\"allow\":[\"%s\"],\"mcp\":{\"s\":{\"url\":\"%s\",\"private\":true,\"oauth\":"
             "{\"issuer\":\"%s\",\"client_id\":\"a\",\"client_secret\":\"b\"}}}}",
             f->server.url, f->server.url, f->server.url);
    if (remote_file_read("f", str_of(text), NULL, NULL, &f->file, &err) != ERR_OK)
        fail_msg("%s", err.text);
    f->oauth = remote_oauth_create(&(struct remote_oauth_options){f->rig.loop, f->client, f->file,
                                                                  &f->file->servers[0], &f->log});
    assert_non_null(f->oauth);
}

static void end(struct get_rig *f)
{
    op_release(&f->one.op);
    op_release(&f->two.op);
    remote_oauth_destroy(f->oauth);
    remote_file_unref(f->file);
    http_client_close(f->client, rig_on_closed, &f->rig);
    stub_server_stop(&f->server);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 1);
}

static void start(struct get_rig *f, struct remote_oauth_get *get)
{
    get->refused = remote_oauth_number(f->oauth);
    remote_oauth_get_start(get, f->oauth, rig_waiter(&f->rig));
}

TEST(a_token_is_got_and_kept)
{
    struct get_rig f;
    begin(&f);
    start(&f, &f.one);
    start(&f, &f.two);
    rig_wait("both", &f.rig, 2);
    EXPECT_INT("one", f.one.op.err.code, ERR_OK);
    EXPECT_INT("two", f.two.op.err.code, ERR_OK);
    EXPECT_STR("the token", remote_oauth_header(f.oauth), STR("Bearer t"));
    EXPECT_INT("for both", f.server.requests, REQUESTS);
    end(&f);
}

/* A request may be on its way when the last who waits gives up; none begins after that. */
static bool cancelled_after(unsigned turns)
{
    struct get_rig f;
    begin(&f);
    start(&f, &f.one);
    const bool is_over = rig_turn(&f.rig, turns, 1);
    const unsigned asked = f.server.requests;
    op_cancel(&f.one.op);
    op_cancel(&f.one.op);
    rig_wait("cancelled", &f.rig, 1);
    EXPECT_TRUE("how", f.one.op.err.code == (is_over ? ERR_OK : ERR_CANCELLED) ||
                           (f.one.op.err.code == ERR_OK && asked == REQUESTS));
    end(&f);
    EXPECT_TRUE("no more is asked", f.server.requests <= asked + 1);
    return is_over;
}

TEST(cancelled_at_every_turn)
{
    for (unsigned turns = 0; !cancelled_after(turns); turns++)
        EXPECT_TRUE("the sweep ends", turns < RIG_SWEEP_MAX);
}

/* Who is left gets the token. */
static bool one_of_two_cancelled_after(unsigned turns)
{
    struct get_rig f;
    begin(&f);
    start(&f, &f.one);
    start(&f, &f.two);
    const bool is_over = rig_turn(&f.rig, turns, 2);
    op_cancel(&f.one.op);
    rig_wait("both", &f.rig, 2);
    EXPECT_TRUE("how", f.one.op.err.code == ERR_OK || f.one.op.err.code == ERR_CANCELLED);
    EXPECT_INT("the other", f.two.op.err.code, ERR_OK);
    EXPECT_INT("requests", f.server.requests, REQUESTS);
    end(&f);
    return is_over;
}

TEST(one_of_two_is_cancelled_at_every_turn)
{
    for (unsigned turns = 0; !one_of_two_cancelled_after(turns); turns++)
        EXPECT_TRUE("the sweep ends", turns < RIG_SWEEP_MAX);
}

RUN_TESTS(T(a_token_is_got_and_kept), T(cancelled_at_every_turn),
          T(one_of_two_is_cancelled_at_every_turn))

/* SPDX-License-Identifier: MIT */
/* backends/llm_http against mockllm in its own process: every fault, cancel at every turn, flow
 * control, Azure, memory. */
#include "backends/models/llm_http.h"

#include "core/base/buf.h"
#include "tests/unit/backends/mock_process.h"
#include "tests/unit/backends/stub_server.h"

static const char key[] = "sk-very-secret";
static bool only_libcurl; /* no connections of the client's own */

struct chat_rig {
    struct rig rig;
    struct http_client *client;
    struct llm *llm;
    struct llm_chat chat;
    struct arena arena;
    struct llm_prompt prompt;
    struct buf heard; /* what on_text said */
    unsigned pieces, cancel_after, hold_after;
};

static const struct llm_message hello[] = {{LLM_SYSTEM, STR("You are terse.")},
                                           {LLM_USER, STR("Say \"hello\" \xc3\xbc\n")}};

static void hear(struct llm_chat *chat, struct str text)
{
    struct chat_rig *f = container_of(chat, struct chat_rig, chat);
    EXPECT_TRUE("text only between start and done", op_is_pending(&chat->op));
    EXPECT_TRUE("text is UTF-8", str_is_utf8(text));
    buf_push(&f->heard, text);
    if (++f->pieces == f->cancel_after)
        op_cancel(&chat->op);
    if (f->pieces == f->hold_after)
        op_hold(&chat->op);
}

static void chat_rig_begin(struct chat_rig *f, const struct llm_http_options *options)
{
    *f = (struct chat_rig){0};
    rig_begin(&f->rig);
    arena_init(&f->arena, 1 << 20);
    buf_init(&f->heard, 1 << 20);
    f->client = http_client_create(f->rig.loop, &(struct http_client_options){
                                                 .spread = 2, .only_libcurl = only_libcurl});
    assert_non_null(f->client);
    f->llm = llm_http_create(f->rig.loop, f->client, options);
    assert_non_null(f->llm);
    f->prompt = (struct llm_prompt){.task = "test",
                                    .messages = hello,
                                    .message_count = 2,
                                    .temperature = -1,
                                    .arena = &f->arena};
}

static void on_llm_closed(void *owner)
{
    struct chat_rig *f = owner;
    f->rig.closed_calls++;
    http_client_close(f->client, rig_on_closed, &f->rig);
}

static void chat_rig_end(struct chat_rig *f)
{
    op_release(&f->chat.op);
    llm_close(f->llm, on_llm_closed, f);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 2);
    buf_fini(&f->heard);
    arena_fini(&f->arena);
}

enum { SOON_MS = 150, PATIENCE_MS = 300000, LONG_MS = 1500 };

/* Patient: the mock is another process, on a busy machine. */
static struct llm_http_options options_for(const char *base_url, const char *model)
{
    return (struct llm_http_options){.base_url = base_url,
                                     .url_variable = "OPENAI_BASE_URL",
                                     .api_key = key,
                                     .key_variable = "OPENAI_API_KEY",
                                     .model = model,
                                     .temperature = 0.1,
                                     .connect_ms = PATIENCE_MS,
                                     .first_token_ms = PATIENCE_MS,
                                     .idle_ms = PATIENCE_MS,
                                     .total_ms = 2 * PATIENCE_MS};
}

static const struct {
    const char *name, *model;
    enum err_code want;
    const char *text;                 /* of the answer; on failure what had come */
    const char *message;              /* part of the error's text */
    uint64_t first_token_ms, idle_ms; /* 0: patient */
} faults[] = {
    {"plain", "mock", ERR_OK, "word0 word1 word2 word3 word4 word5", ""},
    {"one token", "mock-tokens-1", ERR_OK, "word0", ""},
    {"bytes one by one", "mock-split-utf8-tokens-2", ERR_OK, "word0 word1", ""},
    {"CRLF", "mock-crlf-tokens-2", ERR_OK, "word0 word1", ""},
    {"comments", "mock-comments-tokens-2", ERR_OK, "word0 word1", ""},
    {"no usage", "mock-no-usage-tokens-2", ERR_OK, "word0 word1", ""},
    {"no [DONE]", "mock-no-done-tokens-2", ERR_OK, "word0 word1", ""},
    {"open after [DONE]", "mock-linger-tokens-2", ERR_OK, "word0 word1", ""},
    {"one JSON", "mock-whole-tokens-2", ERR_OK, "word0 word1", ""},
    {"length", "mock-length-tokens-2", ERR_OK, "word0 word1", ""},
    {"slow first token", "mock-slow-first-60-tokens-1", ERR_OK, "word0", ""},
    {"cut", "mock-cut-2", ERR_UNAVAILABLE, "word0 word1", ""},
    {"stalled", "mock-stall-2", ERR_TIMEOUT, "word0 word1", "nothing more came", 0, SOON_MS},
    {"silent", "mock-silent", ERR_TIMEOUT, "", "there was no answer", SOON_MS},
    {"too slow first token", "mock-slow-first-600000", ERR_TIMEOUT, "", "there was no answer",
     SOON_MS},
    {"error within", "mock-error-mid-2", ERR_UNAVAILABLE, "word0 word1", "overloaded"},
    {"garbage within", "mock-garbage", ERR_PROTOCOL, "word0", ""},
    {"no JSON", "mock-nonjson", ERR_PROTOCOL, "", "check OPENAI_BASE_URL"},
    {"401", "mock-401", ERR_DENIED, "", "check OPENAI_API_KEY"},
    {"404", "mock-404", ERR_REJECTED, "", "does not know 'mock-404'"},
    {"429", "mock-429-100", ERR_BUSY, "", "Rate limit"},
    {"500", "mock-500-100", ERR_UNAVAILABLE, "", "500"},
    {"503", "mock-503-100", ERR_UNAVAILABLE, "", "503"},
};

TEST(every_fault)
{
    struct mock_process mock;
    mock_process_start(&mock, "0");
    TEST_EACH(c, faults) {
        struct chat_rig f;
        struct llm_http_options options = options_for(mock.base_url, c->model);
        options.first_token_ms = c->first_token_ms == 0 ? PATIENCE_MS : c->first_token_ms;
        options.idle_ms = c->idle_ms == 0 ? PATIENCE_MS : c->idle_ms;
        chat_rig_begin(&f, &options);
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        EXPECT_INT(c->name, f.rig.done_calls, 0);
        rig_wait(c->name, &f.rig, 1);
        if (f.chat.op.err.code != c->want || strstr(f.chat.op.err.text, c->message) == NULL)
            fail_msg("%s: %s: %s", c->name, err_name(f.chat.op.err.code), f.chat.op.err.text);
        EXPECT_STR(c->name, f.chat.text, str_of(c->text));
        EXPECT_STR(c->name, buf_str(&f.heard), str_of(c->text));
        EXPECT_TRUE(c->name, strstr(f.chat.op.err.text, key) == NULL);
        chat_rig_end(&f);
    }
    mock_process_stop(&mock);
}

static enum err_code chat_once(struct chat_rig *f)
{
    unsigned before = f->rig.done_calls;
    op_release(&f->chat.op);
    llm_chat_start(&f->chat, f->llm, &f->prompt, hear, rig_waiter(&f->rig));
    rig_wait("chat", &f->rig, before + 1);
    return f->chat.op.err.code;
}

TEST(usage_model_and_retry_after)
{
    struct mock_process mock;
    struct chat_rig f;
    mock_process_start(&mock, "0");
    struct llm_http_options options = options_for(mock.base_url, "mock-tokens-4");
    chat_rig_begin(&f, &options);
    EXPECT_INT("chat", chat_once(&f), ERR_OK);
    EXPECT_INT("prompt", f.chat.usage.prompt_tokens, 12);
    EXPECT_INT("completion", f.chat.usage.completion_tokens, 4);
    EXPECT_TRUE("told", !f.chat.usage.estimated);
    EXPECT_STR("model", f.chat.model, STR("mock-tokens-4"));
    EXPECT_INT("not cut", f.chat.finish, LLM_FINISH_STOP);
    chat_rig_end(&f);

    options = options_for(mock.base_url, "mock-no-usage-length-tokens-3");
    chat_rig_begin(&f, &options);
    EXPECT_INT("chat", chat_once(&f), ERR_OK);
    EXPECT_INT("counted", f.chat.usage.completion_tokens, 3);
    EXPECT_TRUE("estimated", f.chat.usage.estimated);
    EXPECT_INT("cut by length", f.chat.finish, LLM_FINISH_LENGTH);
    chat_rig_end(&f);

    options = options_for(mock.base_url, "mock-429-1-retry-after-70");
    chat_rig_begin(&f, &options);
    EXPECT_INT("busy", chat_once(&f), ERR_BUSY);
    EXPECT_INT("retry after", f.chat.retry_after_ms, 70);
    EXPECT_INT("then well, on the same connection", chat_once(&f), ERR_OK);
    chat_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(azure_dialect)
{
    struct mock_process mock;
    struct chat_rig f;
    mock_process_start(&mock, "0");
    mock.base_url[strlen(mock.base_url) - 3] = '\0'; /* the resource, without /v1 */
    struct llm_http_options options = options_for(mock.base_url, "mock-tokens-2");
    options.wire = MODEL_WIRE_AZURE;
    options.api_version = "2024-06-01";
    chat_rig_begin(&f, &options);
    assert_string_equal(f.llm->vtable->name, "azure");
    EXPECT_INT("chat", chat_once(&f), ERR_OK);
    EXPECT_STR("text", f.chat.text, STR("word0 word1"));
    EXPECT_STR("deployment", f.chat.model, STR("mock-tokens-2"));
    chat_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(not_configured_and_not_there)
{
    struct chat_rig f;
    struct err err;
    struct llm_http_options options = options_for("http://127.0.0.1:9/v1", "m");
    options.api_key = "";
    chat_rig_begin(&f, &options);
    EXPECT_INT("ready", llm_ready(f.llm, &err), ERR_NOT_CONFIGURED);
    EXPECT_INT("no key", chat_once(&f), ERR_NOT_CONFIGURED);
    EXPECT_TRUE("named", strstr(f.chat.op.err.text, "OPENAI_API_KEY") != NULL);
    chat_rig_end(&f);

    options.key_optional = true;
    chat_rig_begin(&f, &options);
    EXPECT_INT("refused", chat_once(&f), ERR_UNAVAILABLE);
    EXPECT_TRUE("what to do", strstr(f.chat.op.err.text, "check OPENAI_BASE_URL") != NULL);
    chat_rig_end(&f);

    options = options_for("ftp://127.0.0.1/", "m");
    chat_rig_begin(&f, &options);
    EXPECT_INT("not HTTP", chat_once(&f), ERR_INVALID);
    chat_rig_end(&f);
}

TEST(the_key_is_never_repeated)
{
    static const struct str reply =
        STR("HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: 71\r\n\r\n"
            "{\"error\":{\"message\":\"Incorrect API key provided: sk-very-secret. Bye\"}}");
    struct chat_rig f;
    struct stub_server server;
    struct llm_http_options options = options_for("", "m");
    chat_rig_begin(&f, &options);
    stub_server_start(&server, &f.rig, reply, STUB_KEEP);
    llm_close(f.llm, NULL, NULL); /* the server's address is known only now */
    options.base_url = server.url;
    f.llm = llm_http_create(f.rig.loop, f.client, &options);
    assert_non_null(f.llm);
    EXPECT_INT("chat", chat_once(&f), ERR_DENIED);
    EXPECT_TRUE("the reason is", strstr(f.chat.op.err.text, "Incorrect API key") != NULL);
    EXPECT_TRUE("the key is not", strstr(f.chat.op.err.text, key) == NULL);
    stub_server_stop(&server);
    chat_rig_end(&f);
}

TEST(cancelled_at_every_turn)
{
    struct mock_process mock;
    mock_process_start(&mock, "200");
    struct llm_http_options options = options_for(mock.base_url, "mock-tokens-8");
    for (unsigned turn = 0; turn <= 40; turn++) {
        struct chat_rig f;
        chat_rig_begin(&f, &options);
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, turn);
        op_cancel(&f.chat.op);
        op_cancel(&f.chat.op);
        rig_wait("cancelled", &f.rig, 1);
        EXPECT_INT("code", f.chat.op.err.code, ERR_CANCELLED);
        chat_rig_end(&f);
        EXPECT_INT("done calls", f.rig.done_calls, 1);
    }
    for (unsigned piece = 1; piece <= 6; piece++) {
        struct chat_rig f;
        chat_rig_begin(&f, &options);
        f.cancel_after = piece;
        EXPECT_INT("cancelled from on_text", chat_once(&f), ERR_CANCELLED);
        EXPECT_INT("nothing more was heard", f.pieces, piece);
        EXPECT_STR("what had come", f.chat.text, buf_str(&f.heard));
        chat_rig_end(&f);
    }
    mock_process_stop(&mock);
}

TEST(closed_at_every_turn)
{
    struct mock_process mock;
    mock_process_start(&mock, "200");
    struct llm_http_options options = options_for(mock.base_url, "mock-tokens-8");
    for (unsigned turn = 0; turn <= 30; turn += 3) {
        struct chat_rig f;
        chat_rig_begin(&f, &options);
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        loop_turn(f.rig.loop, turn);
        llm_close(f.llm, on_llm_closed, &f);
        rig_end(&f.rig);
        EXPECT_INT("done calls", f.rig.done_calls, 1);
        EXPECT_INT("closed", f.rig.closed_calls, 2);
        EXPECT_INT("code", f.chat.op.err.code, ERR_CANCELLED);
        buf_fini(&f.heard);
        arena_fini(&f.arena);
    }
    mock_process_stop(&mock);
}

/* Waits for I/O: the mock may take its time. */
static void turn_until_held(struct chat_rig *f)
{
    unsigned before = f->rig.done_calls;
    while (f->pieces < f->hold_after && f->rig.done_calls == before)
        if (loop_run_dry(f->rig.loop, 1))
            break;
    EXPECT_TRUE("held", f->pieces >= f->hold_after);
}

TEST(held_then_let_go)
{
    struct mock_process mock;
    struct chat_rig f;
    mock_process_start(&mock, "0");
    struct llm_http_options options = options_for(mock.base_url, "mock-tokens-20000");
    options.idle_ms = LONG_MS;
    chat_rig_begin(&f, &options);
    llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
    f.hold_after = 3;
    turn_until_held(&f);
    unsigned before = f.pieces;
    uint64_t until_ns = loop_precise_ns() + UINT64_C(1200000) * LONG_MS;
    while (loop_precise_ns() < until_ns)
        loop_turn(f.rig.loop, 1); /* longer than idle_ms: our silence is not the server's */
    EXPECT_INT("nothing came while held", f.pieces, before);
    EXPECT_INT("not done", f.rig.done_calls, 0);
    op_go(&f.chat.op);
    EXPECT_INT("nothing came inside go", f.pieces, before);
    rig_wait("done", &f.rig, 1);
    if (f.chat.op.err.code != ERR_OK)
        fail_msg("%s", f.chat.op.err.text);
    EXPECT_INT("all", f.pieces, 20000);

    op_release(&f.chat.op);
    llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
    f.hold_after = f.pieces + 3;
    turn_until_held(&f);
    loop_turn(f.rig.loop, 20);
    op_cancel(&f.chat.op);
    rig_wait("cancelled while held", &f.rig, 2);
    EXPECT_INT("cancelled while held", f.chat.op.err.code, ERR_CANCELLED);
    chat_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(copes_without_memory)
{
    struct mock_process mock;
    mock_process_start(&mock, "0");
    struct llm_http_options options = options_for(mock.base_url, "mock-tokens-3");
    unsigned failures = 0;
    for (uint64_t n = 1; n < 200; n++) {
        struct chat_rig f;
        chat_rig_begin(&f, &options);
        mem_fail_nth(n);
        llm_chat_start(&f.chat, f.llm, &f.prompt, NULL, rig_waiter(&f.rig));
        rig_wait("chat", &f.rig, 1);
        mem_fail_nth(0);
        bool is_well = f.chat.op.err.code == ERR_OK;
        EXPECT_INT("done once", f.rig.done_calls, 1);
        failures += !is_well;
        chat_rig_end(&f);
        if (is_well)
            break;
    }
    EXPECT_TRUE("it failed, then it did not", failures >= 3 && failures < 199);
    mock_process_stop(&mock);
}

TEST(a_token_allocates_nothing)
{
    struct mock_process mock;
    struct chat_rig f;
    mock_process_start(&mock, "0");
    uint64_t count[2];
    for (unsigned i = 0; i < 2; i++) {
        struct llm_http_options options =
            options_for(mock.base_url, i == 0 ? "mock-tokens-100" : "mock-tokens-1000");
        chat_rig_begin(&f, &options);
        uint64_t before = mem_alloc_count();
        llm_chat_start(&f.chat, f.llm, &f.prompt, NULL, rig_waiter(&f.rig));
        rig_wait("chat", &f.rig, 1);
        count[i] = mem_alloc_count() - before;
        chat_rig_end(&f);
    }
    EXPECT_TRUE("ten times the tokens, a few doublings of one buffer", count[1] <= count[0] + 8);
    mock_process_stop(&mock);
}

static const struct {
    const char *name;
    unsigned events;
    size_t event_bytes;
    unsigned pieces;
} bursts[] = {
    {"one", 1, 10, 1},
    {"the first is not kept, the others are joined", 60, 10, 2},
    {"no more than 4096 bytes are", 5, 1500, 3},
    {"what is long alone stays whole", 2, 6000, 2},
};

/* A chat with a server that answers so. */
static void stub_begin(struct chat_rig *f, struct stub_server *server, struct str reply,
                       enum stub_after after)
{
    struct llm_http_options options = options_for("", "m");
    chat_rig_begin(f, &options);
    stub_server_start(server, &f->rig, reply, after);
    llm_close(f->llm, NULL, NULL);
    options.base_url = server->url;
    f->llm = llm_http_create(f->rig.loop, f->client, &options);
    assert_non_null(f->llm);
}

/* A chat with a server that says so many events of so many bytes in one write: reply, which it
 * borrows. */
static void burst_begin(struct chat_rig *f, struct stub_server *server, unsigned events,
                        size_t event_bytes, struct buf *reply)
{
    buf_init(reply, 1 << 16);
    buf_push(reply, STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"));
    for (unsigned i = 0; i < events; i++)
        buf_printf(reply, "data: {\"choices\":[{\"delta\":{\"content\":\"%0*u\"}}]}\n\n",
                   (int)event_bytes, i);
    buf_push(reply, STR("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                        "data: [DONE]\n\n"));
    stub_begin(f, server, buf_str(reply), STUB_CLOSE);
}

static void burst_end(struct chat_rig *f, struct stub_server *server, struct buf *reply)
{
    stub_server_stop(server);
    chat_rig_end(f);
    buf_fini(reply);
}

TEST(what_comes_in_one_write_is_relayed_in_one)
{
    TEST_EACH(c, bursts) {
        struct chat_rig f;
        struct stub_server server;
        struct buf reply;
        burst_begin(&f, &server, c->events, c->event_bytes, &reply);
        EXPECT_INT(c->name, chat_once(&f), ERR_OK);
        EXPECT_INT(c->name, f.pieces, c->pieces);
        EXPECT_INT("whole", buf_len(&f.heard), c->events * c->event_bytes);
        EXPECT_STR("what was heard is the answer", f.chat.text, buf_str(&f.heard));
        EXPECT_INT("each is counted", f.chat.usage.completion_tokens, c->events);
        burst_end(&f, &server, &reply);
    }
}

TEST(cancelled_by_each_piece_of_one_write)
{
    enum { EVENTS = 5, BYTES = 1500, PIECES = 3 };
    for (unsigned piece = 1; piece <= PIECES; piece++) {
        struct chat_rig f;
        struct stub_server server;
        struct buf reply;
        burst_begin(&f, &server, EVENTS, BYTES, &reply);
        f.cancel_after = piece;
        /* the last piece comes with the answer's end, which is decided then */
        EXPECT_INT("how", chat_once(&f), piece < PIECES ? ERR_CANCELLED : ERR_OK);
        EXPECT_INT("nothing more was heard", f.pieces, piece);
        EXPECT_STR("what had come", f.chat.text, buf_str(&f.heard));
        burst_end(&f, &server, &reply);
        EXPECT_INT("once", f.rig.done_calls, 1);
    }
}

static void hear_enough(struct llm_chat *chat, struct str text UNUSED)
{
    chat->is_enough = true;
}

/* Calls whose callers have what they need go on for their usage; but each has a connection, so of
 * many the one that was enough first ends. */
static void hear_for_usage_alone(void)
{
    enum { MOST = 64 };
    struct chat_rig f;
    struct stub_server server;
    struct llm_chat *chats = mem_zalloc(MOST + 1, sizeof *chats);
    assert_non_null(chats);
    stub_begin(&f, &server,
               STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                   "data: {\"choices\":[{\"delta\":{\"content\":\"GENERAL\"}}]}\n\n"),
               STUB_KEEP);
    for (unsigned i = 0; i <= MOST; i++) {
        EXPECT_INT("all go on", f.rig.done_calls, 0);
        llm_chat_start(&chats[i], f.llm, &f.prompt, hear_enough, rig_waiter(&f.rig));
        while (!chats[i].is_enough)
            loop_turn(f.rig.loop, 1);
    }
    rig_wait("one ends", &f.rig, 1);
    EXPECT_TRUE("the first", !op_is_pending(&chats[0].op));
    EXPECT_INT("well", chats[0].op.err.code, ERR_OK);
    EXPECT_INT("by itself", chats[0].finish, LLM_FINISH_STOP);
    EXPECT_STR("with its text", chats[0].text, STR("GENERAL"));
    EXPECT_TRUE("what it took is counted", chats[0].usage.estimated);
    for (unsigned i = 1; i <= MOST; i++)
        op_cancel(&chats[i].op);
    rig_wait("all end", &f.rig, MOST + 1);
    for (unsigned i = 0; i <= MOST; i++)
        op_release(&chats[i].op);
    stub_server_stop(&server);
    chat_rig_end(&f);
    mem_free(chats);
}

TEST(what_is_heard_for_usage_alone_is_bounded)
{
    for (unsigned i = 0; i < 2; i++) {
        only_libcurl = i > 0; /* where the one that ends may be in the same handle */
        hear_for_usage_alone();
    }
    only_libcurl = false;
}

/* Who has enough may cancel in the same moment. */
static void hear_and_cancel(struct llm_chat *chat, struct str text UNUSED)
{
    chat->is_enough = true;
    op_cancel(&chat->op);
}

TEST(enough_and_cancelled_at_once)
{
    struct chat_rig f;
    struct stub_server server;
    stub_begin(&f, &server,
               STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                   "data: {\"choices\":[{\"delta\":{\"content\":\"GENERAL\"}}]}\n\n"),
               STUB_KEEP);
    llm_chat_start(&f.chat, f.llm, &f.prompt, hear_and_cancel, rig_waiter(&f.rig));
    rig_wait("ends", &f.rig, 1);
    EXPECT_INT("cancelled", f.chat.op.err.code, ERR_CANCELLED);
    EXPECT_STR("with what had come", f.chat.text, STR("GENERAL"));
    stub_server_stop(&server);
    chat_rig_end(&f);
}

static const char calls_script[] =
    "{\"match\":\"\",\"reply\":\"Let me look. \",\"calls\":["
    "{\"name\":\"f\",\"arguments\":{\"sql\":\"SELECT \\\"a\\\" FROM t\"}},"
    "{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":\"{broken\"}]}\n";

static const struct {
    const char *name, *model;
    enum model_wire wire;
    bool without_tools;
} callers[] = {
    {"OpenAI", "mock", MODEL_WIRE_OPENAI},
    {"bytes one by one", "mock-split-utf8-crlf", MODEL_WIRE_OPENAI},
    {"one number for all", "mock-same-index", MODEL_WIRE_OPENAI},
    {"new ids", "mock-new-ids", MODEL_WIRE_OPENAI},
    {"no numbers", "mock-no-index", MODEL_WIRE_OPENAI},
    {"Anthropic", "mock", MODEL_WIRE_ANTHROPIC},
    {"nobody offered tools", "mock", MODEL_WIRE_OPENAI, .without_tools = true},
};

static const struct llm_tool two_tools[] = {
    {STR("f"), STR("Runs."), STR("{\"type\":\"object\"}")},
    {STR("g"), STR("Goes."), STR("{\"type\":\"object\"}")},
};

TEST(calls_of_tools)
{
    struct mock_process mock;
    char path[] = "/tmp/test_llm_http_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, calls_script, sizeof calls_script - 1), sizeof calls_script - 1);
    close(fd);
    mock_process_start_scripted(&mock, "0", path);
    TEST_EACH(c, callers) {
        struct chat_rig f;
        struct llm_http_options options = options_for(mock.base_url, c->model);
        options.wire = c->wire;
        options.max_output_tokens = 100;
        chat_rig_begin(&f, &options);
        f.prompt.tools = two_tools;
        f.prompt.tool_count = c->without_tools ? 0 : 2;
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        rig_wait(c->name, &f.rig, 1);
        if (f.chat.op.err.code != ERR_OK)
            fail_msg("%s: %s", c->name, f.chat.op.err.text);
        EXPECT_INT(c->name, f.chat.call_count, c->without_tools ? 0 : 3);
        if (!c->without_tools) {
            EXPECT_STR(c->name, buf_str(&f.heard), STR("Let me look. "));
            EXPECT_INT(c->name, f.chat.finish, LLM_FINISH_TOOL_CALL);
            EXPECT_STR(c->name, f.chat.calls[0].name, STR("f"));
            EXPECT_STR(c->name, f.chat.calls[0].arguments,
                       STR("{\"sql\":\"SELECT \\\"a\\\" FROM t\"}"));
            EXPECT_STR(c->name, f.chat.calls[1].arguments, STR("{}"));
            EXPECT_STR(c->name, f.chat.calls[2].name, STR("g"));
            EXPECT_STR(c->name, f.chat.calls[2].arguments, STR("{broken"));
            EXPECT_TRUE(c->name, !str_equal(f.chat.calls[0].id, f.chat.calls[1].id));
        }
        chat_rig_end(&f);
    }
    mock_process_stop(&mock);
    unlink(path);
}

static const char text_calls_script[] =
    "{\"match\":\"\",\"reply\":\"Let me look. \",\"calls\":["
    "{\"name\":\"f\",\"arguments\":{\"x\":[1]}},{\"name\":\"g\",\"arguments\":{}}]}\n";

TEST(calls_in_the_text)
{
    static const char *const models[] = {"mock-calls-in-text", "mock-object-arguments"};
    struct mock_process mock;
    char path[] = "/tmp/test_llm_http_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text_calls_script, sizeof text_calls_script - 1),
                     sizeof text_calls_script - 1);
    close(fd);
    mock_process_start_scripted(&mock, "0", path);
    for (size_t i = 0; i < countof(models); i++) {
        struct chat_rig f;
        struct llm_http_options options = options_for(mock.base_url, models[i]);
        chat_rig_begin(&f, &options);
        f.prompt.tools = two_tools;
        f.prompt.tool_count = 2;
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        rig_wait(models[i], &f.rig, 1);
        EXPECT_INT(models[i], f.chat.call_count, 2);
        EXPECT_STR(models[i], f.chat.calls[0].arguments, STR("{\"x\":[1]}"));
        EXPECT_STR(models[i], f.chat.calls[1].name, STR("g"));
        EXPECT_TRUE(models[i], str_starts_with(buf_str(&f.heard), STR("Let me look.")));
        EXPECT_TRUE("nobody heard of a call", str_find_char(buf_str(&f.heard), '{') == STR_NONE);
        EXPECT_TRUE("each has an id", f.chat.calls[0].id.len > 0);
        chat_rig_end(&f);
    }
    mock_process_stop(&mock);
    unlink(path);
}

RUN_TESTS(T(what_comes_in_one_write_is_relayed_in_one), T(cancelled_by_each_piece_of_one_write),
          T(what_is_heard_for_usage_alone_is_bounded), T(enough_and_cancelled_at_once),
          T(calls_of_tools), T(calls_in_the_text), T(every_fault), T(usage_model_and_retry_after),
          T(azure_dialect), T(not_configured_and_not_there), T(the_key_is_never_repeated),
          T(cancelled_at_every_turn), T(closed_at_every_turn), T(held_then_let_go),
          T(copes_without_memory), T(a_token_allocates_nothing))

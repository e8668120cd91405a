/* SPDX-License-Identifier: MIT */
/* What every llm over HTTP promises, by the same tests over each wire: how answers end, what is
 * sent again, what is learned. mockllm commits the quirks from its own process. */
#include "backends/models/llm_http.h"
#include "core/base/buf.h"
#include "tests/lib/starve.h"
#include "tests/unit/backends/mock_process.h"
#include "tests/unit/backends/rig.h"

enum { PATIENCE_MS = 300000, SOON_MS = 150, TURNS = 40 };

static const struct maker { /* one implementation */
    const char *name;
    enum model_wire wire;
    bool is_resource; /* its base is without /v1 */
} makers[] = {
    {"openai", MODEL_WIRE_OPENAI, false},
    {"azure", MODEL_WIRE_AZURE, true},
    {"anthropic", MODEL_WIRE_ANTHROPIC, true},
};

static struct mock_process mock; /* of the whole program */

struct contract {
    struct rig rig;
    struct http_client *client;
    struct llm *llm;
    struct llm_chat chat;
    struct arena arena;
    struct llm_prompt prompt;
    struct buf heard;
    char base_url[sizeof mock.base_url];
    unsigned pieces, cancel_after;
};

static const struct llm_message hello[] = {{LLM_SYSTEM, STR("You are terse.")},
                                           {LLM_USER, STR("Say \"hello\" \xc3\xbc\n")}};

static void hear(struct llm_chat *chat, struct str text)
{
    struct contract *f = container_of(chat, struct contract, chat);
    EXPECT_TRUE("only between start and done", op_is_pending(&chat->op));
    buf_push(&f->heard, text);
    if (++f->pieces == f->cancel_after)
        op_cancel(&chat->op);
}

static void contract_begin(struct contract *f, const struct maker *maker, const char *model,
                           struct llm_http_options options)
{
    *f = (struct contract){0};
    rig_begin(&f->rig);
    arena_init(&f->arena, 1 << 20);
    buf_init(&f->heard, 1 << 20);
    memcpy(f->base_url, mock.base_url, sizeof f->base_url);
    if (maker->is_resource)
        f->base_url[strlen(f->base_url) - STR("/v1").len] = '\0';
    options.wire = maker->wire;
    options.base_url = f->base_url;
    options.url_variable = "THE_URL";
    options.key_variable = "THE_KEY";
    options.model = model;
    options.api_version = "2024-10-21";
    options.max_output_tokens = 4000;
    options.connect_ms = PATIENCE_MS;
    options.total_ms = 2 * PATIENCE_MS;
    if (options.api_key == NULL && !options.key_optional)
        options.api_key = "sk-very-secret";
    if (options.first_token_ms == 0)
        options.first_token_ms = PATIENCE_MS;
    if (options.idle_ms == 0)
        options.idle_ms = PATIENCE_MS;
    f->client = http_client_create(f->rig.loop, &(struct http_client_options){.spread = 2});
    f->llm = llm_http_create(f->rig.loop, f->client, &options);
    assert_non_null(f->llm);
    f->prompt = (struct llm_prompt){.task = "test",
                                    .messages = hello,
                                    .message_count = 2,
                                    .temperature = 0.1,
                                    .arena = &f->arena};
}

static void on_llm_closed(void *owner)
{
    struct contract *f = owner;
    f->rig.closed_calls++;
    http_client_close(f->client, rig_on_closed, &f->rig);
}

static void contract_end(struct contract *f)
{
    op_release(&f->chat.op);
    llm_close(f->llm, on_llm_closed, f);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 2);
    buf_fini(&f->heard);
    arena_fini(&f->arena);
}

static enum err_code chat_once(struct contract *f)
{
    unsigned before = f->rig.done_calls;
    op_release(&f->chat.op);
    buf_clear(&f->heard);
    llm_chat_start(&f->chat, f->llm, &f->prompt, hear, rig_waiter(&f->rig));
    rig_wait("chat", &f->rig, before + 1);
    return f->chat.op.err.code;
}

/* ---- how many requests the server saw ---- */

struct asked {
    struct http_call call;
    struct buf body;
};

static void take_body(struct http_call *call, struct str bytes)
{
    struct asked *asked = call->user;
    buf_push(&asked->body, bytes);
}

static uint64_t count_requests(struct contract *f)
{
    struct asked asked = {.call = {.user = &asked}};
    char url[128];
    uint64_t count = 0;
    unsigned before = f->rig.done_calls;
    const char *path = strstr(f->base_url + STR("http://").len, "/");
    size_t len = path == NULL ? strlen(f->base_url) : (size_t)(path - f->base_url);
    snprintf(url, sizeof url, "%.*s/mock/stats", (int)len, f->base_url);
    buf_init(&asked.body, 1 << 12);
    http_call_start(&asked.call, f->client,
                    &(struct http_call_options){.url = url, .method = "GET"}, NULL, take_body,
                    rig_waiter(&f->rig));
    rig_wait("stats", &f->rig, before + 1);
    struct str rest = str_from(buf_str(&asked.body), STR("{\"requests\":").len);
    EXPECT_TRUE("a number", str_to_u64(str_split(&rest, ','), &count));
    op_release(&asked.call.op);
    buf_fini(&asked.body);
    return count;
}

/* ---- how answers end ---- */

enum which { ALL, OPENAI_ONLY }; /* quirks that only one wire can have */

static const struct {
    const char *name, *model;
    enum err_code want;
    enum llm_finish finish;
    const char *text;
    enum which which;
    uint64_t requests;
    bool had_reasoning;
} answers[] = {
    {"plain", "mock-tokens-2", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL, 1, false},
    {"in one piece", "mock-tokens-2-whole", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL, 1, false},
    {"byte by byte", "mock-tokens-2-split-utf8", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL, 1,
     false},
    {"cut by its limit", "mock-tokens-2-length", ERR_OK, LLM_FINISH_LENGTH, "word0 word1", ALL, 1,
     false},
    {"cut by a filter", "mock-tokens-2-filtered", ERR_OK, LLM_FINISH_FILTER, "word0 word1",
     OPENAI_ONLY, 1, false},
    {"a refusal", "mock-tokens-2-refusal", ERR_OK, LLM_FINISH_REFUSAL, "word0 word1", ALL, 1,
     false},
    {"a tool nobody offered", "mock-tool", ERR_OK, LLM_FINISH_TOOL_CALL, "", ALL, 2, false},
    {"no text, then some", "mock-tokens-2-empty-1", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL, 2,
     false},
    {"never any text", "mock-empty-1000000", ERR_OK, LLM_FINISH_EMPTY, "", ALL, 2, false},
    {"thoughts in the text", "mock-tokens-2-thinks", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL, 1,
     true},
    {"thoughts beside the text", "mock-tokens-2-reasoning", ERR_OK, LLM_FINISH_STOP, "word0 word1",
     ALL, 1, true},
    {"all thought away", "mock-tokens-2-overthinks", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL, 2,
     true},
    {"parts", "mock-tokens-2-parts", ERR_OK, LLM_FINISH_STOP, "word0 word1", OPENAI_ONLY, 1, false},
    {"parts in one piece", "mock-tokens-2-parts-whole", ERR_OK, LLM_FINISH_STOP, "word0 word1",
     OPENAI_ONLY, 1, false},
    {"other limit's name", "mock-tokens-2-newer-limit", ERR_OK, LLM_FINISH_STOP, "word0 word1",
     OPENAI_ONLY, 2, false},
    {"no limit", "mock-tokens-2-no-limit", ERR_OK, LLM_FINISH_STOP, "word0 word1", OPENAI_ONLY, 3,
     false},
    {"a small limit", "mock-tokens-2-small-limit", ERR_OK, LLM_FINISH_STOP, "word0 word1",
     OPENAI_ONLY, 2, false},
    {"no temperature", "mock-tokens-2-no-temperature", ERR_OK, LLM_FINISH_STOP, "word0 word1", ALL,
     2, false},
    {"no stream_options", "mock-tokens-2-no-stream-options", ERR_OK, LLM_FINISH_STOP, "word0 word1",
     OPENAI_ONLY, 2, false},
    {"nothing of all that", "mock-tokens-2-no-stream-options-no-temperature-no-limit", ERR_OK,
     LLM_FINISH_STOP, "word0 word1", OPENAI_ONLY, 5, false},
    {"an error within", "mock-error-mid-2", ERR_UNAVAILABLE, LLM_FINISH_STOP, "word0 word1", ALL, 1,
     false},
    {"a cut stream", "mock-cut-2", ERR_UNAVAILABLE, LLM_FINISH_STOP, "word0 word1", ALL, 1, false},
    {"overloaded", "mock-overloaded-1000000", ERR_UNAVAILABLE, LLM_FINISH_STOP, "", ALL, 1, false},
    {"too many", "mock-429-1000000", ERR_BUSY, LLM_FINISH_STOP, "", ALL, 1, false},
    {"a wrong key", "mock-401", ERR_DENIED, LLM_FINISH_STOP, "", ALL, 1, false},
    {"a filter's 403", "mock-moderated", ERR_REJECTED, LLM_FINISH_FILTER, "", ALL, 1, false},
    {"no chat server", "mock-nonjson", ERR_PROTOCOL, LLM_FINISH_STOP, "", ALL, 1, false},
};

TEST(answers_end_in_one_of_these_ways)
{
    TEST_EACH(maker, makers) {
        TEST_EACH(c, answers) {
            struct contract f;
            if (c->which == OPENAI_ONLY && maker->wire == MODEL_WIRE_ANTHROPIC)
                continue;
            contract_begin(&f, maker, c->model, (struct llm_http_options){0});
            uint64_t before = count_requests(&f);
            enum err_code code = chat_once(&f);
            if (code != c->want || f.chat.finish != c->finish)
                fail_msg("%s: %s: %s %s: %s", maker->name, c->name, err_name(code),
                         llm_finish_name(f.chat.finish), f.chat.op.err.text);
            EXPECT_STR(c->name, f.chat.text, str_of(c->text));
            EXPECT_STR(c->name, buf_str(&f.heard), str_of(c->text));
            EXPECT_INT(c->name, f.chat.had_reasoning, c->had_reasoning);
            EXPECT_INT(c->name, count_requests(&f) - before, c->requests);
            EXPECT_TRUE(c->name, strstr(f.chat.op.err.text, "very-secret") == NULL);
            contract_end(&f);
        }
    }
}

static const struct {
    const char *name, *model;
    enum which which;
} learned[] = {
    {"limit's name", "mock-newer-limit", OPENAI_ONLY},
    {"no limit", "mock-no-limit", OPENAI_ONLY},
    {"temperature", "mock-no-temperature", ALL},
    {"stream_options", "mock-no-stream-options", OPENAI_ONLY},
    {"response_format", "mock-no-json", ALL},
    {"room", "mock-overthinks", ALL},
};

TEST(what_is_learned_is_remembered)
{
    TEST_EACH(maker, makers) {
        TEST_EACH(c, learned) {
            struct contract f;
            if (c->which == OPENAI_ONLY && maker->wire == MODEL_WIRE_ANTHROPIC)
                continue;
            contract_begin(&f, maker, c->model, (struct llm_http_options){0});
            f.prompt.form = STR("{\"type\":\"object\"}");
            EXPECT_INT(c->name, chat_once(&f), ERR_OK);
            uint64_t before = count_requests(&f);
            EXPECT_INT(c->name, chat_once(&f), ERR_OK);
            EXPECT_INT(c->name, count_requests(&f) - before, 1);
            contract_end(&f);
        }
    }
}

/* A number that was too large says nothing about the next call, and costs a request again. */
TEST(a_number_is_not_remembered)
{
    struct contract f;
    contract_begin(&f, &makers[0], "mock-small-limit", (struct llm_http_options){0});
    EXPECT_INT("first", chat_once(&f), ERR_OK);
    uint64_t before = count_requests(&f);
    EXPECT_INT("again", chat_once(&f), ERR_OK);
    EXPECT_INT("both", count_requests(&f) - before, 2);
    f.prompt.max_output_tokens = 900;
    before = count_requests(&f);
    EXPECT_INT("small enough", chat_once(&f), ERR_OK);
    EXPECT_INT("one", count_requests(&f) - before, 1);
    contract_end(&f);
}

/* More room is asked for, refused, and not asked for again without need. */
TEST(room_that_is_not_there)
{
    TEST_EACH(maker, makers) {
        struct contract f;
        contract_begin(&f, maker, "mock-overthinks-small-limit-5000",
                       (struct llm_http_options){.traits = {.needs_room = true}});
        uint64_t before = count_requests(&f);
        EXPECT_INT(maker->name, chat_once(&f), ERR_OK);
        EXPECT_INT(maker->name, f.chat.finish, LLM_FINISH_LENGTH);
        EXPECT_TRUE("a few tries", count_requests(&f) - before <= 4);
        contract_end(&f);
    }
}

TEST(usage_is_told)
{
    TEST_EACH(maker, makers) {
        struct contract f;
        contract_begin(&f, maker, "mock-tokens-4-cached-5-reasoning",
                       (struct llm_http_options){.prices = {.input = 1e6, .output = 2e6}});
        EXPECT_INT(maker->name, chat_once(&f), ERR_OK);
        EXPECT_INT(maker->name, f.chat.usage.prompt_tokens, 12);
        EXPECT_INT(maker->name, f.chat.usage.cached_tokens, 5);
        EXPECT_INT(maker->name, f.chat.usage.completion_tokens, 4);
        EXPECT_INT(maker->name, f.chat.usage.reasoning_tokens,
                   maker->wire == MODEL_WIRE_ANTHROPIC ? 0 : 3); /* it does not tell */
        EXPECT_INT(maker->name, (int)f.chat.cost, 12 + 2 * 4);
        contract_end(&f);
    }
}

TEST(the_wait_is_for_the_text)
{
    TEST_EACH(maker, makers) {
        struct contract f;
        contract_begin(&f, maker, "mock-tokens-2-slow-after-role-600",
                       (struct llm_http_options){.idle_ms = SOON_MS});
        EXPECT_INT("a role is no text", chat_once(&f), ERR_OK);
        contract_end(&f);
        contract_begin(&f, maker, "mock-tokens-2-slow-after-role-600000",
                       (struct llm_http_options){.first_token_ms = SOON_MS});
        EXPECT_INT("nor does it end the wait", chat_once(&f), ERR_TIMEOUT);
        contract_end(&f);
        contract_begin(&f, maker, "mock-stall-2", (struct llm_http_options){.idle_ms = SOON_MS});
        EXPECT_INT("silence after text", chat_once(&f), ERR_TIMEOUT);
        contract_end(&f);
    }
}

TEST(a_server_with_nothing_left_is_left_alone)
{
    TEST_EACH(maker, makers) {
        struct contract f;
        contract_begin(&f, maker, "mock-tokens-2-spent-400", (struct llm_http_options){0});
        EXPECT_INT("first", chat_once(&f), ERR_OK);
        uint64_t began_ns = loop_precise_ns();
        EXPECT_INT("second", chat_once(&f), ERR_OK);
        EXPECT_TRUE("it waited", loop_precise_ns() - began_ns >= UINT64_C(250000000));
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        op_cancel(&f.chat.op);
        rig_wait("cancelled in the pause", &f.rig, f.rig.done_calls + 1);
        EXPECT_INT("cancelled in the pause", f.chat.op.err.code, ERR_CANCELLED);
        op_release(&f.chat.op);
        llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
        unsigned before = f.rig.done_calls;
        llm_close(f.llm, on_llm_closed, &f);
        rig_end(&f.rig);
        EXPECT_INT("closed in the pause", f.rig.done_calls, before + 1);
        EXPECT_INT("closed in the pause", f.chat.op.err.code, ERR_CANCELLED);
        buf_fini(&f.heard);
        arena_fini(&f.arena);
    }
}

TEST(a_local_server_sees_no_key)
{
    TEST_EACH(maker, makers) {
        struct contract f;
        contract_begin(&f, maker, "mock-tokens-2-keyless",
                       (struct llm_http_options){.key_optional = true});
        EXPECT_INT(maker->name, chat_once(&f), ERR_OK);
        contract_end(&f);
    }
}

TEST(thoughts_that_the_template_opens)
{
    TEST_EACH(maker, makers) {
        struct contract f;
        contract_begin(&f, maker, "mock-tokens-2-unopened",
                       (struct llm_http_options){.traits = {.starts_thinking = true}});
        EXPECT_INT(maker->name, chat_once(&f), ERR_OK);
        EXPECT_STR(maker->name, f.chat.text, STR("word0 word1"));
        contract_end(&f);
    }
}

/* On every way: plain, sent again after a refusal, asked again for text. */
TEST(cancelled_at_every_turn)
{
    static const char *const models[] = {"mock-tokens-8", "mock-no-temperature-tokens-8",
                                         "mock-empty-1000000"};
    TEST_EACH(maker, makers) {
        TEST_EACH(model, models) {
            for (unsigned turn = 0; turn <= TURNS; turn++) {
                struct contract f;
                contract_begin(&f, maker, *model, (struct llm_http_options){0});
                llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
                bool is_over = rig_turn(&f.rig, turn, 1);
                op_cancel(&f.chat.op);
                op_cancel(&f.chat.op);
                rig_wait("cancelled", &f.rig, 1);
                enum err_code code = f.chat.op.err.code;
                EXPECT_TRUE("cancelled, or decided before",
                            code == ERR_CANCELLED || code == ERR_OK);
                contract_end(&f);
                EXPECT_INT("done calls", f.rig.done_calls, 1);
                if (is_over)
                    break;
            }
        }
        struct contract f;
        contract_begin(&f, maker, "mock-tokens-8", (struct llm_http_options){0});
        f.cancel_after = 3;
        EXPECT_INT("from on_text", chat_once(&f), ERR_CANCELLED);
        EXPECT_INT("nothing more", f.pieces, 3);
        contract_end(&f);
    }
}

TEST(copes_without_memory)
{
    TEST_EACH(maker, makers) {
        unsigned failures = 0;
        for (uint64_t n = 1; n < 300; n++) {
            struct contract f;
            contract_begin(&f, maker, "mock-no-temperature-thinks-tokens-3",
                           (struct llm_http_options){0});
            mem_fail_nth(n);
            llm_chat_start(&f.chat, f.llm, &f.prompt, NULL, rig_waiter(&f.rig));
            rig_wait("chat", &f.rig, 1);
            mem_fail_nth(0);
            bool is_well = f.chat.op.err.code == ERR_OK;
            failures += !is_well;
            contract_end(&f);
            if (is_well)
                break;
        }
        EXPECT_TRUE("it failed, then it did not", failures >= 3 && failures < 299);
    }
}

/* Those of libraries, in the middle of an answer, too: one end, and the next call is as ever. */
TEST(copes_with_libraries_without_memory)
{
    static const uint64_t counts[] = {1, 10};
    TEST_EACH(maker, makers) {
        TEST_EACH(count, counts) {
            bool was_starved = true;
            for (uint64_t n = 1; was_starved; n++) {
                struct contract f;
                contract_begin(&f, maker, "mock-tokens-3", (struct llm_http_options){0});
                starve_at(n, *count);
                llm_chat_start(&f.chat, f.llm, &f.prompt, hear, rig_waiter(&f.rig));
                rig_wait("chat", &f.rig, 1);
                was_starved = starve_end() >= n;
                EXPECT_INT("one end", f.rig.done_calls, 1);
                EXPECT_INT("and then", chat_once(&f), ERR_OK);
                EXPECT_TRUE("the sweep ends", n < 2000);
                contract_end(&f);
            }
        }
    }
    EXPECT_TRUE("there are libraries", starve_libraries() > 0);
}

TEST(a_token_allocates_nothing)
{
    TEST_EACH(maker, makers) {
        uint64_t count[2];
        for (unsigned i = 0; i < 2; i++) {
            struct contract f;
            contract_begin(&f, maker, i == 0 ? "mock-thinks-tokens-100" : "mock-thinks-tokens-1000",
                           (struct llm_http_options){0});
            uint64_t before = mem_alloc_count();
            llm_chat_start(&f.chat, f.llm, &f.prompt, NULL, rig_waiter(&f.rig));
            rig_wait("chat", &f.rig, 1);
            count[i] = mem_alloc_count() - before;
            contract_end(&f);
        }
        EXPECT_TRUE("ten times the tokens, a few doublings of one buffer",
                    count[1] <= count[0] + 8);
    }
}

static int start_mock(void **state)
{
    (void)state;
    mock_process_start(&mock, "0");
    return 0;
}

static int stop_mock(void **state)
{
    (void)state;
    mock_process_stop(&mock);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(answers_end_in_one_of_these_ways),
        T(what_is_learned_is_remembered),
        T(a_number_is_not_remembered),
        T(room_that_is_not_there),
        T(usage_is_told),
        T(the_wait_is_for_the_text),
        T(a_server_with_nothing_left_is_left_alone),
        T(a_local_server_sees_no_key),
        T(thoughts_that_the_template_opens),
        T(cancelled_at_every_turn),
        T(copes_without_memory),
        T(copes_with_libraries_without_memory),
        T(a_token_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, start_mock, stop_mock);
}

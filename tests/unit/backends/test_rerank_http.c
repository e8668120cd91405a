/* SPDX-License-Identifier: MIT */
/* backends/rerank_http against mockllm in its own process: three wires, faults, the breaker, cancel
 * at every turn, closing with calls in flight. */
#include "backends/models/rerank_http.h"

#include "tests/unit/backends/mock_process.h"
#include "tests/unit/backends/stub_server.h"

enum { PATIENCE_MS = 600000 };

static const char key[] = "sk-very-secret";

struct rerank_rig {
    struct rig rig;
    struct http_client *client;
    struct rerank *rerank;
    struct rerank_texts texts;
    struct rerank_request request;
};

static void rerank_rig_begin(struct rerank_rig *f, const struct rerank_http_options *options)
{
    *f = (struct rerank_rig){0};
    rig_begin(&f->rig);
    f->client = http_client_create(f->rig.loop, &(struct http_client_options){.spread = 2});
    assert_non_null(f->client);
    f->rerank = rerank_http_create(f->rig.loop, f->client, options);
    assert_non_null(f->rerank);
}

static void on_rerank_closed(void *owner)
{
    struct rerank_rig *f = owner;
    f->rig.closed_calls++;
    http_client_close(f->client, rig_on_closed, &f->rig);
}

static void rerank_rig_end(struct rerank_rig *f)
{
    rerank_close(f->rerank, on_rerank_closed, f);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 2);
    op_release(&f->texts.op);
}

static const struct str three[] = {STR("Bread from the morning"),
                                   STR("Overtime is paid at twice the rate"), STR("Overtime")};

static void start(struct rerank_rig *f)
{
    f->request = (struct rerank_request){
        .query = STR("how overtime is paid"), .texts = three, .count = countof(three)};
    rerank_texts_start(&f->texts, f->rerank, &f->request, rig_waiter(&f->rig));
}

static enum err_code ask(struct rerank_rig *f)
{
    unsigned before = f->rig.done_calls;
    start(f);
    EXPECT_INT("never inside start", f->rig.done_calls, before);
    rig_wait("rerank", &f->rig, before + 1);
    return f->texts.op.err.code;
}

static const struct {
    const char *name, *path, *model; /* path: behind the mock's host */
    enum err_code want;
    const char *message;
} faults[] = {
    {"Cohere", "/v2", "mock", ERR_OK, ""},
    {"Jina", "/v1", "mock", ERR_OK, ""},
    {"TEI", "", "", ERR_OK, ""},
    {"TEI, the whole address", "/rerank", "", ERR_OK, ""},
    {"Cohere without a name", "/v2", "", ERR_REJECTED, "texts: unknown field"},
    {"TEI with a name", "", "mock", ERR_REJECTED, "model: unknown field"},
    {"401", "/v2", "mock-401", ERR_DENIED, "check ASKD_RERANK_KEY"},
    {"404", "/v1", "mock-404", ERR_REJECTED, "does not know 'mock-404'"},
    {"429", "/v2", "mock-429", ERR_BUSY, "Rate limit"},
    {"500", "/v2", "mock-500", ERR_UNAVAILABLE, "answered 500"},
    {"TEI, 503", "/mock-503", "", ERR_UNAVAILABLE, "answered 503"},
    {"a score missing", "/v2", "mock-wrong-count", ERR_PROTOCOL, "no score for text"},
    {"no JSON", "/v1", "mock-nonjson", ERR_PROTOCOL, "not understood"},
};

static void address_of(const struct mock_process *mock, const char *path, char *url, size_t size)
{
    const int host = (int)strlen(mock->base_url) - 3; /* without /v1 */
    snprintf(url, size, "%.*s%s", host, mock->base_url, path);
}

TEST(every_wire_and_fault)
{
    struct mock_process mock;
    mock_process_start(&mock, "0");
    TEST_EACH(c, faults) {
        char url[128];
        struct rerank_rig f;
        address_of(&mock, c->path, url, sizeof url);
        rerank_rig_begin(
            &f, &(struct rerank_http_options){
                    .base_url = url, .api_key = key, .model = c->model, .total_ms = PATIENCE_MS});
        enum err_code code = ask(&f);
        if (code != c->want || strstr(f.rig.err.text, c->message) == NULL)
            fail_msg("%s: %s: %s", c->name, err_name(code), f.rig.err.text);
        EXPECT_TRUE(c->name, strstr(f.rig.err.text, key) == NULL);
        EXPECT_TRUE(c->name, code != ERR_OK || (f.texts.scores[1] > f.texts.scores[2] &&
                                                f.texts.scores[2] > f.texts.scores[0]));
        rerank_rig_end(&f);
    }
    mock_process_stop(&mock);
}

TEST(not_there_and_late)
{
    struct mock_process mock;
    char url[128];
    struct rerank_rig f;
    struct err err = {0};
    struct rerank_http_options options = {
        .base_url = "http://127.0.0.1:9", .api_key = "", .model = "", .total_ms = PATIENCE_MS};
    rerank_rig_begin(&f, &options);
    EXPECT_INT("nobody there", ask(&f), ERR_UNAVAILABLE);
    EXPECT_TRUE("told", strstr(f.rig.err.text, "check ASKD_RERANK_URL") != NULL);
    EXPECT_INT("once is not enough", rerank_ready(f.rerank, &err), ERR_OK);
    rerank_rig_end(&f);
    mock_process_start(&mock, "0");
    address_of(&mock, "/mock-silent", url, sizeof url);
    options.base_url = url;
    options.total_ms = 50;
    rerank_rig_begin(&f, &options);
    EXPECT_INT("late", ask(&f), ERR_TIMEOUT);
    rerank_rig_end(&f);
    mock_process_stop(&mock);
}

/* A server that fails again and again is not asked until a while has passed; then once. */
TEST(left_alone)
{
    struct mock_process mock;
    char url[128];
    struct rerank_rig f;
    struct err err = {0};
    mock_process_start(&mock, "0");
    address_of(&mock, "/mock-503-3", url, sizeof url); /* three times, then well */
    rerank_rig_begin(&f, &(struct rerank_http_options){.base_url = url,
                                                       .api_key = "",
                                                       .model = "",
                                                       .breaker_failures = 2,
                                                       .breaker_open_ms = 3600000,
                                                       .total_ms = PATIENCE_MS});
    EXPECT_INT("first", ask(&f), ERR_UNAVAILABLE);
    EXPECT_INT("still asked", rerank_ready(f.rerank, &err), ERR_OK);
    EXPECT_INT("second", ask(&f), ERR_UNAVAILABLE);
    EXPECT_INT("not ready", rerank_ready(f.rerank, &err), ERR_UNAVAILABLE);
    EXPECT_TRUE("why", strstr(err.text, "answered 503") != NULL);
    EXPECT_INT("not asked", ask(&f), ERR_UNAVAILABLE);
    EXPECT_TRUE("told", strstr(f.rig.err.text, "left alone for a while") != NULL);
    rerank_rig_end(&f);
    rerank_rig_begin(&f, &(struct rerank_http_options){.base_url = url,
                                                       .api_key = "",
                                                       .model = "",
                                                       .breaker_failures = 1,
                                                       .breaker_open_ms = 1,
                                                       .total_ms = PATIENCE_MS});
    EXPECT_INT("the third refusal opens it", ask(&f), ERR_UNAVAILABLE);
    enum err_code code = ERR_UNAVAILABLE;
    for (unsigned i = 0; i < 1000000 && code != ERR_OK; i++)
        code = ask(&f); /* until the probe may go */
    EXPECT_INT("the probe finds it well", code, ERR_OK);
    EXPECT_INT("ready", rerank_ready(f.rerank, &err), ERR_OK);
    rerank_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(cancelled_at_every_turn)
{
    struct mock_process mock;
    char url[128];
    bool ended = false;
    mock_process_start(&mock, "0");
    address_of(&mock, "", url, sizeof url);
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct rerank_rig f;
        rerank_rig_begin(&f,
                         &(struct rerank_http_options){
                             .base_url = url, .api_key = "", .model = "", .total_ms = PATIENCE_MS});
        start(&f);
        ended = rig_turn(&f.rig, turns, 1);
        op_cancel(&f.texts.op);
        op_cancel(&f.texts.op);
        rig_wait("cancelled", &f.rig, 1);
        EXPECT_TRUE("cancelled or done",
                    f.texts.op.err.code == ERR_CANCELLED || f.texts.op.err.code == ERR_OK);
        rerank_rig_end(&f);
        EXPECT_INT("done once", f.rig.done_calls, 1);
    }
    mock_process_stop(&mock);
}

TEST(closed_with_a_call_in_flight)
{
    struct mock_process mock;
    char url[128];
    struct rerank_rig f;
    mock_process_start(&mock, "0");
    address_of(&mock, "/mock-silent", url, sizeof url);
    rerank_rig_begin(&f, &(struct rerank_http_options){
                             .base_url = url, .api_key = "", .model = "", .total_ms = PATIENCE_MS});
    start(&f);
    (void)rig_turn(&f.rig, 3, 1);
    rerank_rig_end(&f);
    EXPECT_INT("ended", f.rig.done_calls, 1);
    EXPECT_INT("cancelled", f.texts.op.err.code, ERR_CANCELLED);
    mock_process_stop(&mock);
}

RUN_TESTS(T(every_wire_and_fault), T(not_there_and_late), T(left_alone), T(cancelled_at_every_turn),
          T(closed_with_a_call_in_flight))

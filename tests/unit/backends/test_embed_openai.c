/* SPDX-License-Identifier: MIT */
/* backends/embed_openai against mockllm in its own process: faults, batches, retries, Azure, the
 * key. What every embed promises is in contract_embed. */
#include "backends/models/embed_openai.h"

#include <math.h>

#include "tests/unit/backends/mock_process.h"
#include "tests/unit/backends/stub_server.h"

static const char key[] = "sk-very-secret";

enum { PATIENCE_MS = 600000 };

struct embed_rig {
    struct rig rig;
    struct http_client *client;
    struct embed *embed;
    struct embed_texts texts;
    struct embed_request request;
};

static struct embed_openai_options options_for(const char *base_url, const char *model)
{
    return (struct embed_openai_options){.base_url = base_url,
                                         .api_key = key,
                                         .key_variable = "OPENAI_API_KEY",
                                         .model = model,
                                         .model_variable = "OPENAI_EMBEDDING_MODEL",
                                         .backoff_ms = 1,
                                         .total_ms = PATIENCE_MS};
}

static void embed_rig_begin(struct embed_rig *f, const struct embed_openai_options *options)
{
    *f = (struct embed_rig){0};
    rig_begin(&f->rig);
    f->client = http_client_create(f->rig.loop, &(struct http_client_options){.spread = 2});
    assert_non_null(f->client);
    f->embed = embed_openai_create(f->rig.loop, f->client, options);
    assert_non_null(f->embed);
}

static void on_embed_closed(void *owner)
{
    struct embed_rig *f = owner;
    f->rig.closed_calls++;
    http_client_close(f->client, rig_on_closed, &f->rig);
}

static void embed_rig_end(struct embed_rig *f)
{
    op_release(&f->texts.op);
    embed_close(f->embed, on_embed_closed, f);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 2);
}

static enum err_code ask(struct embed_rig *f, const struct str *texts, size_t count)
{
    unsigned before = f->rig.done_calls;
    f->request = (struct embed_request){.texts = texts, .count = count};
    embed_texts_start(&f->texts, f->embed, &f->request, rig_waiter(&f->rig));
    EXPECT_INT("never inside start", f->rig.done_calls, before);
    rig_wait("embed", &f->rig, before + 1);
    return f->texts.op.err.code;
}

static const struct str three[] = {STR("overtime of crews"), STR("how is overtime of a crew paid"),
                                   STR("tax rates")};

static double dot(const struct embed_texts *texts, size_t a, size_t b)
{
    size_t n = texts->dimensions;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)texts->vectors[a * n + i] * (double)texts->vectors[b * n + i];
    return sum;
}

static const struct {
    const char *name, *model;
    unsigned attempts; /* of max_attempts */
    enum err_code want;
    const char *message; /* part of the error's text */
} faults[] = {
    {"plain", "mock", 1, ERR_OK, ""},
    {"numbers only", "mock-floats", 1, ERR_OK, ""},
    {"slow", "mock-slow-first-50", 1, ERR_OK, ""},
    {"closes its connection", "mock-drop", 1, ERR_OK, ""},
    {"429, then well", "mock-429-2-retry-after-1", 3, ERR_OK, ""},
    {"503, then well", "mock-503-2-retry-after-1", 3, ERR_OK, ""},
    {"500, then well", "mock-500-1", 2, ERR_OK, ""},
    {"429 once too often", "mock-429-9-retry-after-1", 3, ERR_BUSY, "Rate limit"},
    {"500 always", "mock-500", 3, ERR_UNAVAILABLE, "500"},
    {"401", "mock-401", 3, ERR_DENIED, "check OPENAI_API_KEY"},
    {"404", "mock-404", 3, ERR_REJECTED, "does not know 'mock-404'"},
    {"a vector missing", "mock-wrong-count", 1, ERR_PROTOCOL, "2 vectors for 3 texts"},
    {"another size", "mock-wrong-dims", 1, ERR_PROTOCOL, "65 numbers where 64"},
    {"cut", "mock-cut", 2, ERR_UNAVAILABLE, ""},
    {"no JSON", "mock-nonjson", 1, ERR_PROTOCOL, "JSON"},
    {"an error with 200", "mock-error-mid", 1, ERR_UNAVAILABLE, "overloaded"},
    {"too long a text", "mock-too-long-20", 3, ERR_TOO_LARGE, "text 2 of 3 with its 30 bytes"},
};

TEST(every_fault)
{
    struct mock_process mock;
    mock_process_start(&mock, "0");
    TEST_EACH(c, faults) {
        struct embed_rig f;
        struct embed_openai_options options = options_for(mock.base_url, c->model);
        options.max_attempts = c->attempts;
        embed_rig_begin(&f, &options);
        enum err_code code = ask(&f, three, countof(three));
        if (code != c->want || strstr(f.rig.err.text, c->message) == NULL)
            fail_msg("%s: %s: %s", c->name, err_name(code), f.rig.err.text);
        EXPECT_TRUE(c->name, strstr(f.rig.err.text, key) == NULL);
        if (code == ERR_OK) {
            EXPECT_INT(c->name, f.texts.dimensions, 64);
            EXPECT_TRUE(c->name, f.texts.tokens > 0);
            EXPECT_TRUE(c->name, fabs(dot(&f.texts, 1, 1) - 1) < 1e-5);
            EXPECT_TRUE(c->name, dot(&f.texts, 0, 1) > dot(&f.texts, 0, 2));
        } else {
            EXPECT_TRUE(c->name, f.texts.vectors == NULL);
        }
        embed_rig_end(&f);
    }
    mock_process_stop(&mock);
}

/* Batches by number and by bytes, over a few lanes, give what one request gives. */
TEST(batches)
{
    enum { COUNT = 100 };
    static const struct {
        const char *name;
        size_t batch_texts, batch_bytes, in_flight;
    } cases[] = {
        {"one", 0, 0, 0},
        {"by number", 10, 0, 3},
        {"one by one", 1, 0, 16},
        {"by bytes", 0, 300, 2},
        {"a text over the bytes", 0, 5, 4},
        {"a rest", 33, 0, 1},
    };
    struct mock_process mock;
    struct str texts[COUNT];
    char room[COUNT][40];
    for (size_t i = 0; i < COUNT; i++)
        texts[i] = str_make(room[i], (size_t)snprintf(room[i], 40, "text number %018zu", i));
    mock_process_start(&mock, "0");
    TEST_EACH(c, cases) {
        struct embed_rig f;
        struct embed_openai_options options = options_for(mock.base_url, "mock-dims-512");
        options.batch_texts = c->batch_texts;
        options.batch_bytes = c->batch_bytes;
        options.in_flight = c->in_flight;
        embed_rig_begin(&f, &options);
        EXPECT_INT(c->name, ask(&f, texts, COUNT), ERR_OK);
        for (size_t i = 0; i < COUNT; i++)
            EXPECT_TRUE(c->name, fabs(dot(&f.texts, i, i) - 1) < 1e-5);
        EXPECT_TRUE("rows differ", dot(&f.texts, 0, 99) < 0.99);
        embed_rig_end(&f);
    }
    mock_process_stop(&mock);
}

TEST(empty_texts_are_zero)
{
    static const struct str none[] = {STR(""), STR(" \n")};
    static const struct str some[] = {STR(""), STR("overtime"), STR("  ")};
    struct mock_process mock;
    mock_process_start(&mock, "0");
    struct embed_openai_options options = options_for(mock.base_url, "mock");
    struct embed_rig f;
    embed_rig_begin(&f, &options);
    EXPECT_INT("dimensions are learned", ask(&f, none, countof(none)), ERR_OK);
    EXPECT_INT("dimensions are learned", f.texts.dimensions, 64);
    EXPECT_TRUE("zero", dot(&f.texts, 0, 0) == 0 && dot(&f.texts, 1, 1) == 0);
    EXPECT_INT("some", ask(&f, some, countof(some)), ERR_OK);
    EXPECT_TRUE("zero", dot(&f.texts, 0, 0) == 0 && dot(&f.texts, 2, 2) == 0);
    EXPECT_TRUE("not zero", dot(&f.texts, 1, 1) > 0.99);
    EXPECT_INT("nothing is asked", ask(&f, none, countof(none)), ERR_OK);
    EXPECT_INT("nothing is asked", f.texts.tokens, 0);
    embed_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(azure_and_dimensions)
{
    struct mock_process mock;
    struct embed_rig f;
    mock_process_start(&mock, "0");
    mock.base_url[strlen(mock.base_url) - 3] = '\0'; /* the resource, without /v1 */
    struct embed_openai_options options = options_for(mock.base_url, "mock");
    options.api_version = "2024-06-01";
    options.dimensions = 32;
    embed_rig_begin(&f, &options);
    assert_string_equal(f.embed->vtable->name, "azure");
    EXPECT_STR("model", embed_model(f.embed), STR("mock/32"));
    EXPECT_INT("azure", ask(&f, three, countof(three)), ERR_OK);
    EXPECT_INT("dimensions", f.texts.dimensions, 32);
    embed_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(not_configured_and_not_there)
{
    static const struct {
        const char *name, *base_url, *key, *model;
        enum err_code ready, want;
        const char *message;
    } cases[] = {
        {"no key", "http://127.0.0.1:9/v1", "", "m", ERR_NOT_CONFIGURED, ERR_NOT_CONFIGURED,
         "set OPENAI_API_KEY, or ASKD_EMBEDDINGS=hash"},
        {"no model", "http://127.0.0.1:9/v1", "k", "", ERR_NOT_CONFIGURED, ERR_NOT_CONFIGURED,
         "set OPENAI_EMBEDDING_MODEL"},
        {"no address", "", "k", "m", ERR_NOT_CONFIGURED, ERR_NOT_CONFIGURED, "OPENAI_BASE_URL"},
        {"nobody there", "http://127.0.0.1:9/v1", "k", "m", ERR_OK, ERR_UNAVAILABLE,
         "check OPENAI_BASE_URL"},
    };
    TEST_EACH(c, cases) {
        struct embed_rig f;
        struct err err = {0};
        struct embed_openai_options options = options_for(c->base_url, c->model);
        options.api_key = c->key;
        embed_rig_begin(&f, &options);
        EXPECT_INT(c->name, embed_ready(f.embed, &err), c->ready);
        EXPECT_INT(c->name, ask(&f, three, 1), c->want);
        if (strstr(f.rig.err.text, c->message) == NULL)
            fail_msg("%s: %s", c->name, f.rig.err.text);
        embed_rig_end(&f);
    }
}

/* The deadline of a call bounds its waits, too. */
TEST(deadline)
{
    struct mock_process mock;
    struct embed_rig f;
    mock_process_start(&mock, "0");
    struct embed_openai_options options = options_for(mock.base_url, "mock-silent");
    options.total_ms = 100;
    embed_rig_begin(&f, &options);
    EXPECT_INT("silent", ask(&f, three, countof(three)), ERR_TIMEOUT);
    embed_rig_end(&f);
    options = options_for(mock.base_url, "mock-429-retry-after-500000");
    options.total_ms = 60000;
    embed_rig_begin(&f, &options);
    EXPECT_INT("a wait longer than what is left", ask(&f, three, countof(three)), ERR_BUSY);
    embed_rig_end(&f);
    mock_process_stop(&mock);
}

TEST(the_key_is_never_repeated)
{
    static const struct str reply =
        STR("HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: 71\r\n\r\n"
            "{\"error\":{\"message\":\"Incorrect API key provided: sk-very-secret. Bye\"}}");
    struct embed_rig f;
    struct stub_server server;
    struct embed_openai_options options = options_for("", "m");
    embed_rig_begin(&f, &options);
    stub_server_start(&server, &f.rig, reply, STUB_KEEP);
    embed_close(f.embed, NULL, NULL); /* the server's address is known only now */
    options.base_url = server.url;
    f.embed = embed_openai_create(f.rig.loop, f.client, &options);
    assert_non_null(f.embed);
    EXPECT_INT("refused", ask(&f, three, 1), ERR_DENIED);
    EXPECT_TRUE("the reason is", strstr(f.rig.err.text, "Incorrect API key") != NULL);
    EXPECT_TRUE("the key is not", strstr(f.rig.err.text, key) == NULL);
    stub_server_stop(&server);
    embed_rig_end(&f);
}

/* While it waits to try again, a cancel ends it at once. */
TEST(cancelled_while_waiting)
{
    struct mock_process mock;
    struct embed_rig f;
    mock_process_start(&mock, "0");
    struct embed_openai_options options = options_for(mock.base_url, "mock-429-retry-after-500000");
    embed_rig_begin(&f, &options);
    f.request = (struct embed_request){.texts = three, .count = 3};
    embed_texts_start(&f.texts, f.embed, &f.request, rig_waiter(&f.rig));
    for (unsigned turn = 0; turn < 300; turn++)
        loop_turn(f.rig.loop, 1);
    op_cancel(&f.texts.op);
    rig_wait("cancelled", &f.rig, 1);
    EXPECT_INT("cancelled", f.rig.err.code, ERR_CANCELLED);
    embed_rig_end(&f);
    mock_process_stop(&mock);
}

RUN_TESTS(T(every_fault), T(batches), T(empty_texts_are_zero), T(azure_and_dimensions),
          T(not_configured_and_not_there), T(deadline), T(the_key_is_never_repeated),
          T(cancelled_while_waiting))

/* SPDX-License-Identifier: MIT */
/* backends/model_peer: where a server is, what is missing, and failures in words that say what to
 * look at and never the key. */
#include "backends/models/model_peer.h"

#include "proto/models/openai.h"
#include "tests/lib/test.h"

static struct model_peer_options plain(void)
{
    return (struct model_peer_options){.what = "model",
                                       .base_url = "http://127.0.0.1:9/v1",
                                       .url_variable = "OPENAI_BASE_URL",
                                       .api_key = "sk-secret-0123456789",
                                       .key_variable = "OPENAI_API_KEY",
                                       .model = "small",
                                       .model_variable = "OPENAI_MODEL",
                                       .without = "ASKD_MODEL=offline",
                                       .write_url = openai_write_url};
}

static struct model_peer_options azure(void)
{
    struct model_peer_options options = plain();
    options.base_url = "https://x.openai.azure.com";
    options.key_variable = "AZURE_OPENAI_API_KEY";
    options.model_variable = "AZURE_OPENAI_DEPLOYMENT";
    options.url_variable = "AZURE_OPENAI_ENDPOINT";
    options.wire = MODEL_WIRE_AZURE;
    options.api_version = "2024-06-01";
    return options;
}

static void expect_says(const struct err *err, const char *words)
{
    EXPECT_TRUE(err->text, str_find(str_of(err->text), str_of(words)) != STR_NONE);
}

static void expect_hides(const struct err *err, const char *words)
{
    EXPECT_TRUE(err->text, str_find(str_of(err->text), str_of(words)) == STR_NONE);
}

TEST(both_dialects)
{
    const struct model_peer_options options[] = {plain(), azure()};
    static const struct {
        const char *url, *name, *auth;
    } want[] = {
        {"http://127.0.0.1:9/v1/chat/completions", "Authorization", "Bearer sk-secret-0123456789"},
        {"https://x.openai.azure.com/openai/deployments/small/chat/completions"
         "?api-version=2024-06-01",
         "api-key", "sk-secret-0123456789"},
    };
    for (size_t i = 0; i < countof(want); i++) {
        struct model_peer peer;
        struct err err = {0};
        EXPECT_TRUE("made", model_peer_init(&peer, &options[i]));
        EXPECT_STR("url", str_of(buf_str(&peer.url).at), str_of(want[i].url));
        EXPECT_STR("header", peer.auth_name, str_of(want[i].name));
        EXPECT_STR("auth", buf_str(&peer.auth), str_of(want[i].auth));
        EXPECT_INT("ready", model_peer_ready(&peer, &err), ERR_OK);
        model_peer_fini(&peer);
    }
}

TEST(what_is_missing_is_named)
{
    static const struct {
        const char *name, *base_url, *model, *key;
        bool is_azure, key_optional;
        const char *says; /* NULL: nothing is missing */
    } cases[] = {
        {"all", "http://a", "m", "k", false, false, NULL},
        {"no server", "", "m", "k", false, false, "OPENAI_BASE_URL"},
        {"no server at Azure", "", "m", "k", true, false, "AZURE_OPENAI_ENDPOINT"},
        {"no model", "http://a", "", "k", false, false, "OPENAI_MODEL"},
        {"no deployment", "http://a", "", "k", true, false, "AZURE_OPENAI_DEPLOYMENT"},
        {"no key", "http://a", "m", "", false, false, "set OPENAI_API_KEY, or ASKD_MODEL=offline"},
        {"no key at Azure", "http://a", "m", "", true, false, "AZURE_OPENAI_API_KEY"},
        {"a local server needs none", "http://a", "m", "", false, true, NULL},
    };
    TEST_EACH(c, cases) {
        struct model_peer_options options = c->is_azure ? azure() : plain();
        struct model_peer peer;
        struct err err = {0};
        options.base_url = c->base_url;
        options.model = c->model;
        options.api_key = c->key;
        options.key_optional = c->key_optional;
        EXPECT_TRUE(c->name, model_peer_init(&peer, &options));
        EXPECT_INT(c->name, model_peer_ready(&peer, &err),
                   c->says == NULL ? ERR_OK : ERR_NOT_CONFIGURED);
        if (c->says != NULL)
            expect_says(&err, c->says);
        model_peer_fini(&peer);
    }
}

TEST(a_transport_that_fails)
{
    static const struct {
        const char *name;
        enum err_code code;
        bool was_cut;
        enum err_code want;
        const char *says;
    } cases[] = {
        {"refused", ERR_UNAVAILABLE, false, ERR_UNAVAILABLE, "check OPENAI_BASE_URL"},
        {"too slow", ERR_TIMEOUT, false, ERR_TIMEOUT, "http://127.0.0.1:9/v1"},
        {"too slow in the middle", ERR_TIMEOUT, true, ERR_TIMEOUT, "the reason"},
        {"cut", ERR_PROTOCOL, true, ERR_UNAVAILABLE, "cut its answer short: the reason"},
        {"cancelled", ERR_CANCELLED, true, ERR_CANCELLED, "the reason"},
        {"no memory", ERR_NO_MEMORY, false, ERR_NO_MEMORY, "the reason"},
    };
    struct model_peer_options options = plain();
    struct model_peer peer;
    EXPECT_TRUE("made", model_peer_init(&peer, &options));
    TEST_EACH(c, cases) {
        struct err cause = {.code = c->code, .text = "the reason"}, err = {0};
        model_peer_explain_transport(&peer, &cause, c->was_cut, &err);
        EXPECT_INT(c->name, err.code, c->want);
        expect_says(&err, c->says);
    }
    model_peer_fini(&peer);
}

TEST(an_answer_that_is_an_error)
{
    static const struct {
        int status;
        const char *body;
        enum err_code want;
        const char *says[3];
    } cases[] = {
        {401, "{\"error\":{\"message\":\"bad key\"}}", ERR_DENIED, {"bad key", "OPENAI_API_KEY"}},
        {403, "", ERR_DENIED, {"refuses the key", "OPENAI_API_KEY"}},
        {404,
         "{\"error\":{\"message\":\"no such model\"}}",
         ERR_REJECTED,
         {"'small'", "no such model", "OPENAI_BASE_URL"}},
        {429, "{\"error\":{\"message\":\"slow down\"}}", ERR_BUSY, {"slow down"}},
        {500, "<html>oops</html>", ERR_UNAVAILABLE, {"500; its own log"}},
        {403,
         "{\"error\":{\"message\":\"Your input was flagged for violence\"}}",
         ERR_REJECTED,
         {"filter refuses the text", "flagged"}},
        {529,
         "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
         ERR_UNAVAILABLE,
         {"529"}},
        {418, "teapot", ERR_REJECTED, {"418", "teapot"}},
    };
    struct model_peer_options options = plain();
    struct model_peer peer;
    EXPECT_TRUE("made", model_peer_init(&peer, &options));
    TEST_EACH(c, cases) {
        struct err err = {0};
        model_peer_explain_status(&peer, c->status, str_of(c->body), NULL, &err);
        EXPECT_INT(c->body, err.code, c->want);
        EXPECT_TRUE(c->body,
                    c->status < 500 || str_find(str_of(err.text), STR("oops")) == STR_NONE);
        for (size_t i = 0; i < countof(c->says) && c->says[i] != NULL; i++)
            expect_says(&err, c->says[i]);
    }
    model_peer_fini(&peer);
}

TEST(the_key_becomes_stars)
{
    static const struct {
        const char *name, *key, *text, *hides, *keeps;
    } cases[] = {
        {"once", "sk-secret-0123456789", "wrong: sk-secret-0123456789!", "secret", "wrong: "},
        {"twice", "sk-secret-0123456789", "sk-secret-0123456789sk-secret-0123456789 x", "secret",
         " x"},
        {"cut at the end", "sk-secret-0123456789", "wrong: sk-secret-012", "secret", "wrong: "},
        {"cut in the middle", "sk-secret-0123456789", "got sk-secret-01; check it", "secret-",
         "; check it"},
        {"a short key", "abcd", "the key abcd is wrong", "abcd", "is wrong"},
        {"one too short to be one", "abc", "abc and so on", "xyz", "abc and so on"},
        {"another text", "sk-secret-0123456789", "sk-not-it", "****", "sk-not-it"},
    };
    TEST_EACH(c, cases) {
        struct model_peer_options options = plain();
        struct model_peer peer;
        struct err err = {0};
        options.api_key = c->key;
        EXPECT_TRUE(c->name, model_peer_init(&peer, &options));
        err_set(&err, ERR_DENIED, "%s", c->text);
        model_peer_blank_key(&peer, &err);
        expect_hides(&err, c->hides);
        expect_says(&err, c->keeps);
        EXPECT_INT(c->name, strlen(err.text), strlen(c->text));
        model_peer_fini(&peer);
    }
}

TEST(no_memory)
{
    struct model_peer_options options = plain();
    bool whole = false;
    for (uint64_t n = 1; !whole; n++) {
        struct model_peer peer;
        assert_true(n < 20);
        mem_fail_nth(n);
        whole = model_peer_init(&peer, &options);
        mem_fail_nth(0);
        model_peer_fini(&peer);
    }
}

RUN_TESTS(T(both_dialects), T(what_is_missing_is_named), T(a_transport_that_fails),
          T(an_answer_that_is_an_error), T(the_key_becomes_stars), T(no_memory))

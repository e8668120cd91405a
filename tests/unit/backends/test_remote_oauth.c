/* SPDX-License-Identifier: MIT */
/* backends/remote: what servers say about tokens, where their metadata are, the request for a
 * token, and a client's signature. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>

#include "backends/remote/remote_oauth_sign.h"
#include "backends/remote/remote_oauth_wire.h"
#include "core/base/mem.h"
#include "tests/lib/test.h"

static const struct {
    const char *header, *metadata, *scope, *error; /* NULL: not said */
} challenges[] = {
    {"", NULL, NULL, NULL},
    {"Basic realm=\"x\"", NULL, NULL, NULL},
    {"Bearer", NULL, NULL, NULL},
    {"Bearer resource_metadata=\"https://a/x\"", "https://a/x", NULL, NULL},
    {"bearer error=\"invalid_token\", scope=\"a b\",resource_metadata=\"https://a\"", "https://a",
     "a b", "invalid_token"},
    {"Basic realm=\"a, Bearer scope=\\\"no\\\"\", Bearer scope=yes", NULL, "yes", NULL},
    {"Bearer scope=\"one\", scope=\"two\"", NULL, "one", NULL},
    {"Bearer scope=\"q\\\"q\\\\\"", NULL, "q\"q\\", NULL},
    {"Bearer scope=\"open", NULL, NULL, NULL},
    {"Bearer scope=, error=x", NULL, "", "x"},
    {"Bearer =x;;, scope=\"a\"", NULL, NULL, NULL},
    {"Digest scope=\"a\"", NULL, NULL, NULL},
};

TEST(challenges_are_read)
{
    TEST_EACH(one, challenges) {
        struct arena arena;
        arena_init(&arena, 1 << 16);
        struct remote_oauth_challenge said =
            remote_oauth_wire_challenge(str_of(one->header), &arena);
        EXPECT_TRUE(one->header, str_is_absent(said.metadata) == (one->metadata == NULL));
        EXPECT_TRUE(one->header, str_is_absent(said.scope) == (one->scope == NULL));
        EXPECT_TRUE(one->header, str_is_absent(said.error) == (one->error == NULL));
        EXPECT_STR(one->header, said.metadata, str_of(one->metadata));
        EXPECT_STR(one->header, said.scope, str_of(one->scope));
        EXPECT_STR(one->header, said.error, str_of(one->error));
        arena_fini(&arena);
    }
}

static const struct {
    const char *url;
    bool is_issuer;
    const char *places[4]; /* NULL after the last */
} places[] = {
    {"https://a.example/mcp?x=1",
     false,
     {"https://a.example/.well-known/oauth-protected-resource/mcp",
      "https://a.example/.well-known/oauth-protected-resource"}},
    {"https://a.example:8443",
     false,
     {"https://a.example:8443/.well-known/oauth-protected-resource"}},
    {"https://a.example/t/",
     true,
     {"https://a.example/.well-known/oauth-authorization-server/t",
      "https://a.example/.well-known/openid-configuration/t",
      "https://a.example/t/.well-known/openid-configuration"}},
    {"https://a.example",
     true,
     {"https://a.example/.well-known/oauth-authorization-server",
      "https://a.example/.well-known/openid-configuration"}},
    {"file:///etc/passwd", true, {NULL}},
};

TEST(where_metadata_are)
{
    TEST_EACH(one, places) {
        struct arena arena;
        arena_init(&arena, 1 << 16);
        for (unsigned i = 0; i < countof(one->places); i++) {
            struct str url = one->is_issuer
                                 ? remote_oauth_wire_issuer_url(str_of(one->url), i, &arena)
                                 : remote_oauth_wire_resource_url(str_of(one->url), i, &arena);
            EXPECT_STR(one->url, url, str_of(one->places[i]));
            if (one->places[i] == NULL)
                break;
        }
        arena_fini(&arena);
    }
    EXPECT_TRUE("port", remote_oauth_wire_is_beside(STR("https://a.example/x"),
                                                    STR("https://A.example:443")));
    EXPECT_TRUE("host",
                !remote_oauth_wire_is_beside(STR("https://a.example/"), STR("https://b.example/")));
    EXPECT_TRUE("scheme",
                !remote_oauth_wire_is_beside(STR("https://a.example/"), STR("http://a.example/")));
    EXPECT_TRUE("none", !remote_oauth_wire_is_beside(STR("x"), STR("x")));
}

#define URL    "https://a.example/mcp"
#define ISSUER "https://login.example"

static const struct {
    const char *text;
    enum err_code code;
    const char *wanted; /* the scope, or what is wrong */
} resources[] = {
    {"{\"resource\":\"https://a.example/mcp\",\"authorization_servers\":[\"https://x\",\"" ISSUER
     "\"],\"scopes_supported\":[\"a\",7,\"b\"]}",
     ERR_OK, "a b"},
    {"{\"resource\":\"https://a.example\",\"authorization_servers\":[\"" ISSUER "\"]}", ERR_OK, ""},
    {"{\"resource\":\"https://evil.example/mcp\",\"authorization_servers\":[\"" ISSUER "\"]}",
     ERR_DENIED, "its metadata are those of another resource (https://evil.example/mcp)"},
    {"{\"resource\":\"https://a.example/mcp/other\",\"authorization_servers\":[\"" ISSUER "\"]}",
     ERR_DENIED, "its metadata are those of another resource (https://a.example/mcp/other)"},
    {"{\"authorization_servers\":[\"" ISSUER "\"]}", ERR_DENIED,
     "its metadata are those of another resource ((nothing))"},
    {"{\"resource\":\"https://a.example/mcp\",\"authorization_servers\":[\"" ISSUER "/\"]}",
     ERR_DENIED, "it takes tokens of " ISSUER "/, not of the issuer of the file"},
    {"{\"resource\":\"https://a.example/mcp\"}", ERR_DENIED,
     "it takes tokens of (nothing), not of the issuer of the file"},
    {"[]", ERR_INVALID, "what it says is no object"},
    {"<html>", ERR_INVALID, "what it says is no JSON"},
};

TEST(metadata_of_a_resource)
{
    TEST_EACH(one, resources) {
        struct remote_oauth_resource out = {0};
        struct err err = {0};
        struct arena arena;
        arena_init(&arena, 1 << 16);
        EXPECT_INT(one->text,
                   remote_oauth_wire_resource(str_of(one->text), STR(URL), STR(ISSUER), &arena,
                                              &out, &err),
                   one->code);
        EXPECT_STR(one->text, one->code == ERR_OK ? out.scope : str_of(err.text),
                   str_of(one->wanted));
        arena_fini(&arena);
    }
}

#define OF "{\"issuer\":\"" ISSUER "\",\"token_endpoint\":\"" ISSUER "/token\""

static const struct {
    const char *text;
    enum err_code code;
    const char *wanted; /* what clients may say who they are by, or what is wrong */
} issuers[] = {
    {OF "}", ERR_OK, "basic signed "},
    {OF ",\"grant_types_supported\":[\"client_credentials\"],"
        "\"token_endpoint_auth_methods_supported\":[\"client_secret_post\"]}",
     ERR_OK, "post "},
    {OF ",\"token_endpoint_auth_methods_supported\":[\"private_key_jwt\",\"client_secret_basic\"]}",
     ERR_OK, "basic signed "},
    {OF ",\"grant_types_supported\":[\"authorization_code\",\"refresh_token\"]}", ERR_DENIED,
     "it gives tokens only to somebody who signs in (authorization_code refresh_token), for which "
     "there is no browser here"},
    {"{\"issuer\":\"" ISSUER "/\",\"token_endpoint\":\"x\"}", ERR_DENIED,
     "its metadata are those of another issuer (" ISSUER "/)"},
    {"{\"issuer\":\"" ISSUER "\"}", ERR_INVALID, "its metadata name no token_endpoint"},
    {"7", ERR_INVALID, "what it says is no object"},
};

TEST(metadata_of_an_issuer)
{
    TEST_EACH(one, issuers) {
        struct remote_oauth_issuer out = {0};
        struct err err = {0};
        struct arena arena;
        char ways[64] = "";
        arena_init(&arena, 1 << 16);
        EXPECT_INT(one->text,
                   remote_oauth_wire_issuer(str_of(one->text), STR(ISSUER), &arena, &out, &err),
                   one->code);
        snprintf(ways, sizeof ways, "%s%s%s", out.takes_basic ? "basic " : "",
                 out.takes_post ? "post " : "", out.takes_signed ? "signed " : "");
        EXPECT_STR(one->text, str_of(one->code == ERR_OK ? ways : err.text), str_of(one->wanted));
        arena_fini(&arena);
    }
}

static const struct {
    const char *text;
    enum err_code code;
    uint64_t seconds;
    const char *wanted; /* the token, or what is wrong */
} tokens[] = {
    {"{\"access_token\":\"t\",\"token_type\":\"bearer\",\"expires_in\":60}", ERR_OK, 60, "t"},
    {"{\"access_token\":\"t\",\"token_type\":\"Bearer\"}", ERR_OK, 0, "t"},
    {"{\"access_token\":\"t\",\"token_type\":\"Bearer\",\"expires_in\":-1}", ERR_OK, 0, "t"},
    {"{\"access_token\":\"t\",\"token_type\":\"Bearer\",\"expires_in\":99999999999}", ERR_OK,
     31536000, "t"},
    {"{\"access_token\":\"t\",\"token_type\":\"DPoP\"}", ERR_INVALID, 0,
     "its token is of the kind DPoP, not Bearer"},
    {"{\"access_token\":\"a b\",\"token_type\":\"Bearer\"}", ERR_INVALID, 0,
     "its answer holds no token"},
    {"{\"access_token\":\"a\\r\\nX: y\",\"token_type\":\"Bearer\"}", ERR_INVALID, 0,
     "its answer holds no token"},
    {"{\"error\":\"invalid_client\",\"error_description\":\"who?\"}", ERR_DENIED, 0,
     "it gives no token: invalid_client, who?"},
    {"{\"error\":\"invalid_scope\"}", ERR_DENIED, 0, "it gives no token: invalid_scope"},
    {"", ERR_INVALID, 0, "what it says is no JSON"},
};

TEST(answers_with_a_token)
{
    TEST_EACH(one, tokens) {
        struct remote_oauth_token out = {0};
        struct err err = {0};
        struct arena arena;
        arena_init(&arena, 1 << 16);
        EXPECT_INT(one->text, remote_oauth_wire_token(str_of(one->text), &arena, &out, &err),
                   one->code);
        EXPECT_STR(one->text, one->code == ERR_OK ? out.text : str_of(err.text),
                   str_of(one->wanted));
        EXPECT_TRUE(one->text, one->code != ERR_OK || out.seconds == one->seconds);
        arena_fini(&arena);
    }
}

TEST(requests_for_a_token)
{
    const struct remote_oauth_ask by_header = {
        .id = STR("a"), .secret = STR("b"), .scope = STR("x y"), .resource = STR(URL)};
    struct remote_oauth_ask in_body = by_header, is_signed = by_header;
    struct buf out;
    in_body.is_in_body = true;
    in_body.scope = (struct str){NULL, 0};
    is_signed.assertion = STR("h.c.s");
    buf_init(&out, 4096);
    remote_oauth_wire_ask(&by_header, &out);
    EXPECT_STR("header", buf_str(&out),
               STR("grant_type=client_credentials&scope=x%20y&resource=https%3A%2F%2Fa.example"
                   "%2Fmcp"));
    buf_clear(&out);
    remote_oauth_wire_ask(&in_body, &out);
    EXPECT_STR("body", buf_str(&out),
               STR("grant_type=client_credentials&resource=https%3A%2F%2Fa.example%2Fmcp&client_id="
                   "a&client_secret=b"));
    buf_clear(&out);
    remote_oauth_wire_ask(&is_signed, &out);
    EXPECT_TRUE("signed", str_find(buf_str(&out), STR("client_assertion=h.c.s")) != STR_NONE &&
                              str_find(buf_str(&out), STR("secret")) == STR_NONE);
    buf_clear(&out);
    remote_oauth_wire_basic(STR("a:b"), STR("c d"), &out);
    EXPECT_STR("basic", buf_str(&out), STR("Basic YSUzQWI6YyUyMGQ="));
    buf_fini(&out);
}

/* The PEM of a key made now; freed by the caller. */
static char *make_key(EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *at, *made;
    assert_int_equal(PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), 1);
    size_t len = (size_t)BIO_get_mem_data(bio, &at);
    made = calloc(1, len + 1);
    assert_non_null(made);
    memcpy(made, at, len);
    BIO_free(bio);
    EVP_PKEY_free(key);
    return made;
}

TEST(what_is_signed)
{
    char *key = make_key(EVP_EC_gen("P-256")), *other = make_key(EVP_EC_gen("P-384"));
    char *rsa = make_key(EVP_RSA_gen(2048));
    struct buf out;
    buf_init(&out, 8192);
    EXPECT_TRUE("a key", remote_oauth_sign_is_key(str_of(key)));
    EXPECT_TRUE("of RSA", remote_oauth_sign_is_key(str_of(rsa)));
    EXPECT_TRUE("of another curve", !remote_oauth_sign_is_key(str_of(other)));
    EXPECT_TRUE("no key", !remote_oauth_sign_is_key(STR("secret")));
    EXPECT_TRUE("nothing", !remote_oauth_sign_is_key(STR("")));
    EXPECT_TRUE("by no key", !remote_oauth_sign(STR("secret"), STR("i"), STR("a"), 1, &out));
    buf_clear(&out);
    assert_true(remote_oauth_sign(str_of(key), STR("me"), STR(ISSUER), 1700000000, &out));
    /* Three parts; a signature of ECDSA is 64 bytes, which are 86 characters. The conformance suite
     * of clients verifies one (node.mcp_oauth). */
    struct str rest = buf_str(&out), head = str_split(&rest, '.'), claims = str_split(&rest, '.');
    EXPECT_STR("head", head, STR("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9"));
    EXPECT_TRUE("claims", claims.len > 100);
    EXPECT_INT("signature", (int)rest.len, 86);
    buf_clear(&out);
    assert_true(remote_oauth_sign(str_of(rsa), STR("me"), STR(ISSUER), 1700000000, &out));
    EXPECT_TRUE("RS256",
                str_starts_with(buf_str(&out), STR("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.")));
    buf_fini(&out);
    free(key);
    free(other);
    free(rsa);
}

TEST(without_memory)
{
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t nth = 1; code != ERR_OK; nth++) {
        struct remote_oauth_resource out = {0};
        struct err err = {0};
        struct arena arena;
        arena_init(&arena, 1 << 16);
        mem_fail_nth(nth);
        code = remote_oauth_wire_resource(str_of(resources[0].text), STR(URL), STR(ISSUER), &arena,
                                          &out, &err);
        mem_fail_nth(0);
        EXPECT_TRUE("told", code == ERR_OK || code == ERR_NO_MEMORY);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(challenges_are_read), T(where_metadata_are), T(metadata_of_a_resource),
          T(metadata_of_an_issuer), T(answers_with_a_token), T(requests_for_a_token),
          T(what_is_signed), T(without_memory))

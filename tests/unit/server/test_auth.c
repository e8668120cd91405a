/* SPDX-License-Identifier: MIT */
/* Who may in, by keys, by being here, and by tokens, whose keys are fetched. */
#include "server/auth/auth.h"

#include "tests/lib/token_maker.h"
#include "tests/unit/backends/stub_server.h"

static const struct {
    const char *name, *keys, *header;
    bool loopback;
    enum err_code want;
} cases[] = {
    {"no keys, here", "", NULL, true, ERR_OK},
    {"no keys, from afar", "", "Bearer x", false, ERR_DENIED},
    {"only commas are no keys", " , ,", NULL, false, ERR_DENIED},
    {"no header", "one", NULL, true, ERR_REJECTED},
    {"another scheme", "one", "Basic one", true, ERR_REJECTED},
    {"scheme alone", "one", "Bearer", true, ERR_REJECTED},
    {"empty token", "one", "Bearer ", true, ERR_REJECTED},
    {"right", "one", "Bearer one", false, ERR_OK},
    {"scheme in any case", "one", "bearer one", false, ERR_OK},
    {"the second of several", "one, two ,three", "Bearer two", false, ERR_OK},
    {"shorter", "one", "Bearer on", false, ERR_REJECTED},
    {"longer", "one", "Bearer onee", false, ERR_REJECTED},
    {"repeated", "one", "Bearer oneone", false, ERR_REJECTED},
    {"two at once", "one,two", "Bearer one,two", false, ERR_REJECTED},
};

/* A door with a loop and a book of its own. */
struct door {
    struct rig rig;
    struct auth *auth;
    struct arena arena;
    struct auth_grant grant;
    struct err err;
};

static const struct log silent = {.level = LOG_OFF};

static void use(struct door *door, const char *keys, const char *file)
{
    struct err err = {0};
    struct auth_book *book = auth_book_make(keys, str_of(file), &err);
    if (book == NULL)
        fail_msg("the book: %s", err.text);
    if (door->auth == NULL)
        door->auth = auth_create(door->rig.loop, &silent, book);
    else
        auth_use_book(door->auth, book);
    auth_book_unref(book);
    assert_non_null(door->auth);
}

static void open_door(struct door *door, const char *keys, const char *file)
{
    *door = (struct door){0};
    rig_begin(&door->rig);
    arena_init(&door->arena, 1 << 20);
    use(door, keys, file);
}

static void close_door(struct door *door)
{
    auth_close(door->auth, rig_on_closed, &door->rig);
    auth_release(&door->grant);
    arena_fini(&door->arena);
    rig_end(&door->rig);
    EXPECT_INT("closed", door->rig.closed_calls, 1);
    auth_destroy(door->auth);
}

static enum err_code ask(struct door *door, const struct auth_caller *caller)
{
    door->err = (struct err){0};
    auth_release(&door->grant);
    return auth_check(door->auth, caller, &door->arena, &door->grant, &door->err);
}

static enum err_code show(struct door *door, const char *token)
{
    char header[TOKEN_BYTES];
    snprintf(header, sizeof header, "Bearer %s", token);
    const struct auth_caller caller = {.authorization = str_of(header), .is_loopback = true};
    enum err_code code = ask(door, &caller);
    EXPECT_TRUE("no token in a text",
                strlen(token) < 9 || str_find(str_of(door->err.text), str_of(token)) == STR_NONE);
    return code;
}

TEST(who_may_enter)
{
    TEST_EACH(c, cases) {
        struct door door;
        open_door(&door, c->keys, NULL);
        const struct auth_caller caller = {.authorization = str_of(c->header),
                                           .is_loopback = c->loopback};
        EXPECT_INT(c->name, ask(&door, &caller), c->want);
        EXPECT_TRUE(c->name, str_find(str_of(door.err.text), STR("onee")) == STR_NONE);
        if (c->want == ERR_OK)
            EXPECT_INT(c->name, door.grant.scopes, AUTH_ALL);
        close_door(&door);
    }
}

/* Pages in a browser on this machine, while it alone is trusted. */
TEST(which_pages_may)
{
    static const struct {
        const char *name, *host, *origin;
        enum err_code want;
    } pages[] = {
        {"no browser, HTTP/1.0", NULL, NULL, ERR_OK},
        {"no browser", "127.0.0.1:8080", NULL, ERR_OK},
        {"IPv6", "[::1]:8080", NULL, ERR_OK},
        {"a name of this machine", "localhost:8080", NULL, ERR_OK},
        {"in capitals, no port", "LOCALHOST", NULL, ERR_OK},
        {"our own page", "127.0.0.1:8080", "http://127.0.0.1:8080", ERR_OK},
        {"our own page behind TLS", "localhost", "https://localhost", ERR_OK},
        {"another site's page", "127.0.0.1:8080", "https://example.com", ERR_DENIED},
        {"another port's page", "127.0.0.1:8080", "http://127.0.0.1:3000", ERR_DENIED},
        {"a sandboxed page", "127.0.0.1:8080", "null", ERR_DENIED},
        {"nothing", "127.0.0.1:8080", "", ERR_DENIED},
        {"longer than ours", "127.0.0.1:80", "http://127.0.0.1:8080", ERR_DENIED},
        {"another name for this address", "example.com:8080", NULL, ERR_DENIED},
        {"and its page", "example.com:8080", "http://example.com:8080", ERR_DENIED},
        {"a name like an address", "127.0.0.1.example.com", NULL, ERR_DENIED},
        {"a name like localhost", "localhost.example.com", NULL, ERR_DENIED},
        {"a name within a network", "askd:8080", NULL, ERR_OK},
        {"no name", ":8080", NULL, ERR_OK},
    };
    static const char *const keys[] = {"", "one"};
    TEST_EACH(page, pages)
        for (size_t i = 0; i < countof(keys); i++) {
            struct door door;
            struct err err = {0};
            open_door(&door, keys[i], NULL);
            const struct auth_caller caller = {.authorization = STR("Bearer one"),
                                               .host = str_of(page->host),
                                               .origin = str_of(page->origin),
                                               .is_loopback = true};
            EXPECT_INT(page->name, ask(&door, &caller), i == 0 ? page->want : ERR_OK);
            bool is_named = page->origin == NULL && page->want == ERR_DENIED;
            EXPECT_INT(page->name, auth_check_host(door.auth, caller.host, &err) != ERR_OK,
                       i == 0 && (is_named || strcmp(page->name, "and its page") == 0));
            close_door(&door);
        }
}

TEST(proxies_and_other_origins)
{
    struct door door;
    struct auth_caller caller = {.is_loopback = true, .proxy = STR("Via")};
    open_door(&door, "", NULL);
    EXPECT_INT("through a proxy", ask(&door, &caller), ERR_DENIED);
    EXPECT_TRUE("it names the header", str_starts_with(str_of(door.err.text), STR("Via: ")));
    caller = (struct auth_caller){.is_loopback = true,
                                  .host = STR("127.0.0.1"),
                                  .origin = STR("https://app.example.com"),
                                  .is_known_origin = true};
    EXPECT_INT("a page that is named", ask(&door, &caller), ERR_OK);
    use(&door, "one", NULL);
    caller = (struct auth_caller){.authorization = STR("Bearer one"), .proxy = STR("Via")};
    EXPECT_INT("with a key", ask(&door, &caller), ERR_OK);
    close_door(&door);
}

/* SHA-256 of "one" and "two". */
#define ONE "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
#define TWO "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"

TEST(keys_for_some)
{
    static const char *const file =
        "{\"keys\":[{\"name\":\"bff\",\"sha256\":\"" ONE "\",\"companies\":[\"acme\",\"b\"]},"
        "{\"name\":\"old\",\"sha256\":\"" TWO "\",\"expires\":\"2020-01-01T00:00:00Z\"}]}";
    static const struct {
        const char *name, *company;
        enum err_code want;
    } asks[] = {{"the first", "acme", ERR_OK}, {"the second", "b", ERR_OK},
                {"another", "c", ERR_DENIED},  {"a beginning", "ac", ERR_DENIED},
                {"none", NULL, ERR_DENIED},    {"an empty one", "", ERR_DENIED}};
    struct door door;
    open_door(&door, "", file);
    EXPECT_INT("in", show(&door, "one"), ERR_OK);
    EXPECT_INT("scopes", door.grant.scopes, AUTH_ASK);
    TEST_EACH(c, asks) {
        struct identity caller = {.company_id = str_of(c->company)};
        EXPECT_INT(c->name, auth_grant_covers(&door.grant, &caller), c->want == ERR_OK);
        EXPECT_INT(c->name, auth_grant_settle(&door.grant, &caller, &door.err), c->want);
    }
    EXPECT_INT("it is over", show(&door, "two"), ERR_REJECTED);
    EXPECT_TRUE("and says so", str_find(str_of(door.err.text), STR("'old' has expired")) >= 0);
    use(&door, "", "{\"keys\":[{\"name\":\"b\",\"sha256\":\"" TWO "\",\"companies\":\"acme\"}]}");
    EXPECT_INT("not any more", show(&door, "one"), ERR_REJECTED);
    EXPECT_INT("the new one", show(&door, "two"), ERR_OK);
    struct identity caller = {.user_id = STR("u")};
    EXPECT_INT("one company", auth_grant_settle(&door.grant, &caller, &door.err), ERR_OK);
    EXPECT_STR("is meant", caller.company_id, STR("acme"));
    close_door(&door);
}

/* ---- tokens ---- */

static struct str jwks_reply(struct buf *room, EVP_PKEY *key, const char *id)
{
    struct buf set;
    char more[64];
    snprintf(more, sizeof more, ",\"kid\":\"%s\"", id);
    buf_init(&set, 1 << 16);
    buf_push(&set, STR("{\"keys\":["));
    token_maker_jwk(&set, key, more);
    buf_push(&set, STR("]}"));
    buf_init(room, 1 << 16);
    buf_printf(room, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%.*s", buf_len(&set),
               STR_ARG(buf_str(&set)));
    buf_fini(&set);
    return buf_str(room);
}

static void write_file(char *room, size_t size, const char *url)
{
    snprintf(room, size,
             "{\"issuers\":[{\"issuer\":\"https://i\",\"audience\":\"askd\",\"jwks_url\":\"%s\","
             "\"claims\":{\"company\":\"org\",\"role\":\"role\"}}],"
             "\"keys\":[{\"name\":\"a\",\"sha256\":\"" ONE "\"}]}",
             url);
}

static enum err_code show_signed(struct door *door, EVP_PKEY *key, const char *header,
                                 const char *claims)
{
    char *token = token_maker_sign(key, header, claims);
    enum err_code code = show(door, token);
    free(token);
    return code;
}

#define HEAD         "{\"alg\":\"ES256\",\"kid\":\"k1\"}"
#define CLAIMS(more) "{\"iss\":\"https://i\",\"sub\":\"ann\",\"org\":\"acme\"" more "}"
#define FINE         CLAIMS(",\"aud\":\"askd\",\"exp\":4000000000,\"role\":\"chief\"")

static const struct {
    const char *name, *header, *claims, *want; /* in the error; NULL: it is let in */
} tokens[] = {
    {"fine", HEAD, FINE, NULL},
    {"typed", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"typ\":\"at+jwt\"}", FINE, NULL},
    {"several audiences", HEAD,
     CLAIMS(",\"aud\":[\"x\",\"askd\"],\"exp\":4000000000,\"role\":[\"chief\"]"), NULL},
    {"it has begun", HEAD, CLAIMS(",\"aud\":\"askd\",\"exp\":4e9,\"nbf\":1000,\"role\":\"chief\""),
     NULL},
    {"no algorithm", "{\"alg\":\"none\"}", FINE, "alg"},
    {"a secret's", "{\"alg\":\"HS256\",\"kid\":\"k1\"}", FINE, "alg"},
    {"another algorithm", "{\"alg\":\"RS256\",\"kid\":\"k1\"}", FINE, "signature"},
    {"an extension", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"crit\":[\"x\"]}", FINE, "crit"},
    {"another type", "{\"alg\":\"ES256\",\"kid\":\"k1\",\"typ\":\"logout+jwt\"}", FINE, "typ"},
    {"another issuer", HEAD, "{\"iss\":\"https://j\",\"aud\":\"askd\",\"exp\":4e9}", "iss"},
    {"no issuer", HEAD, "{\"aud\":\"askd\",\"exp\":4e9}", "iss"},
    {"another audience", HEAD, CLAIMS(",\"aud\":\"other\",\"exp\":4e9,\"role\":\"r\""), "aud"},
    {"no audience", HEAD, CLAIMS(",\"exp\":4e9,\"role\":\"r\""), "aud"},
    {"over", HEAD, CLAIMS(",\"aud\":\"askd\",\"exp\":1000,\"role\":\"r\""), "expired"},
    {"without an end", HEAD, CLAIMS(",\"aud\":\"askd\",\"role\":\"r\""), "exp"},
    {"an end in words", HEAD, CLAIMS(",\"aud\":\"askd\",\"exp\":\"4e9\",\"role\":\"r\""), "exp"},
    {"too early", HEAD, CLAIMS(",\"aud\":\"askd\",\"exp\":4e9,\"nbf\":4e9,\"role\":\"r\""),
     "not valid yet"},
    {"no role", HEAD, CLAIMS(",\"aud\":\"askd\",\"exp\":4e9"), "/role"},
    {"two roles", HEAD, CLAIMS(",\"aud\":\"askd\",\"exp\":4e9,\"role\":[\"a\",\"b\"]"), "/role"},
    {"no company", HEAD, "{\"iss\":\"https://i\",\"sub\":\"a\",\"aud\":\"askd\",\"exp\":4e9}",
     "/org"},
    {"no user", HEAD, "{\"iss\":\"https://i\",\"org\":\"a\",\"aud\":\"askd\",\"exp\":4e9}", "/sub"},
    {"an empty company", HEAD,
     "{\"iss\":\"https://"
     "i\",\"sub\":\"a\",\"org\":\"\",\"aud\":\"askd\",\"exp\":4e9,\"role\":\"r\"}",
     "/org"},
};

/* Turn until the issuer was asked count times, and what it said was read. */
static void await_keys(struct door *door, const struct stub_server *issuer, unsigned count,
                       EVP_PKEY *key, const char *id)
{
    char header[64];
    snprintf(header, sizeof header, "{\"alg\":\"ES256\",\"kid\":\"%s\"}", id);
    for (unsigned turn = 0; turn < RIG_TURNS && show_signed(door, key, header, FINE) != ERR_OK;
         turn++)
        loop_turn(door->rig.loop, 1);
    EXPECT_INT("let in", show_signed(door, key, header, FINE), ERR_OK);
    EXPECT_INT("asked", issuer->requests, count);
}

TEST(tokens_of_an_issuer)
{
    struct token_maker maker;
    struct door door = {0};
    struct stub_server issuer;
    struct buf reply;
    char file[1024];
    token_maker_init(&maker);
    rig_begin(&door.rig);
    arena_init(&door.arena, 16 << 20);
    stub_server_start(&issuer, &door.rig, jwks_reply(&reply, maker.p256, "k1"), STUB_CLOSE);
    write_file(file, sizeof file, issuer.url);
    use(&door, "", file);
    EXPECT_INT("on the way", show_signed(&door, maker.p256, HEAD, FINE), ERR_UNAVAILABLE);
    await_keys(&door, &issuer, 1, maker.p256, "k1");
    TEST_EACH(c, tokens) {
        enum err_code code = show_signed(&door, maker.p256, c->header, c->claims);
        EXPECT_INT(c->name, code, c->want == NULL ? ERR_OK : ERR_REJECTED);
        EXPECT_TRUE(c->name,
                    c->want == NULL || str_find(str_of(door.err.text), str_of(c->want)) >= 0);
        if (code != ERR_OK)
            continue;
        EXPECT_STR(c->name, door.grant.company, STR("acme"));
        EXPECT_STR(c->name, door.grant.user, STR("ann"));
        EXPECT_STR(c->name, door.grant.role, STR("chief"));
    }
    EXPECT_INT("a stranger's key", show_signed(&door, maker.rsa, HEAD, FINE), ERR_REJECTED);
    EXPECT_INT("no signature", show_signed(&door, NULL, HEAD, FINE), ERR_REJECTED);
    EXPECT_INT("unsigned, unnamed", show_signed(&door, NULL, "{\"alg\":\"none\"}", FINE),
               ERR_REJECTED);
    EXPECT_INT("a key besides", show(&door, "one"), ERR_OK);
    use(&door, "a.b.c", file);
    EXPECT_INT("a key that looks like a token", show(&door, "a.b.c"), ERR_OK);
    EXPECT_INT("the issuer was asked once", issuer.requests, 1);
    stub_server_stop(&issuer);
    close_door(&door);
    buf_fini(&reply);
    token_maker_fini(&maker);
}

/* A token speaks for whom it names, and for nobody else. */
TEST(a_token_is_its_users)
{
    static const struct {
        const char *name;
        struct identity caller;
        enum err_code want;
    } asks[] = {
        {"nobody", {.user_id = {NULL, 0}}, ERR_OK},
        {"itself",
         {.company_id = {"acme", 4}, .user_id = {"ann", 3}, .role = {"chief", 5}},
         ERR_OK},
        {"another company", {.company_id = {"b", 1}}, ERR_DENIED},
        {"another user", {.user_id = {"bob", 3}}, ERR_DENIED},
        {"another role", {.role = {"root", 4}}, ERR_DENIED},
    };
    const struct auth_grant grant = {
        .is_token = true, .company = STR("acme"), .user = STR("ann"), .role = STR("chief")};
    EXPECT_TRUE("nobody", !auth_grant_covers(&grant, &asks[0].caller));
    EXPECT_TRUE("another", !auth_grant_covers(&grant, &asks[2].caller));
    TEST_EACH(c, asks) {
        struct err err = {0};
        struct identity caller = c->caller;
        EXPECT_INT(c->name, auth_grant_settle(&grant, &caller, &err), c->want);
        EXPECT_TRUE(c->name, c->want != ERR_OK || auth_grant_covers(&grant, &caller));
    }
}

/* An issuer changes its key: the unknown id fetches the new one, but a stranger's ids do not make
 * askd ask again and again. */
TEST(keys_that_change)
{
    struct token_maker maker, next;
    struct door door = {0};
    struct stub_server issuer;
    struct buf reply, later;
    char file[1024];
    token_maker_init(&maker);
    token_maker_init(&next);
    rig_begin(&door.rig);
    loop_fake_clock(door.rig.loop, (uint64_t)1700000000 * 1000);
    arena_init(&door.arena, 64 << 20);
    stub_server_start(&issuer, &door.rig, jwks_reply(&reply, maker.p256, "k1"), STUB_CLOSE);
    write_file(file, sizeof file, issuer.url);
    use(&door, "", file);
    await_keys(&door, &issuer, 1, maker.p256, "k1");
    issuer.reply = jwks_reply(&later, next.p256, "k2");
    for (unsigned i = 0; i < 50; i++)
        EXPECT_INT("too soon",
                   show_signed(&door, next.p256, "{\"alg\":\"ES256\",\"kid\":\"k2\"}", FINE),
                   ERR_REJECTED);
    EXPECT_INT("not asked again", issuer.requests, 1);
    loop_advance(door.rig.loop, 31 * 1000);
    EXPECT_INT("asked for",
               show_signed(&door, next.p256, "{\"alg\":\"ES256\",\"kid\":\"k2\"}", FINE),
               ERR_UNAVAILABLE);
    await_keys(&door, &issuer, 2, next.p256, "k2");
    EXPECT_INT("the old one is over", show_signed(&door, maker.p256, HEAD, FINE), ERR_REJECTED);
    use(&door, "", file);
    EXPECT_INT("kept by a reload",
               show_signed(&door, next.p256, "{\"alg\":\"ES256\",\"kid\":\"k2\"}", FINE), ERR_OK);
    stub_server_stop(&issuer);
    close_door(&door);
    buf_fini(&reply);
    buf_fini(&later);
    token_maker_fini(&maker);
    token_maker_fini(&next);
}

TEST(an_issuer_that_says_nonsense)
{
    struct token_maker maker;
    struct door door = {0};
    struct stub_server issuer;
    char file[1024];
    token_maker_init(&maker);
    rig_begin(&door.rig);
    arena_init(&door.arena, 16 << 20);
    stub_server_start(&issuer, &door.rig,
                      STR("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"keys\":[]}"),
                      STUB_CLOSE);
    write_file(file, sizeof file, issuer.url);
    use(&door, "", file);
    for (unsigned turn = 0; turn < RIG_TURNS && str_find(str_of(door.err.text), STR("cannot")) < 0;
         turn++) {
        EXPECT_INT("not let in", show_signed(&door, maker.p256, HEAD, FINE), ERR_UNAVAILABLE);
        loop_turn(door.rig.loop, 1);
    }
    EXPECT_INT("asked once", issuer.requests, 1);
    stub_server_stop(&issuer);
    close_door(&door);
    token_maker_fini(&maker);
}

RUN_TESTS(T(who_may_enter), T(which_pages_may), T(proxies_and_other_origins), T(keys_for_some),
          T(tokens_of_an_issuer), T(a_token_is_its_users), T(keys_that_change),
          T(an_issuer_that_says_nonsense))

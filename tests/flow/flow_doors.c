/* SPDX-License-Identifier: MIT */
/* tests/flow/flow_doors.c - who is let in, and what a request may cost before that is known: the
 * server in-process, against a client that sends exactly what it is told. */
#include "tests/lib/http_peer.h"
#include "tests/lib/token_maker.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHAT "/internal/chat/stream"
#define JSON "Content-Type: application/json\r\n"

static bool has(struct str text, const char *needle)
{
    return str_find(text, str_of(needle)) != STR_NONE;
}

/* The status of the answer to text; the server must close where closes says so. */
static int answer_to(unsigned port, const char *text, struct http_answer *answer)
{
    struct http_peer peer;
    http_peer_open(&peer, port);
    http_peer_send(&peer, str_of(text));
    http_peer_take(&peer, answer);
    http_peer_close(&peer);
    return answer->status;
}

static int status_to(unsigned port, const char *text)
{
    struct http_answer answer;
    int status = answer_to(port, text, &answer);
    buf_fini(&answer.body);
    return status;
}

static const struct {
    const char *name, *head;
    int want;
} heads[] = {
    {"a wrong key", "POST " CHAT " HTTP/1.1\r\nHost: t\r\n" JSON "Authorization: Bearer x\r\n",
     401},
    {"no key", "POST " CHAT " HTTP/1.1\r\nHost: t\r\n" JSON, 401},
    {"no such path", "POST /nothing HTTP/1.1\r\nHost: t\r\n" JSON "X-Api-Key: one\r\n", 404},
    {"another method", "DELETE " CHAT " HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n", 405},
    {"a form",
     "POST /ask HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n"
     "Content-Type: application/x-www-form-urlencoded\r\n",
     415},
    {"plain text",
     "POST /mcp HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n"
     "Content-Type: text/plain;charset=UTF-8\r\n",
     415},
    {"a beginning",
     "POST /ask HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n"
     "Content-Type: application/jsonp\r\n",
     415},
    {"text behind JSON",
     "POST /ask HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n"
     "Content-Type: application/json, text/plain\r\n",
     415},
    {"no type", "POST /ask HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n", 415},
    {"a user twice",
     "POST /ask HTTP/1.1\r\nHost: t\r\n" JSON "X-Api-Key: one\r\n"
     "X-Askd-User-Id: a\r\nx-askd-user-id: a\r\n",
     400},
    {"a key twice",
     "POST /ask HTTP/1.1\r\nHost: t\r\n" JSON
     "Authorization: Bearer x\r\nAuthorization: Bearer one\r\n",
     400},
    {"a type twice", "POST /ask HTTP/1.1\r\nHost: t\r\n" JSON JSON "X-Api-Key: one\r\n", 400},
};

/* What is judged by the head: the body, which never comes, is not waited for. */
TEST(judged_before_the_body)
{
    static const char *const settings[] = {"ASKD_API_KEYS=one", NULL};
    struct server_rig *rig = server_rig_start(settings);
    unsigned port = server_rig_port(rig);
    static const char *const framings[] = {
        "Content-Length: 1000000\r\n\r\n{",
        "Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{"};
    TEST_EACH(c, heads)
        TEST_EACH(framing, framings) {
            char text[1024];
            struct http_answer answer;
            snprintf(text, sizeof text, "%s%s", c->head, *framing);
            EXPECT_INT(c->name, answer_to(port, text, &answer), c->want);
            EXPECT_TRUE(c->name, has(answer.head, "Connection: close\r\n"));
            buf_fini(&answer.body);
        }
    EXPECT_INT("too long a body",
               status_to(port, "POST /ask HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999\r\n\r\n"),
               413);
    EXPECT_INT("no body needs no type",
               status_to(port, "POST /internal/runs/run-0-nothing/cancel HTTP/1.1\r\nHost: t\r\n"
                               "X-Api-Key: one\r\n\r\n"),
               404);
    EXPECT_INT("a kind of JSON",
               status_to(port,
                         "POST /ask HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\nContent-Length: 2\r\n"
                         "Content-Type: application/vnd.x+json; charset=utf-8\r\n\r\n{}"),
               422);
    assert_true(server_rig_stop(rig));
}

/* How many of the peers have something to read. */
static unsigned count_answered(const struct http_peer *peers, unsigned count)
{
    unsigned answered = 0;
    for (unsigned i = 0; i < count; i++) {
        struct pollfd read = {.fd = peers[i].fd, .events = POLLIN};
        answered += poll(&read, 1, 0) == 1;
    }
    return answered;
}

/* Bodies of all connections share what memory they may have. */
TEST(bodies_have_a_limit_together)
{
    enum { PEERS = 24, FIT = 4, BODY = 1048000 };
    static const char *const settings[] = {"ASKD_MEMORY_LIMIT=16m", NULL};
    static char bytes[BODY];
    struct server_rig *rig = server_rig_start(settings);
    struct http_peer peers[PEERS];
    unsigned waiting = 0;
    memset(bytes, ' ', sizeof bytes);
    for (unsigned i = 0; i < PEERS; i++) {
        char head[256];
        http_peer_open(&peers[i], server_rig_port(rig));
        snprintf(head, sizeof head,
                 "POST /ask HTTP/1.1\r\nHost: t\r\n" JSON "Content-Length: %d\r\n\r\n", BODY);
        http_peer_send(&peers[i], str_of(head));
        http_peer_send(&peers[i], str_make(bytes, BODY - 1));
    }
    for (unsigned tries = 0; count_answered(peers, PEERS) < PEERS - FIT; tries++) {
        assert_true(tries < PEER_WAIT_SECONDS * 100); /* no more are held than fit */
        poll(NULL, 0, 10);
    }
    for (unsigned i = 0; i < PEERS; i++)
        if (count_answered(&peers[i], 1) == 0)
            waiting++;
        else
            EXPECT_INT("refused", http_peer_status(&peers[i]), 503);
    EXPECT_TRUE("some are held", waiting >= 1);
    for (unsigned i = 0; i < PEERS; i++)
        http_peer_close(&peers[i]);
    for (unsigned tries = 0, status = 503; status != 422; tries++) { /* when they have been seen */
        assert_true(tries < 1000);
        status = (unsigned)status_to(server_rig_port(rig), "POST /ask HTTP/1.1\r\nHost: t\r\n" JSON
                                                           "Content-Length: 2\r\n\r\n{}");
    }
    assert_true(server_rig_stop(rig));
}

TEST(without_keys_only_this_machine_itself)
{
    static const char *const headers[] = {
        "Forwarded: for=203.0.113.9\r\n", "X-Forwarded-For: 203.0.113.9\r\n", "Via: 1.1 nginx\r\n",
        "x-real-ip: 203.0.113.9\r\n", "X-Forwarded-Proto: https\r\n"};
    static const char *const open[] = {"/", "/metrics", "/readyz", "/version", "/openapi.json"};
    static const char *const keyed[] = {"ASKD_API_KEYS=one", NULL};
    char text[512];
    struct server_rig *rig = server_rig_start(NULL);
    struct server_rig *with = server_rig_start(keyed);
    TEST_EACH(header, headers) {
        snprintf(text, sizeof text, "GET /internal/runs HTTP/1.1\r\nHost: t\r\n%s\r\n", *header);
        EXPECT_INT(*header, status_to(server_rig_port(rig), text), 403);
        snprintf(text, sizeof text,
                 "GET /internal/runs HTTP/1.1\r\nHost: t\r\nX-Api-Key: one\r\n%s\r\n", *header);
        EXPECT_INT("with a key", status_to(server_rig_port(with), text), 200);
    }
    TEST_EACH(path, open) {
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", *path);
        EXPECT_INT(*path, status_to(server_rig_port(rig), text), 403);
        EXPECT_TRUE(*path, status_to(server_rig_port(with), text) != 403);
    }
    EXPECT_INT(
        "health is everybody's",
        status_to(server_rig_port(rig), "GET /healthz HTTP/1.1\r\nHost: evil.example.com\r\n\r\n"),
        200);
    assert_true(server_rig_stop(rig));
    assert_true(server_rig_stop(with));
}

/* A port that nobody has, and that the kernel gives to no one who asks for any. */
static unsigned free_port(void)
{
    enum { FROM = 15000, COUNT = 5000 };
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (unsigned tries = 0; tries < COUNT; tries++) {
        unsigned port = FROM + ((unsigned)getpid() * 7 + tries) % COUNT;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        address.sin_port = htons((uint16_t)port);
        bool is_free = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
        close(fd);
        if (is_free)
            return port;
    }
    fail_msg("no port is free");
    return 0;
}

/* Until the server that operators reach at port says that its front has so many connections. */
static void await_connections(unsigned port, unsigned count)
{
    enum { TRIES = 100000 };
    char needle[32];
    bool is_so = false;
    snprintf(needle, sizeof needle, "askd_connections %u\n", count);
    for (unsigned i = 0; i < TRIES && !is_so; i++) {
        struct http_answer answer;
        (void)answer_to(port, "GET /metrics HTTP/1.1\r\nHost: t\r\n\r\n", &answer);
        is_so = has(buf_str(&answer.body), needle);
        buf_fini(&answer.body);
    }
    EXPECT_TRUE("it counts the front", is_so);
}

/* A full server is alive, and says so: on its own port, and on that of operators, where it also
 * tells what it does. */
TEST(a_full_server_is_alive)
{
    char port_setting[64];
    unsigned port = free_port();
    snprintf(port_setting, sizeof port_setting, "ASKD_ADMIN_PORT=%u", port);
    const char *const settings[] = {"ASKD_MAX_CONNECTIONS=2", port_setting, NULL};
    struct server_rig *rig = server_rig_start(settings);
    unsigned front = server_rig_port(rig);
    struct http_peer held[2];
    for (size_t i = 0; i < countof(held); i++) {
        http_peer_open(&held[i], front);
        http_peer_get(&held[i], "/healthz", "");
        EXPECT_INT("served", http_peer_status(&held[i]), 200);
    }
    for (unsigned i = 0; i < 20; i++) {
        EXPECT_INT("alive", status_to(front, "GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n"), 200);
        EXPECT_INT("full", status_to(front, "GET /version HTTP/1.1\r\nHost: t\r\n\r\n"), 503);
    }
    EXPECT_INT("silence is full", status_to(front, ""), 503);
    static const struct {
        const char *path;
        int want;
    } paths[] = {{"/healthz", 200},        {"/version", 200}, {"/metrics", 200},
                 {"/admin/runs", 200},     {"/", 404},        {"/internal/runs", 404},
                 {"/internal/graphs", 404}};
    TEST_EACH(c, paths) {
        char text[256];
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: t\r\n\r\n", c->path);
        EXPECT_INT(c->path, status_to(port, text), c->want);
    }
    await_connections(port, countof(held));
    for (size_t i = 0; i < countof(held); i++)
        http_peer_close(&held[i]);
    assert_true(server_rig_stop(rig));
}

TEST(pages_of_other_origins)
{
    static const char *const settings[] = {
        "ASKD_CORS_ORIGINS=https://app.example.com, http://localhost:3000", NULL};
    struct server_rig *rig = server_rig_start(settings);
    struct server_rig *without = server_rig_start(NULL);
    struct http_answer answer;
    static const char *const preflight =
        "OPTIONS " CHAT " HTTP/1.1\r\nHost: t\r\nOrigin: https://app.example.com\r\n"
        "Access-Control-Request-Method: POST\r\n"
        "Access-Control-Request-Headers: authorization,content-type,x-stainless-os\r\n\r\n";
    EXPECT_INT("asked", answer_to(server_rig_port(rig), preflight, &answer), 204);
    EXPECT_TRUE("origin",
                has(answer.head, "Access-Control-Allow-Origin: https://app.example.com\r\n"));
    EXPECT_TRUE("headers", has(answer.head, "Access-Control-Allow-Headers: "
                                            "authorization,content-type,x-stainless-os\r\n"));
    EXPECT_TRUE("varies", has(answer.head, "Vary: Origin\r\n"));
    EXPECT_TRUE("no credentials", !has(answer.head, "Credentials"));
    buf_fini(&answer.body);
    EXPECT_INT("off", answer_to(server_rig_port(without), preflight, &answer), 405);
    EXPECT_TRUE("no header", !has(answer.head, "Access-Control"));
    buf_fini(&answer.body);
    EXPECT_INT("used",
               answer_to(server_rig_port(rig),
                         "GET /internal/graphs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                         "Origin: http://localhost:3000\r\n\r\n",
                         &answer),
               200);
    EXPECT_TRUE("readable",
                has(answer.head, "Access-Control-Allow-Origin: http://localhost:3000\r\n") &&
                    has(answer.head, "Access-Control-Expose-Headers: X-Request-Id, X-Run-Id,"));
    buf_fini(&answer.body);
    static const char *const strangers[] = {"https://evil.example.com", "null",
                                            "https://app.example.com.evil.com",
                                            "http://app.example.com", "https://APP.example.com"};
    TEST_EACH(origin, strangers) {
        char text[512];
        snprintf(text, sizeof text,
                 "GET /internal/graphs HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: %s\r\n\r\n", *origin);
        EXPECT_INT(*origin, answer_to(server_rig_port(rig), text, &answer), 403);
        EXPECT_TRUE(*origin, !has(answer.head, "Access-Control"));
        buf_fini(&answer.body);
    }
    assert_true(server_rig_stop(rig));
    assert_true(server_rig_stop(without));
}

/* ---- the file ---- */

/* SHA-256 of "one", "two" and "three". */
#define ONE "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
#define TWO "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"

static void write_file(char *path, struct str text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.at, text.len), (ssize_t)text.len);
    close(fd);
}

/* The file of keys, with an issuer whose keys are in a file beside it. */
static void make_files(char *path, char *keys, EVP_PKEY *key)
{
    struct buf text;
    buf_init(&text, 65536);
    buf_push(&text, STR("{\"keys\":["));
    token_maker_jwk(&text, key, ",\"kid\":\"k\"");
    buf_push(&text, STR("]}"));
    write_file(keys, buf_str(&text));
    buf_clear(&text);
    buf_printf(&text,
               "{\"resource\":\"https://askd.example.com/\",\"keys\":["
               "{\"name\":\"bff\",\"sha256\":\"" ONE "\",\"companies\":[\"acme\"]},"
               "{\"name\":\"prometheus\",\"sha256\":\"" TWO
               "\",\"scopes\":[\"metrics\",\"admin\"]}],"
               "\"issuers\":[{\"issuer\":\"https://idp.example.com\",\"audience\":\"askd\","
               "\"jwks_file\":\"%s\",\"claims\":{\"company\":\"org\"}}]}",
               keys);
    write_file(path, buf_str(&text));
    buf_fini(&text);
}

static int get(unsigned port, const char *path, const char *key, const char *more)
{
    char text[TOKEN_BYTES];
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer %s\r\n%s\r\n",
             path, key, more);
    return status_to(port, text);
}

static int ask(unsigned port, const char *key, const char *more, const char *who)
{
    char text[TOKEN_BYTES], json[512];
    snprintf(json, sizeof json,
             "{\"input\":{\"message\":\"stream 1 0 0\"},\"conversation\":{\"id\":\"%s\"%s}}",
             who[0] == '\0' ? "token's" : "key's", who);
    snprintf(text, sizeof text,
             "POST " CHAT " HTTP/1.1\r\nHost: t\r\n" JSON "Authorization: Bearer %s\r\n%s"
             "Content-Length: %zu\r\n\r\n%s",
             key, more, strlen(json), json);
    return status_to(port, text);
}

/* What says who gives tokens, and that a refusal points to it. */
static void expect_metadata(unsigned port)
{
    struct http_answer answer;
    EXPECT_INT(
        "metadata",
        answer_to(port, "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: t\r\n\r\n",
                  &answer),
        200);
    EXPECT_STR("it is", buf_str(&answer.body),
               STR("{\"resource\":\"https://askd.example.com/mcp\",\"authorization_servers\":"
                   "[\"https://idp.example.com\"],\"bearer_methods_supported\":[\"header\"],"
                   "\"resource_name\":\"askd\"}"));
    buf_fini(&answer.body);
    EXPECT_INT("a challenge",
               answer_to(port,
                         "POST /mcp HTTP/1.1\r\nHost: t\r\n" JSON "Content-Length: 9\r\n\r\n{",
                         &answer),
               401);
    EXPECT_TRUE("names it", has(answer.head,
                                "WWW-Authenticate: Bearer resource_metadata=\"https://"
                                "askd.example.com/.well-known/oauth-protected-resource/mcp\"\r\n"));
    buf_fini(&answer.body);
}

TEST(keys_and_tokens_of_a_file)
{
    char path[] = "/tmp/askd_auth_XXXXXX", jwks[] = "/tmp/askd_jwks_XXXXXX", setting[64];
    struct token_maker maker;
    token_maker_init(&maker);
    make_files(path, jwks, maker.ed25519);
    snprintf(setting, sizeof setting, "ASKD_AUTH_FILE=%s", path);
    const char *const settings[] = {setting, NULL};
    char *token = token_maker_sign(maker.ed25519, "{\"alg\":\"EdDSA\",\"kid\":\"k\"}",
                                   "{\"iss\":\"https://idp.example.com\",\"aud\":\"askd\","
                                   "\"exp\":4000000000,\"sub\":\"ann\",\"org\":\"acme\"}");
    char *forged = token_maker_sign(maker.p256, "{\"alg\":\"ES256\",\"kid\":\"k\"}",
                                    "{\"iss\":\"https://idp.example.com\",\"aud\":\"askd\","
                                    "\"exp\":4000000000,\"sub\":\"ann\",\"org\":\"acme\"}");
    struct server_rig *rig = server_rig_start(settings);
    unsigned port = server_rig_port(rig);
    EXPECT_INT("nobody", status_to(port, "GET /internal/runs HTTP/1.1\r\nHost: t\r\n\r\n"), 401);
    EXPECT_INT("asks", get(port, "/internal/runs", "one", ""), 200);
    EXPECT_INT("no scope", get(port, "/admin/runs", "one", ""), 403);
    EXPECT_INT("no scope", get(port, "/metrics", "one", ""), 403);
    EXPECT_INT("no key", status_to(port, "GET /metrics HTTP/1.1\r\nHost: t\r\n\r\n"), 401);
    EXPECT_INT("its scope", get(port, "/metrics", "two", ""), 200);
    EXPECT_INT("its scope", get(port, "/admin/runs", "two", ""), 200);
    EXPECT_INT("not its", get(port, "/internal/runs", "two", ""), 403);
    EXPECT_INT("another company", get(port, "/internal/runs?company_id=b", "one", ""), 403);
    EXPECT_INT("another company", get(port, "/internal/runs", "one", "X-Askd-Company-Id: b\r\n"),
               403);
    EXPECT_INT("another company",
               get(port, "/internal/conversations?company_id=b&user_id=u", "one", ""), 403);
    EXPECT_INT("its company", ask(port, "one", "", ",\"company_id\":\"acme\",\"user_id\":\"u\""),
               200);
    EXPECT_INT("its company unsaid", ask(port, "one", "", ",\"user_id\":\"u\""), 200);
    EXPECT_INT("no user", ask(port, "one", "", ",\"company_id\":\"acme\""), 422);
    EXPECT_INT("another", ask(port, "one", "", ",\"company_id\":\"b\",\"user_id\":\"u\""), 403);
    EXPECT_INT("a token", ask(port, token, "", ""), 200);
    EXPECT_INT("another user", ask(port, token, "X-Askd-User-Id: bob\r\n", ""), 403);
    EXPECT_INT("another user", ask(port, token, "", ",\"user_id\":\"bob\""), 403);
    EXPECT_INT("another role", ask(port, token, "X-Askd-Role: root\r\n", ""), 403);
    EXPECT_INT("a forged one", ask(port, forged, "", ""), 401);
    expect_metadata(port);
    assert_true(server_rig_stop(rig));
    unlink(path);
    unlink(jwks);
    free(token);
    free(forged);
    token_maker_fini(&maker);
}

/* Who asks is who the headers name, before what a body says. */
TEST(headers_come_before_the_body)
{
    struct server_rig *rig = server_rig_start(NULL);
    unsigned port = server_rig_port(rig);
    char text[1024], expected[64];
    struct http_answer answer;
    const char *json = "{\"input\":{\"message\":\"stall 1 0 0\"},\"conversation\":{\"id\":\"c\","
                       "\"user_id\":\"alice\",\"company_id\":\"acme\"}}";
    struct http_peer peer;
    http_peer_open(&peer, port);
    snprintf(text, sizeof text,
             "POST " CHAT " HTTP/1.1\r\nHost: t\r\n" JSON "X-Askd-User-Id: bob\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             strlen(json), json);
    http_peer_send(&peer, str_of(text));
    assert_true(http_peer_wait(&peer, "t0 "));
    snprintf(expected, sizeof expected, "\"conversation_id\":\"c\"");
    static const struct {
        const char *name, *target, *headers;
        bool want;
    } cases[] = {
        {"bob's", "/internal/runs", "X-Askd-User-Id: bob\r\nX-Askd-Company-Id: acme\r\n", true},
        {"bob's, by the query", "/internal/runs?user_id=bob&company_id=acme", "", true},
        {"the header comes first", "/internal/runs?user_id=alice&company_id=acme",
         "X-Askd-User-Id: bob\r\n", true},
        {"not alice's", "/internal/runs?user_id=alice&company_id=acme", "", false},
        {"not nobody's", "/internal/runs", "", false},
        {"all", "/admin/runs", "", true},
    };
    TEST_EACH(c, cases) {
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: t\r\n%s\r\n", c->target, c->headers);
        EXPECT_INT(c->name, answer_to(port, text, &answer), 200);
        EXPECT_INT(c->name, has(buf_str(&answer.body), expected), c->want);
        buf_fini(&answer.body);
    }
    http_peer_close(&peer);
    assert_true(server_rig_stop(rig));
}

RUN_TESTS(T(judged_before_the_body), T(bodies_have_a_limit_together),
          T(without_keys_only_this_machine_itself), T(a_full_server_is_alive),
          T(pages_of_other_origins), T(keys_and_tokens_of_a_file), T(headers_come_before_the_body))

/* SPDX-License-Identifier: MIT */
/* The fields of HTTP/2 requests: what becomes a request, and what is refused with which status. */
#include <stdio.h>

#include "proto/http2_head.h"
#include "tests/lib/test.h"

static const struct http_limits limits = {
    .target_bytes = 20, .head_bytes = 600, .header_count = 10, .body_bytes = 1000};

#define ASK  ":method: POST\n:scheme: http\n:path: /p?q=1\n:authority: a.b:80\n"
#define BARE ":method: GET\n:scheme: https\n:path: /\n"
#define H40  "x: 0123456789012345678901234567890123456789\n"

/* fields: "name: value" lines; want: "method path query host body-follows", or what is refused. */
static const struct {
    const char *name, *fields;
    int status;
    const char *want;
} cases[] = {
    {"a request", ASK, 0, "POST /p q=1 a.b:80 1"},
    {"with headers", ASK "accept: */*\nx-a: b c\n", 0, "POST /p q=1 a.b:80 1"},
    {"Host alone", BARE "host: h\n", 0, "GET / - h 1"},
    {"Host as :authority", ASK "host: A.B:80\n", 0, "POST /p q=1 a.b:80 1"},
    {"IPv6", BARE ":authority: [::1]:8080\n", 0, "GET / - [::1]:8080 1"},
    {"no body", ASK "content-length: 0\n", 0, "POST /p q=1 a.b:80 0"},
    {"te trailers", ASK "te: trailers\n", 0, "POST /p q=1 a.b:80 1"},
    {"OPTIONS *", ":method: OPTIONS\n:scheme: http\n:path: *\n:authority: a\n", 0,
     "OPTIONS * - a 1"},
    {"100-continue", ASK "expect: 100-continue\n", 0, "POST /p q=1 a.b:80 1"},
    {"nothing", "", 400, ":method"},
    {"no method", ":scheme: http\n:path: /\n:authority: a\n", 400, ":method"},
    {"no scheme", ":method: GET\n:path: /\n:authority: a\n", 400, ":scheme"},
    {"no path", ":method: GET\n:scheme: http\n:authority: a\n", 400, ":path"},
    {"an empty path", ":method: GET\n:scheme: http\n:path: \n:authority: a\n", 400, "'/'"},
    {"a path of another form", ":method: GET\n:scheme: http\n:path: http://a/\n:authority: a\n",
     400, "'/'"},
    {"a fragment", ":method: GET\n:scheme: http\n:path: /#x\n:authority: a\n", 400, "visible"},
    {"a blank in the path", ":method: GET\n:scheme: http\n:path: /a b\n:authority: a\n", 400,
     "visible"},
    {"no host", BARE, 400, ":authority"},
    {"an empty host", BARE ":authority: \n", 400, "host name"},
    {"user and host", BARE ":authority: u@h\n", 400, "host name"},
    {"two hosts", BARE "host: a\nhost: a\n", 400, "one Host"},
    {"another Host", ASK "host: evil\n", 400, "same in Host"},
    {"another scheme", ":method: GET\n:scheme: ftp\n:path: /\n:authority: a\n", 400, "https"},
    {"another method", ":method: BREW\n:scheme: http\n:path: /\n:authority: a\n", 501, "method"},
    {"CONNECT", ":method: CONNECT\n:authority: a:1\n", 400, ":scheme"},
    {"extended CONNECT",
     ":method: CONNECT\n:protocol: websocket\n:scheme: http\n:path: /\n:authority: a\n", 400,
     "pseudo-header"},
    {"a double :path", ASK ":path: /\n", 400, "once"},
    {"a double :method", ASK ":method: GET\n", 400, "once"},
    {":status", ASK ":status: 200\n", 400, "pseudo-header"},
    {"a late pseudo-header", BARE "x: y\n:authority: a\n", 400, "before"},
    {"upper case", ASK "X-A: b\n", 400, "lower-case"},
    {"an empty name", ASK ": b\n", 400, "pseudo-header"},
    {"a blank in a name", ASK "x a: b\n", 400, "lower-case"},
    {"CR in a value", ASK "x: a\rb\n", 400, "control"},
    {"DEL in a value", ASK "x: a\x7f\n", 400, "control"},
    {"a blank before", ASK "x:  a\n", 400, "blank"},
    {"a blank behind", ASK "x: a \n", 400, "blank"},
    {"connection", ASK "connection: close\n", 400, "connection"},
    {"keep-alive", ASK "keep-alive: 5\n", 400, "connection"},
    {"proxy-connection", ASK "proxy-connection: close\n", 400, "connection"},
    {"transfer-encoding", ASK "transfer-encoding: chunked\n", 400, "connection"},
    {"upgrade", ASK "upgrade: h2c\n", 400, "connection"},
    {"te gzip", ASK "te: gzip\n", 400, "connection"},
    {"two lengths", ASK "content-length: 5\ncontent-length: 5\n", 400, "one Content-Length"},
    {"a length of letters", ASK "content-length: 5x\n", 400, "decimal"},
    {"a negative length", ASK "content-length: -1\n", 400, "decimal"},
    {"an empty length", ASK "content-length: \n", 400, "decimal"},
    {"a length beyond 64 bits", ASK "content-length: 99999999999999999999\n", 413, "too long"},
    {"a long body", ASK "content-length: 1001\n", 413, "too long"},
    {"a long target", ":method: GET\n:scheme: http\n:path: /2345678901234567890123\n", 414,
     "target"},
    {"many headers", ASK "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\n", 431, "many"},
    {"long headers", ASK H40 H40 H40 H40 H40 H40, 431, "long"},
    {"another expectation", ASK "expect: 200-ok\n", 417, "100-continue"},
};

static void take_all(struct http2_head *head, const char *fields)
{
    struct str rest = str_of(fields);
    while (rest.len > 0) {
        struct str line = str_split(&rest, '\n');
        size_t colon = line.at[0] == ':' && line.len > 1 && line.at[1] != ' ' ? 1 : 0;
        while (line.at[colon] != ':')
            colon++;
        http2_head_take(head, str_slice(line, 0, colon == 0 ? 1 : colon),
                        str_from(line, colon + 2));
    }
}

TEST(heads)
{
    TEST_EACH(c, cases) {
        struct http2_head head;
        struct err err = {0};
        http2_head_init(&head, &limits);
        take_all(&head, c->fields);
        enum err_code code = http2_head_end(&head, false, &err);
        EXPECT_INT(c->name, http2_head_status(&head), c->status);
        EXPECT_TRUE(c->name, (code == ERR_OK) == (c->status == 0));
        if (code == ERR_OK) {
            const struct http_request *r = &head.request;
            char got[200];
            snprintf(got, sizeof got, "%.*s %.*s %.*s %.*s %d", STR_ARG(r->method_text),
                     STR_ARG(r->path), STR_ARG(str_is_absent(r->query) ? STR("-") : r->query),
                     STR_ARG(r->host), r->has_body);
            EXPECT_STR(c->name, str_of(got), str_of(c->want));
            EXPECT_STR(c->name, http_request_header(r, STR("Host")), r->host);
        } else if (strstr(err.text, c->want) == NULL) {
            fail_msg("%s: got '%s', want '%s' in it", c->name, err.text, c->want);
        }
        http2_head_fini(&head);
    }
}

TEST(headers_are_read_as_those_of_http_1)
{
    struct http2_head head;
    struct err err;
    struct str name, value;
    size_t cursor = 0, count = 0;
    http2_head_init(&head, &limits);
    take_all(&head, ASK "accept: text/plain, text/event-stream\nx-a: b\n");
    assert_int_equal(http2_head_end(&head, true, &err), ERR_OK);
    EXPECT_TRUE("no body", !head.request.has_body);
    EXPECT_STR("by name", http_request_header(&head.request, STR("X-A")), STR("b"));
    EXPECT_TRUE("token",
                http_request_has_token(&head.request, STR("Accept"), STR("text/event-stream")));
    while (http_request_next_header(&head.request, &cursor, &name, &value))
        count++;
    EXPECT_INT("lines", count, 3);
    http2_head_fini(&head);
    http2_head_fini(&head);
}

TEST(no_memory_is_told)
{
    bool is_over = false;
    for (uint64_t n = 1; !is_over; n++) {
        struct http2_head head;
        struct err err = {0};
        http2_head_init(&head, &limits);
        mem_fail_nth(n);
        take_all(&head, ASK "x-a: b\n");
        is_over = http2_head_end(&head, true, &err) == ERR_OK;
        mem_fail_nth(0);
        EXPECT_INT("status", http2_head_status(&head), is_over ? 0 : 503);
        http2_head_fini(&head);
        EXPECT_TRUE("the sweep ends", n < 20);
    }
}

TEST(the_size_counts_on_beyond_the_limit)
{
    struct http2_head head;
    http2_head_init(&head, &limits);
    for (size_t i = 0; i < 1000; i++)
        http2_head_take(&head, STR("x"), STR("y"));
    EXPECT_INT("size", http2_head_size(&head), 34 * 1000);
    EXPECT_INT("status", http2_head_status(&head), 431);
    http2_head_fini(&head);
}

RUN_TESTS(T(heads), T(headers_are_read_as_those_of_http_1), T(no_memory_is_told),
          T(the_size_counts_on_beyond_the_limit))

/* SPDX-License-Identifier: MIT */
/* Requests as tables: what is accepted and read, what is refused with which status, each fed
 * whole, byte by byte and cut in two at every place. */
#include "tests/lib/test.h"

#include "proto/http_request.h"

#include <stdio.h>

#define HOST "Host: a\r\n"

/* What a connection would have served: one line per request, then the status of a failure. */
static void transcribe(struct str input, size_t step, const struct http_limits *limits,
                       struct buf *out)
{
    struct http_request_parser parser;
    struct err err = {0};
    http_request_init(&parser, limits);
    for (size_t at = 0; at < input.len && parser.phase != HTTP_PHASE_FAILED;) {
        size_t consumed;
        struct str piece = str_slice(input, at, at + step);
        enum err_code code = http_request_feed(&parser, piece, &consumed, &err);
        at += consumed;
        EXPECT_INT("code", code != ERR_OK, parser.phase == HTTP_PHASE_FAILED);
        if (parser.phase != HTTP_PHASE_DONE)
            continue;
        const struct http_request *r = &parser.request;
        buf_printf(out, "%.*s %.*s?%.*s 1.%d %.*s '%.*s' %s%s\n", STR_ARG(r->method_text),
                   STR_ARG(r->path), STR_ARG(r->query), r->version_minor, STR_ARG(r->host),
                   STR_ARG(r->body), r->keep_alive ? "keep" : "close",
                   r->expect_continue ? " expect" : "");
        http_request_reset(&parser);
    }
    if (parser.phase == HTTP_PHASE_FAILED)
        buf_printf(out, "%d %s", http_request_status(&parser), err.text);
    else if (parser.phase != HTTP_PHASE_IDLE)
        buf_printf(out, "phase %d", (int)parser.phase);
    http_request_fini(&parser);
}

/* The transcript, after checking that no way of cutting the input changes it. */
static struct str sweep(const char *name, struct str input, const struct http_limits *limits,
                        struct buf *whole)
{
    struct buf cut;
    buf_init(&cut, 1 << 20);
    buf_clear(whole);
    transcribe(input, SIZE_MAX / 2, limits, whole);
    for (size_t step = 1; step < input.len && step < 200; step++) {
        buf_clear(&cut);
        transcribe(input, step, limits, &cut);
        EXPECT_STR(name, buf_str(&cut), buf_str(whole));
    }
    buf_fini(&cut);
    return buf_str(whole);
}

static const struct {
    const char *name, *input, *want;
} accepted[] = {
    {"get", "GET / HTTP/1.1\r\n" HOST "\r\n", "GET /? 1.1 a '' keep\n"},
    {"query", "GET /a/b?c=%20d&e HTTP/1.1\r\n" HOST "\r\n", "GET /a/b?c=%20d&e 1.1 a '' keep\n"},
    {"1.0", "GET / HTTP/1.0\r\n\r\n", "GET /? 1.0  '' close\n"},
    {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n",
     "GET /? 1.0  '' keep\n"},
    {"close", "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", "GET /? 1.1 a '' close\n"},
    {"body", "POST /p HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
     "POST /p? 1.1 a 'hello' keep\n"},
    {"empty body", "POST /p HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n",
     "POST /p? 1.1 a '' keep\n"},
    {"leading zeros", "POST /p HTTP/1.1\r\n" HOST "Content-Length: 005\r\n\r\nhello",
     "POST /p? 1.1 a 'hello' keep\n"},
    {"blanks around length", "POST /p HTTP/1.1\r\n" HOST "Content-Length: \t 5 \r\n\r\nhello",
     "POST /p? 1.1 a 'hello' keep\n"},
    {"body of a GET", "GET /p HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nhi",
     "GET /p? 1.1 a 'hi' keep\n"},
    {"chunked",
     "POST /p HTTP/1.1\r\n" HOST "transfer-encoding: Chunked\r\n\r\n"
     "3\r\nabc\r\n00a\r\n0123456789\r\n0\r\n\r\n",
     "POST /p? 1.1 a 'abc0123456789' keep\n"},
    {"trailers",
     "POST /p HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
     "1\r\nx\r\n0\r\nA: b\r\nContent-Length: 3\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
     "POST /p? 1.1 a 'x' keep\nGET /? 1.1 a '' keep\n"},
    {"pipelined",
     "GET /1 HTTP/1.1\r\n" HOST "\r\nPOST /2 HTTP/1.1\r\n" HOST
     "Content-Length: 1\r\n\r\nxGET /3 HTTP/1.1\r\n" HOST "\r\n",
     "GET /1? 1.1 a '' keep\nPOST /2? 1.1 a 'x' keep\nGET /3? 1.1 a '' keep\n"},
    {"empty lines between",
     "\r\n\r\nGET /1 HTTP/1.1\r\n" HOST "\r\n\r\nGET /2 HTTP/1.1\r\n" HOST "\r\n",
     "GET /1? 1.1 a '' keep\nGET /2? 1.1 a '' keep\n"},
    {"upgrade is ignored",
     "POST /p HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: h2c\r\n"
     "Content-Length: 2\r\n\r\nhiGET /2 HTTP/1.1\r\n" HOST "\r\n",
     "POST /p? 1.1 a 'hi' keep\nGET /2? 1.1 a '' keep\n"},
    {"upgrade without a body",
     "GET /p HTTP/1.1\r\n" HOST "Connection: upgrade\r\n"
     "Upgrade: websocket\r\n\r\nGET /2 HTTP/1.1\r\n" HOST "\r\n",
     "GET /p? 1.1 a '' keep\nGET /2? 1.1 a '' keep\n"},
    {"connect", "CONNECT b:443 HTTP/1.1\r\n" HOST "\r\n", "CONNECT b:443? 1.1 a '' close\n"},
    {"options", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS *? 1.1 a '' keep\n"},
    {"absolute", "GET http://b:1/c?d HTTP/1.1\r\n" HOST "\r\n", "GET /c?d 1.1 a '' keep\n"},
    {"absolute, no path", "GET http://b HTTP/1.1\r\n" HOST "\r\n", "GET /? 1.1 a '' keep\n"},
    {"host with port", "GET / HTTP/1.1\r\nhost:localhost:8080\r\n\r\n",
     "GET /? 1.1 localhost:8080 '' keep\n"},
    {"host ipv6", "GET / HTTP/1.1\r\nHOST: [::1]:80\r\n\r\n", "GET /? 1.1 [::1]:80 '' keep\n"},
    {"expect", "POST / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
     "POST /? 1.1 a 'x' keep expect\n"},
    {"utf-8 in a value", "GET / HTTP/1.1\r\n" HOST "X: \xC3\xA9\tb\r\n\r\n",
     "GET /? 1.1 a '' keep\n"},
};

TEST(accepts)
{
    struct buf got;
    buf_init(&got, 1 << 20);
    TEST_EACH(c, accepted)
        EXPECT_STR(c->name, sweep(c->name, str_of(c->input), NULL, &got), str_of(c->want));
    buf_fini(&got);
}

#define POST   "POST /p HTTP/1.1\r\n" HOST
#define INSIDE "GET /smuggled HTTP/1.1\r\n" HOST "\r\n"
#define TE     POST "Transfer-Encoding: chunked\r\n\r\n"

static const struct {
    const char *name;
    struct str input;
    int status;
} refused[] = {
    {"CL and TE",
     STR(POST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" INSIDE), 400},
    {"TE and CL",
     STR(POST "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" INSIDE), 400},
    {"two TE",
     STR(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},
    {"chunked twice", STR(POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"), 400},
    {"chunked, identity", STR(POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"), 400},
    {"identity, chunked", STR(POST "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n"), 400},
    {"empty TE", STR(POST "Transfer-Encoding:\r\n\r\n" INSIDE), 400},
    {"xchunked", STR(POST "Transfer-Encoding: xchunked\r\n\r\n" INSIDE), 400},
    {"gzip", STR(POST "Transfer-Encoding: gzip\r\n\r\n"), 400},
    {"vertical tab before chunked", STR(POST "Transfer-Encoding: \vchunked\r\n\r\n" INSIDE), 400},
    {"quoted chunked", STR(POST "Transfer-Encoding: \"chunked\"\r\n\r\n" INSIDE), 400},
    {"TE in 1.0", STR("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" INSIDE),
     400},
    {"two CL that differ", STR(POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello" INSIDE),
     400},
    {"two CL alike", STR(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello" INSIDE), 400},
    {"CL list", STR(POST "Content-Length: 5, 5\r\n\r\nhello" INSIDE), 400},
    {"CL +5", STR(POST "Content-Length: +5\r\n\r\nhello" INSIDE), 400},
    {"CL -5", STR(POST "Content-Length: -5\r\n\r\nhello" INSIDE), 400},
    {"CL 0x5", STR(POST "Content-Length: 0x5\r\n\r\nhello" INSIDE), 400},
    {"CL 5 5", STR(POST "Content-Length: 5 5\r\n\r\nhello" INSIDE), 400},
    {"CL 5.0", STR(POST "Content-Length: 5.0\r\n\r\nhello" INSIDE), 400},
    {"CL empty", STR(POST "Content-Length:\r\n\r\n" INSIDE), 400},
    {"CL overflow", STR(POST "Content-Length: 18446744073709551621\r\n\r\nhello" INSIDE), 413},
    {"CL too large", STR(POST "Content-Length: 1048577\r\n\r\n"), 413},
    {"fold with blank", STR("POST /p HTTP/1.1\r\nHost: x\r\n Content-Length: 38\r\n\r\n" INSIDE),
     400},
    {"fold with tab", STR("GET / HTTP/1.1\r\nHost: x\r\n\tb\r\n\r\n"), 400},
    {"fold before the first header", STR("GET / HTTP/1.1\r\n Host: x\r\n\r\n"), 400},
    {"blank before colon", STR("GET / HTTP/1.1\r\nHost : x\r\n\r\n"), 400},
    {"tab before colon", STR(POST "Content-Length\t: 5\r\n\r\nhello"), 400},
    {"blank before colon of TE", STR(POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"), 400},
    {"empty name", STR("GET / HTTP/1.1\r\n" HOST ": b\r\n\r\n"), 400},
    {"name with a blank", STR("GET / HTTP/1.1\r\n" HOST "X Y: b\r\n\r\n"), 400},
    {"name with a slash", STR("GET / HTTP/1.1\r\n" HOST "X/Y: b\r\n\r\n"), 400},
    {"name above ASCII", STR("GET / HTTP/1.1\r\n" HOST "X\xC3\xA9: b\r\n\r\n"), 400},
    {"name without colon", STR("GET / HTTP/1.1\r\n" HOST "X\r\n\r\n"), 400},
    {"NUL in a name", STR("GET / HTTP/1.1\r\n" HOST "X\0: b\r\n\r\n"), 400},
    {"NUL in a value", STR("GET / HTTP/1.1\r\n" HOST "X: a\0b\r\n\r\n"), 400},
    {"DEL in a value", STR("GET / HTTP/1.1\r\n" HOST "X: a\x7F\r\n\r\n"), 400},
    {"no Host", STR("GET / HTTP/1.1\r\n\r\n"), 400},
    {"two Hosts", STR("GET / HTTP/1.1\r\n" HOST HOST "\r\n"), 400},
    {"two Hosts in 1.0", STR("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400},
    {"empty Host", STR("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 400},
    {"Host with a blank", STR("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400},
    {"Host list", STR("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400},
    {"Host with a path", STR("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400},
    {"Host with user", STR("GET / HTTP/1.1\r\nHost: u@b\r\n\r\n"), 400},
    {"Host port", STR("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n"), 400},
    {"Host port alone", STR("GET / HTTP/1.1\r\nHost: :80\r\n\r\n"), 400},
    {"Host open bracket", STR("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"), 400},
    {"0.9", STR("GET /\r\n"), 400},
    {"0.9 POST", STR("POST /p\r\n\r\n"), 400},
    {"1.2", STR("GET / HTTP/1.2\r\n" HOST "\r\n"), 400},
    {"2.0", STR("GET / HTTP/2.0\r\n" HOST "\r\n"), 400},
    {"0.9 by name", STR("GET / HTTP/0.9\r\n" HOST "\r\n"), 400},
    {"HTTP/2 preface", STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400},
    {"PRI in 1.1", STR("PRI * HTTP/1.1\r\n" HOST "\r\n"), 501},
    {"1.10", STR("GET / HTTP/1.10\r\n" HOST "\r\n"), 400},
    {"01.1", STR("GET / HTTP/01.1\r\n" HOST "\r\n"), 400},
    {"RTSP", STR("POST /p RTSP/1.0\r\n" HOST "\r\n"), 400},
    {"ICE", STR("SOURCE /p ICE/1.0\r\n" HOST "\r\n"), 400},
    {"lower case", STR("GET / http/1.1\r\n" HOST "\r\n"), 400},
    {"blank after the version", STR("GET / HTTP/1.1 \r\n" HOST "\r\n"), 400},
    {"two blanks", STR("GET  / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"two blanks before the version", STR("GET /  HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"tab", STR("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"leading blank", STR(" GET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"unknown method", STR("BREW / HTTP/1.1\r\n" HOST "\r\n"), 501},
    {"lower-case method", STR("get / HTTP/1.1\r\n" HOST "\r\n"), 501},
    {"byte above ASCII in the target", STR("GET /\x80 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"control in the target", STR("GET /\x01 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"NUL in the target", STR("GET /\0 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"fragment", STR("GET /a#b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"relative target", STR("GET a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"* but not OPTIONS", STR("GET * HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"another scheme", STR("GET ftp://a/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"no host in the target", STR("GET http:///a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"user in the target", STR("GET http://u@a/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"CONNECT to a path", STR("CONNECT /a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"LF after the request line", STR("GET / HTTP/1.1\n" HOST "\r\n"), 400},
    {"LF after a header", STR("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400},
    {"LF ends the head", STR("GET / HTTP/1.1\r\n" HOST "\n"), 400},
    {"LF LF", STR("GET / HTTP/1.1\r\nHost: a\n\n" INSIDE), 400},
    {"leading LF", STR("\nGET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"bare CR in a value", STR("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n"), 400},
    {"bare CR in a name", STR("GET / HTTP/1.1\r\n" HOST "X\rY: b\r\n\r\n"), 400},
    {"CR CR LF", STR("GET / HTTP/1.1\r\r\n" HOST "\r\n"), 400},
    {"CR LF CR X (CVE-2025-23167)",
     STR("GET /a HTTP/1.1\r\nHost: x\r\n\rXGET /smuggled HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"unknown expectation", STR(POST "Expect: 200-maybe\r\nContent-Length: 1\r\n\r\nx"), 417},
    {"chunk extension", STR(TE "1;a=b\r\nx\r\n0\r\n\r\n"), 400},
    {"chunk extension with LF", STR(TE "1;\nx\r\n0\r\n\r\n" INSIDE), 400},
    {"last chunk extension", STR(TE "0;a\r\n\r\n"), 400},
    {"chunk size empty", STR(TE "\r\n\r\n"), 400},
    {"chunk size 0x1", STR(TE "0x1\r\nx\r\n0\r\n\r\n"), 400},
    {"chunk size -1", STR(TE "-1\r\nx\r\n0\r\n\r\n"), 400},
    {"chunk size +1", STR(TE "+1\r\nx\r\n0\r\n\r\n"), 400},
    {"chunk size with a blank", STR(TE "1 \r\nx\r\n0\r\n\r\n"), 400},
    {"chunk size g", STR(TE "g\r\nx\r\n0\r\n\r\n"), 400},
    {"chunk size 2^64", STR(TE "10000000000000000\r\nx\r\n0\r\n\r\n"), 400},
    {"chunk size 2^64-1", STR(TE "ffffffffffffffff\r\nx"), 413},
    {"chunk size over the body limit", STR(TE "100001\r\nx"), 413},
    {"chunk size LF", STR(TE "1\nx\r\n0\r\n\r\n"), 400},
    {"chunk size CR only", STR(TE "1\rx\r\n0\r\n\r\n"), 400},
    {"chunk terminator XX", STR(TE "5\r\nhelloXX0\r\n\r\n"), 400},
    {"chunk terminator LF", STR(TE "5\r\nhello\n0\r\n\r\n"), 400},
    {"chunk terminator CR X", STR(TE "5\r\nhello\rX0\r\n\r\n"), 400},
    {"chunk longer than its size", STR(TE "4\r\nhello\r\n0\r\n\r\n"), 400},
    {"fold in trailers", STR(TE "0\r\nA: b\r\n c\r\n\r\n"), 400},
    {"blank before colon in trailers", STR(TE "0\r\nA : b\r\n\r\n"), 400},
    {"LF ends the trailers", STR(TE "0\r\n\n" INSIDE), 400},
    {"Transfer-Encoding in trailers", STR(TE "0\r\nTransfer-Encoding: chunked\r\n\r\n" INSIDE),
     400},
    {"tab after Content-Length", STR(POST "Content-Length: 5\t\r\n\r\nhello"), 400},
    {"tab after chunked", STR(POST "Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n"), 400},
    {"bad byte in trailers", STR(TE "0\r\nGET / HTTP/1.1\r\n\r\n"), 400},
};

TEST(refuses)
{
    struct buf got;
    buf_init(&got, 1 << 20);
    TEST_EACH(c, refused) {
        struct str text = sweep(c->name, c->input, NULL, &got);
        char want[16];
        snprintf(want, sizeof want, "%d ", c->status);
        if (!str_starts_with(text, str_of(want))) /* no request may come before the status */
            fail_msg("%s: want %d alone, got '%.*s'", c->name, c->status, STR_ARG(text));
    }
    buf_fini(&got);
}

/* A head of count headers of pad bytes each, and a target of that many bytes. */
static void write_head(struct buf *buf, size_t target, size_t count, size_t pad)
{
    buf_push(buf, STR("POST /"));
    for (size_t i = 1; i < target; i++)
        buf_push_char(buf, 'x');
    buf_push(buf, STR(" HTTP/1.1\r\n" HOST));
    for (size_t i = 1; i < count; i++) {
        buf_push(buf, STR("X: "));
        for (size_t at = 0; at < pad; at++)
            buf_push_char(buf, 'y');
        buf_push(buf, STR("\r\n"));
    }
}

static const struct http_limits small = {.target_bytes = 20,
                                         .head_bytes = 120,
                                         .header_count = 5,
                                         .body_bytes = 10,
                                         .overhead_bytes = 20};

static const struct {
    const char *name;
    size_t target, headers, pad;
    const char *rest, *want;
} limit_cases[] = {
    {"target at the limit", 20, 1, 0, "\r\n", "POST /xxxxxxxxxxxxxxxxxxx? 1.1 a '' keep\n"},
    {"target over it", 21, 1, 0, "\r\n", "414 the target is too long"},
    {"headers at the limit", 1, 5, 0, "\r\n", "POST /? 1.1 a '' keep\n"},
    {"headers over it", 1, 6, 0, "\r\n", "431 too many header lines"},
    {"head at the limit", 1, 2, 120 - 17 - 9 - 5 - 2, "\r\n", "POST /? 1.1 a '' keep\n"},
    {"head over it", 1, 2, 121 - 17 - 9 - 5 - 2, "\r\n",
     "431 request line and headers are too long"},
    {"length at the limit", 1, 1, 0, "Content-Length: 10\r\n\r\n0123456789",
     "POST /? 1.1 a '0123456789' keep\n"},
    {"length over it", 1, 1, 0, "Content-Length: 11\r\n\r\n", "413 the body is too long"},
    {"chunks at the limit", 1, 1, 0,
     "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n",
     "POST /? 1.1 a '0123456789' keep\n"},
    {"chunks over it", 1, 1, 0, "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n6\r\n",
     "413 the body is too long"},
    {"chunk framing over the limit", 1, 1, 0,
     "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1",
     "413 too much chunk framing around too little content"},
    {"chunk size of zeros", 1, 1, 0, "Transfer-Encoding: chunked\r\n\r\n000000000000000000001",
     "413 too much chunk framing around too little content"},
    {"trailer count", 1, 1, 0,
     "Transfer-Encoding: chunked\r\n\r\n0\r\na:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\n\r\n",
     "431 too many header lines"},
};

TEST(limits)
{
    struct buf got, input;
    buf_init(&got, 1 << 20);
    buf_init(&input, 1 << 20);
    TEST_EACH(c, limit_cases) {
        buf_clear(&input);
        write_head(&input, c->target, c->headers, c->pad);
        buf_push(&input, str_of(c->rest));
        EXPECT_STR(c->name, sweep(c->name, buf_str(&input), &small, &got), str_of(c->want));
    }
    buf_clear(&input);
    for (size_t i = 0; i < 200; i++) /* empty lines are no way around the head's limit */
        buf_push(&input, STR("\r\n"));
    EXPECT_STR("empty lines", sweep("empty lines", buf_str(&input), &small, &got),
               STR("431 request line and headers are too long"));
    buf_fini(&got);
    buf_fini(&input);
}

TEST(default_limits)
{
    static const struct {
        const char *name;
        size_t target, headers, pad;
        const char *rest;
        int status;
    } cases[] = {
        {"8 KiB target", 8192, 1, 0, "\r\n", 0},
        {"more", 8193, 1, 0, "\r\n", 414},
        {"100 headers", 1, 100, 10, "\r\n", 0},
        {"101 headers", 1, 101, 10, "\r\n", 431},
        {"32 KiB head", 1, 9, 4096 - 10, "\r\n", 0},
        {"more", 1, 10, 4096, "\r\n", 431},
        {"1 MiB body", 1, 1, 0, "Content-Length: 1048576\r\n\r\n", 0},
    };
    TEST_EACH(c, cases) {
        struct http_request_parser parser;
        struct buf input;
        size_t consumed;
        struct err err = {0};
        buf_init(&input, 1 << 20);
        write_head(&input, c->target, c->headers, c->pad);
        buf_push(&input, str_of(c->rest));
        http_request_init(&parser, NULL);
        enum err_code code = http_request_feed(&parser, buf_str(&input), &consumed, &err);
        EXPECT_INT(c->name, code, c->status == 0 ? ERR_OK : ERR_TOO_LARGE);
        EXPECT_INT(c->name, http_request_status(&parser), c->status);
        http_request_fini(&parser);
        buf_fini(&input);
    }
}

TEST(phases_and_views)
{
    static const struct str head = STR("POST /a HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nx-two:  2 \r\n"
                                       "X-ONE: 3\r\nVary: a, B\r\nContent-Length: 2\r\n\r\n");
    struct http_request_parser parser;
    struct http_request *r = &parser.request;
    struct str name, value;
    size_t consumed, cursor = 0, count = 0;
    http_request_init(&parser, NULL);
    EXPECT_INT("nothing", parser.phase, HTTP_PHASE_IDLE);
    EXPECT_INT("CR LF", http_request_feed(&parser, STR("\r\n"), &consumed, NULL), ERR_OK);
    EXPECT_INT("an empty line", parser.phase, HTTP_PHASE_IDLE);
    EXPECT_INT("P", http_request_feed(&parser, str_slice(head, 0, 1), &consumed, NULL), ERR_OK);
    EXPECT_INT("a byte", parser.phase, HTTP_PHASE_HEAD);
    EXPECT_INT("head", http_request_feed(&parser, str_from(head, 1), &consumed, NULL), ERR_OK);
    EXPECT_INT("the head", parser.phase, HTTP_PHASE_BODY);
    EXPECT_INT("method", r->method, HTTP_METHOD_POST);
    EXPECT_STR("first of two", http_request_header(r, STR("x-ONE")), STR("1"));
    EXPECT_STR("trimmed", http_request_header(r, STR("X-Two")), STR("2"));
    EXPECT_TRUE("absent", str_is_absent(http_request_header(r, STR("X-Thr"))));
    EXPECT_TRUE("part of a name", str_is_absent(http_request_header(r, STR("X-On"))));
    EXPECT_TRUE("no name", str_is_absent(http_request_header(r, STR(""))));
    EXPECT_TRUE("absent", str_is_absent(r->query));
    EXPECT_TRUE("token", http_request_has_token(r, STR("vary"), STR("b")));
    EXPECT_TRUE("no token", !http_request_has_token(r, STR("vary"), STR("c")));
    while (http_request_next_header(r, &cursor, &name, &value))
        count++;
    EXPECT_INT("headers", count, 6);
    EXPECT_INT("body", http_request_feed(&parser, STR("hiGET"), &consumed, NULL), ERR_OK);
    EXPECT_INT("consumed", consumed, 2);
    EXPECT_INT("done", parser.phase, HTTP_PHASE_DONE);
    EXPECT_STR("body", r->body, STR("hi"));
    EXPECT_INT("after", http_request_feed(&parser, STR("GET"), &consumed, NULL), ERR_OK);
    EXPECT_INT("nothing more is taken", consumed, 0);
    EXPECT_STR("still there", http_request_header(r, STR("Host")), STR("h"));
    http_request_fini(&parser);
}

TEST(no_memory)
{
    static const struct str input = STR(TE "5\r\nhello\r\n0\r\n\r\n");
    bool passed = false;
    for (uint64_t n = 1; !passed && n < 20; n++) {
        struct http_request_parser parser;
        struct err err = {0};
        size_t consumed;
        http_request_init(&parser, NULL);
        mem_fail_nth(n);
        enum err_code code = http_request_feed(&parser, input, &consumed, &err);
        mem_fail_nth(0);
        passed = code == ERR_OK;
        EXPECT_INT("code", code, passed ? ERR_OK : ERR_NO_MEMORY);
        EXPECT_INT("status", http_request_status(&parser), passed ? 0 : 503);
        EXPECT_INT("again", http_request_feed(&parser, input, &consumed, &err), code);
        http_request_fini(&parser);
    }
    EXPECT_TRUE("it passes in the end", passed);
}

TEST(a_request_may_be_narrowed)
{
    static const struct {
        const char *name, *head;
        size_t most;
        bool fits;
        enum err_code code;
    } cases[] = {
        {"fits", "Content-Length: 6\r\n\r\n", 6, true, ERR_OK},
        {"says more", "Content-Length: 6\r\n\r\n", 5, false, ERR_OK},
        {"brings more", "Transfer-Encoding: chunked\r\n\r\n", 5, true, ERR_TOO_LARGE},
        {"says more at once", "Transfer-Encoding: chunked\r\n\r\n6\r\na", 5, false, ERR_OK},
    };
    TEST_EACH(c, cases) {
        struct http_request_parser parser;
        struct err err = {0};
        char head[128];
        size_t consumed;
        snprintf(head, sizeof head, "PUT / HTTP/1.1\r\nHost: h\r\n%s", c->head);
        http_request_init(&parser, &(struct http_limits){.body_bytes = 10});
        EXPECT_INT(c->name, http_request_feed(&parser, str_of(head), &consumed, &err), ERR_OK);
        EXPECT_INT(c->name, http_request_narrow(&parser, c->most), c->fits);
        struct str body = str_find(str_of(c->head), STR("chunked")) == STR_NONE
                              ? STR("abcdef")
                              : STR("6\r\nabcdef\r\n0\r\n\r\n");
        if (c->fits)
            EXPECT_INT(c->name, http_request_feed(&parser, body, &consumed, &err), c->code);
        http_request_fini(&parser);
    }
}

RUN_TESTS(T(a_request_may_be_narrowed), T(accepts), T(refuses), T(limits), T(default_limits),
          T(phases_and_views), T(no_memory))

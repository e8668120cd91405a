/* SPDX-License-Identifier: MIT */
/* proto/http_answer: right and wrong answers, whole and in every cut; what ends them, and whether
 * the connection may be used again. */
#include "proto/http_answer.h"

#include "core/base/mem.h"
#include "tests/lib/test.h"

struct reading {
    struct buf lines, body;
    enum http_answer_piece last;
    size_t rest;
    struct http_answer answer;
};

/* Read text in pieces of step bytes, then the connection's end if closes. */
static void read_all(struct reading *r, struct str text, size_t step, bool closes)
{
    struct str piece;
    *r = (struct reading){.last = HTTP_ANSWER_NEEDS_MORE};
    buf_init(&r->lines, 1 << 20);
    buf_init(&r->body, 1 << 20);
    http_answer_init(&r->answer);
    for (size_t at = 0; at < text.len && r->last == HTTP_ANSWER_NEEDS_MORE; at += step) {
        struct str bytes = str_slice(text, at, at + step);
        while ((r->last = http_answer_next(&r->answer, &bytes, &piece)) == HTTP_ANSWER_LINE ||
               r->last == HTTP_ANSWER_BODY)
            buf_push(r->last == HTTP_ANSWER_LINE ? &r->lines : &r->body, piece);
        r->rest = bytes.len + (text.len > at + step ? text.len - at - step : 0);
    }
    if (closes && r->last == HTTP_ANSWER_NEEDS_MORE)
        r->last = http_answer_closed(&r->answer) ? HTTP_ANSWER_ENDED : HTTP_ANSWER_FAILED;
}

static void end_reading(struct reading *r)
{
    http_answer_fini(&r->answer);
    buf_fini(&r->lines);
    buf_fini(&r->body);
}

#define OK      "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"

static const struct {
    const char *name, *text;
    enum http_answer_piece last; /* after the connection's end */
    int status;
    const char *body;
    bool keeps;
    size_t rest;
} answers[] = {
    {"length", OK "Content-Length: 2\r\n\r\nhi", HTTP_ANSWER_ENDED, 200, "hi", true, 0},
    {"no body", OK "Content-Length: 0\r\n\r\n", HTTP_ANSWER_ENDED, 200, "", true, 0},
    {"more than it", OK "Content-Length: 2\r\n\r\nhi!", HTTP_ANSWER_ENDED, 200, "hi", true, 1},
    {"two lengths alike", OK "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", HTTP_ANSWER_ENDED,
     200, "hi", true, 0},
    {"chunks", CHUNKED "1\r\nh\r\n1;x=y\r\ni\r\n0\r\n\r\n", HTTP_ANSWER_ENDED, 200, "hi", true, 0},
    {"large digits", CHUNKED "0A\r\n0123456789\r\n0\r\n\r\n", HTTP_ANSWER_ENDED, 200, "0123456789",
     true, 0},
    {"trailers", CHUNKED "2\r\nhi\r\n0\r\nX: y\r\n\r\n", HTTP_ANSWER_ENDED, 200, "hi", true, 0},
    {"chunked wins", OK "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     HTTP_ANSWER_ENDED, 200, "", false, 0},
    {"until close", OK "\r\nhi", HTTP_ANSWER_ENDED, 200, "hi", false, 0},
    {"line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", HTTP_ANSWER_ENDED, 200, "hi",
     true, 0},
    {"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", HTTP_ANSWER_ENDED, 200, "hi", true,
     0},
    {"says close", OK "Connection: x, Close\r\nContent-Length: 2\r\n\r\nhi", HTTP_ANSWER_ENDED, 200,
     "hi", false, 0},
    {"old", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", HTTP_ANSWER_ENDED, 200, "hi", false,
     0},
    {"old, kept", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
     HTTP_ANSWER_ENDED, 200, "hi", true, 0},
    {"interim", "HTTP/1.1 103 Hints\r\nContent-Length: 7\r\n\r\n" OK "Content-Length: 2\r\n\r\nhi",
     HTTP_ANSWER_ENDED, 200, "hi", true, 0},
    {"empty by status", "HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\n", HTTP_ANSWER_ENDED, 204,
     "", true, 0},
    {"not HTTP", "hello there\n", HTTP_ANSWER_FAILED, 0, "", false, 0},
    {"HTTP/2 as text", "HTTP/2 200 OK\r\n\r\n", HTTP_ANSWER_FAILED, 0, "", false, 0},
    {"status", "HTTP/1.1 2x0 OK\r\n\r\n", HTTP_ANSWER_FAILED, 0, "", false, 0},
    {"long status", "HTTP/1.1 2000 OK\r\n\r\n", HTTP_ANSWER_FAILED, 0, "", false, 0},
    {"another protocol", "HTTP/1.1 101 Go\r\n\r\n", HTTP_ANSWER_FAILED, 101, "", false, 0},
    {"short", OK "Content-Length: 3\r\n\r\nhi", HTTP_ANSWER_FAILED, 200, "hi", false, 0},
    {"cut in the head", OK "Content-Le", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"cut in a chunk", CHUNKED "9\r\nhi", HTTP_ANSWER_FAILED, 200, "hi", false, 0},
    {"no last chunk", CHUNKED "2\r\nhi\r\n", HTTP_ANSWER_FAILED, 200, "hi", false, 0},
    {"two lengths", OK "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi", HTTP_ANSWER_FAILED, 200,
     "", false, 0},
    {"length in words", OK "Content-Length: two\r\n\r\n", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"negative length", OK "Content-Length: -2\r\n\r\n", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"other encoding", OK "Transfer-Encoding: gzip, chunked\r\n\r\n", HTTP_ANSWER_FAILED, 200, "",
     false, 0},
    {"chunk size", CHUNKED "zz\r\n", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"no chunk size", CHUNKED "\r\n", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"size too large", CHUNKED "fffffffffffffffff\r\n", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"long chunk", CHUNKED "1\r\nhi\r\n", HTTP_ANSWER_FAILED, 200, "h", false, 0},
    {"no colon", OK "Content-Length 2\r\n\r\nhi", HTTP_ANSWER_FAILED, 200, "", false, 0},
    {"folded", OK "X: a\r\n b: c\r\n\r\n", HTTP_ANSWER_FAILED, 200, "", false, 0},
};

TEST(whole_and_in_every_cut)
{
    TEST_EACH(c, answers)
        for (size_t step = 1; step <= strlen(c->text); step++) {
            struct reading r;
            read_all(&r, str_of(c->text), step, true);
            EXPECT_INT(c->name, r.last, c->last);
            EXPECT_INT(c->name, r.answer.status, c->status);
            EXPECT_STR(c->name, buf_str(&r.body), str_of(c->body));
            if (c->last == HTTP_ANSWER_ENDED) {
                EXPECT_INT(c->name, r.answer.keeps, c->keeps);
                EXPECT_INT(c->name, r.rest, c->rest);
            } else if (r.answer.state == HTTP_ANSWER_WRONG) {
                EXPECT_TRUE(c->name, r.answer.problem != NULL);
            }
            end_reading(&r);
        }
}

/* The lines are as they came, those of interim answers and trailers with them. */
TEST(lines_are_given_out_whole)
{
    static const struct str head =
        STR("HTTP/1.1 100 Go\r\nA: b\r\n\r\n" OK "Transfer-Encoding: chunked\r\nX-Y:  z \r\n\r\n");
    struct buf text, want;
    buf_init(&text, 1 << 16);
    buf_init(&want, 1 << 16);
    buf_push(&text, head);
    buf_push(&text, STR("1\r\nh\r\n0\r\nT: u\r\n\r\n"));
    buf_push(&want, head);
    buf_push(&want, STR("T: u\r\n"));
    for (size_t step = 1; step <= buf_len(&text); step++) {
        struct reading r;
        read_all(&r, buf_str(&text), step, false);
        EXPECT_INT("ended", r.last, HTTP_ANSWER_ENDED);
        EXPECT_STR("lines", buf_str(&r.lines), buf_str(&want));
        end_reading(&r);
    }
    buf_fini(&text);
    buf_fini(&want);
}

TEST(a_line_has_a_limit)
{
    for (unsigned is_chunk = 0; is_chunk < 2; is_chunk++)
        for (size_t step = 1000; step <= 200000; step += 199000) {
            struct buf text;
            struct reading r;
            buf_init(&text, 1 << 20);
            buf_push(&text, is_chunk ? STR(CHUNKED "1;") : STR(OK "X: "));
            while (buf_len(&text) < HTTP_ANSWER_LINE_BYTES + 1000)
                buf_push(&text, STR("0123456789"));
            buf_push(&text, STR("\r\n"));
            read_all(&r, buf_str(&text), step, false);
            EXPECT_INT("refused", r.last, HTTP_ANSWER_FAILED);
            end_reading(&r);
            buf_fini(&text);
        }
}

TEST(copes_without_memory)
{
    struct reading r;
    mem_fail_nth(1);
    read_all(&r, STR(OK), 3, false);
    mem_fail_nth(0);
    EXPECT_INT("refused", r.last, HTTP_ANSWER_FAILED);
    end_reading(&r);
}

RUN_TESTS(T(whole_and_in_every_cut), T(lines_are_given_out_whole), T(a_line_has_a_limit),
          T(copes_without_memory))

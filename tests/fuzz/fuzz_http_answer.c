/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_http_answer.c - an answer in three cuts gives the same lines, the same body and
 * the same end, and what is left behind it is the same. */
#include "proto/http_answer.h"
#include "tests/fuzz/cuts.h"

static enum http_answer_piece feed(struct http_answer *answer, struct str *bytes, struct buf *lines,
                                   struct buf *body)
{
    struct str piece;
    enum http_answer_piece kind;
    while ((kind = http_answer_next(answer, bytes, &piece)) == HTTP_ANSWER_LINE ||
           kind == HTTP_ANSWER_BODY) {
        CHECK(piece.len > 0);
        buf_push(kind == HTTP_ANSWER_LINE ? lines : body, piece);
    }
    return kind;
}

static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct http_answer answer;
    struct buf body;
    enum http_answer_piece kind = HTTP_ANSWER_NEEDS_MORE;
    size_t rest = 0;
    buf_clear(out);
    buf_init(&body, CUTS_SAID_BYTES);
    http_answer_init(&answer);
    for (size_t at = 0; at < input.len && kind == HTTP_ANSWER_NEEDS_MORE; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = cuts_copy(piece);
        struct str bytes = str_make(exact, piece.len);
        kind = feed(&answer, &bytes, out, &body);
        rest = bytes.len + (input.len - at - piece.len);
        mem_free(exact);
    }
    if (kind == HTTP_ANSWER_NEEDS_MORE && http_answer_closed(&answer))
        kind = HTTP_ANSWER_ENDED;
    buf_printf(out, "|%d %d ", (int)kind, answer.status);
    if (kind == HTTP_ANSWER_ENDED)
        buf_printf(out, "%d %zu", answer.keeps, rest);
    else if (kind == HTTP_ANSWER_FAILED)
        buf_printf(out, "%s", answer.problem);
    buf_push(out, buf_str(&body));
    CHECK(buf_ok(out) && buf_ok(&body));
    buf_fini(&body);
    http_answer_fini(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 4096, transcribe);
}

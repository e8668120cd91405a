/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_sse.c - an event stream in three cuts gives the same events; each event's data
 * goes through the decoder of model answers, which must survive it. */
#include "proto/model_error.h"
#include "proto/openai_answer.h"
#include "proto/sse_read.h"
#include "tests/fuzz/cuts.h"

static const struct sse_limits limits = {.line_bytes = 200, .event_bytes = 300};

static void note_event(void *owner, const struct sse_event *event)
{
    struct buf *out = owner;
    struct model_answer answer;
    struct err err = {0};
    struct buf scratch;
    buf_init(&scratch, 300);
    enum err_code code = openai_answer_chunk(event->data, &scratch, &answer, &err);
    buf_printf(out, "%d %s|", (int)code, err.text);
    if (code == ERR_OK) {
        CHECK(str_is_utf8(answer.content));
        buf_push(out, answer.content);
    }
    model_error(500, event->data, NULL, &err);
    CHECK(str_is_utf8(str_of(err.text)));
    buf_push(out, event->event);
    buf_push(out, event->id);
    buf_push(out, event->data);
    buf_fini(&scratch);
}

static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct sse_read reader;
    struct err err = {0};
    enum err_code code = ERR_OK;
    buf_clear(out);
    sse_read_init(&reader, &limits, note_event, out);
    for (size_t at = 0; at < input.len && code == ERR_OK; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = cuts_copy(piece);
        code = sse_read_feed(&reader, str_make(exact, piece.len), &err);
        mem_free(exact);
    }
    buf_printf(out, "%d %s %d", (int)code, err.text, (int)(reader.retry_ms % 1000));
    CHECK(buf_ok(out));
    sse_read_fini(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 4096, transcribe);
}

/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_anthropic.c - a stream of Anthropic's messages in three cuts gives the same text;
 * events, whole messages and errors survive any bytes, and say UTF-8 alone. */
#include "backends/models/think_filter.h"
#include "proto/models/anthropic_answer.h"
#include "proto/models/model_error.h"
#include "proto/sse_read.h"
#include "tests/fuzz/cuts.h"

static const struct sse_limits limits = {.line_bytes = 2000, .event_bytes = 3000};

struct reading {
    struct buf *out;
    struct think_filter thoughts;
};

static void note_answer(struct reading *reading, const struct model_answer *answer)
{
    struct str held;
    CHECK(str_is_utf8(answer->content) && str_is_utf8(answer->model));
    struct str text = think_filter_feed(&reading->thoughts, answer->content, &held);
    buf_push(reading->out, held);
    buf_push(reading->out, text);
    buf_printf(reading->out, "|%d %d %d %d|", (int)answer->finish, answer->has_tool_call,
               answer->is_done, answer->has_reasoning);
}

static void note_event(void *owner, const struct sse_event *event)
{
    struct reading *reading = owner;
    static model_answer_fn *const readers[] = {anthropic_answer_event, anthropic_answer_whole};
    struct model_answer answer;
    struct err err = {0};
    struct buf scratch;
    buf_init(&scratch, 3000);
    for (size_t i = 0; i < countof(readers); i++) {
        enum err_code code = readers[i](event->data, &scratch, &answer, &err);
        if (code == ERR_OK)
            note_answer(reading, &answer);
        else
            buf_printf(reading->out, "%d %s", (int)code, err.text);
    }
    bool is_filtered;
    (void)model_error(400, event->data, &is_filtered, &err);
    CHECK(str_is_utf8(str_of(err.text)));
    buf_fini(&scratch);
}

static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct sse_read reader;
    struct reading reading = {.out = out};
    struct err err = {0};
    enum err_code code = ERR_OK;
    buf_clear(out);
    think_filter_init(&reading.thoughts, false);
    sse_read_init(&reader, &limits, note_event, &reading);
    for (size_t at = 0; at < input.len && code == ERR_OK; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = cuts_copy(piece);
        code = sse_read_feed(&reader, str_make(exact, piece.len), &err);
        mem_free(exact);
    }
    buf_push(out, think_filter_end(&reading.thoughts));
    buf_printf(out, "%d %s", (int)code, err.text);
    CHECK(buf_ok(out));
    sse_read_fini(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 1 << 16, transcribe);
}

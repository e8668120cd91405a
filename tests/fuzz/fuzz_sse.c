/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_sse.c - an event stream in three cuts gives the same events; each event's data
 * goes through the decoder of model answers, which must survive it, and where answer_same reads the
 * text alone, it is the text that the decoder reads. */
#include "proto/models/answer_same.h"
#include "proto/models/model_calls.h"
#include "proto/models/model_error.h"
#include "proto/models/openai_answer.h"
#include "proto/sse_read.h"
#include "tests/fuzz/cuts.h"

static const struct sse_limits limits = {.line_bytes = 200, .event_bytes = 300};

/* The calls of tools in one piece of an answer, and in its text. */
static void note_calls(const struct model_answer *answer, struct buf *out)
{
    static const struct model_tool offered = {.name = STR("f")};
    struct model_calls calls = {0};
    struct str before;
    struct err err = {0};
    for (size_t i = 0; i < answer->call_count; i++)
        (void)!model_calls_take(&calls, &answer->calls[i], 200, &err);
    for (size_t i = 0; i < calls.count; i++) {
        struct model_call call = model_calls_get(&calls, i);
        CHECK(str_is_utf8(call.id) && str_is_utf8(call.name));
        buf_push(out, call.name);
        buf_push(out, call.arguments);
    }
    model_calls_clear(&calls);
    size_t taken = model_calls_read_text(&calls, answer->content, &offered, 1, 200, &before);
    CHECK(taken == calls.count);
    model_calls_clear(&calls);
}

struct notes {
    struct buf *out;
    struct answer_same same;
};

/* What answer_same says of data is what was read of it; then it learns it. */
static void check_same(struct answer_same *same, struct str data, enum err_code code,
                       const struct model_answer *answer)
{
    struct str content;
    struct buf scratch;
    buf_init(&scratch, 300);
    if (answer_same_read(same, data, &scratch, &content)) {
        CHECK(code == ERR_OK && str_equal(content, answer->content));
        CHECK(answer->finish == MODEL_FINISH_NONE && !answer->has_usage && !answer->is_done &&
              !answer->has_reasoning && !answer->has_tool_call && str_is_empty(answer->refusal));
    } else if (code == ERR_OK) {
        answer_same_learn(same, data, answer);
    }
    buf_fini(&scratch);
}

static void note_event(void *owner, const struct sse_event *event)
{
    struct notes *notes = owner;
    struct buf *out = notes->out;
    struct model_answer answer;
    struct err err = {0};
    struct buf scratch;
    buf_init(&scratch, 300);
    enum err_code code = openai_answer_chunk(event->data, &scratch, &answer, &err);
    buf_printf(out, "%d %s|", (int)code, err.text);
    check_same(&notes->same, event->data, code, &answer);
    if (code == ERR_OK) {
        CHECK(str_is_utf8(answer.content));
        buf_push(out, answer.content);
        note_calls(&answer, out);
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
    struct notes notes = {.out = out};
    struct err err = {0};
    enum err_code code = ERR_OK;
    buf_clear(out);
    sse_read_init(&reader, &limits, note_event, &notes);
    for (size_t at = 0; at < input.len && code == ERR_OK; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = cuts_copy(piece);
        code = sse_read_feed(&reader, str_make(exact, piece.len), &err);
        mem_free(exact);
    }
    buf_printf(out, "%d %s %d", (int)code, err.text, (int)(reader.retry_ms % 1000));
    CHECK(buf_ok(out));
    sse_read_fini(&reader);
    answer_same_fini(&notes.same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 4096, transcribe);
}

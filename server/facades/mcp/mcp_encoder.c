/* SPDX-License-Identifier: MIT */
/* server/facades/mcp/mcp_encoder.c - what the end of a run says, twice: as text and as structured
 * content.
 *
 * Happy path: a notification per step for a caller that asked for progress; at the end the answer's
 * text (or the result as JSON) beside the run's own report.
 * Failure paths: a run that failed is a tool's error with its code and words; one that its client
 * cancelled ends without an answer. */
#include "server/facades/mcp/mcp_encoder.h"

#include "core/base/mem.h"
#include "proto/json_write.h"
#include "proto/sse_write.h"
#include "server/http/exchange.h"
#include "server/facades/mcp/mcp_write.h"
#include "server/records/run_text.h"
#include "server/runs/shard.h"

enum { RESULT_BYTES = 64 * 1024 * 1024, TEXT_BYTES = 256 * 1024 };

struct mcp_encoder {
    struct encoder encoder;
    struct mcp_encoder_options options;
    struct mcp_message message;
    struct str run_id;
    uint64_t step;
};

static struct mcp_encoder *mcp_of(struct encoder *encoder)
{
    return container_of(encoder, struct mcp_encoder, encoder);
}

/* ---- the result ---- */

/* The members of the terminal event. */
static struct str report_of(struct run *run)
{
    struct event event;
    struct event_log *log = run_log(run);
    uint64_t last = event_log_last_id(log);
    if (last == 0 || event_log_after(log, last - 1, &event) != ERR_OK)
        return STR("");
    return event.kind == EVENT_COMPLETE ? event.text : STR("");
}

static void write_structured(const struct str *answer, struct run *run, struct buf *out)
{
    struct json_write json;
    struct str report = report_of(run);
    buf_push_char(out, '{');
    if (answer != NULL) {
        buf_push(out, STR("\"answer\":"));
        json_write_init(&json, out);
        json_write_str(&json, *answer);
        buf_push(out, report.len > 0 ? STR(",") : STR(""));
    }
    buf_push(out, report);
    buf_push_char(out, '}');
}

static void write_complete(struct mcp_encoder *mcp, struct run *run, struct buf *out)
{
    struct buf answer, structured;
    bool is_ask = mcp->options.tool == MCP_ASK;
    buf_init(&answer, RESULT_BYTES);
    buf_init(&structured, RESULT_BYTES);
    if (is_ask)
        run_text_collect(run, &answer);
    struct str text = buf_str(&answer);
    write_structured(is_ask ? &text : NULL, run, &structured);
    if (!is_ask || text.len == 0)
        text = buf_str(&structured);
    if (run_is_paused(run))
        text = STR("This waits for a person, who is asked in structuredContent.interrupts: POST "
                   "/internal/runs/{run_id}/resume goes on with the answer.");
    if (!is_ask && text.len > TEXT_BYTES)
        text = STR("The result is too long to be repeated here: it is in structuredContent.");
    const struct mcp_result result = {.text = text, .structured = buf_str(&structured)};
    mcp_write_result(&mcp->message, &result, out);
    if (!buf_ok(&answer) || !buf_ok(&structured))
        out->failed = true;
    buf_fini(&answer);
    buf_fini(&structured);
}

static void write_error(const struct mcp_message *message, struct str code, struct str text,
                        struct buf *out)
{
    struct buf line;
    buf_init(&line, TEXT_BYTES);
    buf_push(&line, code);
    buf_push(&line, STR(": "));
    buf_push(&line, text);
    mcp_write_result(
        message,
        &(struct mcp_result){.text = buf_ok(&line) ? buf_str(&line) : code, .is_error = true}, out);
    buf_fini(&line);
}

/* False: nobody waits for an answer. */
static bool write_response(struct mcp_encoder *mcp, struct run *run, struct buf *out)
{
    struct str code = STR(""), message = STR("");
    if (run_result(run, &code, &message) == ERR_OK)
        write_complete(mcp, run, out);
    else if (!str_equal(message, STR(MCP_ENCODER_CANCELLED)))
        write_error(&mcp->message, code, message, out);
    else
        return false;
    return true;
}

/* ---- the vtable ---- */

static void begin(struct encoder *encoder, struct str run_id, struct buf *out UNUSED)
{
    mcp_of(encoder)->run_id = run_id;
}

static void write_event(struct encoder *encoder, const struct event *event, struct buf *out)
{
    struct mcp_encoder *mcp = mcp_of(encoder);
    struct runs_entry *entry;
    size_t before = buf_len(out), mark = sse_write_begin(out, STR(""));
    bool is_something;
    if (event_is_terminal(event->kind)) {
        entry = runs_find(mcp->options.exchange->shard->runs, mcp->run_id);
        is_something = entry != NULL && write_response(mcp, runs_run(entry), out);
    } else {
        is_something = mcp_write_progress(mcp->options.progress, mcp->step + 1, event, out);
    }
    if (!is_something) {
        if (buf_ok(out))
            buf_truncate(out, before);
        return;
    }
    mcp->step++;
    sse_write_end(out, mark);
}

static void write_lost(struct encoder *encoder, const char *code, const char *message,
                       struct buf *out)
{
    size_t mark = sse_write_begin(out, STR(""));
    write_error(&mcp_of(encoder)->message, str_of(code), str_of(message), out);
    sse_write_end(out, mark);
}

static int write_answer(struct encoder *encoder, struct runs_entry *entry, struct buf *out)
{
    return write_response(mcp_of(encoder), runs_run(entry), out) ? 200 : 202;
}

/* A tool's error, for the model to read: the message itself was fine. */
static int write_refusal(struct encoder *encoder, const struct problem *problem, struct buf *out)
{
    mcp_write_result(&mcp_of(encoder)->message,
                     &(struct mcp_result){.text = str_of(problem->err.text), .is_error = true},
                     out);
    return 200;
}

static const struct encoder_kind mcp_kind = {.headers = {"", 0},
                                             .begin = begin,
                                             .event = write_event,
                                             .heartbeat = sse_write_heartbeat,
                                             .error = write_lost,
                                             .answer = write_answer,
                                             .refuse = write_refusal};

bool mcp_encoder_make(const struct mcp_encoder_options *options)
{
    struct mcp_encoder *mcp = arena_alloc(&options->exchange->arena, sizeof *mcp);
    if (mcp == NULL)
        return false;
    *mcp = (struct mcp_encoder){
        .encoder = {&mcp_kind}, .options = *options, .message = *options->message};
    options->exchange->encoder = &mcp->encoder;
    return true;
}

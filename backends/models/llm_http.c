/* SPDX-License-Identifier: MIT */
/* backends/models/llm_http.c - a chat over http_client: request out, text in as it comes.
 *
 * Happy path: the prompt becomes a JSON body; the answer's head says event stream; pieces go
 * through sse_read to take_chunk, whose text passes think_filter and is gathered; what a piece
 * brought is relayed in one, the very first text at once; the transfer ends after the last event;
 * the text is copied into the prompt's arena once.
 * Failure paths, all to on_call_done, which judges:
 *   not configured                      before any I/O
 *   transport, deadline, cancel         the call's error, with what to check
 *   a refused parameter                 sent again without it
 *   no text, though all went well       sent again, once
 *   an HTTP error                       its body read, status mapped by model_error
 *   an error object or nonsense within  kept in the run, the call is cancelled
 *   neither a last event nor a finish   ERR_UNAVAILABLE: cut short, with the text so far
 *   a server that answers without SSE   the JSON is read as a whole: tolerated
 * Per token nothing is allocated once the run's buffers have grown. */
#include "backends/models/llm_http.h"

#include <inttypes.h>
#include <string.h>

#include "backends/models/call_filter.h"
#include "backends/models/model_peer.h"
#include "backends/models/think_filter.h"
#include "core/base/mem.h"
#include "core/base/pool.h"
#include "core/loop/ahead.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"
#include "proto/models/anthropic.h"
#include "proto/models/answer_same.h"
#include "proto/models/anthropic_answer.h"
#include "proto/models/model_calls.h"
#include "proto/models/openai.h"
#include "proto/models/openai_answer.h"
#include "proto/sse_read.h"

enum { KEPT_RUNS = 64, MODEL_BYTES = 128 };
enum { DEFAULT_ANSWER_BYTES = 1 << 20, REQUEST_BYTES = 8 << 20, ERROR_BYTES = 64 << 10 };
enum { JOINED_BYTES = 4096 }; /* of text that came in several events and is relayed in one */
enum { LINGER_MS = 250 };  /* after the last event, for the body's end: the connection is kept */
enum { MOST_ENOUGH = 64 }; /* calls whose rest is heard for its usage, each on a connection */
enum {
    MOST_SENDS = 8,       /* of one attempt: each parameter once, and what has no text again */
    MOST_PAUSE_MS = 20000 /* for a server that has nothing left for us; then it may say so itself */
};

/* What differs between the wires. */
struct wire {
    void (*write_url)(struct buf *buf, const struct model_endpoint *endpoint);
    void (*write_chat)(struct buf *buf, const struct model_request *request);
    model_answer_fn *read_event, *read_whole;
};

static const struct wire wires[] = {
    [MODEL_WIRE_OPENAI] = {openai_write_url, openai_write_chat, openai_answer_chunk,
                           openai_answer_whole},
    [MODEL_WIRE_AZURE] = {openai_write_url, openai_write_chat, openai_answer_chunk,
                          openai_answer_whole},
    [MODEL_WIRE_ANTHROPIC] = {anthropic_write_url, anthropic_write_chat, anthropic_answer_event,
                              anthropic_answer_whole},
};

struct llm_http {
    struct llm llm;
    struct http_client *client;
    const struct wire *wire;
    struct llm_http_options options;
    struct model_traits traits; /* as configured, and learned */
    uint64_t resume_ms;         /* before this no call is sent */
    struct model_peer peer;
    struct pool *pool;
    struct list runs;
    struct list enough; /* of those, whose callers have what they need, the longest first */
    size_t enough_count;
    struct buf scratch;     /* of the event that is being read, whosever it is */
    struct closing closing; /* out: runs */
};

enum run_phase {
    RUN_PAUSING,  /* for a server that has nothing left for us; no transfer */
    RUN_CALLING,  /* the transfer is under way */
    RUN_ANSWERED, /* all that matters has come, however the transfer ends */
    RUN_STOPPED   /* given up from within: err says why */
};

struct run_chat { /* one call in flight */
    struct list link, enough_link;
    struct llm_http *http;
    struct llm_chat *chat;
    struct http_call call;
    struct timer timer; /* of a pause; of what lingers */
    struct sse_read sse;
    struct answer_same same;
    struct buf request, text;
    size_t relayed;   /* bytes of text */
    struct buf whole; /* a body that is no stream: an error, or an answer in one piece */
    enum run_phase phase;
    bool is_stream, is_held;
    bool has_text; /* this transfer brought some */
    bool was_empty;
    unsigned sends;
    uint64_t deadline_ms;        /* of the attempt; 0: none */
    struct model_traits traits;  /* of this call */
    struct model_traits lessons; /* of them those that are remembered once it is answered */
    struct model_request sent;   /* without messages and tools */
    struct model_usage usage;    /* of the transfer */
    struct llm_usage spent;      /* of the transfers before it */
    struct think_filter thoughts;
    enum model_finish finish;
    bool has_tool_call, has_refusal;
    struct model_calls calls;       /* of tools that were offered */
    struct call_filter call_filter; /* where tools were offered */
    uint64_t delta_count;
    struct err_kept err; /* why it was stopped from within; ERR_OK: it was not */
    size_t model_len;
    char model[MODEL_BYTES];
};

/* ---- ending ---- */

static void finish_run(struct run_chat *run, const struct err *err)
{
    struct llm_http *http = run->http;
    struct llm_chat *chat = run->chat;
    timer_stop(&run->timer);
    sse_read_fini(&run->sse);
    answer_same_fini(&run->same);
    buf_fini(&run->request);
    buf_fini(&run->text);
    buf_fini(&run->whole);
    model_calls_clear(&run->calls);
    call_filter_fini(&run->call_filter);
    list_remove(&run->link);
    if (list_is_linked(&run->enough_link)) {
        list_remove(&run->enough_link);
        http->enough_count--;
    }
    chat->impl = NULL;
    op_finish_err(&chat->op, err);
    err_forget(&run->err);
    pool_give(http->pool, run);
    closing_leave(&http->closing);
}

static enum llm_finish finish_of(const struct run_chat *run)
{
    static const enum llm_finish finishes[] = {
        [MODEL_FINISH_NONE] = LLM_FINISH_STOP, /* servers that end without a word */
        [MODEL_FINISH_STOP] = LLM_FINISH_STOP,
        [MODEL_FINISH_LENGTH] = LLM_FINISH_LENGTH,
        [MODEL_FINISH_CONTENT_FILTER] = LLM_FINISH_FILTER,
        [MODEL_FINISH_REFUSAL] = LLM_FINISH_REFUSAL,
        [MODEL_FINISH_TOOL_CALL] = LLM_FINISH_TOOL_CALL,
        [MODEL_FINISH_OTHER] = LLM_FINISH_OTHER,
    };
    enum llm_finish finish = finishes[run->finish];
    if (run->has_refusal)
        return LLM_FINISH_REFUSAL;
    if (run->has_tool_call && (finish == LLM_FINISH_STOP || finish == LLM_FINISH_OTHER))
        return LLM_FINISH_TOOL_CALL;
    if (run->calls.count > 0 && finish == LLM_FINISH_STOP)
        return LLM_FINISH_TOOL_CALL;
    if (finish == LLM_FINISH_STOP && buf_len(&run->text) == 0)
        return LLM_FINISH_EMPTY;
    return finish;
}

/* What the transfer cost, added to what those before it did. */
static void add_usage(struct run_chat *run)
{
    struct llm_usage *spent = &run->spent;
    const struct model_usage *usage = &run->usage;
    bool is_told = usage->completion_tokens > 0 || run->delta_count == 0;
    spent->prompt_tokens += usage->prompt_tokens;
    spent->completion_tokens += is_told ? usage->completion_tokens : run->delta_count;
    spent->cached_tokens += usage->cached_tokens;
    spent->reasoning_tokens += usage->reasoning_tokens;
    spent->estimated |= !is_told;
    run->usage = (struct model_usage){0};
    run->delta_count = 0;
}

/* The calls, in the prompt's arena; one that has no id, or that of another, gets one. */
static void copy_calls(struct run_chat *run)
{
    struct llm_chat *chat = run->chat;
    struct arena *arena = chat->prompt->arena;
    size_t count = run->calls.count;
    struct llm_tool_call *calls = count == 0 ? NULL : arena_array(arena, count, sizeof *calls);
    for (size_t i = 0; calls != NULL && i < count; i++) {
        struct model_call call = model_calls_get(&run->calls, i);
        bool is_taken = call.id.len == 0;
        for (size_t j = 0; j < i; j++)
            is_taken |= str_equal(calls[j].id, call.id);
        calls[i] = (struct llm_tool_call){
            is_taken ? arena_printf(arena, "call_%zu", i + 1) : arena_str(arena, call.id),
            arena_str(arena, call.name), arena_str(arena, call.arguments)};
    }
    chat->calls = calls;
    chat->call_count = calls == NULL ? 0 : count;
}

/* The result, in the prompt's arena: also after a failure, as far as it came. */
static void copy_result(struct run_chat *run, struct err *err)
{
    struct llm_chat *chat = run->chat;
    struct arena *arena = chat->prompt->arena;
    struct str model = run->model_len > 0 ? str_make(run->model, run->model_len)
                                          : str_of(run->http->options.model);
    chat->text = arena_str(arena, buf_str(&run->text));
    chat->model = arena_str(arena, model);
    if (err->code == ERR_OK) {
        chat->finish = finish_of(run);
        copy_calls(run);
    }
    chat->had_reasoning |= run->thoughts.has_thought;
    add_usage(run);
    chat->usage = run->spent;
    chat->cost = llm_cost(&run->spent, &run->http->options.prices);
    if (err->code == ERR_OK && !arena_ok(arena))
        err_set(err, ERR_NO_MEMORY, "the run has no memory left for the model's answer");
}

/* Give up from within: the reason is kept, the transfer ends on a later turn. */
static void stop_run(struct run_chat *run, const struct err *err)
{
    enum run_phase phase = run->phase;
    if (phase == RUN_STOPPED)
        return;
    run->phase = RUN_STOPPED;
    err_keep(&run->err, err);
    if (phase == RUN_PAUSING)
        finish_run(run, err);
    else
        op_cancel(&run->call.op);
}

/* ---- the answer ---- */

/* The caller has what it needs. Too many such calls would take descriptors from those who wait, so
 * the one that was enough first ends now, well. */
static void let_be(struct run_chat *run)
{
    struct llm_http *http = run->http;
    list_push(&http->enough, &run->enough_link);
    if (http->enough_count++ < MOST_ENOUGH)
        return;
    struct run_chat *first = list_item(http->enough.next, struct run_chat, enough_link);
    list_remove(&first->enough_link);
    http->enough_count--;
    if (first->phase == RUN_CALLING)
        first->phase = RUN_ANSWERED;
    op_cancel(&first->call.op);
}

/* Pass on what was gathered since the last time. Whoever hears it may cancel the call. */
static void relay(struct run_chat *run)
{
    struct llm_chat *chat = run->chat;
    struct str text = buf_str(&run->text);
    struct str news = str_slice(text, run->relayed, text.len);
    if (news.len == 0)
        return;
    run->relayed = text.len;
    if (chat->on_text != NULL)
        chat->on_text(chat, news);
    if (chat->is_enough && run->phase == RUN_CALLING && !list_is_linked(&run->enough_link))
        let_be(run);
}

/* Gather text, to be relayed once all has been read that came with it; the first is not kept. */
static void say(struct run_chat *run, struct str text)
{
    struct err err;
    if (str_is_empty(text) || run->phase == RUN_STOPPED)
        return;
    if (!run->has_text) {
        run->has_text = true;
        http_call_begun(&run->call);
    }
    bool is_first = buf_len(&run->text) == 0;
    if (buf_len(&run->text) - run->relayed + text.len > JOINED_BYTES)
        relay(run);
    if (run->phase == RUN_STOPPED)
        return;
    buf_push(&run->text, text);
    if (!buf_ok(&run->text)) {
        err_set(&err, ERR_TOO_LARGE, "the model's answer is over %zu bytes", run->text.limit);
        stop_run(run, &err);
    } else if (is_first) {
        relay(run);
    }
}

/* Say what of text is no call of a tool, as far as that can be told yet. */
static void say_or_hold(struct run_chat *run, struct str text)
{
    if (run->chat->prompt->tool_count == 0) {
        say(run, text);
        return;
    }
    struct str told = call_filter_feed(&run->call_filter, text);
    say(run, told);
    call_filter_told(&run->call_filter, told);
}

static void take_calls(struct run_chat *run, const struct model_answer *answer)
{
    struct err err;
    run->has_tool_call |= answer->has_tool_call;
    if (run->chat->prompt->tool_count == 0)
        return;
    for (size_t i = 0; i < answer->call_count; i++)
        if (model_calls_take(&run->calls, &answer->calls[i], run->text.limit, &err) != ERR_OK) {
            err_prefix(&err, "the model server");
            stop_run(run, &err);
            return;
        }
    if (answer->call_count > 0) {
        run->delta_count++;
        http_call_at_work(&run->call);
    }
}

/* The text is over: what was held back is calls, or text after all. */
static void end_text(struct run_chat *run)
{
    const struct llm_prompt *prompt = run->chat->prompt;
    struct model_tool offered[LLM_MOST_TOOLS];
    struct str held, before;
    say_or_hold(run, think_filter_end(&run->thoughts));
    held = buf_str(&run->call_filter.held);
    if (held.len == 0)
        return;
    size_t count = size_min(prompt->tool_count, countof(offered));
    for (size_t i = 0; i < count; i++)
        offered[i] = (struct model_tool){.name = prompt->tools[i].name};
    if (run->calls.count == 0 &&
        model_calls_read_text(&run->calls, held, offered, count, run->text.limit, &before) > 0)
        held = before;
    say(run, held);
    call_filter_told(&run->call_filter, buf_str(&run->call_filter.held));
}

/* Members that are not zero were said, and count up. */
static void take_usage(struct run_chat *run, const struct model_usage *said)
{
    struct model_usage *usage = &run->usage;
    usage->prompt_tokens = size_max(usage->prompt_tokens, said->prompt_tokens);
    usage->completion_tokens = size_max(usage->completion_tokens, said->completion_tokens);
    usage->cached_tokens = size_max(usage->cached_tokens, said->cached_tokens);
    usage->reasoning_tokens = size_max(usage->reasoning_tokens, said->reasoning_tokens);
}

static void take_model(struct run_chat *run, struct str model)
{
    struct str name = str_utf8_prefix(model, sizeof run->model);
    memcpy(run->model, name.at, name.len);
    run->model_len = name.len;
}

static void take_content(struct run_chat *run, struct str content)
{
    struct str held;
    if (str_is_empty(content))
        return;
    run->delta_count++;
    struct str text = think_filter_feed(&run->thoughts, content, &held);
    if (run->thoughts.state == THINK_INSIDE)
        http_call_at_work(&run->call);
    say_or_hold(run, held);
    say_or_hold(run, text);
}

static void take_answer(struct run_chat *run, const struct model_answer *answer)
{
    if (run->model_len == 0 && !str_is_empty(answer->model))
        take_model(run, answer->model);
    if (answer->has_usage)
        take_usage(run, &answer->usage);
    if (answer->finish != MODEL_FINISH_NONE)
        run->finish = answer->finish;
    take_calls(run, answer);
    if (answer->has_reasoning) {
        run->chat->had_reasoning = true;
        http_call_at_work(&run->call);
    }
    if (!str_is_empty(answer->refusal)) {
        run->has_refusal = true;
        run->delta_count++;
        say(run, answer->refusal);
    }
    take_content(run, answer->content);
}

static void on_linger_over(struct timer *timer)
{
    op_cancel(&container_of(timer, struct run_chat, timer)->call.op);
}

static void take_chunk(void *owner, const struct sse_event *event)
{
    struct run_chat *run = owner;
    struct model_answer answer;
    struct str content;
    struct err err;
    if (run->phase != RUN_CALLING)
        return;
    struct buf *scratch = &run->http->scratch;
    if (answer_same_read(&run->same, event->data, scratch, &content)) {
        take_content(run, content);
        return;
    }
    if (run->http->wire->read_event(event->data, scratch, &answer, &err) != ERR_OK) {
        err_prefix(&err, "the model server");
        stop_run(run, &err);
    } else if (answer.is_done) {
        run->phase = RUN_ANSWERED;
        timer_start(&run->timer, run->http->llm.loop, LINGER_MS, on_linger_over);
    } else {
        answer_same_learn(&run->same, event->data, &answer);
        take_answer(run, &answer);
    }
}

static void on_head(struct http_call *call)
{
    struct run_chat *run = call->user;
    struct llm_http *http = run->http;
    uint64_t now_ms = loop_now_ms(http->llm.loop);
    run->is_stream = call->status == 200 && strcmp(call->content_type, "text/event-stream") == 0;
    buf_fini(&run->request); /* the server has read it: a stream lives long, a prompt is large */
    if (call->pause_ms > 0)
        http->resume_ms = now_ms + size_min(call->pause_ms, MOST_PAUSE_MS);
    if (call->status == 200)
        model_traits_keep(&http->traits, &run->lessons);
    if (run->is_stream)
        return;
    http_call_begun(call);
    buf_init(&run->whole, call->status == 200 ? run->text.limit * 2 + ERROR_BYTES : ERROR_BYTES);
}

static void on_body(struct http_call *call, struct str bytes)
{
    struct run_chat *run = call->user;
    struct err err;
    AHEAD_NOTE(run->http->llm.loop, &run->chat, &run->phase, &run->sse, &run->sse.line,
               &run->sse.type, &run->sse.data, &run->same, &run->thoughts, run->same.event.at,
               &run->chat->prompt, &run->chat->on_text,
               run->text.at == NULL ? NULL : run->text.at + run->text.end);
    if (run->phase == RUN_STOPPED)
        return;
    if (!run->is_stream) /* what does not fit is missed by the JSON reader, not here */
        buf_push(&run->whole, str_slice(bytes, 0, run->whole.limit - buf_len(&run->whole)));
    else if (sse_read_feed(&run->sse, bytes, &err) != ERR_OK) {
        err_prefix(&err, "the model server's stream");
        stop_run(run, &err);
    }
    relay(run);
}

/* An answer in one piece, from a server that ignores "stream". */
static void take_whole(struct run_chat *run, struct err *err)
{
    struct model_answer answer;
    struct buf *scratch = &run->http->scratch;
    if (run->http->wire->read_whole(buf_str(&run->whole), scratch, &answer, err) != ERR_OK) {
        struct err cause = *err;
        err_set(err, cause.code, "the address answers, but not as a chat server: %s; check %s",
                cause.text, run->http->options.url_variable);
        return;
    }
    take_answer(run, &answer);
    *err = *err_kept(&run->err);
}

/* ---- sending it again ---- */

static void send_request(struct run_chat *run);

/* Whether the attempt may go on: nobody has heard anything, and there is time. */
static bool may_send_again(const struct run_chat *run)
{
    return run->phase == RUN_CALLING && !run->chat->op.cancel_asked && run->sends < MOST_SENDS &&
           buf_len(&run->text) == 0 &&
           (run->deadline_ms == 0 || loop_now_ms(run->http->llm.loop) < run->deadline_ms);
}

static void send_again(struct run_chat *run)
{
    struct llm_http *http = run->http;
    add_usage(run);
    sse_read_reset(&run->sse);
    buf_fini(&run->whole);
    run->is_stream = run->has_tool_call = false;
    model_calls_clear(&run->calls);
    call_filter_fini(&run->call_filter);
    call_filter_init(&run->call_filter, run->text.limit);
    run->finish = MODEL_FINISH_NONE;
    op_release(&run->call.op);
    think_filter_init(&run->thoughts, http->traits.starts_thinking);
    send_request(run);
}

/* Whether a refused request is worth sending without what the refusal names. */
static bool learn(struct run_chat *run)
{
    int status = run->call.status;
    if ((status != 400 && status != 422) || !may_send_again(run))
        return false;
    struct model_traits traits = run->traits;
    enum model_lesson lesson =
        model_traits_learn(&traits, run->http->options.wire, &run->sent, buf_str(&run->whole));
    if (run->traits.needs_room && !traits.needs_room) /* there is none: known is as before */
        run->lessons.needs_room = run->http->traits.needs_room = false;
    run->traits = traits;
    if (lesson == MODEL_LESSON_FOR_GOOD)
        model_traits_keep(&run->lessons, &traits);
    return lesson != MODEL_LESSON_NONE;
}

/* Whether an answer that ended without a word is asked for once more, with more room when the
 * tokens went into thoughts. */
static bool ask_for_text(struct run_chat *run)
{
    if (run->was_empty || run->has_refusal || run->calls.count > 0 || !may_send_again(run))
        return false;
    switch (run->finish) {
    case MODEL_FINISH_LENGTH:
        run->traits.needs_room = run->lessons.needs_room = true;
        break;
    case MODEL_FINISH_CONTENT_FILTER:
    case MODEL_FINISH_REFUSAL:
        return false; /* the same text would be refused again */
    default:
        break;
    }
    run->was_empty = true;
    return true;
}

/* What the transfer's end means: ERR_OK, or why the attempt fails. */
static void judge(struct run_chat *run, struct err *err)
{
    struct llm_chat *chat = run->chat;
    const struct model_peer *peer = &run->http->peer;
    const struct err *cause = &run->call.op.err;
    bool is_filtered = false;
    if (cause->code != ERR_OK && !(run->is_stream && run->finish != MODEL_FINISH_NONE))
        model_peer_explain_transport(peer, cause, run->is_stream, err);
    else if (run->call.status != 200)
        model_peer_explain_status(peer, run->call.status, buf_str(&run->whole), &is_filtered, err);
    else if (!run->is_stream)
        take_whole(run, err);
    else if (run->finish == MODEL_FINISH_NONE)
        err_set(err, ERR_UNAVAILABLE, "the model server cut its answer short");
    if (is_filtered)
        chat->finish = LLM_FINISH_FILTER;
}

static void on_call_done(struct op *op)
{
    struct run_chat *run = op_owner(op);
    struct llm_chat *chat = run->chat;
    struct err err = {0};
    timer_stop(&run->timer);
    chat->retry_after_ms = run->call.retry_after_ms;
    if (chat->retry_after_ms == UINT64_MAX && run->call.pause_ms > 0)
        chat->retry_after_ms = run->call.pause_ms;
    if (op->err.code == ERR_OK && run->call.status != 200 && learn(run)) {
        send_again(run);
        return;
    }
    if (run->phase == RUN_CALLING)
        judge(run, &err);
    if (run->phase != RUN_STOPPED)
        end_text(run);
    relay(run);
    if (run->phase == RUN_STOPPED)
        err = *err_kept(&run->err);
    else if (err.code == ERR_OK)
        run->phase = RUN_CALLING; /* answered, and perhaps to be asked again */
    if (err.code == ERR_OK && ask_for_text(run)) {
        send_again(run);
        return;
    }
    copy_result(run, &err);
    model_peer_blank_key(&run->http->peer, &err);
    finish_run(run, &err);
}

/* ---- the request ---- */

/* What the wire's request points at, for as long as it is written. */
struct request_parts {
    struct model_message *messages;
    struct model_call *calls; /* of all messages */
    struct model_tool *tools;
};

static void free_parts(struct request_parts *parts)
{
    mem_free(parts->messages);
    mem_free(parts->calls);
    mem_free(parts->tools);
}

static bool make_parts(const struct llm_prompt *prompt, struct request_parts *parts)
{
    size_t call_count = 0, next = 0;
    for (size_t i = 0; i < prompt->message_count; i++)
        call_count += prompt->messages[i].call_count;
    parts->messages = mem_zalloc(prompt->message_count, sizeof *parts->messages);
    parts->calls = mem_zalloc(call_count + 1, sizeof *parts->calls);
    parts->tools = mem_zalloc(prompt->tool_count + 1, sizeof *parts->tools);
    if (parts->messages == NULL || parts->calls == NULL || parts->tools == NULL)
        return false;
    for (size_t i = 0; i < prompt->message_count; i++) {
        const struct llm_message *message = &prompt->messages[i];
        parts->messages[i] = (struct model_message){
            .role = llm_role_name(message->role),
            .content = message->text,
            .calls = &parts->calls[next],
            .call_count = message->call_count,
            .call_id = message->call_id,
            .is_error = message->is_error,
        };
        for (size_t j = 0; j < message->call_count; j++)
            parts->calls[next++] = (struct model_call){message->calls[j].id, message->calls[j].name,
                                                       message->calls[j].arguments};
    }
    for (size_t i = 0; i < prompt->tool_count; i++)
        parts->tools[i] = (struct model_tool){prompt->tools[i].name, prompt->tools[i].description,
                                              prompt->tools[i].parameters};
    return true;
}

static void write_request(struct run_chat *run)
{
    const struct llm_http_options *options = &run->http->options;
    const struct llm_prompt *prompt = run->chat->prompt;
    static const enum model_tool_choice choices[] = {
        [LLM_TOOLS_AUTO] = MODEL_TOOLS_AUTO,
        [LLM_TOOLS_NONE] = MODEL_TOOLS_NONE,
        [LLM_TOOLS_REQUIRED] = MODEL_TOOLS_REQUIRED,
    };
    struct request_parts parts = {NULL, NULL, NULL};
    if (!make_parts(prompt, &parts)) {
        run->request.failed = true; /* rather than a prompt without its question */
        free_parts(&parts);
        return;
    }
    double temperature = prompt->temperature >= 0 ? prompt->temperature : options->temperature;
    unsigned most =
        prompt->max_output_tokens != 0 ? prompt->max_output_tokens : options->max_output_tokens;
    run->sent = (struct model_request){
        .model = options->wire == MODEL_WIRE_AZURE ? STR("") : str_of(options->model),
        .messages = parts.messages,
        .message_count = prompt->message_count,
        .tools = parts.tools,
        .tool_count = prompt->tool_count,
        .tool_choice = choices[prompt->tool_choice],
        .has_temperature = temperature >= 0,
        .temperature = temperature,
        .max_tokens = most,
        .stream = true,
        .asks_usage = true,
        .form = prompt->form,
        .form_name = str_of(prompt->task),
        .reasoning_effort = str_of(options->reasoning_effort),
    };
    model_traits_apply(&run->traits, options->wire, &run->sent);
    if (options->most_output_tokens != 0)
        run->sent.max_tokens = size_min(run->sent.max_tokens, options->most_output_tokens);
    run->http->wire->write_chat(&run->request, &run->sent);
    run->sent.messages = NULL;
    run->sent.tools = NULL;
    run->sent.message_count = run->sent.tool_count = 0;
    free_parts(&parts);
}

static uint64_t time_left(const struct run_chat *run)
{
    uint64_t now_ms = loop_now_ms(run->http->llm.loop);
    if (run->deadline_ms == 0)
        return 0;
    return run->deadline_ms > now_ms ? run->deadline_ms - now_ms : 1;
}

static void start_call(struct run_chat *run)
{
    struct llm_http *http = run->http;
    const struct llm_http_options *options = &http->options;
    struct model_peer_headers headers;
    run->phase = RUN_CALLING;
    model_peer_write_headers(&http->peer, STR("text/event-stream, application/json"),
                             run->chat->op.waiter.trace, &headers);
    http_call_start(&run->call, http->client,
                    &(struct http_call_options){
                        .url = http->peer.url.at,
                        .method = "POST",
                        .headers = headers.at,
                        .header_count = headers.count,
                        .body = buf_str(&run->request),
                        .connect_ms = options->connect_ms,
                        .first_byte_ms = options->first_token_ms,
                        .idle_ms = options->idle_ms,
                        .total_ms = time_left(run),
                        .begins_by_caller = true,
                    },
                    on_head, on_body, (struct op_waiter){.done = on_call_done, .owner = run});
    if (run->is_held)
        op_hold(&run->call.op);
}

static void on_pause_over(struct timer *timer)
{
    start_call(container_of(timer, struct run_chat, timer));
}

/* Write the request and send it, when the server has something left for us. */
static void send_request(struct run_chat *run)
{
    struct loop *loop = run->http->llm.loop;
    uint64_t now_ms = loop_now_ms(loop), resume_ms = run->http->resume_ms;
    struct err err;
    run->sends++;
    write_request(run);
    if (!buf_ok(&run->request)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for a prompt, or it is over %d bytes",
                REQUEST_BYTES);
        finish_run(run, &err);
    } else if (resume_ms > now_ms && (run->deadline_ms == 0 || resume_ms < run->deadline_ms)) {
        run->phase = RUN_PAUSING;
        timer_start(&run->timer, loop, resume_ms - now_ms, on_pause_over);
    } else {
        start_call(run);
    }
}

/* ---- the interface ---- */

static struct llm_http *http_of(struct llm *llm)
{
    return container_of(llm, struct llm_http, llm);
}

static struct run_chat *run_of(struct op *op)
{
    return container_of(op, struct llm_chat, op)->impl;
}

static void cancel_chat(struct op *op)
{
    struct err err;
    err_set(&err, ERR_CANCELLED, "the model call was cancelled");
    if (run_of(op) != NULL && run_of(op)->phase == RUN_ANSWERED)
        op_cancel(&run_of(op)->call.op); /* the answer is decided: only stop lingering */
    else if (run_of(op) != NULL)
        stop_run(run_of(op), &err);
}

static void hold_chat(struct op *op)
{
    if (run_of(op) == NULL)
        return;
    run_of(op)->is_held = true;
    if (run_of(op)->phase != RUN_PAUSING)
        op_hold(&run_of(op)->call.op);
}

static void let_chat_go(struct op *op)
{
    if (run_of(op) == NULL)
        return;
    run_of(op)->is_held = false;
    if (run_of(op)->phase != RUN_PAUSING)
        op_go(&run_of(op)->call.op);
}

static const struct op_kind chat_kind = {
    .name = "llm.chat", .cancel = cancel_chat, .hold = hold_chat, .go = let_chat_go};

static enum err_code tell_ready(struct llm *llm, struct err *err)
{
    return model_peer_ready(&http_of(llm)->peer, err);
}

static void begin_run(struct run_chat *run, struct llm_http *http, struct llm_chat *chat)
{
    const struct llm_http_options *options = &http->options;
    size_t answer_bytes = options->max_answer_bytes;
    uint64_t prompt_ms = chat->prompt->timeout_ms, total_ms = options->total_ms;
    if (prompt_ms != 0 && (total_ms == 0 || prompt_ms < total_ms))
        total_ms = prompt_ms;
    run->http = http;
    run->chat = chat;
    run->call.user = run;
    run->traits = run->lessons = http->traits;
    run->deadline_ms = total_ms == 0 ? 0 : loop_now_ms(http->llm.loop) + total_ms;
    list_push(&http->runs, &run->link);
    closing_enter(&http->closing);
    think_filter_init(&run->thoughts, http->traits.starts_thinking);
    sse_read_init(&run->sse, NULL, take_chunk, run);
    buf_init(&run->request, REQUEST_BYTES);
    buf_init(&run->text, answer_bytes);
    call_filter_init(&run->call_filter, answer_bytes);
}

static void start_chat(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct llm_http *http = http_of(llm);
    struct err err = {0};
    op_begin(&chat->op, &chat_kind, llm->loop, waiter);
    chat->attempts = 1;
    chat->asked = str_of(http->options.model);
    if (tell_ready(llm, &err) != ERR_OK) {
        op_finish_err(&chat->op, &err);
        return;
    }
    bool is_closing = closing_is_begun(&http->closing);
    struct run_chat *run = is_closing ? NULL : pool_take(http->pool);
    chat->impl = run;
    if (run == NULL) {
        op_finish(&chat->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the model is being closed" : "no memory for a model call");
        return;
    }
    begin_run(run, http, chat);
    send_request(run);
}

static void free_http(struct llm_http *http)
{
    pool_destroy(http->pool);
    buf_fini(&http->scratch);
    model_peer_fini(&http->peer);
    mem_free(http);
}

static void free_closed(struct closing *closing)
{
    free_http(container_of(closing, struct llm_http, closing));
}

static void close_http(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    struct llm_http *http = http_of(llm);
    struct err err;
    closing_begin(&http->closing, on_closed, owner);
    err_set(&err, ERR_CANCELLED, "the model is being closed");
    LIST_EACH_SAFE(link, &http->runs)
        stop_run(list_item(link, struct run_chat, link), &err);
}

static const struct llm_vtable vtables[] = {
    [MODEL_WIRE_OPENAI] = {"openai", start_chat, tell_ready, close_http},
    [MODEL_WIRE_AZURE] = {"azure", start_chat, tell_ready, close_http},
    [MODEL_WIRE_ANTHROPIC] = {"anthropic", start_chat, tell_ready, close_http},
};

struct llm *llm_http_create(struct loop *loop, struct http_client *client,
                            const struct llm_http_options *options)
{
    static closing_fn *const steps[] = {free_closed, NULL};
    struct llm_http *http = mem_zalloc(1, sizeof *http);
    if (http == NULL)
        return NULL;
    http->llm = (struct llm){.vtable = &vtables[options->wire], .loop = loop};
    http->client = client;
    http->wire = &wires[options->wire];
    http->options = *options;
    http->traits = options->traits;
    list_init(&http->runs);
    list_init(&http->enough);
    if (options->max_answer_bytes == 0)
        http->options.max_answer_bytes = DEFAULT_ANSWER_BYTES;
    buf_init(&http->scratch, http->options.max_answer_bytes);
    closing_init(&http->closing, loop, steps);
    bool is_made = model_peer_init(&http->peer, &(struct model_peer_options){
                                                    .what = "model",
                                                    .wire = options->wire,
                                                    .base_url = options->base_url,
                                                    .url_variable = options->url_variable,
                                                    .api_key = options->api_key,
                                                    .key_optional = options->key_optional,
                                                    .key_variable = options->key_variable,
                                                    .model = options->model,
                                                    .api_version = options->api_version,
                                                    .without = "ASKD_MODEL=offline",
                                                    .write_url = http->wire->write_url,
                                                });
    http->pool = pool_create(sizeof(struct run_chat), KEPT_RUNS);
    if (http->pool != NULL && is_made)
        return &http->llm;
    free_http(http);
    return NULL;
}

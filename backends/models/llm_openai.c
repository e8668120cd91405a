/* SPDX-License-Identifier: MIT */
/* backends/models/llm_openai.c - a chat over http_client: request out, text in as it comes.
 *
 * Happy path: the prompt becomes a JSON body; the answer's head says event stream; pieces go
 * through sse_read to take_chunk, which relays the text and gathers it; the transfer ends after
 * [DONE]; the text is copied into the prompt's arena once.
 * Failure paths, all to on_call_done, which judges:
 *   not configured                      before any I/O
 *   transport, deadline, cancel         the call's error, with what to check
 *   an HTTP error                       its body read, status mapped by openai_answer_error
 *   an error object or nonsense within  kept in the run, the call is cancelled
 *   no [DONE] and no finish_reason      ERR_UNAVAILABLE: cut short, with the text so far
 *   a server that answers without SSE   the JSON is read as a whole: tolerated
 * Per token nothing is allocated once the run's buffers have grown. */
#include "backends/models/llm_openai.h"

#include <inttypes.h>
#include <string.h>

#include "backends/models/openai_peer.h"
#include "core/base/mem.h"
#include "core/base/pool.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"
#include "proto/openai.h"
#include "proto/openai_answer.h"
#include "proto/sse_read.h"

enum { KEPT_RUNS = 64, MODEL_BYTES = 128 };
enum { DEFAULT_ANSWER_BYTES = 1 << 20, REQUEST_BYTES = 8 << 20, ERROR_BYTES = 64 << 10 };
enum { LINGER_MS = 250 }; /* after [DONE], for the end of the body: the connection can be kept */

struct llm_openai {
    struct llm llm;
    struct http_client *client;
    struct llm_openai_options options;
    struct openai_peer peer;
    struct pool *pool;
    struct list runs;
    struct closing closing; /* out: runs */
};

struct run_chat { /* one call in flight */
    struct list link;
    struct llm_openai *openai;
    struct llm_chat *chat;
    struct http_call call;
    struct timer linger;
    struct sse_read sse;
    struct buf request, text, scratch;
    struct buf whole; /* a body that is no stream: an error, or an answer in one piece */
    bool is_stream, is_done, is_stopped;
    enum openai_finish finish;
    uint64_t delta_count;
    struct err err; /* why it was stopped from within; ERR_OK: it was not */
    size_t model_len;
    char model[MODEL_BYTES];
};

/* ---- ending ---- */

static void finish_run(struct run_chat *run, const struct err *err)
{
    struct llm_openai *openai = run->openai;
    struct llm_chat *chat = run->chat;
    timer_stop(&run->linger);
    sse_read_fini(&run->sse);
    buf_fini(&run->request);
    buf_fini(&run->text);
    buf_fini(&run->scratch);
    buf_fini(&run->whole);
    list_remove(&run->link);
    pool_give(openai->pool, run);
    chat->impl = NULL;
    op_finish_err(&chat->op, err);
    closing_leave(&openai->closing);
}

/* The result, in the prompt's arena: also after a failure, as far as it came. */
static void copy_result(struct run_chat *run, struct err *err)
{
    struct llm_chat *chat = run->chat;
    struct arena *arena = chat->prompt->arena;
    struct str model = run->model_len > 0 ? str_make(run->model, run->model_len)
                                          : str_of(run->openai->options.model);
    chat->text = arena_str(arena, buf_str(&run->text));
    chat->model = arena_str(arena, model);
    chat->truncated =
        run->finish == OPENAI_FINISH_LENGTH || run->finish == OPENAI_FINISH_CONTENT_FILTER;
    if (chat->usage.completion_tokens == 0 && run->delta_count > 0)
        chat->usage = (struct llm_usage){.completion_tokens = run->delta_count, .estimated = true};
    if (err->code == ERR_OK && !arena_ok(arena))
        err_set(err, ERR_NO_MEMORY, "the run has no memory left for the model's answer");
}

/* Give up from within: the reason is kept, the transfer ends on a later turn. */
static void stop_run(struct run_chat *run, const struct err *err)
{
    if (run->is_stopped)
        return;
    run->is_stopped = true;
    run->err = *err;
    op_cancel(&run->call.op);
}

/* ---- the answer ---- */

static void take_answer(struct run_chat *run, const struct openai_answer *answer)
{
    struct llm_chat *chat = run->chat;
    struct err err;
    if (!str_is_absent(answer->model) && run->model_len == 0) {
        struct str name = str_utf8_prefix(answer->model, sizeof run->model);
        memcpy(run->model, name.at, name.len);
        run->model_len = name.len;
    }
    if (answer->has_usage)
        chat->usage = (struct llm_usage){.prompt_tokens = answer->usage.prompt_tokens,
                                         .completion_tokens = answer->usage.completion_tokens};
    if (answer->finish != OPENAI_FINISH_NONE)
        run->finish = answer->finish;
    if (str_is_empty(answer->content))
        return;
    buf_push(&run->text, answer->content);
    run->delta_count++;
    if (!buf_ok(&run->text)) {
        err_set(&err, ERR_TOO_LARGE, "the model's answer is over %zu bytes", run->text.limit);
        stop_run(run, &err);
    } else if (chat->on_text != NULL) {
        chat->on_text(chat, answer->content);
    }
}

static void on_linger_over(struct timer *timer)
{
    op_cancel(&container_of(timer, struct run_chat, linger)->call.op);
}

static void take_chunk(void *owner, const struct sse_event *event)
{
    struct run_chat *run = owner;
    struct openai_answer answer;
    struct err err;
    if (run->is_stopped || run->is_done)
        return;
    if (openai_answer_chunk(event->data, &run->scratch, &answer, &err) != ERR_OK) {
        err_prefix(&err, "the model server");
        stop_run(run, &err);
    } else if (answer.is_done) {
        run->is_done = true;
        timer_start(&run->linger, run->openai->llm.loop, LINGER_MS, on_linger_over);
    } else {
        take_answer(run, &answer);
    }
}

static void on_head(struct http_call *call)
{
    struct run_chat *run = call->user;
    run->is_stream = call->status == 200 && strcmp(call->content_type, "text/event-stream") == 0;
    buf_fini(&run->request); /* the server has read it: a stream lives long, a prompt is large */
    if (run->is_stream)
        return;
    buf_init(&run->whole, call->status == 200 ? run->text.limit * 2 + ERROR_BYTES : ERROR_BYTES);
}

static void on_body(struct http_call *call, struct str bytes)
{
    struct run_chat *run = call->user;
    struct err err;
    if (run->is_stopped)
        return;
    if (!run->is_stream) /* what does not fit is missed by the JSON reader, not here */
        buf_push(&run->whole, str_slice(bytes, 0, run->whole.limit - buf_len(&run->whole)));
    else if (sse_read_feed(&run->sse, bytes, &err) != ERR_OK) {
        err_prefix(&err, "the model server's stream");
        stop_run(run, &err);
    }
}

/* An answer in one piece, from a server that ignores "stream". */
static void take_whole(struct run_chat *run, struct err *err)
{
    struct openai_answer answer;
    if (openai_answer_whole(buf_str(&run->whole), &run->scratch, &answer, err) != ERR_OK) {
        struct err cause = *err;
        err_set(err, cause.code, "the address answers, but not as a chat server: %s; check %s",
                cause.text, openai_peer_url_variable(&run->openai->peer));
        return;
    }
    take_answer(run, &answer);
    *err = run->err;
}

static void on_call_done(struct op *op)
{
    struct run_chat *run = op_owner(op);
    struct llm_chat *chat = run->chat;
    struct err err = {0};
    chat->retry_after_ms = run->call.retry_after_ms;
    if (run->is_stopped)
        err = run->err;
    else if (run->is_done)
        ; /* all that matters has come, however the transfer ended */
    else if (op->err.code != ERR_OK && !(run->is_stream && run->finish != OPENAI_FINISH_NONE))
        openai_peer_explain_transport(&run->openai->peer, &op->err, run->is_stream, &err);
    else if (run->call.status != 200)
        openai_peer_explain_status(&run->openai->peer, run->call.status, buf_str(&run->whole),
                                   &err);
    else if (!run->is_stream)
        take_whole(run, &err);
    else if (run->finish == OPENAI_FINISH_NONE)
        err_set(&err, ERR_UNAVAILABLE, "the model server cut its answer short");
    copy_result(run, &err);
    openai_peer_blank_key(&run->openai->peer, &err);
    finish_run(run, &err);
}

/* ---- the request ---- */

static struct str role_name(enum llm_role role)
{
    static const struct str names[] = {
        [LLM_SYSTEM] = STR("system"), [LLM_USER] = STR("user"), [LLM_ASSISTANT] = STR("assistant")};
    return names[role];
}

/* Models that refuse a temperature and the old name of the token limit. */
static bool is_reasoning_model(struct str model)
{
    return str_starts_with(model, STR("o1")) || str_starts_with(model, STR("o3")) ||
           str_starts_with(model, STR("o4")) || str_starts_with(model, STR("gpt-5"));
}

static void write_request(struct run_chat *run)
{
    const struct llm_openai_options *options = &run->openai->options;
    const struct llm_prompt *prompt = run->chat->prompt;
    const size_t count = prompt->message_count;
    struct openai_message *messages = mem_zalloc(count, sizeof *messages);
    if (messages == NULL) {
        run->request.failed = true; /* rather than a prompt without its question */
        return;
    }
    for (size_t i = 0; i < count; i++)
        messages[i] =
            (struct openai_message){role_name(prompt->messages[i].role), prompt->messages[i].text};
    double temperature = prompt->temperature >= 0 ? prompt->temperature : options->temperature;
    bool is_reasoning = is_reasoning_model(str_of(options->model));
    unsigned most =
        prompt->max_output_tokens != 0 ? prompt->max_output_tokens : options->max_output_tokens;
    openai_write_chat(&run->request,
                      &(struct openai_chat){
                          .model = options->api_version != NULL ? STR("") : str_of(options->model),
                          .messages = messages,
                          .message_count = count,
                          .has_temperature = temperature >= 0 && !is_reasoning,
                          .temperature = temperature,
                          .max_tokens = most,
                          .uses_max_completion_tokens = is_reasoning,
                          .stream = true,
                      });
    mem_free(messages);
}

static void start_call(struct run_chat *run)
{
    struct llm_openai *openai = run->openai;
    const struct llm_openai_options *options = &openai->options;
    uint64_t prompt_ms = run->chat->prompt->timeout_ms;
    uint64_t total_ms = options->total_ms;
    if (prompt_ms != 0 && (total_ms == 0 || prompt_ms < total_ms))
        total_ms = prompt_ms;
    struct openai_peer_headers headers;
    openai_peer_write_headers(&openai->peer, STR("text/event-stream, application/json"),
                              run->chat->op.waiter.trace, &headers);
    http_call_start(&run->call, openai->client,
                    &(struct http_call_options){
                        .url = openai->peer.url.at,
                        .method = "POST",
                        .headers = headers.at,
                        .header_count = headers.count,
                        .body = buf_str(&run->request),
                        .connect_ms = options->connect_ms,
                        .first_byte_ms = options->first_token_ms,
                        .idle_ms = options->idle_ms,
                        .total_ms = total_ms,
                    },
                    on_head, on_body, (struct op_waiter){.done = on_call_done, .owner = run});
}

/* ---- the interface ---- */

static struct llm_openai *openai_of(struct llm *llm)
{
    return container_of(llm, struct llm_openai, llm);
}

static struct run_chat *run_of(struct op *op)
{
    return container_of(op, struct llm_chat, op)->impl;
}

static void cancel_chat(struct op *op)
{
    struct err err;
    err_set(&err, ERR_CANCELLED, "the model call was cancelled");
    if (run_of(op) != NULL && run_of(op)->is_done)
        op_cancel(&run_of(op)->call.op); /* the answer is decided: only stop lingering */
    else if (run_of(op) != NULL)
        stop_run(run_of(op), &err);
}

static void hold_chat(struct op *op)
{
    if (run_of(op) != NULL)
        op_hold(&run_of(op)->call.op);
}

static void let_chat_go(struct op *op)
{
    if (run_of(op) != NULL)
        op_go(&run_of(op)->call.op);
}

static const struct op_kind chat_kind = {
    .name = "llm.chat", .cancel = cancel_chat, .hold = hold_chat, .go = let_chat_go};

static enum err_code tell_ready(struct llm *llm, struct err *err)
{
    return openai_peer_ready(&openai_of(llm)->peer, err);
}

static void start_chat(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter)
{
    struct llm_openai *openai = openai_of(llm);
    struct err err = {0};
    op_begin(&chat->op, &chat_kind, llm->loop, waiter);
    chat->attempts = 1;
    chat->asked = str_of(openai->options.model);
    if (tell_ready(llm, &err) != ERR_OK) {
        op_finish_err(&chat->op, &err);
        return;
    }
    bool is_closing = closing_is_begun(&openai->closing);
    struct run_chat *run = is_closing ? NULL : pool_take(openai->pool);
    chat->impl = run;
    if (run == NULL) {
        op_finish(&chat->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the model is being closed" : "no memory for a model call");
        return;
    }
    size_t answer_bytes = openai->options.max_answer_bytes;
    answer_bytes = answer_bytes == 0 ? DEFAULT_ANSWER_BYTES : answer_bytes;
    run->openai = openai;
    run->chat = chat;
    run->call.user = run;
    list_push(&openai->runs, &run->link);
    closing_enter(&openai->closing);
    sse_read_init(&run->sse, NULL, take_chunk, run);
    buf_init(&run->request, REQUEST_BYTES);
    buf_init(&run->text, answer_bytes);
    buf_init(&run->scratch, answer_bytes);
    write_request(run);
    if (buf_ok(&run->request)) {
        start_call(run);
        return;
    }
    err_set(&err, ERR_NO_MEMORY, "no memory for a prompt, or it is over %d bytes", REQUEST_BYTES);
    finish_run(run, &err);
}

static void free_openai(struct llm_openai *openai)
{
    pool_destroy(openai->pool);
    openai_peer_fini(&openai->peer);
    mem_free(openai);
}

static void free_closed(struct closing *closing)
{
    free_openai(container_of(closing, struct llm_openai, closing));
}

static void close_openai(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    struct llm_openai *openai = openai_of(llm);
    struct err err;
    closing_begin(&openai->closing, on_closed, owner);
    err_set(&err, ERR_CANCELLED, "the model is being closed");
    LIST_EACH(link, &openai->runs)
        stop_run(list_item(link, struct run_chat, link), &err);
}

static const struct llm_vtable plain_vtable = {
    .name = "openai", .chat_start = start_chat, .ready = tell_ready, .close = close_openai};
static const struct llm_vtable azure_vtable = {
    .name = "azure", .chat_start = start_chat, .ready = tell_ready, .close = close_openai};

struct llm *llm_openai_create(struct loop *loop, struct http_client *client,
                              const struct llm_openai_options *options)
{
    static closing_fn *const steps[] = {free_closed, NULL};
    struct llm_openai *openai = mem_zalloc(1, sizeof *openai);
    if (openai == NULL)
        return NULL;
    bool is_azure = options->api_version != NULL;
    openai->llm = (struct llm){.vtable = is_azure ? &azure_vtable : &plain_vtable, .loop = loop};
    openai->client = client;
    openai->options = *options;
    list_init(&openai->runs);
    closing_init(&openai->closing, loop, steps);
    bool is_made = openai_peer_init(&openai->peer, &(struct openai_peer_options){
                                                       .what = "model",
                                                       .base_url = options->base_url,
                                                       .api_key = options->api_key,
                                                       .key_optional = options->key_optional,
                                                       .key_variable = options->key_variable,
                                                       .model = options->model,
                                                       .api_version = options->api_version,
                                                       .without = "ASKD_MODEL=offline",
                                                       .write_url = openai_write_url,
                                                   });
    openai->pool = pool_create(sizeof(struct run_chat), KEPT_RUNS);
    if (openai->pool != NULL && is_made)
        return &openai->llm;
    free_openai(openai);
    return NULL;
}

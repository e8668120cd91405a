/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_conn.c - one client connection as a small reactor.
 *
 * Happy path: bytes feed http_request; a complete request is routed; a streamed answer is paced by
 * one timer against a fixed schedule, so that a late turn does not slow the rate; what the socket
 * does not take is written by libuv, and no token is made until it is gone.
 * Failure paths: bad HTTP and bad JSON are answered with their status and an OpenAI error object; a
 * client that goes while a stream is open counts as aborted; everything leads to close_conn, once.
 */
#include "tests/mockllm/mock_conn.h"

#include <inttypes.h>
#include <stdio.h>
#include <uv.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "proto/http_request.h"
#include "proto/http_response.h"
#include "proto/json_write.h"
#include "tests/mockllm/mock_embed.h"
#include "tests/mockllm/mock_rerank.h"
#include "tests/mockllm/mock_stream.h"

enum { READ_BYTES = 64 << 10, OUT_BYTES = 64 << 20, ARENA_BYTES = 8 << 20, BATCH_TOKENS = 64 };
enum { ALWAYS = 1000000 }; /* times of a refusal that never gives way */

struct conn {
    uv_tcp_t tcp;
    uv_write_t write;
    struct mock_server *server;
    struct http_request_parser parser;
    struct buf in, out; /* in: bytes after the request that is answered */
    struct arena arena; /* of the request */
    struct mock_plan plan;
    struct mock_stream stream;
    struct mock_embed embed;
    struct timer timer;
    struct list held; /* in the server's, while its stream is held */
    uint64_t began_ms;
    bool is_answering, is_streaming, is_writing, is_closing, closes_after;
    char read_bytes[READ_BYTES];
};

static void on_tcp_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    conn->server->connections--;
    http_request_fini(&conn->parser);
    buf_fini(&conn->in);
    buf_fini(&conn->out);
    arena_fini(&conn->arena);
    mem_free(conn);
}

static void close_conn(struct conn *conn)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    timer_stop(&conn->timer);
    list_remove(&conn->held);
    conn->server->open_streams -= conn->is_streaming;
    uv_close((uv_handle_t *)&conn->tcp, on_tcp_closed);
}

/* ---- writing ---- */

static void take_requests(struct conn *conn);

static void after_write(struct conn *conn)
{
    if (conn->is_answering || conn->is_writing || conn->is_closing)
        return;
    if (conn->closes_after)
        close_conn(conn);
    else
        take_requests(conn);
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    conn->is_writing = false;
    buf_clear(&conn->out);
    if (status < 0)
        close_conn(conn);
    after_write(conn);
}

static void flush(struct conn *conn)
{
    struct str bytes = buf_str(&conn->out);
    if (conn->is_writing || conn->is_closing || bytes.len == 0)
        return;
    if (!buf_ok(&conn->out)) {
        close_conn(conn);
        return;
    }
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)bytes.at, (unsigned)bytes.len);
    int sent = uv_try_write((uv_stream_t *)&conn->tcp, &all, 1);
    if (sent == (int)bytes.len) {
        buf_clear(&conn->out);
        return;
    }
    if (sent > 0)
        buf_consume(&conn->out, (size_t)sent);
    bytes = buf_str(&conn->out);
    all = uv_buf_init((char *)(uintptr_t)bytes.at, (unsigned)bytes.len);
    conn->write.data = conn;
    conn->is_writing = true; /* out is not touched until on_written */
    if (uv_write(&conn->write, (uv_stream_t *)&conn->tcp, &all, 1, on_written) != 0)
        close_conn(conn);
}

static void end_answer(struct conn *conn)
{
    conn->is_answering = false;
    conn->closes_after = !conn->parser.request.keep_alive || conn->plan.faults.drop >= 0;
    flush(conn);
    after_write(conn);
}

static void answer_json(struct conn *conn, int status, struct str body, bool is_json)
{
    http_response_begin(&conn->out, status, 1);
    (void)!http_response_header(&conn->out, STR("Content-Type"),
                                is_json ? STR("application/json") : STR("text/html"));
    if (status == 429 || status == 503) {
        int64_t ms = conn->plan.faults.retry_after;
        http_response_header_u64(&conn->out, STR("Retry-After"), 1);
        http_response_header_u64(&conn->out, STR("retry-after-ms"), ms < 0 ? 20 : (uint64_t)ms);
    }
    http_response_header_u64(&conn->out, STR("Content-Length"), body.len);
    http_response_end_head(&conn->out);
    buf_push(&conn->out, body);
    end_answer(conn);
}

static void answer_error(struct conn *conn, int status, const char *message)
{
    struct json_write writer;
    struct buf body;
    buf_init(&body, 4096);
    json_write_init(&writer, &body);
    json_write_object(&writer);
    json_write_key(&writer, STR("error"));
    json_write_object(&writer);
    json_write_member_str(&writer, STR("message"), str_of(message));
    json_write_member_str(&writer, STR("type"), STR("mock_error"));
    json_write_object_end(&writer);
    json_write_object_end(&writer);
    answer_json(conn, status, buf_str(&body), true);
    buf_fini(&body);
}

/* ---- streaming ---- */

static void end_stream(struct conn *conn)
{
    conn->is_streaming = false;
    conn->server->open_streams--;
    conn->server->completed++;
    end_answer(conn);
}

/* How many tokens the schedule wants sent by now. */
static uint64_t due_tokens(const struct conn *conn)
{
    uint64_t elapsed_ms = loop_now_ms(conn->server->loop) - conn->began_ms;
    return conn->plan.rate == 0 ? conn->stream.sent + BATCH_TOKENS
                                : 1 + elapsed_ms * conn->plan.rate / 1000;
}

static void on_tick(struct timer *timer)
{
    struct conn *conn = container_of(timer, struct conn, timer);
    struct loop *loop = conn->server->loop;
    enum mock_step step = MOCK_MORE;
    uint64_t due = due_tokens(conn);
    while (!conn->is_writing && step == MOCK_MORE && conn->stream.sent < due)
        step = mock_stream_next(&conn->stream, &conn->out, loop_precise_ns());
    flush(conn);
    if (conn->is_closing)
        return;
    if (step == MOCK_END) {
        end_stream(conn);
    } else if (step == MOCK_CUT) {
        conn->server->completed++;
        close_conn(conn);
    } else if (step == MOCK_HOLD) {
        list_push(&conn->server->held, &conn->held);
    } else if (step == MOCK_WAIT) {
        timer_start(&conn->timer, loop, (uint64_t)conn->plan.faults.slow_after_role, on_tick);
    } else if (step == MOCK_MORE) {
        uint64_t next_ms = conn->plan.rate == 0
                               ? loop_now_ms(loop) + conn->is_writing
                               : conn->began_ms + (conn->stream.sent * 1000 + conn->plan.rate - 1) /
                                                      conn->plan.rate;
        uint64_t now_ms = loop_now_ms(loop);
        timer_start(&conn->timer, loop, next_ms > now_ms ? next_ms - now_ms : 0, on_tick);
    }
}

static void begin_stream(struct conn *conn)
{
    int64_t wait_ms = conn->plan.faults.slow_first;
    http_response_begin(&conn->out, 200, 1);
    (void)!http_response_header(&conn->out, STR("Content-Type"),
                                STR("text/event-stream; charset=utf-8"));
    (void)!http_response_header(&conn->out, STR("Transfer-Encoding"), STR("chunked"));
    if (conn->plan.faults.spent >= 0) {
        char reset[32];
        snprintf(reset, sizeof reset, "%" PRId64 "ms", conn->plan.faults.spent);
        (void)!http_response_header(&conn->out, STR("x-ratelimit-remaining-requests"), STR("0"));
        (void)!http_response_header(&conn->out, STR("x-ratelimit-reset-requests"), str_of(reset));
    }
    http_response_end_head(&conn->out);
    conn->is_streaming = true;
    conn->server->open_streams++;
    conn->began_ms = loop_now_ms(conn->server->loop) + (wait_ms < 0 ? 0 : (uint64_t)wait_ms);
    if (wait_ms > 0) {
        flush(conn);
        timer_start(&conn->timer, conn->server->loop, (uint64_t)wait_ms, on_tick);
    } else {
        on_tick(&conn->timer);
    }
}

/* Those that are held go on, as fast as it goes. */
static void release_all(struct mock_server *server)
{
    for (struct list *link; (link = list_take_first(&server->held)) != NULL;) {
        struct conn *conn = container_of(link, struct conn, held);
        conn->stream.is_released = true;
        conn->plan.rate = 0;
        timer_start(&conn->timer, server->loop, 0, on_tick);
    }
}

/* ---- routing ---- */

/* Whether this request is one of the first `times` that are refused; the next one is not. */
static bool is_refused(struct conn *conn, int64_t times)
{
    if (times < 0)
        return false;
    if (times >= ALWAYS)
        return true;
    if (conn->server->refused_in_row < (uint64_t)times) {
        conn->server->refused_in_row++;
        return true;
    }
    conn->server->refused_in_row = 0;
    return false;
}

static bool answer_refusal(struct conn *conn)
{
    const struct mock_faults *faults = &conn->plan.faults;
    const struct {
        int status;
        int64_t times;
        const char *message;
    } refusals[] = {
        {401, faults->refuse_401, "Incorrect API key provided"},
        {404, faults->refuse_404, "The model does not exist"},
        {429, faults->refuse_429, "Rate limit reached"},
        {500, faults->refuse_500, "The server had an error"},
        {503, faults->refuse_503, "The engine is overloaded"},
        {529, faults->overloaded, "Overloaded"},
        {403, faults->moderated >= 0 ? ALWAYS : -1, "Your input was flagged by moderation"},
    };
    for (size_t i = 0; i < countof(refusals); i++)
        if (is_refused(conn, refusals[i].times)) {
            answer_error(conn, refusals[i].status, refusals[i].message);
            return true;
        }
    return false;
}

/* Whether the request has a parameter that the model does not take. */
static bool answer_wrong_parameter(struct conn *conn)
{
    const struct mock_plan *plan = &conn->plan;
    const struct mock_faults *faults = &plan->faults;
    const struct {
        bool is_wrong;
        int status;
        const char *message;
    } refusals[] = {
        {faults->no_max_tokens >= 0 && plan->max_tokens >= 0, 400,
         "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
         "'max_completion_tokens' instead."},
        {faults->no_limit >= 0 && plan->max_tokens >= 0, 422,
         "[body, max_tokens] Extra inputs are not permitted"},
        {faults->no_limit >= 0 && plan->max_completion_tokens >= 0, 422,
         "[body, max_completion_tokens] Extra inputs are not permitted"},
        {faults->no_temperature >= 0 && plan->has_temperature, 400,
         "Unsupported value: 'temperature' does not support 0.1 with this model."},
        {faults->no_stream_options >= 0 && plan->wants_usage, 422,
         "[body, stream_options, include_usage] Extra inputs are not permitted"},
        {faults->no_json >= 0 && plan->has_response_format, 400,
         plan->is_anthropic ? "output_config: Extra inputs are not permitted"
                            : "'response_format' of this type is not available"},
        {plan->is_anthropic && plan->max_tokens < 0, 400, "max_tokens: Field required"},
    };
    for (size_t i = 0; i < countof(refusals); i++)
        if (refusals[i].is_wrong) {
            answer_error(conn, refusals[i].status, refusals[i].message);
            return true;
        }
    if (faults->small_limit >= 0 && plan->max_tokens > faults->small_limit) {
        char text[128];
        snprintf(text, sizeof text, "max_tokens: %" PRId64 " > %" PRId64 ", the most of this model",
                 plan->max_tokens, faults->small_limit);
        answer_error(conn, 400, text);
        return true;
    }
    return false;
}

/* Whether the way in is closed: Anthropic's wire wants its key and version. */
static bool answer_stranger(struct conn *conn)
{
    const struct http_request *request = &conn->parser.request;
    bool has_key = !str_is_absent(http_request_header(request, STR("authorization"))) ||
                   !str_is_absent(http_request_header(request, STR("x-api-key")));
    if (conn->plan.faults.keyless >= 0 && has_key)
        answer_error(conn, 401, "a key is shown where none is needed");
    else if (conn->plan.is_anthropic &&
             str_is_absent(http_request_header(request, STR("anthropic-version"))))
        answer_error(conn, 400, "anthropic-version: header is required");
    else
        return false;
    return true;
}

static void answer_chat(struct conn *conn, struct str path_model)
{
    struct mock_plan *plan = &conn->plan;
    struct err err;
    if (mock_plan_make(plan, &conn->arena, &conn->server->script, path_model,
                       conn->parser.request.body, &err) != ERR_OK) {
        answer_error(conn, 400, err.text);
        return;
    }
    plan->tokens = plan->faults.tokens > 0 ? (uint64_t)plan->faults.tokens : conn->server->tokens;
    plan->rate = plan->faults.rate >= 0 ? (uint64_t)plan->faults.rate : conn->server->rate;
    conn->stream = (struct mock_stream){.plan = plan, .is_stamped = conn->server->is_stamped};
    if (plan->faults.silent >= 0 || answer_stranger(conn) || answer_wrong_parameter(conn) ||
        answer_refusal(conn))
        return;
    conn->stream.is_empty = is_refused(conn, plan->faults.empty);
    if (plan->faults.nonjson >= 0) {
        answer_json(conn, 200, STR("<html><body>It works!</body></html>"), false);
    } else if (plan->is_stream && plan->faults.whole < 0) {
        begin_stream(conn);
    } else {
        struct buf body;
        buf_init(&body, OUT_BYTES);
        mock_stream_whole(&conn->stream, &body, loop_precise_ns());
        conn->server->completed++;
        answer_json(conn, 200, buf_str(&body), true);
        buf_fini(&body);
    }
}

/* The embeddings, whole or as the faults want them. */
static void write_embeddings(struct timer *timer)
{
    struct conn *conn = container_of(timer, struct conn, timer);
    const struct mock_faults *faults = &conn->plan.faults;
    struct buf body;
    buf_init(&body, OUT_BYTES);
    mock_embed_write(&conn->embed, faults, &body);
    conn->server->completed++;
    if (faults->nonjson >= 0) {
        answer_json(conn, 200, STR("<html><body>It works!</body></html>"), false);
    } else if (faults->error_mid >= 0) {
        answer_json(conn, 200, STR("{\"error\":{\"message\":\"overloaded\"}}"), true);
    } else if (faults->cut >= 0) {
        http_response_begin(&conn->out, 200, 1);
        http_response_header_u64(&conn->out, STR("Content-Length"), buf_len(&body));
        http_response_end_head(&conn->out);
        buf_push(&conn->out, str_slice(buf_str(&body), 0, buf_len(&body) / 2));
        flush(conn);
        close_conn(conn);
    } else {
        answer_json(conn, 200, buf_str(&body), true);
    }
    buf_fini(&body);
}

static void answer_embeddings(struct conn *conn, struct str path_model)
{
    const struct mock_faults *faults = &conn->plan.faults;
    struct err err;
    enum err_code code = mock_embed_make(&conn->embed, &conn->plan.faults, &conn->arena, path_model,
                                         conn->parser.request.body, &err);
    if (code != ERR_OK)
        answer_error(conn, 400, err.text);
    else if (faults->silent >= 0 || answer_refusal(conn))
        return;
    else if (faults->slow_first > 0)
        timer_start(&conn->timer, conn->server->loop, (uint64_t)faults->slow_first,
                    write_embeddings);
    else
        write_embeddings(&conn->timer);
}

static void answer_rerank(struct conn *conn, struct str path)
{
    const struct mock_faults *faults = &conn->plan.faults;
    struct mock_rerank rerank;
    struct buf body;
    struct err err;
    if (mock_rerank_make(&rerank, &conn->plan.faults, &conn->arena, path, conn->parser.request.body,
                         &err) != ERR_OK) {
        answer_error(conn, 422, err.text);
        return;
    }
    if (faults->silent >= 0 || answer_refusal(conn))
        return;
    buf_init(&body, OUT_BYTES);
    mock_rerank_write(&rerank, faults, &body);
    conn->server->completed++;
    if (faults->nonjson >= 0)
        answer_json(conn, 200, STR("<html><body>It works!</body></html>"), false);
    else
        answer_json(conn, 200, buf_str(&body), true);
    buf_fini(&body);
}

static void answer_stats(struct conn *conn)
{
    const struct mock_server *server = conn->server;
    uint64_t held = 0;
    for (const struct list *link = server->held.next; link != &server->held; link = link->next)
        held++;
    char text[256];
    struct buf body = {.at = text, .cap = sizeof text, .limit = sizeof text};
    buf_printf(&body,
               "{\"requests\":%" PRIu64 ",\"completed\":%" PRIu64 ",\"aborted\":%" PRIu64
               ",\"open\":%" PRIu64 ",\"held\":%" PRIu64 ",\"connections\":%" PRIu64 "}",
               server->requests, server->completed, server->aborted, server->open_streams, held,
               server->connections);
    answer_json(conn, 200, buf_str(&body), true);
}

static void answer_request(struct conn *conn)
{
    const struct http_request *request = &conn->parser.request;
    bool is_post = request->method == HTTP_METHOD_POST;
    struct str path = request->path;
    ptrdiff_t deployment = str_find(path, STR("/deployments/"));
    struct str model = {NULL, 0};
    conn->is_answering = true;
    mock_plan_faults(&conn->plan.faults, model);
    if (deployment >= 0) {
        struct str rest = str_from(path, (size_t)deployment + STR("/deployments/").len);
        model = str_split(&rest, '/');
    }
    conn->plan.is_anthropic = str_ends_with(path, STR("/v1/messages"));
    if (is_post && (conn->plan.is_anthropic || str_ends_with(path, STR("/chat/completions")))) {
        conn->server->requests++;
        answer_chat(conn, model);
    } else if (is_post && str_ends_with(path, STR("/embeddings"))) {
        conn->server->requests++;
        answer_embeddings(conn, model);
    } else if (is_post && str_ends_with(path, STR("/rerank"))) {
        conn->server->requests++;
        answer_rerank(conn, path);
    } else if (str_ends_with(path, STR("/models"))) {
        answer_json(conn, 200,
                    STR("{\"object\":\"list\",\"data\":[{\"id\":\"mock\",\"object\":\"model\","
                        "\"created\":1700000000,\"owned_by\":\"mockllm\"}]}"),
                    true);
    } else if (str_equal(path, STR("/mock/stats"))) {
        answer_stats(conn);
    } else if (is_post && str_equal(path, STR("/mock/reset"))) {
        conn->server->requests = conn->server->completed = conn->server->aborted = 0;
        conn->server->refused_in_row = 0;
        answer_json(conn, 200, STR("{}"), true);
    } else if (is_post && str_equal(path, STR("/mock/release"))) {
        release_all(conn->server);
        answer_json(conn, 200, STR("{}"), true);
    } else {
        answer_error(conn, 404, "no such path");
    }
}

/* ---- reading ---- */

static void answer_bad_http(struct conn *conn, const struct err *err)
{
    conn->is_answering = true;
    answer_error(conn, http_request_status(&conn->parser), err->text);
    conn->closes_after = true;
    after_write(conn);
}

/* Feed what has come to the parser, unless a request is being answered. */
static void take_requests(struct conn *conn)
{
    if (conn->is_answering || conn->is_closing || conn->closes_after)
        return;
    if (conn->parser.phase == HTTP_PHASE_DONE) {
        http_request_reset(&conn->parser);
        arena_fini(&conn->arena);
    }
    size_t consumed = 0;
    struct err err;
    if (buf_len(&conn->in) == 0)
        return;
    if (http_request_feed(&conn->parser, buf_str(&conn->in), &consumed, &err) != ERR_OK) {
        answer_bad_http(conn, &err);
        return;
    }
    buf_consume(&conn->in, consumed);
    if (conn->parser.phase == HTTP_PHASE_DONE)
        answer_request(conn);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct conn *conn = stream->data;
    if (count < 0) {
        if (conn->is_answering)
            conn->server->aborted++;
        close_conn(conn);
        return;
    }
    buf_push(&conn->in, str_make(buffer->base, (size_t)count));
    if (!buf_ok(&conn->in))
        close_conn(conn);
    take_requests(conn);
}

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct conn *conn = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(conn->read_bytes, READ_BYTES);
}

void mock_conn_accept(struct mock_server *server, struct uv_stream_s *listener)
{
    struct conn *conn = mem_zalloc(1, sizeof *conn);
    CHECK(conn != NULL);
    CHECK(uv_tcp_init(loop_uv(server->loop), &conn->tcp) == 0);
    conn->tcp.data = conn;
    conn->server = server;
    server->connections++;
    const struct http_limits limits = {.body_bytes = 16 << 20, .head_bytes = 64 << 10};
    http_request_init(&conn->parser, &limits);
    buf_init(&conn->in, 32 << 20);
    buf_init(&conn->out, OUT_BYTES);
    arena_init(&conn->arena, ARENA_BYTES);
    if (uv_accept(listener, (uv_stream_t *)&conn->tcp) != 0 ||
        uv_read_start((uv_stream_t *)&conn->tcp, give_buffer, on_read) != 0) {
        close_conn(conn);
        return;
    }
    uv_tcp_nodelay(&conn->tcp, 1);
}

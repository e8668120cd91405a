/* SPDX-License-Identifier: MIT */
/* server/http/exchange.c - the head every answer has, and the one place where answers end.
 *
 * Happy path: a request id is taken or made, the route found, the key checked, the route called;
 * it replies or streams; the end is logged, counted, and given to the connection.
 * Failure paths:
 * - not HTTP, or a deadline: the parser's or the connection's status as a problem, then close;
 * - no route, another method, no key: 404, 405 with Allow, 401 with WWW-Authenticate, 403;
 * - the client leaves: whoever answers is told, the exchange is freed. */
#include "server/http/exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "proto/http_response.h"
#include "server/http/cors.h"
#include "server/http/judge.h"
#include "server/language/event_words.h"
#include "server/language/sentences.h"

enum {
    ARENA_BYTES = 24 * 1024 * 1024,
    PROBLEM_BYTES = 8 * 1024,
    WORDS_BYTES = 2 * EVENT_WORDS_BYTES
};

static const struct http_request no_request = {.method_text = {"?", 1}, .target = {"?", 1}};

/* ---- life ---- */

static bool is_usable_id(struct str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (!str_is_alpha(id.at[i]) && !str_is_digit(id.at[i]) && id.at[i] != '-' &&
            id.at[i] != '_' && id.at[i] != '.')
            return false;
    return id.len > 0 && id.len <= EXCHANGE_ID_BYTES;
}

static void name_request(struct exchange *exchange)
{
    struct str given = http_request_header(exchange->request, STR("X-Request-Id"));
    struct id made;
    if (!is_usable_id(given)) {
        made = id_random();
        given = str_of(made.text);
    }
    memcpy(exchange->request_id, given.at, given.len);
}

static size_t route_of(const struct exchange *exchange)
{
    return route_index(exchange->site->routes, exchange->match.route);
}

static struct exchange *open_exchange(struct channel *channel, struct exchange_site *site,
                                      const struct http_request *request)
{
    struct exchange *exchange = mem_zalloc(1, sizeof *exchange);
    if (exchange == NULL) {
        channel_abort(channel);
        return NULL;
    }
    exchange->site = site;
    exchange->shard = site->shard;
    exchange->channel = channel;
    exchange->request = request;
    exchange->began_ns = loop_precise_ns();
    exchange->bytes_before = channel_count(channel);
    arena_init(&exchange->arena, ARENA_BYTES);
    buf_init(&exchange->words, WORDS_BYTES);
    exchange->language =
        language_wanted(http_request_header(request, STR("Accept-Language")), site->language);
    channel->user = exchange;
    name_request(exchange);
    return exchange;
}

static void free_exchange(struct exchange *exchange)
{
    auth_release(&exchange->grant);
    arena_fini(&exchange->arena);
    buf_fini(&exchange->words);
    mem_free(exchange);
}

/* Write the pairs of the log line that only streams have. */
static void write_stream_pairs(const struct exchange *exchange, char *room, size_t size)
{
    int len = snprintf(room, size, " events=%" PRIu64, exchange->event_count);
    if (exchange->first_token_ns > 0)
        snprintf(room + len, size - (size_t)len, " first_token_ms=%" PRIu64,
                 exchange->first_token_ns / 1000000);
}

static void log_request(const struct exchange *exchange, const char *outcome, uint64_t ns,
                        uint64_t bytes)
{
    struct log log = *exchange->site->conns.log;
    const struct route *route = exchange->match.route;
    char of_stream[80] = "", trace_id[TRACE_ID_DIGITS + 1], span_id[TRACE_SPAN_DIGITS + 1];
    log.request_id = exchange->request_id;
    log.run_id = exchange->run_id[0] == '\0' ? NULL : exchange->run_id;
    log.conversation_id = exchange->conversation_id[0] == '\0' ? NULL : exchange->conversation_id;
    if (exchange->traceparent[0] != '\0') { /* version-trace-span-flags */
        snprintf(trace_id, sizeof trace_id, "%s", exchange->traceparent + 3);
        snprintf(span_id, sizeof span_id, "%s", exchange->traceparent + 3 + TRACE_ID_DIGITS + 1);
        log.trace_id = trace_id;
        log.span_id = span_id;
    }
    if (exchange->streams)
        write_stream_pairs(exchange, of_stream, sizeof of_stream);
    LOG(&log, INFO, "http.request",
        "method=%.*s route=%s status=%d outcome=%s ms=%" PRIu64 " first_byte_ms=%" PRIu64
        "%s bytes=%" PRIu64 " peer=%s",
        STR_ARG(exchange->request->method_text), route == NULL ? "none" : route->pattern,
        exchange->status, outcome, ns / 1000000, exchange->first_byte_ns / 1000000, of_stream,
        bytes, exchange->channel->peer->text);
}

/* The one line and the one count of an answer; end is of streams only. */
static void log_and_count(struct exchange *exchange, const char *outcome, enum meters_end end)
{
    const struct exchange_site *site = exchange->site;
    uint64_t ns = loop_precise_ns() - exchange->began_ns;
    uint64_t bytes = channel_count(exchange->channel) - exchange->bytes_before;
    if (exchange->status > 0)
        meters_request(site->meters, site->metrics, route_of(exchange), exchange->status, ns);
    if (exchange->streams) {
        meters_add(site->meters, site->metrics, METER_STREAMS, -1);
        meters_add(site->meters, site->metrics, METER_SSE_BYTES, (int64_t)bytes);
        meters_stream(site->meters, site->metrics, route_of(exchange), end);
    }
    log_request(exchange, outcome, ns, bytes);
}

static void end_exchange(struct exchange *exchange)
{
    struct channel *channel = exchange->channel;
    log_and_count(exchange, exchange->streams ? meters_end_name(exchange->end) : "sent",
                  exchange->end);
    free_exchange(exchange);
    channel_done(channel);
}

/* ---- answers ---- */

void exchange_trace(struct exchange *exchange, const struct tracing_run *run)
{
    if (run->is_known)
        trace_parent_write(&run->place, run->is_sampled, exchange->traceparent);
}

void exchange_about(struct exchange *exchange, struct str run_id, struct str conversation_id)
{
    if (run_id.len > 0 && run_id.len <= EXCHANGE_ID_BYTES)
        memcpy(exchange->run_id, run_id.at, run_id.len);
    if (conversation_id.len > 0 && conversation_id.len <= EXCHANGE_NAME_BYTES)
        memcpy(exchange->conversation_id, conversation_id.at, conversation_id.len);
}

static void begin_head(struct exchange *exchange, int status)
{
    struct buf *out = exchange->channel->out;
    exchange->status = status;
    exchange->first_byte_ns = loop_precise_ns() - exchange->began_ns;
    channel_begin_head(exchange->channel, status);
    http_response_date(out, loop_wall_ms(exchange->site->conns.loop) / 1000);
    (void)http_response_header(out, STR("X-Request-Id"), str_of(exchange->request_id)); /* ours */
    (void)http_response_header(out, STR("X-Content-Type-Options"), STR("nosniff"));
    if (exchange->traceparent[0] != '\0')
        (void)http_response_header(out, STR("traceparent"), str_of(exchange->traceparent));
    cors_write(exchange->site->cors_origins, exchange->request, out);
}

static void end_whole(struct exchange *exchange, const char *type, struct str body)
{
    struct buf *out = exchange->channel->out;
    if (exchange->request->method == HTTP_METHOD_OPTIONS && exchange->status == 204)
        cors_write_preflight(exchange->request, out);
    if (exchange->status != 204) {
        (void)http_response_header(out, STR("Content-Type"), str_of(type)); /* ours */
        (void)http_response_header(out, STR("Cache-Control"), STR("no-store"));
        http_response_header_u64(out, STR("Content-Length"), body.len);
    }
    channel_end_head(exchange->channel, false);
    if (exchange->request->method != HTTP_METHOD_HEAD && exchange->status != 204)
        buf_push(out, body);
    end_exchange(exchange);
}

void exchange_reply(struct exchange *exchange, int status, const char *type, struct str body)
{
    begin_head(exchange, status);
    end_whole(exchange, type, body);
}

void exchange_reply_buf(struct exchange *exchange, int status, const char *type, struct buf *body)
{
    struct err err;
    if (buf_ok(body)) {
        exchange_reply(exchange, status, type, buf_str(body));
    } else {
        err_set(&err, ERR_NO_MEMORY, "no memory for the answer");
        exchange_fail(exchange, &err);
    }
    buf_fini(body);
}

void exchange_reply_json(struct exchange *exchange, int status, struct buf *body)
{
    exchange_reply_buf(exchange, status, "application/json", body);
}

static void push_head(struct exchange *exchange, struct str run_id, struct buf *out)
{
    struct encoder *encoder = exchange->encoder;
    if (encoder != NULL && encoder->kind->head != NULL)
        encoder->kind->head(encoder, run_id, out);
}

void exchange_reply_run(struct exchange *exchange, int status, struct str body, const char *run_id,
                        bool is_busy)
{
    exchange_about(exchange, str_of(run_id), STR(""));
    begin_head(exchange, status);
    struct buf *out = exchange->channel->out;
    (void)http_response_header(out, STR("X-Run-Id"), str_of(run_id)); /* ours */
    if (is_busy)
        http_response_header_u64(out, STR("Retry-After"), PROBLEM_RETRY_AFTER);
    else if (status >= 400)
        (void)http_response_header(out, STR("x-should-retry"), STR("false"));
    push_head(exchange, str_of(run_id), out);
    end_whole(exchange, "application/json", body);
}

void exchange_reply_with(struct exchange *exchange, int status, struct str head, struct str body)
{
    begin_head(exchange, status);
    struct buf *out = exchange->channel->out;
    buf_push(out, head);
    if (status != 304)
        http_response_header_u64(out, STR("Content-Length"), body.len);
    channel_end_head(exchange->channel, false);
    if (exchange->request->method != HTTP_METHOD_HEAD && status != 304)
        buf_push(out, body);
    end_exchange(exchange);
}

/* What a client may show instead, and where it learns who gives tokens (RFC 6750, RFC 9728). */
static void write_challenge(const struct exchange *exchange, struct buf *out)
{
    struct str resource = auth_book(exchange->site->auth)->resource;
    const struct route *route = exchange->match.route;
    bool shows = !str_is_absent(http_request_header(exchange->request, STR("Authorization")));
    buf_push(out, STR("WWW-Authenticate: Bearer"));
    if (shows)
        buf_push(out, STR(" error=\"invalid_token\""));
    if (!str_is_absent(resource))
        buf_printf(out, "%s resource_metadata=\"%.*s/.well-known/oauth-protected-resource%s\"",
                   shows ? "," : "", STR_ARG(resource),
                   route != NULL && route->is_resource ? route->pattern : "");
    buf_push(out, STR("\r\n"));
}

/* Headers that say what now. Clients that try again by themselves must not where it cannot help. */
static void write_advice(const struct exchange *exchange, struct buf *out,
                         const struct problem *problem)
{
    if (problem->retry_after > 0)
        http_response_header_u64(out, STR("Retry-After"), problem->retry_after);
    if (problem->allow != NULL)
        (void)http_response_header(out, STR("Allow"), str_of(problem->allow)); /* ours */
    if (problem->status == 401)
        write_challenge(exchange, out);
    if (problem->status == 503 || problem->status == 501)
        (void)http_response_header(out, STR("x-should-retry"),
                                   problem->status == 503 ? STR("true") : STR("false"));
}

/* The body in out; its type in *type. Returns the status. */
static int write_refusal(struct exchange *exchange, const struct problem *problem,
                         const char **type, struct buf *out)
{
    static const struct problem_style standard = {"application/problem+json", 422, 501,
                                                  problem_write};
    const struct problem_style *style =
        exchange->match.problems == NULL ? &standard : exchange->match.problems;
    struct encoder *encoder = exchange->encoder;
    *type = "application/json";
    if (encoder != NULL && encoder->kind->refuse != NULL)
        return encoder->kind->refuse(encoder, problem, out);
    *type = style->type;
    style->write(problem, exchange->request_id, out);
    return problem->status == 422                                  ? style->invalid_status
           : problem->status == 501 && problem->pointer[0] != '\0' ? style->unsupported_status
                                                                   : problem->status;
}

const char *exchange_tell_error(struct exchange *exchange, const char *code, const char *message)
{
    struct buf *words = &exchange->words;
    buf_clear(words);
    if (!sentences_say_error(exchange->language, str_of(code), str_of(message), words))
        return message;
    buf_push_char(words, '\0');
    return buf_ok(words) ? buf_str(words).at : message;
}

/* The problem in the exchange's language. */
static struct problem tell_problem(struct exchange *exchange, const struct problem *problem)
{
    struct problem told = *problem;
    const char *text = exchange_tell_error(exchange, problem->code, problem->err.text);
    if (text != problem->err.text)
        err_set(&told.err, problem->err.code, "%s", text);
    return told;
}

void exchange_problem(struct exchange *exchange, const struct problem *problem)
{
    const char *type;
    struct buf body;
    const struct problem told = tell_problem(exchange, problem);
    buf_init(&body, PROBLEM_BYTES);
    begin_head(exchange, write_refusal(exchange, &told, &type, &body));
    write_advice(exchange, exchange->channel->out, problem);
    end_whole(exchange, type, buf_ok(&body) ? buf_str(&body) : STR("{}"));
    buf_fini(&body);
}

void exchange_fail(struct exchange *exchange, const struct err *err)
{
    exchange_fail_later(exchange, err, PROBLEM_RETRY_AFTER);
}

void exchange_fail_stored(struct exchange *exchange, const struct err *err)
{
    struct err told = *err;
    if (err->code == ERR_UNAVAILABLE || err->code == ERR_TIMEOUT || err->code == ERR_PROTOCOL ||
        err->code == ERR_DENIED || err->code == ERR_INTERNAL) {
        LOG(exchange->site->conns.log, WARN, "store.failed", "code=%s text=\"%s\"",
            err_name(err->code), err->text);
        err_set(&told, ERR_UNAVAILABLE, "the store of conversations and runs is unavailable");
    }
    exchange_fail(exchange, &told);
}

void exchange_fail_later(struct exchange *exchange, const struct err *err, unsigned retry_s)
{
    struct problem problem;
    int status = err_http_status(err->code);
    if (err->code == ERR_REJECTED)
        status = 422;
    problem_set(&problem, status, problem_code(status), "%s", err->text);
    if (err->code == ERR_BUSY || err->code == ERR_UNAVAILABLE || err->code == ERR_NO_MEMORY)
        problem.retry_after = retry_s;
    exchange_problem(exchange, &problem);
}

void exchange_stream(struct exchange *exchange, struct str run_id)
{
    struct buf *out = exchange->channel->out;
    begin_head(exchange, 200);
    buf_push(out, STR("Content-Type: text/event-stream; charset=utf-8\r\n"
                      "Cache-Control: no-cache, no-transform\r\n"
                      "X-Accel-Buffering: no\r\n"));
    buf_push(out, exchange->encoder->kind->headers);
    push_head(exchange, run_id, out);
    (void)http_response_header(out, STR("X-Run-Id"), run_id); /* ours */
    channel_end_head(exchange->channel, true);
    exchange->streams = true;
    exchange->end = METERS_END_LAGGED;
    meters_add(exchange->site->meters, exchange->site->metrics, METER_STREAMS, 1);
}

size_t exchange_frames_begin(struct exchange *exchange)
{
    struct channel *channel = exchange->channel;
    return channel->is_chunked ? http_response_chunk_begin(channel->out) : 0;
}

void exchange_frames_end(struct exchange *exchange, size_t mark)
{
    if (exchange->channel->is_chunked)
        http_response_chunk_commit(exchange->channel->out, mark);
}

const struct event *exchange_tell(struct exchange *exchange, const struct event *event)
{
    return event_words_say(exchange->language, event, &exchange->told, &exchange->words);
}

void exchange_note(struct exchange *exchange, const struct event *event)
{
    if (event->kind == EVENT_TOKEN && exchange->first_token_ns == 0 &&
        str_equal(event->name, STR(EVENT_FINAL_CHANNEL)))
        exchange->first_token_ns = loop_precise_ns() - exchange->began_ns;
    if (event->kind == EVENT_COMPLETE)
        exchange->end = METERS_END_COMPLETE;
    else if (event_is_terminal(event->kind))
        exchange->end =
            str_equal(event->name, STR("server_shutdown")) ? METERS_END_DRAINED : METERS_END_ERROR;
}

void exchange_count_events(struct exchange *exchange, uint64_t count)
{
    const struct exchange_site *site = exchange->site;
    uint64_t now_ms = loop_now_ms(site->conns.loop);
    if (exchange->event_count == 0)
        meters_observe_ns(site->meters, site->metrics, METER_FIRST_EVENT_SECONDS,
                          loop_precise_ns() - exchange->began_ns);
    else
        meters_observe_ms(site->meters, site->metrics, METER_EVENT_GAP_SECONDS,
                          now_ms - exchange->events_ms);
    exchange->event_count += count;
    exchange->events_ms = now_ms;
}

void exchange_stream_end(struct exchange *exchange)
{
    end_exchange(exchange);
}

void exchange_pieces(struct exchange *exchange, struct str head)
{
    begin_head(exchange, 200);
    buf_push(exchange->channel->out, head);
    channel_end_head(exchange->channel, true);
}

void exchange_pieces_end(struct exchange *exchange)
{
    exchange_stream_end(exchange);
}

void exchange_cut(struct exchange *exchange)
{
    struct channel *channel = exchange->channel;
    log_and_count(exchange, "cut", METERS_END_ERROR);
    free_exchange(exchange);
    channel_abort(channel);
}

/* ---- the channel's hooks ---- */

static struct judge_options judge_options_of(struct exchange *exchange)
{
    const struct exchange_site *site = exchange->site;
    return (struct judge_options){
        .routes = site->routes,
        .auth = site->auth,
        .cors_origins = site->cors_origins,
        .is_for_operators = site->is_for_operators,
        .request = exchange->request,
        .is_loopback = exchange->channel->peer->is_loopback,
        .arena = &exchange->arena,
    };
}

bool exchange_is_by_operator(struct exchange *exchange)
{
    const struct judge_options options = judge_options_of(exchange);
    return judge_is_by_operator(&options);
}

/* Whether the request may be answered; false: *problem says why not. */
static bool judge(struct exchange *exchange, struct problem *problem)
{
    const struct judge_options options = judge_options_of(exchange);
    struct judge_verdict verdict = {0};
    bool is_fine = judge_request(&options, &verdict, problem);
    exchange->match = verdict.match;
    exchange->grant = verdict.grant;
    return is_fine;
}

static void answer_preflight(struct exchange *exchange)
{
    exchange_reply(exchange, 204, NULL, STR(""));
}

/* Whether exchange asks in a browser's name about another request, which would find a route. */
static bool is_preflight(struct exchange *exchange)
{
    enum http_method wanted;
    return cors_is_preflight(exchange->request, &wanted) &&
           cors_allows(exchange->site->cors_origins, exchange->request) &&
           route_find(exchange->site->routes, wanted, exchange->request->path, &exchange->match) ==
               ERR_OK;
}

void exchange_on_request(struct channel *channel, void *owner)
{
    struct problem problem;
    struct exchange *exchange = open_exchange(channel, owner, channel->request);
    if (exchange == NULL)
        return;
    if (is_preflight(exchange))
        answer_preflight(exchange);
    else if (judge(exchange, &problem))
        exchange->match.route->answer(exchange);
    else
        exchange_problem(exchange, &problem);
}

bool exchange_on_head(struct channel *channel, void *owner)
{
    struct problem problem;
    struct exchange *exchange = open_exchange(channel, owner, channel->request);
    if (exchange == NULL)
        return false;
    if (judge(exchange, &problem)) {
        channel->user = NULL;
        channel->takes_file = exchange->match.route->takes_file;
        free_exchange(exchange); /* made again when the body is there */
        return true;
    }
    channel_turn_away(channel);
    exchange_problem(exchange, &problem);
    return false;
}

void exchange_on_refused(struct channel *channel, int status, const struct err *err, void *owner)
{
    struct problem problem;
    struct exchange *exchange = open_exchange(channel, owner, &no_request);
    if (exchange == NULL)
        return;
    problem_set(&problem, status, problem_code(status), "%s", err->text);
    problem.retry_after = status == 503 ? PROBLEM_RETRY_AFTER : 0;
    exchange_problem(exchange, &problem);
}

void exchange_on_drained(struct channel *channel, void *owner)
{
    struct exchange *exchange = channel->user;
    (void)owner;
    if (exchange != NULL && exchange->on_drained != NULL)
        exchange->on_drained(exchange->client);
}

void exchange_on_gone(struct channel *channel, void *owner)
{
    struct exchange *exchange = channel->user;
    (void)owner;
    if (exchange == NULL)
        return;
    channel->user = NULL;
    log_and_count(exchange, meters_end_name(METERS_END_GONE), METERS_END_GONE);
    if (exchange->on_gone != NULL)
        exchange->on_gone(exchange->client);
    free_exchange(exchange);
}

/* ---- another loop ---- */

struct arrival {
    struct inbox_message message;
    struct exchange_site *to;
    struct channel *channel;
};

static void open_arrival(struct inbox_message *message, void *receiver)
{
    struct arrival *arrival = container_of(message, struct arrival, message);
    struct exchange_site *to = arrival->to;
    struct channel *channel = arrival->channel;
    (void)receiver;
    mem_free(arrival);
    if (to->is_closed)
        channel_discard(channel);
    else if (channel_arrive(channel, &to->conns) != ERR_OK)
        LOG(to->conns.log, WARN, "worker.arrival", "error=\"the connection could not be opened\"");
}

static void send_on(struct channel *channel, void *owner)
{
    struct exchange_site *to = owner;
    struct arrival *arrival = mem_zalloc(1, sizeof *arrival);
    if (arrival == NULL) {
        channel_discard(channel);
        return;
    }
    *arrival = (struct arrival){.to = to, .channel = channel};
    inbox_send(to->inbox, &arrival->message, open_arrival);
}

void exchange_hand_over(struct exchange *exchange, size_t peer)
{
    struct exchange_site *site = exchange->site;
    if (!channel_leave(exchange->channel, site->peers[peer]->inbox, send_on, site->peers[peer])) {
        struct err err;
        err_set(&err, ERR_UNAVAILABLE, "the connection could not be handed over; try again");
        exchange_fail(exchange, &err);
        return;
    }
    meters_add(site->meters, site->metrics, METER_HANDED_OVER, 1);
    free_exchange(exchange);
}

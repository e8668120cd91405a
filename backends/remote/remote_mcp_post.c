/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_mcp_post.c - a POST, and what comes back of it.
 *
 * Happy path: the answer is the body, or an event of the stream; the stream is left when it is
 * there. Failure paths: no connection, a time that passed, a body that is no message; a stream that
 * ends without the answer is joined again (GET with Last-Event-ID) where it named its events. */
#include "backends/remote/remote_mcp_post.h"

#include <stdio.h>

#include "backends/remote/remote_mcp_wire.h"
#include "backends/remote/remote_oauth_wire.h"

enum { ARENA_BYTES = 64 << 20, CONNECT_MS = 10000, MOST_JOINS = 5, FAREWELL_MS = 1000 };
enum { FIRST_JOIN_MS = 500, MOST_JOIN_MS = 30000, ID_BYTES = 1024, BODY_ROOM = 4096 };

enum { MOST_REFUSALS = 2 }; /* for want of a token, then of its rights */

static op_fn on_answered, on_waited, on_authorized;

/* ---- messages ---- */

static void take_message(struct remote_mcp_post *post, const struct json_value *message)
{
    if (message->type != JSON_OBJECT || post->has_answer)
        return;
    if (post->id == 0 || !remote_mcp_wire_is_answer(message, post->id)) {
        if (post->on_message != NULL)
            post->on_message(post, message);
        return;
    }
    post->result = json_value_member(message, STR("result"));
    post->error = post->result == NULL ? json_value_member(message, STR("error")) : NULL;
    post->has_answer = post->result != NULL || post->error != NULL;
}

/* One message, or several at once, as 2025-03-26 has it. */
static void take_text(struct remote_mcp_post *post, struct str text)
{
    const struct json_value *root =
        json_value_parse(&post->arena, arena_str(&post->arena, text), NULL, NULL);
    if (root == NULL)
        return;
    if (root->type == JSON_ARRAY)
        JSON_EACH(item, root)
            take_message(post, item);
    else
        take_message(post, root);
}

static void on_event(void *owner, const struct sse_event *event)
{
    struct remote_mcp_post *post = owner;
    buf_clear(&post->last_id);
    buf_push(&post->last_id, event->id);
    take_text(post, event->data);
}

static void on_head(struct http_call *http)
{
    struct remote_mcp_post *post = op_owner(&http->op);
    post->is_stream = str_equal(str_of(http->content_type), STR("text/event-stream"));
}

static void on_body(struct http_call *http, struct str bytes)
{
    struct remote_mcp_post *post = op_owner(&http->op);
    struct err err;
    if (!post->is_stream) {
        buf_push(&post->text, bytes);
        return;
    }
    if (sse_read_feed(&post->sse, bytes, &err) != ERR_OK || post->has_answer)
        op_cancel(&http->op); /* there is nothing more to hear */
}

/* ---- the end ---- */

static void release_post(struct op *op)
{
    struct remote_mcp_post *post = container_of(op, struct remote_mcp_post, op);
    post->result = post->error = NULL;
    arena_fini(&post->arena);
}

static void finish(struct remote_mcp_post *post, const struct err *err)
{
    op_release(&post->http.op);
    op_release(&post->delay.op);
    op_release(&post->token.op);
    sse_read_fini(&post->sse);
    buf_fini(&post->text);
    buf_fini(&post->last_id);
    op_finish_err(&post->op, err);
}

/* The body of a refusal may hold an error of the protocol's, for a request without a known id. */
static void take_refusal(struct remote_mcp_post *post)
{
    const struct json_value *root =
        json_value_parse(&post->arena, arena_str(&post->arena, buf_str(&post->text)), NULL, NULL);
    const struct json_value *error = json_value_member(root, STR("error"));
    if (error == NULL || error->type != JSON_OBJECT || post->has_answer)
        return;
    post->error = error;
    post->has_answer = true;
}

static void judge(struct remote_mcp_post *post, const struct err *failed)
{
    struct err err = {0};
    bool is_fine = post->status >= 200 && post->status < 300;
    if (post->has_answer || (post->id == 0 && is_fine)) {
        finish(post, &err);
        return;
    }
    if (failed->code == ERR_CANCELLED && !post->is_cancelled)
        err_set(&err, ERR_TOO_LARGE, "the server's answer is over the limit");
    else if (failed->code != ERR_OK)
        err = *failed;
    else if (post->status == 401 || post->status == 403)
        err_set(&err, ERR_UNAVAILABLE,
                post->place->oauth != NULL
                    ? "the server refuses the token of its issuer (HTTP %d)"
                    : "the server refuses the key of the file, or wants somebody to sign in "
                      "(HTTP %d)",
                post->status);
    else if (!is_fine)
        err_set(&err, ERR_UNAVAILABLE, "the server answered HTTP %d", post->status);
    else
        err_set(&err, ERR_PROTOCOL, "the server's answer holds no answer to the request");
    finish(post, &err);
}

static bool may_join(const struct remote_mcp_post *post)
{
    return post->is_stream && !post->has_answer && !post->is_cancelled && post->id != 0 &&
           buf_len(&post->last_id) > 0 && buf_ok(&post->last_id) && post->joins < MOST_JOINS;
}

/* Whether another token may help. */
static bool lacks_token(struct remote_mcp_post *post)
{
    bool is_refused = post->status == 401;
    if (post->place->oauth == NULL || post->ends_session || post->is_cancelled ||
        post->refusals == MOST_REFUSALS)
        return false;
    if (post->status == 403)
        is_refused =
            str_equal(remote_oauth_wire_challenge(str_of(post->challenge), &post->arena).error,
                      STR("insufficient_scope"));
    return is_refused;
}

static void authorize(struct remote_mcp_post *post)
{
    op_release(&post->http.op);
    op_release(&post->token.op);
    post->token.challenge = str_of(post->challenge);
    post->token.refused = post->number;
    remote_oauth_get_start(&post->token, post->place->oauth,
                           (struct op_waiter){.done = on_authorized, .owner = post});
}

static void on_answered(struct op *op)
{
    struct remote_mcp_post *post = op_owner(op);
    struct err err = op->err;
    if (post->joins == 0 || post->http.status != 0)
        post->status = post->http.status;
    if (err.code == ERR_OK && lacks_token(post)) {
        post->refusals++;
        authorize(post);
        return;
    }
    if (post->said_session[0] != '\0')
        snprintf(post->session, sizeof post->session, "%s", post->said_session);
    if (!post->is_stream && buf_len(&post->text) > 0) {
        take_text(post, buf_str(&post->text));
        take_refusal(post);
    }
    bool is_broken = err.code == ERR_OK || err.code == ERR_UNAVAILABLE || err.code == ERR_PROTOCOL;
    if (is_broken && may_join(post)) {
        uint64_t wait_ms = post->sse.retry_ms != 0 ? post->sse.retry_ms : FIRST_JOIN_MS;
        op_release(&post->http.op);
        delay_start(&post->delay, post->op.loop, wait_ms < MOST_JOIN_MS ? wait_ms : MOST_JOIN_MS,
                    (struct op_waiter){.done = on_waited, .owner = post});
        return;
    }
    judge(post, &err);
}

/* ---- the request ---- */

static void add_header(struct remote_mcp_post *post, size_t *count, const char *name,
                       struct str value)
{
    if (value.len > 0 && *count < REMOTE_MCP_POST_HEADERS)
        post->headers[(*count)++] = (struct http_header){str_of(name), value};
}

/* The file's headers are texts alone: its places are variables, filled in when it was read. */
static struct str write_header(struct remote_mcp_post *post, const struct remote_file_pair *pair)
{
    static const struct identity nobody;
    struct buf value;
    buf_init(&value, BODY_ROOM);
    bool is_fine = remote_file_write(&pair->value, NULL, &nobody, false, &value) && buf_ok(&value);
    struct str kept = is_fine ? arena_str(&post->arena, buf_str(&value)) : STR("");
    buf_fini(&value);
    return kept;
}

static size_t write_headers(struct remote_mcp_post *post, bool joins)
{
    const struct remote_mcp_place *place = post->place;
    size_t count = 0;
    add_header(post, &count, "Accept",
               joins ? STR("text/event-stream") : STR("application/json, text/event-stream"));
    add_header(post, &count, "MCP-Protocol-Version", str_of(place->version));
    add_header(post, &count, "Mcp-Session-Id", str_of(place->session));
    if (joins)
        add_header(post, &count, "Last-Event-ID", arena_str(&post->arena, buf_str(&post->last_id)));
    else
        add_header(post, &count, "Content-Type", STR("application/json"));
    if (place->oauth != NULL) {
        post->number = remote_oauth_number(place->oauth);
        add_header(post, &count, "Authorization", remote_oauth_header(place->oauth));
    }
    if (place->is_stateless && post->method != NULL)
        add_header(post, &count, "Mcp-Method", str_of(post->method));
    if (place->is_stateless && post->name != NULL)
        add_header(post, &count, "Mcp-Name", str_of(post->name));
    for (size_t i = 0; i < post->more_count && count < REMOTE_MCP_POST_HEADERS; i++)
        post->headers[count++] = post->more[i];
    for (size_t i = 0; i < place->server->reach.header_count && arena_ok(&post->arena); i++) {
        const struct remote_file_pair *pair = &place->server->reach.headers[i];
        char *name = arena_cstr(&post->arena, pair->name);
        if (name != NULL)
            add_header(post, &count, name, write_header(post, pair));
    }
    return count;
}

static void send(struct remote_mcp_post *post, bool joins)
{
    const struct remote_file_reach *reach = &post->place->server->reach;
    uint64_t spent = loop_now_ms(post->op.loop) - post->began_ms;
    uint64_t most_ms = post->ends_session ? FAREWELL_MS : reach->timeout_ms;
    bool has_body = !joins && !post->ends_session;
    const struct http_call_options options = {
        .url = post->place->server->url,
        .method = joins                ? "GET"
                  : post->ends_session ? "DELETE"
                                       : "POST",
        .headers = post->headers,
        .header_count = write_headers(post, joins),
        .body = has_body ? post->body : (struct str){NULL, 0},
        .connect_ms = CONNECT_MS,
        .total_ms = spent < most_ms ? most_ms - spent : 1,
        .max_body_bytes = reach->max_bytes,
        .wanted = {{"mcp-session-id", post->said_session, sizeof post->said_session},
                   {"www-authenticate", post->challenge, sizeof post->challenge}},
        .only_public = !reach->is_private,
    };
    http_call_start(&post->http, post->place->client, &options, on_head, on_body,
                    (struct op_waiter){.done = on_answered, .owner = post});
}

static void on_waited(struct op *op)
{
    struct remote_mcp_post *post = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (err.code != ERR_OK) {
        finish(post, &err);
        return;
    }
    post->joins++;
    post->is_stream = false;
    sse_read_reset(&post->sse);
    send(post, true);
}

/* Send the message, as if it had never been sent; where it was the way back to its answer that was
 * refused, the message is there already, and only that is asked again. */
static void on_authorized(struct op *op)
{
    struct remote_mcp_post *post = op_owner(op);
    struct err err = op->err;
    if (err.code != ERR_OK || post->is_cancelled) {
        if (err.code == ERR_OK)
            err_set(&err, ERR_CANCELLED, "the message was cancelled");
        finish(post, &err);
        return;
    }
    const bool joins = post->joins > 0;
    post->is_stream = false;
    buf_clear(&post->text);
    if (!joins)
        buf_clear(&post->last_id);
    sse_read_reset(&post->sse);
    send(post, joins);
}

static void cancel_post(struct op *op)
{
    struct remote_mcp_post *post = container_of(op, struct remote_mcp_post, op);
    post->is_cancelled = true;
    op_cancel(&post->http.op);
    op_cancel(&post->delay.op);
    op_cancel(&post->token.op);
}

static const struct op_kind post_kind = {
    .name = "mcp.post", .cancel = cancel_post, .release = release_post};

void remote_mcp_post_start(struct remote_mcp_post *post, struct loop *loop, struct op_waiter waiter)
{
    op_begin(&post->op, &post_kind, loop, waiter);
    arena_init(&post->arena, ARENA_BYTES);
    buf_init(&post->text, post->place->server->reach.max_bytes + BODY_ROOM);
    buf_init(&post->last_id, ID_BYTES);
    post->began_ms = loop_now_ms(loop);
    post->result = post->error = NULL;
    post->status = 0;
    post->session[0] = '\0';
    post->joins = 0;
    post->is_stream = post->is_cancelled = post->has_answer = false;
    const struct sse_limits limits = {post->place->server->reach.max_bytes,
                                      post->place->server->reach.max_bytes};
    sse_read_init(&post->sse, &limits, on_event, post);
    post->challenge[0] = '\0';
    post->refusals = 0;
    if (post->place->oauth != NULL && remote_oauth_is_over(post->place->oauth)) {
        post->number = remote_oauth_number(post->place->oauth);
        authorize(post);
    } else {
        send(post, false);
    }
}

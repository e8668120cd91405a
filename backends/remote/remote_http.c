/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_http.c - templates filled in, one request, its answer as a text.
 *
 * Happy path: address, headers and body are written from the arguments; the answer's body, or what
 * the tool's JSON pointer finds in it, is the text. Failure paths:
 * - arguments that make no request: ERR_INVALID before anything is sent;
 * - an address that is not allowed: ERR_DENIED;
 * - a failure that passes (no connection, 408, 429, 5xx): again after a wait, where the tool may be
 *   called again, at most as often as its file says and within its time;
 * - any other status but 2xx: a text that says so, is_error. */
#include "backends/remote/remote_http.h"

#include <stdio.h>

#include "core/base/mem.h"
#include "core/loop/backoff.h"
#include "core/loop/delay.h"
#include "proto/json_write.h"
#include "proto/url.h"

enum { ARENA_BYTES = 32 << 20, URL_BYTES = 8192, BODY_BYTES = 1 << 20, HEADERS = 40 };
enum { CONNECT_MS = 10000, BASE_MS = 250, MOST_WAIT_MS = 5000, KEPT_ERROR = 2000 };

struct attempt {
    struct remote_call *call;
    struct loop *loop;
    struct http_client *client;
    struct remote_file *file; /* a reference */
    const struct remote_file_http *tool;
    const struct json_value *arguments;
    struct arena arena;
    struct http_call http;
    struct delay delay;
    struct http_header headers[HEADERS];
    size_t header_count;
    struct str url, body;
    struct buf answer;
    uint64_t began_ms;
    unsigned attempts;
    bool is_cancelled;
};

/* ---- the request ---- */

/* The address: each argument is one segment of a path, or a part of one. */
static enum err_code write_url(struct attempt *a, struct err *err)
{
    const struct remote_file_template *from = &a->tool->url;
    char separator = '?';
    struct buf url;
    bool is_fine = true;
    buf_init(&url, URL_BYTES);
    for (size_t i = 0; i < from->count && is_fine; i++) {
        size_t before = buf_len(&url);
        const struct remote_file_template one = {&from->pieces[i], 1};
        struct buf plain;
        buf_init(&plain, URL_BYTES);
        is_fine =
            remote_file_write(&one, a->arguments, &a->call->caller, false, &plain) &&
            (from->pieces[i].kind == REMOTE_FILE_TEXT || remote_url_is_segment(buf_str(&plain)));
        if (is_fine && from->pieces[i].kind == REMOTE_FILE_TEXT)
            buf_push(&url, buf_str(&plain));
        else if (is_fine)
            url_encode(&url, buf_str(&plain));
        is_fine = is_fine && buf_ok(&plain) && buf_len(&url) > before;
        buf_fini(&plain);
    }
    if (str_find_char(buf_str(&url), '?') != STR_NONE)
        separator = '&';
    for (size_t i = 0; i < a->tool->query_count && is_fine; i++) {
        size_t before = buf_len(&url);
        buf_push_char(&url, separator);
        url_encode(&url, a->tool->query[i].name);
        buf_push_char(&url, '=');
        if (remote_file_write(&a->tool->query[i].value, a->arguments, &a->call->caller, true, &url))
            separator = '&';
        else
            buf_truncate(&url, before); /* an argument that was not given */
    }
    const char *kept = is_fine && buf_ok(&url) ? arena_cstr(&a->arena, buf_str(&url)) : NULL;
    a->url = str_of(kept == NULL ? "" : kept);
    buf_fini(&url);
    if (a->url.len == 0)
        return err_set(err, ERR_INVALID,
                       "an argument cannot be part of the tool's address: it is empty, too long, "
                       "or holds a slash");
    return remote_file_allows(a->file, a->url)
               ? ERR_OK
               : err_set(err, ERR_DENIED, "the address that the arguments make is not allowed");
}

static bool is_plain(struct str value)
{
    for (size_t i = 0; i < value.len; i++)
        if ((unsigned char)value.at[i] < ' ' || (unsigned char)value.at[i] == 0x7f)
            return false;
    return true;
}

static bool add_header(struct attempt *a, struct str name, struct str value)
{
    if (a->header_count == HEADERS || !is_plain(value))
        return false;
    a->headers[a->header_count++] = (struct http_header){name, value};
    return true;
}

static enum err_code write_headers(struct attempt *a, struct err *err)
{
    bool is_fine = add_header(a, STR("Accept"), STR("application/json, text/*;q=0.9, */*;q=0.1"));
    if (a->tool->body != NULL)
        is_fine = is_fine && add_header(a, STR("Content-Type"), STR("application/json"));
    if (!a->tool->tool.reads && a->call->key.len > 0)
        is_fine = is_fine && add_header(a, STR("Idempotency-Key"), a->call->key);
    for (size_t i = 0; i < a->tool->reach.header_count && is_fine; i++) {
        const struct remote_file_pair *pair = &a->tool->reach.headers[i];
        struct buf value;
        buf_init(&value, URL_BYTES);
        is_fine = remote_file_write(&pair->value, NULL, &a->call->caller, false, &value) &&
                  buf_ok(&value) &&
                  add_header(a, pair->name, arena_str(&a->arena, buf_str(&value)));
        buf_fini(&value);
    }
    return is_fine ? ERR_OK
                   : err_set(err, ERR_INVALID,
                             "a header of the tool cannot be written for this caller");
}

/* A text that is one place alone is the argument itself, whatever its type; every other one is a
 * template. Absent arguments leave their member out. */
static bool write_body(const struct attempt *a, const struct json_value *value,
                       struct json_write *json)
{
    if (value->type == JSON_OBJECT || value->type == JSON_ARRAY) {
        bool is_object = value->type == JSON_OBJECT;
        is_object ? json_write_object(json) : json_write_array(json);
        JSON_EACH(item, value) {
            struct str text = item->type == JSON_STRING ? item->text : STR("");
            bool is_place = text.len > 2 && text.at[0] == '{' && text.at[text.len - 1] == '}' &&
                            str_find_char(str_from(text, 1), '{') == STR_NONE;
            struct str name = is_place ? str_slice(text, 1, text.len - 1) : STR("");
            bool is_argument = is_place && !str_starts_with(name, STR("caller."));
            const struct json_value *argument = json_value_member(a->arguments, name);
            if (is_argument && argument == NULL)
                continue;
            if (is_object)
                json_write_key(json, item->key);
            if (is_argument)
                json_value_write(argument, json);
            else if (!write_body(a, item, json))
                return false;
        }
        is_object ? json_write_object_end(json) : json_write_array_end(json);
        return true;
    }
    if (value->type != JSON_STRING) {
        json_value_write(value, json);
        return true;
    }
    struct buf text;
    buf_init(&text, BODY_BYTES);
    bool is_fine = remote_file_fill(value->text, a->arguments, &a->call->caller, &text);
    if (is_fine)
        json_write_str(json, buf_str(&text));
    is_fine = is_fine && buf_ok(&text);
    buf_fini(&text);
    return is_fine;
}

static enum err_code prepare(struct attempt *a, struct err *err)
{
    a->arguments = json_value_parse(&a->arena, a->call->arguments, NULL, err);
    if (a->arguments == NULL)
        return err->code;
    enum err_code code = write_url(a, err);
    if (code == ERR_OK)
        code = write_headers(a, err);
    if (code != ERR_OK || a->tool->body == NULL)
        return code;
    struct json_write json;
    struct buf body;
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    if (!write_body(a, a->tool->body, &json) || !buf_ok(&body))
        code = err_set(err, ERR_INVALID, "the tool's body cannot be written from the arguments");
    else
        a->body = arena_str(&a->arena, buf_str(&body));
    buf_fini(&body);
    return code == ERR_OK && !arena_ok(&a->arena)
               ? err_set(err, ERR_NO_MEMORY, "no memory for a call")
               : code;
}

/* ---- the end ---- */

static void release_call(struct op *op)
{
    struct remote_call *call = container_of(op, struct remote_call, op);
    struct attempt *a = call->impl;
    if (a == NULL)
        return;
    call->impl = NULL;
    call->text = (struct str){NULL, 0};
    buf_fini(&a->answer);
    arena_fini(&a->arena);
    remote_file_unref(a->file);
    mem_free(a);
}

static void finish(struct attempt *a, const struct err *err)
{
    op_release(&a->http.op);
    op_release(&a->delay.op);
    op_finish_err(&a->call->op, err);
}

static void say(struct attempt *a, struct str text, bool is_error)
{
    struct err err = {0};
    a->call->text = text;
    a->call->is_error = is_error;
    if (str_is_absent(text))
        err_set(&err, ERR_NO_MEMORY, "no memory for what the tool said");
    finish(a, &err);
}

/* What the pointer of the file finds in the answer. */
static void say_part(struct attempt *a)
{
    struct json_write writer;
    struct buf out;
    const struct json_value *root = json_value_parse(&a->arena, buf_str(&a->answer), NULL, NULL);
    const struct json_value *part = json_value_find(root, a->tool->result);
    if (part == NULL) {
        say(a, arena_printf(&a->arena, "The answer has nothing at %s.", a->tool->result), true);
        return;
    }
    buf_init(&out, a->tool->reach.max_bytes * 6 + 64);
    json_write_init(&writer, &out);
    json_value_write(part, &writer);
    say(a,
        part->type == JSON_STRING ? part->text
        : buf_ok(&out)            ? arena_str(&a->arena, buf_str(&out))
                                  : (struct str){NULL, 0},
        false);
    buf_fini(&out);
}

static void say_answer(struct attempt *a)
{
    struct str text = buf_str(&a->answer);
    int status = a->http.status;
    if (!str_is_utf8(text))
        say(a, STR("The answer is no text."), true);
    else if (status >= 300 && status < 400)
        say(a, arena_printf(&a->arena, "HTTP %d: redirects are not followed.", status), true);
    else if (status < 200 || status >= 400)
        say(a,
            arena_printf(&a->arena, "HTTP %d: %.*s", status,
                         STR_ARG(str_utf8_prefix(text, KEPT_ERROR))),
            true);
    else if (a->tool->result != NULL && a->tool->result[0] != '\0')
        say_part(a);
    else
        say(a, text.len == 0 ? STR("(done)") : text, false);
}

/* ---- attempts ---- */

static op_fn on_answered, on_waited;

static void on_body(struct http_call *http, struct str bytes)
{
    struct attempt *a = op_owner(&http->op);
    buf_push(&a->answer, bytes);
}

static uint64_t left_ms(const struct attempt *a)
{
    uint64_t spent = loop_now_ms(a->loop) - a->began_ms;
    return spent < a->tool->reach.timeout_ms ? a->tool->reach.timeout_ms - spent : 1;
}

static void send(struct attempt *a)
{
    const struct http_call_options options = {
        .url = a->url.at,
        .method = a->tool->method,
        .headers = a->headers,
        .header_count = a->header_count,
        .body = a->body,
        .connect_ms = CONNECT_MS,
        .total_ms = left_ms(a),
        .max_body_bytes = a->tool->reach.max_bytes,
        .only_public = !a->tool->reach.is_private,
    };
    a->attempts++;
    buf_clear(&a->answer);
    http_call_start(&a->http, a->client, &options, NULL, on_body,
                    (struct op_waiter){.done = on_answered, .owner = a});
}

/* Whether the failure may have passed when it is tried again. */
static bool is_passing(const struct attempt *a)
{
    int status = a->http.status;
    if (a->http.op.err.code != ERR_OK)
        return a->http.op.err.code == ERR_UNAVAILABLE || a->http.op.err.code == ERR_PROTOCOL;
    return status == 408 || status == 429 || status >= 500;
}

static void on_answered(struct op *op)
{
    struct attempt *a = op_owner(op);
    const struct backoff backoff = backoff_of(a->tool->retries + 1, BASE_MS, MOST_WAIT_MS);
    if (!a->is_cancelled && is_passing(a) && a->attempts <= a->tool->retries) {
        uint64_t wait_ms = backoff_wait_ms(&backoff, a->attempts, a->http.retry_after_ms);
        if (wait_ms < left_ms(a)) {
            op_release(&a->http.op);
            delay_start(&a->delay, a->loop, wait_ms,
                        (struct op_waiter){.done = on_waited, .owner = a});
            return;
        }
    }
    if (op->err.code != ERR_OK) {
        struct err err = op->err;
        finish(a, &err);
        return;
    }
    if (buf_ok(&a->answer))
        say_answer(a);
    else
        say(a, (struct str){NULL, 0}, true);
}

static void on_waited(struct op *op)
{
    struct attempt *a = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK)
        send(a);
    else
        finish(a, &err);
}

static void cancel_call(struct op *op)
{
    struct attempt *a = container_of(op, struct remote_call, op)->impl;
    if (a == NULL)
        return;
    a->is_cancelled = true;
    op_cancel(&a->http.op);
    op_cancel(&a->delay.op);
}

static const struct op_kind call_kind = {
    .name = "remote.call", .cancel = cancel_call, .release = release_call};

void remote_http_start(struct remote_call *call, struct loop *loop, struct http_client *client,
                       struct remote_file *file, const struct remote_file_http *tool,
                       struct op_waiter waiter)
{
    struct err err = {0};
    struct attempt *a = mem_zalloc(1, sizeof *a);
    op_begin(&call->op, &call_kind, loop, waiter);
    call->text = (struct str){NULL, 0};
    call->is_error = false;
    call->impl = a;
    if (a == NULL) {
        op_finish(&call->op, ERR_NO_MEMORY, "no memory for a call");
        return;
    }
    a->call = call;
    a->loop = loop;
    a->client = client;
    a->file = remote_file_ref(file);
    a->tool = tool;
    a->began_ms = loop_now_ms(loop);
    arena_init(&a->arena, ARENA_BYTES);
    buf_init(&a->answer, tool->reach.max_bytes + 1);
    if (prepare(a, &err) == ERR_OK)
        send(a);
    else
        op_finish_err(&call->op, &err);
}

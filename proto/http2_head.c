/* SPDX-License-Identifier: MIT */
/* proto/http2_head.c - pseudo-headers into one buf, header lines as HTTP/1 has them into another.
 *
 * Happy path: :method, :scheme, :path and :authority come first, then lower-case names; :authority
 * becomes the Host line that every reader of headers knows.
 * Failure paths, the first one with its HTTP status and a sentence: a pseudo-header that is
 * unknown, double, late or missing, a name or value that HTTP/1 could not carry, headers about the
 * connection, Host beside another :authority (400); too long a target (414), too many or too long
 * fields (431), a body that is announced as too long (413), an expectation (417), an unknown method
 * (501), no memory (503). */
#include "proto/http2_head.h"

#include "proto/http_head.h"

/* problem is static; the first one stays. */
static void fail(struct http2_head *head, int status, const char *problem)
{
    if (head->status != 0)
        return;
    head->status = status;
    head->problem = problem;
}

static enum err_code code_of(int status)
{
    switch (status) {
    case 0:
        return ERR_OK;
    case 413:
    case 414:
    case 431:
        return ERR_TOO_LARGE;
    case 503:
        return ERR_NO_MEMORY;
    default:
        return status == 400 ? ERR_INVALID : ERR_REJECTED;
    }
}

static size_t or_default(size_t value, size_t otherwise)
{
    return value == 0 ? otherwise : value;
}

void http2_head_init(struct http2_head *head, const struct http_limits *limits)
{
    *head = (struct http2_head){
        .length = UINT64_MAX,
        .limits = {.target_bytes = or_default(limits->target_bytes, 8 * 1024),
                   .head_bytes = or_default(limits->head_bytes, 32 * 1024),
                   .header_count = or_default(limits->header_count, 100),
                   .body_bytes = or_default(limits->body_bytes, 1024 * 1024)},
    };
    buf_init(&head->pseudo, head->limits.head_bytes);
    buf_init(&head->fields, head->limits.head_bytes);
}

void http2_head_fini(struct http2_head *head)
{
    buf_fini(&head->pseudo);
    buf_fini(&head->fields);
    head->request = (struct http_request){0};
}

size_t http2_head_size(const struct http2_head *head)
{
    return head->size;
}

int http2_head_status(const struct http2_head *head)
{
    return head->status;
}

/* ---- one field ---- */

static struct str view(const struct http2_head *head, struct http2_head_span span)
{
    return str_slice(buf_str(&head->pseudo), span.at, span.at + span.len);
}

static struct http2_head_span *pseudo_of(struct http2_head *head, struct str name)
{
    return str_equal(name, STR(":method"))      ? &head->method
           : str_equal(name, STR(":scheme"))    ? &head->scheme
           : str_equal(name, STR(":path"))      ? &head->target
           : str_equal(name, STR(":authority")) ? &head->authority
                                                : NULL;
}

static void take_pseudo(struct http2_head *head, struct str name, struct str value)
{
    struct http2_head_span *span = pseudo_of(head, name);
    if (span == NULL) {
        fail(head, 400, "expected no pseudo-header but :method, :scheme, :authority and :path");
    } else if (head->is_late) {
        fail(head, 400, "expected pseudo-headers before all other headers");
    } else if (span->is_given) {
        fail(head, 400, "expected each pseudo-header once");
    } else if (span == &head->target && value.len > head->limits.target_bytes) {
        fail(head, 414, "the target is too long");
    } else {
        *span = (struct http2_head_span){buf_len(&head->pseudo), value.len, true};
        buf_push(&head->pseudo, value);
    }
}

static bool is_lower(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.at[i] >= 'A' && name.at[i] <= 'Z')
            return false;
    return true;
}

static bool is_value(struct str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.at[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F)
            return false;
    }
    return str_equal(str_trim(value), value);
}

/* Headers that speak of an HTTP/1 connection (RFC 9113, 8.2.2). */
static bool is_of_connection(struct str name, struct str value)
{
    static const char *const names[] = {"connection", "proxy-connection", "keep-alive",
                                        "transfer-encoding", "upgrade"};
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(name, str_of(names[i])))
            return true;
    return str_equal(name, STR("te")) && !str_equal_nocase(value, STR("trailers"));
}

static void push_line(struct http2_head *head, struct str name, struct str value)
{
    buf_push(&head->fields, name);
    buf_push(&head->fields, STR(": "));
    buf_push(&head->fields, value);
    buf_push(&head->fields, STR("\r\n"));
}

/* With an :authority, Host says the same and is not said twice. */
static void take_host(struct http2_head *head, struct str value)
{
    if (head->has_host)
        fail(head, 400, "expected exactly one Host");
    else if (!head->authority.is_given)
        push_line(head, STR("host"), value);
    else if (!str_equal_nocase(view(head, head->authority), value))
        fail(head, 400, "expected the same in Host as in :authority");
    head->has_host = true;
}

static void take_length(struct http2_head *head, struct str value)
{
    if (head->length != UINT64_MAX)
        fail(head, 400, "expected exactly one Content-Length");
    for (size_t i = 0; i < value.len; i++)
        if (!str_is_digit(value.at[i]))
            fail(head, 400, "expected decimal digits in Content-Length");
    if (value.len == 0)
        fail(head, 400, "expected decimal digits in Content-Length");
    else if (!str_to_u64(value, &head->length) || head->length > head->limits.body_bytes)
        fail(head, 413, "the body is too long");
}

static void take_field(struct http2_head *head, struct str name, struct str value)
{
    if (!http_head_is_token(name) || !is_lower(name)) {
        fail(head, 400, "expected a header name of lower-case token characters");
    } else if (!is_value(value)) {
        fail(head, 400,
             "a control character or a blank at an end of a header value is not "
             "accepted");
    } else if (is_of_connection(name, value)) {
        fail(head, 400, "a header about the connection is not accepted in HTTP/2");
    } else if (str_equal(name, STR("host"))) {
        take_host(head, value);
    } else {
        if (str_equal(name, STR("content-length")))
            take_length(head, value);
        if (str_equal(name, STR("expect")) && !str_equal_nocase(value, STR("100-continue")))
            fail(head, 417, "expected nothing but 100-continue in Expect");
        head->request.expect_continue |= str_equal(name, STR("expect"));
        push_line(head, name, value);
    }
}

void http2_head_take(struct http2_head *head, struct str name, struct str value)
{
    const size_t room = head->limits.head_bytes;
    head->size += name.len + value.len + HTTP2_HEAD_FIELD_BYTES;
    head->count++;
    if (head->size > room)
        fail(head, 431, "the headers are too long");
    if (head->count > head->limits.header_count)
        fail(head, 431, "too many headers");
    if (head->status != 0)
        return;
    if (name.len > 0 && name.at[0] == ':') {
        take_pseudo(head, name, value);
    } else {
        head->is_late = true;
        take_field(head, name, value);
    }
}

/* ---- all of them ---- */

static bool is_visible(struct str target)
{
    for (size_t i = 0; i < target.len; i++) {
        unsigned char c = (unsigned char)target.at[i];
        if (c <= 0x20 || c >= 0x7F || c == '#')
            return false;
    }
    return true;
}

static void judge_target(struct http2_head *head)
{
    struct http_request *request = &head->request;
    struct str target = view(head, head->target);
    struct str scheme = view(head, head->scheme);
    bool is_star = request->method == HTTP_METHOD_OPTIONS && str_equal(target, STR("*"));
    if (!head->scheme.is_given || !head->target.is_given)
        fail(head, 400, "expected :method, :scheme and :path");
    else if (!str_equal_nocase(scheme, STR("http")) && !str_equal_nocase(scheme, STR("https")))
        fail(head, 400, "expected http or https as :scheme");
    else if (!str_starts_with(target, STR("/")) && !is_star)
        fail(head, 400, "expected a :path that begins with '/'");
    else if (!is_visible(target))
        fail(head, 400, "expected a :path of visible ASCII characters without '#'");
    request->target = target;
    http_target_split(target, &request->path, &request->query);
}

static void judge_host(struct http2_head *head)
{
    struct http_request *request = &head->request;
    if (head->authority.is_given)
        push_line(head, STR("host"), view(head, head->authority));
    request->fields = buf_str(&head->fields);
    request->host = http_request_header(request, STR("host"));
    if (str_is_absent(request->host))
        fail(head, 400, "expected :authority or Host");
    else if (!http_target_is_host(request->host))
        fail(head, 400, "expected a host name with an optional port in :authority");
}

enum err_code http2_head_end(struct http2_head *head, bool is_whole, struct err *err)
{
    struct http_request *request = &head->request;
    request->method_text = view(head, head->method);
    request->version_minor = 1;
    request->keep_alive = true;
    request->has_body = !is_whole && head->length != 0;
    if (!buf_ok(&head->pseudo) || !buf_ok(&head->fields))
        fail(head, 503, "no memory for the headers");
    if (head->status == 0 && !head->method.is_given)
        fail(head, 400, "expected :method, :scheme and :path");
    if (head->status == 0 && !http_target_method(request->method_text, &request->method))
        fail(head, 501, "expected a method that HTTP defines");
    if (head->status == 0)
        judge_target(head);
    if (head->status == 0)
        judge_host(head);
    if (!buf_ok(&head->fields))
        fail(head, 503, "no memory for the headers");
    return head->status == 0 ? ERR_OK : err_set(err, code_of(head->status), "%s", head->problem);
}

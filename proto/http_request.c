/* SPDX-License-Identifier: MIT */
/* proto/http_request.c - head into a buf, checks on the whole head, then the body, with llhttp
 * reading the same bytes.
 *
 * Happy path: http_head finds the end of the head; method, target and the headers that frame the
 * message are judged; llhttp reads the head in one call and must come to the same framing;
 * http_body finds the end of the body and llhttp hands out its content.
 * Failure paths:
 * - a scanner refuses a byte: its status and sentence;
 * - the head is well-formed but wrong (Host, framing, method, expectation): 400, 413, 417, an
 *   unknown method 501;
 * - llhttp refuses or ends elsewhere: 400;
 * - no memory: 503. All are final. */
#include "proto/http_request.h"

#include <llhttp.h>

enum { KEEP_HEAD_BYTES = 4096, KEEP_BODY_BYTES = 16 * 1024 };

_Static_assert(sizeof(llhttp_t) <= HTTP_REQUEST_MACHINE_BYTES, "room for llhttp's state");

/* What the framing headers said, while they are being read. */
struct framing {
    unsigned hosts, lengths, codings;
    struct str length, coding;
};

static llhttp_t *machine_of(struct http_request_parser *parser)
{
    return (llhttp_t *)(void *)parser->machine;
}

/* problem is static. */
static enum err_code fail(struct http_request_parser *parser, int status, const char *problem)
{
    parser->code = status == 503                                     ? ERR_NO_MEMORY
                   : status == 413 || status == 414 || status == 431 ? ERR_TOO_LARGE
                   : status == 400                                   ? ERR_INVALID
                                                                     : ERR_REJECTED;
    parser->phase = HTTP_PHASE_FAILED;
    parser->status = status;
    parser->problem = problem;
    return parser->code;
}

/* llhttp's callbacks: content, the end of the head, the end of the message. */
static int on_body(llhttp_t *machine, const char *at, size_t len)
{
    struct http_request_parser *parser = machine->data;
    buf_push(&parser->body_bytes, str_make(at, len));
    return 0;
}

static int on_headers_complete(llhttp_t *machine)
{
    machine->upgrade = 0; /* we never change protocols: read the body as for any request */
    return 0;
}

static int on_message_complete(llhttp_t *machine)
{
    struct http_request_parser *parser = machine->data;
    parser->is_complete = true;
    return HPE_PAUSED;
}

/* Let llhttp read bytes, which the scanners have accepted; is_end: and end the message there. */
static enum err_code run_llhttp(struct http_request_parser *parser, struct str bytes, bool is_end)
{
    llhttp_t *machine = machine_of(parser);
    machine->data = parser;
    if (bytes.len == 0)
        return ERR_OK;
    llhttp_errno_t result = llhttp_execute(machine, bytes.at, bytes.len);
    bool ended_here = result == HPE_PAUSED && parser->is_complete &&
                      llhttp_get_error_pos(machine) == bytes.at + bytes.len;
    if (!buf_ok(&parser->body_bytes))
        return fail(parser, 503, "no memory for the body");
    if (is_end ? !ended_here : result != HPE_OK)
        return fail(parser, 400, "the request is not well-formed HTTP/1.1");
    return ERR_OK;
}

static void start_llhttp(struct http_request_parser *parser)
{
    static const llhttp_settings_t settings = {
        .on_headers_complete = on_headers_complete,
        .on_body = on_body,
        .on_message_complete = on_message_complete,
    };
    /* the settings are only read, but llhttp's prototype does not say so */
    llhttp_init(machine_of(parser), HTTP_REQUEST, (llhttp_settings_t *)(uintptr_t)&settings);
}

/* origin-form, absolute-form, "*" for OPTIONS, authority for CONNECT (RFC 9112, 3.2). */
static enum err_code take_target(struct http_request_parser *parser)
{
    struct http_request *request = &parser->request;
    struct str path = request->target;
    bool is_http = path.len > 7 && str_equal_nocase(str_slice(path, 0, 7), STR("http://"));
    bool is_https = path.len > 8 && str_equal_nocase(str_slice(path, 0, 8), STR("https://"));
    if (is_http || is_https) {
        struct str rest = str_from(path, is_http ? 7 : 8);
        size_t end = 0;
        while (end < rest.len && rest.at[end] != '/' && rest.at[end] != '?')
            end++;
        if (!http_target_is_host(str_slice(rest, 0, end)))
            return fail(parser, 400, "expected a host in the target");
        path = str_from(rest, end);
    }
    bool is_star = request->method == HTTP_METHOD_OPTIONS && str_equal(path, STR("*"));
    bool is_bare = (is_http || is_https) && (path.len == 0 || path.at[0] == '?');
    if (request->method == HTTP_METHOD_CONNECT) {
        if (!http_target_is_host(path))
            return fail(parser, 400, "expected a host and port after CONNECT");
    } else if (!str_starts_with(path, STR("/")) && !is_star && !is_bare) {
        return fail(parser, 400, "expected a target that begins with '/'");
    }
    http_target_split(path, &request->path, &request->query);
    return ERR_OK;
}

static enum err_code take_field(struct http_request_parser *parser, struct framing *framing,
                                struct str name, struct str value)
{
    if (str_equal_nocase(name, STR("host"))) {
        framing->hosts++;
        parser->request.host = value;
        if (!http_target_is_host(value))
            return fail(parser, 400, "expected a host name with an optional port in Host");
    } else if (str_equal_nocase(name, STR("content-length"))) {
        framing->lengths++;
        framing->length = value;
    } else if (str_equal_nocase(name, STR("transfer-encoding"))) {
        framing->codings++;
        framing->coding = value;
    } else if (str_equal_nocase(name, STR("expect"))) {
        if (!str_equal_nocase(value, STR("100-continue")))
            return fail(parser, 417, "expected nothing but 100-continue in Expect");
        parser->request.expect_continue = parser->request.version_minor == 1;
    }
    return ERR_OK;
}

static enum err_code judge_coding(struct http_request_parser *parser, const struct framing *framing)
{
    if (parser->request.version_minor == 0)
        return fail(parser, 400, "Transfer-Encoding is not accepted in HTTP/1.0");
    if (framing->lengths > 0)
        return fail(parser, 400, "Content-Length and Transfer-Encoding together are not accepted");
    if (framing->codings > 1 || framing->coding.len == 0)
        return fail(parser, 400, "expected exactly one Transfer-Encoding");
    if (!str_equal_nocase(framing->coding, STR("chunked"))) {
        struct str rest = framing->coding;
        while (!str_is_absent(rest)) /* "chunked, identity" is an attack, "gzip" is a wish */
            if (str_equal_nocase(str_trim(str_split(&rest, ',')), STR("chunked")))
                return fail(parser, 400, "expected 'chunked' alone in Transfer-Encoding");
        return fail(parser, 400, "expected no Transfer-Encoding but 'chunked'");
    }
    parser->is_chunked = true;
    return ERR_OK;
}

static enum err_code judge_length(struct http_request_parser *parser, const struct framing *framing)
{
    if (framing->lengths > 1)
        return fail(parser, 400, "expected exactly one Content-Length");
    for (size_t i = 0; i < framing->length.len; i++)
        if (!str_is_digit(framing->length.at[i]))
            return fail(parser, 400, "expected decimal digits in Content-Length");
    if (framing->length.len == 0)
        return fail(parser, 400, "expected decimal digits in Content-Length");
    if (!str_to_u64(framing->length, &parser->body_length) ||
        parser->body_length > parser->limits.body_bytes)
        return fail(parser, 413, "the body is too long");
    return ERR_OK;
}

static enum err_code take_fields(struct http_request_parser *parser)
{
    struct http_request *request = &parser->request;
    struct framing framing = {0};
    struct str name, value;
    size_t cursor = 0;
    while (http_head_next_field(request->fields, &cursor, &name, &value)) {
        enum err_code code = take_field(parser, &framing, name, value);
        if (code != ERR_OK)
            return code;
    }
    if (framing.hosts > 1 || (framing.hosts == 0 && request->version_minor == 1))
        return fail(parser, 400, "expected exactly one Host");
    request->keep_alive =
        request->version_minor == 1
            ? !http_request_has_token(request, STR("connection"), STR("close"))
            : http_request_has_token(request, STR("connection"), STR("keep-alive"));
    if (request->method == HTTP_METHOD_CONNECT)
        request->keep_alive = false; /* its sender believes in a tunnel */
    if (framing.codings > 0)
        return judge_coding(parser, &framing);
    return framing.lengths > 0 ? judge_length(parser, &framing) : ERR_OK;
}

static void complete(struct http_request_parser *parser)
{
    parser->request.body = buf_str(&parser->body_bytes);
    parser->phase = HTTP_PHASE_DONE;
}

/* The head is complete and well-formed: judge it, and let llhttp do the same. */
static enum err_code take_head(struct http_request_parser *parser)
{
    const struct http_head *head = &parser->head;
    struct str bytes = buf_str(&parser->head_bytes);
    struct http_request *request = &parser->request;
    request->method_text = str_slice(bytes, head->start, head->start + head->method_len);
    request->target = str_slice(bytes, head->target, head->target + head->target_len);
    request->fields = str_slice(bytes, head->fields, head->len - 2);
    request->version_minor = head->minor;
    if (!http_target_method(request->method_text, &request->method))
        return fail(parser, 501, "expected a method that HTTP defines");
    enum err_code code = take_target(parser);
    if (code == ERR_OK)
        code = take_fields(parser);
    if (code != ERR_OK)
        return code;
    if (parser->is_chunked)
        http_body_init_chunked(&parser->framing);
    else
        http_body_init_length(&parser->framing, parser->body_length);
    request->has_body = parser->is_chunked || parser->body_length > 0;
    bool is_end = parser->framing.state == HTTP_BODY_DONE;
    start_llhttp(parser);
    code = run_llhttp(parser, str_from(bytes, head->start), is_end);
    if (code != ERR_OK)
        return code;
    if (machine_of(parser)->content_length != parser->body_length && !is_end)
        return fail(parser, 400, "the request is not well-formed HTTP/1.1");
    parser->phase = HTTP_PHASE_BODY;
    if (is_end)
        complete(parser);
    return ERR_OK;
}

static enum err_code feed_head(struct http_request_parser *parser, struct str bytes, size_t *taken)
{
    const struct http_head_limits limits = {parser->limits.target_bytes, parser->limits.head_bytes,
                                            parser->limits.header_count};
    *taken = http_head_feed(&parser->head, &limits, bytes);
    buf_push(&parser->head_bytes, str_slice(bytes, 0, *taken));
    if (parser->head.state > HTTP_HEAD_START_LF)
        parser->phase = HTTP_PHASE_HEAD;
    if (parser->head.state == HTTP_HEAD_FAILED)
        return fail(parser, parser->head.status, parser->head.problem);
    if (!buf_ok(&parser->head_bytes))
        return fail(parser, 503, "no memory for the head");
    return parser->head.state == HTTP_HEAD_DONE ? take_head(parser) : ERR_OK;
}

static enum err_code feed_body(struct http_request_parser *parser, struct str bytes, size_t *taken)
{
    const struct http_body_limits limits = {
        parser->body_most,
        parser->limits.overhead_bytes,
        {parser->limits.target_bytes, parser->limits.head_bytes, parser->limits.header_count},
    };
    *taken = http_body_feed(&parser->framing, &limits, bytes);
    bool is_end = parser->framing.state == HTTP_BODY_DONE;
    enum err_code code = run_llhttp(parser, str_slice(bytes, 0, *taken), is_end);
    if (code != ERR_OK)
        return code;
    if (parser->framing.state == HTTP_BODY_FAILED)
        return fail(parser, parser->framing.status, parser->framing.problem);
    if (is_end)
        complete(parser);
    return ERR_OK;
}

static size_t or_default(size_t value, size_t otherwise)
{
    return value == 0 ? otherwise : value;
}

static void start_request(struct http_request_parser *parser)
{
    parser->request = (struct http_request){0};
    parser->phase = HTTP_PHASE_IDLE;
    parser->body_length = 0;
    parser->body_most = parser->limits.body_bytes;
    parser->is_chunked = parser->is_complete = false;
    http_head_init(&parser->head);
}

void http_request_init(struct http_request_parser *parser, const struct http_limits *limits)
{
    struct http_limits own = limits == NULL ? (struct http_limits){0} : *limits;
    *parser = (struct http_request_parser){
        .limits =
            {
                .target_bytes = or_default(own.target_bytes, 8 * 1024),
                .head_bytes = or_default(own.head_bytes, 32 * 1024),
                .header_count = or_default(own.header_count, 100),
                .body_bytes = or_default(own.body_bytes, 1024 * 1024),
                .overhead_bytes = or_default(own.overhead_bytes, 64 * 1024),
            },
    };
    buf_init(&parser->head_bytes, parser->limits.head_bytes);
    buf_init(&parser->body_bytes, parser->limits.body_bytes);
    start_request(parser);
}

void http_request_fini(struct http_request_parser *parser)
{
    buf_fini(&parser->head_bytes);
    buf_fini(&parser->body_bytes);
    start_request(parser);
}

static void empty_buf(struct buf *buf, size_t keep)
{
    if (buf->cap > keep)
        buf_fini(buf);
    else
        buf_clear(buf);
}

void http_request_reset(struct http_request_parser *parser)
{
    CHECK(parser->phase != HTTP_PHASE_FAILED);
    empty_buf(&parser->head_bytes, KEEP_HEAD_BYTES);
    empty_buf(&parser->body_bytes, KEEP_BODY_BYTES);
    start_request(parser);
}

bool http_request_narrow(struct http_request_parser *parser, size_t most)
{
    parser->body_most = size_min(parser->body_most, most);
    return parser->body_length <= parser->body_most &&
           parser->framing.body_bytes <= parser->body_most;
}

enum err_code http_request_feed(struct http_request_parser *parser, struct str bytes,
                                size_t *consumed, struct err *err)
{
    enum err_code code = parser->code;
    *consumed = 0;
    while (code == ERR_OK && parser->phase != HTTP_PHASE_DONE && *consumed < bytes.len) {
        size_t taken;
        struct str rest = str_from(bytes, *consumed);
        code = parser->phase == HTTP_PHASE_BODY ? feed_body(parser, rest, &taken)
                                                : feed_head(parser, rest, &taken);
        *consumed += taken;
    }
    if (code != ERR_OK)
        err_set(err, code, "%s", parser->problem);
    return code;
}

void http_request_drop_body(struct http_request_parser *parser)
{
    buf_fini(&parser->body_bytes);
}

void http_request_take_body(struct http_request_parser *parser, struct buf *body)
{
    *body = parser->body_bytes;
    buf_init(&parser->body_bytes, parser->limits.body_bytes);
    parser->request.body = STR("");
}

size_t http_request_body_room(const struct http_request_parser *parser)
{
    return parser->body_bytes.cap;
}

int http_request_status(const struct http_request_parser *parser)
{
    return parser->status;
}

struct str http_request_header(const struct http_request *request, struct str name)
{
    return http_head_find(request->fields, name);
}

bool http_request_next_header(const struct http_request *request, size_t *cursor, struct str *name,
                              struct str *value)
{
    return http_head_next_field(request->fields, cursor, name, value);
}

bool http_request_has_token(const struct http_request *request, struct str name, struct str token)
{
    struct str got_name, value;
    size_t cursor = 0;
    while (http_head_next_field(request->fields, &cursor, &got_name, &value)) {
        if (!str_equal_nocase(got_name, name))
            continue;
        while (!str_is_absent(value))
            if (str_equal_nocase(str_trim(str_split(&value, ',')), token))
                return true;
    }
    return false;
}

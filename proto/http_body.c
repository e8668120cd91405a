/* SPDX-License-Identifier: MIT */
/* proto/http_body.c - counts a body down, or steps through chunk framing byte by byte.
 *
 * Happy path: size in hex, CR LF, that many bytes, CR LF, again, until size 0, trailers and the
 * empty line; or simply the promised number of bytes.
 * Failure paths: a byte that is not framing where framing must be, an extension, a size that does
 * not fit 64 bits (400); more content, or more framing, than allowed (413); trailers as bad or as
 * long as headers may be (400, 431). */
#include "proto/http_body.h"

static void fail(struct http_body *body, int status, const char *problem)
{
    body->state = HTTP_BODY_FAILED;
    body->status = status;
    body->problem = problem;
}

/* 0 to 15, or -1. */
static int hex_digit(char c)
{
    c = str_lower(c);
    if (str_is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_size(struct http_body *body, char c)
{
    int digit = hex_digit(c);
    if (digit >= 0 && body->left > UINT64_MAX >> 4) {
        fail(body, 400, "a chunk size does not fit 64 bits");
    } else if (digit >= 0) {
        body->left = body->left << 4 | (uint64_t)digit;
        body->state = HTTP_BODY_MORE_SIZE;
    } else if (c == '\r' && body->state == HTTP_BODY_MORE_SIZE) {
        body->state = HTTP_BODY_SIZE_LF;
    } else if (c == ';') {
        fail(body, 400, "chunk extensions are not accepted");
    } else {
        fail(body, 400, "expected a chunk size in hex and CR LF");
    }
}

static void take_size_lf(struct http_body *body, const struct http_body_limits *limits, char c)
{
    if (c != '\n') {
        fail(body, 400, "expected LF after the chunk size and CR");
    } else if (body->left == 0) {
        http_head_init_trailers(&body->trailers);
        body->state = HTTP_BODY_TRAILERS;
    } else if (body->left > limits->body_bytes - body->body_bytes) {
        fail(body, 413, "the body is too long");
    } else {
        body->body_bytes += (size_t)body->left;
        body->state = HTTP_BODY_DATA;
    }
}

/* One byte of framing, not of trailers. */
static void take_framing(struct http_body *body, const struct http_body_limits *limits, char c)
{
    if (body->overhead_bytes == limits->overhead_bytes) {
        fail(body, 413, "too much chunk framing around too little content");
        return;
    }
    body->overhead_bytes++;
    if (body->state == HTTP_BODY_SIZE || body->state == HTTP_BODY_MORE_SIZE)
        take_size(body, c);
    else if (body->state == HTTP_BODY_SIZE_LF)
        take_size_lf(body, limits, c);
    else if (c != (body->state == HTTP_BODY_DATA_CR ? '\r' : '\n'))
        fail(body, 400, "expected CR LF after a chunk's content");
    else
        body->state = body->state == HTTP_BODY_DATA_CR ? HTTP_BODY_DATA_LF : HTTP_BODY_SIZE;
}

static size_t take_data(struct http_body *body, struct str bytes)
{
    size_t taken = bytes.len < body->left ? bytes.len : (size_t)body->left;
    body->left -= taken;
    if (body->left == 0)
        body->state = body->is_chunked ? HTTP_BODY_DATA_CR : HTTP_BODY_DONE;
    return taken;
}

static size_t take_trailers(struct http_body *body, const struct http_body_limits *limits,
                            struct str bytes)
{
    size_t taken = http_head_feed(&body->trailers, &limits->trailers, bytes);
    if (body->trailers.state == HTTP_HEAD_DONE)
        body->state = HTTP_BODY_DONE;
    else if (body->trailers.state == HTTP_HEAD_FAILED)
        fail(body, body->trailers.status, body->trailers.problem);
    return taken;
}

void http_body_init_length(struct http_body *body, uint64_t length)
{
    *body =
        (struct http_body){.state = length == 0 ? HTTP_BODY_DONE : HTTP_BODY_DATA, .left = length};
}

void http_body_init_chunked(struct http_body *body)
{
    *body = (struct http_body){.state = HTTP_BODY_SIZE, .is_chunked = true};
}

size_t http_body_feed(struct http_body *body, const struct http_body_limits *limits,
                      struct str bytes)
{
    size_t taken = 0;
    while (taken < bytes.len && body->state != HTTP_BODY_DONE && body->state != HTTP_BODY_FAILED) {
        if (body->state == HTTP_BODY_DATA) {
            taken += take_data(body, str_from(bytes, taken));
        } else if (body->state == HTTP_BODY_TRAILERS) {
            taken += take_trailers(body, limits, str_from(bytes, taken));
        } else {
            take_framing(body, limits, bytes.at[taken]);
            taken += body->state == HTTP_BODY_FAILED ? 0 : 1;
        }
    }
    return taken;
}

/* SPDX-License-Identifier: MIT */
/* tests/lib/http2_rig.h - an HTTP/2 session without a socket: frames in, what they came to out.
 *
 * The site answers "/wait" never, "/stream" with a stream that the test writes, "/away" by turning
 * its body away, and all else at once with 200 and "ok". What happened is noted in said: ">GET /"
 * (a request), ">refused 400", ">gone", ">over", and frames sent, as "settings", "ack", "ping",
 * "headers 1", "data 1 2", "rst 1 8", "goaway 11", a full stop behind those that end a stream. */
#ifndef TESTS_LIB_HTTP2_RIG_H
#define TESTS_LIB_HTTP2_RIG_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "proto/http_response.h"
#include "server/http/http2_session.h"

enum {
    HTTP2_RIG_HIGH = 4096,
    HTTP2_RIG_BODY = 1000,
    HTTP2_RIG_CHANNELS = 8,
    HTTP2_RIG_SAID = 1 << 20
};

struct http2_rig {
    struct loop *loop;
    struct log log;
    struct channel_site site;
    struct peer peer;
    struct http2_session *session;
    struct buf out, said;
    struct channel *open[HTTP2_RIG_CHANNELS]; /* of "/stream" and "/wait" */
    size_t open_count, request_count, drained_count, flush_count;
    int64_t goaway;                  /* the last error code; -1: none was sent */
    bool is_full, is_over, is_quiet; /* is_full: the client takes nothing */
};

static inline void http2_rig_say(struct http2_rig *rig, const char *what)
{
    if (!rig->is_quiet)
        buf_printf(&rig->said, "%s%s", buf_len(&rig->said) == 0 ? "" : ", ", what);
}

static inline void http2_rig_answer(struct channel *channel, int status)
{
    channel_begin_head(channel, status);
    CHECK(http_response_header(channel->out, STR("Content-Type"), STR("text/plain")) == ERR_OK);
    channel_end_head(channel, false);
    buf_push(channel->out, STR("ok"));
    channel_done(channel);
}

static inline void http2_rig_keep(struct http2_rig *rig, struct channel *channel)
{
    channel->user = rig;
    if (rig->open_count < HTTP2_RIG_CHANNELS)
        rig->open[rig->open_count++] = channel;
}

static inline void http2_rig_on_request(struct channel *channel, void *owner)
{
    struct http2_rig *rig = owner;
    const struct http_request *request = channel->request;
    char line[200];
    snprintf(line, sizeof line, ">%.*s %.*s%s%.*s", STR_ARG(request->method_text),
             STR_ARG(str_slice(request->path, 0, size_min(request->path.len, 60))),
             request->body.len > 0 ? " " : "",
             STR_ARG(str_slice(request->body, 0, size_min(request->body.len, 20))));
    http2_rig_say(rig, line);
    rig->request_count++;
    if (str_equal(request->path, STR("/wait"))) {
        http2_rig_keep(rig, channel);
    } else if (str_equal(request->path, STR("/stream"))) {
        http2_rig_keep(rig, channel);
        channel_begin_head(channel, 200);
        channel_end_head(channel, true);
        channel_flush(channel);
    } else {
        http2_rig_answer(channel, 200);
    }
}

static inline bool http2_rig_on_head(struct channel *channel, void *owner)
{
    struct http2_rig *rig = owner;
    if (!str_equal(channel->request->path, STR("/away")))
        return true;
    http2_rig_say(rig, ">turned away");
    channel_turn_away(channel);
    http2_rig_answer(channel, 401);
    return false;
}

static inline void http2_rig_on_refused(struct channel *channel, int status, const struct err *err,
                                        void *owner)
{
    char line[200];
    CHECK(err->text[0] != '\0' && status >= 400);
    snprintf(line, sizeof line, ">refused %d", status);
    http2_rig_say(owner, line);
    http2_rig_answer(channel, status);
}

static inline void http2_rig_on_drained(struct channel *channel, void *owner)
{
    struct http2_rig *rig = owner;
    (void)channel;
    rig->drained_count++;
}

static inline void http2_rig_on_gone(struct channel *channel, void *owner)
{
    struct http2_rig *rig = owner;
    http2_rig_say(rig, ">gone");
    for (size_t i = 0; i < rig->open_count; i++)
        if (rig->open[i] == channel)
            rig->open[i] = NULL;
}

static inline uint32_t http2_rig_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void http2_rig_note(struct http2_rig *rig, const unsigned char *frame, size_t len)
{
    static const char *const names[] = {"data", "headers", "priority", "rst",    "settings",
                                        "push", "ping",    "goaway",   "window", "continuation"};
    const unsigned type = frame[3], flags = frame[4];
    const uint32_t id = http2_rig_u32(frame + 5) & 0x7fffffff;
    char line[80], *at = line, *const end = line + sizeof line;
    CHECK(type < countof(names));
    at += snprintf(at, (size_t)(end - at), "%s", type == 4 && (flags & 1) ? "ack" : names[type]);
    if (type <= 3)
        at += snprintf(at, (size_t)(end - at), " %u", id);
    if (type == 0)
        at += snprintf(at, (size_t)(end - at), " %zu", len);
    if (type == 3)
        at += snprintf(at, (size_t)(end - at), " %u", http2_rig_u32(frame + 9));
    if (type == 7)
        rig->goaway = http2_rig_u32(frame + 13);
    if (type == 7)
        at += snprintf(at, (size_t)(end - at), " %u", http2_rig_u32(frame + 13));
    if (type <= 1 && (flags & 1))
        snprintf(at, (size_t)(end - at), ".");
    if (type != 8)
        http2_rig_say(rig, line);
}

/* Note the frames in out; a client that takes nothing leaves them there. */
static inline void http2_rig_flush(void *owner)
{
    struct http2_rig *rig = owner;
    rig->flush_count++;
    while (!rig->is_full && buf_len(&rig->out) >= 9) {
        const unsigned char *frame = (const unsigned char *)buf_str(&rig->out).at;
        size_t len = (size_t)frame[0] << 16 | (size_t)frame[1] << 8 | frame[2];
        CHECK(buf_len(&rig->out) >= 9 + len); /* whole frames only */
        http2_rig_note(rig, frame, len);
        buf_consume(&rig->out, 9 + len);
    }
}

static inline bool http2_rig_is_full(void *owner)
{
    struct http2_rig *rig = owner;
    return buf_len(&rig->out) >= HTTP2_RIG_HIGH;
}

static inline void http2_rig_on_over(void *owner)
{
    struct http2_rig *rig = owner;
    rig->is_over = true;
    http2_rig_say(rig, ">over");
}

/* loop: the caller's. The session may be NULL when memory is made to fail. */
static inline void http2_rig_init(struct http2_rig *rig, struct loop *loop)
{
    *rig = (struct http2_rig){
        .loop = loop, .log = {.level = LOG_ERROR}, .peer = {.text = "rig"}, .goaway = -1};
    buf_init(&rig->out, 1 << 20);
    buf_init(&rig->said, HTTP2_RIG_SAID);
    rig->site = (struct channel_site){
        .loop = loop,
        .log = &rig->log,
        .limits = {.http = {.target_bytes = 64,
                            .head_bytes = 1024,
                            .header_count = 10,
                            .body_bytes = HTTP2_RIG_BODY},
                   .header_ms = 1000,
                   .body_ms = 2000,
                   .idle_ms = 5000,
                   .write_ms = 3000,
                   .high_bytes = HTTP2_RIG_HIGH,
                   .limit_bytes = 1 << 20},
        .owner = rig,
        .on_request = http2_rig_on_request,
        .on_head = http2_rig_on_head,
        .on_refused = http2_rig_on_refused,
        .on_drained = http2_rig_on_drained,
        .on_gone = http2_rig_on_gone,
    };
    rig->session =
        http2_session_create(&(struct http2_session_options){.site = &rig->site,
                                                             .peer = &rig->peer,
                                                             .out = &rig->out,
                                                             .owner = rig,
                                                             .flush = http2_rig_flush,
                                                             .is_full = http2_rig_is_full,
                                                             .on_over = http2_rig_on_over});
}

static inline void http2_rig_fini(struct http2_rig *rig)
{
    if (rig->session != NULL)
        http2_session_close(rig->session);
    http2_session_destroy(rig->session);
    CHECK(rig->site.stream_count == 0 && rig->site.body_bytes == 0);
    buf_fini(&rig->out);
    buf_fini(&rig->said);
}

/* ---- frames of a client ---- */

static inline void http2_rig_frame(struct buf *buf, unsigned type, unsigned flags, uint32_t id,
                                   struct str payload)
{
    const unsigned char head[9] = {(unsigned char)(payload.len >> 16),
                                   (unsigned char)(payload.len >> 8),
                                   (unsigned char)payload.len,
                                   (unsigned char)type,
                                   (unsigned char)flags,
                                   (unsigned char)(id >> 24),
                                   (unsigned char)(id >> 16),
                                   (unsigned char)(id >> 8),
                                   (unsigned char)id};
    buf_push(buf, str_make((const char *)head, sizeof head));
    buf_push(buf, payload);
}

/* A field as HPACK has it without a table: literal, without indexing. */
static inline void http2_rig_field(struct buf *block, struct str name, struct str value)
{
    const struct str parts[] = {name, value};
    buf_push_char(block, 0);
    for (size_t i = 0; i < countof(parts); i++) {
        size_t rest = parts[i].len;
        if (rest < 127) {
            buf_push_char(block, (char)rest);
        } else { /* RFC 7541, 5.1, a prefix of seven bits */
            buf_push_char(block, 127);
            for (rest -= 127; rest >= 128; rest >>= 7)
                buf_push_char(block, (char)(rest % 128 + 128));
            buf_push_char(block, (char)rest);
        }
        buf_push(block, parts[i]);
    }
}

/* "name: value" lines, ended by LF, as a block. */
static inline void http2_rig_block(struct buf *block, struct str lines)
{
    while (lines.len > 0) {
        struct str line = str_split(&lines, '\n');
        size_t colon = 1; /* a pseudo-header begins with one */
        while (colon < line.len && line.at[colon] != ':')
            colon++;
        if (line.len > 0)
            http2_rig_field(block, str_slice(line, 0, colon), str_from(line, colon + 2));
    }
}

#endif

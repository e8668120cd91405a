/* SPDX-License-Identifier: MIT */
/* proto/sse_read.c - cuts the input into lines, the lines into fields, and reports at blank lines.
 *
 * Happy path: a "data:" line lies whole in the input; its view is kept, the blank line after it
 * reports it, nothing is copied.
 * Other paths:
 * - the input ends inside a line: the piece goes to the line buf and is finished there;
 * - the input ends between a data line and its blank line, or there are several data lines: the
 *   data goes to the data buf;
 * - a line or an event beyond its limit: ERR_TOO_LARGE; a buf finds no memory: ERR_NO_MEMORY;
 *   both stay until reset. */
#include "proto/sse_read.h"

#include <string.h>

enum { DEFAULT_BYTES = 1024 * 1024, TYPE_BYTES = 256, ID_BYTES = 1024 };

void sse_read_init(struct sse_read *reader, const struct sse_limits *limits, sse_event_fn *on_event,
                   void *owner)
{
    struct sse_limits own = limits == NULL ? (struct sse_limits){0} : *limits;
    own.line_bytes = own.line_bytes == 0 ? DEFAULT_BYTES : own.line_bytes;
    own.event_bytes = own.event_bytes == 0 ? DEFAULT_BYTES : own.event_bytes;
    *reader = (struct sse_read){.on_event = on_event, .owner = owner, .limits = own};
    buf_init(&reader->line, own.line_bytes);
    buf_init(&reader->data_copy, own.event_bytes);
    buf_init(&reader->type, TYPE_BYTES);
    buf_init(&reader->id, ID_BYTES);
}

void sse_read_fini(struct sse_read *reader)
{
    buf_fini(&reader->line);
    buf_fini(&reader->data_copy);
    buf_fini(&reader->type);
    buf_fini(&reader->id);
    sse_read_reset(reader);
}

static void forget_event(struct sse_read *reader)
{
    buf_clear(&reader->data_copy);
    buf_clear(&reader->type);
    reader->data = (struct str){NULL, 0};
    reader->has_data = reader->data_is_copy = false;
}

void sse_read_reset(struct sse_read *reader)
{
    forget_event(reader);
    buf_clear(&reader->line);
    buf_clear(&reader->id);
    reader->retry_ms = 0;
    reader->skip_lf = reader->past_first_line = false;
    reader->failure = ERR_OK;
}

static enum err_code fail_full(struct sse_read *reader, const struct buf *buf, size_t need,
                               const char *what)
{
    reader->failed_what = what;
    reader->failed_limit = buf->limit;
    reader->failure = need > buf->limit ? ERR_TOO_LARGE : ERR_NO_MEMORY;
    return reader->failure;
}

/* Append text to buf, reporting what it was when that does not go. */
static enum err_code keep(struct sse_read *reader, struct buf *buf, struct str text,
                          const char *what)
{
    size_t need = buf_len(buf) + text.len;
    buf_push(buf, text);
    return buf_ok(buf) ? ERR_OK : fail_full(reader, buf, need, what);
}

/* Move borrowed data to the buf, because the input is about to go or more data comes. */
static enum err_code own_data(struct sse_read *reader)
{
    if (!reader->has_data || reader->data_is_copy)
        return ERR_OK;
    enum err_code code = keep(reader, &reader->data_copy, reader->data, "one event");
    reader->data_is_copy = true;
    return code;
}

static enum err_code take_data(struct sse_read *reader, struct str value, bool is_borrowable)
{
    if (!reader->has_data && is_borrowable) {
        if (value.len > reader->limits.event_bytes)
            return fail_full(reader, &reader->data_copy, value.len, "one event");
        reader->has_data = true;
        reader->data = value;
        return ERR_OK;
    }
    bool is_first = !reader->has_data;
    enum err_code code = own_data(reader);
    if (code == ERR_OK && !is_first)
        code = keep(reader, &reader->data_copy, STR("\n"), "one event");
    if (code == ERR_OK)
        code = keep(reader, &reader->data_copy, value, "one event");
    reader->has_data = reader->data_is_copy = true;
    return code;
}

static enum err_code take_field(struct sse_read *reader, struct str name, struct str value,
                                bool is_borrowable)
{
    if (str_equal(name, STR("data")))
        return take_data(reader, value, is_borrowable);
    if (str_equal(name, STR("event"))) {
        buf_clear(&reader->type);
        return keep(reader, &reader->type, value, "an event type");
    }
    if (str_equal(name, STR("id")) && str_find_char(value, '\0') == STR_NONE) {
        buf_clear(&reader->id);
        return keep(reader, &reader->id, value, "an event id");
    }
    uint64_t retry_ms;
    if (str_equal(name, STR("retry")) && str_to_u64(value, &retry_ms))
        reader->retry_ms = retry_ms;
    return ERR_OK;
}

static void report_event(struct sse_read *reader)
{
    if (reader->has_data) {
        struct sse_event event = {
            .event = buf_len(&reader->type) == 0 ? STR("message") : buf_str(&reader->type),
            .data = reader->data_is_copy ? buf_str(&reader->data_copy) : reader->data,
            .id = buf_str(&reader->id),
        };
        reader->on_event(reader->owner, &event);
    }
    forget_event(reader);
}

/* One line without its end. is_borrowable: it lies in the input, not in the line buf. */
static enum err_code take_line(struct sse_read *reader, struct str line, bool is_borrowable)
{
    if (!reader->past_first_line && str_starts_with(line, STR("\xEF\xBB\xBF")))
        line = str_from(line, 3);
    reader->past_first_line = true;
    if (line.len == 0) {
        report_event(reader);
        return ERR_OK;
    }
    ptrdiff_t colon = str_find_char(line, ':');
    if (colon == 0)
        return ERR_OK; /* a comment */
    if (colon == STR_NONE)
        return take_field(reader, line, str_from(line, line.len), is_borrowable);
    struct str value = str_from(line, (size_t)colon + 1);
    if (value.len > 0 && value.at[0] == ' ')
        value = str_from(value, 1);
    return take_field(reader, str_slice(line, 0, (size_t)colon), value, is_borrowable);
}

/* Bytes before the first CR or LF, or STR_NONE. */
static ptrdiff_t find_line_end(struct str bytes)
{
    ptrdiff_t lf = str_find_char(bytes, '\n');
    ptrdiff_t cr = str_find_char(lf == STR_NONE ? bytes : str_slice(bytes, 0, (size_t)lf), '\r');
    return cr == STR_NONE ? lf : cr;
}

/* The end of a line has come: piece is what of the line lies in this input. */
static enum err_code end_line(struct sse_read *reader, struct str piece)
{
    if (buf_len(&reader->line) == 0) {
        if (piece.len > reader->limits.line_bytes)
            return fail_full(reader, &reader->line, piece.len, "one line");
        return take_line(reader, piece, true);
    }
    enum err_code code = keep(reader, &reader->line, piece, "one line");
    if (code == ERR_OK)
        code = take_line(reader, buf_str(&reader->line), false);
    buf_clear(&reader->line);
    return code;
}

enum err_code sse_read_feed(struct sse_read *reader, struct str bytes, struct err *err)
{
    enum err_code code = reader->failure;
    while (code == ERR_OK && bytes.len > 0) {
        if (reader->skip_lf && bytes.at[0] == '\n') {
            reader->skip_lf = false;
            bytes = str_from(bytes, 1);
            continue;
        }
        reader->skip_lf = false;
        ptrdiff_t end = find_line_end(bytes);
        if (end == STR_NONE) {
            code = keep(reader, &reader->line, bytes, "one line");
            break;
        }
        reader->skip_lf = bytes.at[end] == '\r';
        code = end_line(reader, str_slice(bytes, 0, (size_t)end));
        bytes = str_from(bytes, (size_t)end + 1);
    }
    if (code == ERR_OK)
        code = own_data(reader);
    if (code == ERR_TOO_LARGE)
        err_set(err, code, "expected at most %zu bytes in %s of the event stream, more came",
                reader->failed_limit, reader->failed_what);
    else if (code != ERR_OK)
        err_set(err, code, "no memory for %s of the event stream", reader->failed_what);
    return code;
}

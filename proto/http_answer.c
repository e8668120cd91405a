/* SPDX-License-Identifier: MIT */
/* proto/http_answer.c - lines until the empty one, then a body of one of three forms.
 *
 * Happy path: a line lies whole in the bytes and is given out where it lies; the headers that frame
 * the body are read on the way; the empty line decides how the body ends.
 * Failure paths, all to HTTP_ANSWER_WRONG: not HTTP/1, a header without a name or with a NUL,
 * folded headers, two lengths, an encoding other than chunked, a bad chunk, a line over the limit,
 * no memory for a piece of one. */
#include "proto/http_answer.h"

#include <string.h>

void http_answer_init(struct http_answer *answer)
{
    *answer = (struct http_answer){.state = HTTP_ANSWER_START};
    buf_init(&answer->line, HTTP_ANSWER_LINE_BYTES);
}

void http_answer_fini(struct http_answer *answer)
{
    buf_fini(&answer->line);
}

static enum http_answer_piece fail(struct http_answer *answer, const char *problem)
{
    answer->state = HTTP_ANSWER_WRONG;
    answer->problem = problem;
    return HTTP_ANSWER_FAILED;
}

/* ---- lines ---- */

/* Take a line with its end off *bytes. False: it is not whole, or wrong. */
static bool take_line(struct http_answer *answer, struct str *bytes, struct str *line)
{
    ptrdiff_t end = str_find_char(*bytes, '\n');
    size_t len = end < 0 ? bytes->len : (size_t)end + 1;
    struct str part = str_slice(*bytes, 0, len);
    *bytes = str_from(*bytes, len);
    if (end >= 0 && buf_len(&answer->line) == 0) {
        *line = part;
    } else {
        buf_push(&answer->line, part);
        *line = buf_str(&answer->line);
        answer->line_is_out = end >= 0;
    }
    if (!buf_ok(&answer->line) || line->len > HTTP_ANSWER_LINE_BYTES) {
        fail(answer, "a line of the answer's head is too long");
        return false;
    }
    return end >= 0;
}

static struct str without_end(struct str line)
{
    size_t len = line.len - 1;
    return str_slice(line, 0, len > 0 && line.at[len - 1] == '\r' ? len - 1 : len);
}

/* "HTTP/1.1 200 OK" */
static bool read_status(struct http_answer *answer, struct str line)
{
    uint64_t minor, status;
    if (!str_starts_with(line, STR("HTTP/1.")) || line.len < 12 || line.at[8] != ' ' ||
        (line.len > 12 && line.at[12] != ' ') || !str_to_u64(str_slice(line, 7, 8), &minor) ||
        !str_to_u64(str_slice(line, 9, 12), &status) || status < 100)
        return false;
    answer->minor = (int)minor;
    answer->status = (int)status;
    answer->is_chunked = answer->has_length = answer->says_close = answer->says_keep = false;
    answer->left = 0;
    answer->state = HTTP_ANSWER_FIELDS;
    return true;
}

static void read_connection(struct http_answer *answer, struct str value)
{
    while (!str_is_absent(value)) {
        struct str word = str_trim(str_split(&value, ','));
        answer->says_close |= str_equal_nocase(word, STR("close"));
        answer->says_keep |= str_equal_nocase(word, STR("keep-alive"));
    }
}

static const char *read_field(struct http_answer *answer, struct str line)
{
    ptrdiff_t colon = str_find_char(line, ':');
    uint64_t length;
    if (colon <= 0 || str_is_blank(line.at[0]) || str_find_char(line, '\0') >= 0)
        return "a line of the answer's head is not a header";
    struct str name = str_slice(line, 0, (size_t)colon);
    struct str value = str_trim(str_from(line, (size_t)colon + 1));
    if (str_equal_nocase(name, STR("content-length"))) {
        if (!str_to_u64(value, &length) || (answer->has_length && length != answer->left))
            return "the answer's Content-Length is not a number, or there are two";
        answer->has_length = true;
        answer->left = length;
    } else if (str_equal_nocase(name, STR("transfer-encoding"))) {
        if (!str_equal_nocase(value, STR("chunked")))
            return "the answer's Transfer-Encoding is not chunked";
        answer->is_chunked = true;
    } else if (str_equal_nocase(name, STR("connection"))) {
        read_connection(answer, value);
    }
    return NULL;
}

/* The empty line has come. */
static const char *end_head(struct http_answer *answer)
{
    if (answer->status == 101)
        return "the answer changes the protocol";
    answer->keeps = answer->minor == 0 ? answer->says_keep : !answer->says_close;
    if (answer->status < 200) {
        answer->state = HTTP_ANSWER_START;
    } else if (answer->status == 204 || answer->status == 304) {
        answer->state = HTTP_ANSWER_OVER;
    } else if (answer->is_chunked) {
        answer->keeps = answer->keeps && !answer->has_length;
        answer->state = HTTP_ANSWER_SIZE;
    } else if (answer->has_length) {
        answer->state = answer->left == 0 ? HTTP_ANSWER_OVER : HTTP_ANSWER_LENGTH;
    } else {
        answer->keeps = false;
        answer->state = HTTP_ANSWER_CLOSE;
    }
    return NULL;
}

static const char *read_head_line(struct http_answer *answer, struct str line)
{
    if (answer->state == HTTP_ANSWER_START)
        return read_status(answer, line) ? NULL : "the answer is not HTTP/1";
    return line.len == 0 ? end_head(answer) : read_field(answer, line);
}

/* ---- chunks ---- */

static int hex_digit(char c)
{
    c = str_lower(c);
    if (str_is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "1a", perhaps with an extension behind it: "1a;name=value". */
static const char *read_size(struct http_answer *answer, struct str line)
{
    size_t i = 0;
    uint64_t size = 0;
    for (; i < line.len && hex_digit(line.at[i]) >= 0 && size >> 56 == 0; i++)
        size = size << 4 | (uint64_t)hex_digit(line.at[i]);
    struct str rest = str_trim(str_from(line, i));
    if (i == 0 || (rest.len > 0 && rest.at[0] != ';'))
        return "the size of a chunk of the answer is not a number";
    answer->left = size;
    answer->state = size == 0 ? HTTP_ANSWER_TRAILERS : HTTP_ANSWER_CHUNK;
    return NULL;
}

/* A line between chunks; *is_out: the caller should see it. */
static const char *read_chunk_line(struct http_answer *answer, struct str line, bool *is_out)
{
    *is_out = false;
    if (answer->state == HTTP_ANSWER_SIZE)
        return read_size(answer, line);
    if (answer->state == HTTP_ANSWER_CHUNK_END) {
        answer->state = HTTP_ANSWER_SIZE;
        return line.len == 0 ? NULL : "a chunk of the answer is longer than its size";
    }
    *is_out = line.len > 0;
    if (!*is_out)
        answer->state = HTTP_ANSWER_OVER;
    return NULL;
}

/* ---- pieces ---- */

static enum http_answer_piece take_body(struct http_answer *answer, struct str *bytes,
                                        struct str *piece)
{
    size_t len = bytes->len;
    if (len == 0)
        return HTTP_ANSWER_NEEDS_MORE;
    if (answer->state != HTTP_ANSWER_CLOSE) {
        len = answer->left < len ? (size_t)answer->left : len;
        answer->left -= len;
    }
    *piece = str_slice(*bytes, 0, len);
    *bytes = str_from(*bytes, len);
    if (answer->state != HTTP_ANSWER_CLOSE && answer->left == 0)
        answer->state =
            answer->state == HTTP_ANSWER_LENGTH ? HTTP_ANSWER_OVER : HTTP_ANSWER_CHUNK_END;
    return HTTP_ANSWER_BODY;
}

static bool is_in_body(const struct http_answer *answer)
{
    return answer->state == HTTP_ANSWER_LENGTH || answer->state == HTTP_ANSWER_CLOSE ||
           answer->state == HTTP_ANSWER_CHUNK;
}

enum http_answer_piece http_answer_next(struct http_answer *answer, struct str *bytes,
                                        struct str *piece)
{
    if (answer->line_is_out)
        buf_clear(&answer->line);
    answer->line_is_out = false;
    while (answer->state != HTTP_ANSWER_OVER && answer->state != HTTP_ANSWER_WRONG) {
        struct str line;
        bool is_out = answer->state <= HTTP_ANSWER_FIELDS;
        if (is_in_body(answer))
            return take_body(answer, bytes, piece);
        if (!take_line(answer, bytes, &line))
            return answer->state == HTTP_ANSWER_WRONG ? HTTP_ANSWER_FAILED : HTTP_ANSWER_NEEDS_MORE;
        const char *problem = is_out ? read_head_line(answer, without_end(line))
                                     : read_chunk_line(answer, without_end(line), &is_out);
        if (problem != NULL)
            return fail(answer, problem);
        *piece = line;
        if (is_out)
            return HTTP_ANSWER_LINE;
        if (answer->line_is_out)
            buf_clear(&answer->line);
        answer->line_is_out = false;
    }
    return answer->state == HTTP_ANSWER_OVER ? HTTP_ANSWER_ENDED : HTTP_ANSWER_FAILED;
}

bool http_answer_closed(struct http_answer *answer)
{
    answer->keeps = false;
    if (answer->state == HTTP_ANSWER_CLOSE)
        answer->state = HTTP_ANSWER_OVER;
    return answer->state == HTTP_ANSWER_OVER;
}

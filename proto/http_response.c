/* SPDX-License-Identifier: MIT */
/* proto/http_response.c - heads and chunks as plain appends.
 *
 * Happy path: begin, headers, end_head, then either a body or chunks. A chunk's size field has
 * eight hex digits and is filled in when the chunk is committed, so its bytes are never moved.
 * Failure paths: a header value with control bytes is refused whole; a full buf is the buf's
 * affair; a bad name, status or mark is CHECKed. */
#include "proto/http_response.h"

#include <string.h>
#include <time.h>

#include "proto/http_head.h"

enum { SIZE_DIGITS = 8, SIZE_FIELD = SIZE_DIGITS + 2 };

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

const char *http_response_reason(int status)
{
    for (size_t i = 0; i < countof(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

void http_response_begin(struct buf *buf, int status, int version_minor)
{
    CHECK(status >= 100 && status <= 599 && (version_minor == 0 || version_minor == 1));
    buf_push(buf, version_minor == 0 ? STR("HTTP/1.0 ") : STR("HTTP/1.1 "));
    buf_push_u64(buf, (uint64_t)status);
    buf_push_char(buf, ' ');
    buf_push(buf, str_of(http_response_reason(status)));
    buf_push(buf, STR("\r\n"));
}

enum err_code http_response_header(struct buf *buf, struct str name, struct str value)
{
    CHECK(http_head_is_token(name));
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.at[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F)
            return ERR_INVALID;
    }
    buf_push(buf, name);
    buf_push(buf, STR(": "));
    buf_push(buf, value);
    buf_push(buf, STR("\r\n"));
    return ERR_OK;
}

void http_response_header_u64(struct buf *buf, struct str name, uint64_t value)
{
    CHECK(http_head_is_token(name));
    buf_push(buf, name);
    buf_push(buf, STR(": "));
    buf_push_u64(buf, value);
    buf_push(buf, STR("\r\n"));
}

static void put_two_digits(char *to, int number)
{
    to[0] = (char)('0' + number / 10);
    to[1] = (char)('0' + number % 10);
}

void http_response_date(struct buf *buf, uint64_t unix_seconds)
{
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const uint64_t year_10000 = 253402300800;
    struct tm tm;
    time_t seconds = (time_t)unix_seconds;
    CHECK(unix_seconds < year_10000 && gmtime_r(&seconds, &tm) != NULL);
    char line[] = "Date: Sun, 00 Jan 0000 00:00:00 GMT\r\n";
    memcpy(line + 6, days[tm.tm_wday], 3);
    put_two_digits(line + 11, tm.tm_mday);
    memcpy(line + 14, months[tm.tm_mon], 3);
    put_two_digits(line + 18, (tm.tm_year + 1900) / 100);
    put_two_digits(line + 20, (tm.tm_year + 1900) % 100);
    put_two_digits(line + 23, tm.tm_hour);
    put_two_digits(line + 26, tm.tm_min);
    put_two_digits(line + 29, tm.tm_sec);
    buf_push(buf, str_make(line, sizeof line - 1));
}

void http_response_end_head(struct buf *buf)
{
    buf_push(buf, STR("\r\n"));
}

size_t http_response_chunk_begin(struct buf *buf)
{
    size_t mark = buf_len(buf);
    buf_push(buf, STR("00000000\r\n"));
    return mark;
}

void http_response_chunk_commit(struct buf *buf, size_t mark)
{
    static const char hex[] = "0123456789abcdef";
    if (!buf_ok(buf))
        return;
    CHECK(mark + SIZE_FIELD <= buf_len(buf));
    size_t size = buf_len(buf) - mark - SIZE_FIELD;
    if (size == 0) { /* a chunk of size 0 would end the body */
        buf_truncate(buf, mark);
        return;
    }
    CHECK(size <= UINT32_MAX);
    char *digits = buf->at + buf->start + mark;
    for (size_t i = SIZE_DIGITS; i-- > 0; size >>= 4)
        digits[i] = hex[size & 15];
    buf_push(buf, STR("\r\n"));
}

void http_response_last_chunk(struct buf *buf)
{
    buf_push(buf, STR("0\r\n\r\n"));
}

void http_response_continue(struct buf *buf)
{
    buf_push(buf, STR("HTTP/1.1 100 Continue\r\n\r\n"));
}

/* SPDX-License-Identifier: MIT */
/* backends/http/http_client_head.c - status, content type and retry delay out of an answer's head.
 *
 * Happy path: a status line begins a head, header lines fill it, an empty line ends it.
 * Failure: too many bytes. Headers that make no sense are as if not said; libcurl has refused what
 * is not HTTP. */
#include "backends/http/http_client_head.h"

#include <string.h>
#include <time.h>

void http_client_head_init(struct http_client_head *head)
{
    *head = (struct http_client_head){.retry_after_ms = UINT64_MAX};
}

static int read_status(struct str line)
{
    ptrdiff_t blank = str_find_char(line, ' ');
    uint64_t status = 0;
    if (blank < 0 || !str_to_u64(str_slice(line, (size_t)blank + 1, (size_t)blank + 4), &status))
        return 0;
    return (int)status;
}

static void read_content_type(struct http_client_head *head, struct str value)
{
    ptrdiff_t end = str_find_char(value, ';');
    struct str type = str_trim(end < 0 ? value : str_slice(value, 0, (size_t)end));
    size_t len = size_min(type.len, sizeof head->content_type - 1);
    for (size_t i = 0; i < len; i++)
        head->content_type[i] = str_lower(type.at[i]);
    head->content_type[len] = '\0';
}

/* Seconds, or a date as HTTP writes it: "Sat, 21 Nov 2026 10:00:00 GMT". */
static uint64_t read_retry_after(struct str value, uint64_t wall_ms)
{
    uint64_t seconds;
    char text[40];
    struct tm date = {0};
    if (str_to_u64(value, &seconds))
        return seconds > UINT32_MAX ? UINT64_MAX : seconds * 1000;
    if (value.len >= sizeof text)
        return UINT64_MAX;
    memcpy(text, value.at, value.len);
    text[value.len] = '\0';
    if (strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &date) == NULL)
        return UINT64_MAX;
    time_t at = timegm(&date);
    uint64_t at_ms = at < 0 ? 0 : (uint64_t)at * 1000;
    return at_ms > wall_ms ? at_ms - wall_ms : 0;
}

/* False: nobody wants it. */
static bool keep_wanted(const struct http_client_head *head, struct str name, struct str value)
{
    for (size_t i = 0; i < HTTP_WANTED_MOST; i++) {
        const struct http_wanted *wanted = &head->wanted[i];
        if (wanted->name == NULL || !str_equal_nocase(name, str_of(wanted->name)))
            continue;
        size_t len = strlen(wanted->room), between = len > 0 ? 2 : 0;
        if (len + between + value.len >= wanted->size) {
            wanted->room[0] = '\0';
            return true;
        }
        memcpy(wanted->room + len, ", ", between);
        memcpy(wanted->room + len + between, value.at, value.len);
        wanted->room[len + between + value.len] = '\0';
        return true;
    }
    return false;
}

static void read_header(struct http_client_head *head, struct str name, struct str value,
                        uint64_t wall_ms)
{
    if (str_equal_nocase(name, STR("content-type"))) {
        read_content_type(head, value);
    } else if (str_equal_nocase(name, STR("retry-after-ms"))) { /* finer, so it wins */
        uint64_t ms;
        if (str_to_u64(value, &ms))
            head->retry_after_ms = ms;
    } else if (str_equal_nocase(name, STR("retry-after")) && head->retry_after_ms == UINT64_MAX) {
        head->retry_after_ms = read_retry_after(value, wall_ms);
    } else if (!keep_wanted(head, name, value)) {
        rate_limit_hear(&head->limit, name, value, wall_ms);
    }
}

void http_client_head_want(struct http_client_head *head,
                           const struct http_wanted wanted[HTTP_WANTED_MOST])
{
    memcpy(head->wanted, wanted, sizeof head->wanted);
    for (size_t i = 0; i < HTTP_WANTED_MOST; i++)
        if (wanted[i].name != NULL)
            wanted[i].room[0] = '\0';
}

bool http_client_head_feed(struct http_client_head *head, struct str line, uint64_t wall_ms)
{
    if (!size_add(head->bytes, line.len, &head->bytes) || head->bytes > HTTP_CLIENT_HEAD_BYTES)
        return false;
    if (head->is_complete)
        return true; /* a trailer of a chunked body */
    struct str text = str_trim(line);
    ptrdiff_t colon = str_find_char(text, ':');
    if (str_starts_with(text, STR("HTTP/"))) {
        size_t bytes = head->bytes;
        struct http_wanted wanted[HTTP_WANTED_MOST];
        memcpy(wanted, head->wanted, sizeof wanted);
        http_client_head_init(head);
        head->bytes = bytes;
        http_client_head_want(head, wanted); /* what an interim answer said is void */
        head->status = read_status(text);
    } else if (str_is_empty(text)) {
        head->is_complete = head->status >= 200;
    } else if (colon > 0) {
        read_header(head, str_slice(text, 0, (size_t)colon),
                    str_trim(str_from(text, (size_t)colon + 1)), wall_ms);
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* backends/http/http_direct_url.c - scheme, authority, target; every byte of them is checked.
 *
 * Failure: another scheme, a user, a host or a port that cannot be one, bytes that may not stand in
 * a request line: false. */
#include "backends/http/http_direct_url.h"

enum { MOST_HOST_BYTES = 253, MOST_PORT = 65535, HTTP_PORT = 80 };

static bool is_host(struct str host, bool is_v6)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.at[i];
        bool is_word = str_is_alpha(c) || str_is_digit(c) || c == '.';
        if (!is_word && (is_v6 ? c != ':' : c != '-' && c != '_'))
            return false;
    }
    return host.len > 0 && host.len <= MOST_HOST_BYTES;
}

/* Behind the host: nothing, or ":8000". */
static bool read_port(struct str text, uint16_t *port)
{
    uint64_t number = HTTP_PORT;
    if (text.len > 0 && (text.at[0] != ':' || !str_to_u64(str_from(text, 1), &number)))
        return false;
    *port = (uint16_t)number;
    return number > 0 && number <= MOST_PORT;
}

static bool is_target(struct str target)
{
    for (size_t i = 0; i < target.len; i++)
        if ((unsigned char)target.at[i] <= ' ' || target.at[i] == 0x7F || target.at[i] == '#')
            return false;
    return target.len == 0 || target.at[0] == '/' || target.at[0] == '?';
}

bool http_direct_url_read(const char *url, struct http_direct_url *parts)
{
    static const struct str scheme = STR("http://");
    struct str rest = str_of(url);
    size_t end = 0, host_end = 0;
    if (!str_equal_nocase(str_slice(rest, 0, scheme.len), scheme))
        return false;
    rest = str_from(rest, scheme.len);
    while (end < rest.len && rest.at[end] != '/' && rest.at[end] != '?' && rest.at[end] != '#')
        end++;
    parts->authority = str_slice(rest, 0, end);
    parts->target = str_from(rest, end);
    bool is_v6 = str_starts_with(parts->authority, STR("["));
    char stop = is_v6 ? ']' : ':';
    while (host_end < end && rest.at[host_end] != stop)
        host_end++;
    if (is_v6 && host_end == end)
        return false;
    parts->host = str_slice(rest, is_v6 ? 1 : 0, host_end);
    struct str port = str_slice(rest, host_end + (is_v6 ? 1 : 0), end);
    return is_host(parts->host, is_v6) && read_port(port, &parts->port) && is_target(parts->target);
}

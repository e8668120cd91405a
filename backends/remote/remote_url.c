/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_url.c - scheme, host, port, path.
 *
 * Failure: whatever is not plainly one of them is refused with what is wrong. */
#include "backends/remote/remote_url.h"

enum { HTTP_PORT = 80, HTTPS_PORT = 443, MAX_PORT = 65535, MAX_BYTES = 8192, MAX_HOST = 253 };

static bool is_host_char(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '-' || c == '.' || c == '_';
}

static bool is_host(struct str host)
{
    bool is_six = host.len > 2 && host.at[0] == '[' && host.at[host.len - 1] == ']';
    struct str inside = is_six ? str_slice(host, 1, host.len - 1) : host;
    if (inside.len == 0 || inside.len > MAX_HOST)
        return false;
    for (size_t i = 0; i < inside.len; i++) {
        char c = inside.at[i];
        bool is_hex = str_is_digit(c) || (str_lower(c) >= 'a' && str_lower(c) <= 'f');
        if (is_six ? !is_hex && c != ':' && c != '.' : !is_host_char(c))
            return false;
    }
    return true;
}

static bool read_port(struct str text, unsigned *port)
{
    unsigned value = 0;
    if (text.len == 0 || text.len > 5)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!str_is_digit(text.at[i]))
            return false;
        value = value * 10 + (unsigned)(text.at[i] - '0');
    }
    *port = value;
    return value > 0 && value <= MAX_PORT;
}

/* "." and "..", with each dot as itself or as %2e. */
static bool is_dots(struct str segment)
{
    size_t dots = 0;
    while (segment.len > 0) {
        bool is_plain = segment.at[0] == '.';
        bool is_coded = segment.len >= 3 && segment.at[0] == '%' && segment.at[1] == '2' &&
                        str_lower(segment.at[2]) == 'e';
        if (!is_plain && !is_coded)
            return false;
        segment = str_from(segment, is_plain ? 1 : 3);
        dots++;
    }
    return dots == 1 || dots == 2;
}

static bool has_dots(struct str path)
{
    for (struct str rest = path; !str_is_absent(rest);)
        if (is_dots(str_split(&rest, '/')))
            return true;
    return false;
}

/* Split host and port. False: neither. */
static bool read_authority(struct str authority, struct remote_url *url)
{
    ptrdiff_t bracket = str_find_char(authority, ']');
    struct str behind = bracket == STR_NONE ? authority : str_from(authority, (size_t)bracket);
    ptrdiff_t colon = str_find_char(behind, ':');
    url->host = authority;
    if (colon == STR_NONE)
        return is_host(url->host);
    size_t at = authority.len - behind.len + (size_t)colon;
    url->host = str_slice(authority, 0, at);
    return is_host(url->host) && read_port(str_from(authority, at + 1), &url->port);
}

static bool has_strange_bytes(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c <= ' ' || c >= 0x7f || c == '\\' || c == '#' || c == '"' || c == '<' || c == '>')
            return true;
    }
    return false;
}

enum err_code remote_url_parse(struct str text, struct remote_url *url, struct err *err)
{
    static const struct str http = STR("http://"), https = STR("https://");
    *url = (struct remote_url){0};
    if (text.len > MAX_BYTES || has_strange_bytes(text))
        return err_set(err, ERR_INVALID,
                       "an address has at most %d bytes, none of them blank, a backslash, # or "
                       "outside ASCII",
                       MAX_BYTES);
    bool is_https = str_starts_with(text, https);
    if (!is_https && !str_starts_with(text, http))
        return err_set(err, ERR_INVALID,
                       "expected an address that begins with https:// or http://");
    url->scheme = str_slice(text, 0, is_https ? 5 : 4);
    url->port = is_https ? HTTPS_PORT : HTTP_PORT;
    struct str rest = str_from(text, is_https ? https.len : http.len);
    size_t end = 0;
    while (end < rest.len && rest.at[end] != '/' && rest.at[end] != '?')
        end++;
    if (!read_authority(str_slice(rest, 0, end), url))
        return err_set(err, ERR_INVALID, "expected a host, perhaps with a port, got '%.*s'",
                       STR_ARG(str_utf8_prefix(str_slice(rest, 0, end), 64)));
    struct str path = str_from(rest, end);
    path = str_split(&path, '?');
    url->path = path.len == 0 ? STR("/") : path;
    if (has_dots(url->path))
        return err_set(err, ERR_INVALID, "a path without . and .. was expected");
    return ERR_OK;
}

bool remote_url_is_below(const struct remote_url *url, const struct remote_url *allowed)
{
    size_t len = allowed->path.len;
    if (!str_equal(url->scheme, allowed->scheme) || url->port != allowed->port ||
        !str_equal_nocase(url->host, allowed->host) || !str_starts_with(url->path, allowed->path))
        return false;
    return url->path.len == len || allowed->path.at[len - 1] == '/' || url->path.at[len] == '/';
}

bool remote_url_is_segment(struct str text)
{
    if (text.len == 0 || is_dots(text))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c < ' ' || c == 0x7f || c == '/' || c == '\\')
            return false;
    }
    return true;
}

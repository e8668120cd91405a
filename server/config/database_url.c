/* SPDX-License-Identifier: MIT */
/* server/config/database_url.c - scheme, then user, hosts, ports and name, checked but not kept.
 *
 * Happy path: the scheme names the engine, every host has a valid port, escapes are whole.
 * Failure: one sentence about the part that is wrong, without its text: where a password holds an
 * unescaped slash or @, the text of any other part may belong to the password. */
#include "server/config/database_url.h"

#include "proto/url.h"

#define HIDDEN STR("****")

static const struct {
    const char *scheme;
    enum sql_dialect dialect;
} schemes[] = {
    {"postgresql", SQL_POSTGRES},
    {"postgres", SQL_POSTGRES},
    {"mysql", SQL_MYSQL},
    {"mariadb", SQL_MYSQL},
};

bool database_url_engine(struct str url, enum sql_dialect *dialect, struct str *rest)
{
    ptrdiff_t end = str_find(url, STR("://"));
    if (str_starts_with(url, STR("sqlite:"))) {
        *dialect = SQL_SQLITE;
        *rest = str_from(url, STR("sqlite:").len);
        return true;
    }
    if (end == STR_NONE)
        return false;
    struct str scheme = str_slice(url, 0, (size_t)end), driver = scheme;
    scheme = str_split(&driver, '+');
    for (size_t i = 0; i < countof(schemes); i++)
        if (str_equal_nocase(scheme, str_of(schemes[i].scheme))) {
            *dialect = schemes[i].dialect;
            *rest = str_from(url, (size_t)end + 3);
            return true;
        }
    return false;
}

static bool is_hex(char c)
{
    char lower = str_lower(c);
    return str_is_digit(c) || (lower >= 'a' && lower <= 'f');
}

static ptrdiff_t find_last(struct str text, char c)
{
    for (size_t i = text.len; i > 0; i--)
        if (text.at[i - 1] == c)
            return (ptrdiff_t)(i - 1);
    return STR_NONE;
}

static bool has_whole_escapes(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c <= ' ' || c == 0x7f)
            return false;
        if (c == '%' && (i + 2 >= text.len || !is_hex(text.at[i + 1]) || !is_hex(text.at[i + 2])))
            return false;
    }
    return true;
}

/* "host", "host:port", "[::1]:port"; a host may be missing (the engine's default, or a socket). */
static bool is_place(struct str place)
{
    uint64_t port;
    size_t host_end = 0;
    if (str_starts_with(place, STR("["))) {
        ptrdiff_t close = str_find_char(place, ']');
        if (close == STR_NONE)
            return false;
        host_end = (size_t)close + 1;
    }
    struct str rest = str_from(place, host_end);
    ptrdiff_t colon = str_find_char(rest, ':');
    if (colon == STR_NONE)
        return host_end == 0 || rest.len == 0;
    struct str text = str_from(rest, (size_t)colon + 1);
    return (host_end == 0 || colon == 0) && str_to_u64(text, &port) && port >= 1 && port <= 65535;
}

static size_t end_of_authority(struct str rest)
{
    size_t end = 0;
    while (end < rest.len && rest.at[end] != '/' && rest.at[end] != '?' && rest.at[end] != '#')
        end++;
    return end;
}

static enum err_code check_server(struct str rest, enum sql_dialect dialect, struct err *err)
{
    size_t end = end_of_authority(rest);
    struct str places = str_slice(rest, 0, end), path = str_from(rest, end);
    ptrdiff_t at = find_last(places, '@');
    if (at != STR_NONE)
        places = str_from(places, (size_t)at + 1);
    while (!str_is_absent(places))
        if (!is_place(str_split(&places, ',')))
            return err_set(err, ERR_INVALID,
                           "expected host or host:port, with a port from 1 to 65535 (in a "
                           "password, / ? # @ and %% are written %%2F %%3F %%23 %%40 %%25)");
    struct str name = str_split(&path, '?');
    if (dialect == SQL_MYSQL && name.len < 2)
        return err_set(err, ERR_INVALID,
                       "expected the name of a database: mysql://user:password@host:port/NAME");
    return ERR_OK;
}

enum err_code database_url_check(struct str url, struct err *err)
{
    enum sql_dialect dialect;
    struct str rest;
    if (!database_url_engine(url, &dialect, &rest))
        return err_set(err, ERR_INVALID,
                       "expected sqlite:PATH, postgresql://user:password@host:port/name or "
                       "mysql://user:password@host:port/name");
    if (dialect == SQL_SQLITE)
        return rest.len > 0 ? ERR_OK : err_set(err, ERR_INVALID, "expected sqlite:PATH");
    if (!has_whole_escapes(rest))
        return err_set(err, ERR_INVALID,
                       "blanks, control characters and %% are written %%20, %%0A, %%25 in a url");
    return check_server(rest, dialect, err);
}

static void mask_params(struct buf *out, struct str query)
{
    for (bool first = true; !str_is_absent(query); first = false) {
        struct str value = str_split(&query, '&'), whole = value;
        struct str name = str_split(&value, '=');
        if (!first)
            buf_push_char(out, '&');
        bool hide = !str_is_absent(value) && str_find(name, STR("pass")) != STR_NONE;
        buf_push(out, hide ? name : whole);
        if (hide)
            buf_push(out, STR("=****"));
    }
}

void database_url_mask(struct buf *out, struct str url)
{
    ptrdiff_t from = str_find(url, STR("://"));
    ptrdiff_t at = find_last(url, '@');
    size_t begin = from == STR_NONE ? 0 : (size_t)from + 3;
    struct str rest = str_from(url, begin);
    if (str_starts_with(url, STR("sqlite:"))) {
        buf_push(out, url);
        return;
    }
    buf_push(out, str_slice(url, 0, begin));
    if (at != STR_NONE && (size_t)at >= begin) {
        struct str password = str_slice(url, begin, (size_t)at), user;
        user = str_split(&password, ':');
        buf_push(out, user);
        if (!str_is_absent(password)) {
            buf_push_char(out, ':');
            buf_push(out, HIDDEN);
        }
        rest = str_from(url, (size_t)at);
    }
    struct str query = rest, place = str_split(&query, '?');
    buf_push(out, place);
    if (str_is_absent(query))
        return;
    buf_push_char(out, '?');
    mask_params(out, query);
}

void database_url_write_mysql(struct buf *out, const struct database_url_parts *parts)
{
    bool is_v6 = str_find_char(parts->host, ':') != STR_NONE;
    buf_push(out, STR("mysql://"));
    url_encode(out, parts->user);
    if (parts->password.len > 0) {
        buf_push_char(out, ':');
        url_encode(out, parts->password);
    }
    buf_push(out, is_v6 ? STR("@[") : STR("@"));
    if (is_v6)
        buf_push(out, parts->host);
    else
        url_encode(out, parts->host);
    buf_printf(out, is_v6 ? "]:%llu/" : ":%llu/", (unsigned long long)parts->port);
    url_encode(out, parts->name);
}

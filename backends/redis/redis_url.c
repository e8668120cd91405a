/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_url.c - a url to its parts, from the outside in.
 *
 * Happy path: scheme, login up to the last '@', place up to '/', the database's number; names are
 * decoded into the url's own arena.
 * Failure paths: another scheme, TLS, a part missing, malformed or not decodable: ERR_INVALID
 * naming the part. A password may hold '@' and ':' unencoded: the last '@' and the first ':'
 * divide. */
#include "backends/redis/redis_url.h"

#include "proto/url.h"

enum { MAX_BYTES = 4096, ARENA_BYTES = 4 * MAX_BYTES + 4096, DEFAULT_PORT = 6379 };
enum { MOST_DATABASES = 16384 }; /* what a server may be configured with, and more */

static enum err_code decode(struct redis_url *url, struct str text, const char *part,
                            struct str *out, struct err *err)
{
    struct str plain;
    enum err_code code = url_decode(&url->arena, text, &plain, NULL);
    if (code == ERR_OK)
        *out = arena_str(&url->arena, plain);
    if (code == ERR_NO_MEMORY || !arena_ok(&url->arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for the redis url");
    if (code != ERR_OK)
        return err_set(err, ERR_INVALID, "the %s in the redis url is not percent-encoded UTF-8",
                       part);
    return ERR_OK;
}

static enum err_code read_login(struct redis_url *url, struct str login, struct err *err)
{
    struct str password = login;
    struct str user = str_split(&password, ':');
    if (str_is_empty(password))
        return err_set(err, ERR_INVALID,
                       "the login in the redis url has no password: redis://:password@host");
    enum err_code code = decode(url, password, "password", &url->password, err);
    if (code == ERR_OK && !str_is_empty(user))
        code = decode(url, user, "user", &url->user, err);
    return code;
}

static enum err_code read_port(struct redis_url *url, struct str text, struct err *err)
{
    uint64_t port;
    if (!str_to_u64(text, &port) || port == 0 || port > UINT16_MAX)
        return err_set(err, ERR_INVALID, "the port in the redis url is not 1 to 65535");
    url->port = (unsigned)port;
    return ERR_OK;
}

static enum err_code read_place(struct redis_url *url, struct str place, struct err *err)
{
    struct str host = place, port = {0};
    if (str_starts_with(place, STR("["))) {
        ptrdiff_t end = str_find_char(place, ']');
        if (end == STR_NONE)
            return err_set(err, ERR_INVALID, "the host in the redis url lacks its ']'");
        host = str_slice(place, 1, (size_t)end);
        port = str_from(place, (size_t)end + 1);
        if (!str_is_empty(port) && port.at[0] != ':')
            return err_set(err, ERR_INVALID, "a port in the redis url is written after ':'");
        port = str_is_empty(port) ? (struct str){0} : str_from(port, 1);
    } else if (str_find_char(place, ':') != STR_NONE) {
        port = place;
        host = str_split(&port, ':');
    }
    if (str_is_empty(host))
        return err_set(err, ERR_INVALID, "the redis url names no host: redis://host:port/db");
    enum err_code code = str_is_absent(port) ? ERR_OK : read_port(url, port, err);
    return code == ERR_OK ? decode(url, host, "host", &url->host, err) : code;
}

static enum err_code read_database(struct redis_url *url, struct str text, struct err *err)
{
    uint64_t number = 0;
    if (!str_is_empty(text) && (!str_to_u64(text, &number) || number >= MOST_DATABASES))
        return err_set(err, ERR_INVALID,
                       "the database in the redis url is not a number below %d: "
                       "redis://host:port/0",
                       MOST_DATABASES);
    url->database = (unsigned)number;
    return ERR_OK;
}

enum err_code redis_url_parse(struct redis_url *url, struct str text, struct err *err)
{
    *url = (struct redis_url){.port = DEFAULT_PORT};
    arena_init(&url->arena, ARENA_BYTES);
    if (str_starts_with(text, STR("rediss://")))
        return err_set(err, ERR_INVALID,
                       "rediss:// needs TLS, which hiredis 0.14 does not have: use redis:// over a "
                       "private network or a tunnel");
    if (!str_starts_with(text, STR("redis://")) || text.len > MAX_BYTES)
        return err_set(err, ERR_INVALID, "a redis url of at most %d bytes begins with redis://",
                       MAX_BYTES);
    struct str rest = str_from(text, STR("redis://").len);
    if (str_find_char(rest, '?') != STR_NONE)
        return err_set(err, ERR_INVALID, "the redis url has parameters, and there are none");
    ptrdiff_t at = STR_NONE;
    for (size_t i = 0; i < rest.len; i++)
        at = rest.at[i] == '@' ? (ptrdiff_t)i : at;
    enum err_code code = ERR_OK;
    if (at != STR_NONE)
        code = read_login(url, str_slice(rest, 0, (size_t)at), err);
    struct str database = str_from(rest, (size_t)(at + 1));
    struct str place = str_split(&database, '/');
    if (code == ERR_OK)
        code = read_place(url, place, err);
    return code == ERR_OK ? read_database(url, database, err) : code;
}

void redis_url_fini(struct redis_url *url)
{
    arena_fini(&url->arena);
    *url = (struct redis_url){0};
}

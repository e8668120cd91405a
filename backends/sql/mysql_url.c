/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_url.c - a url to its parts, from the outside in.
 *
 * Happy path: scheme, login up to the last '@', place up to '/', database up to '?', parameters;
 * each part is decoded into the url's own arena.
 * Failure paths:
 *   a part missing, malformed or not decodable   ERR_INVALID naming the part, not its content
 *   verify_ca without ssl-ca, verify_identity
 *   with a host name, TLS over a socket          ERR_INVALID saying what to use
 *   url longer than MAX_BYTES                    ERR_INVALID
 * A password may hold '@' and ':' unencoded: the last '@' and the first ':' divide. */
#include "backends/sql/mysql_url.h"

#include <string.h>

#include "proto/url.h"

enum { MAX_BYTES = 4096, ARENA_BYTES = 4 * MAX_BYTES + 4096, DEFAULT_PORT = 3306 };

static const struct {
    const char *name;
    enum mysql_url_tls tls;
} tls_modes[] = {
    {"disabled", MYSQL_URL_TLS_DISABLED},
    {"preferred", MYSQL_URL_TLS_PREFERRED},
    {"required", MYSQL_URL_TLS_REQUIRED},
    {"verify_ca", MYSQL_URL_TLS_VERIFY_CA},
    {"verify-ca", MYSQL_URL_TLS_VERIFY_CA},
    {"verify_identity", MYSQL_URL_TLS_VERIFY_IDENTITY},
    {"verify-identity", MYSQL_URL_TLS_VERIFY_IDENTITY},
};

static enum err_code decode(struct mysql_url *url, struct str text, const char *part,
                            const char **out, struct err *err)
{
    struct str plain;
    enum err_code code = url_decode(&url->arena, text, &plain, NULL);
    if (code == ERR_NO_MEMORY ||
        (code == ERR_OK && (*out = arena_cstr(&url->arena, plain)) == NULL))
        return err_set(err, ERR_NO_MEMORY, "no memory for the database url");
    if (code != ERR_OK)
        return err_set(err, ERR_INVALID, "the %s in the database url is not percent-encoded UTF-8",
                       part);
    return ERR_OK;
}

static enum err_code read_login(struct mysql_url *url, struct str login, struct err *err)
{
    struct str password = login;
    struct str user = str_split(&password, ':');
    if (str_is_empty(user))
        return err_set(err, ERR_INVALID, "the database url names no user: mysql://user:...@host/");
    enum err_code code = decode(url, user, "user", &url->user, err);
    if (code == ERR_OK)
        code = decode(url, str_is_absent(password) ? STR("") : password, "password", &url->password,
                      err);
    return code;
}

static enum err_code read_port(struct mysql_url *url, struct str text, struct err *err)
{
    uint64_t port;
    if (!str_to_u64(text, &port) || port == 0 || port > UINT16_MAX)
        return err_set(err, ERR_INVALID, "the port in the database url is not 1 to 65535");
    url->port = (unsigned)port;
    return ERR_OK;
}

static enum err_code read_place(struct mysql_url *url, struct str place, struct err *err)
{
    struct str host = place, port = {0};
    if (str_starts_with(place, STR("["))) {
        ptrdiff_t end = str_find_char(place, ']');
        if (end == STR_NONE)
            return err_set(err, ERR_INVALID, "the host in the database url lacks its ']'");
        host = str_slice(place, 1, (size_t)end);
        port = str_from(place, (size_t)end + 1);
        if (!str_is_empty(port) && port.at[0] != ':')
            return err_set(err, ERR_INVALID, "a port in the database url is written after ':'");
        port = str_is_empty(port) ? (struct str){0} : str_from(port, 1);
    } else if (str_find_char(place, ':') != STR_NONE) {
        port = place;
        host = str_split(&port, ':');
    }
    url->port = DEFAULT_PORT;
    if (!str_is_absent(port)) {
        enum err_code code = read_port(url, port, err);
        if (code != ERR_OK)
            return code;
    }
    return str_is_empty(host) ? ERR_OK : decode(url, host, "host", &url->host, err);
}

static enum err_code read_tls(struct mysql_url *url, struct str value, struct err *err)
{
    for (size_t i = 0; i < countof(tls_modes); i++) {
        if (str_equal_nocase(value, str_of(tls_modes[i].name))) {
            url->tls = tls_modes[i].tls;
            return ERR_OK;
        }
    }
    return err_set(err, ERR_INVALID,
                   "ssl-mode in the database url is one of disabled, preferred, required, "
                   "verify_ca, verify_identity");
}

static enum err_code read_parameter(struct mysql_url *url, struct str parameter, struct err *err)
{
    struct str value = parameter;
    struct str name = str_split(&value, '=');
    const struct {
        struct str name;
        const char **file;
    } files[] = {{STR("socket"), &url->socket},
                 {STR("ssl-ca"), &url->ssl_ca},
                 {STR("ssl-cert"), &url->ssl_cert},
                 {STR("ssl-key"), &url->ssl_key}};
    if (str_equal(name, STR("ssl-mode")))
        return read_tls(url, value, err);
    for (size_t i = 0; i < countof(files); i++) {
        if (!str_equal(name, files[i].name))
            continue;
        if (str_is_empty(value))
            return err_set(err, ERR_INVALID, "the parameter '%.*s' in the database url is empty",
                           STR_ARG(name));
        return decode(url, value, "parameter", files[i].file, err);
    }
    return err_set(err, ERR_INVALID,
                   "'%.*s' in the database url is not a parameter; there are ssl-mode, ssl-ca, "
                   "ssl-cert, ssl-key and socket",
                   STR_ARG(str_utf8_prefix(name, 40)));
}

static bool is_address(const char *host)
{
    struct str rest = str_of(host);
    if (str_find_char(rest, ':') != STR_NONE) /* IPv6: names hold no colon */
        return true;
    unsigned parts = 0;
    for (; !str_is_absent(rest); parts++) {
        uint64_t part;
        if (!str_to_u64(str_split(&rest, '.'), &part) || part > UINT8_MAX)
            return false;
    }
    return parts == 4;
}

static enum err_code check_whole(const struct mysql_url *url, struct err *err)
{
    if (url->database == NULL || url->database[0] == '\0')
        return err_set(err, ERR_INVALID,
                       "the database url names no database: mysql://...@host/name");
    if ((url->host == NULL) == (url->socket == NULL))
        return err_set(err, ERR_INVALID, "the database url names a host or a socket, and not both");
    if (url->socket != NULL && url->tls > MYSQL_URL_TLS_PREFERRED)
        return err_set(err, ERR_INVALID, "ssl-mode in the database url needs a host, not a socket");
    if (url->tls == MYSQL_URL_TLS_VERIFY_CA && url->ssl_ca == NULL)
        return err_set(err, ERR_INVALID,
                       "ssl-mode=verify_ca in the database url needs ssl-ca, the file of the "
                       "authority's certificate");
    if (url->tls == MYSQL_URL_TLS_VERIFY_IDENTITY && !is_address(url->host))
        return err_set(err, ERR_INVALID,
                       "ssl-mode=verify_identity in the database url needs an address as the host: "
                       "the client library compares the certificate with the address it connects "
                       "to, not with a name; use verify_ca with an authority of your own");
    return ERR_OK;
}

enum err_code mysql_url_parse(struct mysql_url *url, struct str text, struct err *err)
{
    static const struct str schemes[] = {{"mysql://", 8}, {"mariadb://", 10}};
    *url = (struct mysql_url){.tls = MYSQL_URL_TLS_PREFERRED, .port = DEFAULT_PORT};
    arena_init(&url->arena, ARENA_BYTES);
    struct str rest = {0};
    for (size_t i = 0; i < countof(schemes); i++)
        if (str_starts_with(text, schemes[i]))
            rest = str_from(text, schemes[i].len);
    if (str_is_absent(rest) || text.len > MAX_BYTES)
        return err_set(err, ERR_INVALID,
                       "a database url of at most %d bytes begins with mysql:// or mariadb://",
                       MAX_BYTES);
    struct str query = rest;
    rest = str_split(&query, '?');
    ptrdiff_t at = STR_NONE;
    for (size_t i = 0; i < rest.len; i++)
        at = rest.at[i] == '@' ? (ptrdiff_t)i : at;
    if (at == STR_NONE)
        return err_set(err, ERR_INVALID, "the database url names no user: mysql://user:...@host/");
    struct str database = str_from(rest, (size_t)at + 1);
    struct str place = str_split(&database, '/');
    enum err_code code = read_login(url, str_slice(rest, 0, (size_t)at), err);
    if (code == ERR_OK)
        code = read_place(url, place, err);
    if (code == ERR_OK && !str_is_absent(database))
        code = decode(url, database, "database", &url->database, err);
    while (code == ERR_OK && !str_is_absent(query)) {
        struct str parameter = str_split(&query, '&');
        if (!str_is_empty(parameter))
            code = read_parameter(url, parameter, err);
    }
    return code == ERR_OK ? check_whole(url, err) : code;
}

void mysql_url_fini(struct mysql_url *url)
{
    arena_fini(&url->arena);
    *url = (struct mysql_url){0};
}

/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_http_url.c - a url from left to right: scheme, host, path, key; anything odd
 * is refused with what is expected. */
#include "backends/vectors/vec_http_url.h"

#include "proto/url.h"

enum { SEGMENTS = 2 }; /* of a path */

static enum err_code refuse_url(struct err *err, const char *name, size_t most)
{
    return err_set(err, ERR_INVALID, "expected %s:http[s]://[:KEY@]HOST[:PORT]%s", name,
                   most > 0 ? "[/TENANT/DATABASE]" : "");
}

static bool has_odd_bytes(struct str url)
{
    for (size_t i = 0; i < url.len; i++)
        if ((unsigned char)url.at[i] <= ' ' || str_find_char(STR("?#\"\\"), url.at[i]) != STR_NONE)
            return true;
    return false;
}

/* Whether path is empty or has exactly count segments, none of them empty. */
static bool is_path(struct str path, size_t count)
{
    struct str segments[SEGMENTS];
    size_t found = 0;
    if (path.len == 0)
        return true;
    if (url_split_path(path, segments, count, &found) != ERR_OK || found != count)
        return false;
    for (size_t i = 0; i < found; i++)
        if (segments[i].len == 0)
            return false;
    return true;
}

/* Take ":KEY@" from the beginning of host. False: something else is before the '@'. */
static bool take_key(struct arena *arena, struct str *host, struct str *key, struct err *err)
{
    ptrdiff_t at = str_find_char(*host, '@');
    if (at == STR_NONE)
        return true;
    struct str written = str_slice(*host, 1, (size_t)at);
    if (host->at[0] != ':' || written.len == 0 || url_decode(arena, written, key, err) != ERR_OK)
        return false;
    *host = str_from(*host, (size_t)at + 1);
    return true;
}

enum err_code vec_http_url_read(struct arena *arena, struct str url, const char *name,
                                bool has_path, struct vec_http_place *place, struct err *err)
{
    size_t most = has_path ? SEGMENTS : 0;
    struct str rest = str_from(url, str_of(name).len + 1);
    bool is_plain = str_starts_with(rest, STR("http://"));
    *place = (struct vec_http_place){.path = STR("")};
    if ((!is_plain && !str_starts_with(rest, STR("https://"))) || has_odd_bytes(url))
        return refuse_url(err, name, most);
    struct str scheme = str_slice(rest, 0, is_plain ? 7 : 8), host = str_from(rest, scheme.len);
    ptrdiff_t slash = str_find_char(host, '/');
    if (slash != STR_NONE) {
        place->path = str_from(host, (size_t)slash);
        host = str_slice(host, 0, (size_t)slash);
    }
    if (place->path.len == 1)
        place->path = STR("");
    if (!is_path(place->path, most) || !take_key(arena, &host, &place->key, err))
        return refuse_url(err, name, most);
    place->base = arena_printf(arena, "%.*s%.*s", STR_ARG(scheme), STR_ARG(host));
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory");
    bool is_host = host.len > 0 && host.at[0] != ':' && str_find_char(host, '@') == STR_NONE;
    return is_host ? ERR_OK : refuse_url(err, name, most);
}

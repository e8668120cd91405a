/* SPDX-License-Identifier: MIT */
/* server/http/route.c - compare segment by segment; tables are short.
 *
 * Failure: no pattern fits, or one fits with another method only. */
#include "server/http/route.h"

#include "proto/url.h"

static bool fits(struct str pattern, const struct str *segments, size_t count, struct str *params)
{
    size_t i = 0, param_count = 0;
    (void)str_split(&pattern, '/'); /* before the first slash */
    while (!str_is_absent(pattern)) {
        struct str part = str_split(&pattern, '/');
        if (i == count)
            return false;
        struct str segment = segments[i++];
        if (part.len > 0 && part.at[0] == '{') {
            if (segment.len == 0)
                return false;
            CHECK(param_count < ROUTE_MAX_PARAMS);
            params[param_count++] = segment;
        } else if (!str_equal(part, segment)) {
            return false;
        }
    }
    return i == count;
}

/* By what a path is asked for: bit 0 GET, bit 1 POST, bit 2 DELETE. */
static const char *name_methods(unsigned methods)
{
    static const char *const names[] = {
        "",       "GET, HEAD",         "POST",         "GET, HEAD, POST",
        "DELETE", "GET, HEAD, DELETE", "POST, DELETE", "GET, HEAD, POST, DELETE"};
    return names[methods];
}

static unsigned bit_of(enum http_method method)
{
    return method == HTTP_METHOD_GET ? 1 : method == HTTP_METHOD_POST ? 2 : 4;
}

enum err_code route_find(const struct route_table *table, enum http_method method, struct str path,
                         struct route_match *match)
{
    struct str segments[ROUTE_MAX_SEGMENTS];
    size_t count;
    unsigned methods = 0;
    *match = (struct route_match){0};
    if (table->prefix != NULL && str_starts_with(path, str_of(table->prefix)))
        match->problems = table->prefix_problems;
    if (method == HTTP_METHOD_HEAD)
        method = HTTP_METHOD_GET;
    if (url_split_path(path, segments, countof(segments), &count) != ERR_OK)
        return ERR_NOT_FOUND;
    for (size_t i = 0; i < table->count; i++) {
        const struct route *route = &table->routes[i];
        if (!fits(str_of(route->pattern), segments, count, match->params))
            continue;
        match->route = route;
        match->problems = route->problems;
        if (route->method == method)
            return ERR_OK;
        methods |= bit_of(route->method);
    }
    match->route = NULL;
    for (size_t i = 0; i < table->absent_count; i++) {
        const struct route_absent *absent = &table->absent[i];
        if (absent->method == method &&
            fits(str_of(absent->pattern), segments, count, match->params))
            match->feature = absent->feature;
    }
    if (methods == 0)
        return ERR_NOT_FOUND;
    match->allow = name_methods(methods);
    return ERR_REJECTED;
}

size_t route_index(const struct route_table *table, const struct route *route)
{
    return route == NULL ? table->count : (size_t)(route - table->routes);
}

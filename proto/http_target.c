/* SPDX-License-Identifier: MIT */
/* proto/http_target.c - a table of methods, and a scan each.
 *
 * Failure: an unknown method, a host that is none. */
#include "proto/http_target.h"

static const char *const methods[HTTP_METHOD_COUNT] = {
    [HTTP_METHOD_GET] = "GET",         [HTTP_METHOD_HEAD] = "HEAD",
    [HTTP_METHOD_POST] = "POST",       [HTTP_METHOD_PUT] = "PUT",
    [HTTP_METHOD_DELETE] = "DELETE",   [HTTP_METHOD_OPTIONS] = "OPTIONS",
    [HTTP_METHOD_PATCH] = "PATCH",     [HTTP_METHOD_TRACE] = "TRACE",
    [HTTP_METHOD_CONNECT] = "CONNECT",
};

bool http_target_method(struct str text, enum http_method *method)
{
    for (size_t i = 0; i < HTTP_METHOD_COUNT; i++) {
        if (!str_equal(text, str_of(methods[i])))
            continue;
        *method = (enum http_method)i;
        return true;
    }
    return false;
}

bool http_target_is_host(struct str host)
{
    static const struct str marks = {"-._~%!$&'()*+,;=", 16};
    size_t i = 0;
    if (host.len > 0 && host.at[0] == '[') {
        while (i < host.len && host.at[i] != ']')
            i++;
        struct str address = str_slice(host, 1, i);
        for (size_t at = 0; at < address.len; at++)
            if (str_find_char(STR("0123456789abcdef:."), str_lower(address.at[at])) == STR_NONE)
                return false;
        if (address.len < 2 || i == host.len)
            return false;
        i++;
    } else {
        while (i < host.len && (str_is_alpha(host.at[i]) || str_is_digit(host.at[i]) ||
                                str_find_char(marks, host.at[i]) != STR_NONE))
            i++;
    }
    if (i == 0 || i == host.len)
        return i > 0;
    if (host.at[i] != ':')
        return false;
    for (i++; i < host.len; i++)
        if (!str_is_digit(host.at[i]))
            return false;
    return true;
}

void http_target_split(struct str target, struct str *path, struct str *query)
{
    *query = target;
    *path = str_split(query, '?');
    if (path->len == 0)
        *path = STR("/");
}

/* SPDX-License-Identifier: MIT */
/* agents/charts/check_path.c - makes pointers: parent, slash, name. */
#include "agents/charts/check_path.h"

#include <stdio.h>

#include "proto/json_value.h"

enum { KEY_BYTES = 32 };

struct charts_check_path charts_check_path_member(const char *parent, struct str key)
{
    struct charts_check_path path;
    key = str_utf8_prefix(key, KEY_BYTES);
    int len = snprintf(path.text, sizeof path.text, "%s/%.*s", parent, STR_ARG(key));
    if (len < 0 || (size_t)len >= sizeof path.text)
        snprintf(path.text, sizeof path.text, "%s", parent);
    return path;
}

struct charts_check_path charts_check_path_item(const char *parent, size_t index)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", index);
    return charts_check_path_member(parent, str_of(digits));
}

enum err_code charts_check_path_expect(struct err *err, const char *path, const char *what,
                                       const struct json_value *got)
{
    return err_set(err, ERR_INVALID, "%s: expected %s, got %s", path, what,
                   json_value_type_name(got));
}

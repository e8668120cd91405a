/* SPDX-License-Identifier: MIT */
/* agents/charts/check_path.h - the JSON pointer of what is being looked at, and what is wrong
 * there. Any thread. */
#ifndef AGENTS_CHARTS_CHECK_PATH_H
#define AGENTS_CHARTS_CHECK_PATH_H

#include "core/base/err.h"
#include "core/base/str.h"

struct json_value;

enum { CHARTS_CHECK_PATH_BYTES = 192 };

struct charts_check_path {
    char text[CHARTS_CHECK_PATH_BYTES];
};

/* A member of, and an item in what parent points at. A long key is cut; what is too deep to be said
 * has its ancestor's pointer. */
struct charts_check_path charts_check_path_member(const char *parent, struct str key);
struct charts_check_path charts_check_path_item(const char *parent, size_t index);
/* ERR_INVALID: "/type: expected the name of a chart, got a number". got NULL: nothing. */
enum err_code charts_check_path_expect(struct err *err, const char *path, const char *what,
                                       const struct json_value *got);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/charts/check_path.h - the JSON pointer of the value that is being checked, and the error
 * message that names it. Any thread. */
#ifndef AGENTS_CHARTS_CHECK_PATH_H
#define AGENTS_CHARTS_CHECK_PATH_H

#include "core/base/err.h"
#include "core/base/str.h"

struct json_value;

enum { CHARTS_CHECK_PATH_BYTES = 192 };

struct charts_check_path {
    char text[CHARTS_CHECK_PATH_BYTES];
};

/* The pointer of a member of the value that parent points at, and of an item in it. A long key is
 * cut; a value too deep for the buffer gets the pointer of its ancestor. */
struct charts_check_path charts_check_path_member(const char *parent, struct str key);
struct charts_check_path charts_check_path_item(const char *parent, size_t index);
/* Set err to ERR_INVALID: "/type: expected the name of a chart, got a number". got NULL: the
 * message says "got nothing". */
enum err_code charts_check_path_expect(struct err *err, const char *path, const char *what,
                                       const struct json_value *got);

#endif

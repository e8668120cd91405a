/* SPDX-License-Identifier: MIT */
/* agents/charts/check_path.h - the JSON pointer of what is being looked at. Any thread. */
#ifndef AGENTS_CHARTS_CHECK_PATH_H
#define AGENTS_CHARTS_CHECK_PATH_H

#include "core/base/str.h"

enum { CHARTS_CHECK_PATH_BYTES = 192 };

struct charts_check_path {
    char text[CHARTS_CHECK_PATH_BYTES];
};

/* A member of, and an item in what parent points at. A long key is cut; what is too deep to be said
 * has its ancestor's pointer. */
struct charts_check_path charts_check_path_member(const char *parent, struct str key);
struct charts_check_path charts_check_path_item(const char *parent, size_t index);

#endif

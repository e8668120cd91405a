/* SPDX-License-Identifier: MIT */
/* agents/common/members.h - JSON members without their braces, for reports and state events.
 *
 * Each function appends "key":value to out, after a comma when out is not empty. Absent values
 * append nothing. Any thread. */
#ifndef AGENTS_COMMON_MEMBERS_H
#define AGENTS_COMMON_MEMBERS_H

#include "core/base/buf.h"

void members_str(struct buf *out, const char *key, struct str value);
/* Append value, which is one JSON value already. */
void members_raw(struct buf *out, const char *key, struct str value);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_calls.h - how many bytes a call gives at most, from those of its
 * arguments. Private to bounds_weight.c. Constant data; pure. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_CALLS_H
#define AGENTS_SQL_BOUNDS_BOUNDS_CALLS_H

#include "core/base/str.h"

enum { SQL_BOUNDS_CALLS_SMALL = 64 }; /* bytes of a number, a date, a truth value */

struct sql_bounds_argument {
    double bytes;
    bool is_number; /* a literal one, in number */
    double number;
    bool is_text; /* a literal one: bytes is exact */
};

struct sql_bounds_call {
    struct str name;
    const struct sql_bounds_argument *arguments; /* as many as given, at most _ARGUMENTS_MOST */
    size_t count;
    double sum, largest; /* bytes of all arguments, and of the largest */
    double rows;         /* that an aggregate may gather */
};

enum { SQL_BOUNDS_CALLS_ARGUMENTS_MOST = 4 };

double sql_bounds_calls_bytes(const struct sql_bounds_call *call);
/* Whether the function seeks one argument in another: its work is their product. */
bool sql_bounds_calls_seeks(struct str name);

#endif

/* SPDX-License-Identifier: MIT */
/* core/base/defs.c - the end of the road for a failed CHECK: say where, abort. */
#include "core/base/defs.h"

#include <stdio.h>
#include <stdlib.h>

NORETURN void defs_check_failed(const char *file, int line, const char *cond)
{
    fprintf(stderr, "askd: bug: %s:%d: CHECK(%s)\n", file, line, cond);
    abort();
}

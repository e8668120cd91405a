/* SPDX-License-Identifier: MIT */
/* server/observe/meter_family.c - the label text is formatted into the arena, then the series
 * declared.
 *
 * Failure: no memory, or the arena is spent. */
#include "server/observe/meter_family.h"

#include <stdarg.h>
#include <stdio.h>

enum { LABEL_BYTES = 256 };

bool meter_family_add(const struct meter_family *family, unsigned *index, const char *fmt, ...)
{
    char text[LABEL_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *labels = arena_cstr(family->arena, str_of(text));
    if (labels == NULL || metrics_declare(family->schema, family->type, family->name, labels,
                                          family->help, index) != ERR_OK)
        return false;
    if (family->only_changed)
        metrics_show_changed(family->schema, family->name);
    return true;
}

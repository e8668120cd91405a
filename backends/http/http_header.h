/* SPDX-License-Identifier: MIT */
/* backends/http/http_header.h - a header of a request, as callers give it. */
#ifndef BACKENDS_HTTP_HTTP_HEADER_H
#define BACKENDS_HTTP_HTTP_HEADER_H

#include "core/base/str.h"

struct http_header {
    struct str name, value;
};

enum { HTTP_WANTED_MOST = 2 };

/* A header of the answer that the caller wants to see: from on_head on its value is in room, which
 * is kept until done; "": not there, or longer than size - 1. Values of a header that is said
 * several times are one, with ", " between them. */
struct http_wanted {
    const char *name; /* NULL: none */
    char *room;
    size_t size;
};

#endif

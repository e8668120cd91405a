/* SPDX-License-Identifier: MIT */
/* backends/http/http_header.h - a header of a request, as callers give it. */
#ifndef BACKENDS_HTTP_HTTP_HEADER_H
#define BACKENDS_HTTP_HTTP_HEADER_H

#include "core/base/str.h"

struct http_header {
    struct str name, value;
};

#endif

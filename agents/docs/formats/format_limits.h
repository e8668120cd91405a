/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/format_limits.h - how much of a file is read. Constants; no functions. */
#ifndef AGENTS_DOCS_FORMATS_FORMAT_LIMITS_H
#define AGENTS_DOCS_FORMATS_FORMAT_LIMITS_H

enum {
    FORMATS_MAX_FILE = 64 << 20,      /* bytes of a file */
    FORMATS_MAX_EXPANDED = 256 << 20, /* bytes of all that is unpacked of one file */
    FORMATS_MAX_PAGES = 2000,
};

#endif

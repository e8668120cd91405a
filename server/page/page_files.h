/* SPDX-License-Identifier: MIT */
/* server/page/page_files.h - the files of server/page, as the build found them.
 *
 * page_files.c is made by cmake/embed_page.cmake. Static data; any thread. */
#ifndef SERVER_PAGE_PAGE_FILES_H
#define SERVER_PAGE_PAGE_FILES_H

#include "core/base/str.h"

struct page_file {
    const char *name; /* "main.js" */
    const char *type; /* Content-Type */
    const char *etag; /* without quotes */
    struct str plain, gzipped;
};

extern const struct page_file page_files_table[];
extern const size_t page_files_count;
/* Of all files together: the folder their addresses are in. */
extern const char page_files_version[];

#endif

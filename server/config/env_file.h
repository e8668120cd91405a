/* SPDX-License-Identifier: MIT */
/* server/config/env_file.h - the dialect of .env files: NAME=value lines -> names and values.
 *
 * "export " in front is skipped; # begins a comment at the start of a line or after a blank; single
 * quotes are literal, double quotes know \n \t \" \\ \$; nothing is interpolated. Later lines win.
 * Any thread. */
#ifndef SERVER_CONFIG_ENV_FILE_H
#define SERVER_CONFIG_ENV_FILE_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

struct env_file_item {
    struct str name, value;
    struct env_file_item *next; /* the one read before */
};

/* Parse text into *items; names and values live in arena. Each bad line is skipped and adds one
 * line to *problems, with source (such as "`.env`") and line number. ERR_INVALID: there was a bad
 * line. ERR_NO_MEMORY. */
MUST_USE enum err_code env_file_parse(struct str text, const char *source, struct arena *arena,
                                      struct env_file_item **items, struct buf *problems);
/* The last value of name; the absent string: none. */
struct str env_file_find(const struct env_file_item *items, struct str name);
/* Read a whole file of at most max bytes into arena. ERR_NOT_FOUND: there is no such file.
 * Blocking. */
MUST_USE enum err_code env_file_read(const char *path, size_t max, struct arena *arena,
                                     struct str *text, struct err *err);

#endif

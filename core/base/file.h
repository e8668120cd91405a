/* SPDX-License-Identifier: MIT */
/* core/base/file.h - a whole file into a buf. Blocking: start-up, reload and commands only. */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include "core/base/buf.h"
#include "core/base/err.h"

/* Append the bytes of path to out, within its limit. ERR_NOT_FOUND: it cannot be opened;
 * ERR_TOO_LARGE: it does not fit (or no memory); ERR_UNAVAILABLE: reading it broke. The text names
 * the path and says why. */
MUST_USE enum err_code file_read(const char *path, struct buf *out, struct err *err);
/* Make the folders that path, of a file, is in, with these permissions where they are absent.
 * ERR_INVALID: path is too long; ERR_UNAVAILABLE: one cannot be made. */
MUST_USE enum err_code file_make_folders(const char *path, unsigned mode, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/archive.h - the files of a ZIP archive in memory, within limits of number and
 * unpacked size. Blocking; one thread. */
#ifndef AGENTS_DOCS_FORMATS_ARCHIVE_H
#define AGENTS_DOCS_FORMATS_ARCHIVE_H

#include "core/base/buf.h"
#include "core/base/err.h"

struct archive;

/* bytes are borrowed until closed. NULL: err says why (ERR_INVALID: it is no archive, or a locked
 * one; ERR_TOO_LARGE). */
struct archive *archive_open(struct str bytes, struct err *err);
void archive_close(struct archive *archive); /* NULL is fine */
/* Unpack the file of that path into out, which is cleared first. ERR_NOT_FOUND: there is none;
 * ERR_INVALID: it is broken; ERR_TOO_LARGE: all that was unpacked is more than
 * FORMATS_MAX_EXPANDED. */
MUST_USE enum err_code archive_read(struct archive *archive, const char *path, struct buf *out,
                                    struct err *err);

#endif

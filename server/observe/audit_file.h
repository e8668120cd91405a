/* SPDX-License-Identifier: MIT */
/* server/observe/audit_file.h - a file of lines that must not get lost, written by a thread of its
 * own.
 *
 * Lines are put into a bounded buffer by any thread, which never waits for a disk, and are appended
 * in the order they came. What the disk does not take is kept and tried again each second; once the
 * buffer is full, a put says so, and its caller counts the line. At AUDIT_FILE_ROTATE_BYTES the
 * file is renamed to PATH.YYYYMMDDTHHMMSSZ and a new one begun; no file is ever deleted. */
#ifndef SERVER_OBSERVE_AUDIT_FILE_H
#define SERVER_OBSERVE_AUDIT_FILE_H

#include "core/base/err.h"
#include "core/base/log.h"

enum {
    AUDIT_FILE_ROTATE_BYTES = 64 * 1024 * 1024,
    AUDIT_FILE_BUFFER_BYTES = 8 * 1024 * 1024,
};

struct audit_file;

struct audit_file_options {
    const char *path;      /* borrowed, as is log */
    const struct log *log; /* says when the file cannot be written, and when it can again */
    uint64_t rotate_bytes; /* 0: AUDIT_FILE_ROTATE_BYTES */
    size_t buffer_bytes;   /* 0: AUDIT_FILE_BUFFER_BYTES */
};

/* Open the file for appending, and start the thread. NULL: err names the path and what is wrong. */
struct audit_file *audit_file_open(const struct audit_file_options *options, struct err *err);
/* Write what is left, once, and end the thread; nobody may put lines any more. NULL is fine. */
void audit_file_close(struct audit_file *file);
/* Take line, which ends with a newline. False: there is no room, and nothing of it is kept. */
MUST_USE bool audit_file_put(struct audit_file *file, struct str line);
/* Open the file by its path again, since somebody moved it; the thread does it, soon. */
void audit_file_reopen(struct audit_file *file);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/extract/extract.h - the text of a file, read by a child process of askd without rights,
 * so that a file made to harm can harm nothing.
 *
 * The child is the same program, started as `askd document-worker FORMAT`: the file on its standard
 * input, HTML on its standard output, or why not and exit status 1. It is killed, with what it
 * started, when it is late or the operation is cancelled. One loop, one thread. */
#ifndef BACKENDS_EXTRACT_EXTRACT_H
#define BACKENDS_EXTRACT_EXTRACT_H

#include "core/base/buf.h"
#include "core/loop/op.h"

enum { EXTRACT_TIMEOUT_MS = 60 * 1000, EXTRACT_MAX_TEXT = 16 << 20 };

struct extract_options {
    const char *program; /* what to start: askd itself */
    const char *format;  /* "pdf" */
    struct str bytes;    /* of the file; borrowed until done */
    uint64_t timeout_ms; /* 0: EXTRACT_TIMEOUT_MS */
};

struct extract_child;

struct extract {
    /* "docs.extract": ERR_INVALID: the file is none, a broken or locked one; ERR_TOO_LARGE;
     * ERR_TIMEOUT; ERR_NOT_CONFIGURED: a program is missing; ERR_UNAVAILABLE; ERR_NO_MEMORY;
     * ERR_CANCELLED. */
    struct op op;
    struct buf text; /* the result, valid in done with ERR_OK, until release: HTML */
    /* private */
    struct extract_child *child;
};

/* extract is zeroed before its first start. */
void extract_start(struct extract *extract, struct loop *loop,
                   const struct extract_options *options, struct op_waiter waiter);

#endif

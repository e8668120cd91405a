/* SPDX-License-Identifier: MIT */
/* backends/http/resolve.h - a host name to numeric addresses without blocking the loop.
 *
 * libpq, Connector/C and hiredis would look names up blockingly, so they get numbers. Numeric hosts
 * are answered without a lookup. Answers are not kept: connections are few, and a moved database is
 * found again. One loop, one thread. */
#ifndef BACKENDS_HTTP_RESOLVE_H
#define BACKENDS_HTTP_RESOLVE_H

#include "core/base/str.h"
#include "core/loop/op.h"

enum { RESOLVE_MAX_ADDRESSES = 8, RESOLVE_ADDRESS_BYTES = 48 };

struct resolve {
    struct op op;                                                 /* "resolve" */
    char addresses[RESOLVE_MAX_ADDRESSES][RESOLVE_ADDRESS_BYTES]; /* "127.0.0.1", "::1" */
    size_t address_count;
    /* private */
    void *request; /* libuv's, heap: outlives a cancelled lookup */
};

/* Look host up (copied). ERR_UNAVAILABLE: there is no such name, or nobody to ask; text names it.
 */
void resolve_start(struct resolve *resolve, struct loop *loop, struct str host,
                   struct op_waiter waiter);

#endif

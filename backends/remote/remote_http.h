/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_http.h - one call of an HTTP tool: arguments -> a request -> a text.
 *
 * The address that comes out of the arguments is held against the file's list once more, redirects
 * are not followed, and what may not be made twice is made once. One loop, one thread. */
#ifndef BACKENDS_REMOTE_REMOTE_HTTP_H
#define BACKENDS_REMOTE_REMOTE_HTTP_H

#include "backends/http/http_client.h"
#include "backends/remote/remote_file.h"

/* Start call, which is of tool, one of file's, and keeps file until its release; client outlives
 * it. */
void remote_http_start(struct remote_call *call, struct loop *loop, struct http_client *client,
                       struct remote_file *file, const struct remote_file_http *tool,
                       struct op_waiter waiter);

#endif

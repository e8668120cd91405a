/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_tools.h - the tools of a file (remote_file.h) as a struct remote. */
#ifndef BACKENDS_REMOTE_REMOTE_TOOLS_H
#define BACKENDS_REMOTE_REMOTE_TOOLS_H

#include "backends/http/http_client.h"
#include "backends/remote/remote_file.h"
#include "core/base/log.h"

/* client and log outlive it; it has a reference of file. NULL: no memory. */
struct remote *remote_tools_create(struct loop *loop, struct http_client *client,
                                   struct remote_file *file, const struct log *log);
/* Of a remote that was made here: list and call the tools of file from now on. Calls that are under
 * way end as they would have, with the file they began with; then its sessions end. ERR_NO_MEMORY:
 * nothing has changed. */
MUST_USE enum err_code remote_tools_use(struct remote *remote, struct remote_file *file);

#endif

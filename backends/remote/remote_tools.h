/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_tools.h - the tools of a file (remote_file.h) as a struct remote. */
#ifndef BACKENDS_REMOTE_REMOTE_TOOLS_H
#define BACKENDS_REMOTE_REMOTE_TOOLS_H

#include "backends/http/http_client.h"
#include "backends/remote/remote_file.h"
#include "core/base/log.h"

/* file, client and log outlive it. NULL: no memory. */
struct remote *remote_tools_create(struct loop *loop, struct http_client *client,
                                   const struct remote_file *file, const struct log *log);

#endif

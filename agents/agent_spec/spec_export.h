/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_export.h - the file of a graph -> a document of Agent Spec.
 *
 * What Agent Spec has no place for is refused with its JSON pointer. Whether the graph is right is
 * graph_file_read's to say. */
#ifndef AGENTS_AGENT_SPEC_SPEC_EXPORT_H
#define AGENTS_AGENT_SPEC_SPEC_EXPORT_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

#define SPEC_EXPORT_VERSION "26.1.2"

/* The text of the file that holds another graph, in arena; absent: there is none. */
typedef struct str spec_export_find_fn(void *owner, struct str name, struct arena *arena);

/* Append the document. ERR_INVALID: "PATH: POINTER: what is wrong"; ERR_NO_MEMORY. */
MUST_USE enum err_code spec_export_write(const char *path, struct str text,
                                         spec_export_find_fn *find, void *owner, struct buf *out,
                                         struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/tools/remote.h - tools outside (backends/remote.h) as tools that a model may call. */
#ifndef AGENTS_TOOLS_REMOTE_H
#define AGENTS_TOOLS_REMOTE_H

#include "agents/tools/call.h"
#include "backends/remote.h"

/* from, copied into arena, as a tool. False: no memory. */
MUST_USE bool tools_remote_make(const struct remote_tool *from, struct arena *arena,
                                struct tool *tool);
/* Whether agents of the graph called graph offer from although they do not name it. */
bool tools_remote_is_for(const struct remote_tool *from, struct str graph);

#endif

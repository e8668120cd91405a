/* SPDX-License-Identifier: MIT */
/* agents/tools/list.h - every tool that agents/tools/tools.inc names, and those of a run.
 * Immutable; any thread. */
#ifndef AGENTS_TOOLS_LIST_H
#define AGENTS_TOOLS_LIST_H

#include "agents/tools/call.h"
#include "backends/llm_prompt.h"

/* The tools called names (NULL after the last) that this deployment has, NULL after the last, in
 * arena. NULL: no memory. A name that is none is a CHECK. */
const struct tool *const *tools_list_pick(const char *const *names, const struct services *has,
                                          const struct knowledge *knows, struct arena *arena);
/* The tool called name, whether the deployment has it or not; NULL: there is none. */
const struct tool *tools_list_find(struct str name);
/* Append the names of all tools, with commas. */
void tools_list_write(struct buf *out);
/* The tools as a prompt offers them; *count: how many. NULL: no memory. */
const struct llm_tool *tools_list_offer(const struct tool *const *tools, struct arena *arena,
                                        size_t *count);

#endif

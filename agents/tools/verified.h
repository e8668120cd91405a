/* SPDX-License-Identifier: MIT */
/* agents/tools/verified.h - verified statements of semantic.json as tools with a name: a model
 * gives arguments, the statement is a person's, and who asks comes from the caller alone. */
#ifndef AGENTS_TOOLS_VERIFIED_H
#define AGENTS_TOOLS_VERIFIED_H

#include "agents/semantic/model.h"
#include "agents/tools/call.h"

/* Fill tool from a statement that is callable. False: no memory. */
MUST_USE bool tools_verified_make(const struct semantic_verified *from, struct arena *arena,
                                  struct tool *tool);

#endif

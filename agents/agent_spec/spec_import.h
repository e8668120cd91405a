/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_import.h - a document of Agent Spec (25.4.1 to 26.2.0) -> graphs in files,
 * and the file of the tools that they call.
 *
 * The root is a Flow, or an Agent, which becomes a graph of one agent. What cannot be mapped is
 * refused with its JSON pointer. */
#ifndef AGENTS_AGENT_SPEC_SPEC_IMPORT_H
#define AGENTS_AGENT_SPEC_SPEC_IMPORT_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct spec_import;

/* Read text, which is what the file at path holds. ERR_INVALID: "PATH: POINTER: what is wrong";
 * ERR_NO_MEMORY. The result is the caller's. */
MUST_USE enum err_code spec_import_read(const char *path, struct str text, struct spec_import **out,
                                        struct err *err);
/* NULL is fine. */
void spec_import_destroy(struct spec_import *import);
/* The graphs: first the one of the root. */
size_t spec_import_count(const struct spec_import *import);
const char *spec_import_name(const struct spec_import *import, size_t i);
struct str spec_import_text(const struct spec_import *import, size_t i);
/* The file of tools; empty: none is needed. */
struct str spec_import_tools(const struct spec_import *import);

#endif

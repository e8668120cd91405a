/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/indent.h - JSON as a person edits it: over several lines, lists of strings on
 * one. Pure. */
#ifndef SERVER_CLI_SEMANTIC_INDENT_H
#define SERVER_CLI_SEMANTIC_INDENT_H

#include "core/base/buf.h"

/* Append json, which is valid and has no blanks between its parts, and a newline. */
void semantic_indent(struct str json, struct buf *out);

#endif

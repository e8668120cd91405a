/* SPDX-License-Identifier: MIT */
/* agents/tools/arguments.h - arguments as models write them, made what a tool's schema means.
 *
 * Pure; any thread. */
#ifndef AGENTS_TOOLS_ARGUMENTS_H
#define AGENTS_TOOLS_ARGUMENTS_H

#include "proto/json_value.h"

/* arguments without the members that are null where schema has them optional and of another type:
 * models write null for what they do not give. The text is in arena; absent: there is no such
 * member, or no memory. */
struct str tools_arguments_without_nulls(const struct json_value *schema,
                                         const struct json_value *arguments, struct arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* server/config/config_tools.h - the tools outside (ASKD_TOOLS) of a configuration.
 *
 * The file of tools is the one part of a configuration that changes in use. The thread that owns
 * the configuration changes it, and no other reads it from there: each gets a reference of its own.
 */
#ifndef SERVER_CONFIG_CONFIG_TOOLS_H
#define SERVER_CONFIG_CONFIG_TOOLS_H

#include "server/config/config.h"

/* Whether a struct config has, or may have, a tool of that name (remote_file_may_have). */
bool config_has_tool(const void *config, struct str name);
/* Give config the tools of fresh, which gets the old ones. False: nothing was changed, as one of
 * them has none, or both have the same. */
bool config_take_tools(struct config *config, struct config *fresh);

#endif

/* SPDX-License-Identifier: MIT */
/* server/config/config_tools.c - what a configuration's file of tools holds, and taking a new one.
 */
#include "server/config/config_tools.h"

#include "backends/remote/remote_file.h"

bool config_take_tools(struct config *config, struct config *fresh)
{
    struct remote_file *old = config->tools;
    if (old == NULL || fresh->tools == NULL || remote_file_is_same(old, fresh->tools))
        return false;
    config->tools = fresh->tools;
    fresh->tools = old;
    return true;
}

bool config_has_tool(const void *config, struct str name)
{
    return remote_file_may_have(((const struct config *)config)->tools, name);
}

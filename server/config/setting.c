/* SPDX-License-Identifier: MIT */
/* server/config/setting.c - entries of the table of settings. */
#include "server/config/setting.h"

#include "server/config/config_internal.h"

bool setting_at(size_t at, struct setting *out)
{
    if (at >= config_table_count)
        return false;
    const struct config_entry *entry = &config_table[at];
    *out = (struct setting){.name = entry->name,
                            .flag = entry->flag,
                            .initial = entry->initial,
                            .help = entry->help,
                            .is_count = entry->type == CONFIG_COUNT};
    return true;
}

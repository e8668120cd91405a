/* SPDX-License-Identifier: MIT */
/* agents/services.c - a worker's join finder, kept as long as the knowledge it was made for. */
#include "agents/services.h"

#include "agents/sql/join_path.h"

struct join_finder *services_keep_finder(struct finder_slot *slot, const struct knowledge *knows,
                                         const struct limits *limits)
{
    if (slot->finder != NULL && slot->serial == knows->serial && knows->serial != 0)
        return slot->finder;
    struct join_finder_options options = {limits->sql_confidence_threshold, limits->sql_max_hops};
    services_drop_finder(slot);
    slot->finder = join_finder_create(knows->joins, &options);
    slot->serial = knows->serial;
    return slot->finder;
}

void services_drop_finder(struct finder_slot *slot)
{
    join_finder_destroy(slot->finder);
    *slot = (struct finder_slot){0};
}

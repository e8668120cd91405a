/* SPDX-License-Identifier: MIT */
/* server/observe/meter_family.h - declaring the series of one name, whose labels are made here. */
#ifndef SERVER_OBSERVE_METER_FAMILY_H
#define SERVER_OBSERVE_METER_FAMILY_H

#include "core/base/arena.h"
#include "core/observe/metrics.h"

struct meter_family {
    struct metrics_schema *schema;
    struct arena *arena; /* of the labels; the schema borrows them */
    enum metric_type type;
    const char *name, *help;
    bool only_changed; /* see metrics_show_changed */
};

/* One series, labelled as fmt says. False: no memory. */
MUST_USE bool meter_family_add(const struct meter_family *family, unsigned *index, const char *fmt,
                               ...) PRINTF(3, 4);

#endif

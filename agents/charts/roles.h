/* SPDX-License-Identifier: MIT */
/* agents/charts/roles.h - which of a table's columns take part in a chart, and as what.
 *
 * Columns that say the same thing twice are taken once: a key beside the name it stands for, a code
 * beside its label, a constant. Any thread. */
#ifndef AGENTS_CHARTS_ROLES_H
#define AGENTS_CHARTS_ROLES_H

#include "agents/charts/shape.h"

enum { CHARTS_ROLES_MAX = 32, CHARTS_ROLES_NONE = -1 };

struct charts_roles {
    const struct charts_shape *shape;
    int times[CHARTS_ROLES_MAX], categories[CHARTS_ROLES_MAX], measures[CHARTS_ROLES_MAX];
    size_t time_count, category_count, measure_count;
    bool rows_apart; /* a key, now dropped, tells every row from all others */
    int key;         /* or it tells the values of category apart that look alike; NONE: no key */
    int keyed;       /* that category */
};

static inline const struct charts_shape_column *
charts_roles_column(const struct charts_roles *roles, int column)
{
    return &roles->shape->columns[column];
}

/* None has a role when there are more than CHARTS_ROLES_MAX. False: no memory. */
MUST_USE bool charts_roles_find(const struct charts_shape *shape, struct arena *arena,
                                struct charts_roles *roles);

#endif

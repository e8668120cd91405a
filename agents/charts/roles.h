/* SPDX-License-Identifier: MIT */
/* agents/charts/roles.h - which of a table's columns take part in a chart, and as what.
 *
 * Of columns that say the same thing one takes part: a key beside the name it stands for, a code
 * beside its label and a constant are dropped. Any thread. */
#ifndef AGENTS_CHARTS_ROLES_H
#define AGENTS_CHARTS_ROLES_H

#include "agents/charts/shape.h"

enum { CHARTS_ROLES_MAX = 32, CHARTS_ROLES_NONE = -1 };

struct charts_roles {
    const struct charts_shape *shape;
    int times[CHARTS_ROLES_MAX], categories[CHARTS_ROLES_MAX], measures[CHARTS_ROLES_MAX];
    size_t time_count, category_count, measure_count;
    bool rows_apart; /* a key that was dropped differs in every row */
    int key;         /* a key that tells equal values of keyed apart; or NONE */
    int keyed;       /* the category that key is for; or NONE */
};

static inline const struct charts_shape_column *
charts_roles_column(const struct charts_roles *roles, int column)
{
    return &roles->shape->columns[column];
}

/* Find the roles of the columns of shape. Of a table with more than CHARTS_ROLES_MAX columns none
 * has a role. False: no memory. */
MUST_USE bool charts_roles_find(const struct charts_shape *shape, struct arena *arena,
                                struct charts_roles *roles);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/charts/roles.c - sorts columns by kind, then drops those that repeat others.
 *
 * Happy path: keys are dropped where another column names their rows; then columns whose values
 * stand one to one with those of another; then constants. Failure: no memory; of more columns than
 * CHARTS_ROLES_MAX none has a role. */
#include "agents/charts/roles.h"

static void drop_at(int *columns, size_t *count, size_t at)
{
    for (size_t i = at + 1; i < *count; i++)
        columns[i - 1] = columns[i];
    *count -= 1;
}

static bool determines(const struct charts_roles *roles, int by, int column, struct arena *arena)
{
    return charts_shape_determines(roles->shape, (size_t)by, (size_t)column, arena);
}

/* The first category other than key that has one value for each value of key; or CHARTS_ROLES_NONE.
 */
static int find_named(const struct charts_roles *roles, int key, struct arena *arena)
{
    for (size_t i = 0; i < roles->category_count; i++) {
        int column = roles->categories[i];
        if (!charts_roles_column(roles, column)->is_key && determines(roles, key, column, arena))
            return column;
    }
    return CHARTS_ROLES_NONE;
}

static bool is_label_left(const struct charts_roles *roles)
{
    for (size_t i = 0; i < roles->category_count; i++)
        if (!charts_roles_column(roles, roles->categories[i])->is_key)
            return true;
    return roles->time_count > 0;
}

static void drop_keys(struct charts_roles *roles, struct arena *arena)
{
    size_t rows = roles->shape->row_count;
    for (size_t i = roles->category_count; i-- > 0;) {
        int key = roles->categories[i];
        if (!charts_roles_column(roles, key)->is_key)
            continue;
        bool is_unique = charts_roles_column(roles, key)->distinct == rows;
        int named = find_named(roles, key, arena);
        bool is_said = is_label_left(roles) && (is_unique || named != CHARTS_ROLES_NONE);
        if (is_said && is_unique) {
            roles->rows_apart = true;
        } else if (is_said) {
            roles->key = key;
            roles->keyed = named;
        } else if (i == 0 || charts_roles_column(roles, roles->categories[0])->distinct != rows) {
            continue; /* nothing else names the rows */
        }
        drop_at(roles->categories, &roles->category_count, i);
    }
}

static bool is_repeat(const struct charts_roles *roles, int column, int of, struct arena *arena)
{
    return determines(roles, of, column, arena) && determines(roles, column, of, arena);
}

/* Categories that stand one to one with a time or an earlier category. */
static void drop_repeats(struct charts_roles *roles, struct arena *arena)
{
    for (size_t i = roles->category_count; i-- > 0;) {
        bool repeats = roles->time_count == 1 &&
                       is_repeat(roles, roles->categories[i], roles->times[0], arena);
        for (size_t earlier = 0; earlier < i && !repeats; earlier++)
            repeats = is_repeat(roles, roles->categories[i], roles->categories[earlier], arena);
        if (repeats)
            drop_at(roles->categories, &roles->category_count, i);
    }
}

/* Of two times the finer one says it all. */
static void drop_coarse_times(struct charts_roles *roles, struct arena *arena)
{
    for (size_t i = roles->time_count; i-- > 0;)
        for (size_t other = 0; other < roles->time_count; other++)
            if (other != i && determines(roles, roles->times[other], roles->times[i], arena)) {
                drop_at(roles->times, &roles->time_count, i);
                break;
            }
}

static void drop_constants(struct charts_roles *roles)
{
    size_t most = roles->time_count > 0 ? 1 : 2;
    for (size_t i = roles->category_count; i-- > 0 && roles->category_count > most;)
        if (charts_roles_column(roles, roles->categories[i])->distinct == 1)
            drop_at(roles->categories, &roles->category_count, i);
}

bool charts_roles_find(const struct charts_shape *shape, struct arena *arena,
                       struct charts_roles *roles)
{
    *roles =
        (struct charts_roles){.shape = shape, .key = CHARTS_ROLES_NONE, .keyed = CHARTS_ROLES_NONE};
    if (shape->column_count > CHARTS_ROLES_MAX)
        return true;
    for (size_t i = 0; i < shape->column_count; i++) {
        if (shape->columns[i].kind == CHARTS_TIME)
            roles->times[roles->time_count++] = (int)i;
        else if (shape->columns[i].kind == CHARTS_CATEGORY)
            roles->categories[roles->category_count++] = (int)i;
        else if (shape->columns[i].kind == CHARTS_MEASURE)
            roles->measures[roles->measure_count++] = (int)i;
    }
    if (shape->row_count > 1) {
        drop_keys(roles, arena);
        drop_coarse_times(roles, arena);
        drop_repeats(roles, arena);
        drop_constants(roles);
    }
    return arena_ok(arena);
}

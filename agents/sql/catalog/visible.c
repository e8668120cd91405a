/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/visible.c - answers from the catalog's tables through the policy's lists.
 *
 * Cannot fail: a name that is not there is not visible. */
#include "agents/sql/catalog/visible.h"

enum { MAX_COMPARED = 64 };

/* The policy's own pairs speak first, then the catalog's map. *mapped: some map names the table,
 * so that a view that is not there hides the table rather than lay it bare. */
static int find_view(struct sql_visible sees, int table, bool *mapped)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    for (size_t i = 0; i < sees.policy->secure_view_count; i++) {
        const struct sql_secure_pair *pair = &sees.policy->secure_views[i];
        if (!str_equal_nocase(pair->logical, at->name))
            continue;
        *mapped = true;
        return catalog_find_table(sees.catalog, STR(""), pair->view);
    }
    *mapped = at->secure_view != CATALOG_NONE;
    return at->secure_view;
}

int sql_visible_view(struct sql_visible sees, int table)
{
    bool mapped;
    return find_view(sees, table, &mapped);
}

bool sql_visible_is_secure_view(struct sql_visible sees, int table)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    for (size_t i = 0; i < sees.policy->secure_view_count; i++) {
        if (str_equal_nocase(sees.policy->secure_views[i].view, at->name))
            return true;
    }
    return at->secures != CATALOG_NONE;
}

static bool is_listed(const struct sql_policy *policy, struct str name)
{
    if (policy->tables == NULL)
        return true;
    for (size_t i = 0; i < policy->table_count; i++) {
        if (str_equal_nocase(policy->tables[i], name))
            return true;
    }
    return false;
}

bool sql_visible_table(struct sql_visible sees, int table)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    if (!is_listed(sees.policy, at->name))
        return false;
    bool mapped;
    int view = find_view(sees, table, &mapped);
    return mapped ? view != CATALOG_NONE && !sees.policy->secure_deny_base : !at->hidden;
}

int sql_visible_read(struct sql_visible sees, int table)
{
    int view = sql_visible_view(sees, table);
    return view == CATALOG_NONE ? table : view;
}

struct str sql_visible_name(struct sql_visible sees, int table)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    if (sees.policy->secure_deny_base)
        return at->name;
    for (size_t i = 0; i < sees.policy->secure_view_count; i++) {
        if (str_equal_nocase(sees.policy->secure_views[i].view, at->name))
            return sees.policy->secure_views[i].logical;
    }
    return at->secures == CATALOG_NONE ? at->name : sees.catalog->tables[at->secures].name;
}

bool sql_visible_column(struct sql_visible sees, int table, struct str column)
{
    int read = sql_visible_read(sees, table);
    int found = catalog_find_column(sees.catalog, read, column);
    return found != CATALOG_NONE && !sees.catalog->tables[read].columns[found].hidden;
}

bool sql_visible_told(const struct catalog *catalog, int table, int column)
{
    const struct catalog_table *of = &catalog->tables[table];
    if (of->columns[column].hidden || of->secure_view == CATALOG_NONE)
        return !of->columns[column].hidden;
    int shown = catalog_find_column(catalog, of->secure_view, of->columns[column].name);
    return shown != CATALOG_NONE && !catalog->tables[of->secure_view].columns[shown].hidden;
}

bool sql_visible_offers(struct sql_visible sees, int read, int column)
{
    const struct sql_unasked *unasked = &sees.policy->unasked;
    return !sees.catalog->tables[read].columns[column].hidden &&
           (unasked->is == NULL || !unasked->is(sees.catalog, unasked, read, column));
}

bool sql_visible_masks(struct sql_visible sees, int table)
{
    const struct catalog_table *at = &sees.catalog->tables[sql_visible_read(sees, table)];
    for (size_t i = 0; i < at->column_count; i++) {
        if (!at->columns[i].hidden && column_access_is_mask(at->columns[i].access))
            return true;
    }
    return false;
}

bool sql_visible_has_hidden(struct sql_visible sees, int table)
{
    const struct catalog_table *at = &sees.catalog->tables[sql_visible_read(sees, table)];
    if (!sees.catalog->complete)
        return true;
    for (size_t i = 0; i < at->column_count; i++) {
        if (at->columns[i].hidden || column_access_is_mask(at->columns[i].access))
            return true;
    }
    return false;
}

size_t sql_visible_distance(struct str a, struct str b, size_t most)
{
    uint8_t row[MAX_COMPARED + 1];
    if (a.len > MAX_COMPARED || b.len > MAX_COMPARED)
        return most + 1;
    for (size_t j = 0; j <= b.len; j++)
        row[j] = (uint8_t)j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0], least = i;
        row[0] = (uint8_t)i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = str_lower(a.at[i - 1]) == str_lower(b.at[j - 1]);
            size_t best = diagonal + (same ? 0 : 1);
            diagonal = row[j];
            best = size_min(best, size_min(row[j], row[j - 1]) + (size_t)1);
            row[j] = (uint8_t)best;
            least = size_min(least, best);
        }
        if (least > most)
            return most + 1;
    }
    return size_min(row[b.len], most + 1);
}

/* What separates a misspelling from another name. */
static size_t tolerance(struct str name)
{
    return name.len <= 3 ? 1 : name.len <= 7 ? 2 : 3;
}

/* One name in another counts as near: customers for customer, id for customer_id. */
static size_t nearness(struct str name, struct str other)
{
    size_t most = tolerance(name), distance = sql_visible_distance(name, other, most);
    if (distance <= most)
        return distance;
    struct str shorter = name.len < other.len ? name : other;
    struct str longer = name.len < other.len ? other : name;
    if (shorter.len >= 4 && (str_equal_nocase(shorter, str_slice(longer, 0, shorter.len)) ||
                             str_equal_nocase(shorter, str_from(longer, longer.len - shorter.len))))
        return most + 1;
    return SIZE_MAX;
}

size_t sql_visible_near_tables(struct sql_visible sees, struct str name, struct str *near,
                               size_t max)
{
    size_t count = 0;
    for (size_t want = 0; want <= tolerance(name) + 1; want++) {
        for (size_t i = 0; i < sees.catalog->table_count && count < max; i++) {
            bool shown = sql_visible_table(sees, (int)i);
            if (!shown || nearness(name, sees.catalog->tables[i].name) != want)
                continue;
            /* A view is offered under the name of its table. */
            struct str offered = sql_visible_name(sees, (int)i);
            bool again = false;
            for (size_t j = 0; j < count; j++)
                again = again || str_equal_nocase(near[j], offered);
            if (!again)
                near[count++] = offered;
        }
    }
    return count;
}

struct str sql_visible_near_column(struct sql_visible sees, int table, struct str name)
{
    const int read = sql_visible_read(sees, table);
    const struct catalog_table *at = &sees.catalog->tables[read];
    struct str best = {NULL, 0};
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < at->column_count; i++) {
        size_t distance = nearness(name, at->columns[i].name);
        if (distance >= least || !sql_visible_offers(sees, read, (int)i))
            continue;
        least = distance;
        best = at->columns[i].name;
    }
    return best;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/tenancy.c - follows a table's references to the company, through views where
 * they are what is read.
 *
 * Happy path: the table has the tenant column, or is the companies' own; or each step's columns are
 * in what is read of both its ends, and the last end has one of these.
 * Failure paths: nothing ties the table (no column, no reference, or the role may not read them), a
 * view that lacks a column the way needs, a way longer than SQL_TENANCY_MAX_STEPS: false. What is
 * not known to be everybody's is refused, so fewer rights never show more rows. */
#include "agents/sql/guard/tenancy.h"

/* The table a view stands for, or the table itself. */
static int table_behind(struct sql_visible sees, int table)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    for (size_t i = 0; i < sees.policy->secure_view_count; i++) {
        const struct sql_secure_pair *pair = &sees.policy->secure_views[i];
        int logical = str_equal_nocase(pair->view, at->name)
                          ? catalog_find_table(sees.catalog, STR(""), pair->logical)
                          : CATALOG_NONE;
        if (logical != CATALOG_NONE)
            return logical;
    }
    return at->secures == CATALOG_NONE ? table : at->secures;
}

static bool is_shared(struct sql_visible sees, int table)
{
    for (size_t i = 0; i < sees.policy->shared_table_count; i++) {
        if (catalog_find_dotted(sees.catalog, sees.policy->shared_tables[i]) == table)
            return true;
    }
    return false;
}

/* Column of table as what is read instead of it has it, by name. */
static int column_in(struct sql_visible sees, int table, int read, int column)
{
    return read == table ? column
                         : catalog_find_column(sees.catalog, read,
                                               sees.catalog->tables[table].columns[column].name);
}

int sql_tenancy_from_column(struct sql_visible sees, const struct sql_tenancy_step *step, size_t i)
{
    return column_in(sees, step->owner, step->from, step->reference->columns[i]);
}

int sql_tenancy_to_column(struct sql_visible sees, const struct sql_tenancy_step *step, size_t i)
{
    return column_in(sees, step->reference->to_table, step->to, step->reference->to_columns[i]);
}

static bool has_columns(struct sql_visible sees, const struct sql_tenancy_step *step)
{
    for (size_t i = 0; i < step->reference->column_count; i++) {
        int from = sql_tenancy_from_column(sees, step, i);
        int to = sql_tenancy_to_column(sees, step, i);
        if (from == CATALOG_NONE || to == CATALOG_NONE ||
            sees.catalog->tables[step->from].columns[from].unreadable ||
            sees.catalog->tables[step->to].columns[to].unreadable)
            return false;
    }
    return true;
}

/* Whether rows of the table say whose they are. *column: where; CATALOG_NONE: what is read instead
 * of it does not show that. */
static bool has_company(struct sql_visible sees, int table, int read, int *column)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    bool keyed = at->tenant_column == CATALOG_NONE && at->tenant_key != CATALOG_NONE;
    *column = sees.catalog->tables[read].tenant_column;
    if (*column == CATALOG_NONE && keyed)
        *column = column_in(sees, table, read, at->tenant_key);
    if (*column != CATALOG_NONE && sees.catalog->tables[read].columns[*column].unreadable) {
        *column = CATALOG_NONE; /* the filter could not be run */
        return true;
    }
    return *column != CATALOG_NONE || at->tenant_column != CATALOG_NONE || keyed;
}

/* Follow references from table, of which read is read. */
static bool follow(struct sql_visible sees, int table, int read, struct sql_tenancy *tenancy)
{
    while (tenancy->step_count < SQL_TENANCY_MAX_STEPS) {
        const struct catalog_table *at = &sees.catalog->tables[table];
        struct sql_tenancy_step *step = &tenancy->steps[tenancy->step_count++];
        *step = (struct sql_tenancy_step){
            .reference = &at->references[at->tenant_reference], .owner = table, .from = read};
        table = step->reference->to_table;
        step->to = read = sql_visible_read(sees, table);
        if (!has_columns(sees, step))
            return false;
        if (has_company(sees, table, read, &tenancy->column))
            return tenancy->column != CATALOG_NONE;
        if (sees.catalog->tables[table].tenant_reference == CATALOG_NONE)
            return false;
    }
    return false;
}

bool sql_tenancy_find(struct sql_visible sees, int table, struct sql_tenancy *tenancy)
{
    int read = sql_visible_read(sees, table);
    table = read == table ? table_behind(sees, table) : table;
    const struct catalog_table *at = &sees.catalog->tables[table];
    tenancy->step_count = 0;
    tenancy->filters = has_company(sees, table, read, &tenancy->column);
    if (tenancy->filters)
        return tenancy->column != CATALOG_NONE;
    if (!sees.catalog->by_company || is_shared(sees, table) || is_shared(sees, read))
        return true;
    tenancy->filters = true;
    return at->tenant_reference != CATALOG_NONE && follow(sees, table, read, tenancy);
}

bool sql_tenancy_names(struct sql_visible sees, const struct sql_tenancy *tenancy, int column)
{
    if (tenancy->step_count == 0)
        return tenancy->column == column;
    for (size_t i = 0; i < tenancy->steps[0].reference->column_count; i++) {
        if (sql_tenancy_from_column(sees, &tenancy->steps[0], i) == column)
            return true;
    }
    return false;
}

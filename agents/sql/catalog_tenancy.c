/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog_tenancy.c - the cheapest way from each table to one that names its company.
 *
 * Happy path: what a tenant column refers to is the companies' own table, and the column referred
 * to its key; from all tables that have either, costs are carried against the references until
 * none falls. A step costs one; more where it may be NULL, since rows without a parent have no
 * company; most where it says who touched the row, which is not whose the row is. Costs are above
 * zero, so the ways have no circles. Of equal ways the reference that comes first is taken.
 * Failure: no memory. */
#include "agents/sql/catalog_tenancy.h"

#include "agents/sql/join_graph_build.h"
#include "core/base/mem.h"

enum { STEP = 1, STEP_NULLABLE = 1000, STEP_AUDIT = 1000 * 1000 };

static void find_keys(const struct catalog *catalog, struct catalog_table *tables)
{
    for (size_t i = 0; i < catalog->table_count; i++) {
        const struct catalog_table *from = &tables[i];
        for (size_t r = 0; r < from->reference_count; r++) {
            const struct catalog_reference *reference = &from->references[r];
            struct catalog_table *to = &tables[reference->to_table];
            if (from->tenant_column != CATALOG_NONE && reference->column_count == 1 &&
                reference->columns[0] == from->tenant_column && to->tenant_column == CATALOG_NONE &&
                to->tenant_key == CATALOG_NONE)
                to->tenant_key = reference->to_columns[0];
        }
    }
}

static uint64_t cost_of(const struct catalog_table *table,
                        const struct catalog_reference *reference)
{
    bool nullable = false, audit = false;
    for (size_t i = 0; i < reference->column_count; i++) {
        const struct catalog_column *column = &table->columns[reference->columns[i]];
        nullable = nullable || !(column->not_null || column->primary_key);
        audit = audit || join_graph_is_audit_name(column->name);
    }
    return (uint64_t)(STEP + (nullable ? STEP_NULLABLE : 0) + (audit ? STEP_AUDIT : 0));
}

/* Whether the table got a cheaper way. */
static bool improve(struct catalog_table *table, const uint64_t *costs, uint64_t *cost)
{
    bool better = false;
    for (size_t r = 0; *cost > 0 && r < table->reference_count; r++) {
        uint64_t beyond = costs[table->references[r].to_table];
        uint64_t whole =
            beyond == UINT64_MAX ? UINT64_MAX : beyond + cost_of(table, &table->references[r]);
        if (whole >= *cost)
            continue;
        *cost = whole;
        table->tenant_reference = (int)r;
        better = true;
    }
    return better;
}

enum err_code catalog_tenancy_find(struct catalog *catalog, struct catalog_table *tables,
                                   struct err *err)
{
    uint64_t *costs = mem_zalloc(catalog->table_count + 1, sizeof *costs);
    if (costs == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    find_keys(catalog, tables);
    for (size_t i = 0; i < catalog->table_count; i++)
        costs[i] = tables[i].tenant_column != CATALOG_NONE || tables[i].tenant_key != CATALOG_NONE
                       ? 0
                       : UINT64_MAX;
    for (bool better = true; better;) {
        better = false;
        for (size_t i = 0; i < catalog->table_count; i++)
            better = improve(&tables[i], costs, &costs[i]) || better;
    }
    mem_free(costs);
    return ERR_OK;
}

/* SPDX-License-Identifier: MIT */
/* server/wiring/knowledge_names.c - looks names up, and what is near them among what may be read.
 *
 * Failure: none but full warnings. */
#include "server/wiring/knowledge_names.h"

static void push_meant(struct str near, struct buf *out)
{
    if (near.len > 0)
        buf_printf(out, "; is '%.*s' meant?", STR_ARG(near));
    buf_push_char(out, '\n');
}

static void push_near_table(struct sql_visible sees, struct str name, struct buf *out)
{
    struct str near[1];
    push_meant(sql_visible_near_tables(sees, name, near, 1) > 0 ? near[0] : STR(""), out);
}

void knowledge_names_warn_of_shared(struct sql_visible sees, struct buf *warnings)
{
    for (size_t i = 0; i < sees.policy->shared_table_count; i++) {
        struct str name = sees.policy->shared_tables[i];
        if (catalog_find_dotted(sees.catalog, name) != CATALOG_NONE)
            continue;
        buf_printf(warnings, "ASKD_SHARED_TABLES: there is no table %.*s", STR_ARG(name));
        push_near_table(sees, name, warnings);
    }
}

static void warn_of_column(struct sql_visible sees, const struct sql_policy *policy,
                           const struct sql_column_rule *rule, struct buf *warnings)
{
    int table = catalog_find_dotted(sees.catalog, rule->table);
    if (table != CATALOG_NONE && catalog_find_column(sees.catalog, sql_visible_read(sees, table),
                                                     rule->column) != CATALOG_NONE)
        return;
    buf_printf(warnings,
               "ASKD_POLICIES: /policies/%.*s/columns: there is no such column: %.*s.%.*s",
               STR_ARG(policy->name), STR_ARG(rule->table), STR_ARG(rule->column));
    if (table == CATALOG_NONE)
        push_near_table(sees, rule->table, warnings);
    else
        push_meant(sql_visible_near_column(sees, table, rule->column), warnings);
}

void knowledge_names_warn_of_policy(struct sql_visible sees, const struct sql_policy *policy,
                                    struct buf *warnings)
{
    for (size_t i = 0; i < policy->table_count; i++) {
        struct str name = policy->tables[i];
        if (catalog_find_dotted(sees.catalog, name) != CATALOG_NONE)
            continue;
        buf_printf(warnings, "ASKD_POLICIES: /policies/%.*s/tables: there is no such table: %.*s",
                   STR_ARG(policy->name), STR_ARG(name));
        push_near_table(sees, name, warnings);
    }
    for (size_t i = 0; i < policy->column_count; i++)
        warn_of_column(sees, policy, &policy->columns[i], warnings);
}

struct str knowledge_names_near_column(struct sql_visible sees, struct str name)
{
    struct str best = {NULL, 0};
    size_t most = 0;
    for (size_t i = 0; i < sees.catalog->table_count; i++) {
        struct str near = sql_visible_table(sees, (int)i)
                              ? sql_visible_near_column(sees, (int)i, name)
                              : (struct str){NULL, 0};
        size_t count = 0;
        if (near.len == 0 || str_equal(near, best))
            continue;
        for (size_t k = 0; k < sees.catalog->table_count; k++)
            count += catalog_find_column(sees.catalog, (int)k, near) != CATALOG_NONE;
        if (count > most) {
            most = count;
            best = near;
        }
    }
    return best;
}

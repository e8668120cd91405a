/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/tenancy_report.c - every visible table is asked how it is tied.
 *
 * Cannot fail; the line ends when its buffer is full. */
#include "agents/sql/guard/tenancy_report.h"

#include "agents/sql/catalog/company_name.h"

enum { MOST_NAMES = 20 }; /* of each kind in the line */

enum sql_tenancy_kind sql_tenancy_report_kind(struct sql_visible sees, int table)
{
    struct sql_tenancy tenancy;
    if (!sees.catalog->by_company || !sql_tenancy_find(sees, table, &tenancy))
        return SQL_TENANCY_REFUSED;
    if (!tenancy.filters)
        return SQL_TENANCY_SHARED;
    return tenancy.step_count > 0 ? SQL_TENANCY_BY_REFERENCE : SQL_TENANCY_BY_COLUMN;
}

/* A table behind a secure view is named once, by its own name. */
static bool is_named(struct sql_visible sees, int table)
{
    return sql_visible_table(sees, table) &&
           (sees.policy->secure_deny_base || !sql_visible_is_secure_view(sees, table));
}

static void write_kind(struct sql_visible sees, enum sql_tenancy_kind kind, const char *label,
                       struct buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < sees.catalog->table_count; i++)
        count += is_named(sees, (int)i) && sql_tenancy_report_kind(sees, (int)i) == kind;
    buf_printf(out, "%s: %zu", label, count);
    size_t told = 0;
    for (size_t i = 0; i < sees.catalog->table_count && told < MOST_NAMES; i++) {
        if (!is_named(sees, (int)i) || sql_tenancy_report_kind(sees, (int)i) != kind)
            continue;
        buf_push(out, told++ == 0 ? STR(" (") : STR(", "));
        catalog_push_name(sees.catalog, (int)i, out);
    }
    if (told > 0)
        buf_push(out, told < count ? STR(", ...)") : STR(")"));
}

void sql_tenancy_report_write(struct sql_visible sees, struct buf *out)
{
    static const char *const labels[SQL_TENANCY_KINDS] = {
        [SQL_TENANCY_BY_COLUMN] = "filtered by column",
        [SQL_TENANCY_BY_REFERENCE] = "; by foreign keys",
        [SQL_TENANCY_SHARED] = "; everybody's",
        [SQL_TENANCY_REFUSED] = "; refused",
    };
    for (int kind = 0; kind < SQL_TENANCY_KINDS; kind++)
        write_kind(sees, (enum sql_tenancy_kind)kind, labels[kind], out);
}

size_t sql_tenancy_report_refused(struct sql_visible sees)
{
    size_t count = 0;
    for (size_t i = 0; i < sees.catalog->table_count; i++)
        count +=
            is_named(sees, (int)i) && sql_tenancy_report_kind(sees, (int)i) == SQL_TENANCY_REFUSED;
    return count;
}

/* What nobody declared says nothing of whose rows these are. */
static size_t count_declared(const struct catalog_table *table)
{
    size_t count = 0;
    for (size_t r = 0; r < table->reference_count; r++)
        count += table->references[r].implied == 0;
    return count;
}

/* An account is a customer of the deployment only where it is nobody else's: a bank's accounts
 * belong to its customers. */
static bool is_root(const struct catalog *catalog, const char *const names[2])
{
    for (size_t n = 0; n < 2; n++) {
        int found = catalog_find_table(catalog, STR(""), str_of(names[n]));
        if (found == CATALOG_NONE)
            continue;
        const struct catalog_table *at = &catalog->tables[found];
        for (size_t i = 0; i < at->column_count; i++) {
            struct str name = at->columns[i].name;
            bool refers = name.len > 2 && !at->columns[i].primary_key &&
                          (str_ends_with(name, STR("_id")) || str_ends_with(name, STR("Id")));
            if (refers)
                return false;
        }
        return count_declared(at) == 0;
    }
    return false;
}

bool sql_tenancy_report_suspects(struct sql_visible sees, int *table, int *column)
{
    static const char *const accounts[2] = {"accounts", "account"};
    bool has_accounts = is_root(sees.catalog, accounts);
    for (size_t t = 0; t < sees.catalog->table_count; t++) {
        const struct catalog_table *at = &sees.catalog->tables[t];
        for (size_t c = 0; c < at->column_count && sql_visible_table(sees, (int)t); c++) {
            enum company_name is = company_name_of(at->columns[c].name);
            if (is == COMPANY_NAME_NOT || (is == COMPANY_NAME_ACCOUNT && !has_accounts))
                continue;
            *table = (int)t;
            *column = (int)c;
            return true;
        }
    }
    return false;
}

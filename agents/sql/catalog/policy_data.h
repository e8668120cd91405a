/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/policy_data.h - a policy as data: what statements may do, and for whom.
 *
 * Built in (sql_policy_banking, sql_policy_default) or read from a policies file; the rules, the
 * rewriter and what a statement may see are all told by it. Constant. */
#ifndef AGENTS_SQL_CATALOG_POLICY_DATA_H
#define AGENTS_SQL_CATALOG_POLICY_DATA_H

#include "agents/sql/catalog/column_access.h"
#include "backends/sql.h"
#include "core/base/str.h"

struct catalog;

enum sql_severity { SQL_ALLOW, SQL_WARN, SQL_REFUSE };

struct sql_name_list {
    const struct str *at;
    size_t count;
};

struct sql_secure_pair {
    struct str logical, view;
};

struct sql_column_rule { /* of the database, whatever the table is called in a secure view's place
                          */
    struct str table, column;
    enum column_access access;
};

/* What a message about a statement leaves out, since its question is not about it. */
struct sql_unasked {
    struct str question; /* constant while verdicts under the policy are kept */
    bool by_tenant;      /* rows are a company's */
    /* Whether a message for the question leaves the column out; any thread. NULL: no column is. */
    bool (*is)(const struct catalog *catalog, const struct sql_unasked *unasked, int table,
               int column);
};

struct sql_policy {
    struct str name;
    bool allow_with, allow_recursive, allow_set_operations, allow_subqueries, allow_placeholders;
    bool allow_session_info, allow_catalog, allow_unconnected_tables;
    enum sql_severity unknown_table, unknown_column;
    bool expand_star;      /* hidden columns under a star: expand it, else refuse */
    bool whole_rows;       /* a table's row as a value, where the table hides nothing */
    bool secure_deny_base; /* base tables behind views are invisible; else rewritten */
    bool require_tenant;   /* a table must be tied to companies or shared, else it is refused */
    const struct str *shared_tables; /* everybody's, where the table has no tenant column */
    size_t shared_table_count;
    size_t default_limit, max_limit; /* rows; 0: no limit is added / capped */
    bool max_is_built_in;            /* max_limit is nobody's wish: it is for answers, not files */
    size_t max_sql_bytes, max_nesting, max_select_items;
    double max_plan_rows; /* that a statement may read or join, as the database expects; 0: any */
    size_t max_columns_listed; /* of a table in a message; 0: as many as fit */
    const struct str *tables;  /* the only ones allowed; NULL: all visible of the catalog */
    size_t table_count;
    const struct sql_column_rule *columns; /* how they may be read */
    size_t column_count;
    const struct str *functions; /* allowed beyond the dialect's built-in list */
    size_t function_count;
    struct sql_name_list only_functions[3]; /* by dialect: instead of the built-in list */
    bool recursive_bounded; /* with allow_recursive: only when a comparison bounds the recursion */
    const struct sql_secure_pair *secure_views; /* beside the catalog's own map */
    size_t secure_view_count;
    struct str default_schema[3]; /* by dialect: names that mean the same as no schema */
    struct sql_unasked unasked;   /* nobody's to configure */
};

struct sql_tenant {
    bool on; /* filter tables that have a tenant column */
    /* The predicate reads session_var('company_id'): the value is bound, never in the text. */
};

/* The rules for banking: no UNION, no CTE, LIMIT 100 where there is none, 1000 at most. */
extern const struct sql_policy sql_policy_banking;
/* The rules for all other graphs: CTEs, set operations, subqueries allowed and checked. */
extern const struct sql_policy sql_policy_default;

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/policy.h - the rules on a parse: says which rule, where, and what now.
 *
 * A policy is data: built in (banking, default) or read from a policies file. Checking is pure and
 * linear in the statement. Any thread. */
#ifndef AGENTS_SQL_POLICY_H
#define AGENTS_SQL_POLICY_H

#include "agents/sql/parse.h"

enum sql_severity { SQL_ALLOW, SQL_WARN, SQL_REFUSE };

/* Which tables hold rows of companies: also those whose foreign keys lead to one that has the
 * tenant column, or that such columns refer to; or only those that have it. */
enum sql_tenant_tables { SQL_TENANT_BY_FOREIGN_KEY, SQL_TENANT_DIRECT };

struct sql_name_list {
    const struct str *at;
    size_t count;
};

struct sql_secure_pair {
    struct str logical, view;
};

struct sql_policy {
    struct str name;
    bool allow_with, allow_recursive, allow_set_operations, allow_subqueries, allow_placeholders;
    bool allow_session_info, allow_catalog, allow_unconnected_tables;
    enum sql_severity unknown_table, unknown_column;
    bool expand_star;      /* hidden columns under a star: expand it, else refuse */
    bool whole_rows;       /* a table's row as a value, where the table hides nothing */
    bool secure_deny_base; /* base tables behind views are invisible; else rewritten */
    bool require_tenant;   /* tenant tables must be filterable */
    enum sql_tenant_tables tenant_tables;
    const struct str *shared_tables; /* everybody's, though foreign keys lead to a company */
    size_t shared_table_count;
    size_t default_limit, max_limit; /* rows; 0: no limit is added / capped */
    size_t max_sql_bytes, max_nesting, max_select_items;
    size_t max_columns_listed; /* of a table in a message; 0: as many as fit */
    const struct str *tables;  /* the only ones allowed; NULL: all visible of the catalog */
    size_t table_count;
    const struct str *functions; /* allowed beyond the dialect's built-in list */
    size_t function_count;
    struct sql_name_list only_functions[3]; /* by dialect: instead of the built-in list */
    bool recursive_bounded; /* with allow_recursive: only when a comparison bounds the recursion */
    const struct sql_secure_pair *secure_views; /* beside the catalog's own map */
    size_t secure_view_count;
    struct str default_schema[3]; /* by dialect: names that mean the same as no schema */
};

struct sql_warning {
    const char *rule;
    struct str text;
};

struct sql_rewrite;

struct sql_verdict {
    enum err_code code;  /* ERR_OK, ERR_REJECTED or ERR_NO_MEMORY */
    const char *rule;    /* "select_only", "unknown_column", ...; static */
    struct err err;      /* reason: what, place, remedy */
    size_t line, column; /* in the text as given, from 1; 0: no place */
    struct str sql;      /* what may be sent: rewritten, limited, read again; absent: nothing */
    const struct sql_warning *warnings;
    size_t warning_count;
    const struct sql_parse *parse;     /* of the text as given; NULL: it could not be parsed */
    const struct sql_rewrite *rewrite; /* of that; not to be sent before it is read again */
    const struct sql_parse *sent;      /* of sql; NULL: there is none */
};

struct sql_tenant {
    bool on; /* filter tables that have a tenant column */
    /* The predicate reads session_var('company_id'): the value is bound, never in the text. */
};

/* seed 002's rules: no UNION, no CTE, LIMIT 100/1000. */
extern const struct sql_policy sql_policy_banking;
/* The rules of the other graphs: CTEs, set operations, subqueries allowed and checked. */
extern const struct sql_policy sql_policy_default;

/* The whole guard, both readings. Everything in *verdict lives in arena. */
void sql_policy_judge(const struct sql_policy *policy, enum sql_dialect dialect, struct str text,
                      const struct catalog *catalog, struct sql_tenant tenant, struct arena *arena,
                      struct sql_verdict *verdict);

/* The first reading, of the text as it was written: parse, rules, columns (R148 texts); then the
 * statement is rewritten: secure views, tenant, star expansion, LIMIT. The verdict is ERR_OK with
 * rewrite, and without sql: nothing may be sent yet. */
void sql_policy_read_written(const struct sql_policy *policy, enum sql_dialect dialect,
                             struct str text, const struct catalog *catalog,
                             struct sql_tenant tenant, struct arena *arena,
                             struct sql_verdict *verdict);
/* The second reading, of the text as it will be sent: the rewritten statement is parsed and checked
 * as every other one, and must hold the company filters and the LIMIT. verdict is
 * sql_policy_read_written's under the same policy, catalog and tenant; it gets sql and sent, or the
 * reason why not. A verdict that is no ERR_OK stays as it is. */
void sql_policy_read_sent(const struct sql_policy *policy, const struct catalog *catalog,
                          struct sql_tenant tenant, struct arena *arena,
                          struct sql_verdict *verdict);

/* The same for SQLite with its own compiler's second opinion on what will be sent (parse_sqlite.h),
 * for who does not run it: rule "second_opinion". oracle is over the same catalog. */
struct sql_oracle;
void sql_policy_judge_twice(const struct sql_policy *policy, struct str text,
                            const struct catalog *catalog, struct sql_tenant tenant,
                            struct sql_oracle *oracle, struct arena *arena,
                            struct sql_verdict *verdict);

/* A set of policies by name from a file (see docs/policies.md for the members). */
struct sql_policy_set {
    const struct sql_policy *policies;
    size_t count;
};
MUST_USE enum err_code sql_policy_read(struct str json, struct arena *arena,
                                       struct sql_policy_set *set, struct err *err);

#endif

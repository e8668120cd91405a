/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/policy_data.c - the built-in policies. */
#include "agents/sql/catalog/policy_data.h"

#define SEED_LIMITS                                                                                \
    .unknown_table = SQL_REFUSE, .unknown_column = SQL_REFUSE, .expand_star = true,                \
    .whole_rows = true, .require_tenant = true, .default_limit = 100, .max_limit = 1000,           \
    .max_is_built_in = true,                                                                       \
    .max_plan_rows = 1e9, .max_sql_bytes = 16 * 1024, .max_nesting = 64, .max_select_items = 500,  \
    .default_schema = {[SQL_SQLITE] = {"main", 4}, [SQL_POSTGRES] = {"public", 6}}

const struct sql_policy sql_policy_banking = {
    .name = {"banking", 7},
    .allow_subqueries = true,
    SEED_LIMITS,
};

const struct sql_policy sql_policy_default = {
    .name = {"default", 7},
    .allow_with = true,
    .allow_recursive = true,
    .recursive_bounded = true,
    .allow_set_operations = true,
    .allow_subqueries = true,
    SEED_LIMITS,
};

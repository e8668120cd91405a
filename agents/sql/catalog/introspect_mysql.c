/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_mysql.c - MySQL's and MariaDB's information_schema. A const table:
 * no paths.
 *
 * The database of the connection. Invisible columns are left out: a star does not show them. Of a
 * table that the role may read by columns only, the servers show no references. */
#include "agents/sql/catalog/introspect_internal.h"

/* clang-format off */
#define OURS(alias) " WHERE " alias ".table_schema = DATABASE()"

const struct introspect_dialect introspect_mysql = {
    .ask = {
        [INTROSPECT_TABLES] =
            "SELECT t.table_schema, t.table_name, 1, t.table_type = 'VIEW',"
            " CASE WHEN t.table_type = 'VIEW' THEN -1 ELSE CAST(t.table_rows AS SIGNED) END,"
            " CASE WHEN t.table_type = 'VIEW' THEN NULL ELSE t.table_comment END,"
            " @@lower_case_table_names = 0"
            " FROM information_schema.tables t" OURS("t")
            " AND t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')"
            " ORDER BY t.table_name",
        [INTROSPECT_COLUMNS] =
            "SELECT c.table_schema, c.table_name, c.column_name, c.column_type,"
            " CASE WHEN c.column_type IN ('tinyint(1)', 'bit(1)') THEN 'bool'"
            " WHEN c.data_type = 'set' THEN 'text' WHEN c.data_type = 'bit' THEN 'point'"
            " ELSE c.data_type END,"
            " c.is_nullable = 'NO', c.column_comment,"
            " c.privileges LIKE '%select%'"
            " FROM information_schema.columns c" OURS("c")
            " AND c.extra NOT LIKE '%INVISIBLE%'"
            " ORDER BY c.table_name, c.ordinal_position",
        [INTROSPECT_KEYS] =
            "SELECT s.table_schema, s.table_name, s.index_name, s.index_name = 'PRIMARY',"
            " s.column_name FROM information_schema.statistics s" OURS("s")
            " AND s.non_unique = 0 ORDER BY s.table_name, s.index_name <> 'PRIMARY',"
            " s.index_name, s.seq_in_index",
        [INTROSPECT_REFERENCES] =
            "SELECT k.table_schema, k.table_name, k.constraint_name, k.referenced_table_schema,"
            " k.referenced_table_name, k.column_name, k.referenced_column_name"
            " FROM information_schema.key_column_usage k" OURS("k")
            " AND k.referenced_table_name IS NOT NULL"
            " ORDER BY k.table_name, k.constraint_name, k.ordinal_position",
        /* MariaDB names a column's check after it, in each table; MySQL has no table here. */
        [INTROSPECT_CHECKS] =
            "SELECT t.table_schema, t.table_name, k.check_clause"
            " FROM information_schema.check_constraints k"
            " JOIN information_schema.table_constraints t"
            " ON t.constraint_schema = k.constraint_schema"
            " AND t.constraint_name = k.constraint_name"
            " /*M! AND t.table_name = k.table_name */" OURS("t")
            " ORDER BY t.table_name, k.constraint_name",
        [INTROSPECT_FUNCTIONS] =
            "SELECT r.routine_schema, r.routine_name FROM information_schema.routines r"
            " WHERE r.routine_schema = DATABASE() AND r.routine_type = 'FUNCTION'",
    },
    .home_in_counts = true,
};
/* clang-format on */

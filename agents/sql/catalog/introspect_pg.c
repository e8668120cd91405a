/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_pg.c - PostgreSQL's catalogs. A const table: no paths.
 *
 * Every schema that the role may use, but for PostgreSQL's own and the tables of extensions. A
 * partitioned table is there once, without its partitions; what inherits otherwise is there, too,
 * with whom it inherits from. The bare name reaches what the search path finds. */
#include "agents/sql/catalog/introspect_internal.h"

/* clang-format off */
/* pg_class c, pg_namespace n: what may be seen at all. */
#define VISIBLE                                                                                    \
    " c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition"                             \
    " AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"                               \
    " AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')"      \
    " AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass"            \
    " AND d.objid = c.oid AND d.deptype = 'e')"
#define TABLES " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
#define BY_TABLE " ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\""

const struct introspect_dialect introspect_pg = {
    .ask = {
        /* Of a foreign table only the estimate is cheap. */
        [INTROSPECT_TABLES] =
            "SELECT n.nspname::text, c.relname::text, pg_table_is_visible(c.oid)::int,"
            " (c.relkind IN ('v', 'm'))::int,"
            " CASE WHEN c.relkind = 'v' THEN -1"
            " WHEN c.relkind = 'p' THEN (SELECT CASE WHEN min(l.reltuples) < 0 THEN NULL"
            " ELSE sum(l.reltuples)::bigint END FROM pg_partition_tree(c.oid) p"
            " JOIN pg_class l ON l.oid = p.relid WHERE p.isleaf)"
            " WHEN c.reltuples < 0 THEN CASE WHEN c.relkind = 'f' THEN -1 END"
            " ELSE c.reltuples::bigint END,"
            " obj_description(c.oid, 'pg_class'), 1,"
            " (WITH RECURSIVE up(id) AS (SELECT i.inhparent FROM pg_inherits i"
            " WHERE i.inhrelid = c.oid UNION SELECT i.inhparent FROM up JOIN pg_inherits i"
            " ON i.inhrelid = up.id) SELECT string_agg(p.relname::text, E'\\n')"
            " FROM up JOIN pg_class p ON p.oid = up.id)"
            TABLES " WHERE" VISIBLE
            " ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname COLLATE \"C\","
            " c.relname COLLATE \"C\"",
        [INTROSPECT_COLUMNS] =
            "SELECT n.nspname::text, c.relname::text, a.attname::text,"
            " CASE WHEN t.typtype = 'd' THEN format_type(b.oid, t.typtypmod)"
            " ELSE format_type(a.atttypid, a.atttypmod) END || CASE WHEN b.typtype = 'e' THEN"
            " (SELECT ' enum(' || string_agg(quote_literal(e.enumlabel), ',' ORDER BY"
            " e.enumsortorder) || ')' FROM pg_enum e WHERE e.enumtypid = b.oid) ELSE '' END,"
            " CASE WHEN b.typtype = 'e' THEN 'enum' WHEN b.typtype <> 'b' OR b.typcategory = 'A'"
            " THEN '' WHEN b.typname = 'citext' THEN 'text'"
            " WHEN b.typcategory IN ('G', 'V') THEN 'point'"
            " ELSE format_type(b.oid, NULL) END,"
            " (a.attnotnull OR t.typnotnull)::int, col_description(c.oid, a.attnum),"
            " has_column_privilege(c.oid, a.attnum, 'SELECT')::int"
            TABLES " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0"
            " AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid"
            " JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype"
            " ELSE t.oid END WHERE" VISIBLE
            BY_TABLE ", a.attnum",
        [INTROSPECT_KEYS] =
            "SELECT n.nspname::text, c.relname::text, x.relname::text, i.indisprimary::int,"
            " a.attname::text"
            TABLES " JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique AND i.indisvalid"
            " AND i.indpred IS NULL JOIN pg_class x ON x.oid = i.indexrelid"
            " CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)"
            " LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum"
            " AND k.attnum > 0"
            " WHERE k.place <= i.indnkeyatts AND" VISIBLE
            BY_TABLE ", NOT i.indisprimary, x.relname COLLATE \"C\", k.place",
        /* conparentid: a copy of the partitioned table's own. */
        [INTROSPECT_REFERENCES] =
            "SELECT n.nspname::text, c.relname::text, f.conname::text, tn.nspname::text,"
            " tc.relname::text, a.attname::text, ta.attname::text"
            TABLES " JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f'"
            " AND f.conparentid = 0 JOIN pg_class tc ON tc.oid = f.confrelid"
            " JOIN pg_namespace tn ON tn.oid = tc.relnamespace"
            " CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY"
            " AS k (attnum, to_attnum, place)"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum"
            " JOIN pg_attribute ta ON ta.attrelid = tc.oid AND ta.attnum = k.to_attnum"
            " WHERE" VISIBLE BY_TABLE ", f.conkey, f.conname COLLATE \"C\", k.place",
        [INTROSPECT_CHECKS] =
            "SELECT n.nspname::text, c.relname::text, pg_get_constraintdef(f.oid)"
            TABLES " JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'c'"
            " WHERE" VISIBLE BY_TABLE ", f.conname COLLATE \"C\"",
    },
    .home_in_counts = true,
    .case_sensitive_columns = true,
};
/* clang-format on */

/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_sqlite.c - SQLite's own tables about tables. A const table: no
 * paths. */
#include "agents/sql/catalog/introspect_internal.h"

/* clang-format off */
#define VISIBLE " l.schema = 'main' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND l.type IN "
#define COLUMNS(types)                                                                             \
    "SELECT 'main', l.name, x.name, x.type, x.type, x.\"notnull\", NULL"                           \
    " FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name"                            \
    " JOIN pragma_table_xinfo(l.name) x"                                                           \
    " WHERE" VISIBLE types " AND s.type IN ('table', 'view') AND x.hidden <> 1"                    \
    " ORDER BY s.rowid, x.cid"

const struct introspect_dialect introspect_sqlite = {
    .ask = {
        [INTROSPECT_TABLES] =
            "SELECT 'main', l.name, 1, l.type = 'view', NULL, NULL, 0"
            " FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name"
            " WHERE" VISIBLE "('table', 'view', 'virtual') AND s.type IN ('table', 'view')"
            " ORDER BY s.rowid",
        [INTROSPECT_COLUMNS] = COLUMNS("('table', 'view', 'virtual')"),
        /* The first branch: an INTEGER PRIMARY KEY has no index. */
        [INTROSPECT_KEYS] =
            "SELECT home, name, id, is_primary, of FROM ("
            "SELECT 'main' AS home, l.name AS name, '' AS id, 1 AS is_primary, x.name AS of,"
            " x.pk AS place"
            " FROM pragma_table_list l JOIN pragma_table_info(l.name) x"
            " WHERE" VISIBLE "('table') AND x.pk > 0"
            " UNION ALL SELECT 'main', l.name, i.name, 0, c.name, c.seqno"
            " FROM pragma_table_list l JOIN pragma_index_list(l.name) i"
            " JOIN pragma_index_info(i.name) c"
            " WHERE" VISIBLE "('table') AND i.\"unique\" = 1 AND i.partial = 0"
            " AND i.origin <> 'pk') ORDER BY name, id, place",
        [INTROSPECT_REFERENCES] =
            "SELECT 'main', l.name, f.id, 'main', f.\"table\", f.\"from\", f.\"to\""
            " FROM pragma_table_list l JOIN pragma_foreign_key_list(l.name) f"
            " WHERE" VISIBLE "('table') ORDER BY l.name, f.id DESC, f.seq",
        [INTROSPECT_CHECKS] =
            "SELECT 'main', l.name, s.sql"
            " FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name"
            " WHERE" VISIBLE "('table') AND s.type = 'table' ORDER BY s.rowid",
    },
    .checks_are_tables = true,
    .columns_without_views = COLUMNS("('table', 'virtual')"),
};
/* clang-format on */

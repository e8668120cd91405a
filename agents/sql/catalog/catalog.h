/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog.h - what a database holds: tables, columns, keys, references, the
 * secure-view map; and its text for prompts.
 *
 * Built once (from a file, or by introspect), then immutable and shared by all workers. Everything
 * is indexed by small integers. Names keep their spelling; lookup ignores ASCII case unless the
 * dialect's names are case-sensitive. Text that the database gave (comments) is data, not to be
 * trusted. Any thread once built. */
#ifndef AGENTS_SQL_CATALOG_CATALOG_H
#define AGENTS_SQL_CATALOG_CATALOG_H

#include "agents/sql/catalog/column_access.h"
#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/map.h"

enum { CATALOG_NONE = -1 };

enum catalog_type { /* coarse: what a value of the column is good for */
                    CATALOG_UNKNOWN,
                    CATALOG_INTEGER,
                    CATALOG_NUMBER, /* real or decimal */
                    CATALOG_TEXT,
                    CATALOG_BOOLEAN,
                    CATALOG_DATE,
                    CATALOG_TIMESTAMP,
                    CATALOG_BLOB,
};

struct catalog_column {
    struct str name, declared_type;
    struct str comment; /* the database's own description, or "" */
    struct str allowed; /* the values that a CHECK lists: 'A', 'B'; or "" */
    enum catalog_type type;
    enum catalog_type shows; /* what its texts are (dates), as rows show; or CATALOG_UNKNOWN */
    bool primary_key, unique, not_null;
    bool hidden;     /* the database has it, nobody may read it */
    bool unreadable; /* hidden, as the role may not select it: no filter may name it either */
    bool pii;        /* never sampled, never in a value index */
    /* A mask, or PRIVATE, as somebody said; PRIVATE and hidden: until a policy lets it be read. */
    enum column_access access;
};

struct catalog_reference { /* a reference of this table; column pairs in order */
    const int *columns;    /* of this table */
    int to_table;
    const int *to_columns;
    size_t column_count;
    int implied; /* 0: declared; else nobody declared it, and how sure it is, in percent */
};

struct catalog_key { /* no two rows are equal in these columns */
    const int *columns;
    size_t column_count;
    bool primary;
};

struct catalog_table {
    struct str schema, name; /* schema: "" when the bare name reaches the table */
    struct str home;         /* the schema it lies in, also when that is a default one; or "" */
    struct str comment;      /* or "" */
    const struct catalog_column *columns;
    size_t column_count;
    const struct catalog_reference *references;
    size_t reference_count;
    const struct catalog_key *keys;
    size_t key_count;
    bool is_view;
    bool hidden;       /* base table behind a secure view, or not for the model */
    int secure_view;   /* table index of the view to read instead, or CATALOG_NONE */
    int secures;       /* for a secure view: the table it stands for, or CATALOG_NONE */
    int tenant_column; /* column to filter by company_id, or CATALOG_NONE */
    /* Of tables without: the column that tenant columns of others refer to; and the reference that
     * leads, in one or more steps, to a table that has either. Or CATALOG_NONE. */
    int tenant_key, tenant_reference;
    int64_t row_count; /* -1: unknown */
};

struct catalog {
    const struct catalog_table *tables;
    size_t table_count, function_count;
    bool case_sensitive; /* table names (PostgreSQL quoted, MariaDB on Linux); SQLite: false */
    bool case_sensitive_columns; /* PostgreSQL: "Id" and "id" are two */
    bool complete, by_company;   /* there are no columns but these, so a star shows nothing else; a
                                    tenant column was named, whether or not any table has it */
    const struct str *functions; /* stored functions that a bare name calls; MySQL's only */
    struct map by_name;          /* folded name -> table index + 1; use catalog_find */
    struct arena arena;          /* everything above lives here */
};

struct catalog_builder; /* what a catalog is built from: filled, then frozen */
struct catalog_builder *catalog_builder_create(void);
void catalog_builder_destroy(struct catalog_builder *builder);
/* Append a table / a column to the last table / a reference or key of the last table by names (a
 * reference may name tables that come later, as "name" or "schema.name"). Strings are copied.
 * ERR_INVALID: duplicate name, unknown table or column at freeze; ERR_NO_MEMORY. */
MUST_USE enum err_code catalog_add_table(struct catalog_builder *builder,
                                         const struct catalog_table *table, struct err *err);
MUST_USE enum err_code catalog_add_column(struct catalog_builder *builder,
                                          const struct catalog_column *column, struct err *err);
MUST_USE enum err_code catalog_add_reference(struct catalog_builder *builder,
                                             const struct str *columns, struct str to_table,
                                             const struct str *to_columns, size_t column_count,
                                             struct err *err);
MUST_USE enum err_code catalog_add_key(struct catalog_builder *builder, const struct str *columns,
                                       size_t column_count, bool primary, struct err *err);
/* {"user":"secure_user"}: logical -> view. Missing views: ERR_INVALID names them all (C34). */
MUST_USE enum err_code catalog_secure(struct catalog_builder *builder, struct str logical,
                                      struct str view, struct err *err);
/* Filter every table that has this column by it. */
void catalog_set_tenant_column(struct catalog_builder *builder, struct str column);
/* Whether table names, and column names, are case-sensitive. Set before freeze. */
void catalog_set_case_sensitive(struct catalog_builder *builder, bool tables, bool columns);
/* Introspection says complete; a file lists only what may be read. */
void catalog_set_complete(struct catalog_builder *builder, bool complete);
/* Freeze; the builder is empty then. */
MUST_USE enum err_code catalog_freeze(struct catalog_builder *builder, struct catalog **out,
                                      struct err *err);
/* From a join-graph file, as docs/joins.md describes it. */
MUST_USE enum err_code catalog_from_join_graph(struct str json, struct catalog **out,
                                               struct err *err);
void catalog_destroy(struct catalog *catalog);
/* What a declared type ("VARCHAR(20)", "int4") is good for. */
enum catalog_type catalog_type_of(struct str declared);

/* Table or column index, or CATALOG_NONE. schema may be empty: then a name that only tables of
 * several other schemas have finds none of them. */
int catalog_find_table(const struct catalog *catalog, struct str schema, struct str name);
int catalog_find_column(const struct catalog *catalog, int table, struct str name);
/* A table by "name" or "schema.name" in one text. */
int catalog_find_dotted(const struct catalog *catalog, struct str name);
/* Append the name a table goes by, a secure view by that of its table: "name", or "schema.name"
 * where the bare name does not reach it. catalog_find_dotted finds the table by it. */
void catalog_push_name(const struct catalog *catalog, int table, struct buf *out);
/* Tables, not hidden, that have the (visible) column: up to max indices written. */
size_t catalog_tables_with_column(const struct catalog *catalog, struct str column, int *tables,
                                  size_t max);
/* Whether the columns hold all of some key of the table, so that no two rows are equal in them. */
bool catalog_is_key(const struct catalog_table *table, const int *columns, size_t count);

struct catalog_counts {
    size_t tables, views, columns, references, composite, implied; /* references: declared ones */
};
/* Count what catalog_write writes, and the views, which it leaves out. */
struct catalog_counts catalog_count(const struct catalog *catalog);
/* Write a join-graph file (docs/joins.md) of what is not hidden. arena: for names with schemas. */
void catalog_write(const struct catalog *catalog, struct arena *arena, struct buf *out);

#endif

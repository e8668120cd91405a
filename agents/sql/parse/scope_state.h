/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope_state.h - what resolving works on: frames of relations, CTEs in sight, the
 * references found so far. Private to scope.
 *
 * A frame is one SELECT's FROM: at most SQL_GRAMMAR_MAX_RELATIONS relations, so sets of them are
 * 64-bit masks. Failing is sticky, as in the grammar. */
#ifndef AGENTS_SQL_PARSE_SCOPE_STATE_H
#define AGENTS_SQL_PARSE_SCOPE_STATE_H

#include "agents/sql/grammar/grammar_tree.h"

enum {
    SQL_SCOPE_MAX_OUTPUTS = 2000,
    SQL_SCOPE_MAX_REFS = 32 * 1024,
    SQL_SCOPE_MAX_COMPARED = 8 * 1000 * 1000, /* names, so that time stays linear in practice */
    /* SQLite copies a CTE for each place that reads it before it looks at a clock: a chain of
     * CTEs that read their forerunner twice would keep it busy for days (16 of them: 0.6 s). */
    SQL_SCOPE_MAX_EXPANDED = 1000,
};

struct sql_scope_columns { /* of a derived table */
    struct str *names;
    int *starred; /* the catalog table that stars alone brought each one from, or CATALOG_NONE */
    size_t count, cap, starred_cap;
};

struct sql_scope_merged { /* a column USING or NATURAL took from this relation */
    struct str name;
    struct sql_scope_merged *next;
};

struct sql_scope_relation {
    struct str schema, name;
    bool aliased;
    int table_ref, table; /* CATALOG_NONE for a derived one; table also for an unknown one */
    const struct sql_scope_columns *columns; /* derived */
    bool open;                               /* a table function whose columns are not known */
    bool qualified_only;                     /* JOIN ... USING (...) AS name */
    struct sql_scope_merged *merged;
    size_t component; /* index of another relation it is joined with, or its own */
};

struct sql_scope_cte {
    struct str name;
    const struct sql_scope_columns *columns; /* NULL: its own first branch, where it is not yet */
    bool defining;                           /* its query is being resolved */
    size_t expanded;                         /* FROM items once all CTEs in it are copied out */
    struct sql_scope_cte *before;
};

struct sql_scope_frame {
    struct sql_scope_frame *parent;
    struct sql_scope_cte *ctes;
    struct sql_scope_relation *relations;
    size_t relation_count;
    const struct sql_item *items; /* where aliases are found */
    size_t item_count;
    const struct sql_scope_columns *outputs; /* once known: PostgreSQL's ORDER BY finds them */
    bool aliases_seen;                       /* by the clause being resolved */
    bool in_having;          /* MySQL: what the list does not give is looked for further out */
    bool has_base, may_hide; /* a base table; one that may have columns which nobody may read */
    int scope;
    uint64_t touched; /* relations names resolved to since this was cleared */
    uint64_t unseen;  /* relations that the clause being resolved does not see */
};

struct sql_scope_pending { /* CTEs of a WITH RECURSIVE that are yet to come */
    const struct sql_cte *first;
    const struct sql_scope_pending *around;
};

struct sql_scope {
    const struct catalog *catalog;
    struct arena *arena;
    struct sql_parse *parse;
    struct sql_table_ref *tables;
    struct sql_column_ref *columns;
    struct sql_function_ref *functions;
    size_t table_cap, column_cap, function_cap;
    struct sql_scope_columns ctes;
    const struct sql_scope_pending *pending;
    int scope_count;
    size_t compared, expanded; /* against the limits above */
    bool failed;
    enum err_code code;
    const char **rule;
    struct err *err;
};

/* scope_state.c: lists, and giving up. */
void sql_scope_state_refuse(struct sql_scope *s, const char *rule, const char *fmt, ...)
    PRINTF(3, 4);
void *sql_scope_state_alloc(struct sql_scope *s, size_t count, size_t size);
/* Index of the copy, or CATALOG_NONE having given up. */
int sql_scope_state_add_table(struct sql_scope *s, const struct sql_table_ref *ref);
void sql_scope_state_add_column(struct sql_scope *s, const struct sql_column_ref *ref);
void sql_scope_state_add_function(struct sql_scope *s, const struct sql_function_ref *ref);
void sql_scope_state_add_output(struct sql_scope *s, struct sql_scope_columns *columns,
                                struct str name);
void sql_scope_state_add_starred(struct sql_scope *s, struct sql_scope_columns *columns,
                                 struct str name, int table);

/* Whether two names are one: PostgreSQL has folded its names already. (Tables and columns of a
 * catalog are found in any case; the rewriter writes them as the catalog has them.) */
bool sql_scope_state_same(const struct sql_scope *s, struct str a, struct str b);
/* Count names compared, or FROM items after expansion; past the limit it gives up. */
void sql_scope_state_compare(struct sql_scope *s, size_t count);
void sql_scope_state_expand(struct sql_scope *s, size_t count);

#endif

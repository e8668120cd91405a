/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_plan.h - what each table of a checked statement must become in what is sent,
 * and where in the text that is. Private to rewrite_proof.
 *
 * Worked out from the parse, the policy and the catalog, without the rewriter. */
#ifndef AGENTS_SQL_REWRITE_PLAN_H
#define AGENTS_SQL_REWRITE_PLAN_H

#include "agents/sql/grammar_tree.h"
#include "agents/sql/visible.h"

enum { SQL_REWRITE_PLAN_NONE = -1, SQL_REWRITE_PLAN_CHANGED = 8 };
enum sql_rewrite_form { SQL_REWRITE_AS_IS, SQL_REWRITE_NAME, SQL_REWRITE_DERIVED };

struct sql_rewrite_where { /* of a SELECT with GROUP BY, in PostgreSQL */
    const struct sql_branch *branch;
    int first, last; /* table references whose filters stand there, or SQL_REWRITE_PLAN_NONE */
};

struct sql_rewrite_table { /* what becomes of one table reference */
    enum sql_rewrite_form form;
    int read;                        /* catalog table */
    bool filters;                    /* by company */
    bool starred;                    /* a star shows all of it */
    bool narrow;                     /* SQL_REWRITE_DERIVED: the visible columns, not '*' */
    struct sql_rewrite_where *where; /* where its filter may stand beside it, or NULL */
    bool beside;                     /* and does */
    int next;                        /* the next one beside, or SQL_REWRITE_PLAN_NONE */
};

/* What changes in the text; at one offset in this order. */
enum sql_rewrite_place_kind {
    SQL_REWRITE_OPEN, /* index: of the where */
    SQL_REWRITE_WORD, /* TABLE; index: of the star's column reference */
    SQL_REWRITE_TABLE,
    SQL_REWRITE_SAMPLE, /* goes into the derived table; index: of the table reference */
    SQL_REWRITE_STAR,   /* t.* */
    SQL_REWRITE_STAR_OUT,
    SQL_REWRITE_TEXT, /* "5%" */
    SQL_REWRITE_COLUMN,
    SQL_REWRITE_COUNT,
    SQL_REWRITE_CLOSE
};

struct sql_rewrite_place {
    size_t at; /* bytes of the text checked */
    enum sql_rewrite_place_kind kind;
    size_t index;
};

struct sql_rewrite_plan {
    struct sql_visible sees;
    struct sql_tenant tenant;
    const struct sql_parse *parse;
    struct sql_rewrite_table *tables; /* by table reference */
    struct sql_rewrite_where *wheres;
    size_t where_count;
    struct sql_rewrite_place *places; /* in the order of the text */
    size_t place_count;
    bool wraps; /* all of it becomes a derived table, with a LIMIT behind */
    /* private */
    struct arena *arena;
    int changed[SQL_REWRITE_PLAN_CHANGED]; /* catalog tables whose columns are others now */
    size_t changed_count;
    bool narrow_all;
};

/* Plan what must become of plan->parse; sees, tenant, parse and arena are set, the rest is zero.
 * False: the statement is of a kind that is not planned, or memory is spent. */
bool sql_rewrite_plan_make(struct sql_rewrite_plan *plan);
/* The column's name as the database must find it. */
struct str sql_rewrite_plan_spelling(const struct sql_rewrite_plan *plan,
                                     const struct sql_column_ref *ref);
/* Whether its qualifier, which has a schema, means nothing once the table is another. */
bool sql_rewrite_plan_requalifies(const struct sql_rewrite_plan *plan,
                                  const struct sql_column_ref *ref);
/* The alias, or the name where there is none. */
static inline struct str sql_rewrite_plan_called(struct str name, struct str alias)
{
    return alias.len > 0 ? alias : name;
}

#endif

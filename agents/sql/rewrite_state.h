/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_state.h - what rewriting works on: the edits gathered so far, and what the
 * statement needs. Private to the rewrite* files.
 *
 * Running out of memory is sticky and asked once at the end. */
#ifndef AGENTS_SQL_REWRITE_STATE_H
#define AGENTS_SQL_REWRITE_STATE_H

#include "agents/sql/grammar.h"
#include "agents/sql/rewrite.h"
#include "agents/sql/rewrite_limit.h"

struct sql_rewrite_edit {
    struct sql_span span;
    struct str text;
    size_t order;              /* of edits at one place */
    bool filters;              /* holds a company filter */
    struct sql_span predicate; /* of the filter, in text */
    size_t derived_bytes;      /* of text: the derived table the filter stands in; 0: WHERE */
};

struct sql_rewrite_state {
    struct sql_visible sees;
    const struct sql_parse *parse;
    struct sql_tenant tenant;
    struct arena *arena;
    struct sql_rewrite *rewrite;
    struct sql_rewrite_limit limit;
    struct sql_rewrite_filter *filters;
    struct sql_rewrite_edit *edits;
    size_t edit_count;
    bool *starred; /* by table reference: a star or a NATURAL join shows all of it */
    bool *edited;  /* by table reference */
    const struct sql_branch **grouped; /* by scope: PostgreSQL's SELECT with GROUP BY, else NULL */
    size_t scope_count;
    size_t *where_filters; /* by scope: company filters that went into its WHERE */
    bool narrow_all;       /* a name slips past a table outwards */
    bool failed;           /* no memory for a text */
    struct buf out;        /* scratch for one edit, then the result */
};

/* rewrite_state.c */
struct sql_rewrite_edit *sql_rewrite_state_add(struct sql_rewrite_state *r, struct sql_span span,
                                               struct str text);
/* What out holds, copied. */
struct str sql_rewrite_state_take(struct sql_rewrite_state *r);
void sql_rewrite_state_name(struct sql_rewrite_state *r, struct str name);
const struct catalog_table *sql_rewrite_state_table(const struct sql_rewrite_state *r, int table);

/* rewrite_names.c: stars first, for they say what must be narrowed; names once tables are edited.
 */
void sql_rewrite_names_stars(struct sql_rewrite_state *r);
void sql_rewrite_names_columns(struct sql_rewrite_state *r);
/* Whether one of both may add an edit for the reference. */
bool sql_rewrite_names_may_edit(const struct sql_parse *parse, const struct sql_column_ref *ref);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite.h - the statement as it will be sent: secure views, tenant filters, hidden
 * columns kept out, comments gone, LIMIT.
 *
 * Edits the text at the parse's spans, so what is not touched stays byte for byte. A table is
 * replaced by its view's name, or by a derived table that holds only what may be seen; either
 * keeps the alias, or gets the table's name as one, so references go on working. What comes out
 * is for the guard to read again. Pure; linear (after sorting). */
#ifndef AGENTS_SQL_REWRITE_H
#define AGENTS_SQL_REWRITE_H

#include "agents/sql/finding.h"
#include "agents/sql/visible.h"

struct sql_rewrite {       /* what the rewriter did, for the second reading */
    struct str sql;        /* in the arena */
    size_t tenant_filters; /* how many session_var('company_id') it wrote */
    bool narrowed;         /* some tables became lists of visible columns */
};

/* The one function the rewriter may call: sql_rewrite_tenant_call is its text. */
extern const struct str sql_rewrite_tenant_function, sql_rewrite_tenant_call;

/* Rewrite a parse that passed all rules. ERR_REJECTED with the finding: a tenant's table cannot be
 * filtered; ERR_NO_MEMORY. */
MUST_USE enum err_code sql_rewrite_statement(struct sql_visible sees, const struct sql_parse *parse,
                                             struct sql_tenant tenant, struct arena *arena,
                                             struct sql_rewrite *rewrite,
                                             struct sql_finding *finding);
/* Whether the table must be filtered and by which column of what is read instead of it
 * (CATALOG_NONE: it needs none). False: it must be, and cannot. */
bool sql_rewrite_tenant_column(struct sql_visible sees, int table, int *column);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/rewrite.h - the statement as it will be sent: secure views, company filters,
 * hidden columns kept out, masks, comments gone, LIMIT.
 *
 * Edits the text at the parse's spans, so what is not touched stays byte for byte. A table is
 * replaced by its view's name, or by a derived table that holds only what may be seen; either
 * keeps the alias, or gets the table's name as one, so references go on working. Where PostgreSQL
 * would miss a table's key in GROUP BY, the filter goes into WHERE and a star becomes names. What
 * comes out is for the guard to read again. Pure; linear (after sorting). */
#ifndef AGENTS_SQL_GUARD_REWRITE_H
#define AGENTS_SQL_GUARD_REWRITE_H

#include "agents/sql/parse/finding.h"
#include "agents/sql/catalog/visible.h"

/* A company filter as written, in bytes of sql_rewrite.sql. */
struct sql_rewrite_filter {
    struct sql_span predicate;
    struct sql_span around; /* the derived table it stands in; empty: it is a conjunct of WHERE */
};

struct sql_rewrite {                          /* what the rewriter did, for the second reading */
    struct str sql;                           /* in the arena */
    const struct sql_rewrite_filter *filters; /* in the order of the text */
    size_t filter_count;
    const struct sql_span *masks; /* of columns, in sql, in the order of the text */
    size_t mask_count;
};

/* Rewrite a parse that passed all rules. ERR_REJECTED with the finding: a tenant's table cannot be
 * filtered; ERR_NO_MEMORY. */
MUST_USE enum err_code sql_rewrite_statement(struct sql_visible sees, const struct sql_parse *parse,
                                             struct sql_tenant tenant, struct arena *arena,
                                             struct sql_rewrite *rewrite,
                                             struct sql_finding *finding);
/* The filter whose predicate, or whose derived table, holds span; filter_count: none does. */
size_t sql_rewrite_filter_at(const struct sql_rewrite *rewrite, struct sql_span span);
size_t sql_rewrite_filter_around(const struct sql_rewrite *rewrite, struct sql_span span);
/* Whether the rewriter wrote span as part of a mask. */
bool sql_rewrite_masks(const struct sql_rewrite *rewrite, struct sql_span span);
/* Whether the rewriter wrote span as part of a company filter, or of a mask. */
static inline bool sql_rewrite_wrote(const struct sql_rewrite *rewrite, struct sql_span span)
{
    return sql_rewrite_filter_at(rewrite, span) < rewrite->filter_count ||
           sql_rewrite_masks(rewrite, span);
}

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/proving.h - shared by the kinds of proofs: the statement that is proven, and
 * its parts as a proof writes them.
 *
 * For agents/sql/doubts only. */
#ifndef AGENTS_SQL_DOUBTS_PROVING_H
#define AGENTS_SQL_DOUBTS_PROVING_H

#include "agents/sql/doubts/look.h"
#include "agents/sql/doubts/proof.h"

enum { PROOF_BYTES = 32 * 1024 };

struct sql_proofs {
    struct sql_doubts_look look;
    struct sql_tree_walk walk;
    const struct sql_branch *branch; /* the statement's only one */
    struct sql_proof *at;
    size_t count;
};

struct str sql_proofs_part(const struct sql_proofs *p, size_t start, size_t end);
struct str sql_proofs_text(const struct sql_proofs *p, const struct sql_expr *expr);
size_t sql_proofs_items_end(const struct sql_proofs *p);
/* What stands behind FROM, which not every dialect's tree tells as a whole. */
struct sql_span sql_proofs_from(const struct sql_branch *branch);
/* Where FROM and WHERE end. */
size_t sql_proofs_rows_end(const struct sql_branch *branch);
/* alias.column, quoted. */
struct str sql_proofs_column(const struct sql_proofs *p, int table_ref, size_t column);
/* alias.key of the table, quoted; absent: it has no key of one column. */
struct str sql_proofs_key(const struct sql_proofs *p, int table_ref);
/* The condition on rows of the table that count; absent: all do, or nobody knows. */
struct str sql_proofs_rule(const struct sql_proofs *p, int table_ref);
/* Keep the proof, unless it is kept already or its texts are not whole. */
void sql_proofs_keep(struct sql_proofs *p, struct sql_proof proof);

/* The kinds that have a file of their own. */
void sql_proofs_of_marked(struct sql_proofs *p, const struct sql_branch *branch);
void sql_proofs_of_lost(struct sql_proofs *p);

#endif

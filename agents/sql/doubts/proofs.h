/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/proofs.h - statements whose rows prove what is doubtful about another one:
 * others share the first place, rows are counted again, rows that lack a value are left out, rows
 * that count no more are in.
 *
 * A proof reads what its statement reads, in the same way, and gives a row or two; it is a text as
 * a model would write it, which the guard has to pass. Without one, nobody knows. No I/O; any
 * thread. */
#ifndef AGENTS_SQL_DOUBTS_PROOFS_H
#define AGENTS_SQL_DOUBTS_PROOFS_H

#include "agents/sql/doubts/proof.h"

/* Write the proofs that the form of the statement allows; how many. Texts are of source's arena. */
size_t sql_proofs_make(const struct sql_doubts_source *source,
                       struct sql_proof proofs[SQL_PROOFS_MOST]);
/* Whether the rows prove it; *count: how many rows it is about, 0 of a tie. */
bool sql_proofs_hold(const struct sql_proof *proof, const struct sql_result *rows, int64_t *count);

#endif

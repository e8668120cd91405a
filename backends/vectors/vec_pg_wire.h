/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_pg_wire.h - the statements of vec_pg and their parameters. Any thread. */
#ifndef BACKENDS_VECTORS_VEC_PG_WIRE_H
#define BACKENDS_VECTORS_VEC_PG_WIRE_H

#include "backends/passages/pg_passages.h"
#include "backends/vec.h"

/* The row of run->kind_step: what the collection holds, before anything is looked for or added. The
 * statement after it in a change fails unless model and dimensions are the change's. */
enum { VEC_PG_WIRE_MODEL, VEC_PG_WIRE_DIMENSIONS, VEC_PG_WIRE_HAS_ROWS };

/* How many more hits than top_k are asked for: so many may tie for the last place and still come in
 * the order of their ids. */
enum { VEC_PG_WIRE_TIES = 16 };

/* Fill run's statements for query, of which the last gives hits; none when a filter has no value.
 * ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code vec_pg_wire_search(struct pg_passages_run *run,
                                          const struct vec_query *query, struct err *err);
/* Fill run's statements for change; none when there is nothing to do. ERR_INVALID, ERR_NO_MEMORY.
 */
MUST_USE enum err_code vec_pg_wire_change(struct pg_passages_run *run,
                                          const struct vec_change *change, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_pg.h - vectors in PostgreSQL's extension pgvector (0.5 and up).
 *
 * One table a collection, listed in askd_vec, made on its first change by whoever the url logs in;
 * the extension, too, where that user may. Scores are cosines. Large tables are searched by an
 * index (HNSW), which is approximate; small ones, vectors of more than 2000 numbers, and what few
 * rows of a company or user may answer are searched exactly, as PostgreSQL's planner sees fit.
 * Before 0.8 the index may find fewer than asked for where filters pass little. A change holds
 * whole. Errors as in vec.h. One loop, one thread. */
#ifndef BACKENDS_VECTORS_VEC_PG_H
#define BACKENDS_VECTORS_VEC_PG_H

#include "backends/vec.h"

/* url: postgresql://..., all that libpq knows; copied. Opens nothing yet. NULL with err:
 * ERR_INVALID, naming the part that is wrong, or ERR_NO_MEMORY. */
struct vec *vec_pg_create(struct loop *loop, const char *url, struct err *err);

#endif

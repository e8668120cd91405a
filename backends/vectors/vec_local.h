/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_local.h - vectors in an SQLite file, searched in memory.
 *
 * The file is made when it is absent, with its folder, and may be written by other processes,
 * which is noticed within about a second; a write of this process is seen by every search that
 * starts after its done. Vectors are in memory once for all loops (vec_shared); texts are read from
 * the file when found. Filters narrow the scan itself; the score is the cosine. What only blocks is
 * on threads: one per vec to read hits, one for writes and for reading the file. */
#ifndef BACKENDS_VECTORS_VEC_LOCAL_H
#define BACKENDS_VECTORS_VEC_LOCAL_H

#include "backends/vec.h"
#include "backends/vectors/vec_shared.h"

/* A vec over shared, which is held until closed. NULL: no memory or no thread. */
struct vec *vec_local_create(struct loop *loop, struct vec_shared *shared);

#endif

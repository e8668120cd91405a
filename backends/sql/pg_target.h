/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_target.h - a PostgreSQL url as the places it names and what libpq is told for
 * each.
 *
 * All that libpq knows may stand in the url, several hosts among it; what is missing comes from
 * libpq's environment variables. Ours on top: gssencmode=disable unless the url says otherwise,
 * UTF-8, and start-up settings that make sessions read-only and values stable (ISO dates, hex
 * bytea, shortest exact floats). The time zone is left as the server, role or url has it. Immutable
 * once made. */
#ifndef BACKENDS_SQL_PG_TARGET_H
#define BACKENDS_SQL_PG_TARGET_H

#include "core/base/err.h"

struct pg_target;

enum { PG_TARGET_MOST_KEYWORDS = 80, PG_TARGET_WHERE_BYTES = 288 };

/* What PQconnectStartParams takes; borrowed from the target and the caller's address. */
struct pg_target_params {
    const char *keywords[PG_TARGET_MOST_KEYWORDS + 1];
    const char *values[PG_TARGET_MOST_KEYWORDS + 1];
};

/* Read url. NULL with err: ERR_INVALID, naming the part that is wrong (never a value that might be
 * the password), or ERR_NO_MEMORY. */
struct pg_target *pg_target_create(const char *url, struct err *err);
/* NULL is fine. */
void pg_target_destroy(struct pg_target *target);

/* How many places the target names; at least one. */
size_t pg_target_count(const struct pg_target *target);
/* The name of place index that must be resolved; NULL: it is a number, a socket or libpq's
 * default. */
const char *pg_target_host(const struct pg_target *target, size_t index);
/* Fill params for place index; address is what its host resolved to, or NULL (kept while params is
 * in use). */
void pg_target_fill(const struct pg_target *target, size_t index, const char *address,
                    struct pg_target_params *params);
/* "host:port" of place index, for messages. */
void pg_target_where(const struct pg_target *target, size_t index,
                     char where[PG_TARGET_WHERE_BYTES]);

#endif

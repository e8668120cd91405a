/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_pg.h - passages as parameters and rows of PostgreSQL.
 *
 * Lists go whole in one parameter each, so that a statement's text hangs on how many filters it has
 * and not on their values. Any thread. */
#ifndef BACKENDS_PASSAGES_PASSAGE_PG_H
#define BACKENDS_PASSAGES_PASSAGE_PG_H

#include "backends/passage.h"
#include "backends/sql/pg_task.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

enum { PASSAGE_PG_MOST_PARAMS = 4 + 2 * PASSAGE_MAX_FILTERS };

/* A statement that is being written. Failures are the arena's or text's. */
struct passage_pg {
    struct arena *arena;
    struct buf text;
    struct pg_conn_param *params; /* in arena */
    size_t param_count;
};

/* Begin with a copy of text, which may go on with $1: what is put first. */
void passage_pg_begin(struct passage_pg *statement, struct arena *arena, const char *text);
void passage_pg_put_str(struct passage_pg *statement, struct str value);
void passage_pg_put_u64(struct passage_pg *statement, uint64_t value);
/* Put what text holds, and free text. */
void passage_pg_put_buf(struct passage_pg *statement, struct buf *text);
/* Put a JSON list of strings. */
void passage_pg_put_strings(struct passage_pg *statement, const struct str *strings, size_t count);
/* " AND ..." for each filter; fields called columns (NULL at the end) are columns of their own, the
 * others are in the column fields. */
void passage_pg_push_filters(struct passage_pg *statement, const struct passage_filter *filters,
                             size_t count, const char *const *columns);
/* Make the statement the next one of task. */
void passage_pg_end(struct passage_pg *statement, struct pg_task *task);

/* Whether all that was begun in arena is whole, or ERR_NO_MEMORY. */
MUST_USE enum err_code passage_pg_check(const struct arena *arena, struct err *err);

/* Copy rows of id, text, fields as JSON, score into arena. ERR_PROTOCOL, ERR_NO_MEMORY. */
MUST_USE enum err_code passage_pg_read_hits(const struct pg_result *result, struct arena *arena,
                                            struct passage_hit **hits, size_t *count,
                                            struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_pg_batch.h - one statement as what PostgreSQL is sent in one round trip.
 *
 *   BEGIN READ ONLY; set_config(...) for the timeout and every variable, values bound; the
 *   statement as it was given; a sync; ROLLBACK; a sync.
 * The first sync ends what an error skips, so that ROLLBACK is always executed: it also takes back
 * every setting that the statement may have changed. One thread; lives in one query. */
#ifndef BACKENDS_SQL_SQL_PG_BATCH_H
#define BACKENDS_SQL_SQL_PG_BATCH_H

#include "backends/sql/pg_conn.h"
#include "backends/sql.h"

enum sql_pg_batch_step { /* as on_result of pg_conn counts */
                         SQL_PG_BATCH_BEGIN,
                         SQL_PG_BATCH_SET,
                         SQL_PG_BATCH_STATEMENT,
                         SQL_PG_BATCH_ROLLBACK,
};

struct sql_pg_batch {
    /* private */
    struct arena arena;
    const char *text, *set_text; /* terminated */
    struct pg_conn_param *params, *set_params;
    size_t param_count, set_count;
    char timeout[24];
};

/* Copy statement's text, variables and values. ERR_REJECTED: NUL bytes, more parameters than there
 * may be, no text; ERR_NO_MEMORY. */
MUST_USE enum err_code sql_pg_batch_init(struct sql_pg_batch *batch,
                                         const struct sql_statement *statement, struct err *err);
/* Zeroed storage is fine. */
void sql_pg_batch_fini(struct sql_pg_batch *batch);

/* Send the batch on a connection that rests; user is told what it gives. May be called again. */
void sql_pg_batch_send(struct sql_pg_batch *batch, struct pg_connection *conn,
                       struct pg_conn_user *user, uint64_t timeout_ms, size_t message_bytes);

#endif

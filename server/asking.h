/* SPDX-License-Identifier: MIT */
/* server/asking.h - one loop with backends and knowledge that runs graphs without HTTP.
 *
 * For commands: asking_open blocks until the database is read, asking_run until a run has ended.
 * One thread. */
#ifndef SERVER_ASKING_H
#define SERVER_ASKING_H

#include "agents/registry.h"
#include "core/run.h"
#include "server/config.h"

struct asking;

struct asking_question { /* views are borrowed for the call */
    struct str message;
    struct identity caller; /* absent names: nobody's, of no conversation */
};

struct asking_answer {        /* valid until the next run */
    struct run *run;          /* ended */
    struct str text;          /* what the user reads */
    struct str members;       /* of complete or error: JSON members */
    struct str code, message; /* why it failed; absent: it did not */
};

/* config is borrowed. graph: its name. NULL: err says why. A database that cannot be read is no
 * failure: its runs say so. */
struct asking *asking_open(const struct config *config, const char *graph, struct err *err);
/* Run it; on_text gets each piece of the answer as it comes, may be NULL. ERR_INVALID: the graph
 * refuses the question. */
MUST_USE enum err_code asking_run(struct asking *asking, const struct asking_question *question,
                                  void (*on_text)(void *owner, struct str text), void *owner,
                                  struct asking_answer *answer, struct err *err);
/* Run a statement of the caller's own on the same database, read-only and past the guard; its rows
 * are query's until op_release. ERR_NOT_CONFIGURED: there is no database. */
MUST_USE enum err_code asking_query(struct asking *asking, const struct sql_statement *statement,
                                    struct sql_query *query, struct err *err);
/* From now on SIGINT, SIGTERM and SIGHUP cancel the run that is under way ("cancelled"); a second
 * one ends the process. False: no memory. */
MUST_USE bool asking_heed_signals(struct asking *asking);
bool asking_is_stopped(const struct asking *asking);
/* SQL_SQLITE where there is no database. */
enum sql_dialect asking_dialect(const struct asking *asking);
/* NULL is fine. */
void asking_close(struct asking *asking);

#endif

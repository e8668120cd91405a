/* SPDX-License-Identifier: MIT */
/* server/cli/local_engine.h - one loop with backends and knowledge, which runs graphs without HTTP.
 *
 * For commands: local_engine_open blocks until the database is read, local_engine_run until a run
 * has ended. One thread. */
#ifndef SERVER_CLI_LOCAL_ENGINE_H
#define SERVER_CLI_LOCAL_ENGINE_H

#include "agents/registry.h"
#include "backends/llm.h"
#include "core/run/run.h"
#include "server/config/config.h"

struct local_engine;

struct local_engine_question { /* views are borrowed for the call */
    struct str message;
    struct identity caller; /* absent names: no user, no conversation */
};

struct local_engine_answer {  /* valid until the next run */
    struct run *run;          /* ended */
    struct str text;          /* what the user reads */
    struct str members;       /* JSON members of the complete or error event */
    struct str code, message; /* why the run failed; absent: it did not */
};

struct local_engine_listener {                     /* each function may be NULL */
    void (*on_text)(void *owner, struct str text); /* a piece of the answer, as it comes */
    void (*on_step)(void *owner, struct str node); /* a node begins: "sql_agent/executor" */
    void *owner;
};

/* Open an engine for the graph of this name. config is borrowed. NULL: err says why. A database
 * that cannot be read is no failure: runs then say so. */
struct local_engine *local_engine_open(const struct config *config, const char *graph,
                                       struct err *err);
/* Run the graph on question; listener may be NULL. Questions of one caller's conversation follow
 * each other: the engine remembers them. ERR_INVALID: the graph refuses the question. */
MUST_USE enum err_code local_engine_run(struct local_engine *engine,
                                        const struct local_engine_question *question,
                                        const struct local_engine_listener *listener,
                                        struct local_engine_answer *answer, struct err *err);
/* Run a statement of the caller's own on the same database, read-only and without the guard; its
 * rows belong to query until op_release. ERR_NOT_CONFIGURED: there is no database. */
MUST_USE enum err_code local_engine_query(struct local_engine *engine,
                                          const struct sql_statement *statement,
                                          struct sql_query *query, struct err *err);
/* From now on SIGINT, SIGTERM and SIGHUP cancel the run that is under way ("cancelled"); a second
 * one ends the process. False: no memory. */
MUST_USE bool local_engine_heed_signals(struct local_engine *engine);
bool local_engine_is_stopped(const struct local_engine *engine);
/* Signals do again what they did before, and nothing is stopped. */
void local_engine_ignore_signals(struct local_engine *engine);
/* SQL_SQLITE where there is no database. */
enum sql_dialect local_engine_dialect(const struct local_engine *engine);
/* Ask the engine's model, once; its text is in arena. Absent: err says why there is none. */
struct str local_engine_chat(struct local_engine *engine, const char *task,
                             const struct llm_message *messages, size_t count, struct arena *arena,
                             struct err *err);
/* The names and values of the database; NULL: it could not be read. */
const struct lexicon *local_engine_lexicon(const struct local_engine *engine);
/* What the engine's graph knows for a user of this role; its catalog is NULL where the database
 * could not be read, and catalog_err says why. */
const struct knowledge *local_engine_knowledge(const struct local_engine *engine, struct str role);
/* Whether there is no model but the offline engine. */
bool local_engine_is_offline(const struct local_engine *engine);
/* NULL is fine. */
void local_engine_close(struct local_engine *engine);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/nodes/run_sql.h - executes a statement with limits; an error of the database becomes
 * state, not failure.
 *
 * The result is JSON (rows.h): {"columns":[...],"rows":[[...]],"row_count":n,"truncated":b,
 * "total_rows":n,"execution_time_seconds":s}. At most MAX_QUERY_ROWS rows are kept, in every graph;
 * where there are more, total_rows says how many, unless they could not be counted within the
 * statement's own limits. Before a statement runs the database explains it, unless no limit or
 * approval depends on its cost: a statement above ASKD_SQL_MAX_COST or max_plan_rows of
 * its policy is refused like an error. An unreachable database fails the node: no other statement
 * would fare better. */
#ifndef AGENTS_NODES_RUN_SQL_H
#define AGENTS_NODES_RUN_SQL_H

#include "agents/services/services.h"
#include "core/run/slot.h"

struct ask_config;
struct check_sql_config;

/* A statement that ran. */
struct run_sql_done {
    const struct sql_result *result;
    const struct sql_parse *written; /* before the guard rewrote it */
    bool is_replaced;                /* a person, or another candidate, took the place of what the
                                        model wrote first */
};

struct run_sql_config {
    const struct ask_config *generate;    /* asks the model for another statement, where several are
                                             held against each other (candidates.h); or NULL */
    const struct check_sql_config *guard; /* has passed the statement; a person's edit has to
                                             pass it as well, and then goes into its slots */
    bool clear_sql;                       /* on failure: sql_slot becomes absent (R37) */
    bool error_in_result;                 /* on failure: result_slot becomes {"error":...} (R37) */
    bool clear_error;                     /* on success: error_slot becomes absent */
    struct slot_ref sql_slot;    /* in: as the guard passed it; absent is an internal error (C2);
                                    other bytes than those that the guard lets pass are refused */
    struct slot_ref result_slot; /* out: JSON */
    struct slot_ref error_slot;  /* out on failure: what the database said */
    /* These may be none. */
    struct slot_ref shown_slot;    /* out: JSON, what prompts show of the result (rows_shown) */
    struct slot_ref columns_slot;  /* out: JSON array of names */
    struct slot_ref done_slot;     /* out: whether it ran */
    struct slot_ref count_slot;    /* out: rows */
    struct slot_ref warnings_slot; /* in and out: JSON array of texts, to which remarks on the
                                      result are added (notes.h) */
    struct slot_ref timeout_slot;  /* out: it took too long; absent otherwise */
    struct slot_ref rivals_slot;   /* in: JSON array of statements, this one among them, each of
                                      another reading of the question */
    /* Called when there are rivals, with whether all have the same rows; if not, no result is put.
     * Set with rivals_slot. */
    void (*settle_rivals)(struct node *node, bool are_one);
    void (*after)(struct node *node, const struct run_sql_done *done); /* may put more; or NULL */
};

extern const struct graph_node_type run_sql_node; /* config: struct run_sql_config */

#endif

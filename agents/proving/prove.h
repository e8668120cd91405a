/* SPDX-License-Identifier: MIT */
/* agents/proving/prove.h - proves by rows what is doubtful about a statement (agents/sql/doubts/
 * proofs.h), before it runs.
 *
 * A proof passes the guard, the limits of cost and the database as every statement of the run does,
 * one after the other, each within a short time; one that does not is dropped, and nobody knows.
 * One node. */
#ifndef AGENTS_PROVING_PROVE_H
#define AGENTS_PROVING_PROVE_H

#include "agents/proving/explain.h"
#include "agents/services/services.h"
#include "agents/sql/doubts/proofs.h"
#include "agents/sql/guard/cost.h"

struct proved {
    struct sql_proof proof;
    bool is_settled, is_proven;
    int64_t count;           /* rows that it is about; 0 of a tie */
    struct str figure, once; /* as it is, and with each row counted once; absent: not known */
};

struct prove { /* in the frame of its node; zeroed */
    /* before start */
    const struct sql_verdict *(*judge)(struct node *node, struct str sql); /* the guard's */
    struct sql_cost_limits cost;
    node_fn *then; /* what the node goes on with */
    /* the answer, in then */
    struct proved at[SQL_PROOFS_MOST];
    size_t count;
    /* private */
    size_t next;
    bool reads_figures; /* of the proof, which held */
    const struct sql_verdict *passed;
    struct sql_statement statement;
    struct sql_query query;
    struct explain explain;
    struct sql_variable variables[SERVICES_VARIABLES];
};

/* Prove what can be of the statement, then go on in then. prove is the first member of the frame.
 */
MUST_USE enum step prove_start(struct node *node, const struct sql_doubts_source *source);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/nodes/candidates.h - a statement that ran is held against other statements for the same
 * question, by their rows (SQL_CANDIDATES).
 *
 * The second candidate is the offline engine's own statement, where it reads the question; others
 * are the model's, asked again. Each passes the guard, the limits and the database as the first
 * did. Rows that agree answer at once; where none agree one call of the model, which sees each
 * statement and its first rows, decides. A candidate that fails is dropped. Rivals are statements
 * of other readings of the question: they take the candidates' place, and all have to agree. For
 * run_sql. */
#ifndef AGENTS_NODES_CANDIDATES_H
#define AGENTS_NODES_CANDIDATES_H

#include "agents/nodes/ask.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/judge_apart.h"
#include "agents/proving/explain.h"

enum { CANDIDATES_MOST = 5 };

struct candidate {
    struct str written; /* before the guard rewrote it */
    const struct sql_verdict *passed;
    struct sql_statement statement;
    const struct sql_result *result; /* the first's, or that of query */
    struct sql_query query;
    bool is_engines; /* the offline engine wrote it */
};

struct candidates {                       /* the first member of its node's frame; zeroed */
    const struct check_sql_config *guard; /* these six before start; guard names the question */
    const struct ask_config *generate;    /* asks the model for another statement; NULL: nothing */
    struct candidate first;
    struct sql_cost_limits cost;
    const struct json_value *rivals; /* texts: statements; NULL: none */
    node_fn *then;                   /* what the node goes on with */
    /* the answer, in then */
    const struct candidate *chosen; /* first, or another one; NULL: a rival does not agree */
    const char *doubt;              /* what is left of it, for whoever asked; NULL: nothing */
    /* private */
    struct candidate *at[CANDIDATES_MOST]; /* those that ran, first before the others */
    size_t count, most, asked;
    struct candidate *next; /* the one that is tried */
    struct ask_config decide;
    struct ask_call call;
    struct judge_apart apart;
    struct explain explain;
};

/* Try other candidates, as many as the setting says, then go on in then. */
MUST_USE enum step candidates_start(struct node *node);

#endif

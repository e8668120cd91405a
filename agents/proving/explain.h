/* SPDX-License-Identifier: MIT */
/* agents/proving/explain.h - asks the database how it would run a statement, and reads from that
 * what it would cost; for a node or a tool's call in it, before the statement runs. One loop. */
#ifndef AGENTS_PROVING_EXPLAIN_H
#define AGENTS_PROVING_EXPLAIN_H

#include "agents/services/services.h"
#include "agents/sql/guard/cost.h"

struct explain { /* in the frame of its node; zeroed */
    /* private */
    struct sql_query query;
    struct sql_statement question;
};

/* Ask, once more if need be; the statement passed the guard, and is kept by its owner. Its waiter
 * is the node's, or that of something inside of the node. */
void explain_start(struct node *node, struct explain *explain,
                   const struct sql_statement *statement, struct op_waiter waiter);
/* How asking went. */
const struct err *explain_error(const struct explain *explain);
/* What it would cost; sent: the guard's tree of the statement. False: there is no plan, or none
 * that can be read. */
bool explain_cost(struct node *node, struct explain *explain, const struct sql_parse *sent,
                  struct sql_cost *cost);
/* ERR_OK: it costs no more than the limits allow. ERR_CANCELLED: asking was cancelled. Another
 * code: it costs more, or nobody can say what. */
enum err_code explain_judge(struct node *node, struct explain *explain,
                            const struct sql_parse *sent, const struct sql_cost_limits *limits);
#endif

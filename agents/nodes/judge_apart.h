/* SPDX-License-Identifier: MIT */
/* agents/nodes/judge_apart.h - the guard's readings of a long statement, made on another thread.
 *
 * A statement of a few KB takes the guard milliseconds, and others' runs share the loop. What was
 * read is kept with the run, so that whoever judges the statement afterwards finds it. One loop. */
#ifndef AGENTS_NODES_JUDGE_APART_H
#define AGENTS_NODES_JUDGE_APART_H

#include "agents/services/services.h"
#include "agents/sql/guard/reading.h"
#include "core/loop/work.h"

enum { JUDGE_APART_BYTES = 1024 }; /* shorter ones are judged within a loop's turn */

struct judge_apart {         /* in the frame of a node */
    struct op op;            /* "sql.judge"; done adds the readings to the run's */
    struct op_waiter waiter; /* set before start; zeroed: the node's */
    /* private */
    struct work work;
    struct arena arena;
    struct sql_readings readings;
    struct sql_policy policy;
    struct sql_reading_rules rules;
    struct str text;
    struct node *node;
};

/* Whether text is worth a thread: it is long, and the run has no verdict on it under rules. */
bool judge_apart_pays(struct node *node, const struct sql_reading_rules *rules, struct str text);
/* Read text, which is copied, under rules. ERR_NO_MEMORY; ERR_CANCELLED. With another end than
 * ERR_OK nothing is kept. What the guard says of the text is in the readings. */
void judge_apart_start(struct judge_apart *apart, struct node *node,
                       const struct sql_reading_rules *rules, struct str text);

#endif

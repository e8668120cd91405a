/* SPDX-License-Identifier: MIT */
/* agents/rows/rows_apart.h - a result as JSON (rows.h); a large one is written on another thread.
 *
 * 4 MB of rows take milliseconds to write, and others' runs share the loop. One loop. */
#ifndef AGENTS_NODES_ROWS_APART_H
#define AGENTS_NODES_ROWS_APART_H

#include "agents/rows/rows.h"
#include "core/base/buf.h"
#include "core/loop/work.h"
#include "core/run/node.h"

struct rows_apart { /* in the frame of a node; zeroed */
    struct op op;   /* "sql.rows"; release frees the texts */
    /* the request: set before start, kept until done */
    const struct sql_result *result;
    struct rows_whole of_whole;      /* of rows_write */
    size_t whole_limit, shown_limit; /* bytes of the texts */
    struct rows_private withheld;    /* of rows_write_shown */
    /* the answer: where a text is not ok there was no memory */
    struct buf whole, shown;
    struct rows_counted told;
    /* private */
    struct work work;
};

/* Write both texts, within a turn of the loop or on another thread; whoever waits settles. Ends
 * with ERR_OK; ERR_NO_MEMORY: the texts are empty and not ok; ERR_CANCELLED.
 */
void rows_apart_start(struct rows_apart *apart, struct loop *loop, struct op_waiter waiter);

#endif

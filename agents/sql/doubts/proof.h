/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/proof.h - a statement whose rows prove what is doubtful about another one, and
 * what is said where they do. Data only. */
#ifndef AGENTS_SQL_DOUBTS_PROOF_H
#define AGENTS_SQL_DOUBTS_PROOF_H

#include "agents/sql/doubts/doubts.h"

enum { SQL_PROOFS_MOST = 6 };

struct sql_proof {
    const char *kind; /* "tie", "multiplied", "count_of_column", "left_out",
                         "way_around", "marked", "inner_join" */
    struct str sql;   /* the statement to run */
    struct str of;    /* the part of the statement that it is about, as written */
    /* 0: it is proven by a row, whose only cell is how many rows of the statement it is about;
     * else by a second row that has the same last cells as the first, so many of them. */
    size_t keys;
    struct str figures;     /* where it is proven: a statement of two cells, the figure as it is and
                               with each row counted once; absent: it is not known */
    bool is_wrong;          /* where it is proven, the statement is right for no question */
    struct str told, shown; /* where it is proven; of a number of rows, what follows the number */
};

#endif

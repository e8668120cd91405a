/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/proofs.h - statements whose rows prove what is doubtful about another one:
 * others share the first place, rows are counted again, rows that lack a value are left out.
 *
 * A proof reads what its statement reads, in the same way, and gives a row or two; it is a text as
 * a model would write it, which the guard has to pass. Without one, nobody knows. No I/O; any
 * thread. */
#ifndef AGENTS_SQL_DOUBTS_PROOFS_H
#define AGENTS_SQL_DOUBTS_PROOFS_H

#include "agents/sql/doubts/doubts.h"

enum { SQL_PROOFS_MOST = 4 };

struct sql_proof {
    const char *kind; /* "tie", "multiplied", "count_of_column", "left_out",
                         "way_around" */
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

/* Write the proofs that the form of the statement allows; how many. Texts are of source's arena. */
size_t sql_proofs_make(const struct sql_doubts_source *source,
                       struct sql_proof proofs[SQL_PROOFS_MOST]);
/* Whether the rows prove it; *count: how many rows it is about, 0 of a tie. */
bool sql_proofs_hold(const struct sql_proof *proof, const struct sql_result *rows, int64_t *count);

#endif

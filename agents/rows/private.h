/* SPDX-License-Identifier: MIT */
/* agents/rows/private.h - which columns of a result have values that no model may see. Pure. */
#ifndef AGENTS_ROWS_PRIVATE_H
#define AGENTS_ROWS_PRIVATE_H

#include "agents/sql/parse/parse.h"

struct rows_private {
    bool all;            /* each value is private: it cannot be told which ones are */
    const bool *columns; /* by column of the result; NULL: none is, where not all are */
    size_t column_count;
};

/* Look at the statement as it was written, whose result has column_count columns. What a subquery
 * of FROM, a WITH or one side of a UNION reads of private columns makes all private, since no
 * column can be told from the others. In arena; without memory all are. */
struct rows_private rows_private_of(const struct catalog *catalog, const struct sql_parse *parse,
                                    size_t column_count, struct arena *arena);
/* Whether no value of this column of the result may be shown. */
bool rows_private_has(const struct rows_private *is, size_t column);

#endif

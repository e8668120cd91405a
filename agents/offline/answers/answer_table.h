/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/answer_table.h - rows as the prompts write them, read: what answers are
 * made of. One thread. */
#ifndef AGENTS_OFFLINE_ANSWERS_ANSWER_TABLE_H
#define AGENTS_OFFLINE_ANSWERS_ANSWER_TABLE_H

#include "agents/offline/answers/cells.h"
#include "agents/offline/reading/reading.h"

enum { ANSWER_SHOWN = 10 }; /* rows that a sentence names */

struct answer_rows {
    struct str columns;              /* JSON array of names, or absent */
    struct str rows;                 /* JSON array of row arrays */
    struct str row_count, truncated; /* as the prompts write them */
};

struct answer_table {
    struct arena arena; /* the caller's to end */
    const struct json_value *columns, *rows;
    size_t row_count; /* of the result, of which rows may be the first */
    bool truncated;
};

/* False: the rows are not JSON. arena is there in any case. */
MUST_USE bool answer_table_read(const struct answer_rows *from, struct answer_table *table);
/* The cell of a row; NULL: it has none there. */
const struct json_value *answer_table_cell(const struct json_value *row, size_t i);
size_t answer_table_width(const struct answer_table *table);
/* The name of a column, or "". */
struct str answer_table_name(const struct answer_table *table, size_t i);
/* Append ", and 12 more" and what else is true of rows that are not shown, and a full stop. */
void answer_table_rest(const struct answer_table *table, size_t shown, struct buf *out);
/* How the numbers of an output are written. */
struct cell_manner answer_table_manner(const struct lexicon *lexicon,
                                       const struct reading_out *out);

#endif

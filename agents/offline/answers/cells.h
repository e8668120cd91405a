/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/cells.h - values of rows as a person would write them: thousands apart,
 * cents as units, dates in words. Any thread. */
#ifndef AGENTS_OFFLINE_ANSWERS_CELLS_H
#define AGENTS_OFFLINE_ANSWERS_CELLS_H

#include "agents/english/dates.h"
#include "agents/english/words.h"
#include "agents/lexicon/index.h"
#include "proto/json_value.h"

/* What a cell's column is, as far as it matters for writing. */
struct cell_manner {
    bool counted;                  /* a count or an amount: thousands are set apart */
    bool cents;                    /* hundredths of what is said */
    struct str unit;               /* behind the number; may be empty */
    enum offline_grain grain;      /* of a period; GRAIN_NONE: it is none */
    bool truth;                    /* a number is yes or no */
    const struct lexicon *lexicon; /* with codes that have labels; NULL: without */
    int table, column;             /* ... of this column */
};

/* Append a number: "12,345.60". */
void offline_cells_number(double number, bool whole, bool counted, struct buf *out);
/* Append a cell; what is missing is "none". */
void offline_cells_push(const struct json_value *cell, const struct cell_manner *manner,
                        struct buf *out);
/* How cells of a table's column are written; column READING_NONE counts rows. */
struct cell_manner offline_cells_manner(const struct lexicon *lexicon, int table, int column);
/* Append "1 May 2025". */
void offline_cells_day(int32_t day, struct buf *out);
/* Append "in May 2025", "in 2024", "from 1 May 2025 on", with a blank before. */
void offline_cells_range(const struct offline_range *range, struct buf *out);

#endif

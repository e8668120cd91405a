/* SPDX-License-Identifier: MIT */
/* agents/rows/rows.h - the rows of a result as JSON: whole for the caller, the first ones for a
 * prompt.
 *
 * A cell may be cut for a prompt and a row may be left out, but never without a word: what was left
 * out, and how many rows there are, is part of what is written. Pure; any thread. */
#ifndef AGENTS_NODES_ROWS_H
#define AGENTS_NODES_ROWS_H

#include "agents/rows/private.h"
#include "agents/services/services.h"

enum {
    ROWS_SHOWN = 50,              /* rows of a prompt */
    ROWS_SHOWN_BYTES = 24 * 1024, /* about, of a prompt's rows */
    ROWS_CELL_BYTES = 2000,       /* at most, of a text in a prompt */
};

struct rows_counted {
    size_t here;    /* rows that were written */
    uint64_t total; /* rows there are; here when that is not known */
    bool is_cut;    /* there are more than were written */
    bool is_known;  /* total is */
};

struct json_write;

/* The names of the columns as an array. */
void rows_write_columns(struct json_write *writer, const struct sql_result *result);
struct rows_whole {
    const uint64_t *counted; /* what is known of all rows; NULL: nothing */
    size_t max_bytes;        /* rows that would make the text longer are left out; 0: none are */
    struct str written;      /* the statement before the guard rewrote it; absent: not told */
};
/* Write one value as JSON. */
void rows_write_value(struct json_write *writer, const struct sql_value *value);
/* Write {"columns":[...],"rows":[[...]],"row_count":n,"truncated":b,"execution_time_seconds":s},
 * "total_rows":n where the result is cut and counted is known, and "written". Returns what is true
 * of the text. Without memory out is not ok. */
struct rows_counted rows_write(struct buf *out, const struct sql_result *result,
                               const struct rows_whole *whole);
/* Write {"rows":[[...]],"row_count":"...","truncated":"..."} for a prompt: the first rows with long
 * texts cut, and in words how many rows there are. At least one row of a result that has some is
 * written. "(private)" stands for each value of the columns that withheld has; NULL: none. Without
 * memory out is not ok. */
void rows_write_shown(struct buf *out, const struct sql_result *result,
                      const struct rows_counted *counted, const struct rows_private *withheld);

#endif

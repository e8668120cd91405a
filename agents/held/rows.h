/* SPDX-License-Identifier: MIT */
/* agents/held/rows.h - whether a number follows from the rows of a result.
 *
 * It does when a cell has it, rounded or not; when it counts rows; when it is a sum, an average, a
 * difference, a share or a change of cells of one column or one row; or when it was said before:
 * in the question, the statement, a text of a row. Pure; any thread. */
#ifndef AGENTS_HELD_ROWS_H
#define AGENTS_HELD_ROWS_H

#include "agents/held/numbers.h"
#include "core/base/arena.h"

enum { HELD_ROWS = 64, HELD_COLUMNS = 24, HELD_SAID = 512 };

struct held_rows {
    /* private */
    struct {
        bool is_number;
        double number;
        uint64_t key; /* equal for equal cells */
    } cells[HELD_ROWS][HELD_COLUMNS];
    size_t row_count, column_count;
    double total; /* rows there are */
    bool is_cut;  /* more rows than are here */
    double said[HELD_SAID];
    size_t said_count;
};

/* Read rows, the JSON array of rows of a prompt; row_count: how many there are, as a prompt says
 * it. What is more than fits is not looked at, and nothing is doubted then (held_rows_has says
 * yes). False: it is no such array, or no memory. */
MUST_USE bool held_rows_read(struct held_rows *rows, struct str json, struct str row_count,
                             struct arena *arena);
/* Take every number of text for said. */
void held_rows_say(struct held_rows *rows, struct str text);
/* Whether number follows from the rows or was said. */
bool held_rows_has(const struct held_rows *rows, const struct held_number *number);
/* The first most numbers of text that do not; returns how many there are. */
size_t held_rows_lacks(const struct held_rows *rows, struct str text, struct held_number *lacking,
                       size_t most);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/held/numbers.h - the numbers that an answer quotes, in the notations of several languages:
 * 1,234.5; 1.234,5; 1 234; 12 %; 3.2 million; 3,2 Mio.
 *
 * A number may be read in two ways where its one sign is a point in one language and groups
 * thousands in another: "1.234". Pure; any thread. */
#ifndef AGENTS_HELD_NUMBERS_H
#define AGENTS_HELD_NUMBERS_H

#include "core/base/str.h"

enum { HELD_READINGS = 2 };

struct held_number {
    struct str text; /* as written, with its unit of thousands or percent */
    struct {
        double value; /* without sign: a loss of 5 is -5 in a row */
        double step;  /* of its last digit: rounding that is no mistake */
    } readings[HELD_READINGS];
    size_t reading_count;
    bool is_percent;
};

/* Read the next number of *rest, which then begins behind it; false: there is none. Left out: days
 * and times (2025-06-30, 30.6.2025, 12:30), source marks ("[3]"), numbers of list items, digits
 * that are part of a word or a name ("Q3", "WO-1042", "2nd"). */
MUST_USE bool held_numbers_next(struct str *rest, struct held_number *number);
/* Read the next run of digits of *rest, whatever it is a part of, as text writes numbers that a
 * program reads: 12.5. False: there is none. */
MUST_USE bool held_numbers_next_plain(struct str *rest, double *value);

#endif

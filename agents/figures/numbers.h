/* SPDX-License-Identifier: MIT */
/* agents/figures/numbers.h - the figures that a text quotes, and whether another text holds them.
 *
 * A figure is what reports write: 1,234.5; $4.2 billion; (1,234) for a loss; -3.2 %; and where a
 * comma begins the fraction 1.234,5; 4,2 Mrd. €. Pure; any thread. */
#ifndef AGENTS_FIGURES_NUMBERS_H
#define AGENTS_FIGURES_NUMBERS_H

#include "core/base/arena.h"

/* Which sign begins a fraction; the other one groups digits. */
enum figures_notation { FIGURES_UNTOLD, FIGURES_POINT, FIGURES_COMMA };

struct analyst_number {
    struct str text;  /* as written, digits only: "4.2" */
    double value;     /* with sign and scale: 4200000000 */
    double step;      /* of its last digit, scaled: 100000000 */
    bool is_percent;  /* "%", "percent", "percentage points" follow */
    double scale;     /* 1000000 where "million" follows; 1: nothing does */
    bool is_year;     /* four digits, 1900 to 2100, and nothing else about it */
    bool is_negative; /* has a minus, or stands alone in parentheses as losses do */
};

/* What the figures of text tell of their notation: 1,234.5 and 2.5 % have points, 1.234,5 and 2,5 %
 * commas. FIGURES_UNTOLD: as much for one as for the other, or nothing (1.234). */
enum figures_notation figures_numbers_notation(struct str text);
/* The text with the points and commas between its digits exchanged; absent: no memory. */
struct str figures_numbers_exchange(struct arena *arena, struct str text);

/* Read the next figure of *rest, written with points, which then begins behind it; false: there is
 * none. Left out: source marks ("[3]"), numbers of list items, digits within words ("Q3", "10-K",
 * "2nd"); "FY2023" is the year. */
MUST_USE bool figures_numbers_next(struct str *rest, struct analyst_number *number);
/* The same in another notation; FIGURES_UNTOLD is FIGURES_POINT. */
MUST_USE bool figures_numbers_next_in(struct str *rest, enum figures_notation notation,
                                      struct analyst_number *number);

/* The scale that unit names: 1000000 for "USD million"; 1 when it names none. *is_percent (may be
 * NULL): whether unit is percent. */
double figures_numbers_scale(struct str unit, bool *is_percent);
/* The scale that a text gives figures that have none: "in millions", "in US$ thousands", "$
 * million" at a table's head. 1: none. */
double figures_numbers_heading(struct str text);

/* Whether claimed is found, rounded to as many digits as it has, but not to more than were written:
 * "4.2 billion" is found in 4,213 million, "4,213 million" is not in 4.2 billion. Signs are not
 * compared: a loss of 5 is (5). */
bool figures_numbers_agree(const struct analyst_number *claimed, double found);
/* Whether claimed agrees (figures_numbers_agree) with some figure of text, in the notation of text;
 * where that is not told, in either. In a table "in millions"
 * or of "$ million" the figure 4,213 also counts as that many millions. */
bool figures_numbers_occurs(const struct analyst_number *claimed, struct str text);

#endif

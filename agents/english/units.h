/* SPDX-License-Identifier: MIT */
/* agents/english/units.h - units of money, of time and of parts, by the words that people and names
 * have for them. Any thread. */
#ifndef AGENTS_ENGLISH_UNITS_H
#define AGENTS_ENGLISH_UNITS_H

#include "core/base/str.h"

enum { ENGLISH_UNITS_DAY = 24 * 60 * 60 * 1000 };

enum english_unit_of { UNIT_OF_NOTHING, UNIT_OF_MONEY, UNIT_OF_TIME, UNIT_OF_PARTS };

struct english_unit {
    enum english_unit_of of;
    unsigned size; /* in cents, in milliseconds, in hundredths */
};

/* The unit that a word is: euros, "cents", "hours"; of is UNIT_OF_NOTHING: it is none. */
struct english_unit english_units_find(struct str word);

#endif

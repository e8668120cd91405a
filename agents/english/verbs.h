/* SPDX-License-Identifier: MIT */
/* agents/english/verbs.h - verbs and adjectives of general English: what joins two nouns without
 * saying more than that they belong together, and what an adjective measures. Static tables. */
#ifndef AGENTS_ENGLISH_VERBS_H
#define AGENTS_ENGLISH_VERBS_H

#include "core/base/str.h"

/* What "longest" and "taller" compare. The names of columns that hold it are in verbs.c. */
enum offline_scale {
    SCALE_NONE,
    SCALE_LENGTH,
    SCALE_SHORT, /* the same, or a height */
    SCALE_HEIGHT,
    SCALE_WEIGHT,
    SCALE_AGE,
    SCALE_SPEED,
    SCALE_PRICE,
    SCALE_COUNT
};

/* Whether a stem is a verb that only ties what does to what is done to ("handle", "appear"). */
bool english_verbs_ties(struct str stem);
/* What who does it is called ("direct": "director"), of a verb that makes a work; absent: another.
 */
struct str english_verbs_maker(struct str stem);
/* Whether a stem is one of a sum of money that changes hands ("pay", "spend"). */
bool english_verbs_is_payment(struct str stem);
/* The verb a noun is made of ("treatment" -> "treat"), as a view of noun; absent: none. */
struct str english_verbs_of_noun(struct str noun);
/* Whether a stemmed word of a column's name says that it holds the scale. */
bool english_verbs_measures(enum offline_scale scale, struct str stem);
/* Whether a word is the unit or kind at the end of a column's name ("kg", "amt"). */
bool english_verbs_is_unit(struct str word);
/* Whether it is one that nobody says ("code", "flag"). */
bool english_verbs_is_technical(struct str word);
/* Whether it is one that says of which sort something is ("type", "status"). */
bool english_verbs_is_kind(struct str word);
/* "min", "sec" or "" for a word. */
struct str english_verbs_time_unit(struct str word);
/* How many of what a column counts in, by a word of its name, are one unit: "minutes" and
 * "milliseconds" are 60000. 0: the word says no time. */
double english_verbs_per_unit(struct str unit, struct str word);

#endif

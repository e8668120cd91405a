/* SPDX-License-Identifier: MIT */
/* agents/english/verbs.h - verbs and adjectives of general English: which verbs join two nouns
 * without saying more than that they belong together, and what an adjective measures. Static
 * tables. */
#ifndef AGENTS_ENGLISH_VERBS_H
#define AGENTS_ENGLISH_VERBS_H

#include "core/base/str.h"

/* What a word such as "longest" or "taller" compares. The names of columns that hold each scale are
 * in verbs.c. */
enum offline_scale {
    SCALE_NONE,
    SCALE_LENGTH,
    SCALE_HEIGHT,
    SCALE_WEIGHT,
    SCALE_AGE,
    SCALE_SPEED,
    SCALE_PRICE, /* of which english_synonyms_is_price knows the names */
    SCALE_SIZE,
    SCALE_WIDTH,
    SCALE_DEPTH,
    SCALE_WAGE, /* of which grammar_wage has the names */
    SCALE_COUNT
};
/* The arg of a word that compares by a scale holds it above the bits that say which way. */
enum { SCALE_SHIFT = 8, SCALE_WAY = 255 };

/* Whether a stem is a verb that only ties a doer to what it is done to ("handle", "appear"). */
bool english_verbs_ties(struct str stem);
/* The noun for the doer of a verb that makes a work ("direct": "director"); absent: another verb.
 */
struct str english_verbs_maker(struct str stem);
/* The verb that a noun is made of ("treatment" -> "treat"), as a view of noun; absent: none. */
struct str english_verbs_of_noun(struct str noun);
/* Whether a stemmed word of a column's name says that the column holds the scale. */
bool english_verbs_measures(enum offline_scale scale, struct str stem);
/* Whether a word is the unit or kind at the end of a column's name ("kg", "amt"). */
bool english_verbs_is_unit(struct str word);
/* Whether a word of a column's name is one that nobody says in a question ("code", "flag"). */
bool english_verbs_is_technical(struct str word);
/* Whether a word of a column's name says of which sort something is ("type", "status"). */
bool english_verbs_is_kind(struct str word);
/* Whether a word ends the name of a column of a state that rows pass through ("status"). */
bool english_verbs_is_state(struct str word);
/* The unit of time that a word names: "min", "sec" or "". */
struct str english_verbs_time_unit(struct str word);

#endif

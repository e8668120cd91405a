/* SPDX-License-Identifier: MIT */
/* agents/english/synonyms.h - words that stand for others: synonyms and abbreviations, opposites,
 * number words, months, and words too general to stand alone. Static tables. Any thread. */
#ifndef AGENTS_ENGLISH_SYNONYMS_H
#define AGENTS_ENGLISH_SYNONYMS_H

#include "core/base/str.h"

/* The first word of the group of synonyms that a stem is in ("client" -> "customer"), or the stem
 * itself. */
struct str english_synonyms_of(struct str stem);
/* Write all words of the stem's group, the stem's own among them, as they are written, to words; at
 * most max. Returns how many; 0: the stem is in no group. */
size_t english_synonyms_group(struct str stem, struct str *words, size_t max);
/* Whether a stem is of what is said in questions: in a group, or general. */
bool english_synonyms_knows(struct str stem);
/* The opposite of a stem ("fail" -> "pas"), or the absent string. */
struct str english_synonyms_opposite(struct str stem);
/* Set *value to the number that word spells: 3 for "three". False: no number word. */
MUST_USE bool english_synonyms_number(struct str word, double *value);
/* The factor that word gives to a number before it: 100 for "hundred"; 0: none. */
double english_synonyms_multiplier(struct str word);
/* The month that word names: 1..12, for "january" and "jan"; 0: none. */
int english_synonyms_month(struct str word);
/* The ordinal that word is: 1..4 for "first", "1st", ...; 0: none. */
int english_synonyms_ordinal(struct str word);
/* Whether a stem is a head noun too general to stand for a table or column alone ("time", "item").
 */
bool english_synonyms_is_general(struct str stem);
/* Whether a stemmed column word speaks of a price or cost, or of any amount of money. */
bool english_synonyms_is_price(struct str stem);
bool english_synonyms_is_amount(struct str stem);

#endif

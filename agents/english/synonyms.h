/* SPDX-License-Identifier: MIT */
/* agents/english/synonyms.h - words that stand for others: synonyms and abbreviations, opposites,
 * number words, months, and words too general to stand alone. Static tables. Any thread. */
#ifndef AGENTS_ENGLISH_SYNONYMS_H
#define AGENTS_ENGLISH_SYNONYMS_H

#include "core/base/str.h"

/* The group's first word for a stem ("client" -> "customer"), or the stem itself. */
struct str english_synonyms_of(struct str stem);
/* All words of the stem's group as they are written, itself among them; up to max of them. 0: it is
 * in none. */
size_t english_synonyms_group(struct str stem, struct str *words, size_t max);
/* The opposite of a stem ("fail" -> "pas"), or the absent string. */
struct str english_synonyms_opposite(struct str stem);
/* "three" -> 3. False: no number word. */
MUST_USE bool english_synonyms_number(struct str word, double *value);
/* What a number before the word is multiplied by: 100 for "hundred"; 0: it is none. */
double english_synonyms_multiplier(struct str word);
/* 1..12 for "january" and "jan"; 0: no month. */
int english_synonyms_month(struct str word);
/* 1..4 for "first", "1st", ...; 0: no ordinal. */
int english_synonyms_ordinal(struct str word);
/* A head noun too general to stand for a table or column alone ("time", "item"). */
bool english_synonyms_is_general(struct str stem);
/* Whether a stemmed column word speaks of a price or cost, or of any amount of money. */
bool english_synonyms_is_price(struct str stem);
bool english_synonyms_is_amount(struct str stem);

#endif

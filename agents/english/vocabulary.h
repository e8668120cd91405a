/* SPDX-License-Identifier: MIT */
/* agents/english/vocabulary.h - the words of words/en.txt as tables that the build makes; the
 * comments of that file say what each of its sections is for. Words are stems unless the contract
 * says otherwise. Immutable; any thread. */
#ifndef AGENTS_ENGLISH_VOCABULARY_H
#define AGENTS_ENGLISH_VOCABULARY_H

#include "core/base/str.h"

enum { VOCABULARY_GROUP = 7 }; /* words of one line of synonyms, at most */

struct vocabulary_word {
    const char *stem, *written; /* NULL: no more words in the group */
};

/* Groups of words that mean the same; the first of each stands for all of them. */
extern const struct vocabulary_word vocabulary_synonyms[][VOCABULARY_GROUP];
extern const size_t vocabulary_synonym_count;
/* A word and the names that may be meant by it, best first, all as they are written; NULL after the
 * last of fewer than VOCABULARY_GROUP. */
extern const char *const vocabulary_near[][VOCABULARY_GROUP];
extern const size_t vocabulary_near_count;
/* The name of a reference that has another beside it, and the words by which people say that this
 * one is meant; as vocabulary_near. */
extern const char *const vocabulary_roles[][VOCABULARY_GROUP];
extern const size_t vocabulary_role_count;
/* Pairs. vocabulary_opposites: a word and its opposite; vocabulary_makers: a verb and the noun for
 * its doer, as it is written. */
extern const char *const vocabulary_opposites[][2], *const vocabulary_makers[][2];
extern const size_t vocabulary_opposite_count, vocabulary_maker_count;

/* The other sections, by their names. */
enum vocabulary_list {
    VOCABULARY_GENERAL,
    VOCABULARY_PRICES,
    VOCABULARY_AMOUNTS,
    VOCABULARY_LEVELS,
    VOCABULARY_RATES,
    VOCABULARY_SHARES,
    VOCABULARY_PERSONS,
    VOCABULARY_COMPANIES, /* as they are written */
    VOCABULARY_RELATIVES, /* as they are written */
    VOCABULARY_PASTS,     /* as they are written */
    VOCABULARY_BOUGHT,
    VOCABULARY_COUNTED, /* as they are written */
    VOCABULARY_PEOPLE,  /* as they are written */
    VOCABULARY_INHABITANTS,
    VOCABULARY_OPENED,
    VOCABULARY_PASSAGES,
    VOCABULARY_BUYERS,
    VOCABULARY_ACTORS,
    VOCABULARY_SALES,
    VOCABULARY_ORDERS,
    VOCABULARY_PAYMENTS,
    VOCABULARY_SUPPLIERS,
    VOCABULARY_PURCHASES,
    VOCABULARY_STATES,
    VOCABULARY_DEATHS,
    VOCABULARY_LIVING, /* phrases; so is what is said of the next three */
    VOCABULARY_DEAD,
    VOCABULARY_LEAVINGS, /* stems */
    VOCABULARY_EMPLOYED,
    VOCABULARY_FORMER,
    VOCABULARY_CEASED,
    VOCABULARY_GOING,
    VOCABULARY_OVER,
    VOCABULARY_PARTED,
    VOCABULARY_LABOURS, /* as they are written; so are strangers */
    VOCABULARY_HIRES,
    VOCABULARY_STRANGERS,
    VOCABULARY_CURRENCIES,
    VOCABULARY_CENTS,    /* as they are written */
    VOCABULARY_PERCENTS, /* as they are written */
    VOCABULARY_MILLISECONDS, /* as they are written; so are the next five */
    VOCABULARY_SECONDS,
    VOCABULARY_MINUTES,
    VOCABULARY_HOURS,
    VOCABULARY_DAYS,
    VOCABULARY_WEEKS,
    VOCABULARY_RANKS,  /* as they are written */
    VOCABULARY_STOCKS, /* as they are written */
    VOCABULARY_SHELVES,
    VOCABULARY_UNITPRICES,
    VOCABULARY_LINETOTALS,
    VOCABULARY_DISCOUNTS,
    VOCABULARY_INCOMES,
    VOCABULARY_NETINCOMES,
    VOCABULARY_QUANTITIES,
    VOCABULARY_REVENUES, /* phrases, with "-" between words */
    VOCABULARY_OUTLAYS, /* as they are written */
    VOCABULARY_DEALS,
    VOCABULARY_PIECES, /* as they are written */
    VOCABULARY_EARNINGS,
    VOCABULARY_EARNED,
    VOCABULARY_BALANCES,
    VOCABULARY_COINS,
    VOCABULARY_SUPERIORS,
    VOCABULARY_REPORTED, /* phrases */
    VOCABULARY_REPORTING,
    VOCABULARY_LABELS,   /* as they are written */
    VOCABULARY_CONTENTS, /* as they are written */
    VOCABULARY_SUMS,
    VOCABULARY_LISTS
};

/* For vocabulary.c and tests: the words of each list, NULL after the last. */
extern const char *const *const vocabulary_lists[VOCABULARY_LISTS];

/* Whether the list has the word. */
bool vocabulary_has(enum vocabulary_list list, struct str word);
/* Whether name begins with a word of the list; ASCII case is ignored. */
bool vocabulary_begins(enum vocabulary_list list, struct str name);

#endif

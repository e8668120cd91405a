/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/moments.h - verbs that are dates, and dates that are only a year. */
#ifndef AGENTS_OFFLINE_READING_MOMENTS_H
#define AGENTS_OFFLINE_READING_MOMENTS_H

#include "agents/offline/reading/parse.h"

/* Take the moment at p->at ("hired", "shipped"): the date behind it or the order before it uses
 * it; else whether it has happened. False: p->reading->cannot says why. */
MUST_USE bool offline_moments_take(struct parse *p);
/* Whether the table has a number called "year": then that is what "from 2022" means. */
bool offline_moments_has_year(const struct catalog *catalog, int table);
/* Take the date at p->at as years of the one numeric year column that table has, where it is whole
 * years. *taken false: it is not, or there is no such column. */
MUST_USE bool offline_moments_year(struct parse *p, bool *taken);

/* Whether the column is a number of a year ("birth_year", "year_of_birth"). */
bool offline_moments_names_year(const struct catalog *catalog, int table, int column);
/* Whether the column that a date would be compared with is one of years ("founded"). */
bool offline_moments_says_year(const struct parse *p);
/* "logged hours in May": a quantity of other rows, whose date it is. */
bool offline_moments_is_done(const struct parse *p, const struct lexicon_link *link);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/charts/names.h - what the name of a column tells about it: whether it is a key, its unit,
 * whether it may be added up, how it is shown to a reader.
 *
 * Names are English, in snake_case, camelCase or as SQL made them: SUM(t.amount). Any thread. */
#ifndef AGENTS_CHARTS_NAMES_H
#define AGENTS_CHARTS_NAMES_H

#include "core/base/arena.h"

enum { CHARTS_NAMES_WORDS = 16 };

struct charts_names {
    struct str whole;                     /* as it was given */
    struct str words[CHARTS_NAMES_WORDS]; /* lower case */
    size_t count;
};

/* Take name apart, into arena. */
struct charts_names charts_names_read(struct arena *arena, struct str name);

/* Whether the column names rows rather than measuring them: id, customer_id, phone, account_number.
 */
bool charts_names_is_key(const struct charts_names *name);
/* Whether the name says that the column measures: total_amount, COUNT(*). */
bool charts_names_is_measure(const struct charts_names *name);
/* Whether the numbers of the column may be added up: not those of an average, a rate, a price, an
 * age. */
bool charts_names_is_additive(const struct charts_names *name);
/* Whether the numbers of the column are percentages or other shares. */
bool charts_names_is_share(const struct charts_names *name);
bool charts_names_is_year(const struct charts_names *name);
/* Whether the integers of the column are steps of something: month, hour, rating; *least and *most
 * are their range. */
bool charts_names_is_step(const struct charts_names *name, double *least, double *most);
/* Which part of a person's name the column holds. 1: a given name, 2: a family name, 0: neither. */
int charts_names_person_part(const struct charts_names *name);

/* Whether the name says that the column names something, and nothing of what: name, last_name,
 * title. */
bool charts_names_is_bare(const struct charts_names *name);
/* The unit two columns must share to share an axis: a unit, "money", "count", or, when nothing is
 * known, the stem of the noun that is measured. In arena. */
struct str charts_names_unit(struct arena *arena, const struct charts_names *name);
/* The name as readers see it: "Total amount" for total_amount, totalAmount and SUM(t.amount). In
 * arena. */
struct str charts_names_show(struct arena *arena, const struct charts_names *name);
/* text with a capital letter at its head; in arena, or text itself. */
struct str charts_names_capital(struct arena *arena, struct str text);
/* Whether a question asks how a whole divides into parts. */
bool charts_names_asks_share(struct arena *arena, struct str question);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/actions.h - what a rule of the grammar makes of its children: one action
 * for each name that english.grammar uses.
 *
 * An action checks by type and by the schema whether its children fit, and says what that costs. */
#ifndef AGENTS_OFFLINE_GRAMMAR_ACTIONS_H
#define AGENTS_OFFLINE_GRAMMAR_ACTIONS_H

#include "agents/english/verbs.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/grammar/sense.h"

enum grammar_action {
#define X(NAME, name) GRAMMAR_##NAME,
#include "agents/offline/grammar/actions.inc"
#undef X
    GRAMMAR_ACTION_COUNT
};

struct act {
    struct arena *arena;
    const struct lexicon *lexicon;
    int32_t today;
    size_t place; /* where the span begins */
    int imm;      /* the number that the rule gives its action */
    int cost;     /* out: of this use, besides the rule's own */
};

/* Make *made of the children that the rule names; those that may be missing are NULL then. False:
 * they do not fit, or no memory. */
bool grammar_act(struct act *act, unsigned action, const struct sense *const args[],
                 struct sense *made);

/* ---- shared by the files of actions ---- */

#define X(NAME, name)                                                                              \
    bool grammar_##name(struct act *act, const struct sense *const args[], struct sense *made);
#include "agents/offline/grammar/actions.inc"
#undef X

/* Whether a condition says what a person is called. */
bool grammar_is_name(const struct act *act, const struct sense_cond *c);
/* Add conditions, each of its table, to rows or numbers. False: they do not belong to these. */
bool grammar_add(struct act *act, struct sense *to, const struct sense_cond *conds);
/* Add that a row of rows belongs to each; conditions only where rows are of the same table. */
bool grammar_add_rows(struct act *act, struct sense *to, const struct sense *rows);
/* How many of rows come first: number, where one is said; else one or, of several, some. 0: so many
 * make no sense. */
unsigned grammar_limit(const struct sense *rows, const struct sense *number, unsigned some);
/* Whether an order that is said, or NULL, has the largest or the newest first. */
bool grammar_descends(const struct sense *direction);
/* Whether it is one that values of the column have: "newest first" is of dates. */
bool grammar_orders(const struct act *act, const struct sense *direction, struct reading_column on);
/* The first of rows by a column of table. */
bool grammar_first(const struct sense *rows, int table, int column, bool descending, unsigned limit,
                   struct sense *made);
/* What it costs to go from rows of one table to those of another; -1: they do not belong together.
 */
int grammar_distance(const struct act *act, int from, int to);
/* Whether each row of from belongs to one of to. */
bool grammar_is_one(const struct act *act, int from, int to);
/* One condition, said at the place, as the sense of conditions. */
bool grammar_cond(struct act *act, struct sense_cond cond, struct sense *made);
/* The same, with a filter: of kind LEAF, MEAN or DATE. */
bool grammar_filter(struct act *act, enum cond_kind kind, const struct reading_filter *filter,
                    struct sense *made);
/* A condition on one row. */
bool grammar_leaf(struct act *act, const struct reading_filter *filter, struct sense *made);
/* The rows of table themselves, as what is counted or grouped by. */
struct reading_column grammar_rows_of(int table);
/* Whether s is rows without an order or columns to show. */
bool grammar_is_plain(const struct sense *s);
/* Whether numbers that are held against others can be: running totals and changes need one group
 * of periods, shares parts that add up. True where they are held against none. */
bool grammar_over_fits(const struct sense *numbers);
/* Whether s is one number for all its rows. */
bool grammar_is_number(const struct sense *s);
/* The one column of a sense of columns. */
bool grammar_column(const struct sense *columns, struct reading_column *on);
/* Whether columns have one. */
bool grammar_has_column(const struct sense_column *columns, struct reading_column on);
/* Those of before, then those of after; NULL: no memory, or there are none. */
const struct sense_column *grammar_join_columns(struct arena *arena,
                                                const struct sense_column *before,
                                                const struct sense_column *after);
/* Columns that name rows of the table. False: nothing does, or no memory. */
bool grammar_label_columns(struct act *act, int table, struct sense *columns);
/* Mark the first of conds as said by the verb of a date alone. False: no memory. */
bool grammar_is_done(struct act *act, struct sense *conds);
/* What the numbers of many rows are together: their average where each says a level, else their
 * sum. */
enum offline_agg grammar_together(const struct act *act, struct reading_column on);
/* numbers gets one more measure. */
bool grammar_measure(struct act *act, struct sense *numbers, enum offline_agg agg,
                     struct reading_column on);
/* numbers gets one more group; false: its rows do not each belong to one. */
bool grammar_group_by(struct act *act, struct sense *numbers, struct sense_group group);
/* Whether said is a bound on the rows of each group of numbers, which then have it. */
bool grammar_bound_groups(struct sense *numbers, const struct sense *said);
/* The date by which rows of table must be something, and the date when they were it: the only
 * columns of these senses; CATALOG_NONE. */
int grammar_due_date(const struct act *act, int table);
/* Add that rows are due before the day, and are not done where that is known. */
bool grammar_due_before(struct act *act, int32_t day, struct sense *rows);
int grammar_done_date(const struct act *act, int table);
/* The number that says how rows of the table are on the scale, or the years since their birth;
 * column CATALOG_NONE: none does, or several. */
struct reading_column grammar_scale_column(const struct act *act, int table,
                                           enum offline_scale scale);
/* The column of the table that says how old a row is, rather a number than a date; *dated: it is a
 * date. Of several of a kind, none. */
int grammar_age_column(const struct lexicon *lexicon, int table, bool *dated);
/* Whether the values of a column are compared and averaged as numbers. */
bool grammar_is_numeric(const struct act *act, struct reading_column on);
/* What a number with that unit is multiplied by to be compared with the aggregate of a column,
 * which may be kept in cents; 0: it is in another unit. */
double grammar_scale(const struct act *act, enum offline_agg agg, struct reading_column on,
                     struct str unit);
/* Whether a column says how old the rows of table are. */
bool grammar_has_age(const struct act *act, int table);
/* Whether a number says how long the rows of table are. */
bool grammar_has_length(const struct act *act, int table);
/* The date of the rows of table where none is said: what the lexicon takes, else the one date that
 * is neither due nor an end. Returns the table of the date; *column CATALOG_NONE: none is clear. */
int grammar_dated_by_default(const struct lexicon *lexicon, int table, int *column);
/* Whether one of the words of a name is in a list of tables.h. */
bool grammar_has_word(const struct lexicon_words *w, const char *const *list);
/* Whether a column is a number that is a year. */
bool grammar_is_year(const struct lexicon *lexicon, struct reading_column on);
/* The one number of the table that is a year; CATALOG_NONE. */
int grammar_year_column(const struct lexicon *lexicon, int table);
/* A condition that a whole number of years meets, on a number that is a year. */
bool grammar_year_of(struct act *act, struct reading_column on, struct offline_range range,
                     struct sense *made);
/* *filter says of a number that it is in a range of whole years; false: the range is none, or on
 * has no column. */
bool grammar_year_filter(struct reading_column on, struct offline_range range,
                         struct reading_filter *filter);
/* numbers of groups show columns, unless the groups are these already. */
bool grammar_show_of_group(struct act *act, const struct sense *columns, struct sense *numbers);
/* The table of persons that belongs to the rows of table; READING_NONE: none, or several. */
int grammar_person(const struct act *act, int table);
/* Whether rows of table belong to persons of one kind only, near or far. */
bool grammar_is_only_person(const struct act *act, int table);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/sense.h - what a part of a question means: a small algebra over rows.
 *
 * A sense is a set of rows (a table and conditions, nested as deep as the question), columns,
 * conditions, numbers made of rows, groups, an order, or all of these as a whole query. Senses are
 * immutable and share their parts; all live in the arena of the question. Equal senses have equal
 * hashes, whatever the order of their conditions. */
#ifndef AGENTS_OFFLINE_GRAMMAR_SENSE_H
#define AGENTS_OFFLINE_GRAMMAR_SENSE_H

#include "agents/lexicon/index.h"
#include "agents/offline/reading/reading.h"
#include "core/base/arena.h"

enum sense_kind {
    SENSE_WORD,    /* arg, number, range or text */
    SENSE_ROWS,    /* rows of table that meet conds; columns: those to show */
    SENSE_COLUMNS, /* columns */
    SENSE_CONDS,   /* conds, each of its own table */
    SENSE_NUMBERS, /* measures over rows of table that meet conds, by groups */
    SENSE_GROUPS,  /* groups */
    SENSE_CHANGE,  /* a change of another sense: number_of, and what it says anew */
    SENSE_RANK     /* rank: of measures over rows of table and conds, or of columns */
};

/* What a fragment changes of the question before it. */
enum sense_change {
    CHANGE_CONDS,
    CHANGE_PERIOD, /* range; arg: the month, where only a month is said */
    CHANGE_ALL,    /* no conditions on rows of table */
    CHANGE_ROWS,   /* rows, not their number */
    CHANGE_COUNT,  /* the number of rows */
    CHANGE_GROUPS,
    CHANGE_LIMIT, /* the first number of them */
    CHANGE_END,   /* the other end */
    CHANGE_REVERSE,
    CHANGE_ORDER, /* by columns */
    CHANGE_OVER,  /* numbers are held against others, as arg says */
};

enum cond_kind {
    COND_LEAF,   /* filter, of one row */
    COND_DATE,   /* filter's range, of a date that is not said yet */
    COND_EXISTS, /* a row of table that meets of belongs to the row */
    COND_NONE,   /* no such row belongs to it */
    COND_AMOUNT, /* agg of column over such rows is op number */
    COND_MEAN,   /* filter compares with the average of all rows */
    COND_ANY,    /* at least one of those of `of`; table: READING_NONE until rows are known */
};

struct sense_cond {
    enum cond_kind kind;
    int table; /* whose row: LEAF, MEAN; which rows: EXISTS, NONE, AMOUNT; DATE: READING_NONE */
    const struct reading_filter *filter; /* LEAF, DATE, MEAN */
    const struct sense_cond *of;         /* EXISTS, NONE, AMOUNT: what such a row meets */
    enum offline_agg agg;                /* AMOUNT */
    struct reading_column on;            /* AMOUNT */
    enum offline_op op;
    double number, high; /* high: OP_BETWEEN */
    bool vs_average;
    double factor; /* of the average, unless 0 */
    bool is_done;  /* LEAF, EXISTS, NONE: said by the verb of the row's date alone */
    bool each;     /* LEAF: all its values are said to hold, of several rows one by each */
    bool is_tied;  /* LEAF: said by a verb that has no sense of its own: "works for" */
    size_t place;  /* where it is said */
    const struct sense_cond *next;
    uint64_t hash; /* of this one, without next */
};

struct sense_column {
    struct reading_column on;
    const struct sense_column *next; /* the one said before */
};

struct sense_measure {
    enum offline_agg agg;
    struct reading_column on;
    const struct sense_cond *only;    /* rows of this measure only */
    const struct sense_measure *next; /* the one said before */
};

struct sense_group {
    struct reading_column on; /* column READING_NONE: a group for each row of table; table
                                 READING_NONE: by grain of a date not said */
    enum offline_grain grain;
    const struct sense_group *next; /* the one said before */
};

struct sense_rank {
    bool is, descending;
    enum offline_agg by_measure; /* by the measure, else by on; AGG_NONE */
    struct reading_column on;
    unsigned limit;
};

/* Only groups whose agg of on is within it. */
struct sense_bound {
    bool is;
    enum offline_op op;
    double number;
    enum offline_agg agg;
    struct reading_column on;
};

struct sense {
    enum sense_kind kind;
    int arg;
    double number, high;         /* high: the end of a range of numbers */
    double factor;               /* of what is compared with, unless 0 */
    enum sense_change number_of; /* CHANGE */
    bool
        vague; /* ROWS: which of them is said without saying how: "big"; arg: the most are sought */
    struct str text, unit;
    struct offline_range range;
    int table;
    const struct sense_cond *conds;
    const struct sense_column *columns;
    const struct sense_measure *measures;
    const struct sense_group *groups;
    struct sense_rank rank;
    struct sense_bound bound;
    bool distinct, nested, ratio, keep_zero, plural, of_group;
    const struct sense_cond *numerator; /* of a ratio */
    enum offline_over over;             /* NUMBERS: what the one measure is held against */
    uint64_t hash;
};

/* Put the hash of all that s means. */
void sense_seal(struct sense *s);
/* Whether two questions ask for the same rows or numbers: one may say which columns it wants, or
 * their order, and the other not. */
bool sense_is_like(const struct sense *a, const struct sense *b);
/* A condition of its own, hashed; NULL: no memory. */
const struct sense_cond *sense_cond_make(struct arena *arena, struct sense_cond cond);
/* first's conditions before those of rest; NULL: both are empty, or no memory. */
const struct sense_cond *sense_cond_join(struct arena *arena, const struct sense_cond *first,
                                         const struct sense_cond *rest);

#endif

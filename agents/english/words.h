/* SPDX-License-Identifier: MIT */
/* agents/english/words.h - the work that English words do in a question about data: static tables
 * only.
 *
 * Holds no word of a schema or a business: "more than" is here, "credit" is not. Any thread. */
#ifndef AGENTS_ENGLISH_WORDS_H
#define AGENTS_ENGLISH_WORDS_H

#include "core/base/str.h"

enum offline_cue {
    CUE_NONE,
    CUE_SKIP,  /* carries nothing */
    CUE_SHOW,  /* list, show, give me */
    CUE_WHICH, /* which, what */
    CUE_WHO,
    CUE_COUNT,   /* how many, number of */
    CUE_AGG,     /* total, average; arg: enum offline_agg */
    CUE_SUPER,   /* highest, newest; arg: SUPER_ flags */
    CUE_TOP,     /* top, bottom; arg: SUPER_ flags */
    CUE_COMPARE, /* more than; arg: enum offline_op */
    CUE_BETWEEN,
    CUE_NEG, /* no, without, never */
    CUE_PER, /* per, for each, grouped by */
    CUE_BY,
    CUE_EACH,
    CUE_ORDER,  /* sorted by */
    CUE_DIR,    /* descending; arg: 1 is descending */
    CUE_REL,    /* that, whose, with: a clause about what came before */
    CUE_PREP,   /* of, in, at */
    CUE_COPULA, /* is, are, were */
    CUE_AND,
    CUE_OR,
    CUE_BOTH,
    CUE_BUT,
    CUE_COMMA,
    CUE_RATIO,    /* percentage of */
    CUE_DISTINCT, /* different, unique */
    CUE_ZERO,     /* including those with none */
    CUE_GRAIN,    /* month, monthly; arg: enum offline_grain */
    CUE_MINUS,
    CUE_THAN_AVG, /* the average, as something to compare with */
    CUE_BEGAN,    /* joined, opened: the row's beginning when a date is near */
    CUE_WRITE,    /* delete, assign: no question starts with such a word */
    CUE_VAGUE,    /* best, recent: says which rows without saying how */
    CUE_MISSING,  /* is missing, is empty */
    CUE_WHEN,     /* when did, when is: a date is asked for */
    CUE_NET,      /* net: what a subtraction gives */
    CUE_TIMES,    /* twice, half; arg: hundredths */
    CUE_SAME,     /* "the same": a value that another row has as well */
    CUE_LIKE,     /* starts with: part of a text; arg: enum offline_like */
};

enum offline_agg {
    AGG_NONE,
    AGG_COUNT,
    AGG_DISTINCT,
    AGG_SUM,
    AGG_AVG,
    AGG_MIN,
    AGG_MAX,
    AGG_NET,
    AGG_METRIC
};
enum offline_op {
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_BETWEEN,
    OP_IS_NULL,
    OP_NOT_NULL,
    OP_RANGE,
    OP_LIKE, /* number: enum offline_like */
    OP_NOT_LIKE,
};
enum offline_like { LIKE_WITHIN, LIKE_FIRST, LIKE_LAST };
enum offline_grain { GRAIN_NONE, GRAIN_DAY, GRAIN_WEEK, GRAIN_MONTH, GRAIN_QUARTER, GRAIN_YEAR };
/* What a number of each group is held against: the groups before it in time and itself, all groups,
 * the period before. Of numbers of two periods without groups: the other one. */
enum offline_over { OVER_NONE, OVER_RUNNING, OVER_SHARE, OVER_CHANGE };
enum { SUPER_DESC = 1, SUPER_DATE = 2, SUPER_PRICE = 4, SUPER_COUNT = 8, SUPER_COMMON = 16 };
/* In the grammar: most, or least, by how often and not by how much. */
enum { OFTEN = 2 };
/* The arg of a CUE_COMPARE: COMPARE_OP masks the enum offline_op, COMPARE_AVERAGE is a flag. */
enum { COMPARE_AVERAGE = 64, COMPARE_OP = 63 };

/* Which reading wins where a cue and a schema name or a value are equally long. */
enum offline_rank {
    RANK_WEAK,     /* any link to the schema wins */
    RANK_OPERATOR, /* table and column names win, values do not */
    RANK_FUNCTION, /* always wins */
};

struct offline_phrase { /* the effect of a phrase of lower-case words */
    enum offline_cue cue;
    int arg;
    enum offline_rank rank;
};

/* The longest phrase that words[0..count) begin with; *length is its number of words. NULL: none.
 */
const struct offline_phrase *english_words_phrase(const struct str *words, size_t count,
                                                  size_t *length);

#endif

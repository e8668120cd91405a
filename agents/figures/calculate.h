/* SPDX-License-Identifier: MIT */
/* agents/figures/calculate.h - growth, difference, ratio and the like, calculated in code: a model
 * names the calculation and never its result.
 *
 * Calculates in doubles, from figures as they were written; results are rounded half away from zero
 * to two decimals, sums and differences to the decimals of their operands. Pure; any thread. */
#ifndef AGENTS_FIGURES_CALCULATE_H
#define AGENTS_FIGURES_CALCULATE_H

#include "core/base/buf.h"
#include "core/base/err.h"

enum analyst_kind {
    ANALYST_GROWTH,     /* of the first to the second, in percent of the first */
    ANALYST_DIFFERENCE, /* the second without the first */
    ANALYST_RATIO,      /* the first by the second */
    ANALYST_SHARE,      /* the first by the second, in percent: a margin */
    ANALYST_CAGR,       /* growth a year, over the years between the two periods, in percent */
    ANALYST_SUM,
    ANALYST_AVERAGE,
    ANALYST_COMPARE, /* how much the first is above the second, in percent of the second */
    ANALYST_KIND_COUNT
};

enum { ANALYST_MAX_OPERANDS = 32 };

struct analyst_operand {
    double value;      /* scaled: 4200000000 */
    struct str text;   /* as the formula shows it: "4.2" */
    unsigned decimals; /* of text */
    double scale;      /* of text to value */
    int year;          /* of its period; 0: unknown */
};

struct analyst_result {
    double value; /* rounded; in percent where is_percent */
    double exact; /* before rounding */
    bool is_percent;
    unsigned decimals; /* that value is rounded to, in units of scale */
    double scale;      /* the operands' common one, for sums and differences; else 1 */
};

/* The kind that name ("growth", "cagr", ...) spells; false: none. */
MUST_USE bool figures_calculate_kind(struct str name, enum analyst_kind *kind);
const char *figures_calculate_name(enum analyst_kind kind);
/* Calculate *result from the operands. ERR_INVALID: too few or too many operands, growth from
 * nothing or from a loss, years that are not known or not in order, division by zero. */
MUST_USE enum err_code figures_calculate(enum analyst_kind kind,
                                         const struct analyst_operand *operands, size_t count,
                                         struct analyst_result *result, struct err *err);
/* Append the figure of result: "12.5\%" when is_latex, else "12.5%". */
void figures_calculate_write(const struct analyst_result *result, bool is_latex, struct buf *out);
/* Append the formula with the operands' figures and the result, in LaTeX without the dollar signs.
 */
void figures_calculate_formula(enum analyst_kind kind, const struct analyst_operand *operands,
                               size_t count, const struct analyst_result *result, struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* agents/figures/results.h - the figures that a model read out of passages, and the calculations on
 * them.
 *
 * As JSON: {"primary_metric","values":[{"company","metric","period","value","unit","chunk"}],
 * "calculations":[{"kind","of":[indices of values],"claimed"?}],"text","chart"?}. Calculations are
 * done in code; the result that a model claims is only compared. Everything lives in the arena;
 * pure. */
#ifndef AGENTS_FIGURES_RESULTS_H
#define AGENTS_FIGURES_RESULTS_H

#include "agents/figures/calculate.h"
#include "agents/figures/numbers.h"
#include "agents/nodes/search.h"

enum { ANALYST_MAX_VALUES = 64, ANALYST_MAX_CALCULATIONS = 32 };

struct analyst_value {
    struct str company, metric, period, unit, text; /* text: the figure, with a point if any */
    struct analyst_number number;                   /* of text, scaled by unit */
    int64_t chunk;                                  /* from 1 */
    bool is_figure;
    bool is_verified; /* its chunk holds it; set by figures_results_check */
};

struct analyst_calculation {
    enum analyst_kind kind;
    size_t of[ANALYST_MAX_OPERANDS];
    size_t count;
    struct str claimed;           /* the result that the model claims; absent: none */
    struct analyst_result result; /* valid when is_done */
    struct str formula;           /* LaTeX */
    struct str problem;           /* why it is not done */
    bool is_done;
    bool is_verified; /* all operands are verified */
};

struct figures_results {
    struct str primary_metric, text, chart; /* chart: a type the model suggests; may be absent */
    struct analyst_value *values;
    size_t value_count;
    struct analyst_calculation *calculations;
    size_t calculation_count;
};

/* Read the JSON object in answer (prose around it is ignored) and calculate. Reads the output of
 * figures_results_write as well. A value that its passage writes with a comma for its fraction is
 * written with a point from here on; hits may be NULL: values tell by themselves. ERR_INVALID:
 * answer holds no object, or a part has another shape (err has its JSON pointer); ERR_TOO_LARGE:
 * more values than ANALYST_MAX_VALUES or more calculations than ANALYST_MAX_CALCULATIONS;
 * ERR_NO_MEMORY. */
MUST_USE enum err_code figures_results_read(struct arena *arena, struct str answer,
                                            const struct search_hit *hits, size_t hit_count,
                                            struct figures_results *results, struct err *err);
/* Compare values with their chunks, claims with what was calculated, and the figures of the text
 * with both. Writes a text for each error into the open array. Returns how many. */
size_t figures_results_check(struct arena *arena, struct figures_results *results,
                             struct str question, const struct search_hit *hits, size_t hit_count,
                             struct json_write *errors);
/* Write results as JSON: values and calculations get "verified", calculations "result" and
 * "formula", or "problem". */
void figures_results_write(const struct figures_results *results, struct json_write *json);
/* Whether a figure is a verified value or follows from verified values. */
bool figures_results_holds(const struct figures_results *results,
                           const struct analyst_number *figure);

#endif

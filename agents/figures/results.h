/* SPDX-License-Identifier: MIT */
/* agents/figures/results.h - what a model read out of the passages, and what follows from it.
 *
 * As JSON: {"primary_metric","values":[{"company","metric","period","value","unit","chunk"}],
 * "calculations":[{"kind","of":[indices of values],"claimed"?}],"text","chart"?}. Calculations are
 * done here; what a model claims they give is only compared. Everything lives in the arena; pure.
 */
#ifndef AGENTS_FIGURES_RESULTS_H
#define AGENTS_FIGURES_RESULTS_H

#include "agents/figures/calculate.h"
#include "agents/figures/numbers.h"
#include "agents/nodes/search.h"

enum { ANALYST_MAX_VALUES = 64, ANALYST_MAX_CALCULATIONS = 32 };

struct analyst_value {
    struct str company, metric, period, unit, text; /* text: the figure as given */
    struct analyst_number number;                   /* of text, scaled by unit */
    int64_t chunk;                                  /* from 1 */
    bool is_figure;
    bool is_verified; /* its chunk holds it; set by figures_results_check */
};

struct analyst_calculation {
    enum analyst_kind kind;
    size_t of[ANALYST_MAX_OPERANDS];
    size_t count;
    struct str claimed;           /* what the model says it gives; absent: nothing */
    struct analyst_result result; /* where it is_done */
    struct str formula;           /* LaTeX */
    struct str problem;           /* why it is not */
    bool is_done;
    bool is_verified; /* so are all operands */
};

struct figures_results {
    struct str primary_metric, text, chart; /* chart: a type the model suggests; may be absent */
    struct analyst_value *values;
    size_t value_count;
    struct analyst_calculation *calculations;
    size_t calculation_count;
};

/* Read the JSON object in answer (prose around it is passed over) and calculate. Also reads what
 * figures_results_write wrote. ERR_INVALID: it holds none, or a part has another shape, by JSON
 * pointer; ERR_TOO_LARGE: more values or calculations than above; ERR_NO_MEMORY. */
MUST_USE enum err_code figures_results_read(struct arena *arena, struct str answer,
                                            struct figures_results *results, struct err *err);
/* Compare values with their chunks, claims with what was calculated, and the text's figures with
 * both: a text per error into the open array. Returns how many. */
size_t figures_results_check(struct arena *arena, struct figures_results *results,
                             struct str question, const struct search_hit *hits, size_t hit_count,
                             struct json_write *errors);
/* As JSON: values and calculations with "verified", the latter with "result", "formula" or
 * "problem". */
void figures_results_write(const struct figures_results *results, struct json_write *json);
/* Whether a figure is a verified value or follows from some. */
bool figures_results_holds(const struct figures_results *results,
                           const struct analyst_number *figure);

#endif

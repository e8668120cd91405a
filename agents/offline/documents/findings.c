/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/findings.c - one sentence for each kind of calculation.
 *
 * Happy path: figures and results are written as the reports and the calculation wrote them.
 * Failure: figures and results that are not verified are left out. */
#include "agents/offline/documents/findings.h"

#include "agents/figures/explain.h"
#include "agents/offline/documents/finance.h"

enum { MAX_SAID = 16, FIGURE_BYTES = 128 };

struct findings {
    struct arena *arena;
    struct figures_results results;
    struct buf *out;
};

static bool read_analysis(struct findings *f, struct arena *arena, struct str analysis,
                          struct buf *out)
{
    struct err err;
    *f = (struct findings){.arena = arena, .out = out};
    if (str_is_empty(analysis) ||
        figures_results_read(arena, analysis, NULL, 0, &f->results, &err) != ERR_OK)
        return false;
    for (size_t i = 0; i < f->results.value_count; i++)
        if (f->results.values[i].is_verified)
            return true;
    return false;
}

/* ---- pieces ---- */

static struct str show(const struct findings *f, const struct analyst_value *value)
{
    return figures_explain_value(f->arena, value);
}

static struct str result_of(const struct findings *f, const struct analyst_calculation *calculation,
                            bool without_sign)
{
    struct analyst_result result = calculation->result;
    struct buf text;
    if (without_sign && result.value < 0)
        result.value = -result.value;
    buf_init(&text, FIGURE_BYTES);
    figures_calculate_write(&result, false, &text);
    struct str copy = arena_str(f->arena, buf_str(&text));
    buf_fini(&text);
    return copy;
}

/* A result that is in the unit of its operands. */
static struct str amount_of(const struct findings *f, const struct analyst_calculation *calculation)
{
    struct analyst_value value = f->results.values[calculation->of[0]];
    value.text = result_of(f, calculation, false);
    return show(f, &value);
}

/* " [1, 3]" */
static void mark(struct findings *f, const size_t *of, size_t count)
{
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        int64_t chunk = f->results.values[of[i]].chunk;
        bool is_said = false;
        for (size_t k = 0; k < i; k++)
            is_said = is_said || f->results.values[of[k]].chunk == chunk;
        if (!is_said)
            buf_printf(f->out, "%s%lld", begun ? ", " : " [", (long long)chunk);
        begun = true;
    }
    buf_push_char(f->out, ']');
}

/* "Calder Freight's ", "Northbeam Instruments' " */
static void say_owner(struct findings *f, struct str company)
{
    buf_printf(f->out, "%.*s%s ", STR_ARG(company), str_ends_with(company, STR("s")) ? "'" : "'s");
}

static void say_whose(struct findings *f, const struct analyst_value *value)
{
    if (value->company.len > 0)
        say_owner(f, value->company);
    buf_push(f->out, value->metric);
}

/* ---- sentences ---- */

static void say_move(struct findings *f, const struct analyst_calculation *calculation)
{
    const struct analyst_value *from = &f->results.values[calculation->of[0]];
    const struct analyst_value *to = &f->results.values[calculation->of[1]];
    double result = calculation->result.value;
    struct str by = result_of(f, calculation, true);
    say_whose(f, from);
    if (result == 0)
        buf_printf(f->out, " did not change from %.*s to %.*s", STR_ARG(from->period),
                   STR_ARG(to->period));
    else
        buf_printf(f->out, " %s by %.*s from %.*s to %.*s", result > 0 ? "grew" : "fell",
                   STR_ARG(by), STR_ARG(from->period), STR_ARG(to->period));
    buf_printf(f->out, ", from %.*s to %.*s", STR_ARG(show(f, from)), STR_ARG(show(f, to)));
}

static void say_growth_a_year(struct findings *f, const struct analyst_calculation *calculation)
{
    buf_printf(f->out, "That is %.*s a year", STR_ARG(result_of(f, calculation, false)));
}

static void say_comparison(struct findings *f, const struct analyst_calculation *calculation)
{
    const struct analyst_value *first = &f->results.values[calculation->of[0]];
    const struct analyst_value *second = &f->results.values[calculation->of[1]];
    double result = calculation->result.value;
    say_whose(f, first);
    buf_printf(f->out, " was %.*s in %.*s, ", STR_ARG(show(f, first)), STR_ARG(first->period));
    if (result == 0)
        buf_printf(f->out, "as much as that of %.*s", STR_ARG(second->company));
    else
        buf_printf(f->out, "%.*s %s than the %.*s of %.*s",
                   STR_ARG(result_of(f, calculation, true)), result > 0 ? "more" : "less",
                   STR_ARG(show(f, second)), STR_ARG(second->company));
}

static void say_share(struct findings *f, const struct analyst_calculation *calculation)
{
    const struct analyst_value *part = &f->results.values[calculation->of[0]];
    const struct analyst_value *whole = &f->results.values[calculation->of[1]];
    const struct offline_finance_metric *margin =
        offline_finance_share(part->metric, whole->metric);
    struct str share = result_of(f, calculation, false);
    if (margin == NULL) {
        say_whose(f, part);
        buf_printf(f->out, " was %.*s of %.*s in %.*s", STR_ARG(share), STR_ARG(whole->metric),
                   STR_ARG(part->period));
    } else {
        say_owner(f, part->company);
        buf_printf(f->out, "%s was %.*s in %.*s", margin->name, STR_ARG(share),
                   STR_ARG(part->period));
    }
    buf_printf(f->out, ": %.*s of %.*s", STR_ARG(show(f, part)), STR_ARG(show(f, whole)));
}

/* "Pellworth Foods' revenue was $1,324 million on average from 2022 to 2024", "The revenue of
 * Calder Freight and Northbeam Instruments was $3,179 million together in 2024". */
static void say_amount(struct findings *f, const struct analyst_calculation *calculation)
{
    const struct analyst_value *first = &f->results.values[calculation->of[0]];
    const struct analyst_value *last = &f->results.values[calculation->of[calculation->count - 1]];
    const char *how = calculation->kind == ANALYST_SUM       ? " together"
                      : calculation->kind == ANALYST_AVERAGE ? " on average"
                                                             : " apart";
    struct str amount = amount_of(f, calculation);
    if (str_equal(first->company, last->company)) {
        say_whose(f, first);
        buf_printf(f->out, " was %.*s%s from %.*s to %.*s", STR_ARG(amount), how,
                   STR_ARG(first->period), STR_ARG(last->period));
        return;
    }
    buf_printf(f->out, "The %.*s of %.*s and %.*s was %.*s%s in %.*s", STR_ARG(first->metric),
               STR_ARG(last->company), STR_ARG(first->company), STR_ARG(amount), how,
               STR_ARG(first->period));
}

static void say_calculation(struct findings *f, const struct analyst_calculation *calculation)
{
    static void (*const sayings[ANALYST_KIND_COUNT])(struct findings *,
                                                     const struct analyst_calculation *) = {
        [ANALYST_GROWTH] = say_move,        [ANALYST_CAGR] = say_growth_a_year,
        [ANALYST_COMPARE] = say_comparison, [ANALYST_SHARE] = say_share,
        [ANALYST_SUM] = say_amount,         [ANALYST_AVERAGE] = say_amount,
        [ANALYST_DIFFERENCE] = say_amount,  [ANALYST_RATIO] = say_share,
    };
    sayings[calculation->kind](f, calculation);
    mark(f, calculation->of, calculation->count);
    buf_push_char(f->out, '.');
}

/* Three and more of one metric and period: whose is the highest. */
static void say_highest(struct findings *f)
{
    const struct analyst_value *values = f->results.values;
    size_t highest = 0, others = 0;
    for (size_t i = 1; i < f->results.value_count; i++) {
        if (!values[i].is_verified || !str_equal(values[i].metric, values[0].metric) ||
            !str_equal(values[i].period, values[0].period))
            return;
        others++;
        if (values[i].number.value > values[highest].number.value)
            highest = i;
    }
    if (others < 2 || !values[0].is_verified)
        return;
    say_owner(f, values[highest].company);
    buf_printf(f->out, "%.*s was the highest in %.*s", STR_ARG(values[0].metric),
               STR_ARG(values[0].period));
    mark(f, &highest, 1);
    buf_push(f->out, STR(". "));
}

static void say_value(struct findings *f, size_t i)
{
    const struct analyst_value *value = &f->results.values[i];
    const struct offline_finance_metric *metric = offline_finance_find(value->metric);
    if (metric != NULL && metric->is_counted)
        buf_printf(f->out, "%.*s had %.*s %.*s in %.*s", STR_ARG(value->company),
                   STR_ARG(show(f, value)), STR_ARG(value->metric), STR_ARG(value->period));
    else {
        say_whose(f, value);
        buf_printf(f->out, " was %.*s in %.*s", STR_ARG(show(f, value)), STR_ARG(value->period));
    }
    mark(f, &i, 1);
    buf_push_char(f->out, '.');
}

/* ---- all of them ---- */

bool offline_findings_answer(struct arena *arena, struct str analysis, struct buf *out)
{
    struct findings f;
    size_t said = 0;
    if (!read_analysis(&f, arena, analysis, out))
        return false;
    for (size_t i = 0; i < f.results.calculation_count && said < MAX_SAID; i++) {
        if (!f.results.calculations[i].is_verified)
            continue;
        buf_push(out, said++ == 0 ? STR("") : STR(" "));
        say_calculation(&f, &f.results.calculations[i]);
    }
    if (said == 0)
        say_highest(&f);
    for (size_t i = 0, calculated = said; i < f.results.value_count && calculated == 0; i++) {
        if (!f.results.values[i].is_verified || said == MAX_SAID)
            continue;
        buf_push(out, said++ == 0 ? STR("") : STR(" "));
        say_value(&f, i);
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* agents/figures/explain.c - a line for each figure, a formula for each calculation.
 *
 * Happy path only: what is not verified is left out. */
#include "agents/figures/explain.h"

struct str figures_explain_value(struct arena *arena, const struct analyst_value *value)
{
    struct str unit = value->unit;
    bool has_sign = unit.len > 0 && !str_is_alpha(unit.at[0]) && unit.at[0] != '%';
    size_t sign = 0;
    while (has_sign && sign < unit.len && unit.at[sign] != ' ')
        sign++;
    struct str rest = str_trim(str_from(unit, sign));
    bool is_below = value->text.len > 0 && value->text.at[0] == '-';
    return arena_printf(
        arena, "%s%.*s%.*s%s%.*s", is_below ? "-" : "", STR_ARG(str_slice(unit, 0, sign)),
        STR_ARG(str_from(value->text, is_below ? 1 : 0)), rest.len > 0 ? " " : "", STR_ARG(rest));
}

bool figures_explain(const struct figures_results *results, struct arena *arena, struct buf *out)
{
    size_t said = 0;
    for (size_t i = 0; i < results->value_count && said < FIGURES_EXPLAIN_VALUES; i++) {
        const struct analyst_value *value = &results->values[i];
        if (!value->is_verified)
            continue;
        buf_printf(out, "%s- %.*s%s%.*s, %.*s: %.*s [%lld]", said++ == 0 ? "" : "\n",
                   STR_ARG(value->company), value->company.len > 0 ? ", " : "",
                   STR_ARG(value->metric), STR_ARG(value->period),
                   STR_ARG(figures_explain_value(arena, value)), (long long)value->chunk);
    }
    for (size_t i = 0; i < results->calculation_count && said > 0; i++)
        if (results->calculations[i].is_verified)
            buf_printf(out, "\n\n$$%.*s$$", STR_ARG(results->calculations[i].formula));
    return said > 0;
}

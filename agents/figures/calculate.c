/* SPDX-License-Identifier: MIT */
/* agents/figures/calculate.c - one line of arithmetic for each kind.
 *
 * Happy path: check how many operands there are and what they must not be, calculate, round.
 * Failure: what has no meaning (growth from zero) is refused with its reason. */
#include "agents/figures/calculate.h"

#include <math.h>
#include <stdio.h>

enum { DECIMALS = 2, MAX_DECIMALS = 6, MAX_DIGITS = 64, GROUP = 3 };

static const struct kind {
    const char *name;
    size_t least, most; /* operands */
    bool is_percent;
} kinds[ANALYST_KIND_COUNT] = {
    [ANALYST_GROWTH] = {"growth", 2, 2, true},
    [ANALYST_DIFFERENCE] = {"difference", 2, 2, false},
    [ANALYST_RATIO] = {"ratio", 2, 2, false},
    [ANALYST_SHARE] = {"share", 2, 2, true},
    [ANALYST_CAGR] = {"cagr", 2, 2, true},
    [ANALYST_SUM] = {"sum", 2, ANALYST_MAX_OPERANDS, false},
    [ANALYST_AVERAGE] = {"average", 2, ANALYST_MAX_OPERANDS, false},
    [ANALYST_COMPARE] = {"compare", 2, 2, true},
};

bool figures_calculate_kind(struct str name, enum analyst_kind *kind)
{
    for (size_t i = 0; i < countof(kinds); i++) {
        if (!str_equal_nocase(name, str_of(kinds[i].name)))
            continue;
        *kind = (enum analyst_kind)i;
        return true;
    }
    return false;
}

const char *figures_calculate_name(enum analyst_kind kind)
{
    return kinds[kind].name;
}

static enum err_code check(enum analyst_kind kind, const struct analyst_operand *of, size_t count,
                           struct err *err)
{
    const char *name = kinds[kind].name;
    if (count < kinds[kind].least || count > kinds[kind].most)
        return err_set(err, ERR_INVALID, "%s: expected %zu operands%s, got %zu", name,
                       kinds[kind].least, kinds[kind].most > kinds[kind].least ? " or more" : "",
                       count);
    if ((kind == ANALYST_GROWTH || kind == ANALYST_CAGR) && of[0].value <= 0)
        return err_set(err, ERR_INVALID, "%s: a base of %.*s has none in percent", name,
                       STR_ARG(of[0].text));
    if (kind == ANALYST_CAGR && of[1].value <= 0)
        return err_set(err, ERR_INVALID, "%s: there is none to %.*s", name, STR_ARG(of[1].text));
    if (kind == ANALYST_CAGR && (of[0].year == 0 || of[1].year <= of[0].year))
        return err_set(err, ERR_INVALID, "%s: expected two periods with years in order", name);
    if ((kind == ANALYST_RATIO || kind == ANALYST_SHARE || kind == ANALYST_COMPARE) &&
        of[1].value == 0)
        return err_set(err, ERR_INVALID, "%s: the second operand is zero", name);
    return ERR_OK;
}

static double evaluate(enum analyst_kind kind, const struct analyst_operand *of, size_t count)
{
    double first = of[0].value, second = of[1].value, sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += of[i].value;
    switch (kind) {
    case ANALYST_GROWTH:
        return (second - first) / first * 100;
    case ANALYST_DIFFERENCE:
        return second - first;
    case ANALYST_RATIO:
        return first / second;
    case ANALYST_SHARE:
        return first / second * 100;
    case ANALYST_CAGR:
        return (pow(second / first, 1.0 / (of[1].year - of[0].year)) - 1) * 100;
    case ANALYST_SUM:
        return sum;
    case ANALYST_AVERAGE:
        return sum / (double)count;
    case ANALYST_COMPARE:
        return (first - second) / fabs(second) * 100;
    case ANALYST_KIND_COUNT:
        break;
    }
    return NAN;
}

enum err_code figures_calculate(enum analyst_kind kind, const struct analyst_operand *operands,
                                size_t count, struct analyst_result *result, struct err *err)
{
    enum err_code code = check(kind, operands, count, err);
    bool is_added = kind == ANALYST_SUM || kind == ANALYST_DIFFERENCE;
    if (code != ERR_OK)
        return code;
    *result = (struct analyst_result){.is_percent = kinds[kind].is_percent, .scale = 1};
    if (is_added || kind == ANALYST_AVERAGE)
        result->scale = operands[0].scale > 0 ? operands[0].scale : 1;
    result->decimals = is_added ? 0 : DECIMALS;
    for (size_t i = 0; i < count && is_added; i++)
        if (operands[i].decimals > result->decimals)
            result->decimals =
                operands[i].decimals < MAX_DECIMALS ? operands[i].decimals : MAX_DECIMALS;
    result->exact = evaluate(kind, operands, count);
    if (!isfinite(result->exact))
        return err_set(err, ERR_INVALID, "%s: the result is too large", kinds[kind].name);
    double unit = pow(10, result->decimals) / result->scale;
    result->value = round(result->exact * unit * (1 + 1e-15)) / unit;
    return ERR_OK;
}

/* ---- saying it ---- */

/* "-1234.5" as "-1,234.5". */
static void write_grouped(struct str digits, struct buf *out)
{
    ptrdiff_t point = str_find_char(digits, '.');
    size_t end = point == STR_NONE ? digits.len : (size_t)point;
    size_t begin = str_starts_with(digits, STR("-")) ? 1 : 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (i > begin && i < end && (end - i) % GROUP == 0)
            buf_push_char(out, ',');
        buf_push_char(out, digits.at[i]);
    }
}

void figures_calculate_write(const struct analyst_result *result, bool is_latex, struct buf *out)
{
    double shown = result->value / result->scale;
    unsigned decimals = result->decimals;
    double unit = pow(10, decimals);
    while (decimals > 0 && fabs(fmod(round(shown * unit), 10)) < 0.5) { /* no trailing zeros */
        decimals--;
        unit /= 10;
    }
    char digits[MAX_DIGITS];
    int len = snprintf(digits, sizeof digits, "%.*f", (int)decimals, shown == 0 ? 0 : shown);
    if (len > 0 && (size_t)len < sizeof digits)
        write_grouped(str_make(digits, (size_t)len), out);
    if (result->is_percent)
        buf_push(out, is_latex ? STR("\\%") : STR("%"));
}

static void write_list(const struct analyst_operand *of, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%.*s", i > 0 ? " + " : "", STR_ARG(of[i].text));
}

void figures_calculate_formula(enum analyst_kind kind, const struct analyst_operand *of,
                               size_t count, const struct analyst_result *result, struct buf *out)
{
    struct str first = of[0].text, second = of[1].text;
    switch (kind) {
    case ANALYST_GROWTH:
        buf_printf(out, "\\frac{%.*s - %.*s}{%.*s} \\times 100\\%%", STR_ARG(second),
                   STR_ARG(first), STR_ARG(first));
        break;
    case ANALYST_COMPARE:
        buf_printf(out,
                   of[1].value < 0 ? "\\frac{%.*s - %.*s}{|%.*s|} \\times 100\\%%"
                                   : "\\frac{%.*s - %.*s}{%.*s} \\times 100\\%%",
                   STR_ARG(first), STR_ARG(second), STR_ARG(second));
        break;
    case ANALYST_DIFFERENCE:
        buf_printf(out, "%.*s - %.*s", STR_ARG(second), STR_ARG(first));
        break;
    case ANALYST_RATIO:
        buf_printf(out, "\\frac{%.*s}{%.*s}", STR_ARG(first), STR_ARG(second));
        break;
    case ANALYST_SHARE:
        buf_printf(out, "\\frac{%.*s}{%.*s} \\times 100\\%%", STR_ARG(first), STR_ARG(second));
        break;
    case ANALYST_CAGR:
        buf_printf(out,
                   "\\left(\\left(\\frac{%.*s}{%.*s}\\right)^{1/%d} - 1\\right) \\times 100\\%%",
                   STR_ARG(second), STR_ARG(first), of[1].year - of[0].year);
        break;
    case ANALYST_SUM:
        write_list(of, count, out);
        break;
    case ANALYST_AVERAGE:
        buf_push(out, STR("\\frac{"));
        write_list(of, count, out);
        buf_printf(out, "}{%zu}", count);
        break;
    case ANALYST_KIND_COUNT:
        return;
    }
    buf_push(out, STR(" = "));
    figures_calculate_write(result, true, out);
}

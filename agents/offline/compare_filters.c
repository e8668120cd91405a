/* SPDX-License-Identifier: MIT */
/* agents/offline/compare_filters.c - is it there, with this value, this way round?
 *
 * Happy path: a condition's column is named and its value compared with, so there is nothing to
 * say. What is written in a way that cannot be followed (an expression, a date that is computed)
 * is given the benefit of the doubt. Failure: a full buffer cuts a remark short. */
#include "agents/offline/compare_filters.h"

#include <math.h>
#include <stdio.h>

#include "agents/offline/describe.h"

enum { REMARK_BYTES = 600, DAY_BYTES = 11, YEAR_BYTES = 4, NUMBER_BYTES = 32 };

struct filters {
    const struct claims *claims;
    const struct offline_reading *reading;
    offline_compare_fn *say;
    void *owner;
};

static void say_of_column(const struct filters *f, const struct reading_column *on,
                          const char *before, const char *after)
{
    struct buf out;
    buf_init(&out, REMARK_BYTES);
    buf_printf(&out, "the question has a condition on %s", before);
    offline_describe_column(f->claims->lexicon, on->table, on->column, &out);
    buf_push(&out, STR(" of "));
    offline_describe_table(f->claims->lexicon, on->table, true, &out);
    buf_push(&out, str_of(after));
    f->say(f->owner, buf_str(&out));
    buf_fini(&out);
}

static void say_of_text(const struct filters *f, const char *before, struct str text,
                        const char *after)
{
    struct buf out;
    buf_init(&out, REMARK_BYTES);
    buf_printf(&out, "%s'%.*s'%s", before, STR_ARG(text), after);
    f->say(f->owner, buf_str(&out));
    buf_fini(&out);
}

/* ---- numbers ---- */

static bool same(double a, double b)
{
    return fabs(a - b) < 1e-9 * fmax(1.0, fabs(a));
}

/* What a comparison says once a NOT around it is worked in. */
static enum offline_op op_of(const struct claims_comparison *one)
{
    static const enum offline_op opposite[] = {
        [OP_EQ] = OP_NE, [OP_LT] = OP_GE, [OP_LE] = OP_GT, [OP_GT] = OP_LE, [OP_GE] = OP_LT};
    return one->denied && one->op <= OP_GE ? opposite[one->op] : one->op;
}

/* Whether the comparison means op number, whole numbers' neighbours and bounds of a range too. */
static bool agrees(const struct claims_comparison *one, enum offline_op op, double number,
                   double high)
{
    enum offline_op written = op_of(one);
    switch (op) {
    case OP_GT:
        return (written == OP_GT && same(one->number, number)) ||
               (written == OP_GE && same(one->number, number + 1));
    case OP_GE:
        return (written == OP_GE && same(one->number, number)) ||
               (written == OP_GT && same(one->number, number - 1));
    case OP_LT:
        return (written == OP_LT && same(one->number, number)) ||
               (written == OP_LE && same(one->number, number - 1));
    case OP_LE:
        return (written == OP_LE && same(one->number, number)) ||
               (written == OP_LT && same(one->number, number + 1));
    case OP_BETWEEN:
        return agrees(one, OP_GE, number, 0) || agrees(one, OP_GT, number, 0) ||
               agrees(one, OP_LE, high, 0) || agrees(one, OP_LT, high, 0);
    default:
        return written == op && same(one->number, number);
    }
}

/* Whether the number, or one beside it, is somewhere in the statement; nought and one may be meant
 * without being written. */
static bool is_written(const struct claims *claims, double number)
{
    for (int step = -1; step <= 1; step++) {
        char text[NUMBER_BYTES];
        int length = snprintf(text, sizeof text, "%.15g", number + step);
        if (offline_claims_has_text(claims, str_make(text, (size_t)length)))
            return true;
    }
    return number == 0 || number == 1;
}

/* Whether some comparison of the column (READING_NONE: of what is computed) with a number means op
 * number; without any, whether it is written in some other way. */
static bool has_number(const struct claims *claims, const struct reading_column *on,
                       enum offline_op op, double number, double high)
{
    bool seen = false;
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        if (!one->has_number || one->column != on->column ||
            (on->column != READING_NONE && one->table != on->table))
            continue;
        if (agrees(one, op, number, high))
            return true;
        seen = true;
    }
    return !claims->whole || (!seen && is_written(claims, number));
}

/* ---- texts ---- */

/* Whether each comparison with the text is on the wrong side of a NOT. */
static bool is_turned(const struct claims *claims, struct str text, bool denied)
{
    size_t right = 0, turned = 0;
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        if (!one->is_text || one->op != OP_EQ || !str_equal_nocase(one->text, text))
            continue;
        right += one->denied == denied;
        turned += one->denied != denied;
    }
    return turned > 0 && right == 0 && claims->whole;
}

/* ---- dates ---- */

static bool is_day(struct str text)
{
    return text.len >= DAY_BYTES - 1 && str_is_digit(text.at[0]) && str_is_digit(text.at[3]) &&
           text.at[4] == '-' && str_is_digit(text.at[5]) && text.at[7] == '-' &&
           str_is_digit(text.at[8]);
}

/* Whether a day that is written is this one, or next to it. */
static bool is_near(struct str text, int32_t end)
{
    for (int32_t step = -1; step <= 1 && end != OFFLINE_DAY_NONE; step++) {
        char day[DAY_BYTES];
        offline_dates_text(end + step, day);
        if (str_starts_with(text, str_of(day)))
            return true;
    }
    return false;
}

static bool other_calls(const struct claims *claims)
{
    static const char *const plain[] = {"count", "sum", "avg", "min", "max", "round", "coalesce"};
    for (size_t i = 0; i < claims->call_count; i++)
        if (!str_is_listed(claims->calls[i].name, plain, countof(plain)))
            return true;
    return false;
}

/* Whether the statement may find its days by itself: from the clock, or from parts of dates. */
static bool computes_days(const struct claims *claims)
{
    return offline_claims_has_text(claims, STR("current_")) || other_calls(claims);
}

/* Days that are written are the range's, at both ends; without any its year is written, or days
 * are computed. */
static bool has_range(const struct claims *claims, const struct offline_range *range)
{
    bool seen = false, first = range->first == OFFLINE_DAY_NONE,
         end = range->end == OFFLINE_DAY_NONE;
    char year[DAY_BYTES];
    for (size_t i = 0; i < claims->comparison_count; i++) {
        struct str text = claims->comparisons[i].text;
        if (!claims->comparisons[i].is_text || !is_day(text))
            continue;
        bool both = claims->comparisons[i].op == OP_EQ || claims->comparisons[i].op == OP_LIKE;
        bool at_first = is_near(text, range->first), at_end = is_near(text, range->end);
        first = first || at_first;
        end = end || at_end || (both && at_first);
        seen = true;
    }
    if (seen || !claims->whole)
        return (first && end) || !claims->whole;
    offline_dates_text(first ? range->end - 1 : range->first, year);
    return computes_days(claims) || offline_claims_has_text(claims, str_make(year, YEAR_BYTES));
}

/* ---- one condition ---- */

/* Whether it may be there under another column: any date of the table for a time. */
static bool is_there(const struct claims *claims, const struct reading_filter *filter)
{
    const struct catalog *catalog = claims->lexicon->catalog;
    const struct catalog_table *t = &catalog->tables[filter->on.table];
    bool direct = offline_claims_reads(claims, filter->on.table);
    if (filter->named != NULL || (!direct && !offline_claims_refers(claims, filter->on.table)))
        return true; /* an expression may be written so or so; of a table that is missing, too,
                        more was said */
    if (filter->on.column == READING_NONE || filter->op == OP_RANGE) {
        for (size_t i = 0; i < t->column_count; i++)
            if ((filter->op != OP_RANGE ||
                 offline_index_is_date(catalog, filter->on.table, (int)i)) &&
                offline_claims_names(claims, filter->on.table, (int)i))
                return true;
        return filter->op != OP_RANGE;
    }
    return offline_claims_names(claims, filter->on.table, filter->on.column);
}

static struct str missing_value(const struct claims *claims, const struct reading_filter *filter)
{
    for (size_t i = 0; i < filter->value_count; i++)
        if (!offline_claims_has_text(claims, filter->values[i]))
            return filter->values[i];
    return (struct str){NULL, 0};
}

static void say_of_value(const struct filters *f, const struct reading_filter *filter, bool sided)
{
    struct str missing = missing_value(f->claims, filter);
    bool denied = filter->op == OP_NE || filter->op == OP_NOT_LIKE;
    bool split = f->reading->outs[0].agg == AGG_NET; /* x, else minus: one value is enough */
    if (!str_is_absent(missing) && !split) {
        say_of_text(f, "the question says ", missing, ", which is not in the statement");
        return;
    }
    for (size_t i = 0; sided && i < filter->value_count; i++)
        if ((filter->op == OP_EQ || denied) && is_turned(f->claims, filter->values[i], denied)) {
            say_of_text(f, denied ? "the question excludes " : "the question asks for ",
                        filter->values[i],
                        denied ? ", the statement asks for it" : ", the statement excludes it");
            return;
        }
}

static bool has_value(const struct claims *claims, const struct reading_filter *filter)
{
    if (filter->op == OP_RANGE)
        return has_range(claims, &filter->range);
    static const char *const averages[] = {"avg", "count"};
    if (filter->vs_average)
        return offline_claims_call(claims, averages, countof(averages)) != NULL;
    bool counts = filter->value_count == 0 && filter->factor == 0 &&
                  (filter->op <= OP_GE || filter->op == OP_BETWEEN);
    return !counts || has_number(claims, &filter->on, filter->op, filter->number, filter->high);
}

/* sided: neither below a NOT of the question nor part of a number of it. */
static void say_of_filter(const struct filters *f, const struct reading_filter *filter, bool sided)
{
    if (filter->named != NULL || filter->on.column == READING_NONE || filter->through)
        return;
    if (!is_there(f->claims, filter))
        say_of_column(f, &filter->on, "", ", the statement has none");
    else if (!offline_claims_reads(f->claims, filter->on.table))
        return;
    else if (filter->value_count > 0)
        say_of_value(f, filter, sided);
    else if (sided && !has_value(f->claims, filter))
        say_of_column(f, &filter->on, "", ", the statement has another one");
}

/* ---- conditions nobody asked for ---- */

static bool asks_for(const struct offline_reading *r, struct str text)
{
    for (size_t i = 0; i < r->scope_count; i++)
        for (size_t k = 0; k < r->scopes[i].filter_count; k++) {
            const struct reading_filter *filter = &r->scopes[i].filters[k];
            if (filter->named != NULL || filter->through)
                return true; /* who knows */
            for (size_t v = 0; v < filter->value_count; v++)
                if (str_equal_nocase(filter->values[v], text))
                    return true;
        }
    return false;
}

static void say_of_strangers(const struct filters *f)
{
    for (size_t i = 0; i < f->reading->out_count; i++)
        if (f->reading->outs[i].agg == AGG_METRIC || f->reading->outs[i].agg == AGG_NET)
            return;
    for (size_t i = 0; i < f->claims->comparison_count; i++) {
        const struct claims_comparison *one = &f->claims->comparisons[i];
        if (one->is_text && one->op == OP_EQ && one->column != READING_NONE && one->text.len > 0 &&
            !str_is_digit(one->text.at[0]) &&
            offline_index_wants(f->claims->lexicon, one->table, one->column) &&
            !asks_for(f->reading, one->text)) {
            say_of_text(f, "the statement has a condition with ", one->text,
                        ", of which the question does not speak");
            return;
        }
    }
}

bool offline_compare_filters_is_one(const struct reading_scope *scope)
{
    return scope->agg == AGG_COUNT && !scope->vs_average &&
           ((scope->op == OP_GE && scope->number <= 1) ||
            (scope->op == OP_GT && scope->number < 1));
}

void offline_compare_filters_say(const struct claims *claims, const struct offline_reading *reading,
                                 offline_compare_fn *say, void *owner)
{
    const struct filters f = {claims, reading, say, owner};
    bool denies = false;
    for (size_t i = 0; i < reading->scope_count; i++)
        denies = denies || reading->scopes[i].kind == SCOPE_NOT;
    for (size_t i = 0; i < reading->scope_count; i++) {
        const struct reading_scope *scope = &reading->scopes[i];
        const struct reading_column rows = {READING_NONE, READING_NONE, NULL};
        for (size_t k = 0; k < scope->filter_count; k++) {
            const struct reading_filter *filter = &scope->filters[k];
            bool sided = scope->kind != SCOPE_NOT && !denies && !filter->numerator &&
                         !filter->minus && filter->out == READING_NONE && !reading->ratio;
            say_of_filter(&f, filter, sided);
        }
        if (scope->kind == SCOPE_HAVING && !scope->vs_average && scope->factor == 0 &&
            scope->number > 1 && !has_number(claims, &rows, scope->op, scope->number, scope->high))
            say(owner, STR("the question compares a number of related rows, the statement has "
                           "another number or goes the other way"));
    }
    if (reading->bounded &&
        !has_number(claims, &(struct reading_column){READING_NONE, READING_NONE, NULL},
                    reading->bound_op, reading->bound_number, reading->bound_high))
        say(owner, STR("the question compares a number of each group, the statement has another "
                       "number or goes the other way"));
    say_of_strangers(&f);
}

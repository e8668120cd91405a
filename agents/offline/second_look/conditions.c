/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/conditions.c - one condition of a question against the comparisons of
 * a statement.
 *
 * Happy path: the column is named and the value compared with, in the direction that is asked.
 * Failure: what is written in a way that cannot be followed (an expression, a date that is
 * computed, another column that may say the same) counts as there. */
#include "agents/offline/second_look/conditions.h"

#include <math.h>
#include <stdio.h>

#include "agents/sql/catalog/name_words.h"

enum { DAY_BYTES = 11, YEAR_BYTES = 4, NUMBER_BYTES = 32 };

/* ---- numbers ---- */

static bool same(double a, double b)
{
    return fabs(a - b) < 1e-9 * fmax(1.0, fabs(a));
}

/* The operation of a comparison with a NOT around it worked in. */
static enum offline_op op_of(const struct claims_comparison *one)
{
    static const enum offline_op opposite[] = {
        [OP_EQ] = OP_NE, [OP_LT] = OP_GE, [OP_LE] = OP_GT, [OP_GT] = OP_LE, [OP_GE] = OP_LT};
    return one->denied && one->op <= OP_GE ? opposite[one->op] : one->op;
}

static bool means(const struct claims_comparison *one, enum offline_op op, double number)
{
    return op_of(one) == op && same(one->number, number);
}

/* Whether the comparison means op number, whole numbers' neighbours and bounds of a range too. */
static bool agrees(const struct claims_comparison *one, enum offline_op op, double number,
                   double high)
{
    switch (op) {
    case OP_GT:
        return means(one, OP_GT, number) || means(one, OP_GE, number + 1);
    case OP_GE:
        return means(one, OP_GE, number) || means(one, OP_GT, number - 1);
    case OP_LT:
        return means(one, OP_LT, number) || means(one, OP_LE, number - 1);
    case OP_LE:
        return means(one, OP_LE, number) || means(one, OP_LT, number + 1);
    case OP_BETWEEN:
        return agrees(one, OP_GE, number, 0) || agrees(one, OP_GT, number, 0) ||
               agrees(one, OP_LE, high, 0) || agrees(one, OP_LT, high, 0);
    default:
        return means(one, op, number);
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
bool offline_conditions_have_number(const struct claims *claims, const struct reading_column *on,
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

bool offline_conditions_compare_number(const struct claims *claims, enum offline_op op,
                                       double number, double high)
{
    for (size_t i = 0; i < claims->comparison_count; i++)
        if (claims->comparisons[i].has_number && agrees(&claims->comparisons[i], op, number, high))
            return true;
    return false;
}

/* ---- texts ---- */

bool offline_conditions_are_elsewhere(const struct claims *claims,
                                      const struct reading_filter *filter)
{
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        bool other = one->is_text && one->op == OP_EQ && !one->denied &&
                     one->table == filter->on.table && one->column == filter->on.column;
        for (size_t k = 0; other && k < filter->value_count; k++)
            other = !str_equal_nocase(one->text, filter->values[k]);
        if (other)
            return true;
    }
    return false;
}

/* Whether each comparison with the text is on the wrong side of a NOT. */
bool offline_conditions_are_turned(const struct claims *claims, struct str text, bool denied)
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
        english_dates_text(end + step, day);
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
    if (seen && computes_days(claims)) /* "date('2025-06-30', '+90 days')" may be the other end */
        return first || end;
    if (seen || !claims->whole)
        return (first && end) || !claims->whole;
    english_dates_text(first ? range->end - 1 : range->first, year);
    return computes_days(claims) || offline_claims_has_text(claims, str_make(year, YEAR_BYTES));
}

/* ---- one condition ---- */

/* Whether some condition of the question is on the column. */
static bool is_filtered(const struct offline_reading *r, int table, int column)
{
    for (size_t i = 0; i < r->scope_count; i++)
        for (size_t k = 0; k < r->scopes[i].filter_count; k++)
            if (r->scopes[i].filters[k].on.table == table &&
                r->scopes[i].filters[k].on.column == column)
                return true;
    return false;
}

/* Whether the table has a reference to other. */
static bool refers_to(const struct claims *claims, int table, int other)
{
    const struct catalog_table *at = &claims->lexicon->catalog->tables[table];
    for (size_t k = 0; k < at->reference_count; k++)
        if (at->references[k].to_table == other)
            return true;
    return false;
}

/* A code or a flag may say the same as a name: another column of the table is compared with a text
 * or asked whether it is so, of which the question has no condition; or, where the statement does
 * without the table, a flag of one that refers to it. */
static bool is_by_flag(const struct claims *claims, const struct offline_reading *r,
                       const struct reading_column *on)
{
    const struct catalog *catalog = claims->lexicon->catalog;
    const bool is_read = offline_claims_reads(claims, on->table);
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        if (one->table == READING_NONE || one->column == READING_NONE || one->op != OP_EQ ||
            is_filtered(r, one->table, one->column))
            continue;
        const bool is_flag = lexicon_index_is_boolean(catalog, one->table, one->column);
        const bool is_text = one->is_text && !is_day(one->text);
        if (one->table == on->table
                ? one->column != on->column && (is_flag || is_text)
                : !is_read && is_flag && refers_to(claims, one->table, on->table))
            return true;
    }
    return false;
}

/* Whether the column's name begins with the text: "completedAt", "inspector_id". */
static bool is_called(struct str name, struct str text)
{
    const struct name_words words = name_words_split(name);
    return words.count > 1 && str_equal_nocase(words.at[0], text);
}

/* A date of the table that is called by the text, or a key to the table that is. */
static bool is_by_name(const struct claims *claims, const struct reading_column *on,
                       struct str text)
{
    const struct catalog *catalog = claims->lexicon->catalog;
    for (size_t i = 0; i < claims->parse->column_count; i++) {
        const struct sql_column_ref *ref = &claims->parse->columns[i];
        const int table = offline_claims_table(claims, ref->table_ref);
        if (ref->use != SQL_COLUMN_NAMED || table == CATALOG_NONE || !is_called(ref->name, text))
            continue;
        const struct catalog_table *at = &catalog->tables[table];
        for (size_t c = 0; c < at->column_count; c++)
            if (str_equal_nocase(at->columns[c].name, ref->name) &&
                (table == on->table ? lexicon_index_is_date(catalog, table, (int)c)
                                    : refers_to(claims, table, on->table)))
                return true;
    }
    return false;
}

bool offline_conditions_called_by(const struct claims *claims, const struct reading_filter *filter,
                                  const struct claims_comparison *one)
{
    return filter->value_count == 0 && filter->on.column != READING_NONE && one->is_text &&
           one->table == filter->on.table && one->op == OP_EQ &&
           is_called(claims->lexicon->catalog->tables[one->table].columns[filter->on.column].name,
                     one->text);
}

bool offline_conditions_by_another(const struct claims *claims, const struct offline_reading *r,
                                   const struct reading_filter *filter)
{
    bool is_called_so = filter->value_count > 0;
    if (filter->on.column == READING_NONE ||
        offline_claims_names(claims, filter->on.table, filter->on.column))
        return false;
    for (size_t i = 0; i < claims->comparison_count; i++)
        if (offline_conditions_called_by(claims, filter, &claims->comparisons[i]))
            return true;
    if (filter->value_count == 0)
        return false;
    for (size_t i = 0; i < filter->value_count; i++)
        is_called_so = is_called_so && is_by_name(claims, &filter->on, filter->values[i]);
    return is_called_so || is_by_flag(claims, r, &filter->on);
}

bool offline_conditions_by_rest(const struct claims *claims, const struct reading_filter *filter)
{
    bool is_denied = false;
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        if (one->table != filter->on.table || one->column != filter->on.column)
            continue;
        if (!one->is_text || one->op != OP_EQ || !one->denied)
            return false;
        is_denied = true;
    }
    return is_denied && claims->whole && filter->op == OP_EQ;
}

/* Whether the statement has a condition on a column that refers to the table: "statusId = 3". */
static bool is_by_reference(const struct claims *claims, int table)
{
    const struct catalog *catalog = claims->lexicon->catalog;
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        if (one->table == READING_NONE || one->column == READING_NONE)
            continue;
        const struct catalog_table *at = &catalog->tables[one->table];
        for (size_t k = 0; k < at->reference_count; k++)
            if (at->references[k].to_table == table && at->references[k].column_count == 1 &&
                at->references[k].columns[0] == one->column)
                return true;
    }
    return false;
}

/* Whether the number is compared with something that is computed, as it is or as a share: "more
 * than 30 %" need not mean the column that was read. */
static bool is_of_computed(const struct claims *claims, double number)
{
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct claims_comparison *one = &claims->comparisons[i];
        if (one->has_number && one->column == READING_NONE &&
            (same(one->number, number) || same(one->number, number / 100)))
            return true;
    }
    return false;
}

/* Whether it may be there under another column: any date of the table for a time. */
bool offline_conditions_are_there(const struct claims *claims, const struct reading_filter *filter)
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
                 lexicon_index_is_date(catalog, filter->on.table, (int)i)) &&
                offline_claims_names(claims, filter->on.table, (int)i))
                return true;
        return filter->op != OP_RANGE;
    }
    if (offline_claims_names(claims, filter->on.table, filter->on.column))
        return true;
    return is_by_reference(claims, filter->on.table) ||
           (filter->value_count == 0 && is_of_computed(claims, filter->number));
}

struct str offline_conditions_lack(const struct claims *claims, const struct reading_filter *filter)
{
    for (size_t i = 0; i < filter->value_count; i++)
        if (!offline_claims_has_text(claims, filter->values[i]))
            return filter->values[i];
    return (struct str){NULL, 0};
}

bool offline_conditions_agree(const struct claims *claims, const struct reading_filter *filter)
{
    if (filter->op == OP_RANGE)
        return has_range(claims, &filter->range);
    static const char *const averages[] = {"avg", "count"};
    if (filter->versus != AGG_NONE && filter->versus != AGG_AVG)
        return true; /* an order and a limit may say it, too */
    if (filter->versus != AGG_NONE)
        return offline_claims_call(claims, averages, countof(averages)) != NULL;
    bool counts = filter->value_count == 0 && filter->factor == 0 &&
                  (filter->op <= OP_GE || filter->op == OP_BETWEEN);
    return !counts || offline_conditions_have_number(claims, &filter->on, filter->op,
                                                     filter->number, filter->high);
}

/* SPDX-License-Identifier: MIT */
/* agents/rows/agree.c - pairs the columns of two results by their values, then compares rows.
 *
 * Happy path: each column of the narrower result is paired with a column of the wider that has the
 * same values in some order; the rows of paired columns are the same, too. A name that is one
 * column here and two there is paired as the text of its letters and digits. Values are compared by
 * 64-bit hashes. Failure: too much to compare is incomparable. */
#include "agents/rows/agree.h"

#include <math.h>
#include <stdio.h>

enum { MOST_DECIMALS = 6, NUMBER_BYTES = 64, EXACT = -1 };

/* ---- values ---- */

static bool is_number(const struct sql_value *value)
{
    return value->type == SQL_INT || value->type == SQL_REAL || value->type == SQL_DECIMAL ||
           value->type == SQL_BOOL;
}

static double number_of(const struct sql_value *value)
{
    double number = 0;
    if (value->type == SQL_REAL)
        return value->real;
    if (value->type != SQL_DECIMAL)
        return (double)value->integer;
    return str_to_double(value->text, &number) ? number : NAN;
}

/* Spread the bits, so that sums of hashes tell sets apart. */
static uint64_t mix(uint64_t hash)
{
    hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
    return hash ^ (hash >> 31);
}

static uint64_t hash_number(double number, int decimals)
{
    char text[NUMBER_BYTES];
    int length = decimals == EXACT ? snprintf(text, sizeof text, "%.10g", number + 0.0)
                                   : snprintf(text, sizeof text, "%.*f", decimals, number + 0.0);
    const bool is_zero = strspn(text, "-0.") == (size_t)length;
    return is_zero ? mix(2) : mix(str_hash(str_make(text, (size_t)length)));
}

static uint64_t hash_cell(const struct sql_value *value, int decimals)
{
    if (value->type == SQL_NULL)
        return mix(1);
    if (is_number(value))
        return hash_number(number_of(value), decimals);
    return mix(str_hash(value->text) + 3);
}

/* ---- columns ---- */

struct column {
    const struct sql_result *of;
    size_t at;
};

static const struct sql_value *cell(struct column column, size_t row)
{
    return sql_result_at(column.of, row, column.at);
}

/* The decimals of a fraction's column that was rounded; EXACT: it was not, or is none. */
static int decimals_of(struct column column)
{
    int most = EXACT;
    for (size_t row = 0; row < column.of->row_count; row++) {
        const struct sql_value *value = cell(column, row);
        if (value->type == SQL_NULL)
            continue;
        if (value->type != SQL_REAL && value->type != SQL_DECIMAL)
            return EXACT; /* a whole number is no rounded fraction, but may be a division's */
        const double number = number_of(value);
        int decimals = 0;
        for (double scale = 1; decimals <= MOST_DECIMALS; decimals++, scale *= 10)
            if (fabs(round(number * scale) / scale - number) <= 1e-9 * fmax(1, fabs(number)))
                break;
        if (decimals > MOST_DECIMALS)
            return EXACT;
        most = decimals > most ? decimals : most;
    }
    return most;
}

/* To how many decimals two columns are compared: those of the one that was rounded further. */
static int shared_decimals(struct column one, struct column two)
{
    const int first = decimals_of(one), second = decimals_of(two);
    if (first == EXACT || second == EXACT)
        return first > second ? first : second;
    return first < second ? first : second;
}

static uint64_t sum_of(struct column column, int decimals)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < column.of->row_count; row++)
        sum += hash_cell(cell(column, row), decimals);
    return sum;
}

static bool is_text(struct column column)
{
    bool has_text = false;
    for (size_t row = 0; row < column.of->row_count; row++) {
        const struct sql_value *value = cell(column, row);
        if (value->type != SQL_TEXT && value->type != SQL_NULL)
            return false;
        has_text = has_text || value->type == SQL_TEXT;
    }
    return has_text;
}

/* ---- rows ---- */

struct pairs { /* of the narrower result's columns with the wider's */
    const struct sql_result *narrow, *wide;
    size_t count;
    size_t of_wide[ROWS_COMPARED_COLUMNS]; /* by the narrower's column; SIZE_MAX: none */
    int decimals[ROWS_COMPARED_COLUMNS];
    bool is_taken[ROWS_COMPARED_COLUMNS]; /* of the wider */
};

static void pair_columns(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->narrow->column_count; i++) {
        const struct column here = {pairs->narrow, i};
        pairs->of_wide[i] = SIZE_MAX;
        for (size_t k = 0; k < pairs->wide->column_count && pairs->of_wide[i] == SIZE_MAX; k++) {
            const struct column there = {pairs->wide, k};
            if (pairs->is_taken[k])
                continue;
            const int shared = shared_decimals(here, there);
            const bool same = sum_of(here, EXACT) == sum_of(there, EXACT);
            if (!same && (shared == EXACT || sum_of(here, shared) != sum_of(there, shared)))
                continue;
            pairs->of_wide[i] = k;
            pairs->decimals[i] = same ? EXACT : shared;
            pairs->is_taken[k] = true;
            pairs->count++;
        }
    }
}

/* The letters and digits of a row's texts that are not paired, one after the other. */
static uint64_t hash_rest(const struct pairs *pairs, bool wide, size_t row)
{
    const struct sql_result *of = wide ? pairs->wide : pairs->narrow;
    uint64_t hash = 5;
    for (size_t i = 0; i < of->column_count; i++) {
        const struct sql_value *value = sql_result_at(of, row, i);
        if (wide ? pairs->is_taken[i] : pairs->of_wide[i] != SIZE_MAX)
            continue;
        for (size_t at = 0; at < value->text.len; at++) {
            const unsigned char c = (unsigned char)value->text.at[at];
            const bool counts = c >= 0x80 || str_is_alpha((char)c) || (c >= '0' && c <= '9');
            if (counts)
                hash = (hash ^ (unsigned char)str_lower((char)c)) * UINT64_C(1099511628211);
        }
    }
    return mix(hash);
}

/* Whether the columns that have no pair are texts, on both sides. */
static bool rest_is_text(const struct pairs *pairs)
{
    size_t here = 0, there = 0;
    for (size_t i = 0; i < pairs->narrow->column_count; i++) {
        if (pairs->of_wide[i] != SIZE_MAX)
            continue;
        here++;
        if (!is_text((struct column){pairs->narrow, i}))
            return false;
    }
    for (size_t i = 0; i < pairs->wide->column_count; i++)
        there += !pairs->is_taken[i] && is_text((struct column){pairs->wide, i});
    return here > 0 && there > 0;
}

static uint64_t hash_row(const struct pairs *pairs, bool wide, bool with_rest, size_t row)
{
    uint64_t hash = with_rest ? hash_rest(pairs, wide, row) : 0;
    for (size_t i = 0; i < pairs->narrow->column_count; i++) {
        if (pairs->of_wide[i] == SIZE_MAX)
            continue;
        const struct column column = wide ? (struct column){pairs->wide, pairs->of_wide[i]}
                                          : (struct column){pairs->narrow, i};
        hash = mix(hash * 31 + hash_cell(cell(column, row), pairs->decimals[i]));
    }
    return hash;
}

/* Whether some column that is not the same in every row stands in the same order in both. */
static bool has_same_order(const struct pairs *pairs)
{
    bool varies = false;
    for (size_t i = 0; i < pairs->narrow->column_count; i++) {
        const struct column here = {pairs->narrow, i}, there = {pairs->wide, pairs->of_wide[i]};
        if (there.at == SIZE_MAX)
            continue;
        bool same = true, constant = true;
        const uint64_t first = hash_cell(cell(here, 0), pairs->decimals[i]);
        for (size_t row = 0; row < here.of->row_count; row++) {
            const uint64_t one = hash_cell(cell(here, row), pairs->decimals[i]);
            same = same && one == hash_cell(cell(there, row), pairs->decimals[i]);
            constant = constant && one == first;
        }
        if (same && !constant)
            return true;
        varies = varies || !constant;
    }
    return !varies;
}

static bool has_same_rows(const struct pairs *pairs, bool with_rest)
{
    uint64_t one = 0, two = 0;
    for (size_t row = 0; row < pairs->narrow->row_count; row++) {
        one += mix(hash_row(pairs, false, with_rest, row));
        two += mix(hash_row(pairs, true, with_rest, row));
    }
    return one == two;
}

static bool is_too_large(const struct sql_result *result)
{
    return result->column_count > ROWS_COMPARED_COLUMNS ||
           result->row_count * (result->column_count + 1) > ROWS_COMPARED_CELLS;
}

enum rows_agreement rows_compare(const struct sql_result *one, const struct sql_result *two,
                                 bool is_ordered)
{
    struct pairs pairs = {.narrow = one, .wide = two};
    if (one->column_count > two->column_count)
        pairs = (struct pairs){.narrow = two, .wide = one};
    if ((one->truncated && two->truncated) || is_too_large(one) || is_too_large(two))
        return ROWS_INCOMPARABLE;
    if (one->row_count != two->row_count || one->truncated != two->truncated)
        return ROWS_DIFFER;
    if (one->row_count == 0)
        return ROWS_AGREE;
    pair_columns(&pairs);
    const bool is_whole = pairs.count == pairs.narrow->column_count;
    if (!is_whole && !rest_is_text(&pairs))
        return ROWS_DIFFER;
    if (!has_same_rows(&pairs, !is_whole))
        return ROWS_DIFFER;
    return !is_ordered || pairs.count == 0 || has_same_order(&pairs) ? ROWS_AGREE : ROWS_DIFFER;
}

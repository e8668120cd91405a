/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/comparisons.c - what a column is compared with: a text where it has numbers,
 * the last day of a month as an end that is left out, euros where it has cents; and a column beside
 * the one that the question names.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

enum { DATE_BYTES = 10, YEAR_BYTES = 4, LEAST_SHARED = 4 };

struct compared { /* column op literal */
    const struct sql_column_ref *ref;
    const struct catalog_column *column;
    struct str sign, literal; /* literal: as written */
};

/* Read a comparison of a column, on its left, with a literal. */
static bool read(const struct sql_doubts_look *look, const struct sql_expr *expr,
                 struct compared *compared)
{
    const struct sql_expr *left = expr->children, *right = left == NULL ? NULL : left->next;
    if (right == NULL || right->next != NULL || right->kind != SQL_EXPR_LITERAL)
        return false;
    compared->ref = sql_parse_column_at(look->parse, left);
    compared->column = sql_doubts_column(look, compared->ref);
    compared->sign = str_trim(str_slice(look->parse->text, left->span.end, right->span.start));
    compared->literal = str_slice(look->parse->text, right->span.start, right->span.end);
    return compared->column != NULL;
}

/* The text of 'literal'; absent: it is none. */
static struct str inside(struct str literal)
{
    if (literal.len < 2 || literal.at[0] != '\'' || literal.at[literal.len - 1] != '\'')
        return (struct str){NULL, 0};
    return str_slice(literal, 1, literal.len - 1);
}

/* ---- a number and a text ---- */

static void look_at_type(struct sql_doubts_look *look, const struct compared *c)
{
    const enum catalog_type type = c->column->type;
    const bool is_number =
        type == CATALOG_INTEGER || type == CATALOG_NUMBER || type == CATALOG_BOOLEAN;
    struct str text = inside(c->literal);
    double number;
    if (look->parse->dialect == SQL_POSTGRES || !is_number || c->column->shows != CATALOG_UNKNOWN ||
        str_is_empty(text) || str_to_double(str_trim(text), &number) ||
        str_equal_nocase(c->sign, STR("like")) || str_is_digit(text.at[0]))
        return;
    sql_doubts_say(look, "text_for_number",
                   arena_printf(look->source->arena,
                                "%.*s is a number in %.*s, never %.*s; where it says yes or no, "
                                "these are 1 and 0",
                                STR_ARG(c->ref->name), STR_ARG(sql_doubts_table(look, c->ref)),
                                STR_ARG(str_utf8_prefix(c->literal, LOOK_WORDS))),
                   arena_printf(look->source->arena, "%.*s is no value of %.*s, which has numbers",
                                STR_ARG(str_utf8_prefix(c->literal, LOOK_WORDS)),
                                STR_ARG(c->ref->name)));
}

/* ---- the last day ---- */

static unsigned days_of(uint64_t year, uint64_t month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month < 1 || month > countof(days) ? 0
                                              : days[month - 1] + (is_leap && month == 2 ? 1U : 0U);
}

/* Whether the statement has a period that begins with the first day of a month: ">= '2025-01-01'".
 * Without one an end is only a day that something is before. */
static bool begins_a_month(struct str sql)
{
    enum { LITERAL = DATE_BYTES + 2 };
    for (size_t at = 0; at + LITERAL <= sql.len; at++) {
        struct str day = inside(str_slice(sql, at, at + LITERAL));
        struct str before = str_trim(str_slice(sql, 0, at));
        if (!str_is_absent(day) && day.at[4] == '-' && str_ends_with(day, STR("-01")) &&
            str_ends_with(before, STR(">=")))
            return true;
    }
    return false;
}

/* A period that ends before its last day: "< '2025-03-31'". */
static void look_at_end(struct sql_doubts_look *look, const struct compared *c)
{
    struct str day = inside(c->literal);
    uint64_t y, m, d;
    if (!str_equal(c->sign, STR("<")) || day.len != DATE_BYTES || day.at[4] != '-' ||
        day.at[7] != '-' || !str_to_u64(str_slice(day, 0, YEAR_BYTES), &y) ||
        !str_to_u64(str_slice(day, 5, 7), &m) || !str_to_u64(str_slice(day, 8, 10), &d) ||
        d != days_of(y, m) || str_find(look->source->question, day) != STR_NONE ||
        !begins_a_month(look->parse->text))
        return;
    for (size_t i = 0; i < look->word_count; i++) /* "before March 31" */
        if (str_equal(look->words[i], str_slice(day, 8, 10)))
            return;
    sql_doubts_say(
        look, "last_day",
        arena_printf(look->source->arena,
                     "%.*s < '%.*s' leaves out %.*s, the last day of its month; a period ends "
                     "before the first day of the next one",
                     STR_ARG(c->ref->name), STR_ARG(day), STR_ARG(day)),
        arena_printf(look->source->arena, "%.*s itself is left out", STR_ARG(day)));
}

/* ---- cents ---- */

static double times(struct str word)
{
    static const char *const thousands[] = {"k", "mil", "mille", "tausend", "thousand"};
    static const char *const millions[] = {"m",        "mill",     "million", "millionen",
                                           "millions", "millones", "millón",  "mio"};
    static const char *const billions[] = {"billion", "billions", "milliarde", "milliarden", "mrd"};
    return str_is_listed_nocase(word, thousands, countof(thousands)) ? 1e3
           : str_is_listed_nocase(word, millions, countof(millions)) ? 1e6
           : str_is_listed_nocase(word, billions, countof(billions)) ? 1e9
                                                                     : 1;
}

/* Whether the question says the number: "5 million", "5000000". */
static bool is_said(const struct sql_doubts_look *look, double number)
{
    for (size_t i = 0; i < look->word_count; i++) {
        double said;
        if (!str_to_double(look->words[i], &said))
            continue;
        if (said == number ||
            (i + 1 < look->word_count && said * times(look->words[i + 1]) == number))
            return true;
    }
    return false;
}

static void look_at_cents(struct sql_doubts_look *look, const struct compared *c)
{
    static const char *const cents[] = {"cent",  "centavos", "centimes", "centimos",
                                        "cents", "pence",    "rappen"};
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, c->ref->name, words);
    double number;
    if (count < 2 || !str_is_listed_nocase(words[count - 1], cents, countof(cents)) ||
        !str_to_double(c->literal, &number) || number == 0 || !is_said(look, number))
        return;
    for (size_t i = 0; i < look->word_count; i++)
        if (str_is_listed_nocase(look->words[i], cents, countof(cents)))
            return;
    sql_doubts_say(look, "cents",
                   arena_printf(look->source->arena,
                                "%.*s is in %.*s, and the question's number is not: compare with "
                                "a hundred times as much",
                                STR_ARG(c->ref->name), STR_ARG(words[count - 1])),
                   arena_printf(look->source->arena,
                                "%.*s is in %.*s, and was compared with the number as it was asked",
                                STR_ARG(c->ref->name), STR_ARG(words[count - 1])));
}

void sql_doubts_of_comparison(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    struct compared compared;
    if (!read(look, expr, &compared))
        return;
    look_at_type(look, &compared);
    look_at_end(look, &compared);
    look_at_cents(look, &compared);
}

/* ---- the column beside ---- */

struct name {
    struct str words[LOOK_NAME_WORDS];
    size_t count;
};

static bool has(const struct name *name, struct str word)
{
    for (size_t i = 0; i < name->count; i++)
        if (str_equal_nocase(name->words[i], word))
            return true;
    return false;
}

/* The word of name, and not of other, that the question has; absent: none. */
static struct str said_of(const struct sql_doubts_look *look, const struct name *name,
                          const struct name *other)
{
    for (size_t i = 0; i < name->count; i++)
        for (size_t k = 0; k < look->word_count; k++)
            if (!has(other, name->words[i]) && sql_doubts_alike(name->words[i], look->words[k]))
                return look->words[k];
    return (struct str){NULL, 0};
}

static bool share(const struct name *one, const struct name *two)
{
    for (size_t i = 0; i < one->count; i++)
        if (one->words[i].len >= LEAST_SHARED && has(two, one->words[i]))
            return true;
    return false;
}

static bool is_used(const struct sql_parse *parse, int table_ref, int column)
{
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].table_ref == table_ref && parse->columns[i].column == column)
            return true;
    return false;
}

static bool is_amount(const struct catalog_column *column)
{
    return (column->type == CATALOG_INTEGER || column->type == CATALOG_NUMBER) &&
           !column->primary_key && column->shows == CATALOG_UNKNOWN && !column->hidden;
}

/* betrag_brutto, where the question says "net" and the table has betrag_netto. */
static bool look_beside(struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct catalog_table *table =
        &look->source->catalog->tables[look->parse->tables[ref->table_ref].table];
    struct name own, beside;
    own.count = sql_doubts_split(look, ref->name, own.words);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct catalog_column *column = &table->columns[c];
        if ((int)c == ref->column || !is_amount(column) ||
            is_used(look->parse, ref->table_ref, (int)c))
            continue;
        beside.count = sql_doubts_split(look, column->name, beside.words);
        struct str word = said_of(look, &beside, &own);
        if (!share(&own, &beside) || str_is_absent(word) ||
            !str_is_absent(said_of(look, &own, &beside)))
            continue;
        sql_doubts_say(look, "column_beside",
                       arena_printf(look->source->arena,
                                    "the question says '%.*s', and %.*s has %.*s beside %.*s, "
                                    "which the statement takes",
                                    STR_ARG(word), STR_ARG(table->name), STR_ARG(column->name),
                                    STR_ARG(ref->name)),
                       arena_printf(look->source->arena,
                                    "the figures are of %.*s, and there is %.*s, too",
                                    STR_ARG(ref->name), STR_ARG(column->name)));
        return true;
    }
    return false;
}

void sql_doubts_of_columns(struct sql_doubts_look *look)
{
    for (size_t i = 0; i < look->parse->column_count; i++) {
        const struct sql_column_ref *ref = &look->parse->columns[i];
        const struct catalog_column *column =
            ref->use == SQL_COLUMN_NAMED ? sql_doubts_column(look, ref) : NULL;
        if (column != NULL && is_amount(column) && look_beside(look, ref))
            return;
    }
}

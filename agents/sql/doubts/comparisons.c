/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/comparisons.c - what a column is compared with: a text where it has numbers,
 * the last day of a month as an end that is left out, a day where it has a time of day, too, a part
 * of a date as nothing writes it.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"
#include "core/base/calendar.h"

/* ---- a number and a text ---- */

static void look_at_type(struct sql_doubts_look *look, const struct sql_compared *c)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, c->left);
    const struct catalog_column *column = sql_doubts_column(look, ref);
    const enum catalog_type type = column == NULL ? CATALOG_TEXT : column->type;
    const bool is_number =
        type == CATALOG_INTEGER || type == CATALOG_NUMBER || type == CATALOG_BOOLEAN;
    double number;
    if (look->parse->dialect == SQL_POSTGRES || !is_number || column->shows != CATALOG_UNKNOWN ||
        str_is_empty(c->text) || str_to_double(str_trim(c->text), &number) ||
        c->op == SQL_COMPARED_LIKE || str_is_digit(c->text.at[0]))
        return;
    struct str literal = str_utf8_prefix(c->literal, LOOK_WORDS);
    sql_doubts_say(look, "text_for_number",
                   arena_printf(look->source->arena,
                                "%.*s is a number in %.*s, never %.*s; where it says yes or no, "
                                "these are 1 and 0",
                                STR_ARG(ref->name), STR_ARG(sql_doubts_table(look, ref)),
                                STR_ARG(literal)),
                   arena_printf(look->source->arena, "%.*s is no value of %.*s, which has numbers",
                                STR_ARG(literal), STR_ARG(ref->name)));
}

/* ---- the last day ---- */

static bool begins_a_month(const struct sql_doubts_look *look)
{
    for (size_t i = 0; i < look->compared_count; i++)
        if (look->compared[i].op == SQL_COMPARED_FROM && look->compared[i].has_day &&
            calendar_date(look->compared[i].day).day == 1)
            return true;
    return false;
}

/* A period that ends before its last day: ">= '2025-01-01' AND x < '2025-03-31'". A day that the
 * question says is meant. */
static void look_at_end(struct sql_doubts_look *look, const struct sql_compared *c)
{
    if (c->op != SQL_COMPARED_LESS || !c->has_day || c->has_time ||
        calendar_date(c->day + 1).day != 1 || !begins_a_month(look))
        return;
    for (size_t i = 0; i < look->said.word_count; i++) { /* "before 2025-05-31", "before May 31" */
        const struct sql_said_word *word = &look->said.words[i];
        if ((word->kind == SQL_SAID_DAY && word->day == c->day) ||
            (word->kind == SQL_SAID_NUMBER && word->number == calendar_date(c->day).day))
            return;
    }
    struct str left = sql_doubts_text(look, c->left->span);
    sql_doubts_say(
        look, "last_day",
        arena_printf(look->source->arena,
                     "%.*s < '%.*s' leaves out %.*s, the last day of its month; a period ends "
                     "before the first day of the next one",
                     STR_ARG(left), STR_ARG(c->text), STR_ARG(c->text)),
        arena_printf(look->source->arena, "%.*s itself is left out", STR_ARG(c->text)));
}

/* ---- a day and a time ---- */

/* "taken_at <= '2025-05-31'" ends as that day begins, and "= '2025-05-31'" is that moment. */
static void look_at_time(struct sql_doubts_look *look, const struct sql_compared *c)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, c->left);
    const struct catalog_column *column = sql_doubts_column(look, ref);
    if (column == NULL || !c->has_day || c->has_time ||
        (c->op != SQL_COMPARED_UPTO && c->op != SQL_COMPARED_EQUAL) ||
        (column->type != CATALOG_TIMESTAMP && column->shows != CATALOG_TIMESTAMP) ||
        column->shows == CATALOG_DATE)
        return;
    sql_doubts_say(
        look, "day_of_times",
        arena_printf(look->source->arena,
                     "%.*s has a time of day, so that all of '%.*s' but its first moment "
                     "is left out; write >= the day and < the day after it",
                     STR_ARG(ref->name), STR_ARG(c->text)),
        arena_printf(look->source->arena, "what was on %.*s after midnight may be left out",
                     STR_ARG(c->text)));
}

/* ---- a part of a date ---- */

/* How many digits strftime writes for the format; 0: it is not one part alone. */
static size_t width_of(struct str format)
{
    if (format.len != 4 || format.at[0] != '\'' || format.at[1] != '%')
        return 0;
    return format.at[2] == 'Y' ? 4 : strchr("mdHMSW", format.at[2]) != NULL ? 2 : 0;
}

/* strftime('%m', x) = '5', which is '05'. */
static void look_at_part(struct sql_doubts_look *look, const struct sql_compared *c)
{
    const struct sql_expr *call = c->left;
    if (call->kind != SQL_EXPR_CALL || !str_equal(call->call->name, STR("strftime")) ||
        call->children == NULL || c->op == SQL_COMPARED_LIKE)
        return;
    const size_t width = width_of(sql_doubts_text(look, call->children->span));
    if (width == 0 || c->text.len == width)
        return;
    struct str all = sql_doubts_text(look, c->expr->span);
    sql_doubts_say(look, "part_of_date",
                   arena_printf(look->source->arena,
                                "%.*s compares with %.*s, and strftime gives a text of %zu digits "
                                "here, such as '%s'",
                                STR_ARG(all), STR_ARG(c->literal), width,
                                width == 4 ? "2025" : "05"),
                   STR("a part of a date was compared with something that it never is"));
}

void sql_doubts_of_comparison(struct sql_doubts_look *look, const struct sql_compared *compared)
{
    look_at_type(look, compared);
    look_at_end(look, compared);
    look_at_time(look, compared);
    look_at_part(look, compared);
}

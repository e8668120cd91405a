/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_sizes.c - the arguments that say how large a result will be.
 *
 * Happy path: each such call of the statement has arguments of the accepted form.
 * A recursion's first value is no further off than its steps may be.
 * Failure: the first that has not, with the form that would be accepted. In a series numbers are
 * at most a million and not multiplied, texts are dates of our time or short spans, and steps are
 * whole numbers or hours and longer. */
#include "agents/sql/bounds/bounds_sizes.h"

#include "agents/sql/catalog/policy_functions.h"
#include "agents/sql/grammar/tree_walk.h"

enum { MAX_DIGITS = 3, YEAR_DIGITS = 4 };

struct sizes {
    struct str text;
    struct sql_finding *finding;
    bool mysql;
    bool wrong;        /* in the part being looked at */
    uint64_t together; /* rows of the series so far, if each meets each */
};

static const struct sized {
    struct str name;
    size_t argument; /* the one that is a length */
} sized[] = {{{"repeat", 6}, 1},
             {{"lpad", 4}, 1},
             {{"rpad", 4}, 1},
             {{"space", 5}, 0},
             {{"factorial", 9}, 0}};

static struct str text_of(const struct sizes *sizes, const struct sql_expr *expr)
{
    return str_slice(sizes->text, expr->span.start, expr->span.end);
}

/* Without parentheses, casts and names of arguments. */
static const struct sql_expr *bare(const struct sql_expr *expr)
{
    while (expr != NULL && expr->children != NULL && expr->children->next == NULL &&
           (expr->kind == SQL_EXPR_PARENS || expr->kind == SQL_EXPR_CAST))
        expr = expr->children;
    return expr;
}

static const struct sql_expr *argument_at(const struct sql_expr *call, size_t i)
{
    const struct sql_expr *argument = call->children;
    for (; argument != NULL && i > 0; i--)
        argument = argument->next;
    return argument;
}

static void refuse(struct sizes *sizes, const struct sql_expr *call, const char *form)
{
    sizes->finding->rule = "function";
    sizes->finding->span = call->span;
    err_set(&sizes->finding->err, ERR_REJECTED, "%.*s needs %s.", STR_ARG(call->call->name), form);
}

static bool is_small(const struct sizes *sizes, const struct sql_expr *expr, uint64_t most)
{
    uint64_t number;
    expr = bare(expr);
    return expr != NULL && expr->kind == SQL_EXPR_LITERAL &&
           str_to_u64(text_of(sizes, expr), &number) && number <= most;
}

static bool has_word(struct str text, const char *word)
{
    struct str want = str_of(word);
    for (size_t i = 0; i + want.len <= text.len; i++)
        if (str_equal_nocase(str_slice(text, i, i + want.len), want))
            return true;
    return false;
}

/* '2024-...' of the years 1800 to 2199, where years may stand. *start: behind them. */
static bool is_of_our_time(struct str text, size_t *start)
{
    bool dated = text.len > YEAR_DIGITS + 1 && text.at[YEAR_DIGITS + 1] == '-';
    for (size_t i = 1; dated && i <= YEAR_DIGITS; i++)
        dated = str_is_digit(text.at[i]);
    *start = dated ? YEAR_DIGITS + 1 : 1;
    return !dated || (text.at[1] == '1' && text.at[2] >= '8') ||
           (text.at[1] == '2' && text.at[2] <= '1');
}

/* A date of our time, or digits in short runs and no exponent: '14:30', '3 months', 'month'. */
static bool is_tame_text(struct str text)
{
    size_t run = 0, start;
    if (!is_of_our_time(text, &start) || has_word(text, "inf") || has_word(text, "\\"))
        return false;
    for (size_t i = start; i + 1 < text.len; i++) {
        bool exponent = str_lower(text.at[i]) == 'e' && str_is_digit(text.at[i - 1]) &&
                        !str_is_alpha(text.at[i + 1]);
        bool fraction = start > 1 && i > start + sizeof "-01-31 12:34:56" - 1;
        run = str_is_digit(text.at[i]) ? run + 1 : 0;
        if (exponent || (run > MAX_DIGITS && !fraction))
            return false;
    }
    return true;
}

/* One part of an end of a series. */
static void check_part(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct sizes *sizes = walk->owner;
    struct str text = text_of(sizes, expr);
    double number;
    if (expr->kind == SQL_EXPR_LITERAL && text.len > 0) {
        bool tame = text.at[0] == '\'' ? is_tame_text(text)
                                       : !str_is_digit(text.at[0]) ||
                                             (str_to_double(text, &number) &&
                                              number <= (double)SQL_BOUNDS_SIZES_MAX_SERIES);
        sizes->wrong = sizes->wrong || !tame;
    }
    if (expr->kind == SQL_EXPR_OPERATOR)
        for (const struct sql_expr *child = expr->children; child != NULL && child->next != NULL;
             child = child->next) {
            struct str sign = str_slice(sizes->text, child->span.end, child->next->span.start);
            if (str_find_char(sign, '*') != STR_NONE || str_find_char(sign, '^') != STR_NONE ||
                str_find_char(sign, '<') != STR_NONE)
                sizes->wrong = true;
        }
    if (expr->kind == SQL_EXPR_CALL &&
        (str_equal(expr->call->name, STR("power")) || str_equal(expr->call->name, STR("exp")) ||
         str_equal(expr->call->name, STR("pow")) || str_equal(expr->call->name, STR("random"))))
        sizes->wrong = true;
}

static bool is_tame_end(const struct sizes *sizes, const struct sql_expr *expr)
{
    struct sizes part = {.text = sizes->text};
    struct sql_tree_walk walk = {.on_expr = check_part, .owner = &part};
    if (expr == NULL)
        return false;
    sql_tree_walk_expr(&walk, expr);
    return !part.wrong;
}

/* A whole number but 0, or a span of hours or more: '1 day', INTERVAL '1' MONTH. */
static bool is_tame_step(const struct sizes *sizes, const struct sql_expr *expr)
{
    static const char *const units[] = {"hour", "day", "week", "mon", "year", "quarter"};
    static const char *const fine[] = {"sec", "min", "ago", "."};
    const struct sql_expr *inner = bare(expr);
    struct str text = text_of(sizes, expr);
    uint64_t number;
    if (inner->kind == SQL_EXPR_OPERATOR && inner->children != NULL &&
        inner->children->next == NULL)
        inner = inner->children; /* -1 */
    if (inner->kind != SQL_EXPR_LITERAL)
        return false;
    if (str_to_u64(text_of(sizes, inner), &number))
        return number > 0;
    bool long_enough = false, digit = false;
    for (size_t i = 0; i < countof(units); i++)
        long_enough = long_enough || has_word(text, units[i]);
    for (size_t i = 0; i < countof(fine); i++)
        long_enough = long_enough && !has_word(text, fine[i]);
    for (size_t i = 0; i < text.len; i++)
        digit = digit || (text.at[i] > '0' && text.at[i] <= '9');
    return long_enough && digit;
}

/* The larger of a series' ends that are plain numbers, of either sign; 1: none is. */
static uint64_t series_rows(const struct sizes *sizes, const struct sql_expr *call)
{
    uint64_t most = 1, number;
    for (size_t i = 0; i < 2; i++) {
        const struct sql_expr *end = bare(argument_at(call, i));
        if (end != NULL && end->kind == SQL_EXPR_OPERATOR && end->children != NULL &&
            end->children->next == NULL)
            end = bare(end->children);
        if (end != NULL && end->kind == SQL_EXPR_LITERAL &&
            str_to_u64(text_of(sizes, end), &number))
            most = number > most ? number : most;
    }
    return most;
}

/* SQLite's printf and PostgreSQL's format; MySQL's format is another function. */
static void check_format(struct sizes *sizes, const struct sql_expr *call)
{
    const struct sql_expr *format = call->children;
    if (sizes->mysql || (!str_equal_nocase(call->call->name, STR("printf")) &&
                         !str_equal_nocase(call->call->name, STR("format"))))
        return;
    if (format == NULL || format->kind != SQL_EXPR_LITERAL ||
        !sql_policy_functions_format_is_small(text_of(sizes, format)))
        refuse(sizes, call, "a literal format without '*' and with widths below 1000");
}

static void check_call(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct sizes *sizes = walk->owner;
    if (sizes->finding->rule != NULL || expr->kind != SQL_EXPR_CALL)
        return;
    check_format(sizes, expr);
    for (size_t i = 0; i < countof(sized); i++)
        if (str_equal_nocase(expr->call->name, sized[i].name) &&
            !is_small(sizes, argument_at(expr, sized[i].argument), SQL_BOUNDS_SIZES_MAX_TEXT))
            refuse(sizes, expr, "a literal length of at most 1000");
    if (!str_equal_nocase(expr->call->name, STR("generate_series")))
        return;
    const struct sql_expr *step = argument_at(expr, 2);
    if (!is_tame_end(sizes, argument_at(expr, 0)) || !is_tame_end(sizes, argument_at(expr, 1)))
        refuse(sizes, expr,
               "ends that are numbers up to 1000000, dates, or columns as they are, not "
               "multiplied");
    else if (step != NULL && !is_tame_step(sizes, step))
        refuse(sizes, expr, "a step that is a whole number, or hours or longer, as in '1 day'");
    sizes->together *= series_rows(sizes, expr);
    if (sizes->finding->rule == NULL && sizes->together > SQL_BOUNDS_SIZES_MAX_TOGETHER)
        refuse(sizes, expr,
               "ends that make fewer rows: with the statement's other series it "
               "would make more than 10000000");
}

enum err_code sql_bounds_sizes_check(const struct sql_parse *parse, struct sql_finding *finding)
{
    struct sizes sizes = {.text = parse->text,
                          .finding = finding,
                          .mysql = parse->dialect == SQL_MYSQL,
                          .together = 1};
    struct sql_tree_walk walk = {.on_expr = check_call, .owner = &sizes};
    sql_tree_walk_select(&walk, parse->tree);
    return finding->rule == NULL ? ERR_OK : finding->err.code;
}

/* ---- where a recursion begins ---- */

static const struct sql_expr *value_at(const struct sql_expr *value, size_t i)
{
    for (; value != NULL && i > 0; i--)
        value = value->next;
    return value;
}

static const struct sql_expr *item_at(const struct sql_branch *branch, size_t i)
{
    const struct sql_item *item = branch->items;
    for (; item != NULL && i > 0; i--)
        item = item->next;
    return item == NULL ? NULL : item->expr;
}

bool sql_bounds_sizes_begins_far(struct str text, const struct sql_cte *cte, size_t i)
{
    struct sizes part = {.text = text};
    struct sql_tree_walk walk = {.on_expr = check_part, .owner = &part};
    for (const struct sql_branch *branch = cte->select->branches; branch != NULL;
         branch = branch->next) {
        const struct sql_expr *item = item_at(branch, i);
        if (item != NULL)
            sql_tree_walk_expr(&walk, item);
        for (const struct sql_expr *row = branch->rows; row != NULL; row = row->next) {
            const struct sql_expr *value = value_at(row->children, i);
            if (value != NULL)
                sql_tree_walk_expr(&walk, value);
        }
    }
    return part.wrong;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds.c - recursions, found by walking the tree.
 *
 * Happy path: every recursive branch counts.
 * Failure paths: the first that does not is the finding, with what would be accepted.
 * A recursion that counts: item i of the recursive branch is "c + 1" (or "c - 1", or
 * date(c, '+1 day')) of the CTE's column i = c, and WHERE has the conjunct "c < literal"
 * ("c > literal" when counting down), also as BETWEEN, turned round, or with "c + 1" for c. */
#include "agents/sql/bounds/bounds.h"

#include "agents/sql/bounds/bounds_data.h"
#include "agents/sql/bounds/bounds_growth.h"
#include "agents/sql/bounds/bounds_sizes.h"
#include "agents/sql/grammar/tree_walk.h"

enum direction { COUNTS_NOT, COUNTS_UP, COUNTS_DOWN };

struct search {
    struct str text;
    bool mysql, typed;
    struct sql_finding *finding;
    bool found;
    bool counts_numbers;         /* a date is then no bound: to SQLite 1 < '2025-01-01' for ever */
    struct sql_bounds_data data; /* the branch being looked at */
};

static struct str text_of(const struct search *search, struct sql_span span)
{
    return str_slice(search->text, span.start, span.end);
}

/* ---- recursion ---- */

static bool branch_reads(const struct sql_branch *branch, struct str name)
{
    return sql_bounds_data_reads(NULL, branch, name) > 0;
}

bool sql_bounds_recurses(const struct sql_parse *parse)
{
    return parse->has_recursive; /* a query of WITH reads itself, not the table that is called so */
}

static const struct sql_expr *bare(const struct sql_expr *expr)
{
    while (expr != NULL && expr->kind == SQL_EXPR_PARENS && expr->children != NULL &&
           expr->children->next == NULL)
        expr = expr->children;
    return expr;
}

static bool is_column(const struct sql_expr *expr, struct str name)
{
    expr = bare(expr);
    return expr != NULL && expr->kind == SQL_EXPR_NAME && str_equal_nocase(expr->name->name, name);
}

/* What stands between two operands that follow each other: "<", "+". */
static struct str operator_between(const struct search *search, const struct sql_expr *left)
{
    return str_trim(str_slice(search->text, left->span.end, left->next->span.start));
}

static bool has_two(const struct sql_expr *expr)
{
    return expr != NULL && expr->kind == SQL_EXPR_OPERATOR && expr->children != NULL &&
           expr->children->next != NULL && expr->children->next->next == NULL;
}

static bool literal_steps(const struct search *search, const struct sql_expr *expr, uint64_t *value)
{
    expr = bare(expr);
    return expr != NULL && expr->kind == SQL_EXPR_LITERAL &&
           str_to_u64(text_of(search, expr->span), value);
}

/* '+1 day' and the like, among a date function's arguments. */
static enum direction date_direction(const struct search *search, const struct sql_expr *call,
                                     struct str name)
{
    static const char *const functions[] = {"date", "datetime", "strftime", "julianday",
                                            "unixepoch"};
    enum direction direction = COUNTS_NOT;
    bool known = false, counts = false;
    for (size_t i = 0; i < countof(functions); i++)
        known = known || str_equal_nocase(call->call->name, str_of(functions[i]));
    for (const struct sql_expr *argument = call->children; known && argument != NULL;
         argument = argument->next) {
        counts = counts || is_column(argument, name);
        struct str text = text_of(search, argument->span);
        if (text.len > 3 && text.at[0] == '\'' && text.at[1] == '+' && text.at[2] > '0' &&
            text.at[2] <= '9')
            direction = COUNTS_UP;
    }
    return counts ? direction : COUNTS_NOT;
}

/* MySQL: day + INTERVAL 1 MONTH, DATE_ADD(day, INTERVAL 1 DAY). */
static bool adds_interval(const struct search *search, const struct sql_expr *expr)
{
    uint64_t step;
    struct str text = expr == NULL ? STR("") : text_of(search, expr->span);
    return expr != NULL && expr->kind == SQL_EXPR_OPERATOR && expr->children != NULL &&
           str_equal_nocase(str_slice(text, 0, 9), STR("interval ")) &&
           literal_steps(search, expr->children, &step) && step > 0;
}

static enum direction interval_direction(const struct search *search, const struct sql_expr *expr,
                                         struct str name)
{
    bool plus = expr->kind == SQL_EXPR_CALL && (str_equal(expr->call->name, STR("date_add")) ||
                                                str_equal(expr->call->name, STR("adddate")));
    if (expr->kind == SQL_EXPR_OPERATOR)
        plus = has_two(expr) && str_equal(operator_between(search, expr->children), STR("+"));
    return plus && is_column(expr->children, name) && adds_interval(search, expr->children->next)
               ? COUNTS_UP
               : COUNTS_NOT;
}

/* What is cast, for literals: date '2024-01-31', '1 day'::interval. */
static const struct sql_expr *uncast(const struct sql_expr *expr)
{
    expr = bare(expr);
    while (expr != NULL && expr->kind == SQL_EXPR_CAST && expr->children != NULL)
        expr = bare(expr->children);
    return expr;
}

/* PostgreSQL's interval '1 day', of hours or longer. */
static bool is_span_of_time(const struct search *search, const struct sql_expr *expr)
{
    static const struct str units[] = {
        {"hour", 4}, {"day", 3}, {"week", 4}, {"month", 5}, {"year", 4}};
    const struct sql_expr *literal = uncast(expr);
    struct str text = literal == NULL ? STR("") : text_of(search, literal->span);
    if (literal == NULL || literal->kind != SQL_EXPR_LITERAL || bare(expr)->kind != SQL_EXPR_CAST ||
        text.len < 4 || text.at[1] < '1' || text.at[1] > '9')
        return false;
    text = str_slice(text, 1, text.len - 1);
    uint64_t number;
    struct str count = str_split(&text, ' ');
    for (size_t i = 0; i < countof(units) && str_to_u64(count, &number); i++)
        if (str_equal_nocase(text, units[i]) ||
            (text.len == units[i].len + 1 && str_lower(text.at[units[i].len]) == 's' &&
             str_equal_nocase(str_slice(text, 0, units[i].len), units[i])))
            return true;
    return false;
}

/* (d + interval '1 day')::date: what is cast. Other casts might turn a counter back. */
static const struct sql_expr *undated(const struct search *search, const struct sql_expr *expr)
{
    expr = bare(expr);
    if (expr == NULL || expr->kind != SQL_EXPR_CAST || expr->children == NULL)
        return expr;
    struct sql_span type = {expr->children->span.end, expr->span.end};
    struct str text = str_trim(text_of(search, type));
    bool dates =
        str_equal_nocase(text, STR("::date")) || str_equal_nocase(text, STR("::timestamp"));
    return dates ? bare(expr->children) : expr;
}

static enum direction direction_of_sign(struct str sign)
{
    return str_equal(sign, STR("+"))   ? COUNTS_UP
           : str_equal(sign, STR("-")) ? COUNTS_DOWN
                                       : COUNTS_NOT;
}

static enum direction item_direction(const struct search *search, const struct sql_expr *expr,
                                     struct str name)
{
    uint64_t step;
    expr = undated(search, expr);
    if (expr != NULL && search->mysql && interval_direction(search, expr, name) != COUNTS_NOT)
        return COUNTS_UP;
    if (expr != NULL && expr->kind == SQL_EXPR_CALL)
        return search->mysql ? COUNTS_NOT : date_direction(search, expr, name);
    if (!has_two(expr))
        return COUNTS_NOT;
    const struct sql_expr *left = expr->children, *right = left->next;
    enum direction direction = direction_of_sign(operator_between(search, left));
    if (is_column(left, name) && literal_steps(search, right, &step) && step > 0)
        return direction;
    if (direction == COUNTS_UP && is_column(right, name) && literal_steps(search, left, &step) &&
        step > 0)
        return COUNTS_UP;
    if (is_column(left, name) && is_span_of_time(search, right))
        return direction;
    return COUNTS_NOT;
}

static void note_varying(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct search *search = walk->owner;
    search->found = search->found || expr->kind == SQL_EXPR_NAME || expr->kind == SQL_EXPR_SELECT ||
                    expr->kind == SQL_EXPR_VARIABLE || expr->kind == SQL_EXPR_PARAMETER;
}

/* date('now', '-1 day'), CURRENT_DATE, CURDATE() + INTERVAL 1 MONTH: calendars end. */
static bool is_fixed_date(const struct search *search, const struct sql_expr *expr)
{
    static const char *const words[] = {"date", "datetime", "now", "cur", "last_day", "timestamp"};
    struct search varying = {.found = false};
    struct sql_tree_walk walk = {.on_expr = note_varying, .owner = &varying};
    bool dated = false;
    for (size_t i = 0; i < countof(words); i++) {
        struct str text = text_of(search, expr->span), word = str_of(words[i]);
        dated = dated || str_equal_nocase(str_slice(text, 0, word.len), word);
    }
    sql_tree_walk_expr(&walk, expr);
    return dated && !varying.found;
}

/* A literal number of at most the steps allowed, a date, or a value of the data. */
static bool is_bound(const struct search *search, const struct sql_expr *expr)
{
    uint64_t steps;
    const struct sql_expr *date = uncast(expr);
    expr = bare(expr);
    if (expr == NULL)
        return false;
    if (literal_steps(search, expr, &steps))
        return steps <= SQL_BOUNDS_MAX_STEPS;
    if ((!search->counts_numbers && is_fixed_date(search, expr)) ||
        sql_bounds_data_ends(&search->data, expr, search->counts_numbers))
        return true;
    expr =
        expr->kind == SQL_EXPR_CAST && date != NULL && date->kind == SQL_EXPR_LITERAL ? date : expr;
    struct str text = text_of(search, expr->span);
    if (expr->kind == SQL_EXPR_LITERAL)
        return !search->counts_numbers && text.len == 12 && text.at[0] == '\'' &&
               str_is_digit(text.at[1]);
    /* a negative number */
    return expr->kind == SQL_EXPR_OPERATOR && expr->children != NULL &&
           expr->children->next == NULL && text.len > 1 && text.at[0] == '-' &&
           literal_steps(search, expr->children, &steps) && steps <= SQL_BOUNDS_MAX_STEPS;
}

/* c, or c + 1: what is compared may be the value before the step or after it. */
static bool is_counter(const struct search *search, const struct sql_expr *expr, struct str name)
{
    return is_column(expr, name) || item_direction(search, bare(expr), name) != COUNTS_NOT;
}

static bool conjunct_bounds(const struct search *search, const struct sql_expr *expr,
                            struct str name, enum direction direction)
{
    expr = bare(expr);
    if (expr == NULL || expr->kind != SQL_EXPR_OPERATOR || expr->children == NULL ||
        expr->children->next == NULL)
        return false;
    const struct sql_expr *left = expr->children, *right = left->next;
    struct str sign = operator_between(search, left);
    if (right->next != NULL) /* c BETWEEN a AND b */
        return right->next->next == NULL && str_equal_nocase(sign, STR("between")) &&
               is_counter(search, left, name) && is_bound(search, right) &&
               is_bound(search, right->next);
    bool below = str_equal(sign, STR("<")) || str_equal(sign, STR("<="));
    bool above = str_equal(sign, STR(">")) || str_equal(sign, STR(">="));
    if (is_counter(search, left, name) && is_bound(search, right))
        return direction == COUNTS_UP ? below : above;
    if (is_counter(search, right, name) && is_bound(search, left))
        return direction == COUNTS_UP ? above : below;
    return false;
}

static bool where_bounds(const struct search *search, const struct sql_expr *where, struct str name,
                         enum direction direction)
{
    where = bare(where);
    if (where == NULL || where->kind != SQL_EXPR_AND)
        return conjunct_bounds(search, where, name, direction);
    for (const struct sql_expr *part = where->children; part != NULL; part = part->next) {
        if (conjunct_bounds(search, part, name, direction))
            return true;
    }
    return false;
}

/* The name of the CTE's column i: of its list, or the alias or name in its first SELECT. */
static struct str column_name(const struct sql_cte *cte, size_t i)
{
    const struct sql_names *names = cte->columns;
    if (names != NULL) {
        for (; names != NULL && i > 0; i--)
            names = names->next;
        return names == NULL ? (struct str){NULL, 0} : names->name;
    }
    const struct sql_item *item = cte->select->branches->items;
    for (; item != NULL && i > 0; i--)
        item = item->next;
    if (item == NULL || item->alias.len > 0)
        return item == NULL ? (struct str){NULL, 0} : item->alias;
    const struct sql_expr *expr = bare(item->expr);
    return expr != NULL && expr->kind == SQL_EXPR_NAME ? expr->name->name : (struct str){NULL, 0};
}

/* c + 1, which PostgreSQL also writes of dates and never compares with another type. */
static bool steps_by_number(const struct search *search, const struct sql_expr *expr)
{
    uint64_t step;
    expr = bare(expr);
    return !search->typed && has_two(expr) &&
           (literal_steps(search, expr->children, &step) ||
            literal_steps(search, expr->children->next, &step));
}

static bool branch_counts(struct search *search, const struct sql_cte *cte,
                          const struct sql_branch *branch)
{
    size_t i = 0;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next, i++) {
        struct str name = column_name(cte, i);
        enum direction direction =
            name.len == 0 ? COUNTS_NOT : item_direction(search, item->expr, name);
        search->counts_numbers = steps_by_number(search, item->expr);
        if (direction != COUNTS_NOT && where_bounds(search, branch->where, name, direction) &&
            !sql_bounds_sizes_begins_far(search->text, cte, i))
            return true;
    }
    return false;
}

/* The column that a side of an equality is, or is a number of steps away from; or NULL. */
static const struct sql_name *tied_column(const struct search *search, const struct sql_expr *expr)
{
    uint64_t steps;
    expr = bare(expr);
    if (has_two(expr)) {
        struct str sign = operator_between(search, expr->children);
        bool shifts = str_equal(sign, STR("+")) || str_equal(sign, STR("-"));
        expr = shifts && literal_steps(search, expr->children->next, &steps) ? bare(expr->children)
                                                                             : NULL;
    }
    return expr != NULL && expr->kind == SQL_EXPR_NAME ? expr->name : NULL;
}

/* Conditions that tie a row to few others: column = column, column = column + 1. */
static size_t count_ties(const struct search *search, const struct sql_expr *expr)
{
    size_t ties = 0;
    expr = bare(expr);
    if (expr == NULL)
        return 0;
    if (expr->kind == SQL_EXPR_EQUAL) {
        const struct sql_name *left = tied_column(search, expr->children);
        const struct sql_name *right = tied_column(search, expr->children->next);
        return left != NULL && right != NULL &&
               !str_equal_nocase(left->qualifier, right->qualifier);
    }
    for (const struct sql_expr *part = expr->kind == SQL_EXPR_AND ? expr->children : NULL;
         part != NULL; part = part->next)
        ties += count_ties(search, part);
    return ties;
}

static void count_joins(const struct search *search, const struct sql_from *first, size_t *items,
                        size_t *ties)
{
    for (const struct sql_from *from = first; from != NULL; from = from->next) {
        bool one = sql_bounds_data_is_one(&search->data, from);
        *items += from->kind != SQL_FROM_PARENS && !one;
        *ties +=
            one ? 0 : count_ties(search, from->on) + (from->using_columns != NULL || from->natural);
        count_joins(search, from->inside, items, ties);
    }
}

/* Whether each step meets every row of something again, so that a hundred steps never end; or of
 * the recursion itself. *alone: it reads nothing else. */
static bool branch_multiplies(const struct search *search, const struct sql_branch *branch,
                              bool *alone)
{
    size_t items = 0, ties = count_ties(search, branch->where);
    count_joins(search, branch->from, &items, &ties);
    *alone = items == 1;
    return items > ties + 1 || sql_bounds_data_reads(NULL, branch, search->data.cte->name) > 1;
}

static void look_at(struct search *search, const struct sql_cte *cte,
                    const struct sql_branch *branch)
{
    search->data.cte = cte;
    search->data.branch = branch;
}

/* Of branches that read the recursion and nothing else each doubles what there is. */
static bool multiplies(struct search *search, const struct sql_cte *cte)
{
    size_t doubling = 0;
    for (const struct sql_branch *branch = cte->select->branches; branch != NULL;
         branch = branch->next) {
        bool alone;
        if (!branch_reads(branch, cte->name))
            continue;
        look_at(search, cte, branch);
        if (branch_multiplies(search, branch, &alone) || sql_bounds_growth_in(search->text, branch))
            return true;
        doubling += alone;
    }
    return doubling > 1;
}

static void check_cte(struct sql_tree_walk *walk, const struct sql_cte *cte)
{
    struct search *search = walk->owner;
    if (search->finding->rule == NULL && multiplies(search, cte)) {
        search->finding->rule = "recursive";
        search->finding->span = cte->name_span;
        err_set(&search->finding->err, ERR_REJECTED,
                "The recursion of '%.*s' multiplies with every step; let one part read it once, "
                "join what that reads by equal columns, as in t.parent_id = n.id, and let texts "
                "grow by one piece a step.",
                STR_ARG(str_utf8_prefix(cte->name, 60)));
    }
    for (const struct sql_branch *branch = cte->select->branches;
         branch != NULL && search->finding->rule == NULL; branch = branch->next) {
        look_at(search, cte, branch);
        if (!branch_reads(branch, cte->name) || branch_counts(search, cte, branch))
            continue;
        search->finding->rule = "recursive";
        search->finding->span = cte->name_span;
        err_set(&search->finding->err, ERR_REJECTED,
                "The recursion of '%.*s' has no bound: count a column up by a number or by days "
                "and compare it in WHERE, as in n + 1 with WHERE n < 100 or n < (SELECT MAX(x) "
                "FROM t), from a first value within 1000000.",
                STR_ARG(str_utf8_prefix(cte->name, 60)));
    }
}

enum err_code sql_bounds_check_recursion(const struct sql_parse *parse,
                                         const struct catalog *catalog, struct arena *arena,
                                         struct sql_finding *finding)
{
    struct search search = {parse->text, parse->dialect == SQL_MYSQL, .finding = finding};
    search.typed = parse->dialect == SQL_POSTGRES;
    search.data = (struct sql_bounds_data){
        .parse = parse, .catalog = catalog, .rows = sql_bounds_rows_create(parse, arena)};
    if (search.data.rows == NULL)
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to check the recursion");
    struct sql_tree_walk walk = {.on_cte = check_cte, .owner = &search};
    sql_tree_walk_select(&walk, parse->tree);
    return finding->rule == NULL ? ERR_OK : finding->err.code;
}

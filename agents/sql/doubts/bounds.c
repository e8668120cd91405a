/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/bounds.c - numbers and days that the question bounds, and how the statement
 * compares with them: the end itself, the other side, another unit, another period.
 *
 * Happy path: each bound of the question is found as it is said, or not at all. Failure: none; a
 * bound of which the statement has no literal is not doubted. */
#include "agents/sql/doubts/look.h"
#include "core/base/calendar.h"

static void say(struct sql_doubts_look *look, const char *kind, struct str said, struct str written)
{
    struct arena *arena = look->source->arena;
    sql_doubts_say(look, kind,
                   arena_printf(arena, "the question says '%.*s', and the statement has %.*s",
                                STR_ARG(said), STR_ARG(written)),
                   arena_printf(arena, "'%.*s' was not looked up as it was asked", STR_ARG(said)));
}

static struct str words_of(const struct sql_doubts_look *look, size_t at, size_t count)
{
    return sql_said_text(&look->said, at, count, look->source->arena);
}

/* ---- numbers ---- */

static enum sql_compared_op op_of(enum sql_doubts_topic side)
{
    return side == SQL_DOUBTS_ABOVE   ? SQL_COMPARED_MORE
           : side == SQL_DOUBTS_FROM  ? SQL_COMPARED_FROM
           : side == SQL_DOUBTS_BELOW ? SQL_COMPARED_LESS
                                      : SQL_COMPARED_UPTO;
}

/* What leaves out exactly what the other keeps: NOT (x < 5) is x >= 5. */
static bool are_opposite(enum sql_compared_op one, enum sql_compared_op other)
{
    return (one == SQL_COMPARED_LESS && other == SQL_COMPARED_FROM) ||
           (one == SQL_COMPARED_FROM && other == SQL_COMPARED_LESS) ||
           (one == SQL_COMPARED_MORE && other == SQL_COMPARED_UPTO) ||
           (one == SQL_COMPARED_UPTO && other == SQL_COMPARED_MORE);
}

static void look_at_number(struct sql_doubts_look *look, const struct sql_said_bound *bound)
{
    const enum sql_compared_op wanted = op_of(bound->side);
    const bool may_turn = sql_doubts_has_word(look->parse->text, "not") ||
                          sql_doubts_has_word(look->parse->text, "except") ||
                          sql_doubts_has_word(look->parse->text, "case");
    const struct sql_compared *other = NULL;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        if (!c->has_number || c->number != bound->number || !sql_compared_is_ordered(c->op))
            continue;
        if (c->op == wanted || (may_turn && are_opposite(c->op, wanted)))
            return;
        other = c;
    }
    if (other != NULL)
        say(look, "bound", words_of(look, bound->at, bound->count),
            sql_doubts_text(look, other->expr->span));
}

/* ---- units ---- */

struct measured {
    struct str of, unit; /* what is measured, as written; the word of its unit */
    enum sql_doubts_topic dimension;
    double size; /* 0: its unit is not known */
};

static bool is_julian(const struct sql_expr *expr)
{
    return expr != NULL && expr->kind == SQL_EXPR_CALL &&
           str_equal(expr->call->name, STR("julianday"));
}

/* What the expression is measured in: by the name of its column, within aggregates of it; or days,
 * as a difference of julianday(). */
static struct measured measured_in(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    static const char *const keeping[] = {"avg", "coalesce", "ifnull", "max",
                                          "min", "round",    "sum"};
    struct measured found = {.size = 0};
    struct str words[LOOK_NAME_WORDS];
    while (expr != NULL && (expr->kind == SQL_EXPR_PARENS ||
                            (expr->kind == SQL_EXPR_CALL &&
                             str_is_listed(expr->call->name, keeping, countof(keeping)))))
        expr = expr->children;
    if (expr == NULL)
        return found;
    if (expr->kind == SQL_EXPR_OPERATOR && is_julian(expr->children) &&
        is_julian(expr->children->next) &&
        str_equal(sql_doubts_sign(look->parse, expr->children), STR("-"))) {
        found.of = sql_doubts_text(look, expr->span);
        found.unit = STR("days");
    } else {
        const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr);
        const struct catalog_column *column = sql_doubts_column(look, ref);
        const size_t count = ref == NULL ? 0 : sql_doubts_split(look, ref->name, words);
        if (count == 0 || (count == 1 && (column == NULL || column->type == CATALOG_TEXT)))
            return found;
        found.of = ref->name;
        found.unit = words[count - 1];
    }
    found.size = sql_said_unit(found.unit, &found.dimension);
    return found;
}

/* A number that the question says in one unit, and a figure that says in its name that it is in
 * another: "2 hours", DUR_MIN > 2. */
static void look_at_unit(struct sql_doubts_look *look, const struct sql_said_bound *bound)
{
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        const struct measured in = measured_in(look, c->left);
        if (in.size == 0 || in.dimension != bound->dimension || in.size == bound->size ||
            !c->has_number || c->number != bound->number || c->number == 0)
            continue;
        sql_doubts_say(
            look, "unit",
            arena_printf(look->source->arena,
                         "%.*s is in %.*s, and the question says '%.*s': compare with %.15g",
                         STR_ARG(in.of), STR_ARG(in.unit),
                         STR_ARG(words_of(look, bound->at, bound->count)),
                         c->number * bound->size / in.size),
            arena_printf(look->source->arena,
                         "%.*s is in %.*s, and was compared with the number as it was asked",
                         STR_ARG(in.of), STR_ARG(in.unit)));
        return;
    }
}

/* The unit that a figure is to be given in, "in pounds"; 0: none is said. */
static double unit_asked(const struct sql_said *said, size_t *at, enum sql_doubts_topic *dimension)
{
    for (*at = 1; *at < said->word_count; (*at)++) {
        const double size = sql_said_unit(said->words[*at].text, dimension);
        if (size > 0 && sql_said_is(said->words[*at - 1].text, SQL_DOUBTS_GIVEN_IN) &&
            !sql_said_is(said->words[*at].text, SQL_DOUBTS_NTH))
            return size;
    }
    return 0;
}

/* SUM(amount_cents), where the figure is to be "in pounds". */
static void look_at_result(struct sql_doubts_look *look, const struct sql_item *item)
{
    size_t at;
    enum sql_doubts_topic asked;
    const double wanted = unit_asked(&look->said, &at, &asked);
    for (; wanted > 0 && item != NULL; item = item->next) {
        const struct measured in = measured_in(look, item->expr);
        if (in.size == 0 || in.dimension != asked || in.size == wanted)
            continue;
        sql_doubts_say(
            look, "unit",
            arena_printf(look->source->arena,
                         "%.*s is in %.*s, and the question asks for it '%.*s'",
                         STR_ARG(sql_doubts_text(look, item->span)), STR_ARG(in.unit),
                         STR_ARG(words_of(look, at - 1, 2))),
            arena_printf(look->source->arena, "the figure is in %.*s", STR_ARG(in.unit)));
        return;
    }
}

/* ---- days ---- */

static struct sql_edge edge_asked(const struct sql_said_bound *bound)
{
    switch (bound->side) {
    case SQL_DOUBTS_AFTER:
        return (struct sql_edge){true, bound->end};
    case SQL_DOUBTS_SINCE:
        return (struct sql_edge){true, bound->first};
    case SQL_DOUBTS_BEFORE:
        return (struct sql_edge){false, bound->first};
    default:
        return (struct sql_edge){false, bound->end};
    }
}

static void look_at_day(struct sql_doubts_look *look, const struct sql_said_bound *bound)
{
    const struct sql_edge asked = edge_asked(bound);
    const struct sql_compared *other = NULL;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        struct sql_edge written;
        if (!sql_compared_edge(c, &written) || c->day < bound->first - 1 || c->day > bound->end)
            continue;
        if (written.is_lower == asked.is_lower && written.day == asked.day)
            return;
        other = c;
    }
    if (other != NULL)
        say(look, "bound", words_of(look, bound->at, bound->count),
            sql_doubts_text(look, other->expr->span));
}

void sql_doubts_of_bounds(struct sql_doubts_look *look)
{
    for (size_t i = 0; i < look->said.bound_count; i++) {
        const struct sql_said_bound *bound = &look->said.bounds[i];
        if (bound->is_day)
            look_at_day(look, bound);
        else
            look_at_number(look, bound);
        if (bound->size > 0)
            look_at_unit(look, bound);
    }
    look_at_result(look, look->parse->tree->branches->items);
}

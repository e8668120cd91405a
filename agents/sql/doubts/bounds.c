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

static bool is_ordered(enum sql_compared_op op)
{
    return op >= SQL_COMPARED_LESS && op <= SQL_COMPARED_FROM;
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
        if (!c->has_number || c->number != bound->number || !is_ordered(c->op))
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

/* A number that the question says in one unit, and a column that says in its name that it is in
 * another: "2 hours", DUR_MIN > 2. */
static void look_at_unit(struct sql_doubts_look *look, const struct sql_said_bound *bound)
{
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        const struct sql_column_ref *ref = sql_parse_column_at(look->parse, c->left);
        struct str words[LOOK_NAME_WORDS];
        enum sql_doubts_topic dimension;
        const size_t count = ref == NULL ? 0 : sql_doubts_split(look, ref->name, words);
        const double size = count < 2 ? 0 : sql_said_unit(words[count - 1], &dimension);
        if (size == 0 || dimension != bound->dimension || size == bound->size || !c->has_number ||
            c->number != bound->number || c->number == 0)
            continue;
        sql_doubts_say(
            look, "unit",
            arena_printf(look->source->arena,
                         "%.*s is in %.*s, and the question says '%.*s': compare with %.15g",
                         STR_ARG(ref->name), STR_ARG(words[count - 1]),
                         STR_ARG(words_of(look, bound->at, bound->count)),
                         c->number * bound->size / size),
            arena_printf(look->source->arena,
                         "%.*s is in %.*s, and was compared with the number as it was asked",
                         STR_ARG(ref->name), STR_ARG(words[count - 1])));
        return;
    }
}

/* ---- days ---- */

struct edge { /* rows from a day on, or before it */
    bool is_lower;
    int64_t day;
};

static struct edge edge_asked(const struct sql_said_bound *bound)
{
    switch (bound->side) {
    case SQL_DOUBTS_AFTER:
        return (struct edge){true, bound->end};
    case SQL_DOUBTS_SINCE:
        return (struct edge){true, bound->first};
    case SQL_DOUBTS_BEFORE:
        return (struct edge){false, bound->first};
    default:
        return (struct edge){false, bound->end};
    }
}

/* False: it is no edge. */
static bool edge_written(const struct sql_compared *c, struct edge *edge)
{
    if (!c->has_day || !is_ordered(c->op))
        return false;
    edge->is_lower = c->op == SQL_COMPARED_MORE || c->op == SQL_COMPARED_FROM;
    edge->day = c->day + (c->op == SQL_COMPARED_MORE || c->op == SQL_COMPARED_UPTO);
    return true;
}

static void look_at_day(struct sql_doubts_look *look, const struct sql_said_bound *bound)
{
    const struct edge asked = edge_asked(bound);
    const struct sql_compared *other = NULL;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        struct edge written;
        if (!edge_written(c, &written) || c->day < bound->first - 1 || c->day > bound->end)
            continue;
        if (written.is_lower == asked.is_lower && written.day == asked.day)
            return;
        other = c;
    }
    if (other != NULL)
        say(look, "bound", words_of(look, bound->at, bound->count),
            sql_doubts_text(look, other->expr->span));
}

/* ---- periods ---- */

/* The only lower and the only upper edge of the statement. False: it has none, or more. */
static bool find_range(const struct sql_doubts_look *look, struct edge *low, struct edge *high)
{
    size_t lows = 0, highs = 0;
    for (size_t i = 0; i < look->compared_count; i++) {
        struct edge edge;
        if (!edge_written(&look->compared[i], &edge))
            continue;
        *(edge.is_lower ? low : high) = edge;
        lows += edge.is_lower;
        highs += !edge.is_lower;
    }
    return lows == 1 && highs == 1;
}

/* A month or quarter that is all the question says of days, and a range of other days. */
static void look_at_period(struct sql_doubts_look *look)
{
    struct edge low, high;
    const struct sql_said_period *period = &look->said.periods[0];
    if (look->said.period_count != 1 || !find_range(look, &low, &high) ||
        (low.day == period->first && high.day == period->end))
        return;
    for (size_t i = 0; i < look->said.bound_count; i++)
        if (look->said.bounds[i].is_day)
            return;
    const struct calendar_date from = calendar_date(low.day), to = calendar_date(high.day);
    say(look, "period", words_of(look, period->at, period->count),
        arena_printf(look->source->arena,
                     "the days from %04d-%02d-%02d on and before %04d-%02d-%02d", (int)from.year,
                     from.month, from.day, (int)to.year, to.month, to.day));
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
    look_at_period(look);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/periods.c - the one period that a question names, and the days that the
 * statement is written with: other days, and things that last, of which it looks at one end.
 *
 * Happy path: one lower and one upper edge are those of the period; of what lasts, it begins before
 * the period is over, and ends after it has begun. Failure: several periods or edges, or days that
 * are computed, are not doubted. */
#include "agents/sql/doubts/look.h"
#include "core/base/calendar.h"

struct edges { /* the only lower and the only upper edge of the statement */
    struct sql_edge low, high;
    const struct sql_column_ref *low_of, *high_of; /* NULL: of no column */
};

/* False: it has none, or more. */
static bool find_edges(const struct sql_doubts_look *look, struct edges *edges)
{
    size_t lows = 0, highs = 0;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        struct sql_edge edge;
        if (!sql_compared_edge(c, &edge))
            continue;
        *(edge.is_lower ? &edges->low : &edges->high) = edge;
        *(edge.is_lower ? &edges->low_of : &edges->high_of) =
            sql_parse_column_at(look->parse, c->left);
        lows += edge.is_lower;
        highs += !edge.is_lower;
    }
    return lows == 1 && highs == 1;
}

static bool are_of_one(const struct edges *edges)
{
    const struct sql_column_ref *low = edges->low_of, *high = edges->high_of;
    return low == NULL || high == NULL ||
           (low->table_ref == high->table_ref && low->column == high->column);
}

static struct str day_text(const struct sql_doubts_look *look, int64_t day)
{
    const struct calendar_date date = calendar_date(day);
    return arena_printf(look->source->arena, "%04d-%02d-%02d", (int)date.year, date.month,
                        date.day);
}

struct period {
    int64_t first, end; /* first <= day < end */
    struct str words;
    bool is_near; /* either end may be a day off */
};

static void say_other_days(struct sql_doubts_look *look, const struct period *period,
                           const struct edges *edges)
{
    struct arena *arena = look->source->arena;
    struct str first = day_text(look, period->first), last = day_text(look, period->end - 1);
    sql_doubts_say(
        look, "period",
        arena_printf(arena,
                     "'%.*s' in the question is from %.*s to %.*s, and the statement has the days "
                     "from %.*s on and before %.*s",
                     STR_ARG(period->words), STR_ARG(first), STR_ARG(last),
                     STR_ARG(day_text(look, edges->low.day)),
                     STR_ARG(day_text(look, edges->high.day))),
        arena_printf(arena, "'%.*s' is from %.*s to %.*s, and the answer may be of other days",
                     STR_ARG(period->words), STR_ARG(first), STR_ARG(last)));
}

static bool is_off(int64_t written, int64_t asked, bool is_near)
{
    return is_near ? written < asked - 1 || written > asked + 1 : written != asked;
}

/* ---- what lasts ---- */

/* "begins <= the last day AND ends >= the first": of nights, those after the first day and before
 * the last one. */
static void look_at_overlap(struct sql_doubts_look *look, const struct period *period,
                            const struct edges *edges)
{
    const bool is_night = sql_said_times(&look->said, SQL_DOUBTS_NIGHT) > 0;
    const int64_t begins = is_night ? period->end - 1 : period->end, ends = period->first;
    const bool is_high_right = !is_off(edges->high.day, begins, period->is_near);
    const bool is_low_right = edges->low.day == ends + 1 || (!is_night && edges->low.day == ends) ||
                              !is_off(edges->low.day, ends, period->is_near);
    struct str one = edges->high_of->name, other = edges->low_of->name;
    if (is_high_right && (is_low_right && !(is_night && edges->low.day == ends)))
        return;
    sql_doubts_say(look, "overlap",
                   arena_printf(look->source->arena,
                                "what is there in '%.*s' has %.*s before %.*s and %.*s %s %.*s",
                                STR_ARG(period->words), STR_ARG(one),
                                STR_ARG(day_text(look, begins)), STR_ARG(other),
                                is_night ? "after" : "on or after", STR_ARG(day_text(look, ends))),
                   arena_printf(look->source->arena,
                                "what begins or ends just at '%.*s' may be counted wrongly",
                                STR_ARG(period->words)));
}

/* start >= the first day AND end <= the last one, where the question asks what was there. */
static void look_at_contained(struct sql_doubts_look *look, const struct period *period,
                              const struct edges *edges)
{
    if (sql_said_times(&look->said, SQL_DOUBTS_DURING) == 0 ||
        !sql_doubts_holds(look, edges->low_of->name, SQL_DOUBTS_BEGINS) ||
        !sql_doubts_holds(look, edges->high_of->name, SQL_DOUBTS_ENDS))
        return;
    sql_doubts_say(look, "overlap",
                   arena_printf(look->source->arena,
                                "only what both begins and ends in '%.*s' is kept; what was there "
                                "in it has %.*s before its end and %.*s after its beginning, or "
                                "none",
                                STR_ARG(period->words), STR_ARG(edges->low_of->name),
                                STR_ARG(edges->high_of->name)),
                   arena_printf(look->source->arena,
                                "what began before '%.*s', or ended after it, is left out",
                                STR_ARG(period->words)));
}

/* ---- all of it ---- */

/* The only period that the question names. False: there is none, or there are more. */
static bool find_period(const struct sql_doubts_look *look, struct period *period)
{
    const struct sql_doubts_source *source = look->source;
    const struct sql_said_period *said = &look->said.periods[0];
    struct sql_doubts_period named;
    for (size_t i = 0; i < look->said.bound_count; i++)
        if (look->said.bounds[i].is_day)
            return false;
    if (look->said.period_count == 1) {
        *period = (struct period){said->first, said->end,
                                  sql_said_text(&look->said, said->at, said->count, source->arena),
                                  false};
        return true;
    }
    if (look->said.period_count > 1 || source->period == NULL ||
        !source->period(source->owner, source->question, &named))
        return false;
    *period = (struct period){named.first, named.end, named.words, named.is_rolling};
    return true;
}

void sql_doubts_of_periods(struct sql_doubts_look *look)
{
    struct edges edges;
    struct period period;
    if (!find_edges(look, &edges) || !find_period(look, &period))
        return;
    if (are_of_one(&edges)) {
        if (is_off(edges.low.day, period.first, period.is_near) ||
            is_off(edges.high.day, period.end, period.is_near))
            say_other_days(look, &period, &edges);
        return;
    }
    if (edges.low_of->table_ref != edges.high_of->table_ref)
        return;
    if (sql_doubts_holds(look, edges.low_of->name, SQL_DOUBTS_ENDS))
        look_at_overlap(look, &period, &edges);
    else
        look_at_contained(look, &period, &edges);
}

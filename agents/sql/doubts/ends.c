/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/ends.c - which end of an order the question asks for, and how many rows of it.
 *
 * Happy path: the statement takes that end, and so many. Failure: words of both ends, and orders
 * that a window or a query within makes, are not doubted. */
#include "agents/sql/doubts/look.h"

#include <inttypes.h>

enum { MOST_ROWS = 1000 };

struct ends { /* how often the question asks for each; and by words of nothing but time */
    size_t high, low, early, late, timed;
};

/* The topic of the longest phrase at 'at' of those that say an end; 0 words: none. */
static size_t end_at(const struct sql_said *said, size_t at, enum sql_doubts_topic *topic,
                     double *value)
{
    static const enum sql_doubts_topic topics[] = {SQL_DOUBTS_HIGH, SQL_DOUBTS_LOW,
                                                   SQL_DOUBTS_EARLY, SQL_DOUBTS_LATE};
    size_t longest = 0;
    for (size_t i = 0; i < countof(topics); i++) {
        double counts = 0;
        const size_t count = sql_said_phrase(said, at, topics[i], &counts);
        if (count <= longest)
            continue;
        longest = count;
        *topic = topics[i];
        *value = counts;
    }
    return longest;
}

/* How many words from 'at' on bound a number: "at least", "no more than". */
static size_t bound_at(const struct sql_said *said, size_t at)
{
    static const enum sql_doubts_topic sides[] = {SQL_DOUBTS_ABOVE, SQL_DOUBTS_FROM,
                                                  SQL_DOUBTS_BELOW, SQL_DOUBTS_UPTO};
    size_t longest = 0;
    for (size_t i = 0; i < countof(sides); i++)
        longest = size_max(longest, sql_said_phrase(said, at, sides[i], NULL));
    return longest;
}

static struct ends read_ends(const struct sql_said *said)
{
    struct ends ends = {0, 0, 0, 0, 0};
    double value = 0;
    for (size_t at = 0; at < said->word_count;) {
        enum sql_doubts_topic topic = SQL_DOUBTS_HIGH;
        const size_t bound = bound_at(said, at), count = end_at(said, at, &topic, &value);
        at += size_max(1, size_max(bound, count));
        if (count == 0 || bound > 0)
            continue;
        ends.high += topic == SQL_DOUBTS_HIGH;
        ends.low += topic == SQL_DOUBTS_LOW;
        ends.early += topic == SQL_DOUBTS_EARLY;
        ends.late += topic == SQL_DOUBTS_LATE;
        ends.timed += value > 0;
    }
    return ends;
}

/* ---- which end ---- */

/* Whether the first key of the outermost ORDER BY descends. */
static bool descends(const struct sql_parse *parse)
{
    const struct sql_expr *key = parse->tree->order;
    const size_t end = key->next != NULL ? key->next->span.start : parse->text.len;
    struct str after = str_trim(str_slice(parse->text, key->span.end, end));
    return after.len >= 4 && str_equal_nocase(str_slice(after, 0, 4), STR("desc"));
}

/* A date, of which the longest is the earliest; that of an end is not. */
static bool is_date(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = expr == NULL ? NULL : sql_parse_column_at(look->parse, expr);
    const struct catalog_column *column = sql_doubts_column(look, ref);
    return column != NULL && sql_doubts_is_date(column) &&
           !sql_doubts_holds(look, ref->name, SQL_DOUBTS_ENDS);
}

struct extremes {
    struct sql_tree_walk walk;
    const struct sql_doubts_look *look;
    size_t most, least, dated; /* MAX, MIN; of which of dates */
};

static void on_extreme(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct extremes *extremes = container_of(walk, struct extremes, walk);
    const bool is_call = expr->kind == SQL_EXPR_CALL;
    const bool is_most = is_call && str_equal(expr->call->name, STR("max")),
               is_least = is_call && str_equal(expr->call->name, STR("min"));
    extremes->most += is_most;
    extremes->least += is_least;
    extremes->dated += (is_most || is_least) && is_date(extremes->look, expr->children);
}

/* Whether the statement takes the other end: by its order, or by MIN where MAX is asked for. */
static bool takes_other_end(const struct sql_doubts_look *look, bool is_high, bool is_dated)
{
    const struct sql_parse *parse = look->parse;
    const struct sql_expr *order = parse->tree->order;
    struct extremes extremes = {.walk = {.on_expr = on_extreme}, .look = look};
    if (parse->limit.present && order != NULL && !parse->has_subquery)
        return (!is_dated || is_date(look, order)) && descends(parse) != is_high;
    if (parse->limit.present || order != NULL)
        return false;
    sql_tree_walk_select(&extremes.walk, parse->tree);
    return (!is_dated || extremes.dated > 0) &&
           (is_high ? extremes.least > 0 && extremes.most == 0
                    : extremes.most > 0 && extremes.least == 0);
}

static void look_at_end(struct sql_doubts_look *look, const struct ends *ends)
{
    const bool is_high = ends->high > 0, is_low = ends->low > 0;
    const bool is_early = ends->early > 0, is_late = ends->late > 0;
    if (is_high + is_low + is_early + is_late != 1)
        return;
    const bool is_dated = is_early || is_late;
    const bool wants_high = is_high || is_late;
    /* "the latest" by a number that rises with time, too; "the oldest" may be of years of age */
    if (!takes_other_end(look, wants_high, is_dated && ends->timed == 0))
        return;
    sql_doubts_say(look, "other_end",
                   arena_printf(look->source->arena,
                                "the question asks for the %s, and the statement takes the %s",
                                is_dated     ? wants_high ? "latest" : "earliest"
                                : wants_high ? "highest"
                                             : "lowest",
                                is_dated     ? wants_high ? "earliest" : "latest"
                                : wants_high ? "lowest"
                                             : "highest"),
                   STR("the answer may have it the other way round"));
}

/* ---- so many ---- */

static bool is_within(const struct sql_said *said, size_t at)
{
    for (size_t i = 0; i < said->bound_count; i++)
        if (at >= said->bounds[i].at && at < said->bounds[i].at + said->bounds[i].count)
            return true;
    for (size_t i = 0; i < said->period_count; i++)
        if (at >= said->periods[i].at && at < said->periods[i].at + said->periods[i].count)
            return true;
    return false;
}

/* The number that the word says; 0: none that counts rows. */
static int64_t number_at(const struct sql_said *said, size_t at)
{
    double value = 0;
    if (at >= said->word_count || is_within(said, at))
        return 0;
    if (said->words[at].kind == SQL_SAID_NUMBER)
        value = said->words[at].number;
    else if (sql_said_phrase(said, at, SQL_DOUBTS_NUMBER, &value) == 0)
        return 0;
    return value >= 2 && value <= MOST_ROWS && value == (double)(int64_t)value ? (int64_t)value : 0;
}

/* "the last 7 days" are a time, and "top 10 percent" no number of rows. */
static bool is_counted(const struct sql_said *said, size_t at)
{
    enum sql_doubts_topic dimension;
    return at >= said->word_count || (sql_said_unit(said->words[at].text, &dimension) == 0 &&
                                      sql_said_phrase(said, at, SQL_DOUBTS_PERCENT, NULL) == 0 &&
                                      sql_said_phrase(said, at, SQL_DOUBTS_MONTH, NULL) == 0);
}

/* "the 3 countries most guests come from", "top 3", "3 largest"; 0: it asks for no number. */
static int64_t rows_asked(const struct sql_said *said, const struct ends *ends)
{
    const bool has_end = ends->high + ends->low + ends->early + ends->late > 0;
    for (size_t at = 0; at < said->word_count; at++) {
        enum sql_doubts_topic topic;
        double value;
        const int64_t number = number_at(said, at);
        if (number == 0 || !is_counted(said, at + 1))
            continue;
        const bool is_chosen =
            at > 0 && sql_said_phrase(said, at - 1, SQL_DOUBTS_CHOOSES, NULL) > 0;
        const bool is_top = at > 0 && (str_equal(said->words[at - 1].text, STR("top")) ||
                                       str_equal(said->words[at - 1].text, STR("bottom")));
        if (is_top || (is_chosen && has_end) || end_at(said, at + 1, &topic, &value) > 0)
            return number;
    }
    return 0;
}

static bool is_ranked_by_window(const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].windowed)
            return true;
    return false;
}

static void look_at_rows(struct sql_doubts_look *look, const struct ends *ends)
{
    const struct sql_limit *limit = &look->parse->limit;
    const int64_t asked = rows_asked(&look->said, ends);
    struct arena *arena = look->source->arena;
    if (asked == 0 || is_ranked_by_window(look->parse) || (limit->present && !limit->is_number) ||
        (limit->present && limit->number == asked))
        return;
    struct str takes = limit->present
                           ? arena_printf(arena, "takes %" PRId64, (int64_t)limit->number)
                           : STR("takes all");
    sql_doubts_say(look, "rows",
                   arena_printf(arena, "the question asks for %" PRId64 ", the statement %.*s",
                                asked, STR_ARG(takes)),
                   arena_printf(arena,
                                "the question asks for %" PRId64
                                ", the answer may have another number of them",
                                asked));
}

struct takes {
    struct sql_tree_walk walk;
    bool extreme; /* of all rows, by MAX or MIN */
};

static void on_taken(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct takes *takes = container_of(walk, struct takes, walk);
    takes->extreme = takes->extreme ||
                     (expr->kind == SQL_EXPR_CALL && (str_equal(expr->call->name, STR("max")) ||
                                                      str_equal(expr->call->name, STR("min"))));
}

/* Some rows of a list that nothing puts in order, where the question asks for those at an end. */
void sql_doubts_of_unordered(struct sql_doubts_look *look)
{
    const struct sql_parse *parse = look->parse;
    const struct ends ends = read_ends(&look->said);
    struct takes takes = {.walk = {.on_expr = on_taken}};
    const bool is_one = parse->has_aggregate && !parse->has_group_by;
    if (!parse->limit.present || parse->limit.all || parse->has_order_by || is_one ||
        (ends.high + ends.low + ends.early + ends.late == 0 && rows_asked(&look->said, &ends) == 0))
        return;
    sql_tree_walk_select(&takes.walk, parse->tree);
    if (takes.extreme || is_ranked_by_window(parse))
        return;
    sql_doubts_say(
        look, "unordered",
        arena_printf(look->source->arena,
                     "the question asks for those at one end, and without ORDER BY %.*s takes any "
                     "rows; add ORDER BY what is asked for",
                     STR_ARG(sql_doubts_text(look, parse->limit.clause_span))),
        STR("the answer has some of the rows, which were not put in order before"));
}

/* "share second place", and one row. */
static void look_at_shared(struct sql_doubts_look *look)
{
    enum { BEHIND = 3 };
    const struct sql_said *said = &look->said;
    bool is_shared = false;
    for (size_t at = 0; at < said->word_count; at++)
        for (size_t k = at + 1; k <= at + BEHIND; k++)
            is_shared = is_shared || (sql_said_phrase(said, at, SQL_DOUBTS_SHARED, NULL) > 0 &&
                                      sql_said_phrase(said, k, SQL_DOUBTS_PLACE, NULL) > 0);
    if (is_shared && look->parse->limit.is_number && look->parse->limit.number == 1)
        sql_doubts_say(look, "tie",
                       STR("the question asks for all that share a place, and LIMIT 1 gives one of "
                           "them; number them by DENSE_RANK() and keep those of the place"),
                       STR("others may share the place with what is shown"));
}

void sql_doubts_of_ends(struct sql_doubts_look *look)
{
    const struct ends ends = read_ends(&look->said);
    look_at_rows(look, &ends);
    look_at_end(look, &ends);
    look_at_shared(look);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/times.c - figures of several times: one for each month that is asked for and is
 * not grouped by, and a growth that is taken the wrong way round.
 *
 * Happy path: a part of a date is computed or grouped by; the later time stands first. Failure:
 * none. */
#include "agents/sql/doubts/look.h"

enum { BETWEEN = 3 }; /* words between "per" and "month": "per member and month" */

/* ---- one for each month ---- */

/* Where "per month", "per member and month" ends; 0: it is not said. */
static size_t calendar_said(const struct sql_said *said, size_t *begin)
{
    for (size_t at = 0; at < said->word_count; at++) {
        const size_t per = at + sql_said_phrase(said, at, SQL_DOUBTS_PER, NULL);
        for (size_t k = per; per > at && k < said->word_count && k < per + BETWEEN; k++) {
            const bool is_next = k == per || sql_said_is(said->words[k - 1].text, SQL_DOUBTS_AND);
            *begin = at;
            if (is_next && sql_said_is(said->words[k].text, SQL_DOUBTS_CALENDAR))
                return k + 1;
        }
    }
    return 0;
}

/* Whether something is divided by other than the hundreds of a unit: by the number of months. */
static bool divides(struct str sql)
{
    for (size_t at = 0; at < sql.len; at++) {
        struct str by = sql.at[at] == '/' ? str_trim(str_from(sql, at + 1)) : STR("1");
        if (by.len == 0 || by.at[0] != '1')
            return true;
        size_t zeros = 1;
        while (zeros < by.len && (by.at[zeros] == '0' || by.at[zeros] == '.'))
            zeros++;
        if (sql.at[at] == '/' && (zeros < 3 || (zeros < by.len && str_is_digit(by.at[zeros]))))
            return true;
    }
    return false;
}

/* Whether the statement computes a part of a date, or has a column that is called after one. */
static bool has_calendar(const struct sql_doubts_look *look)
{
    static const char *const plain[] = {"avg", "coalesce", "count", "ifnull", "max",
                                        "min", "nullif",   "round", "sum",    "total"};
    const struct sql_parse *parse = look->parse;
    for (size_t i = 0; i < parse->function_count; i++)
        if (!str_is_listed_nocase(parse->functions[i].name, plain, countof(plain)))
            return true;
    for (size_t i = 0; i < parse->column_count; i++)
        if (sql_doubts_holds(look, parse->columns[i].name, SQL_DOUBTS_CALENDAR))
            return true;
    return sql_doubts_has_word(parse->text, "extract") || divides(parse->text);
}

/* Whether something is grouped by a date. */
static bool is_by_date(const struct sql_doubts_look *look, const struct sql_select *select)
{
    for (const struct sql_branch *branch = select->branches; branch != NULL; branch = branch->next)
        for (const struct sql_expr *by = branch->groups; by != NULL; by = by->next) {
            const struct catalog_column *column =
                sql_doubts_column(look, sql_parse_column_at(look->parse, by));
            if (column != NULL && sql_doubts_is_date(column))
                return true;
        }
    return false;
}

static void look_at_calendar(struct sql_doubts_look *look)
{
    size_t begin = 0;
    const size_t end = calendar_said(&look->said, &begin);
    /* "per city and year" is of no price, as "per year" may be */
    bool has_days =
        end > 1 && look->has_groups && sql_said_is(look->said.words[end - 2].text, SQL_DOUBTS_AND);
    for (size_t i = 0; i < look->compared_count; i++)
        has_days = has_days || look->compared[i].has_day;
    if (end == 0 || !has_days || !look->parse->has_aggregate || has_calendar(look) ||
        is_by_date(look, look->parse->tree))
        return;
    struct str words = sql_said_text(&look->said, begin, end - begin, look->source->arena);
    sql_doubts_say(look, "per_period",
                   arena_printf(look->source->arena,
                                "the question asks for a figure '%.*s', and the statement groups "
                                "by no part of a date",
                                STR_ARG(words)),
                   arena_printf(look->source->arena, "the figures are not '%.*s'", STR_ARG(words)));
}

/* ---- growth ---- */

struct times {
    struct sql_tree_walk walk;
    const struct sql_doubts_look *look;
    int64_t first, last; /* of the days that are compared with */
    size_t count;
};

static void on_day(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct times *times = container_of(walk, struct times, walk);
    struct sql_compared read[SQL_COMPARED_MOST];
    for (size_t i = sql_compared_read(times->look->parse, expr, read); i > 0; i--) {
        const struct sql_compared *c = &read[i - 1];
        uint64_t year;
        const bool is_year = c->text.len == 4 && str_to_u64(c->text, &year);
        if (!c->has_day && !is_year)
            continue;
        const int64_t day = is_year ? (int64_t)year : c->day - (c->op == SQL_COMPARED_LESS);
        times->first = times->count == 0 || day < times->first ? day : times->first;
        times->last = times->count == 0 || day > times->last ? day : times->last;
        times->count++;
    }
}

static struct times times_of(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    struct times times = {.walk = {.on_expr = on_day}, .look = look};
    sql_tree_walk_expr(&times.walk, expr);
    return times;
}

/* a - b, of which a is of an earlier time than b, where the question asks how much it grew. */
void sql_doubts_of_difference(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_expr *left = expr->children, *right = left == NULL ? NULL : left->next;
    const bool grows = sql_said_times(&look->said, SQL_DOUBTS_GROWS) > 0,
               falls = sql_said_times(&look->said, SQL_DOUBTS_FALLS) > 0;
    if (grows == falls || right == NULL || right->next != NULL ||
        !str_equal(sql_doubts_sign(look->parse, left), STR("-")))
        return;
    const struct times one = times_of(look, left), other = times_of(look, right);
    if (one.count == 0 || other.count == 0 ||
        !(grows ? one.last < other.first : other.last < one.first))
        return;
    sql_doubts_say(look, "difference_turned",
                   arena_printf(look->source->arena,
                                "the question asks how much it %s, and %.*s takes the %s time from "
                                "the %s one",
                                grows ? "grew" : "fell", STR_ARG(sql_doubts_text(look, expr->span)),
                                grows ? "later" : "earlier", grows ? "earlier" : "later"),
                   STR("the difference may have the wrong sign"));
}

/* ---- an average ---- */

struct computed {
    struct sql_tree_walk walk;
    const struct sql_doubts_look *look;
    bool is_average; /* a mean, or a division by what is no literal */
};

static void on_average(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    static const char *const means[] = {"avg", "median", "percentile_cont", "percentile_disc"};
    struct computed *computed = container_of(walk, struct computed, walk);
    if (expr->kind == SQL_EXPR_CALL)
        computed->is_average =
            computed->is_average || str_is_listed(expr->call->name, means, countof(means));
    for (const struct sql_expr *left = expr->kind == SQL_EXPR_OPERATOR ? expr->children : NULL;
         left != NULL && left->next != NULL; left = left->next) {
        struct str sign = sql_doubts_sign(computed->look->parse, left);
        computed->is_average = computed->is_average ||
                               (str_equal(sign, STR("/")) && left->next->kind != SQL_EXPR_LITERAL);
    }
}

/* "the average amount", and a sum. */
static void look_at_average(struct sql_doubts_look *look)
{
    struct computed computed = {.walk = {.on_expr = on_average}, .look = look};
    bool is_asked = false;
    for (size_t i = 0; i < look->said.word_count; i++) { /* "mean" and "media" mean more */
        struct str word = look->said.words[i].text;
        is_asked = is_asked || (sql_said_is(word, SQL_DOUBTS_AVERAGE) &&
                                !str_equal(word, STR("mean")) && !str_equal(word, STR("media")));
    }
    if (!is_asked || !look->parse->has_aggregate)
        return;
    sql_tree_walk_select(&computed.walk, look->parse->tree);
    if (!computed.is_average)
        sql_doubts_say(look, "no_average",
                       STR("the question asks for an average, and the statement computes none"),
                       STR("the answer may be another number than the average"));
}

void sql_doubts_of_times(struct sql_doubts_look *look)
{
    look_at_calendar(look);
    look_at_average(look);
}

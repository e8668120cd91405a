/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_dates.c - intervals, and dates with their type, of other dialects.
 *
 * Happy path: "x - INTERVAL '30 days'", "DATE_SUB(x, INTERVAL 30 DAY)" and "DATE '2025-06-30'" are
 * written as the dialect has them. In SQLite dates are texts: an interval is only taken from what
 * is certainly a date, since a column may hold times, too. What is not understood is left alone. */
#include "agents/sql/repair/repair_case.h"
#include "agents/sql/repair/repair_pieces.h"

enum { DAYS_A_WEEK = 7, DATE_LENGTH = 10, MOST = 100000 };

#define IS   sql_repair_pieces_is
#define TEXT sql_repair_pieces_text

struct interval {
    size_t first, last; /* pieces */
    uint64_t number;
    const char *unit; /* "day" */
};

static const char *unit_of(struct str word)
{
    static const char *const units[] = {"day", "week", "month", "year", "hour"};
    if (str_ends_with_nocase(word, STR("s")))
        word = str_slice(word, 0, word.len - 1);
    for (size_t i = 0; i < countof(units); i++)
        if (str_equal_nocase(word, str_of(units[i])))
            return units[i];
    return NULL;
}

/* Read INTERVAL '30 days', INTERVAL '30' DAY or INTERVAL 30 DAY at piece i. */
static bool read_interval(const struct sql_repair_pieces *pieces, size_t i,
                          struct interval *interval)
{
    if (!IS(pieces, i, "interval") || i + 1 >= pieces->count)
        return false;
    struct str unit = sql_repair_pieces_inside(pieces, i + 1), number = str_split(&unit, ' ');
    interval->first = i;
    interval->last = i + 1;
    if (str_is_absent(unit) && i + 2 < pieces->count) {
        interval->last = i + 2;
        unit = TEXT(pieces, i + 2);
    }
    interval->unit = unit_of(str_trim(unit));
    return interval->unit != NULL && str_to_u64(number, &interval->number) &&
           interval->number <= MOST;
}

/* The function of SQLite that keeps what the operand is; NULL: a date or a time, nobody knows. */
static const char *kind_of_operand(const struct sql_repair_pieces *pieces, size_t first, size_t end)
{
    const struct sql_repair_piece *piece = &pieces->at[first];
    bool alone = end == first + 1;
    if ((alone && piece->kind == SQL_REPAIR_PIECE_STRING &&
         piece->end - piece->start == DATE_LENGTH + 2) ||
        (alone && IS(pieces, first, "current_date")) ||
        (IS(pieces, first, "date") && IS(pieces, first + 1, "(")))
        return "date";
    return (alone && IS(pieces, first, "current_timestamp")) ||
                   (IS(pieces, first, "datetime") && IS(pieces, first + 1, "("))
               ? "datetime"
               : NULL;
}

/* Replace pieces from first to last by the operand [from, end) moved by the interval. */
static void move_by(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                    const struct interval *by, bool minus, size_t from, size_t end, size_t first,
                    size_t last)
{
    struct str operand = str_slice(at->sql, pieces->at[from].start, pieces->at[end - 1].end), text;
    const char *kind = kind_of_operand(pieces, from, end);
    bool weeks = str_equal(str_of(by->unit), STR("week"));
    unsigned number = (unsigned)by->number * (weeks ? DAYS_A_WEEK : 1);
    if (at->knows->dialect == SQL_MYSQL)
        return;
    if (at->knows->dialect == SQL_POSTGRES)
        text = arena_printf(at->arena, "(%s%.*s %c INTERVAL '%u %s')",
                            pieces->at[from].kind == SQL_REPAIR_PIECE_STRING ? "DATE " : "",
                            STR_ARG(operand), minus ? '-' : '+', (unsigned)by->number, by->unit);
    else if (kind != NULL)
        text = arena_printf(at->arena, "%s(%.*s, '%c%u %s')", kind, STR_ARG(operand),
                            minus ? '-' : '+', number, weeks ? "day" : by->unit);
    else
        return;
    sql_repair_case_edit(at, pieces->at[first].start, pieces->at[last].end, text, true);
}

/* x - INTERVAL ...: in PostgreSQL and MySQL only the interval is written otherwise. */
static void turn_interval(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                          const struct interval *by)
{
    enum sql_dialect dialect = at->knows->dialect;
    bool minus = by->first > 1 && IS(pieces, by->first - 1, "-");
    bool quoted = pieces->at[by->first + 1].kind == SQL_REPAIR_PIECE_STRING;
    if (dialect == SQL_SQLITE && (minus || (by->first > 1 && IS(pieces, by->first - 1, "+")))) {
        size_t from = sql_repair_pieces_operand(pieces, by->first - 1);
        move_by(at, pieces, by, minus, from, by->first - 1, from, by->last);
    } else if (dialect != SQL_SQLITE && quoted == (dialect == SQL_MYSQL)) {
        struct str text = arena_printf(at->arena, quoted ? "INTERVAL %u %s" : "INTERVAL '%u %s'",
                                       (unsigned)by->number, by->unit);
        sql_repair_case_edit(at, pieces->at[by->first].start, pieces->at[by->last].end, text, true);
    }
}

/* DATE_SUB(x, INTERVAL ...), DATE_ADD(...). */
static void turn_call(struct sql_repair_case *at, const struct sql_repair_pieces *pieces, size_t i)
{
    bool minus = IS(pieces, i, "date_sub") || IS(pieces, i, "subdate");
    size_t close = sql_repair_pieces_close(pieces, i + 1);
    struct interval by;
    for (size_t j = i + 3; j < close && close < pieces->count; j++)
        if (IS(pieces, j, "interval") && IS(pieces, j - 1, ",") && read_interval(pieces, j, &by) &&
            by.last + 1 == close)
            move_by(at, pieces, &by, minus, i + 2, j - 1, i, close);
}

/* DATEADD(day, -30, x) of SQL Server. */
static void turn_dateadd(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                         size_t i)
{
    const size_t close = sql_repair_pieces_close(pieces, i + 1);
    const bool minus = IS(pieces, i + 4, "-");
    const size_t number = i + 4 + minus, from = number + 2;
    struct interval by = {.unit = i + 2 < pieces->count ? unit_of(TEXT(pieces, i + 2)) : NULL};
    if (by.unit == NULL || close >= pieces->count || from >= close || !IS(pieces, i + 3, ",") ||
        !IS(pieces, number + 1, ",") || !str_to_u64(TEXT(pieces, number), &by.number) ||
        by.number > MOST)
        return;
    if (at->knows->dialect != SQL_MYSQL) {
        move_by(at, pieces, &by, minus, from, close, i, close);
        return;
    }
    struct str operand = str_slice(at->sql, pieces->at[from].start, pieces->at[close - 1].end);
    struct str text =
        arena_printf(at->arena, "DATE_%s(%.*s, INTERVAL %u %s)", minus ? "SUB" : "ADD",
                     STR_ARG(operand), (unsigned)by.number, by.unit);
    sql_repair_case_edit(at, pieces->at[i].start, pieces->at[close].end, text, true);
}

/* date(x, '-30 days') of SQLite: the modifier is an interval for the others. */
static void turn_modifier(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                          size_t i)
{
    const size_t close = sql_repair_pieces_close(pieces, i + 1);
    if (at->knows->dialect == SQL_SQLITE || close >= pieces->count || close < i + 5 ||
        !IS(pieces, close - 2, ","))
        return;
    struct str unit = sql_repair_pieces_inside(pieces, close - 1), number = str_split(&unit, ' ');
    const bool minus = str_starts_with(number, STR("-"));
    struct interval by = {.unit = unit_of(str_trim(unit))};
    if (minus || str_starts_with(number, STR("+")))
        number = str_from(number, 1);
    struct str operand = str_slice(at->sql, pieces->at[i + 2].start, pieces->at[close - 3].end);
    if (str_equal_nocase(operand, STR("'now'")))
        operand = STR("CURRENT_DATE");
    if (pieces->at[close - 1].kind != SQL_REPAIR_PIECE_STRING || by.unit == NULL ||
        !str_to_u64(number, &by.number) || by.number > MOST)
        return;
    struct str text =
        at->knows->dialect == SQL_MYSQL
            ? arena_printf(at->arena, "DATE_%s(DATE(%.*s), INTERVAL %u %s)", minus ? "SUB" : "ADD",
                           STR_ARG(operand), (unsigned)by.number, by.unit)
            : arena_printf(at->arena, "CAST(CAST(%.*s AS date) %c INTERVAL '%u %s' AS date)",
                           STR_ARG(operand), minus ? '-' : '+', (unsigned)by.number, by.unit);
    sql_repair_case_edit(at, pieces->at[i].start, pieces->at[close].end, text, true);
}

static bool is_moving(const struct sql_repair_pieces *pieces, size_t i)
{
    static const char *const names[] = {"date_sub", "date_add", "subdate", "adddate"};
    for (size_t j = 0; IS(pieces, i + 1, "(") && j < countof(names); j++)
        if (IS(pieces, i, names[j]))
            return true;
    return false;
}

void sql_repair_dates_turn(struct sql_repair_case *at)
{
    const struct sql_repair_pieces pieces =
        sql_repair_pieces_cut(at->knows->dialect, at->sql, at->arena);
    struct interval by;
    for (size_t i = 0; pieces.at != NULL && i + 1 < pieces.count; i++) {
        bool typed = IS(&pieces, i, "date") || IS(&pieces, i, "timestamp");
        if (is_moving(&pieces, i))
            turn_call(at, &pieces, i);
        else if (IS(&pieces, i, "dateadd") && IS(&pieces, i + 1, "("))
            turn_dateadd(at, &pieces, i);
        else if (IS(&pieces, i, "date") && IS(&pieces, i + 1, "("))
            turn_modifier(at, &pieces, i);
        else if (read_interval(&pieces, i, &by))
            turn_interval(at, &pieces, &by);
        else if (typed && at->knows->dialect == SQL_SQLITE &&
                 pieces.at[i + 1].kind == SQL_REPAIR_PIECE_STRING)
            sql_repair_case_edit(at, pieces.at[i].start, pieces.at[i + 1].end, TEXT(&pieces, i + 1),
                                 true);
    }
}

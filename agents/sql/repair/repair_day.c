/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_day.c - words and calls that are today, replaced.
 *
 * Happy path: each becomes the day, the first moment of it where a time is asked for. Failure: a
 * statement whose quotes do not end stays as it is. */
#include "agents/sql/repair/repair_day.h"

#include "agents/sql/repair/repair_pieces.h"
#include "core/base/buf.h"

enum { MAX_STATEMENT = 64 * 1024 };

static const struct {
    const char *word;
    bool needs_call, is_time;
} words[] = {
    {"current_date", false, false},  {"curdate", true, false},
    {"utc_date", true, false},       {"now", true, true},
    {"getdate", true, true},         {"sysdate", true, true},
    {"localtimestamp", false, true}, {"current_timestamp", false, true},
};

/* How many pieces at i are today; 0: none. */
static size_t read_today(const struct sql_repair_pieces *pieces, size_t i, bool *is_time)
{
    bool name = i > 0 && (sql_repair_pieces_is(pieces, i - 1, ".") ||
                          sql_repair_pieces_is(pieces, i - 1, "as"));
    for (size_t j = 0; j < countof(words) && !name; j++) {
        bool call =
            sql_repair_pieces_is(pieces, i + 1, "(") && sql_repair_pieces_is(pieces, i + 2, ")");
        if (!sql_repair_pieces_is(pieces, i, words[j].word) || (words[j].needs_call && !call))
            continue;
        *is_time = words[j].is_time;
        return call ? 3 : 1;
    }
    return 0;
}

/* Whether piece i is the 'now' that a date function of SQLite reads: one of its arguments. */
static bool is_now(const struct sql_repair_pieces *pieces, size_t i)
{
    static const char *const functions[] = {"date", "datetime", "strftime", "julianday",
                                            "unixepoch"};
    size_t open = i;
    if (pieces->at[i].kind != SQL_REPAIR_PIECE_STRING ||
        !str_equal_nocase(sql_repair_pieces_inside(pieces, i), STR("now")))
        return false;
    while (open > 0 && !(sql_repair_pieces_is(pieces, open, "(") &&
                         pieces->at[open].depth + 1 == pieces->at[i].depth))
        open--;
    for (size_t j = 0; open > 0 && j < countof(functions); j++)
        if (sql_repair_pieces_is(pieces, open - 1, functions[j]))
            return true;
    return false;
}

struct str sql_repair_day(enum sql_dialect dialect, struct str sql, struct str day,
                          struct arena *arena)
{
    const struct sql_repair_pieces pieces = sql_repair_pieces_cut(dialect, sql, arena);
    const char *typed_day = dialect == SQL_POSTGRES ? "DATE " : "";
    const char *typed_time = dialect == SQL_POSTGRES ? "TIMESTAMP " : "";
    struct buf out;
    size_t from = 0;
    buf_init(&out, MAX_STATEMENT);
    for (size_t i = 0; pieces.at != NULL && i < pieces.count; i++) {
        bool is_time = false, now = dialect == SQL_SQLITE && is_now(&pieces, i);
        size_t count = now ? 1 : read_today(&pieces, i, &is_time);
        if (count == 0)
            continue;
        buf_push(&out, str_slice(sql, from, pieces.at[i].start));
        buf_printf(&out, "%s'%.*s%s'", is_time ? typed_time : typed_day, STR_ARG(day),
                   is_time ? " 00:00:00" : "");
        i += count - 1;
        from = pieces.at[i].end;
    }
    buf_push(&out, str_from(sql, from));
    struct str text = {NULL, 0};
    if (buf_ok(&out) && from > 0)
        text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

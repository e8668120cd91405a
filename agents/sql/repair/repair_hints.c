/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_hints.c - a table of words and what they are in each dialect.
 *
 * Happy path: each word of the table that the statement has outside of texts is hinted at once.
 * Failure: a statement whose quotes do not end gets no hints. */
#include "agents/sql/repair/repair_hints.h"

#include "agents/sql/repair/repair_pieces.h"
#include "core/base/buf.h"

enum { MOST = 3, TEXT_BYTES = 1024 };

static const char *const dialects[] = {"SQLite", "PostgreSQL", "MySQL"};

/* by_dialect: SQLite, PostgreSQL, MySQL; NULL: the dialect has the word, or nothing like it. */
static const struct {
    const char *word;
    bool is_call;
    const char *by_dialect[3];
} hints[] = {
    {"datediff",
     true,
     {"CAST(julianday(a) - julianday(b) AS INTEGER)", "CAST(a AS date) - CAST(b AS date)",
      "DATEDIFF(a, b) for days, TIMESTAMPDIFF(MONTH, b, a) for others"}},
    {"timestampdiff",
     true,
     {"(julianday(b) - julianday(a)) * 24 for hours", "EXTRACT(EPOCH FROM b - a) / 3600 for hours",
      NULL}},
    {"date_trunc", true, {"date(x, 'start of month')", NULL, "DATE_FORMAT(x, '%Y-%m-01')"}},
    {"date_part", true, {"CAST(strftime('%Y', x) AS INTEGER)", NULL, "EXTRACT(YEAR FROM x)"}},
    {"extract", true, {"CAST(strftime('%Y', x) AS INTEGER)", NULL, NULL}},
    {"interval", false, {"date(x, '-30 days')", "x - INTERVAL '30 days'", "x - INTERVAL 30 DAY"}},
    {"date_sub", true, {"date(x, '-30 days')", "x - INTERVAL '30 days'", NULL}},
    {"date_add", true, {"date(x, '+30 days')", "x + INTERVAL '30 days'", NULL}},
    {"dateadd", true, {"date(x, '+30 days')", "x + INTERVAL '30 days'", "x + INTERVAL 30 DAY"}},
    {"date_format", true, {"strftime('%Y-%m', x)", "TO_CHAR(x, 'YYYY-MM')", NULL}},
    {"to_char", true, {"strftime('%Y-%m', x)", NULL, "DATE_FORMAT(x, '%Y-%m')"}},
    {"strftime", true, {NULL, "TO_CHAR(x, 'YYYY-MM')", "DATE_FORMAT(x, '%Y-%m')"}},
    {"julianday", true, {NULL, "CAST(a AS date) - CAST(b AS date)", "DATEDIFF(a, b)"}},
    {"quarter",
     true,
     {"(CAST(strftime('%m', x) AS INTEGER) + 2) / 3", "EXTRACT(QUARTER FROM x)", NULL}},
    {"last_day",
     true,
     {"date(x, 'start of month', '+1 month', '-1 day')",
      "date_trunc('month', x) + INTERVAL '1 month' - INTERVAL '1 day'", NULL}},
    {"to_date", true, {"date(x)", NULL, "STR_TO_DATE(x, '%Y-%m-%d')"}},
    {"concat", true, {"a || b", NULL, NULL}},
    {"group_concat", true, {NULL, "string_agg(x, ', ')", NULL}},
    {"string_agg", true, {"group_concat(x, ', ')", NULL, "GROUP_CONCAT(x SEPARATOR ', ')"}},
    {"array_agg", true, {"group_concat(x, ', ')", NULL, "GROUP_CONCAT(x)"}},
    {"top", false, {"LIMIT n at the end", "LIMIT n at the end", "LIMIT n at the end"}},
    {"ilike", false, {"LIKE, which ignores case", NULL, "LIKE, which ignores case"}},
    {"distinct on", false, {"a window function, ROW_NUMBER() OVER (...) = 1", NULL, NULL}},
    {"::", false, {"CAST(x AS type)", NULL, "CAST(x AS type)"}},
};

static bool stands_at(const struct sql_repair_pieces *pieces, size_t i, size_t hint)
{
    const char *word = hints[hint].word;
    if (str_equal(str_of(word), STR("::")))
        return sql_repair_pieces_is(pieces, i, ":") && sql_repair_pieces_is(pieces, i + 1, ":");
    if (str_equal(str_of(word), STR("distinct on")))
        return sql_repair_pieces_is(pieces, i, "distinct") &&
               sql_repair_pieces_is(pieces, i + 1, "on");
    return sql_repair_pieces_is(pieces, i, word) &&
           (!hints[hint].is_call || sql_repair_pieces_is(pieces, i + 1, "("));
}

struct str sql_repair_hints(enum sql_dialect dialect, struct str sql, struct arena *arena)
{
    const struct sql_repair_pieces pieces = sql_repair_pieces_cut(dialect, sql, arena);
    struct buf out;
    size_t count = 0;
    buf_init(&out, TEXT_BYTES);
    for (size_t j = 0; j < countof(hints) && count < MOST && pieces.at != NULL; j++) {
        bool stands = false;
        for (size_t i = 0; i < pieces.count && hints[j].by_dialect[dialect] != NULL; i++)
            stands = stands || stands_at(&pieces, i, j);
        if (stands && count++ < MOST)
            buf_printf(&out, " %s writes %s as %s.", dialects[dialect], hints[j].word,
                       hints[j].by_dialect[dialect]);
    }
    struct str text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return str_is_absent(text) ? STR("") : text;
}

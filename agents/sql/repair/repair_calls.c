/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_calls.c - functions of other dialects that have an exact equal here.
 *
 * Happy path: a call whose name and arguments stand in the table becomes what the table says.
 * A date format that is not in its table, or another number of arguments, is left alone. */
#include "agents/sql/repair/repair_case.h"
#include "agents/sql/repair/repair_pieces.h"

enum { MAX_ARGUMENTS = 16 };

#define IS   sql_repair_pieces_is
#define TEXT sql_repair_pieces_text

/* The day of a text, and the first days of its month and year. */
#define SQLITE_DAYS(last, first)                                                                   \
    "CAST(julianday(date(" last ")) - julianday(date(" first ")) AS INTEGER)"
#define POSTGRES_DAYS(last, first) "(CAST(" last " AS date) - CAST(" first " AS date))"

/* What to write, by dialect; $1 is an argument, $f a date format in the dialect's letters, which
 * is argument number format. NULL: the dialect has it, or nothing equal. unit: what
 * the first argument must be; NULL: anything. */
static const struct rename {
    const char *name;
    size_t argument_count, format;
    const char *sqlite, *postgres, *mysql, *unit;
} renames[] = {
    {"now", 0, 0, "CURRENT_TIMESTAMP", NULL, NULL},
    {"getdate", 0, 0, "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"},
    {"curdate", 0, 0, "CURRENT_DATE", "CURRENT_DATE", NULL},
    {"year", 1, 0, "CAST(strftime('%Y', $1) AS INTEGER)", "EXTRACT(YEAR FROM $1)", NULL},
    {"month", 1, 0, "CAST(strftime('%m', $1) AS INTEGER)", "EXTRACT(MONTH FROM $1)", NULL},
    {"day", 1, 0, "CAST(strftime('%d', $1) AS INTEGER)", "EXTRACT(DAY FROM $1)", NULL},
    {"quarter", 1, 0, "((CAST(strftime('%m', $1) AS INTEGER) + 2) / 3)", "EXTRACT(QUARTER FROM $1)",
     NULL},
    {"datediff", 2, 0, SQLITE_DAYS("$1", "$2"), POSTGRES_DAYS("$1", "$2"), NULL},
    {"datediff", 3, 0, SQLITE_DAYS("$3", "$2"), POSTGRES_DAYS("$3", "$2"), "DATEDIFF($3, $2)",
     "day"},
    {"date_trunc", 2, 0, "date($2)", NULL, "DATE($2)", "'day'"},
    {"date_trunc", 2, 0, "date($2, 'start of month')", NULL,
     "CAST(DATE_FORMAT($2, '%Y-%m-01') AS DATE)", "'month'"},
    {"date_trunc", 2, 0, "date($2, 'start of year')", NULL,
     "CAST(DATE_FORMAT($2, '%Y-01-01') AS DATE)", "'year'"},
    {"date_part", 2, 0, "CAST(strftime('%Y', $2) AS INTEGER)", NULL, "EXTRACT(YEAR FROM $2)",
     "'year'"},
    {"date_part", 2, 0, "((CAST(strftime('%m', $2) AS INTEGER) + 2) / 3)", NULL,
     "EXTRACT(QUARTER FROM $2)", "'quarter'"},
    {"date_part", 2, 0, "CAST(strftime('%m', $2) AS INTEGER)", NULL, "EXTRACT(MONTH FROM $2)",
     "'month'"},
    {"date_part", 2, 0, "CAST(strftime('%d', $2) AS INTEGER)", NULL, "EXTRACT(DAY FROM $2)",
     "'day'"},
    {"date_part", 2, 0, "CAST(strftime('%H', $2) AS INTEGER)", NULL, "EXTRACT(HOUR FROM $2)",
     "'hour'"},
    {"left", 2, 0, "substr($1, 1, $2)", NULL, NULL},
    {"len", 1, 0, "LENGTH($1)", "LENGTH($1)", "CHAR_LENGTH($1)"},
    {"ifnull", 2, 0, NULL, "COALESCE($1, $2)", NULL},
    {"nvl", 2, 0, "COALESCE($1, $2)", "COALESCE($1, $2)", "COALESCE($1, $2)"},
    {"isnull", 2, 0, "COALESCE($1, $2)", "COALESCE($1, $2)", "COALESCE($1, $2)"},
    {"if", 3, 0, "CASE WHEN $1 THEN $2 ELSE $3 END", "CASE WHEN $1 THEN $2 ELSE $3 END", NULL},
    {"iif", 3, 0, NULL, "CASE WHEN $1 THEN $2 ELSE $3 END", "CASE WHEN $1 THEN $2 ELSE $3 END"},
    {"char_length", 1, 0, "LENGTH($1)", NULL, NULL},
    {"string_agg", 2, 0, "GROUP_CONCAT($1, $2)", NULL, NULL},
    {"date_format", 2, 2, "strftime($f, $1)", "TO_CHAR($1, $f)", NULL},
    {"to_char", 2, 2, "strftime($f, $1)", NULL, "DATE_FORMAT($1, $f)"},
    {"strftime", 2, 1, NULL, "TO_CHAR($2, $f)", "DATE_FORMAT($2, $f)"},
};

/* The same format in percent letters (SQLite, MySQL) and in PostgreSQL's. */
static const struct {
    const char *percent, *words;
} formats[] = {
    {"'%Y'", "'YYYY'"}, {"'%m'", "'MM'"},         {"'%d'", "'DD'"},
    {"'%H'", "'HH24'"}, {"'%Y-%m'", "'YYYY-MM'"}, {"'%Y-%m-%d'", "'YYYY-MM-DD'"},
};

struct call {
    const struct rename *rename;
    struct str arguments[MAX_ARGUMENTS];
    struct str format; /* translated; absent: the call has none */
};

/* Cut what stands between two parentheses at its commas; false: more than fit. */
static bool cut_arguments(const struct sql_repair_pieces *pieces, size_t open, size_t close,
                          struct str *arguments, size_t *count)
{
    size_t from = open + 1;
    *count = 0;
    for (size_t i = from; i <= close && open + 1 < close; i++) {
        if (i < close && !(IS(pieces, i, ",") && pieces->at[i].depth == pieces->at[open].depth + 1))
            continue;
        if (*count == MAX_ARGUMENTS || from == i)
            return false;
        arguments[(*count)++] =
            str_slice(pieces->text, pieces->at[from].start, pieces->at[i - 1].end);
        from = i + 1;
    }
    return true;
}

static bool translate_format(enum sql_dialect dialect, struct str given, struct str *format)
{
    for (size_t i = 0; i < countof(formats); i++) {
        struct str percent = str_of(formats[i].percent), words = str_of(formats[i].words);
        if (!str_equal(given, percent) && !str_equal(given, words))
            continue;
        *format = dialect == SQL_POSTGRES ? words : percent;
        return true;
    }
    return false;
}

static struct str fill_form(struct arena *arena, const char *form, const struct call *call)
{
    struct buf out;
    struct str text = str_of(form);
    buf_init(&out, 16 * 1024);
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] != '$')
            buf_push_char(&out, text.at[i]);
        else if (text.at[++i] == 'f')
            buf_push(&out, call->format);
        else
            buf_push(&out, call->arguments[text.at[i] - '1']);
    }
    text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

static const char *form_of(enum sql_dialect dialect, const struct rename *rename)
{
    return dialect == SQL_SQLITE     ? rename->sqlite
           : dialect == SQL_POSTGRES ? rename->postgres
                                     : rename->mysql;
}

static void rename_call(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                        size_t i, const struct rename *rename)
{
    struct call call = {.rename = rename};
    size_t count, close = sql_repair_pieces_close(pieces, i + 1);
    const char *form = form_of(at->knows->dialect, rename);
    if (form == NULL || close == pieces->count ||
        !cut_arguments(pieces, i + 1, close, call.arguments, &count) ||
        count != rename->argument_count ||
        (rename->unit != NULL && !str_equal_nocase(call.arguments[0], str_of(rename->unit))))
        return;
    if (rename->format != 0 &&
        !translate_format(at->knows->dialect, call.arguments[rename->format - 1], &call.format))
        return;
    sql_repair_case_edit(at, pieces->at[i].start, pieces->at[close].end,
                         fill_form(at->arena, form, &call), true);
}

/* Whether the function may be unknown: the error says so, or nobody has run the statement yet. */
static bool may_lack(const struct sql_repair_case *at, const char *name)
{
    return str_is_empty(at->error) || (str_find(at->error, STR("no such function")) != STR_NONE &&
                                       str_ends_with_nocase(str_trim(at->error), str_of(name)));
}

/* CONCAT(a, b) of SQLite, which has had it since 3.44 only. */
static void turn_concat(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                        size_t i)
{
    struct str arguments[MAX_ARGUMENTS], text = STR("(");
    size_t count, close = sql_repair_pieces_close(pieces, i + 1);
    if (at->knows->dialect != SQL_SQLITE || close == pieces->count ||
        !cut_arguments(pieces, i + 1, close, arguments, &count) || count < 2)
        return;
    for (size_t j = 0; j < count; j++)
        text = arena_printf(at->arena, "%.*s%s%.*s", STR_ARG(text), j > 0 ? " || " : "",
                            STR_ARG(arguments[j]));
    text = arena_printf(at->arena, "%.*s)", STR_ARG(text));
    sql_repair_case_edit(at, pieces->at[i].start, pieces->at[close].end, text, true);
}

/* EXTRACT(YEAR FROM x) of SQLite, which has none. */
static void turn_extract(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                         size_t i)
{
    static const char *const fields[][2] = {
        {"year", "CAST(strftime('%Y', $1) AS INTEGER)"},
        {"quarter", "((CAST(strftime('%m', $1) AS INTEGER) + 2) / 3)"},
        {"month", "CAST(strftime('%m', $1) AS INTEGER)"},
        {"day", "CAST(strftime('%d', $1) AS INTEGER)"},
        {"hour", "CAST(strftime('%H', $1) AS INTEGER)"},
    };
    size_t close = sql_repair_pieces_close(pieces, i + 1);
    if (at->knows->dialect != SQL_SQLITE || close >= pieces->count || close < i + 5 ||
        !IS(pieces, i + 3, "from"))
        return;
    const struct call call = {
        .arguments = {str_slice(at->sql, pieces->at[i + 4].start, pieces->at[close - 1].end)}};
    for (size_t j = 0; j < countof(fields); j++)
        if (IS(pieces, i + 2, fields[j][0]))
            sql_repair_case_edit(at, pieces->at[i].start, pieces->at[close].end,
                                 fill_form(at->arena, fields[j][1], &call), true);
}

void sql_repair_calls_rename(struct sql_repair_case *at)
{
    const struct sql_repair_pieces pieces =
        sql_repair_pieces_cut(at->knows->dialect, at->sql, at->arena);
    for (size_t i = 0; pieces.at != NULL && i + 1 < pieces.count; i++) {
        if (pieces.at[i].kind != SQL_REPAIR_PIECE_WORD || !IS(&pieces, i + 1, "(") ||
            (i > 0 && IS(&pieces, i - 1, ".")))
            continue;
        if (IS(&pieces, i, "extract"))
            turn_extract(at, &pieces, i);
        if (IS(&pieces, i, "concat") && may_lack(at, "concat"))
            turn_concat(at, &pieces, i);
        for (size_t j = 0; j < countof(renames); j++)
            if (IS(&pieces, i, renames[j].name))
                rename_call(at, &pieces, i, &renames[j]);
    }
}

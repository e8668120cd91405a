/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_text.c - quotes, limits and operators of other dialects.
 *
 * Happy path: pieces that only another dialect writes are replaced by what means the same here.
 * What has no equal here (TOP ... WITH TIES, a cast to an unknown type) is left alone. */
#include "agents/sql/repair/repair_case.h"
#include "agents/sql/repair/repair_pieces.h"

#define IS     sql_repair_pieces_is
#define TEXT   sql_repair_pieces_text
#define INSIDE sql_repair_pieces_inside

static struct sql_repair_pieces cut(struct sql_repair_case *at)
{
    return sql_repair_pieces_cut(at->knows->dialect, at->sql, at->arena);
}

/* ---- quotes ---- */

static bool stands_as_name(const struct sql_repair_pieces *pieces, size_t i)
{
    static const char *const before[] = {".", "from", "join", "as"};
    for (size_t j = 0; i > 0 && j < countof(before); j++)
        if (IS(pieces, i - 1, before[j]))
            return true;
    return IS(pieces, i + 1, ".");
}

static bool is_column_somewhere(const struct catalog *catalog, struct str name)
{
    int table;
    return catalog != NULL && catalog_tables_with_column(catalog, name, &table, 1) > 0;
}

void sql_repair_text_quotes(struct sql_repair_case *at)
{
    const struct sql_repair_pieces pieces = cut(at);
    enum sql_dialect dialect = at->knows->dialect;
    bool names = false; /* double quotes hold names in this statement, not texts */
    for (size_t i = 0; pieces.at != NULL && i < pieces.count; i++)
        names =
            names || (pieces.at[i].kind == SQL_REPAIR_PIECE_DOUBLE && stands_as_name(&pieces, i));
    for (size_t i = 0; pieces.at != NULL && i < pieces.count; i++) {
        enum sql_repair_piece_kind kind = pieces.at[i].kind;
        struct str inside = INSIDE(&pieces, i);
        bool wrong = (kind == SQL_REPAIR_PIECE_BACKTICK && dialect == SQL_POSTGRES) ||
                     (kind == SQL_REPAIR_PIECE_BRACKET && dialect != SQL_SQLITE);
        if (kind == SQL_REPAIR_PIECE_DOUBLE && dialect == SQL_MYSQL && names)
            wrong = stands_as_name(&pieces, i) || is_column_somewhere(at->knows->catalog, inside);
        if (wrong)
            sql_repair_case_edit(at, pieces.at[i].start, pieces.at[i].end,
                                 sql_repair_case_name(at, inside), true);
    }
}

/* ---- limit ---- */

static bool is_number(const struct sql_repair_pieces *pieces, size_t i)
{
    return i < pieces->count && pieces->at[i].kind == SQL_REPAIR_PIECE_NUMBER;
}

static bool has_limit(const struct sql_repair_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        if (pieces->at[i].depth == 0 && (IS(pieces, i, "limit") || IS(pieces, i, "fetch")))
            return true;
    return false;
}

/* SELECT [DISTINCT] TOP 5 ... or TOP (5): LIMIT 5 at the end. */
static void move_top(struct sql_repair_case *at, const struct sql_repair_pieces *pieces)
{
    size_t i = 1, last = pieces->count - 1;
    if (!IS(pieces, 0, "select") || has_limit(pieces))
        return;
    i += IS(pieces, i, "distinct") || IS(pieces, i, "all");
    if (!IS(pieces, i, "top"))
        return;
    bool parens = IS(pieces, i + 1, "(");
    size_t number = i + 1 + parens, end = number + parens;
    if (!is_number(pieces, number) || (parens && !IS(pieces, end, ")")) ||
        IS(pieces, end + 1, "percent") || IS(pieces, end + 1, "with"))
        return;
    struct str limit = arena_printf(at->arena, "\nLIMIT %.*s", STR_ARG(TEXT(pieces, number)));
    sql_repair_case_edit(at, pieces->at[i].start, pieces->at[end + 1].start, STR(""), false);
    sql_repair_case_edit(at, pieces->at[last].end, at->sql.len, limit, false);
    buf_printf(&at->note, "%sTOP %.*s -> LIMIT", buf_len(&at->note) > 0 ? ", " : "",
               STR_ARG(TEXT(pieces, number)));
}

/* [OFFSET m ROWS] FETCH FIRST n ROWS ONLY: LIMIT n [OFFSET m]. */
static void turn_fetch(struct sql_repair_case *at, const struct sql_repair_pieces *pieces, size_t i)
{
    struct str count = STR("1"), skip = STR("");
    size_t start = i, end = i + 2;
    if (!IS(pieces, i + 1, "first") && !IS(pieces, i + 1, "next"))
        return;
    if (is_number(pieces, end))
        count = TEXT(pieces, end++);
    if ((!IS(pieces, end, "row") && !IS(pieces, end, "rows")) || !IS(pieces, end + 1, "only"))
        return;
    size_t offset = i >= 3 && (IS(pieces, i - 1, "rows") || IS(pieces, i - 1, "row")) ? i - 3 : i;
    if (offset != i && IS(pieces, offset, "offset") && is_number(pieces, offset + 1)) {
        start = offset;
        skip = arena_printf(at->arena, " OFFSET %.*s", STR_ARG(TEXT(pieces, offset + 1)));
    }
    struct str limit = arena_printf(at->arena, "LIMIT %.*s%.*s", STR_ARG(count), STR_ARG(skip));
    sql_repair_case_edit(at, pieces->at[start].start, pieces->at[end + 1].end, limit, true);
}

void sql_repair_text_limit(struct sql_repair_case *at)
{
    const struct sql_repair_pieces pieces = cut(at);
    if (pieces.at == NULL || pieces.count < 2)
        return;
    move_top(at, &pieces);
    for (size_t i = 0; i < pieces.count; i++) {
        if (pieces.at[i].depth > 0)
            continue;
        if (at->knows->dialect != SQL_POSTGRES && IS(&pieces, i, "fetch"))
            turn_fetch(at, &pieces, i);
        if (at->knows->dialect == SQL_POSTGRES && IS(&pieces, i, "limit") &&
            is_number(&pieces, i + 1) && IS(&pieces, i + 2, ",") && is_number(&pieces, i + 3)) {
            struct str limit =
                arena_printf(at->arena, "LIMIT %.*s OFFSET %.*s", STR_ARG(TEXT(&pieces, i + 3)),
                             STR_ARG(TEXT(&pieces, i + 1)));
            sql_repair_case_edit(at, pieces.at[i].start, pieces.at[i + 3].end, limit, true);
        }
    }
}

/* ---- operators ---- */

/* What CAST needs to mean x::type, with $ for x; NULL: nothing means the same. */
static const char *cast_of(enum sql_dialect dialect, struct str type)
{
    static const struct {
        const char *type, *sqlite, *mysql;
    } casts[] = {
        {"int", "CAST($ AS INTEGER)", "CAST($ AS SIGNED)"},
        {"integer", "CAST($ AS INTEGER)", "CAST($ AS SIGNED)"},
        {"bigint", "CAST($ AS INTEGER)", "CAST($ AS SIGNED)"},
        {"int4", "CAST($ AS INTEGER)", "CAST($ AS SIGNED)"},
        {"int8", "CAST($ AS INTEGER)", "CAST($ AS SIGNED)"},
        {"float", "CAST($ AS REAL)", "CAST($ AS DOUBLE)"},
        {"float8", "CAST($ AS REAL)", "CAST($ AS DOUBLE)"},
        {"real", "CAST($ AS REAL)", "CAST($ AS DOUBLE)"},
        {"numeric", "CAST($ AS NUMERIC)", NULL},
        {"decimal", "CAST($ AS NUMERIC)", NULL},
        {"text", "CAST($ AS TEXT)", "CAST($ AS CHAR)"},
        {"varchar", "CAST($ AS TEXT)", "CAST($ AS CHAR)"},
        {"date", "date($)", "CAST($ AS DATE)"},
        {"timestamp", "datetime($)", "CAST($ AS DATETIME)"},
    };
    for (size_t i = 0; i < countof(casts); i++)
        if (str_equal_nocase(type, str_of(casts[i].type)))
            return dialect == SQL_SQLITE ? casts[i].sqlite : casts[i].mysql;
    return NULL;
}

static void turn_cast(struct sql_repair_case *at, const struct sql_repair_pieces *pieces, size_t i)
{
    if (i == 0 || i + 2 >= pieces->count || !IS(pieces, i + 1, ":") ||
        pieces->at[i].end != pieces->at[i + 1].start || IS(pieces, i + 3, "(") ||
        pieces->at[i + 2].kind != SQL_REPAIR_PIECE_WORD)
        return;
    const char *cast = cast_of(at->knows->dialect, TEXT(pieces, i + 2));
    size_t start = sql_repair_pieces_operand(pieces, i);
    if (cast == NULL || pieces->at[start].kind == SQL_REPAIR_PIECE_SIGN)
        return;
    struct str form = str_of(cast), operand;
    operand = str_slice(at->sql, pieces->at[start].start, pieces->at[i - 1].end);
    size_t dollar = (size_t)str_find_char(form, '$');
    struct str text = arena_printf(at->arena, "%.*s%.*s%.*s", STR_ARG(str_slice(form, 0, dollar)),
                                   STR_ARG(operand), STR_ARG(str_from(form, dollar + 1)));
    sql_repair_case_edit(at, pieces->at[start].start, pieces->at[i + 2].end, text, true);
}

static bool is_pipe(const struct sql_repair_pieces *pieces, size_t i)
{
    return IS(pieces, i, "|") && IS(pieces, i + 1, "|") &&
           pieces->at[i].end == pieces->at[i + 1].start;
}

static bool is_comparison(const struct sql_repair_pieces *pieces, size_t i)
{
    static const char *const signs[] = {"=", "<", ">", "!", "like", "in", "is", "between", "not"};
    for (size_t j = 0; j < countof(signs); j++)
        if (IS(pieces, i, signs[j]))
            return true;
    return false;
}

/* Past the operand that begins at i: a name with its qualifiers, a literal, a call, parentheses. */
static size_t end_of_operand(const struct sql_repair_pieces *pieces, size_t i)
{
    if (i >= pieces->count)
        return i;
    if (!IS(pieces, i, "(") && pieces->at[i].kind == SQL_REPAIR_PIECE_SIGN)
        return i;
    while (IS(pieces, i + 1, ".") && i + 2 < pieces->count)
        i += 2;
    size_t open = IS(pieces, i, "(") ? i : i + 1;
    size_t close = IS(pieces, open, "(") ? sql_repair_pieces_close(pieces, open) : i;
    return size_min(close + 1, pieces->count);
}

/* a || ' ' || b: OR in MySQL, the joining of texts elsewhere. What may be a condition (a text that
 * is compared, then ||) is left alone. */
static size_t turn_pipes(struct sql_repair_case *at, const struct sql_repair_pieces *pieces,
                         size_t i)
{
    const size_t first = sql_repair_pieces_operand(pieces, i);
    const bool is_compared = first > 0 && is_comparison(pieces, first - 1);
    bool has_text = !is_compared && pieces->at[first].kind == SQL_REPAIR_PIECE_STRING;
    struct str text = str_slice(at->sql, pieces->at[first].start, pieces->at[i - 1].end);
    size_t end = i;
    while (is_pipe(pieces, end)) {
        const size_t from = end + 2;
        end = end_of_operand(pieces, from);
        if (end == from)
            return i + 2;
        has_text =
            has_text || (end == from + 1 && pieces->at[from].kind == SQL_REPAIR_PIECE_STRING);
        text = arena_printf(
            at->arena, "%.*s, %.*s", STR_ARG(text),
            STR_ARG(str_slice(at->sql, pieces->at[from].start, pieces->at[end - 1].end)));
    }
    if (has_text && !(is_compared && is_comparison(pieces, end)))
        sql_repair_case_edit(at, pieces->at[first].start, pieces->at[end - 1].end,
                             arena_printf(at->arena, "CONCAT(%.*s)", STR_ARG(text)), true);
    return end;
}

/* x = NULL and x <> NULL, which no row passes in any dialect. */
static void turn_null(struct sql_repair_case *at, const struct sql_repair_pieces *pieces, size_t i)
{
    size_t first = i - 1;
    if (!IS(pieces, i, "null") || (!IS(pieces, first, "=") && !IS(pieces, first, ">")))
        return;
    const bool is_unequal =
        IS(pieces, first, "=") ? IS(pieces, first - 1, "!") : IS(pieces, first - 1, "<");
    if (IS(pieces, first, ">") && !is_unequal)
        return;
    first -= is_unequal || (first > 0 && IS(pieces, first - 1, "="));
    if (first == 0 || pieces->at[first - 1].kind == SQL_REPAIR_PIECE_SIGN) /* :=, <=, (... ) */
        return;
    struct str text = is_unequal ? STR(" IS NOT NULL") : STR(" IS NULL");
    if (pieces->at[first - 1].end < pieces->at[first].start)
        text = str_from(text, 1);
    sql_repair_case_edit(at, pieces->at[first].start, pieces->at[i].end, text, true);
}

void sql_repair_text_operators(struct sql_repair_case *at)
{
    const struct sql_repair_pieces pieces = cut(at);
    if (pieces.at == NULL)
        return;
    for (size_t i = 2; i < pieces.count; i++)
        turn_null(at, &pieces, i);
    if (at->knows->dialect == SQL_POSTGRES)
        return;
    for (size_t i = 1; at->knows->dialect == SQL_MYSQL && i < pieces.count; i++)
        if (is_pipe(&pieces, i))
            i = turn_pipes(at, &pieces, i) - 1;
    for (size_t i = 0; i < pieces.count; i++) {
        if (IS(&pieces, i, "ilike"))
            sql_repair_case_edit(at, pieces.at[i].start, pieces.at[i].end, STR("LIKE"), true);
        else if (IS(&pieces, i, ":"))
            turn_cast(at, &pieces, i);
    }
}

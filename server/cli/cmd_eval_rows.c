/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_rows.c - cells as text, then columns matched to columns, then rows to rows.
 *
 * Happy path: each column of gold, the expected rows, is matched with a column of the answer that
 * holds the same values, and under one such choice the rows are the same.
 * Failure paths: no such choice, or none among the first TRIES; no memory: not the same. */
#include "server/cli/cmd_eval_rows.h"

#include <math.h>
#include <stdlib.h>

#include "agents/sql/postgres/parse_pg_lexer.h"
#include "proto/json_value.h"

enum { MAX_COLUMNS = 64, TRIES = 20000 };

static struct str number_text(struct arena *arena, double value)
{
    if (fabs(value) >= 1e15)
        return arena_printf(arena, "%.12g", value);
    struct str text = arena_printf(arena, "%.6f", value);
    while (text.len > 0 && text.at[text.len - 1] == '0')
        text.len--;
    text.len -= text.len > 0 && text.at[text.len - 1] == '.';
    return str_equal(text, STR("-0")) ? STR("0") : text;
}

static struct str decimal_text(struct arena *arena, struct str digits)
{
    double value;
    return str_to_double(digits, &value) ? number_text(arena, value) : digits;
}

static struct str json_text(struct arena *arena, const struct json_value *cell)
{
    switch (cell->type) {
    case JSON_NULL:
        return STR("\x01");
    case JSON_BOOL:
        return cell->boolean ? STR("1") : STR("0");
    case JSON_INT:
    case JSON_DOUBLE:
        return decimal_text(arena, cell->text);
    case JSON_STRING:
        return cell->text;
    default:
        return STR("");
    }
}

static struct str value_text(struct arena *arena, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_NULL:
        return STR("\x01");
    case SQL_BOOL:
        return value->integer != 0 ? STR("1") : STR("0");
    case SQL_INT:
        return number_text(arena, (double)value->integer);
    case SQL_REAL:
        return number_text(arena, value->real);
    case SQL_DECIMAL:
        return decimal_text(arena, value->text);
    default:
        return arena_str(arena, value->text);
    }
}

bool cmd_eval_rows_read(struct arena *arena, const struct json_value *data,
                        struct cmd_eval_rows *rows)
{
    const struct json_value *list = json_value_find(data, "/rows");
    const struct json_value *truncated = json_value_find(data, "/truncated");
    *rows = (struct cmd_eval_rows){0};
    if (list == NULL || list->type != JSON_ARRAY)
        return false;
    rows->row_count = list->count;
    rows->column_count = list->first == NULL ? 0 : list->first->count;
    rows->truncated = truncated != NULL && truncated->type == JSON_BOOL && truncated->boolean;
    struct str *cells = arena_array(arena, rows->row_count * rows->column_count + 1, sizeof *cells);
    size_t i = 0;
    if (cells == NULL)
        return false;
    JSON_EACH(row, list) {
        if (row->count != rows->column_count)
            return false;
        JSON_EACH(cell, row)
            cells[i++] = json_text(arena, cell);
    }
    rows->cells = cells;
    return arena_ok(arena);
}

bool cmd_eval_rows_of(struct arena *arena, const struct sql_result *result,
                      struct cmd_eval_rows *rows)
{
    size_t count = result->row_count * result->column_count;
    struct str *cells = arena_array(arena, count + 1, sizeof *cells);
    *rows =
        (struct cmd_eval_rows){cells, result->row_count, result->column_count, result->truncated};
    for (size_t i = 0; cells != NULL && i < count; i++)
        cells[i] = value_text(arena, &result->values[i]);
    return arena_ok(arena);
}

/* ---- comparing ---- */

static int compare_texts(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Whether each of few is among many as often, when both are sorted. */
static bool is_within(const struct str *few, size_t few_count, const struct str *many,
                      size_t many_count)
{
    size_t at = 0;
    for (size_t i = 0; i < few_count; i++, at++) {
        while (at < many_count && str_compare(many[at], few[i]) < 0)
            at++;
        if (at == many_count || !str_equal(many[at], few[i]))
            return false;
    }
    return true;
}

/* Make one text of each row, of the columns picked, in their order. */
static struct str *join_rows(struct arena *arena, const struct cmd_eval_rows *rows,
                             const size_t *picked, size_t count)
{
    struct str *texts = arena_array(arena, rows->row_count + 1, sizeof *texts);
    for (size_t r = 0; texts != NULL && r < rows->row_count; r++) {
        const struct str *row = &rows->cells[r * rows->column_count];
        size_t len = 0;
        for (size_t c = 0; c < count; c++)
            len += row[picked[c]].len + 1;
        char *text = arena_alloc(arena, len + 1);
        if (text == NULL)
            return NULL;
        len = 0;
        for (size_t c = 0; c < count; c++) {
            for (size_t i = 0; i < row[picked[c]].len; i++)
                text[len++] = row[picked[c]].at[i];
            text[len++] = '\x1f';
        }
        texts[r] = str_make(text, len);
    }
    return texts;
}

static bool same_texts(struct arena *arena, const struct cmd_eval_rows *gold,
                       const size_t *gold_columns, const struct cmd_eval_rows *answer,
                       const size_t *answer_columns, size_t count, bool ordered)
{
    struct str *want = join_rows(arena, gold, gold_columns, count);
    struct str *got = join_rows(arena, answer, answer_columns, count);
    if (want == NULL || got == NULL)
        return false;
    if (ordered) {
        for (size_t i = 0; i < answer->row_count; i++)
            if (!str_equal(want[i], got[i]))
                return false;
        return true;
    }
    qsort(want, gold->row_count, sizeof *want, compare_texts);
    qsort(got, answer->row_count, sizeof *got, compare_texts);
    return is_within(got, answer->row_count, want, gold->row_count);
}

struct matching {
    struct arena *arena;
    const struct cmd_eval_rows *gold, *answer;
    bool ordered;
    bool fits[MAX_COLUMNS][MAX_COLUMNS]; /* gold's column, the answer's */
    size_t all[MAX_COLUMNS], picked[MAX_COLUMNS];
    unsigned tries;
};

/* Choose a column for gold's column at and all behind it. */
static bool match_from(struct matching *m, size_t at)
{
    if (at == m->gold->column_count)
        return ++m->tries <= TRIES &&
               same_texts(m->arena, m->gold, m->all, m->answer, m->picked, at, m->ordered);
    for (size_t c = 0; c < m->answer->column_count && m->tries < TRIES; c++) {
        bool taken = false;
        for (size_t i = 0; i < at; i++)
            taken = taken || m->picked[i] == c;
        if (taken || !m->fits[at][c])
            continue;
        m->picked[at] = c;
        if (match_from(m, at + 1))
            return true;
    }
    return false;
}

bool cmd_eval_rows_same(struct arena *arena, const struct cmd_eval_rows *gold,
                        const struct cmd_eval_rows *answer, bool ordered)
{
    bool enough = answer->truncated ? gold->row_count > answer->row_count || gold->truncated
                                    : gold->row_count == answer->row_count;
    if (!enough || gold->column_count > MAX_COLUMNS || answer->column_count > MAX_COLUMNS)
        return false;
    if (answer->row_count == 0)
        return true;
    if (answer->column_count < gold->column_count)
        return false;
    struct matching *m = arena_alloc(arena, sizeof *m);
    if (m == NULL)
        return false;
    m->arena = arena;
    m->gold = gold;
    m->answer = answer;
    m->ordered = ordered;
    for (size_t g = 0; g < gold->column_count; g++) {
        m->all[g] = g;
        for (size_t c = 0; c < answer->column_count; c++)
            m->fits[g][c] = same_texts(arena, gold, &m->all[g], answer, &c, 1, ordered);
    }
    return match_from(m, 0);
}

bool cmd_eval_rows_ordered(struct arena *arena, enum sql_dialect dialect, struct str sql)
{
    struct sql_parse_pg_tokens pg;
    struct sql_tokens tokens;
    struct err err = {0};
    const char *rule;
    unsigned depth = 0;
    enum err_code code = dialect == SQL_POSTGRES
                             ? sql_parse_pg_lexer_scan(sql, arena, &pg, &rule, &err)
                             : sql_lexer_scan(dialect, sql, arena, &tokens, &rule, &err);
    if (code != ERR_OK)
        return false;
    if (dialect == SQL_POSTGRES)
        tokens = pg.tokens;
    for (size_t i = 0; i + 1 < tokens.count; i++) {
        const struct sql_token *token = &tokens.at[i];
        depth += token->kind == SQL_TOKEN_LEFT;
        depth -= token->kind == SQL_TOKEN_RIGHT && depth > 0;
        if (depth == 0 && token->kind == SQL_TOKEN_WORD &&
            str_equal_nocase(sql_lexer_text(&tokens, token), STR("order")) &&
            str_equal_nocase(sql_lexer_text(&tokens, token + 1), STR("by")))
            return true;
    }
    return false;
}

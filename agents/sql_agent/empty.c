/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/empty.c - looks for "column = 'text'" where the column's indexed values lack the
 * text.
 *
 * Happy path: scan the tokens for a column, '=' and a string; resolve the column through the parse;
 * ask the value index. Anything not understood is no reason: an empty answer is an answer. */
#include "agents/sql_agent/empty.h"

#include "agents/offline/lexicon.h"
#include "agents/sql/lexer.h"
#include "agents/sql/parse.h"

/* The resolved column whose reference ends at offset, or NULL. */
static const struct sql_column_ref *column_ending_at(const struct sql_parse *parse, size_t offset)
{
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].span.end == offset && parse->columns[i].table_ref >= 0)
            return &parse->columns[i];
    return NULL;
}

static struct str lacking_value(const struct knowledge *knows, const struct sql_parse *parse,
                                const struct sql_tokens *tokens, size_t at, struct arena *arena)
{
    const struct sql_column_ref *column = column_ending_at(parse, tokens->at[at].end);
    if (column == NULL || column->column == CATALOG_NONE)
        return (struct str){NULL, 0};
    int table = parse->tables[column->table_ref].table;
    struct str value = sql_lexer_spelling(tokens, &tokens->at[at + 2], arena);
    if (table == CATALOG_NONE || !lexicon_lacks(knows->lexicon, table, column->column, value))
        return (struct str){NULL, 0};
    return arena_printf(
        arena, "the last statement found no rows, and '%.*s' is not a value of %.*s.%.*s",
        STR_ARG(value), STR_ARG(knows->catalog->tables[table].name), STR_ARG(column->name));
}

struct str sql_agent_empty_reason(const struct knowledge *knows, struct str sql,
                                  struct arena *arena)
{
    const struct sql_parse *parse;
    struct sql_tokens tokens;
    const char *rule;
    struct err err;
    struct str none = {NULL, 0};
    if (knows->lexicon == NULL ||
        sql_parse_statement(knows->dialect, sql, knows->catalog, arena, &parse, &rule, &err) !=
            ERR_OK ||
        sql_lexer_scan(knows->dialect, sql, arena, &tokens, &rule, &err) != ERR_OK)
        return none;
    for (size_t i = 0; i + 2 < tokens.count; i++) {
        if (tokens.at[i + 1].kind != SQL_TOKEN_EQUAL || tokens.at[i + 2].kind != SQL_TOKEN_STRING)
            continue;
        struct str reason = lacking_value(knows, parse, &tokens, i, arena);
        if (!str_is_absent(reason))
            return reason;
    }
    return none;
}

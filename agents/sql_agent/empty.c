/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/empty.c - looks for column = 'text' where the text is none of the column's
 * values that were read.
 *
 * Happy path: visit the statement's equalities; resolve the column through the parse; ask for the
 * column's values. Those of columns that were read whole were looked at before the statement ran
 * (agents/nodes/literals.h). Anything not understood (an escape, an expression) is no reason: an
 * empty answer is an answer. */
#include "agents/sql_agent/empty.h"

#include "agents/lexicon/column_values.h"
#include "agents/sql/grammar/tree_walk.h"

enum { NEAREST = 1 };

struct search {
    struct sql_tree_walk walk;
    const struct lexicon *lexicon;
    const struct sql_parse *parse;
    struct arena *arena;
    struct str reason;
};

/* The text of a plain 'literal'; absent: it is something else. */
static struct str literal_of(const struct search *search, const struct sql_expr *expr)
{
    struct str text = str_slice(search->parse->text, expr->span.start, expr->span.end);
    if (expr->kind != SQL_EXPR_LITERAL || text.len < 2 || text.at[0] != '\'' ||
        text.at[text.len - 1] != '\'' || str_find_char(text, '\\') != STR_NONE)
        return (struct str){NULL, 0};
    char *to = arena_alloc(search->arena, text.len);
    size_t len = 0;
    for (size_t i = 1; to != NULL && i + 1 < text.len; i++) {
        to[len++] = text.at[i];
        i += text.at[i] == '\''; /* the second of a doubled quote */
    }
    return to == NULL ? (struct str){NULL, 0} : str_make(to, len);
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct search *search = container_of(walk, struct search, walk);
    if (expr->kind != SQL_EXPR_EQUAL || !str_is_absent(search->reason))
        return;
    const struct sql_expr *left = expr->children, *right = expr->children->next;
    bool turned = right->kind == SQL_EXPR_NAME;
    const struct sql_column_ref *column = sql_parse_column_at(search->parse, turned ? right : left);
    struct str value = literal_of(search, turned ? left : right);
    if (column == NULL || str_is_absent(value))
        return;
    int table = search->parse->tables[column->table_ref].table;
    if (table == CATALOG_NONE ||
        lexicon_column_values_may_have(search->lexicon, table, column->column, value))
        return;
    struct str near[NEAREST] = {{NULL, 0}};
    size_t count =
        lexicon_column_values_nearest(search->lexicon, table, column->column, value, near, NEAREST);
    search->reason = arena_printf(
        search->arena,
        "the last statement found no rows, and '%.*s' is not among the values of %.*s.%.*s that "
        "are known%s%.*s%s",
        STR_ARG(value), STR_ARG(search->lexicon->catalog->tables[table].name),
        STR_ARG(column->name), count > 0 ? ", of which the nearest is '" : "", STR_ARG(near[0]),
        count > 0 ? "'" : "");
}

struct str sql_agent_empty_reason(const struct lexicon *lexicon, const struct sql_parse *parse,
                                  struct arena *arena)
{
    struct search search = {
        .walk = {.on_expr = on_expr}, .lexicon = lexicon, .parse = parse, .arena = arena};
    sql_tree_walk_select(&search.walk, parse->tree);
    return search.reason;
}

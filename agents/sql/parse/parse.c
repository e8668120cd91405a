/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/parse.c - text -> sql_parse, by dialect.
 *
 * Happy path: tokens, tree, resolved names, flags. Failure: whatever stops the lexer, the grammar
 * or the scope, under its rule; a dialect that has no parser here; no memory. */
#include "agents/sql/parse/parse.h"

#include "agents/sql/grammar/grammar.h"
#include "agents/sql/grammar/lexer.h"
#include "agents/sql/postgres/parse_pg.h"
#include "agents/sql/parse/scope.h"

static void copy_flags(const struct sql_tree *tree, struct sql_parse *parse)
{
    parse->statement = tree->statement;
    parse->limit = tree->select->limit;
    parse->has_with = tree->has_with;
    parse->has_recursive = tree->has_recursive;
    parse->has_set_operation = tree->has_set_operation;
    parse->has_subquery = tree->has_subquery;
    parse->has_placeholder = tree->has_placeholder;
    parse->has_session_variable = tree->has_session_variable;
    parse->has_natural = tree->has_natural;
    parse->has_group_by = tree->has_group_by;
    parse->has_order_by = tree->has_order_by;
    parse->nesting = tree->nesting;
    parse->select_items = tree->select_items;
    parse->tree = tree->select;
}

/* SQLite and MySQL: the grammar of this folder. */
static enum err_code parse_by_grammar(const struct catalog *catalog, struct arena *arena,
                                      struct sql_parse *parse, const char **rule, struct err *err)
{
    struct sql_tokens tokens;
    enum err_code code = sql_lexer_scan(parse->dialect, parse->text, arena, &tokens, rule, err);
    if (code != ERR_OK)
        return code;
    struct sql_tree tree;
    code = sql_grammar_parse(&tokens, arena, &tree, rule, err);
    if (code != ERR_OK)
        return code;
    copy_flags(&tree, parse);
    parse->has_comment = tokens.has_comment;
    parse->has_hint = tokens.has_hint;
    parse->has_executable_comment = tokens.has_executable_comment;
    parse->tokens = tokens.at;
    parse->token_count = tokens.count;
    return sql_scope_resolve(&tree, catalog, arena, parse, rule, err);
}

/* PostgreSQL: its own. */
static enum err_code parse_by_pg(const struct catalog *catalog, struct arena *arena,
                                 struct sql_parse *parse, const char **rule, struct err *err)
{
    struct sql_tree tree;
    enum err_code code = sql_parse_pg(parse, catalog, arena, &tree, rule, err);
    if (code != ERR_OK)
        return code;
    copy_flags(&tree, parse);
    return sql_scope_resolve(&tree, catalog, arena, parse, rule, err);
}

enum err_code sql_parse_statement(enum sql_dialect dialect, struct str text,
                                  const struct catalog *catalog, struct arena *arena,
                                  const struct sql_parse **out, const char **rule, struct err *err)
{
    static const struct str schemas[] = {
        [SQL_SQLITE] = {"main", 4}, [SQL_POSTGRES] = {"public", 6}, [SQL_MYSQL] = {NULL, 0}};
    return sql_parse_statement_in(dialect, schemas[dialect], text, catalog, arena, out, rule, err);
}

enum err_code sql_parse_statement_in(enum sql_dialect dialect, struct str default_schema,
                                     struct str text, const struct catalog *catalog,
                                     struct arena *arena, const struct sql_parse **out,
                                     const char **rule, struct err *err)
{
    *out = NULL;
    *rule = "memory"; /* of ERR_NO_MEMORY; a refusal names its own */
    struct sql_parse *parse = arena_alloc(arena, sizeof *parse);
    if (parse == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to parse the statement");
    parse->dialect = dialect;
    parse->text = text;
    parse->default_schema = default_schema;
    enum err_code code = ERR_REJECTED;
    switch (dialect) {
    case SQL_SQLITE:
    case SQL_MYSQL:
        code = parse_by_grammar(catalog, arena, parse, rule, err);
        break;
    case SQL_POSTGRES:
        code = parse_by_pg(catalog, arena, parse, rule, err);
        break;
    }
    if (code == ERR_OK)
        *out = parse;
    return code;
}

const struct sql_column_ref *sql_parse_column_at(const struct sql_parse *parse,
                                                 const struct sql_expr *expr)
{
    for (size_t i = 0; expr->kind == SQL_EXPR_NAME && i < parse->column_count; i++)
        if (parse->columns[i].span.start == expr->span.start && parse->columns[i].table_ref >= 0 &&
            parse->columns[i].column != CATALOG_NONE)
            return &parse->columns[i];
    return NULL;
}

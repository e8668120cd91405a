/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg.c - text -> tokens -> libpg_query -> nodes -> our tree.
 *
 * Happy path: the tokens are bounded, PostgreSQL's parser takes the text, its one statement is a
 * SELECT, every part of its tree has found a place in ours.
 * Failure: what the tokens refuse; a syntax error, with PostgreSQL's own words and their place;
 * none, several or other statements; a part nobody looked at. libpg_query's memory is its own and
 * freed before return. */
#include "agents/sql/postgres/parse_pg.h"

#include <pg_query.h>

#include "agents/sql/postgres/parse_pg_state.h"

/* libpg_query counts characters from 1; 0: no place. */
static size_t offset_of(struct str text, int character)
{
    size_t at = 0;
    for (int n = 1; n < character && at < text.len; n++) {
        at++;
        while (at < text.len && ((unsigned char)text.at[at] & 0xc0u) == 0x80u)
            at++;
    }
    return at;
}

static bool has_nocase(struct str text, struct str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (str_equal_nocase(str_slice(text, i, i + word.len), word))
            return true;
    return false;
}

/* What to write instead of what newer PostgreSQLs read and the parser, which is 15's, does not. */
static struct str advice_for(struct str text, struct str message)
{
    static const struct {
        const char *message, *text, *advice;
    } known[] = {
        {"multiple limit options", "", "; put the inner query into FROM (...) AS inside"},
        {"must have an alias", "", "; write AS and a name behind it"},
        {"syntax error", "json",
         "; the JSON syntax of PostgreSQL 16 and 17 is not read here: use jsonb's "
         "operators and functions, as in a ->> 'b'"},
        {"syntax error", "at local", "; AT LOCAL is not read here: name the time zone"},
    };
    for (size_t i = 0; i < countof(known); i++)
        if (str_find(message, str_of(known[i].message)) != STR_NONE &&
            has_nocase(text, str_of(known[i].text)))
            return str_of(known[i].advice);
    return STR("");
}

static enum err_code refuse_syntax(struct str text, const PgQueryError *error, const char **rule,
                                   struct err *err)
{
    struct str message = str_of(error->message);
    if (str_find(message, STR("out of memory")) != STR_NONE)
        return err_set(err, ERR_NO_MEMORY, "no memory to parse the statement");
    size_t line, column;
    struct str advice = advice_for(text, message);
    sql_lexer_place(text, offset_of(text, error->cursorpos), &line, &column);
    *rule = str_find(message, STR("stack depth")) != STR_NONE ||
                    str_find(message, STR("memory exhausted")) != STR_NONE
                ? "nesting"
                : "syntax";
    return err_set(err, ERR_REJECTED, "line %zu, column %zu: %.*s%.*s", line, column,
                   STR_ARG(str_utf8_prefix(message, ERR_TEXT_BYTES / 2)), STR_ARG(advice));
}

/* The members of the one SelectStmt, or NULL having given up. */
static struct sql_parse_pg_node *find_select(struct sql_parse_pg_state *p,
                                             struct sql_parse_pg_nodes *nodes)
{
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(nodes->root, STR("stmts"));
    struct sql_parse_pg_node *first = list == NULL ? NULL : list->first;
    nodes->root->seen = true;
    if (first == NULL)
        return sql_parse_pg_state_refuse(p, "select_only", p->pg.tokens.count,
                                         "there is no statement; write a SELECT");
    first->seen = true;
    if (first->next != NULL)
        return sql_parse_pg_state_refuse(
            p, "multiple_statements",
            sql_parse_pg_lexer_at(
                &p->pg, (size_t)sql_parse_pg_node_number(first->next, STR("stmt_location"))),
            "a second statement begins here; send one at a time");
    struct sql_parse_pg_node *inner =
        sql_parse_pg_node_enter(sql_parse_pg_node_get(first, STR("stmt")));
    if (!sql_parse_pg_node_of(inner, STR("SelectStmt")))
        return sql_parse_pg_state_refuse(p, "select_only", 0,
                                         "only a SELECT is accepted and this is another kind of "
                                         "statement; write a SELECT");
    return inner;
}

static void convert(struct sql_parse_pg_state *p, struct sql_parse_pg_nodes *nodes)
{
    struct sql_parse_pg_node *select = find_select(p, nodes);
    size_t end = p->pg.tokens.count - 1;
    if (select == NULL)
        return;
    while (end > 0 && sql_parse_pg_state_kind(p, end - 1) == SQL_TOKEN_SEMICOLON)
        end--;
    size_t start = 0;
    while (start < end && sql_parse_pg_state_kind(p, start) == SQL_TOKEN_SEMICOLON)
        start++;
    p->tree->statement = sql_parse_pg_state_span(p, start, end - 1);
    p->tree->select =
        sql_parse_pg_select_convert(p, select, (struct sql_parse_pg_range){start, end - 1});
    const struct sql_parse_pg_node *unseen = sql_parse_pg_node_unseen(nodes);
    if (!p->failed && unseen != NULL)
        sql_parse_pg_state_unknown(p, unseen);
}

static enum err_code read_tree(struct sql_parse_pg_state *p, const char *json)
{
    struct sql_parse_pg_nodes nodes;
    enum err_code code = sql_parse_pg_node_read(str_of(json), p->arena, &nodes, p->err);
    if (code != ERR_OK)
        return code;
    convert(p, &nodes);
    if (!p->failed && !arena_ok(p->arena))
        return err_set(p->err, ERR_NO_MEMORY, "no memory for the statement's tree");
    return p->failed ? p->code : ERR_OK;
}

enum err_code sql_parse_pg(struct sql_parse *parse, const struct catalog *catalog,
                           struct arena *arena, struct sql_tree *tree, const char **rule,
                           struct err *err)
{
    struct sql_parse_pg_state p = {
        .catalog = catalog, .arena = arena, .tree = tree, .rule = rule, .err = err};
    *tree = (struct sql_tree){0};
    enum err_code code = sql_parse_pg_lexer_scan(parse->text, arena, &p.pg, rule, err);
    if (code != ERR_OK)
        return code;
    parse->has_comment = p.pg.tokens.has_comment;
    parse->has_hint = p.pg.tokens.has_hint;
    parse->has_executable_comment = p.pg.tokens.has_executable_comment;
    parse->tokens = p.pg.tokens.at;
    parse->token_count = p.pg.tokens.count;
    tree->nesting = p.pg.nesting;
    const char *text = sql_parse_pg_lexer_blank(&p.pg, arena);
    if (text == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to parse the statement");
    PgQueryParseResult result = pg_query_parse(text);
    if (result.error != NULL)
        code = refuse_syntax(parse->text, result.error, rule, err);
    else
        code = read_tree(&p, result.parse_tree);
    pg_query_free_parse_result(result);
    return code;
}

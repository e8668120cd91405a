/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar.c - one statement, and nothing after it.
 *
 * Happy path: SELECT or WITH begins it, the grammar reads to the end or to semicolons that nothing
 * follows. Failure: another kind of statement, a second one, what the grammar_* files refuse. */
#include "agents/sql/grammar/grammar.h"

#include "agents/sql/grammar/grammar_cursor.h"
#include "agents/sql/grammar/grammar_select.h"

/* MySQL's statement may begin with parentheses. */
static bool begins_in_parens(const struct sql_grammar_cursor *c)
{
    size_t i = c->at;
    while (c->tokens->at[i].kind == SQL_TOKEN_LEFT)
        i++;
    return sql_grammar_cursor_is_mysql(c) && i > c->at &&
           sql_grammar_select_opens(c, (enum sql_word)c->tokens->at[i].word);
}

static void refuse_kind(struct sql_grammar_cursor *c)
{
    if (sql_grammar_select_opens(c, (enum sql_word)sql_grammar_cursor_peek(c, 0)->word) ||
        begins_in_parens(c))
        return;
    if (!sql_grammar_cursor_is(c, SQL_TOKEN_WORD))
        sql_grammar_cursor_unexpected(c, "a SELECT statement");
    else
        sql_grammar_cursor_refuse(c, "select_only",
                                  "only a SELECT is accepted and this is another kind of "
                                  "statement; write a SELECT");
}

static void refuse_second(struct sql_grammar_cursor *c)
{
    bool ended = false;
    for (size_t i = 0; i + 1 < c->tokens->count; i++) {
        bool semicolon = c->tokens->at[i].kind == SQL_TOKEN_SEMICOLON;
        if (ended && !semicolon) {
            c->at = i;
            sql_grammar_cursor_refuse(c, "multiple_statements",
                                      "a second statement begins here; send one at a time");
            return;
        }
        ended = ended || semicolon;
    }
}

enum err_code sql_grammar_parse(const struct sql_tokens *tokens, struct arena *arena,
                                struct sql_tree *tree, const char **rule, struct err *err)
{
    *tree = (struct sql_tree){0};
    struct sql_grammar_cursor c = {
        .tokens = tokens, .arena = arena, .tree = tree, .rule = rule, .err = err};
    refuse_kind(&c);
    refuse_second(&c);
    size_t start = sql_grammar_cursor_start(&c);
    tree->select = sql_grammar_select_parse(&c);
    tree->statement = sql_grammar_cursor_since(&c, start);
    while (sql_grammar_cursor_take(&c, SQL_TOKEN_SEMICOLON)) {
    }
    if (!sql_grammar_cursor_is(&c, SQL_TOKEN_END))
        sql_grammar_cursor_unexpected(&c, "the end of the statement");
    return c.failed ? c.code : ERR_OK;
}

bool sql_grammar_is_record_field(struct str name)
{
    return str_equal(name, STR("key")) || str_equal(name, STR("value")) ||
           (name.len > 1 && name.at[0] == 'f' && str_is_digit(name.at[1]));
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_cursor.c - stepping, names, and the one way to give up.
 *
 * Happy path: peek, take, go on. Failure: the first refusal is kept with its line and column, the
 * cursor jumps to END, later refusals change nothing. */
#include "agents/sql/grammar/grammar_cursor.h"

#include <stdio.h>

enum { SHOWN_BYTES = 40 };

bool sql_grammar_cursor_take(struct sql_grammar_cursor *c, enum sql_token_kind kind)
{
    if (!sql_grammar_cursor_is(c, kind))
        return false;
    sql_grammar_cursor_step(c);
    return true;
}

bool sql_grammar_cursor_take_word(struct sql_grammar_cursor *c, enum sql_word word)
{
    if (!sql_grammar_cursor_is_word(c, word))
        return false;
    sql_grammar_cursor_step(c);
    return true;
}

bool sql_grammar_cursor_expect(struct sql_grammar_cursor *c, enum sql_token_kind kind,
                               const char *what)
{
    if (sql_grammar_cursor_take(c, kind))
        return true;
    sql_grammar_cursor_unexpected(c, what);
    return false;
}

bool sql_grammar_cursor_expect_word(struct sql_grammar_cursor *c, enum sql_word word,
                                    const char *what)
{
    if (sql_grammar_cursor_take_word(c, word))
        return true;
    sql_grammar_cursor_unexpected(c, what);
    return false;
}

void sql_grammar_cursor_step(struct sql_grammar_cursor *c)
{
    if (c->at + 1 < c->tokens->count)
        c->at++;
}

static void *give_up(struct sql_grammar_cursor *c, enum err_code code)
{
    c->failed = true;
    c->code = code;
    c->at = c->tokens->count - 1;
    return NULL;
}

void *sql_grammar_cursor_refuse(struct sql_grammar_cursor *c, const char *rule, const char *text)
{
    if (c->failed)
        return NULL;
    size_t line, column;
    sql_lexer_place(c->tokens->text, sql_grammar_cursor_start(c), &line, &column);
    *c->rule = rule;
    return give_up(c,
                   err_set(c->err, ERR_REJECTED, "line %zu, column %zu: %s", line, column, text));
}

void *sql_grammar_cursor_unexpected(struct sql_grammar_cursor *c, const char *what)
{
    char text[ERR_TEXT_BYTES];
    const struct sql_token *token = sql_grammar_cursor_peek(c, 0);
    struct str found = str_utf8_prefix(sql_lexer_text(c->tokens, token), SHOWN_BYTES);
    if (token->kind == SQL_TOKEN_END)
        snprintf(text, sizeof text, "expected %s, but the statement ends; complete it", what);
    else
        snprintf(text, sizeof text, "expected %s, found '%.*s'; correct the statement", what,
                 STR_ARG(found));
    return sql_grammar_cursor_refuse(c, "syntax", text);
}

void *sql_grammar_cursor_alloc(struct sql_grammar_cursor *c, size_t size)
{
    void *at = c->failed ? NULL : arena_alloc(c->arena, size);
    if (at == NULL && !c->failed)
        give_up(c, err_set(c->err, ERR_NO_MEMORY, "no memory left for the statement's tree"));
    return at;
}

bool sql_grammar_cursor_enter(struct sql_grammar_cursor *c)
{
    if (c->depth >= SQL_GRAMMAR_MAX_NESTING)
        return sql_grammar_cursor_refuse(c, "nesting",
                                         "nested deeper than 64 levels; write it flatter") != NULL;
    c->depth++;
    c->tree->nesting = size_max(c->tree->nesting, c->depth);
    return true;
}

void sql_grammar_cursor_leave(struct sql_grammar_cursor *c)
{
    c->depth--;
}

size_t sql_grammar_cursor_start(const struct sql_grammar_cursor *c)
{
    return c->tokens->at[c->at].start;
}

size_t sql_grammar_cursor_end(const struct sql_grammar_cursor *c)
{
    return c->at == 0 ? 0 : c->tokens->at[c->at - 1].end;
}

struct sql_span sql_grammar_cursor_since(const struct sql_grammar_cursor *c, size_t start)
{
    return (struct sql_span){start, sql_grammar_cursor_end(c)};
}

bool sql_grammar_cursor_is_name(const struct sql_grammar_cursor *c, size_t ahead)
{
    const struct sql_token *token = sql_grammar_cursor_peek(c, ahead);
    return token->kind == SQL_TOKEN_NAME ||
           (token->kind == SQL_TOKEN_WORD &&
            sql_words_may_name(c->tokens->dialect, (enum sql_word)token->word));
}

static struct str take_spelling(struct sql_grammar_cursor *c)
{
    const struct sql_token *token = sql_grammar_cursor_peek(c, 0);
    struct str name = sql_lexer_spelling(c->tokens, token, c->arena);
    if (str_is_absent(name))
        give_up(c, err_set(c->err, ERR_NO_MEMORY, "no memory left for the statement's tree"));
    else
        sql_grammar_cursor_step(c);
    return name;
}

struct str sql_grammar_cursor_name(struct sql_grammar_cursor *c, const char *what)
{
    if (sql_grammar_cursor_is_name(c, 0))
        return take_spelling(c);
    sql_grammar_cursor_unexpected(c, what);
    return (struct str){NULL, 0};
}

/* WINDOW is a name like others unless a definition follows. */
static bool begins_windows(const struct sql_grammar_cursor *c)
{
    return sql_grammar_cursor_is_word(c, SQL_WORD_WINDOW) && sql_grammar_cursor_is_name(c, 1) &&
           sql_grammar_cursor_peek(c, 2)->word == SQL_WORD_AS;
}

/* A SOUNDS LIKE b: no alias in MySQL. */
static bool begins_sounds_like(const struct sql_grammar_cursor *c)
{
    struct str text = sql_lexer_text(c->tokens, sql_grammar_cursor_peek(c, 0));
    return sql_grammar_cursor_is_mysql(c) && str_equal_nocase(text, STR("sounds")) &&
           sql_grammar_cursor_peek(c, 1)->word == SQL_WORD_LIKE;
}

/* MySQL drops the blanks an alias begins with. */
static struct str without_blanks(const struct sql_grammar_cursor *c, struct str alias)
{
    while (sql_grammar_cursor_is_mysql(c) && alias.len > 0 &&
           ((unsigned char)alias.at[0] <= ' ' || alias.at[0] == '\x7f'))
        alias = str_from(alias, 1);
    return alias;
}

/* After AS every name will do, and a string, which both engines read as one there. */
struct str sql_grammar_cursor_alias(struct sql_grammar_cursor *c, struct sql_span *span)
{
    *span = (struct sql_span){sql_grammar_cursor_end(c), sql_grammar_cursor_end(c)};
    bool as = sql_grammar_cursor_take_word(c, SQL_WORD_AS);
    const struct sql_token *token = sql_grammar_cursor_peek(c, 0);
    size_t start = token->start;
    bool bare = (token->kind != SQL_TOKEN_WORD ||
                 sql_words_may_alias(c->tokens->dialect, (enum sql_word)token->word)) &&
                !begins_windows(c) && !begins_sounds_like(c);
    if (token->kind != SQL_TOKEN_STRING && !sql_grammar_cursor_is_name(c, 0)) {
        if (as)
            sql_grammar_cursor_unexpected(c, "an alias after AS");
        return (struct str){NULL, 0};
    }
    if (!as && !bare)
        return (struct str){NULL, 0};
    struct str alias = without_blanks(c, take_spelling(c));
    *span = sql_grammar_cursor_since(c, start);
    return alias;
}

struct sql_names *sql_grammar_cursor_names(struct sql_grammar_cursor *c)
{
    struct sql_names *first = NULL, **tail = &first;
    sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'('");
    do {
        size_t start = sql_grammar_cursor_start(c);
        struct sql_names *names = sql_grammar_cursor_alloc(c, sizeof *names);
        if (names == NULL)
            return NULL;
        names->name = sql_grammar_cursor_name(c, "a column name");
        names->span = sql_grammar_cursor_since(c, start);
        *tail = names;
        tail = &names->next;
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' after the column list");
    return c->failed ? NULL : first;
}

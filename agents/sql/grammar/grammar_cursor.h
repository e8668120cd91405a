/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_cursor.h - where the grammar stands in its tokens, and how it gives
 * up.
 *
 * Giving up is sticky: the cursor then stands on END for good and every parser returns at once, so
 * callers look at the result only where they would use it. Private to the grammar_* files. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_CURSOR_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_CURSOR_H

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/grammar/lexer.h"

struct sql_grammar_cursor {
    const struct sql_tokens *tokens;
    size_t at;
    struct arena *arena;
    struct sql_tree *tree;
    size_t depth;
    bool failed;
    enum err_code code;
    const char **rule;
    struct err *err;
};

static inline const struct sql_token *sql_grammar_cursor_peek(const struct sql_grammar_cursor *c,
                                                              size_t ahead)
{
    return &c->tokens->at[size_min(c->at + ahead, c->tokens->count - 1)];
}

static inline bool sql_grammar_cursor_is(const struct sql_grammar_cursor *c,
                                         enum sql_token_kind kind)
{
    return sql_grammar_cursor_peek(c, 0)->kind == kind;
}

static inline bool sql_grammar_cursor_is_word(const struct sql_grammar_cursor *c,
                                              enum sql_word word)
{
    return sql_grammar_cursor_peek(c, 0)->word == word;
}

static inline bool sql_grammar_cursor_is_mysql(const struct sql_grammar_cursor *c)
{
    return c->tokens->dialect == SQL_MYSQL;
}

/* Step over the next token when it is of the kind, or is the word; return whether it was. */
bool sql_grammar_cursor_take(struct sql_grammar_cursor *c, enum sql_token_kind kind);
bool sql_grammar_cursor_take_word(struct sql_grammar_cursor *c, enum sql_word word);
/* Step over the next token when it is of the kind, or is the word, else give up naming what was
 * expected. */
bool sql_grammar_cursor_expect(struct sql_grammar_cursor *c, enum sql_token_kind kind,
                               const char *what);
bool sql_grammar_cursor_expect_word(struct sql_grammar_cursor *c, enum sql_word word,
                                    const char *what);
void sql_grammar_cursor_step(struct sql_grammar_cursor *c);
/* "expected <what>, found ..." under rule "syntax"; always NULL, so that it can be returned. */
void *sql_grammar_cursor_unexpected(struct sql_grammar_cursor *c, const char *what);
/* Give up under rule with the text given, at the current token. */
void *sql_grammar_cursor_refuse(struct sql_grammar_cursor *c, const char *rule, const char *text);
/* size zeroed bytes, or NULL having given up. */
void *sql_grammar_cursor_alloc(struct sql_grammar_cursor *c, size_t size);
/* One level deeper; false having given up. Leave only after a true enter. */
bool sql_grammar_cursor_enter(struct sql_grammar_cursor *c);
void sql_grammar_cursor_leave(struct sql_grammar_cursor *c);
/* Start of the current token; end of the last one taken. */
size_t sql_grammar_cursor_start(const struct sql_grammar_cursor *c);
size_t sql_grammar_cursor_end(const struct sql_grammar_cursor *c);
struct sql_span sql_grammar_cursor_since(const struct sql_grammar_cursor *c, size_t start);

/* A name (any spelling that may name a table or column) is next. */
bool sql_grammar_cursor_is_name(const struct sql_grammar_cursor *c, size_t ahead);
/* Take the next name; absent having given up. */
struct str sql_grammar_cursor_name(struct sql_grammar_cursor *c, const char *what);
/* [AS] alias, a name or a string. Absent when there is none; *span is then empty. */
struct str sql_grammar_cursor_alias(struct sql_grammar_cursor *c, struct sql_span *span);
/* (a, b, ...) */
struct sql_names *sql_grammar_cursor_names(struct sql_grammar_cursor *c);

#endif

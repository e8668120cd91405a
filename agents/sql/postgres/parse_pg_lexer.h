/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_lexer.h - PostgreSQL's tokens: where each begins and ends, and which
 * parentheses belong together.
 *
 * libpg_query says what a statement means but only where its parts begin; these tokens say where
 * they end. Strings that PostgreSQL joins (continued lines, UESCAPE) are one token. Bounds nesting
 * and chains of operators before PostgreSQL's parser runs. Pure, linear, any thread. */
#ifndef AGENTS_SQL_POSTGRES_PARSE_PG_LEXER_H
#define AGENTS_SQL_POSTGRES_PARSE_PG_LEXER_H

#include "agents/sql/grammar/lexer.h"

enum { SQL_PARSE_PG_MAX_NESTING = 64, SQL_PARSE_PG_MAX_CHAIN = 1000 };

struct sql_parse_pg_tokens {
    struct sql_tokens tokens;
    uint16_t *match; /* by token: the other end of its parentheses or brackets, else itself */
    uint16_t *begun; /* by byte of the text: the token that begins there, from 1; 0: none */
    size_t nesting;  /* of parentheses and brackets */
};

/* Cut text into tokens. ERR_REJECTED with *rule "length", "encoding", "nesting" or "syntax";
 * ERR_NO_MEMORY when the arena is spent. */
MUST_USE enum err_code sql_parse_pg_lexer_scan(struct str text, struct arena *arena,
                                               struct sql_parse_pg_tokens *out, const char **rule,
                                               struct err *err);
/* The text with blanks for comments, each byte in its place: PostgreSQL's own lexer reads comments
 * that touch each other in quadratic time. NULL: no memory. */
char *sql_parse_pg_lexer_blank(const struct sql_parse_pg_tokens *pg, struct arena *arena);
/* The token that begins at the byte offset, or the count of tokens when none does. */
size_t sql_parse_pg_lexer_at(const struct sql_parse_pg_tokens *pg, size_t offset);

/* Whether token i is the bare word (given in lower case) in any case. Most tokens are not even as
 * long. */
static inline bool sql_parse_pg_lexer_is(const struct sql_parse_pg_tokens *pg, size_t i,
                                         struct str word)
{
    if (i >= pg->tokens.count)
        return false;
    const struct sql_token *token = &pg->tokens.at[i];
    if (token->kind != SQL_TOKEN_WORD || token->end - token->start != word.len)
        return false;
    const char *text = pg->tokens.text.at + token->start;
    for (size_t j = 0; j < word.len; j++) /* letters differ from upper case in one bit */
        if ((text[j] | 0x20) != (word.at[j] | 0x20))
            return false;
    return true;
}

#endif

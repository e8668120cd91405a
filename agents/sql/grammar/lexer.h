/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/lexer.h - SQL text -> tokens with byte spans, per dialect (SQLite, MySQL).
 *
 * Engines disagree on quotes, comments and escapes, so each dialect has its own rules and whatever
 * an engine might read otherwise is refused: a NUL, bad UTF-8, control characters, a comment or a
 * string without an end, a number that runs into a word. Comments are not tokens; has_comment notes
 * that there were some. Pure, linear, any thread; tokens live in the arena given. */
#ifndef AGENTS_SQL_GRAMMAR_LEXER_H
#define AGENTS_SQL_GRAMMAR_LEXER_H

#include "agents/sql/grammar/words.h"
#include "backends/sql.h"
#include "core/base/arena.h"
#include "core/base/err.h"

enum { SQL_LEXER_MAX_BYTES = 16 * 1024 };

enum sql_token_kind {
    SQL_TOKEN_END,
    SQL_TOKEN_WORD, /* bare word; .word says which keyword it is, if any */
    SQL_TOKEN_NAME, /* quoted identifier */
    SQL_TOKEN_STRING,
    SQL_TOKEN_NUMBER,
    SQL_TOKEN_BLOB,      /* x'..', b'..' */
    SQL_TOKEN_PARAMETER, /* ? ?1 :a @a $a */
    SQL_TOKEN_VARIABLE,  /* MySQL's @a and @@a */
    SQL_TOKEN_LEFT,
    SQL_TOKEN_RIGHT,
    SQL_TOKEN_COMMA,
    SQL_TOKEN_SEMICOLON,
    SQL_TOKEN_DOT,
    SQL_TOKEN_STAR,
    SQL_TOKEN_PLUS,
    SQL_TOKEN_MINUS,
    SQL_TOKEN_SLASH,
    SQL_TOKEN_PERCENT,
    SQL_TOKEN_TILDE,
    SQL_TOKEN_AMPERSAND,
    SQL_TOKEN_PIPE,
    SQL_TOKEN_CARET, /* MySQL */
    SQL_TOKEN_BANG,  /* MySQL */
    SQL_TOKEN_SHIFT, /* << >> */
    SQL_TOKEN_CONCAT,
    SQL_TOKEN_BOTH, /* MySQL's && */
    SQL_TOKEN_EQUAL,
    SQL_TOKEN_NOT_EQUAL,
    SQL_TOKEN_ORDERED, /* < <= > >= */
    SQL_TOKEN_SAME,    /* MySQL's <=> */
    SQL_TOKEN_ARROW,   /* -> ->> */
    SQL_TOKEN_BRACE,   /* MySQL's { and }, as ODBC has them */
    SQL_TOKEN_BRACE_END,
    SQL_TOKEN_BRACKET, /* PostgreSQL's [ ] : and all of its operators but * */
    SQL_TOKEN_BRACKET_END,
    SQL_TOKEN_COLON,
    SQL_TOKEN_OPERATOR,
};

struct sql_token {
    uint32_t start, end;
    uint8_t kind; /* enum sql_token_kind */
    uint8_t word; /* enum sql_word of a WORD, else SQL_WORD_NONE */
};

struct sql_tokens {
    struct str text;
    enum sql_dialect dialect;
    const struct sql_token *at; /* the last one is END */
    size_t count;
    bool has_comment, has_hint, has_executable_comment;
};

/* ERR_REJECTED: too long, not UTF-8, or with a NUL; *rule "length" or "encoding". */
MUST_USE enum err_code sql_lexer_check_text(struct str text, const char **rule, struct err *err);

/* Cut text into tokens; for PostgreSQL parse_pg_lexer.h does that. ERR_REJECTED with *rule
 * "length", "encoding" or "syntax"; ERR_NO_MEMORY when the arena is spent. */
MUST_USE enum err_code sql_lexer_scan(enum sql_dialect dialect, struct str text,
                                      struct arena *arena, struct sql_tokens *tokens,
                                      const char **rule, struct err *err);
/* The name or string a token spells: quotes gone, doubled quotes and escapes undone. A view of the
 * text where nothing had to be undone, else in arena (absent when that is spent). */
struct str sql_lexer_spelling(const struct sql_tokens *tokens, const struct sql_token *token,
                              struct arena *arena);
/* The token's bytes as written. */
struct str sql_lexer_text(const struct sql_tokens *tokens, const struct sql_token *token);
/* Line and column (both from 1, columns in bytes) of a byte offset. */
void sql_lexer_place(struct str text, size_t offset, size_t *line, size_t *column);

/* A set of bytes, a bit for each. */
struct sql_lexer_bytes {
    uint64_t bits[4];
};

static inline bool sql_lexer_is_in(const struct sql_lexer_bytes *bytes, char byte)
{
    unsigned at = (unsigned char)byte;
    return (bytes->bits[at >> 6] >> (at & 63) & 1) != 0;
}

/* Whether the byte begins a bare word: a letter, _ or what is not ASCII; or goes on in one: a digit
 * and $, too. */
static inline bool sql_lexer_begins_word(char byte)
{
    static const struct sql_lexer_bytes letters = {{0, 0x07fffffe87fffffe, UINT64_MAX, UINT64_MAX}};
    return sql_lexer_is_in(&letters, byte);
}

static inline bool sql_lexer_in_word(char byte)
{
    static const struct sql_lexer_bytes letters = {
        {0x03ff001000000000, 0x07fffffe87fffffe, UINT64_MAX, UINT64_MAX}};
    return sql_lexer_is_in(&letters, byte);
}

#endif

/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_lexer.c - one pass over the text; a stack of open parentheses beside
 * it.
 *
 * Happy path: skip blanks and comments (which nest), look at one or two bytes, take the longest
 * token they may begin, pair parentheses.
 * Failure: too long; NUL or bad UTF-8; a byte no token begins with; a string, name or comment
 * without an end; parentheses that do not pair or nest too deep; a chain of operators so long that
 * a tree of it would be too deep. Each ends the scan with its place. */
#include "agents/sql/postgres/parse_pg_lexer.h"

#include <string.h>

/* Blank, tab, line feed, form feed and carriage return; what operators are made of. */
static const struct sql_lexer_bytes blanks = {{0x0000000100003600, 0, 0, 0}};
static const struct sql_lexer_bytes operators = {{0xf000ac6a00000000, 0x5000000140000001, 0, 0}};

struct cursor {
    struct sql_parse_pg_tokens *pg;
    struct str text;
    size_t at, count;
    struct sql_token *tokens;
    uint16_t open[SQL_PARSE_PG_MAX_NESTING];
    /* By depth: operators since the last comma, AND or OR. */
    uint16_t chain[SQL_PARSE_PG_MAX_NESTING + 1];
    size_t depth;
    const char *rule, *wrong; /* why the scan stopped, or NULL */
    size_t wrong_at;
};

static inline char peek(const struct cursor *c, size_t ahead)
{
    return ahead < c->text.len - c->at ? c->text.at[c->at + ahead] : '\0';
}

static inline bool is_space(char byte)
{
    return sql_lexer_is_in(&blanks, byte);
}

static inline bool is_operator_byte(char byte)
{
    return sql_lexer_is_in(&operators, byte);
}

static bool stop(struct cursor *c, size_t at, const char *rule, const char *wrong)
{
    c->rule = rule;
    c->wrong = wrong;
    c->wrong_at = at;
    return false;
}

/* Step over a comment from -- on: a line feed ends it, and a carriage return. */
static void skip_line(struct cursor *c)
{
    while (c->at < c->text.len && peek(c, 0) != '\n' && peek(c, 0) != '\r')
        c->at++;
    c->pg->tokens.has_comment = true;
}

static bool skip_block(struct cursor *c)
{
    size_t start = c->at, depth = 0;
    struct sql_tokens *tokens = &c->pg->tokens;
    tokens->has_hint = tokens->has_hint || peek(c, 2) == '+';
    tokens->has_executable_comment = tokens->has_executable_comment || peek(c, 2) == '!' ||
                                     (peek(c, 2) == 'M' && peek(c, 3) == '!');
    tokens->has_comment = true;
    while (c->at < c->text.len) {
        if (peek(c, 0) == '/' && peek(c, 1) == '*') {
            depth++;
            c->at += 2;
        } else if (peek(c, 0) == '*' && peek(c, 1) == '/') {
            c->at += 2;
            if (--depth == 0)
                return true;
        } else {
            c->at++;
        }
    }
    return stop(c, start, "syntax", "a comment that begins here has no end (they nest)");
}

static inline bool skip_blanks(struct cursor *c)
{
    while (c->at < c->text.len) {
        char byte = c->text.at[c->at];
        if (is_space(byte))
            c->at++;
        else if (byte != '-' && byte != '/')
            return true;
        else if (peek(c, 0) == '-' && peek(c, 1) == '-')
            skip_line(c);
        else if (peek(c, 0) != '/' || peek(c, 1) != '*')
            return true;
        else if (!skip_block(c))
            return false;
    }
    return true;
}

/* Whether a quote follows after blanks with a line end among them: the string goes on there. */
static bool continues(struct cursor *c)
{
    bool line = false;
    size_t back = c->at;
    while (c->at < c->text.len) {
        if (is_space(peek(c, 0))) {
            line = line || peek(c, 0) == '\n' || peek(c, 0) == '\r';
            c->at++;
        } else if (peek(c, 0) == '-' && peek(c, 1) == '-') {
            skip_line(c);
        } else {
            break;
        }
    }
    if (line && peek(c, 0) == '\'')
        return true;
    c->at = back;
    return false;
}

/* From an opening quote to after its closing one; doubled quotes stay inside. */
static bool take_quoted(struct cursor *c, char quote, bool escapes)
{
    size_t start = c->at++;
    while (c->at < c->text.len) {
        char byte = c->text.at[c->at++];
        if (escapes && byte == '\\') {
            c->at = size_min(c->at + 1, c->text.len);
        } else if (byte == quote && peek(c, 0) == quote) {
            c->at++;
        } else if (byte == quote) {
            if (quote != '\'' || !continues(c))
                return true;
            c->at++;
        }
    }
    return stop(c, start, "syntax", "a quote that opens here is never closed");
}

/* U&'...' and U&"..." with UESCAPE 'c' after it are one token. */
static bool take_unicode(struct cursor *c)
{
    c->at += 2;
    if (!take_quoted(c, peek(c, 0), false))
        return false;
    size_t back = c->at;
    if (!skip_blanks(c))
        return false;
    struct str rest = str_from(c->text, c->at);
    if (!str_equal_nocase(str_slice(rest, 0, 7), STR("uescape")) || sql_lexer_in_word(peek(c, 7))) {
        c->at = back;
        return true;
    }
    c->at += 7;
    if (!skip_blanks(c))
        return false;
    if (peek(c, 0) != '\'')
        return stop(c, c->at, "syntax", "a string was expected after UESCAPE");
    return take_quoted(c, '\'', false);
}

static bool take_dollar(struct cursor *c, enum sql_token_kind *kind)
{
    size_t start = c->at, tag = c->at + 1;
    if (str_is_digit(peek(c, 1))) {
        *kind = SQL_TOKEN_PARAMETER;
        c->at++;
        while (str_is_digit(peek(c, 0)))
            c->at++;
        return true;
    }
    *kind = SQL_TOKEN_STRING;
    while (tag < c->text.len && sql_lexer_in_word(c->text.at[tag]) && c->text.at[tag] != '$')
        tag++;
    if (tag == c->text.len || c->text.at[tag] != '$')
        return stop(c, start, "syntax", "a '$' that begins neither a parameter nor a string");
    struct str fence = str_slice(c->text, start, tag + 1);
    ptrdiff_t end = str_find(str_from(c->text, tag + 1), fence);
    if (end == STR_NONE)
        return stop(c, start, "syntax", "a quote that opens here is never closed");
    c->at = tag + 1 + (size_t)end + fence.len;
    return true;
}

static void take_digits(struct cursor *c)
{
    while (str_is_digit(peek(c, 0)))
        c->at++;
}

/* 1, 1.5, .5, 1., 1e9; in 1..2 the dots are none of the number's. */
static bool take_number(struct cursor *c)
{
    size_t start = c->at;
    take_digits(c);
    if (peek(c, 0) == '.' && peek(c, 1) != '.') {
        c->at++;
        take_digits(c);
    }
    if (str_lower(peek(c, 0)) == 'e') {
        size_t sign = peek(c, 1) == '+' || peek(c, 1) == '-' ? 2 : 1;
        if (str_is_digit(peek(c, sign))) {
            c->at += sign;
            take_digits(c);
        }
    }
    return sql_lexer_begins_word(peek(c, 0))
               ? stop(c, start, "syntax",
                      "a number that runs into letters (0x1F and 1_000 are not read)")
               : true;
}

/* The longest run, up to a comment; one that ends in + or - must hold a byte that standard SQL's
 * operators lack. */
static void take_operator(struct cursor *c)
{
    size_t len = 0;
    bool free_end = false;
    while (is_operator_byte(peek(c, len)) && !(peek(c, len) == '/' && peek(c, len + 1) == '*') &&
           !(peek(c, len) == '-' && peek(c, len + 1) == '-')) {
        free_end = free_end || strchr("~!@#^&|`?%", peek(c, len)) != NULL;
        len++;
    }
    while (len > 1 && !free_end && (peek(c, len - 1) == '+' || peek(c, len - 1) == '-'))
        len--;
    c->at += len;
}

static bool open_pair(struct cursor *c)
{
    if (c->depth == SQL_PARSE_PG_MAX_NESTING)
        return stop(c, c->at, "nesting", "nested deeper than 64 parentheses");
    c->open[c->depth++] = (uint16_t)c->count;
    c->chain[c->depth] = 0;
    c->pg->nesting = size_max(c->pg->nesting, c->depth);
    return true;
}

static bool close_pair(struct cursor *c, enum sql_token_kind opened)
{
    if (c->depth == 0 || c->tokens[c->open[c->depth - 1]].kind != opened)
        return stop(c, c->at, "syntax", "a parenthesis that closes none");
    uint16_t open = c->open[--c->depth];
    c->pg->match[open] = (uint16_t)c->count;
    c->pg->match[c->count] = open;
    return true;
}

static bool take_sign(struct cursor *c, enum sql_token_kind *kind)
{
    bool fine = true;
    switch (peek(c, 0)) {
    case '(':
        *kind = SQL_TOKEN_LEFT;
        fine = open_pair(c);
        break;
    case ')':
        *kind = SQL_TOKEN_RIGHT;
        fine = close_pair(c, SQL_TOKEN_LEFT);
        break;
    case '[':
        *kind = SQL_TOKEN_BRACKET;
        fine = open_pair(c);
        break;
    case ']':
        *kind = SQL_TOKEN_BRACKET_END;
        fine = close_pair(c, SQL_TOKEN_BRACKET);
        break;
    case ',':
        *kind = SQL_TOKEN_COMMA;
        c->chain[c->depth] = 0;
        break;
    case ';':
        *kind = SQL_TOKEN_SEMICOLON;
        break;
    case '.':
        *kind = SQL_TOKEN_DOT;
        break;
    case ':':
        *kind = peek(c, 1) == ':' ? SQL_TOKEN_OPERATOR : SQL_TOKEN_COLON;
        c->at += peek(c, 1) == ':' || peek(c, 1) == '=' ? 1 : 0;
        c->chain[c->depth]++;
        break;
    default:
        return stop(c, c->at, "syntax", "a character that has no meaning here");
    }
    c->at++;
    return fine;
}

static inline void take_word(struct cursor *c)
{
    const char *start = c->text.at + c->at, *at = start, *end = c->text.at + c->text.len;
    while (at < end && sql_lexer_in_word(*at))
        at++;
    struct str word = str_make(start, (size_t)(at - start));
    c->at += word.len;
    if ((word.len == 3 && str_equal_nocase(word, STR("and"))) ||
        (word.len == 2 && str_equal_nocase(word, STR("or"))))
        c->chain[c->depth] = 0; /* conjuncts stand side by side, not one in the other */
}

/* E'', B'', X'', U&'' and U&""; N'' is two tokens to PostgreSQL, too. */
static bool take_prefixed(struct cursor *c, enum sql_token_kind *kind)
{
    char small = str_lower(peek(c, 0));
    if (small == 'u' && peek(c, 1) == '&' && (peek(c, 2) == '\'' || peek(c, 2) == '"')) {
        *kind = peek(c, 2) == '"' ? SQL_TOKEN_NAME : SQL_TOKEN_STRING;
        return take_unicode(c);
    }
    if (peek(c, 1) == '\'' && (small == 'e' || small == 'b' || small == 'x')) {
        *kind = small == 'e' ? SQL_TOKEN_STRING : SQL_TOKEN_BLOB;
        c->at++;
        return take_quoted(c, '\'', small == 'e');
    }
    *kind = SQL_TOKEN_WORD;
    take_word(c);
    return true;
}

static bool take_token(struct cursor *c, enum sql_token_kind *kind)
{
    char byte = peek(c, 0);
    if (sql_lexer_begins_word(byte))
        return take_prefixed(c, kind);
    if (byte == '\'' || byte == '"') {
        *kind = byte == '"' ? SQL_TOKEN_NAME : SQL_TOKEN_STRING;
        return take_quoted(c, byte, false);
    }
    if (str_is_digit(byte) || (byte == '.' && str_is_digit(peek(c, 1)))) {
        *kind = SQL_TOKEN_NUMBER;
        return take_number(c);
    }
    if (byte == '$')
        return take_dollar(c, kind);
    if (!is_operator_byte(byte))
        return take_sign(c, kind);
    size_t start = c->at;
    take_operator(c);
    bool star = c->at == start + 1 && byte == '*';
    *kind = star ? SQL_TOKEN_STAR : SQL_TOKEN_OPERATOR;
    if (++c->chain[c->depth] > SQL_PARSE_PG_MAX_CHAIN)
        return stop(c, start, "nesting", "more than 1000 operators in one chain");
    return true;
}

static bool scan(struct cursor *c)
{
    while (skip_blanks(c) && c->at < c->text.len) {
        size_t start = c->at;
        enum sql_token_kind kind = SQL_TOKEN_END;
        c->pg->match[c->count] = (uint16_t)c->count;
        if (!take_token(c, &kind))
            return false;
        c->tokens[c->count++] =
            (struct sql_token){(uint32_t)start, (uint32_t)c->at, (uint8_t)kind, 0};
        c->pg->begun[start] = (uint16_t)c->count;
    }
    if (c->wrong == NULL && c->depth > 0)
        return stop(c, c->tokens[c->open[c->depth - 1]].start, "syntax",
                    "a parenthesis that opens here is never closed");
    return c->wrong == NULL;
}

static enum err_code refuse(const struct cursor *c, const char **rule, struct err *err)
{
    size_t line, column;
    sql_lexer_place(c->text, c->wrong_at, &line, &column);
    *rule = c->rule;
    return err_set(err, ERR_REJECTED, "line %zu, column %zu: %s; correct the statement", line,
                   column, c->wrong);
}

enum err_code sql_parse_pg_lexer_scan(struct str text, struct arena *arena,
                                      struct sql_parse_pg_tokens *out, const char **rule,
                                      struct err *err)
{
    *out = (struct sql_parse_pg_tokens){.tokens = {.text = text, .dialect = SQL_POSTGRES}};
    enum err_code code = sql_lexer_check_text(text, rule, err);
    if (code != ERR_OK)
        return code;
    struct cursor c = {.pg = out, .text = text};
    c.tokens = arena_raw(arena, (text.len + 1) * sizeof *c.tokens);
    out->match = arena_raw(arena, (text.len + 1) * sizeof *out->match);
    out->begun = arena_array(arena, text.len + 1, sizeof *out->begun);
    if (c.tokens == NULL || out->match == NULL || out->begun == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the statement's tokens");
    if (!scan(&c))
        return refuse(&c, rule, err);
    out->match[c.count] = (uint16_t)c.count;
    c.tokens[c.count++] =
        (struct sql_token){(uint32_t)text.len, (uint32_t)text.len, SQL_TOKEN_END, 0};
    out->tokens.at = c.tokens;
    out->tokens.count = c.count;
    return ERR_OK;
}

char *sql_parse_pg_lexer_blank(const struct sql_parse_pg_tokens *pg, struct arena *arena)
{
    const struct sql_tokens *tokens = &pg->tokens;
    char *text = arena_cstr(arena, tokens->text);
    size_t at = 0;
    for (size_t i = 0; text != NULL && tokens->has_comment && i < tokens->count; i++) {
        for (; at < tokens->at[i].start; at++)
            if (!str_is_blank(text[at]))
                text[at] = ' ';
        at = tokens->at[i].end;
    }
    return text;
}

size_t sql_parse_pg_lexer_at(const struct sql_parse_pg_tokens *pg, size_t offset)
{
    if (offset >= pg->tokens.text.len || pg->begun[offset] == 0)
        return pg->tokens.count;
    return (size_t)pg->begun[offset] - 1;
}

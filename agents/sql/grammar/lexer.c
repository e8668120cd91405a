/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/lexer.c - one pass that counts tokens, one that writes them.
 *
 * Happy path: skip blanks and comments, look at one byte, take the longest token it may begin.
 * Failure: too long; NUL or bad UTF-8; a byte no token begins with; a string, name or comment
 * without an end; a number that runs into letters. Each ends the scan with its place. */
#include "agents/sql/grammar/lexer.h"

#include <string.h>

#include "core/base/buf.h"

struct cursor {
    struct sql_tokens *tokens;
    struct str text;
    size_t at;
    bool mysql;
    const char *wrong; /* why the scan stopped, or NULL */
    size_t wrong_at;
};

static char peek(const struct cursor *c, size_t ahead)
{
    return ahead < c->text.len - c->at ? c->text.at[c->at + ahead] : '\0';
}

static bool is_hex(char byte)
{
    return str_is_digit(byte) || (str_lower(byte) >= 'a' && str_lower(byte) <= 'f');
}

/* The vertical tab is a blank to MySQL, not to SQLite. */
static bool is_space(const struct cursor *c, char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f' ||
           (byte == '\v' && c->mysql);
}

static bool stop(struct cursor *c, size_t at, const char *wrong)
{
    c->wrong = wrong;
    c->wrong_at = at;
    return false;
}

static void skip_line(struct cursor *c)
{
    ptrdiff_t end = str_find_char(str_from(c->text, c->at), '\n');
    c->at = end == STR_NONE ? c->text.len : c->at + (size_t)end;
    c->tokens->has_comment = true;
}

static bool skip_block(struct cursor *c)
{
    size_t start = c->at;
    if (peek(c, 2) == '+')
        c->tokens->has_hint = true;
    if (peek(c, 2) == '!' || (peek(c, 2) == 'M' && peek(c, 3) == '!'))
        c->tokens->has_executable_comment = true;
    ptrdiff_t end = str_find(str_from(c->text, start + 2), STR("*/"));
    if (end == STR_NONE)
        return stop(c, start, "a comment that begins here has no end");
    c->at = start + 2 + (size_t)end + 2;
    c->tokens->has_comment = true;
    return true;
}

/* MySQL wants a blank or control character after the two dashes; SQLite does not. */
static bool begins_line_comment(const struct cursor *c)
{
    if (c->mysql && peek(c, 0) == '#')
        return true;
    if (peek(c, 0) != '-' || peek(c, 1) != '-')
        return false;
    return !c->mysql || c->text.len - c->at == 2 || (unsigned char)peek(c, 2) <= ' ' ||
           peek(c, 2) == '\x7f';
}

static bool skip_blanks(struct cursor *c)
{
    while (c->at < c->text.len) {
        if (is_space(c, peek(c, 0)))
            c->at++;
        else if (begins_line_comment(c))
            skip_line(c);
        else if (peek(c, 0) != '/' || peek(c, 1) != '*')
            return true;
        else if (!skip_block(c))
            return false;
    }
    return true;
}

/* From an opening quote to after its closing one; doubled quotes stay inside. */
static bool take_quoted(struct cursor *c, char close, bool escapes)
{
    size_t start = c->at++;
    while (c->at < c->text.len) {
        char byte = c->text.at[c->at++];
        if (escapes && byte == '\\')
            c->at++;
        else if (byte == close && (close == ']' || peek(c, 0) != close))
            return true;
        else if (byte == close)
            c->at++;
    }
    c->at = c->text.len;
    return stop(c, start, "a quote that opens here is never closed");
}

static void take_digits(struct cursor *c)
{
    while (str_is_digit(peek(c, 0)))
        c->at++;
}

/* e5, e+5, e-5; whether it was there. */
static bool take_exponent(struct cursor *c)
{
    size_t sign = peek(c, 1) == '+' || peek(c, 1) == '-' ? 1 : 0;
    if (str_lower(peek(c, 0)) != 'e' || !str_is_digit(peek(c, 1 + sign)))
        return false;
    c->at += 1 + sign;
    take_digits(c);
    return true;
}

static bool take_number(struct cursor *c)
{
    size_t start = c->at;
    if (peek(c, 0) == '0' && str_lower(peek(c, 1)) == 'x' && is_hex(peek(c, 2))) {
        c->at += 2;
        while (is_hex(peek(c, 0)))
            c->at++;
    } else {
        take_digits(c);
        if (peek(c, 0) == '.') {
            c->at++;
            take_digits(c);
        }
        (void)take_exponent(c);
    }
    if (sql_lexer_in_word(peek(c, 0)))
        return stop(c, start, "a number that begins here runs into a word");
    return true;
}

/* U+FEFF where a token begins is a blank to SQLite and a letter to others. */
static bool begins_with_mark(const struct cursor *c)
{
    return str_starts_with(str_from(c->text, c->at), STR("\xef\xbb\xbf"));
}

static bool take_word(struct cursor *c)
{
    while (sql_lexer_in_word(peek(c, 0)))
        c->at++;
    return true;
}

/* Digits and letters are a name to MySQL unless they are 0x1f, 0b01 or 1e5; 1.5x is 1.5 and x. */
static bool take_mysql_number(struct cursor *c, enum sql_token_kind *kind)
{
    size_t start = c->at;
    bool hex = peek(c, 0) == '0' && peek(c, 1) == 'x',
         bits = peek(c, 0) == '0' && peek(c, 1) == 'b';
    *kind = SQL_TOKEN_NUMBER;
    if (hex || bits) {
        c->at += 2;
        while (hex ? is_hex(peek(c, 0)) : peek(c, 0) == '0' || peek(c, 0) == '1')
            c->at++;
        if (c->at > start + 2 && !sql_lexer_in_word(peek(c, 0)))
            return true;
    } else {
        take_digits(c);
        if (c->at > start && take_exponent(c))
            return true;
        if (peek(c, 0) == '.') {
            c->at++;
            take_digits(c);
            if (!take_exponent(c) && str_lower(peek(c, 0)) == 'e')
                return stop(c, start, "a number that begins here has no digits after its e");
            return true;
        }
        if (!sql_lexer_in_word(peek(c, 0)))
            return true;
    }
    *kind = SQL_TOKEN_WORD;
    return take_word(c);
}

/* x'00ff', and MySQL's b'01' and n'text'. */
static bool take_prefixed(struct cursor *c, enum sql_token_kind kind)
{
    size_t start = c->at++;
    if (!take_quoted(c, '\'', c->mysql && kind == SQL_TOKEN_STRING))
        return false;
    if (kind == SQL_TOKEN_STRING)
        return true;
    bool bits = str_lower(c->text.at[start]) == 'b';
    size_t digits = c->at - start - 3;
    for (size_t i = 0; i < digits; i++) {
        char digit = c->text.at[start + 2 + i];
        if (bits ? digit != '0' && digit != '1' : !is_hex(digit))
            return stop(c, start, "a binary literal holds something that is no digit");
    }
    if (!bits && digits % 2 != 0)
        return stop(c, start, "a hexadecimal literal holds an odd number of digits");
    return true;
}

static bool take_named(struct cursor *c, const char *wrong)
{
    size_t start = c->at++;
    if (!sql_lexer_in_word(peek(c, 0)))
        return stop(c, start, wrong);
    return take_word(c);
}

/* MySQL's @a, @@a, @@global.a, @'a', @`a`. */
static bool take_variable(struct cursor *c)
{
    size_t start = c->at++;
    if (peek(c, 0) == '@')
        c->at++;
    char quote = peek(c, 0);
    if (quote == '\'' || quote == '"' || quote == '`')
        return take_quoted(c, quote, quote != '`');
    while (sql_lexer_in_word(peek(c, 0)) || (peek(c, 0) == '.' && c->at > start + 1))
        c->at++;
    return c->at > start + 1 || stop(c, start, "a variable's name was expected after '@'");
}

struct sign {
    struct str text;
    enum sql_token_kind kind;
    bool sqlite, mysql;
};

static const struct sign signs[] = {
    /* longer before shorter */
    {{"->>", 3}, SQL_TOKEN_ARROW, true, true},    {{"<=>", 3}, SQL_TOKEN_SAME, false, true},
    {{"->", 2}, SQL_TOKEN_ARROW, true, true},     {{"||", 2}, SQL_TOKEN_CONCAT, true, true},
    {{"&&", 2}, SQL_TOKEN_BOTH, false, true},     {{"<<", 2}, SQL_TOKEN_SHIFT, true, true},
    {{">>", 2}, SQL_TOKEN_SHIFT, true, true},     {{"<=", 2}, SQL_TOKEN_ORDERED, true, true},
    {{">=", 2}, SQL_TOKEN_ORDERED, true, true},   {{"<>", 2}, SQL_TOKEN_NOT_EQUAL, true, true},
    {{"!=", 2}, SQL_TOKEN_NOT_EQUAL, true, true}, {{"==", 2}, SQL_TOKEN_EQUAL, true, false},
    {{"=", 1}, SQL_TOKEN_EQUAL, true, true},      {{"<", 1}, SQL_TOKEN_ORDERED, true, true},
    {{">", 1}, SQL_TOKEN_ORDERED, true, true},    {{"(", 1}, SQL_TOKEN_LEFT, true, true},
    {{")", 1}, SQL_TOKEN_RIGHT, true, true},      {{",", 1}, SQL_TOKEN_COMMA, true, true},
    {{";", 1}, SQL_TOKEN_SEMICOLON, true, true},  {{".", 1}, SQL_TOKEN_DOT, true, true},
    {{"*", 1}, SQL_TOKEN_STAR, true, true},       {{"+", 1}, SQL_TOKEN_PLUS, true, true},
    {{"-", 1}, SQL_TOKEN_MINUS, true, true},      {{"/", 1}, SQL_TOKEN_SLASH, true, true},
    {{"%", 1}, SQL_TOKEN_PERCENT, true, true},    {{"~", 1}, SQL_TOKEN_TILDE, true, true},
    {{"&", 1}, SQL_TOKEN_AMPERSAND, true, true},  {{"|", 1}, SQL_TOKEN_PIPE, true, true},
    {{"^", 1}, SQL_TOKEN_CARET, false, true},     {{"!", 1}, SQL_TOKEN_BANG, false, true},
    {{"{", 1}, SQL_TOKEN_BRACE, false, true},     {{"}", 1}, SQL_TOKEN_BRACE_END, false, true},
};

static bool take_sign(struct cursor *c, enum sql_token_kind *kind)
{
    struct str rest = str_from(c->text, c->at);
    for (size_t i = 0; i < countof(signs); i++) {
        if (rest.at[0] != signs[i].text.at[0] || !(c->mysql ? signs[i].mysql : signs[i].sqlite) ||
            !str_starts_with(rest, signs[i].text))
            continue;
        c->at += signs[i].text.len;
        *kind = signs[i].kind;
        return true;
    }
    if (c->mysql && peek(c, 0) == '\\')
        return stop(c, c->at, "a backslash outside of a string; write NULL for \\N");
    return stop(c, c->at, "a character that has no meaning here");
}

/* Parameters and variables: what begins with ? : @, and in SQLite $. */
static bool take_placeholder(struct cursor *c, enum sql_token_kind *kind)
{
    *kind = SQL_TOKEN_PARAMETER;
    if (peek(c, 0) == '?') {
        c->at++;
        if (!c->mysql)
            take_digits(c);
        return true;
    }
    if (!c->mysql)
        return take_named(c, "a parameter's name was expected after this character");
    *kind = SQL_TOKEN_VARIABLE;
    return peek(c, 0) == '@' ? take_variable(c)
                             : stop(c, c->at, "a colon has no meaning here, nor has ':='");
}

static bool opens_string(const struct cursor *c, char byte)
{
    return byte == '\'' || (byte == '"' && c->mysql);
}

static bool opens_name(const struct cursor *c, char byte)
{
    return byte == '"' || byte == '`' || (byte == '[' && !c->mysql);
}

/* x'00', and MySQL's b'0' and n'text'. */
static bool opens_prefixed(const struct cursor *c, char small)
{
    return peek(c, 1) == '\'' && (small == 'x' || (c->mysql && (small == 'b' || small == 'n')));
}

static bool opens_placeholder(const struct cursor *c, char byte)
{
    return byte == '?' || byte == ':' || (byte == '$' && !c->mysql) || byte == '@';
}

static bool take_token(struct cursor *c, enum sql_token_kind *kind)
{
    char byte = peek(c, 0), small = str_lower(byte);
    if (opens_string(c, byte)) {
        *kind = SQL_TOKEN_STRING;
        return take_quoted(c, byte, c->mysql);
    }
    if (opens_name(c, byte)) {
        *kind = SQL_TOKEN_NAME;
        return take_quoted(c, byte == '[' ? ']' : byte, false);
    }
    if (opens_prefixed(c, small)) {
        *kind = small == 'n' ? SQL_TOKEN_STRING : SQL_TOKEN_BLOB;
        return take_prefixed(c, *kind);
    }
    if (str_is_digit(byte) || (byte == '.' && str_is_digit(peek(c, 1)))) {
        *kind = SQL_TOKEN_NUMBER;
        return c->mysql ? take_mysql_number(c, kind) : take_number(c);
    }
    if (opens_placeholder(c, byte))
        return take_placeholder(c, kind);
    if (begins_with_mark(c))
        return stop(c, c->at, "a byte order mark; leave it out");
    if (sql_lexer_begins_word(byte) || (byte == '$' && c->mysql)) {
        *kind = SQL_TOKEN_WORD;
        return take_word(c);
    }
    return take_sign(c, kind);
}

/* MySQL reads a.1e5 and a.select as names: a dot that touches a word and what touches the dot.
 * Whether the token at hand was such a one. */
static bool take_after_word(struct cursor *c, enum sql_token_kind before, bool touches,
                            enum sql_token_kind *kind)
{
    if (!c->mysql || !touches)
        return false;
    if (before == SQL_TOKEN_WORD && peek(c, 0) == '.' && sql_lexer_in_word(peek(c, 1))) {
        *kind = SQL_TOKEN_DOT;
        c->at++;
        return true;
    }
    if (before != SQL_TOKEN_DOT || !sql_lexer_in_word(peek(c, 0)) || begins_with_mark(c))
        return false;
    *kind = SQL_TOKEN_WORD;
    return take_word(c);
}

/* A word that touches a dot is no keyword to MySQL. */
static enum sql_word word_of(const struct cursor *c, size_t start, bool after_dot)
{
    if (c->mysql && (after_dot || (peek(c, 0) == '.' && sql_lexer_in_word(peek(c, 1)))))
        return SQL_WORD_NONE;
    return sql_words_find(str_slice(c->text, start, c->at));
}

static size_t scan(struct cursor *c, struct sql_token *out)
{
    size_t count = 0, end = 0;
    enum sql_token_kind before = SQL_TOKEN_END;
    c->at = 0;
    while (skip_blanks(c) && c->at < c->text.len) {
        size_t start = c->at;
        bool touches = count > 0 && start == end;
        enum sql_token_kind kind = SQL_TOKEN_END;
        if (!take_after_word(c, before, touches, &kind) && !take_token(c, &kind))
            return 0;
        enum sql_word word = SQL_WORD_NONE;
        if (kind == SQL_TOKEN_WORD)
            word = word_of(c, start, touches && before == SQL_TOKEN_DOT);
        out[count] =
            (struct sql_token){(uint32_t)start, (uint32_t)c->at, (uint8_t)kind, (uint8_t)word};
        before = kind;
        end = c->at;
        count++;
    }
    return c->wrong == NULL ? count + 1 : 0;
}

static enum err_code refuse(const struct cursor *c, const char **rule, struct err *err)
{
    size_t line, column;
    sql_lexer_place(c->text, c->wrong_at, &line, &column);
    *rule = "syntax";
    return err_set(err, ERR_REJECTED, "line %zu, column %zu: %s; correct the statement", line,
                   column, c->wrong);
}

enum err_code sql_lexer_check_text(struct str text, const char **rule, struct err *err)
{
    if (text.len > SQL_LEXER_MAX_BYTES) {
        *rule = "length";
        return err_set(err, ERR_REJECTED,
                       "the statement has %zu bytes and at most %d are read; make it shorter",
                       text.len, SQL_LEXER_MAX_BYTES);
    }
    if (!str_is_utf8(text) || str_find_char(text, '\0') != STR_NONE) {
        *rule = "encoding";
        return err_set(err, ERR_REJECTED,
                       "the statement is not UTF-8 text without NUL; send it as such");
    }
    return ERR_OK;
}

enum err_code sql_lexer_scan(enum sql_dialect dialect, struct str text, struct arena *arena,
                             struct sql_tokens *tokens, const char **rule, struct err *err)
{
    CHECK(dialect != SQL_POSTGRES);
    *tokens = (struct sql_tokens){.text = text, .dialect = dialect};
    enum err_code code = sql_lexer_check_text(text, rule, err);
    if (code != ERR_OK)
        return code;
    struct cursor c = {.tokens = tokens, .text = text, .mysql = dialect == SQL_MYSQL};
    struct sql_token *at =
        arena_array(arena, text.len + 1, sizeof *at); /* a byte has one at most */
    if (at == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the tokens of %zu bytes", text.len);
    tokens->count = scan(&c, at);
    if (c.wrong != NULL)
        return refuse(&c, rule, err);
    at[tokens->count - 1] = (struct sql_token){(uint32_t)text.len, (uint32_t)text.len, 0, 0};
    tokens->at = at;
    return ERR_OK;
}

struct str sql_lexer_text(const struct sql_tokens *tokens, const struct sql_token *token)
{
    return str_slice(tokens->text, token->start, token->end);
}

/* What MySQL makes of a backslash and the byte after it; two bytes for \% and \_. */
static size_t unescape(char byte, char *out)
{
    static const char from[] = "0bnrtZ", to[] = {'\0', '\b', '\n', '\r', '\t', '\x1a'};
    const char *at = byte == '\0' ? NULL : strchr(from, byte);
    if (byte == '%' || byte == '_') {
        out[0] = '\\';
        out[1] = byte;
        return 2;
    }
    out[0] = at == NULL ? byte : to[at - from];
    return 1;
}

struct str sql_lexer_spelling(const struct sql_tokens *tokens, const struct sql_token *token,
                              struct arena *arena)
{
    struct str text = sql_lexer_text(tokens, token);
    if (token->kind != SQL_TOKEN_NAME && token->kind != SQL_TOKEN_STRING)
        return text;
    if (text.at[0] != '\'' && str_is_alpha(text.at[0])) /* n'text' */
        text = str_from(text, 1);
    char close = text.at[0] == '[' ? ']' : text.at[0];
    bool escapes = tokens->dialect == SQL_MYSQL && token->kind == SQL_TOKEN_STRING;
    text = str_slice(text, 1, text.len - 1);
    if (str_find_char(text, close) == STR_NONE &&
        (!escapes || str_find_char(text, '\\') == STR_NONE))
        return text;
    char *bytes = arena_alloc(arena, text.len);
    if (bytes == NULL)
        return (struct str){NULL, 0};
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (escapes && text.at[i] == '\\' && i + 1 < text.len) {
            len += unescape(text.at[++i], bytes + len);
            continue;
        }
        if (text.at[i] == close && i + 1 < text.len)
            i++;
        bytes[len++] = text.at[i];
    }
    return str_make(bytes, len);
}

void sql_lexer_place(struct str text, size_t offset, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        bool end = text.at[i] == '\n';
        *line += end ? 1 : 0;
        *column = end ? 1 : *column + 1;
    }
}

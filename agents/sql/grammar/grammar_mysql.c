/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_mysql.c - clauses of MySQL's SELECT, and what is refused among them.
 *
 * Happy path: the words that belong to a clause are stepped over. Failure: a hint, a lock, INTO and
 * the like, each under its rule; a word that belongs nowhere. */
#include "agents/sql/grammar/grammar_mysql.h"

#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_select.h"

bool sql_grammar_mysql_is(const struct sql_grammar_cursor *c, size_t ahead, const char *text)
{
    const struct sql_token *token = sql_grammar_cursor_peek(c, ahead);
    return token->kind == SQL_TOKEN_WORD &&
           str_lower(c->tokens->text.at[token->start]) == text[0] &&
           str_equal_nocase(sql_lexer_text(c->tokens, token), str_of(text));
}

bool sql_grammar_mysql_take(struct sql_grammar_cursor *c, const char *text)
{
    if (!sql_grammar_mysql_is(c, 0, text))
        return false;
    sql_grammar_cursor_step(c);
    return true;
}

bool sql_grammar_mysql_expect(struct sql_grammar_cursor *c, const char *text)
{
    if (sql_grammar_mysql_take(c, text))
        return true;
    sql_grammar_cursor_unexpected(c, text);
    return false;
}

static const char *const hints[] = {"high_priority",       "sql_small_result", "sql_big_result",
                                    "sql_buffer_result",   "sql_no_cache",     "sql_cache",
                                    "sql_calc_found_rows", "straight_join"};

bool sql_grammar_mysql_modifiers(struct sql_grammar_cursor *c)
{
    bool distinct = false;
    for (;;) {
        for (size_t i = 0; i < countof(hints); i++)
            if (sql_grammar_mysql_is(c, 0, hints[i]))
                sql_grammar_cursor_refuse(c, "hint",
                                          "a word that tells the database how to work is a hint; "
                                          "leave it out");
        if (sql_grammar_cursor_take_word(c, SQL_WORD_DISTINCT) ||
            sql_grammar_cursor_take_word(c, SQL_WORD_DISTINCTROW))
            distinct = true;
        else if (!sql_grammar_cursor_take_word(c, SQL_WORD_ALL))
            return distinct;
    }
}

/* Whether a query in parentheses goes on with the word. */
static bool continues_query(const struct sql_token *token)
{
    return token->word == SQL_WORD_UNION || token->word == SQL_WORD_EXCEPT ||
           token->word == SQL_WORD_INTERSECT || token->word == SQL_WORD_ORDER ||
           token->word == SQL_WORD_LIMIT;
}

/* From the query outwards: what follows its parentheses says whether those around are a query's,
 * too, or a join's, as after an alias. */
bool sql_grammar_mysql_begins_parens(const struct sql_grammar_cursor *c, bool in_from)
{
    const struct sql_token *tokens = c->tokens->at;
    size_t i = c->at;
    while (tokens[i].kind == SQL_TOKEN_LEFT)
        i++;
    size_t level = i - c->at, depth = level;
    bool query = sql_grammar_select_opens(c, (enum sql_word)tokens[i].word);
    for (; level > 0 && i + 1 < c->tokens->count; i++) {
        depth += tokens[i].kind == SQL_TOKEN_LEFT;
        depth -= tokens[i].kind == SQL_TOKEN_RIGHT;
        if (depth >= level)
            continue;
        level = depth;
        bool closes = tokens[i + 1].kind == SQL_TOKEN_RIGHT && (level > 0 || in_from);
        query = query && (closes || continues_query(&tokens[i + 1]));
    }
    return query && level == 0 && i > c->at;
}

void sql_grammar_mysql_refuse_tail(struct sql_grammar_cursor *c)
{
    if (sql_grammar_cursor_is_word(c, SQL_WORD_INTO))
        sql_grammar_cursor_refuse(c, "into", "SELECT ... INTO writes; leave INTO out");
    if (sql_grammar_cursor_is_word(c, SQL_WORD_FOR) || sql_grammar_cursor_is_word(c, SQL_WORD_LOCK))
        sql_grammar_cursor_refuse(c, "locking", "rows may not be locked; leave the clause out");
    if (sql_grammar_cursor_is_word(c, SQL_WORD_PROCEDURE))
        sql_grammar_cursor_refuse(c, "syntax", "PROCEDURE is not accepted; leave it out");
    if (sql_grammar_cursor_is_word(c, SQL_WORD_ROWS) && sql_grammar_mysql_is(c, 1, "examined"))
        sql_grammar_cursor_refuse(c, "syntax", "ROWS EXAMINED is not accepted; leave it out");
}

void sql_grammar_mysql_refuse_from(struct sql_grammar_cursor *c)
{
    bool hint = sql_grammar_mysql_is(c, 0, "use") || sql_grammar_mysql_is(c, 0, "force") ||
                sql_grammar_mysql_is(c, 0, "ignore");
    if (hint)
        sql_grammar_cursor_refuse(c, "hint", "index hints are not accepted; leave it out");
    if (sql_grammar_cursor_is_word(c, SQL_WORD_FULL) &&
        (sql_grammar_cursor_peek(c, 1)->word == SQL_WORD_JOIN ||
         sql_grammar_cursor_peek(c, 1)->word == SQL_WORD_OUTER))
        sql_grammar_cursor_refuse(c, "syntax",
                                  "MySQL has no FULL JOIN; write a LEFT JOIN, UNION ALL and the "
                                  "unmatched rows of a RIGHT JOIN");
    if (sql_grammar_cursor_is_word(c, SQL_WORD_FOR) && sql_grammar_mysql_is(c, 1, "system_time"))
        sql_grammar_cursor_refuse(c, "syntax", "FOR SYSTEM_TIME is not accepted; leave it out");
}

void sql_grammar_mysql_charset(struct sql_grammar_cursor *c, const char *what)
{
    if (!sql_grammar_cursor_take(c, SQL_TOKEN_STRING) &&
        !sql_grammar_cursor_take_word(c, SQL_WORD_BINARY))
        sql_grammar_cursor_name(c, what);
}

static void skip_size(struct sql_grammar_cursor *c)
{
    if (!sql_grammar_cursor_take(c, SQL_TOKEN_LEFT))
        return;
    do {
        sql_grammar_cursor_expect(c, SQL_TOKEN_NUMBER, "a number in the type");
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of the type");
}

/* How a text type is written or compared; whether there was such a word. */
static bool take_text_attribute(struct sql_grammar_cursor *c)
{
    if (sql_grammar_mysql_take(c, "charset") ||
        (sql_grammar_mysql_take(c, "character") &&
         sql_grammar_cursor_expect_word(c, SQL_WORD_SET, "SET"))) {
        sql_grammar_mysql_charset(c, "a character set");
        return !c->failed;
    }
    return sql_grammar_mysql_take(c, "binary") || sql_grammar_mysql_take(c, "ascii") ||
           sql_grammar_mysql_take(c, "unicode");
}

void sql_grammar_mysql_type(struct sql_grammar_cursor *c)
{
    static const char *const types[] = {
        "binary", "char",     "character", "nchar",   "varchar", "date",   "datetime", "time",
        "year",   "decimal",  "dec",       "numeric", "float",   "double", "real",     "json",
        "signed", "unsigned", "integer",   "int",     "inet6",   "uuid",   "timestamp"};
    bool known = false,
         sign = sql_grammar_mysql_is(c, 0, "signed") || sql_grammar_mysql_is(c, 0, "unsigned");
    for (size_t i = 0; i < countof(types) && !known; i++)
        known = sql_grammar_mysql_take(c, types[i]);
    if (!known)
        sql_grammar_cursor_unexpected(c, "a type such as CHAR, SIGNED, DATE or DECIMAL(10,2)");
    if (sign && !sql_grammar_mysql_take(c, "integer"))
        sql_grammar_mysql_take(c, "int");
    sql_grammar_mysql_take(c, "precision");
    sql_grammar_mysql_take(c, "varying");
    skip_size(c);
    while (take_text_attribute(c)) {
        /* CHAR(10) CHARACTER SET utf8mb4 BINARY */
    }
}

struct sql_expr *sql_grammar_mysql_count(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct str text = sql_lexer_text(c->tokens, sql_grammar_cursor_peek(c, 0));
    uint64_t number;
    enum sql_expr_kind kind = SQL_EXPR_LITERAL;
    if (sql_grammar_cursor_take(c, SQL_TOKEN_PARAMETER)) {
        c->tree->has_placeholder = true;
        kind = SQL_EXPR_PARAMETER;
    } else if (!sql_grammar_cursor_is(c, SQL_TOKEN_NUMBER) || !str_to_u64(text, &number)) {
        return sql_grammar_cursor_unexpected(c, "a whole number of rows");
    } else {
        sql_grammar_cursor_step(c);
    }
    return sql_grammar_expr_node(c, kind, start);
}

void sql_grammar_mysql_aggregate_tail(struct sql_grammar_cursor *c)
{
    if (sql_grammar_cursor_take_word(c, SQL_WORD_SEPARATOR))
        sql_grammar_cursor_expect(c, SQL_TOKEN_STRING, "a string after SEPARATOR");
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_LIMIT))
        return;
    (void)sql_grammar_mysql_count(c);
    if (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA) ||
        sql_grammar_cursor_take_word(c, SQL_WORD_OFFSET))
        (void)sql_grammar_mysql_count(c);
}

void sql_grammar_mysql_within_group(struct sql_grammar_cursor *c, struct sql_call *call)
{
    if (!sql_grammar_mysql_is(c, 0, "within") ||
        sql_grammar_cursor_peek(c, 1)->word != SQL_WORD_GROUP)
        return;
    sql_grammar_cursor_step(c);
    sql_grammar_cursor_step(c);
    if (!sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' after WITHIN GROUP") ||
        !sql_grammar_cursor_enter(c))
        return;
    sql_grammar_cursor_expect_word(c, SQL_WORD_ORDER, "ORDER BY of WITHIN GROUP");
    sql_grammar_cursor_expect_word(c, SQL_WORD_BY, "BY after ORDER");
    call->order = sql_grammar_expr_order(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' of WITHIN GROUP");
    sql_grammar_cursor_leave(c);
}

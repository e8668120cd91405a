/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_from.c - FROM items, joins, ON and USING.
 *
 * Happy path: an item, then a join operator and an item, for as long as there are some.
 * Failure: a name that is a string, index hints, joins of words that make none; what is missing.
 * The list is flat: joins associate to the left, parentheses are an item of their own. */
#include "agents/sql/grammar/grammar_from.h"

#include "agents/sql/grammar/grammar_call.h"
#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_mysql.h"
#include "agents/sql/grammar/grammar_mysql_table.h"
#include "agents/sql/grammar/grammar_select.h"

/* [schema.]name; a string would be a table to SQLite, so it is refused by name. */
static void parse_table_name(struct sql_grammar_cursor *c, struct sql_from *item)
{
    size_t start = sql_grammar_cursor_start(c);
    for (int parts = 1;; parts++) {
        if (sql_grammar_cursor_is(c, SQL_TOKEN_STRING)) {
            sql_grammar_cursor_refuse(c, "syntax",
                                      "a string stands where a table's name belongs; write the "
                                      "name without quotes");
            return;
        }
        item->name = sql_grammar_cursor_name(c, "a table's name");
        if (parts == 2 || !sql_grammar_cursor_take(c, SQL_TOKEN_DOT))
            break;
        item->schema = item->name;
    }
    item->name_span = sql_grammar_cursor_since(c, start);
}

struct sql_from *sql_grammar_from_table(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_from *item = sql_grammar_cursor_alloc(c, sizeof *item);
    if (item == NULL)
        return NULL;
    item->kind = SQL_FROM_TABLE;
    item->table_ref = CATALOG_NONE;
    parse_table_name(c, item);
    if (sql_grammar_cursor_is(c, SQL_TOKEN_LEFT))
        sql_grammar_cursor_unexpected(c, "a table or a list after IN, not a call");
    item->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : item;
}

static void refuse_hints(struct sql_grammar_cursor *c)
{
    bool not_indexed = sql_grammar_cursor_is_word(c, SQL_WORD_NOT) &&
                       sql_grammar_cursor_peek(c, 1)->word == SQL_WORD_INDEXED;
    bool indexed = sql_grammar_cursor_is_word(c, SQL_WORD_INDEXED) &&
                   sql_grammar_cursor_peek(c, 1)->word == SQL_WORD_BY;
    if (indexed || not_indexed)
        sql_grammar_cursor_refuse(c, "hint", "index hints are not accepted; leave it out");
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_mysql_refuse_from(c);
}

static void parse_parens(struct sql_grammar_cursor *c, struct sql_from *item)
{
    struct sql_grammar_cursor inside = *c;
    inside.at++;
    if (sql_grammar_select_begins(&inside) ||
        (sql_grammar_cursor_is_mysql(c) && sql_grammar_mysql_begins_parens(&inside, true))) {
        c->tree->has_subquery = true;
        item->kind = SQL_FROM_SELECT;
        item->select = sql_grammar_select_parens(c);
        item->alias = sql_grammar_cursor_alias(c, &item->alias_span);
        bool listed = sql_grammar_cursor_is_mysql(c) && item->alias.len > 0 &&
                      sql_grammar_cursor_is(c, SQL_TOKEN_LEFT);
        item->columns = listed ? sql_grammar_cursor_names(c) : NULL;
        return;
    }
    if (item->lateral)
        sql_grammar_cursor_unexpected(c, "a query after LATERAL");
    sql_grammar_cursor_step(c);
    item->kind = SQL_FROM_PARENS;
    if (!sql_grammar_cursor_enter(c))
        return;
    item->inside = sql_grammar_from_list(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "',', JOIN or ')' in FROM");
    sql_grammar_cursor_leave(c);
}

static void parse_named(struct sql_grammar_cursor *c, struct sql_from *item)
{
    bool mysql = sql_grammar_cursor_is_mysql(c);
    if (mysql && sql_grammar_mysql_table_is_json(c)) {
        sql_grammar_mysql_table_json(c, item);
    } else if (sql_grammar_cursor_is_name(c, 0) &&
               sql_grammar_cursor_peek(c, 1)->kind == SQL_TOKEN_LEFT) {
        item->kind = SQL_FROM_CALL;
        item->call = sql_grammar_call_parse(c);
        if (item->call != NULL) {
            item->name = item->call->call->name;
            item->name_span = item->call->call->name_span;
        }
    } else {
        item->kind = SQL_FROM_TABLE;
        parse_table_name(c, item);
        if (mysql)
            item->sample_span = sql_grammar_mysql_table_partition(c);
        refuse_hints(c);
    }
    item->alias = sql_grammar_cursor_alias(c, &item->alias_span);
    refuse_hints(c);
}

/* {oj a LEFT JOIN b ON ...} */
static void parse_braces(struct sql_grammar_cursor *c, struct sql_from *item)
{
    item->kind = SQL_FROM_PARENS;
    if (!sql_grammar_cursor_enter(c))
        return;
    item->inside = sql_grammar_from_list(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_BRACE_END, "'}'");
    sql_grammar_cursor_leave(c);
}

static struct sql_from *parse_item(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_from *item = sql_grammar_cursor_alloc(c, sizeof *item);
    if (item == NULL)
        return NULL;
    item->table_ref = CATALOG_NONE;
    bool mysql = sql_grammar_cursor_is_mysql(c);
    item->lateral = mysql && sql_grammar_mysql_table_take_lateral(c);
    if (mysql && sql_grammar_mysql_table_take_brace(c))
        parse_braces(c, item);
    else if (sql_grammar_cursor_is(c, SQL_TOKEN_LEFT))
        parse_parens(c, item);
    else
        parse_named(c, item);
    item->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : item;
}

/* LEFT OUTER, NATURAL INNER and so on, in any order as SQLite has it, up to JOIN. */
static bool parse_join_words(struct sql_grammar_cursor *c, enum sql_join *join, bool *natural)
{
    bool outer = false, sided = false;
    *join = SQL_JOIN_INNER;
    for (;; sql_grammar_cursor_step(c)) {
        enum sql_word word = (enum sql_word)sql_grammar_cursor_peek(c, 0)->word;
        enum sql_join side = word == SQL_WORD_LEFT    ? SQL_JOIN_LEFT
                             : word == SQL_WORD_RIGHT ? SQL_JOIN_RIGHT
                             : word == SQL_WORD_FULL  ? SQL_JOIN_FULL
                             : word == SQL_WORD_CROSS ? SQL_JOIN_CROSS
                                                      : SQL_JOIN_INNER;
        if (word == SQL_WORD_NATURAL && !*natural) {
            *natural = true;
        } else if (word == SQL_WORD_OUTER && !outer) {
            outer = true;
        } else if ((side != SQL_JOIN_INNER || word == SQL_WORD_INNER) && !sided) {
            sided = true;
            *join = side;
        } else {
            break;
        }
    }
    bool one_sided = *join == SQL_JOIN_LEFT || *join == SQL_JOIN_RIGHT || *join == SQL_JOIN_FULL;
    if (outer && !one_sided)
        sql_grammar_cursor_unexpected(c, "LEFT, RIGHT or FULL with OUTER");
    return sql_grammar_cursor_expect_word(c, SQL_WORD_JOIN, "JOIN");
}

/* False: the list ends here, or the cursor gave up. */
static bool take_join(struct sql_grammar_cursor *c, enum sql_join *join, bool *natural)
{
    *natural = false;
    if (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA)) {
        *join = SQL_JOIN_COMMA;
        return true;
    }
    switch (sql_grammar_cursor_peek(c, 0)->word) {
    case SQL_WORD_STRAIGHT_JOIN:
        sql_grammar_cursor_refuse(c, "hint", "STRAIGHT_JOIN is a hint; write JOIN");
        return false;
    case SQL_WORD_JOIN:
    case SQL_WORD_NATURAL:
    case SQL_WORD_LEFT:
    case SQL_WORD_RIGHT:
    case SQL_WORD_FULL:
    case SQL_WORD_INNER:
    case SQL_WORD_CROSS:
    case SQL_WORD_OUTER:
        return parse_join_words(c, join, natural);
    default:
        return false;
    }
}

static void parse_condition(struct sql_grammar_cursor *c, struct sql_from *item)
{
    size_t start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_ON)) {
        item->on = sql_grammar_expr_parse(c);
        item->on_span = sql_grammar_cursor_since(c, start);
    } else if (sql_grammar_cursor_take_word(c, SQL_WORD_USING)) {
        item->using_columns = sql_grammar_cursor_names(c);
        item->using_span = sql_grammar_cursor_since(c, start);
    }
    if (item->natural && (item->on != NULL || item->using_columns != NULL))
        sql_grammar_cursor_refuse(c, "syntax", "a NATURAL join has no ON or USING; drop one");
}

/* Whether the item may still be given an ON: a JOIN b JOIN c ON ... ON ... */
static bool wants_condition(const struct sql_from *item)
{
    return item->on == NULL && item->using_columns == NULL && !item->natural &&
           (item->join == SQL_JOIN_INNER || item->join == SQL_JOIN_LEFT ||
            item->join == SQL_JOIN_RIGHT);
}

/* MySQL: a second ON belongs to an earlier join, whose right side is then all that follows it. */
static void parse_late_conditions(struct sql_grammar_cursor *c, struct sql_from *first,
                                  struct sql_from **last)
{
    size_t levels = 0;
    while ((sql_grammar_cursor_is_word(c, SQL_WORD_ON) ||
            sql_grammar_cursor_is_word(c, SQL_WORD_USING)) &&
           *last != first) {
        struct sql_from *right = NULL;
        for (struct sql_from *item = first->next; item != *last; item = item->next)
            right = wants_condition(item) ? item : right;
        if (right == NULL)
            return;
        if (++levels + c->depth > SQL_GRAMMAR_MAX_NESTING) {
            sql_grammar_cursor_refuse(c, "nesting", "joins nest too deep; write ON after each");
            return;
        }
        struct sql_from *inner = sql_grammar_cursor_alloc(c, sizeof *inner);
        if (inner == NULL)
            return;
        *inner = *right; /* right becomes the parentheses around itself and the rest */
        inner->join = SQL_JOIN_FIRST;
        *right = (struct sql_from){.kind = SQL_FROM_PARENS,
                                   .span = {inner->span.start, (*last)->span.end},
                                   .inside = inner,
                                   .join = right->join,
                                   .table_ref = CATALOG_NONE};
        parse_condition(c, right);
        *last = right;
    }
}

struct sql_from *sql_grammar_from_list(struct sql_grammar_cursor *c)
{
    struct sql_from *first = parse_item(c), *last = first;
    enum sql_join join;
    bool natural;
    while (!c->failed && take_join(c, &join, &natural)) {
        struct sql_from *item = parse_item(c);
        if (item == NULL)
            return NULL;
        item->join = join;
        item->natural = natural;
        if (natural)
            c->tree->has_natural = true;
        parse_condition(c, item);
        last->next = item;
        last = item;
        if (sql_grammar_cursor_is_mysql(c))
            parse_late_conditions(c, first, &last);
    }
    return c->failed ? NULL : first;
}

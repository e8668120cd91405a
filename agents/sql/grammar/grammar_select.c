/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_select.c - WITH, SELECT and VALUES, set operations, ORDER BY, LIMIT.
 *
 * Happy path: clause after clause in the order SQL has them, each span noted. Failure: a clause
 * out of order or incomplete, INTO, a locking clause, a WITH that does not lead to SELECT. */
#include "agents/sql/grammar/grammar_select.h"

#include "agents/sql/grammar/grammar_call.h"
#include "agents/sql/grammar/grammar_expr.h"
#include "agents/sql/grammar/grammar_from.h"
#include "agents/sql/grammar/grammar_mysql.h"

bool sql_grammar_select_opens(const struct sql_grammar_cursor *c, enum sql_word word)
{
    return word == SQL_WORD_SELECT || word == SQL_WORD_VALUES || word == SQL_WORD_WITH ||
           (word == SQL_WORD_TABLE && sql_grammar_cursor_is_mysql(c));
}

bool sql_grammar_select_begins(const struct sql_grammar_cursor *c)
{
    enum sql_word word = (enum sql_word)sql_grammar_cursor_peek(c, 0)->word;
    /* WITH may name a column in SQLite; then no name follows */
    return sql_grammar_select_opens(c, word) &&
           (word != SQL_WORD_WITH || sql_grammar_cursor_is_mysql(c) ||
            sql_grammar_cursor_is_name(c, 1));
}

struct sql_select *sql_grammar_select_parens(struct sql_grammar_cursor *c)
{
    if (!sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' before a query") ||
        !sql_grammar_cursor_enter(c))
        return NULL;
    struct sql_select *select = sql_grammar_select_parse(c);
    sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "')' after the query");
    sql_grammar_cursor_leave(c);
    return c->failed ? NULL : select;
}

static struct sql_cte *parse_cte(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_cte *cte = sql_grammar_cursor_alloc(c, sizeof *cte);
    if (cte == NULL)
        return NULL;
    cte->name = sql_grammar_cursor_name(c, "a name after WITH");
    cte->name_span = sql_grammar_cursor_since(c, start);
    if (sql_grammar_cursor_is(c, SQL_TOKEN_LEFT))
        cte->columns = sql_grammar_cursor_names(c);
    sql_grammar_cursor_expect_word(c, SQL_WORD_AS, "AS");
    bool negated = sql_grammar_cursor_take_word(c, SQL_WORD_NOT);
    bool materialized =
        !sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_take_word(c, SQL_WORD_MATERIALIZED);
    if (negated && !materialized)
        sql_grammar_cursor_unexpected(c, "MATERIALIZED");
    cte->select = sql_grammar_select_parens(c);
    cte->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : cte;
}

static void parse_with(struct sql_grammar_cursor *c, struct sql_select *select)
{
    size_t start = sql_grammar_cursor_start(c);
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_WITH))
        return;
    c->tree->has_with = true;
    if (sql_grammar_cursor_is_word(c, SQL_WORD_RECURSIVE) && sql_grammar_cursor_is_name(c, 1) &&
        sql_grammar_cursor_peek(c, 1)->word != SQL_WORD_AS) {
        sql_grammar_cursor_step(c);
        select->recursive = true;
        c->tree->has_recursive = true;
    } else if (sql_grammar_cursor_is_mysql(c)) {
        select->recursive = sql_grammar_cursor_take_word(c, SQL_WORD_RECURSIVE);
    }
    struct sql_cte **tail = &select->ctes;
    do {
        *tail = parse_cte(c);
        if (*tail == NULL)
            return;
        tail = &(*tail)->next;
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    select->with_span = sql_grammar_cursor_since(c, start);
}

/* A name and a dot. */
static bool begins_star(const struct sql_grammar_cursor *c, size_t ahead)
{
    return sql_grammar_cursor_is_name(c, ahead) &&
           sql_grammar_cursor_peek(c, ahead + 1)->kind == SQL_TOKEN_DOT;
}

static struct sql_item *parse_item(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_item *item = sql_grammar_cursor_alloc(c, sizeof *item);
    if (item == NULL)
        return NULL;
    bool in_schema = sql_grammar_cursor_is_mysql(c) && begins_star(c, 0) && begins_star(c, 2) &&
                     sql_grammar_cursor_peek(c, 4)->kind == SQL_TOKEN_STAR; /* s.t.* */
    if (in_schema) {
        item->schema = sql_grammar_cursor_name(c, "a database");
        sql_grammar_cursor_step(c);
    }
    if (begins_star(c, 0) && sql_grammar_cursor_peek(c, 2)->kind == SQL_TOKEN_STAR) {
        item->qualifier = sql_grammar_cursor_name(c, "a table");
        sql_grammar_cursor_step(c);
        sql_grammar_cursor_step(c);
    } else if (!sql_grammar_cursor_take(c, SQL_TOKEN_STAR)) {
        item->expr = sql_grammar_expr_parse(c);
        item->alias = sql_grammar_cursor_alias(c, &item->alias_span);
    }
    item->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : item;
}

static void parse_items(struct sql_grammar_cursor *c, struct sql_branch *branch)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_item **tail = &branch->items;
    do {
        if (branch->item_count > 0 && sql_grammar_cursor_is_mysql(c) &&
            sql_grammar_cursor_is(c, SQL_TOKEN_STAR))
            sql_grammar_cursor_refuse(c, "syntax", "'*' must stand first; write table.* here");
        *tail = parse_item(c);
        if (*tail == NULL)
            return;
        tail = &(*tail)->next;
        branch->item_count++;
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    branch->items_span = sql_grammar_cursor_since(c, start);
    c->tree->select_items = size_max(c->tree->select_items, branch->item_count);
}

static void parse_group(struct sql_grammar_cursor *c, struct sql_branch *branch)
{
    size_t start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_GROUP)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_BY, "BY after GROUP");
        bool mysql = sql_grammar_cursor_is_mysql(c); /* which takes GROUP BY a DESC */
        branch->groups = mysql ? sql_grammar_expr_order(c) : sql_grammar_expr_list(c);
        if (mysql && sql_grammar_cursor_take_word(c, SQL_WORD_WITH))
            sql_grammar_mysql_expect(c, "rollup");
        branch->group_span = sql_grammar_cursor_since(c, start);
        c->tree->has_group_by = true;
    }
    start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_HAVING)) {
        branch->having = sql_grammar_expr_parse(c);
        branch->having_span = sql_grammar_cursor_since(c, start);
    }
}

/* FROM to WINDOW. */
static void parse_clauses(struct sql_grammar_cursor *c, struct sql_branch *branch)
{
    size_t start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_is_word(c, SQL_WORD_INTO))
        sql_grammar_cursor_refuse(c, "into", "SELECT ... INTO writes; leave INTO out");
    if (sql_grammar_cursor_take_word(c, SQL_WORD_FROM)) {
        bool dual = sql_grammar_cursor_is_mysql(c) && sql_grammar_mysql_is(c, 0, "dual") &&
                    !sql_grammar_cursor_is_name(c, 0); /* no table at all */
        if (dual)
            sql_grammar_cursor_step(c);
        else
            branch->from = sql_grammar_from_list(c);
        branch->from_span = sql_grammar_cursor_since(c, start);
    }
    branch->where_at = sql_grammar_cursor_end(c);
    start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_WHERE)) {
        branch->where = sql_grammar_expr_parse(c);
        branch->where_span = sql_grammar_cursor_since(c, start);
    }
    parse_group(c, branch);
    start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_WINDOW)) {
        branch->windows = sql_grammar_call_windows(c);
        branch->window_span = sql_grammar_cursor_since(c, start);
    }
}

static void parse_values(struct sql_grammar_cursor *c, struct sql_branch *branch)
{
    struct sql_expr **tail = &branch->rows;
    branch->values = true;
    do {
        size_t start = sql_grammar_cursor_start(c);
        if (sql_grammar_cursor_is_mysql(c)) /* VALUES ROW(1, 2) */
            sql_grammar_cursor_take_word(c, SQL_WORD_ROW);
        if (!sql_grammar_cursor_expect(c, SQL_TOKEN_LEFT, "'(' of a row") ||
            !sql_grammar_cursor_enter(c))
            return;
        struct sql_expr *list = sql_grammar_expr_list(c);
        sql_grammar_cursor_expect(c, SQL_TOKEN_RIGHT, "',' or ')' of a row");
        sql_grammar_cursor_leave(c);
        struct sql_expr *row = sql_grammar_expr_node(c, SQL_EXPR_PARENS, start);
        if (row == NULL)
            return;
        row->children = list;
        sql_grammar_expr_push(&tail, row);
    } while (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA));
    for (const struct sql_expr *value = branch->rows->children; value != NULL; value = value->next)
        branch->item_count++;
    branch->where_at = sql_grammar_cursor_end(c);
}

static void refuse_writes(struct sql_grammar_cursor *c)
{
    switch (sql_grammar_cursor_peek(c, 0)->word) {
    case SQL_WORD_INSERT:
    case SQL_WORD_UPDATE:
    case SQL_WORD_DELETE:
        sql_grammar_cursor_refuse(c, "select_only",
                                  "only SELECT may follow here; the data cannot be changed");
        break;
    default:
        break;
    }
}

/* MySQL's (SELECT ... ORDER BY ... LIMIT ...): what is in it when that is no more than a SELECT,
 * else SELECT * of it. */
static struct sql_branch *parse_parens_branch(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_select *select = sql_grammar_select_parens(c);
    if (select == NULL)
        return NULL;
    struct sql_span span = sql_grammar_cursor_since(c, start);
    if (select->branch_count == 1 && select->ctes == NULL && select->order == NULL &&
        !select->limit.present)
        return select->branches;
    struct sql_branch *branch = sql_grammar_cursor_alloc(c, sizeof *branch);
    struct sql_item *star = sql_grammar_cursor_alloc(c, sizeof *star);
    struct sql_from *from = sql_grammar_cursor_alloc(c, sizeof *from);
    if (branch == NULL || star == NULL || from == NULL)
        return NULL;
    star->span = from->span = span;
    from->kind = SQL_FROM_SELECT;
    from->select = select;
    from->table_ref = CATALOG_NONE;
    *branch = (struct sql_branch){.span = span,
                                  .items = star,
                                  .item_count = 1,
                                  .items_span = span,
                                  .from = from,
                                  .from_span = span,
                                  .where_at = span.end};
    return branch;
}

/* MySQL's TABLE t: SELECT * FROM t, with ORDER BY and LIMIT of the query alone. */
static void parse_table(struct sql_grammar_cursor *c, struct sql_branch *branch)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_item *star = sql_grammar_cursor_alloc(c, sizeof *star);
    sql_grammar_cursor_step(c);
    branch->table_span = sql_grammar_cursor_since(c, start);
    branch->from = sql_grammar_from_table(c);
    if (star == NULL || branch->from == NULL)
        return;
    star->span = branch->items_span = branch->table_span;
    branch->items = star;
    branch->item_count = 1;
    branch->from_span = branch->from->span;
    branch->where_at = sql_grammar_cursor_end(c);
}

static struct sql_branch *parse_branch(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_is(c, SQL_TOKEN_LEFT))
        return parse_parens_branch(c);
    struct sql_branch *branch = sql_grammar_cursor_alloc(c, sizeof *branch);
    if (branch == NULL)
        return NULL;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_VALUES)) {
        parse_values(c, branch);
    } else if (sql_grammar_cursor_is_mysql(c) && sql_grammar_cursor_is_word(c, SQL_WORD_TABLE)) {
        parse_table(c, branch);
    } else {
        refuse_writes(c);
        sql_grammar_cursor_expect_word(c, SQL_WORD_SELECT, "SELECT");
        bool mysql = sql_grammar_cursor_is_mysql(c);
        branch->distinct = mysql ? sql_grammar_mysql_modifiers(c)
                                 : sql_grammar_cursor_take_word(c, SQL_WORD_DISTINCT);
        if (!branch->distinct)
            sql_grammar_cursor_take_word(c, SQL_WORD_ALL);
        parse_items(c, branch);
        parse_clauses(c, branch);
    }
    branch->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : branch;
}

/* ALL or DISTINCT after a set operator; SQLite has only UNION ALL. */
static bool take_all(struct sql_grammar_cursor *c)
{
    if (sql_grammar_cursor_take_word(c, SQL_WORD_ALL))
        return true;
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_cursor_take_word(c, SQL_WORD_DISTINCT);
    return false;
}

static enum sql_set take_set(struct sql_grammar_cursor *c)
{
    bool mysql = sql_grammar_cursor_is_mysql(c);
    enum sql_set set = SQL_SET_FIRST;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_UNION))
        return take_all(c) ? SQL_SET_UNION_ALL : SQL_SET_UNION;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_INTERSECT))
        set = SQL_SET_INTERSECT;
    else if (sql_grammar_cursor_take_word(c, SQL_WORD_EXCEPT))
        set = SQL_SET_EXCEPT;
    if (mysql && set != SQL_SET_FIRST)
        (void)take_all(c);
    return set;
}

static void parse_branches(struct sql_grammar_cursor *c, struct sql_select *select)
{
    struct sql_branch **tail = &select->branches;
    enum sql_set set = SQL_SET_FIRST;
    struct sql_span span = {0, 0};
    do {
        struct sql_branch *branch = parse_branch(c);
        if (branch == NULL)
            return;
        branch->set = set;
        branch->set_span = span;
        *tail = branch;
        tail = &branch->next;
        select->branch_count++;
        size_t start = sql_grammar_cursor_start(c);
        set = take_set(c);
        span = sql_grammar_cursor_since(c, start);
    } while (set != SQL_SET_FIRST);
    if (select->branch_count > 1)
        c->tree->has_set_operation = true;
}

static void note_limit(struct sql_grammar_cursor *c, struct sql_select *select, size_t start)
{
    struct sql_limit *limit = &select->limit;
    if (c->failed)
        return;
    limit->present = true;
    limit->clause_span = sql_grammar_cursor_since(c, start);
    limit->has_skip = select->limit_skip != NULL;
    if (select->limit_count == NULL) { /* FETCH FIRST ROW ONLY */
        limit->is_number = true;
        limit->number = 1;
        return;
    }
    limit->count_span = select->limit_count->span;
    struct str count = str_slice(c->tokens->text, limit->count_span.start, limit->count_span.end);
    size_t digits = 0;
    while (digits < count.len && str_is_digit(count.at[digits]))
        digits++;
    limit->is_number = digits > 0 && digits == count.len;
    if (limit->is_number && !str_to_i64(count, &limit->number))
        limit->number = INT64_MAX;
}

static struct sql_expr *parse_count(struct sql_grammar_cursor *c)
{
    return sql_grammar_cursor_is_mysql(c) ? sql_grammar_mysql_count(c) : sql_grammar_expr_parse(c);
}

static bool take_row(struct sql_grammar_cursor *c)
{
    return sql_grammar_cursor_take_word(c, SQL_WORD_ROWS) ||
           sql_grammar_cursor_take_word(c, SQL_WORD_ROW);
}

/* MariaDB: [OFFSET n ROWS] FETCH FIRST [n] ROWS ONLY. */
static void parse_fetch(struct sql_grammar_cursor *c, struct sql_select *select)
{
    size_t start = sql_grammar_cursor_start(c);
    bool offset = sql_grammar_cursor_take_word(c, SQL_WORD_OFFSET);
    if (offset) {
        select->limit_skip = sql_grammar_mysql_count(c);
        if (!take_row(c))
            sql_grammar_cursor_unexpected(c, "ROW or ROWS");
    }
    if (!sql_grammar_mysql_take(c, "fetch")) {
        select->limit.has_skip = offset;
        return;
    }
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_FIRST))
        sql_grammar_mysql_expect(c, "next");
    if (!sql_grammar_cursor_is_word(c, SQL_WORD_ROW) &&
        !sql_grammar_cursor_is_word(c, SQL_WORD_ROWS))
        select->limit_count = sql_grammar_mysql_count(c);
    if (!take_row(c))
        sql_grammar_cursor_unexpected(c, "ROW or ROWS");
    select->limit.fetch = true;
    if (sql_grammar_cursor_take_word(c, SQL_WORD_WITH)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_TIES, "TIES");
        select->limit.with_ties = true;
    } else {
        sql_grammar_mysql_expect(c, "only");
    }
    note_limit(c, select, start);
}

/* LIMIT count [OFFSET skip], LIMIT skip, count. */
static void parse_limit(struct sql_grammar_cursor *c, struct sql_select *select)
{
    size_t start = sql_grammar_cursor_start(c);
    if (!sql_grammar_cursor_take_word(c, SQL_WORD_LIMIT)) {
        if (sql_grammar_cursor_is_mysql(c))
            parse_fetch(c, select);
        return;
    }
    select->limit_count = parse_count(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_OFFSET)) {
        select->limit_skip = parse_count(c);
    } else if (sql_grammar_cursor_take(c, SQL_TOKEN_COMMA)) {
        select->limit_skip = select->limit_count;
        select->limit_count = parse_count(c);
        select->limit.comma_form = true;
    }
    note_limit(c, select, start);
}

struct sql_select *sql_grammar_select_parse(struct sql_grammar_cursor *c)
{
    size_t start = sql_grammar_cursor_start(c);
    struct sql_select *select = sql_grammar_cursor_alloc(c, sizeof *select);
    if (select == NULL)
        return NULL;
    parse_with(c, select);
    parse_branches(c, select);
    size_t order = sql_grammar_cursor_start(c);
    if (sql_grammar_cursor_take_word(c, SQL_WORD_ORDER)) {
        sql_grammar_cursor_expect_word(c, SQL_WORD_BY, "BY after ORDER");
        select->order = sql_grammar_expr_order(c);
        select->order_span = sql_grammar_cursor_since(c, order);
        c->tree->has_order_by = true;
    }
    parse_limit(c, select);
    if (sql_grammar_cursor_is_mysql(c))
        sql_grammar_mysql_refuse_tail(c);
    select->span = sql_grammar_cursor_since(c, start);
    return c->failed ? NULL : select;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_from.c - FROM items, joins, ON and USING.
 *
 * Happy path: the tree of joins is visited in the order of the text and becomes a flat list, where
 * a join on the right side, or one with an alias, is an item in parentheses.
 * Failure: samples by anything but literals, XMLTABLE, a function that is none, a database's name.
 */
#include "agents/sql/postgres/parse_pg_state.h"

/* The alias of node, if any, after token *cursor: [AS] name [(names)]. */
static void take_alias(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                       struct sql_from *item, size_t *cursor)
{
    struct sql_parse_pg_node *alias = sql_parse_pg_node_get(node, STR("alias"));
    if (alias == NULL)
        return;
    size_t token = *cursor + 1;
    token += sql_parse_pg_state_is(p, token, STR("as"));
    item->alias = sql_parse_pg_state_member(p, alias, STR("aliasname"));
    item->alias_span = sql_parse_pg_state_span(p, token, token);
    *cursor = token;
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(alias, STR("colnames"));
    if (names == NULL)
        return;
    item->columns = sql_parse_pg_state_names(p, names, token + 2);
    *cursor = sql_parse_pg_state_match(p, token + 1);
}

static struct sql_from *make_item(struct sql_parse_pg_state *p, enum sql_from_kind kind)
{
    struct sql_from *item = sql_parse_pg_state_alloc(p, sizeof *item);
    if (item == NULL)
        return NULL;
    item->kind = kind;
    item->table_ref = CATALOG_NONE;
    return item;
}

static struct sql_from *convert_table(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      size_t *cursor)
{
    struct sql_from *item = make_item(p, SQL_FROM_TABLE);
    size_t token = sql_parse_pg_state_token(p, node);
    if (item == NULL)
        return NULL;
    if (sql_parse_pg_node_text(node, STR("catalogname")).len > 0)
        return sql_parse_pg_state_refuse(p, "catalog", token,
                                         "a database's name before a table's; leave it out");
    struct str schema = sql_parse_pg_state_member(p, node, STR("schemaname"));
    item->schema = schema.len > 0 ? schema : str_make(NULL, 0);
    item->name = sql_parse_pg_state_member(p, node, STR("relname"));
    size_t last = token + (schema.len > 0 ? 2 : 0);
    item->only = !sql_parse_pg_node_is(node, STR("inh"));
    if (item->only && sql_parse_pg_state_kind(p, token - 1) == SQL_TOKEN_LEFT) { /* ONLY (t) */
        token -= 2;
        last++;
    } else if (item->only) {
        token--;
    } else if (sql_parse_pg_state_kind(p, last + 1) == SQL_TOKEN_STAR) {
        last++;
    }
    item->name_span = sql_parse_pg_state_span(p, token, last);
    *cursor = last;
    take_alias(p, node, item, cursor);
    item->span = sql_parse_pg_state_span(p, token, *cursor);
    return item;
}

static bool is_literal(const struct sql_expr *expr)
{
    while (expr != NULL && expr->kind == SQL_EXPR_PARENS && expr->children != NULL)
        expr = expr->children->next == NULL ? expr->children : NULL;
    return expr != NULL && expr->kind == SQL_EXPR_LITERAL;
}

static bool is_sampler(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names)
{
    static const struct str methods[] = {
        {"bernoulli", 9}, {"system", 6}, {"system_rows", 11}, {"system_time", 11}};
    struct str name;
    bool own = sql_parse_pg_type_own(p, names, &name);
    for (size_t i = 0; i < countof(methods); i++)
        if (own && str_equal(methods[i], name))
            return true;
    return false;
}

/* t TABLESAMPLE SYSTEM (10) REPEATABLE (1): of a table, never of what stands for it. */
static struct sql_from *convert_sample(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                       size_t *cursor)
{
    struct sql_parse_pg_range at;
    size_t token = sql_parse_pg_state_token(p, node);
    struct sql_parse_pg_node *table =
        sql_parse_pg_node_enter(sql_parse_pg_node_get(node, STR("relation")));
    if (!sql_parse_pg_node_of(table, STR("RangeVar")))
        return sql_parse_pg_state_unknown(p, node);
    struct sql_from *item = convert_table(p, table, cursor);
    size_t left = sql_parse_pg_state_left(p, token);
    const struct sql_expr *size =
        sql_parse_pg_expr_list(p, sql_parse_pg_node_get(node, STR("args")), left + 1, &at);
    *cursor = sql_parse_pg_state_match(p, left);
    struct sql_parse_pg_node *seed = sql_parse_pg_node_get(node, STR("repeatable"));
    bool fine = is_literal(size) && size->next == NULL &&
                is_sampler(p, sql_parse_pg_node_get(node, STR("method")));
    if (seed != NULL) {
        left = sql_parse_pg_state_left(p, *cursor + 1);
        fine = is_literal(sql_parse_pg_expr_convert(p, seed, left + 1, &at)) && fine;
        *cursor = sql_parse_pg_state_match(p, left);
    }
    if (!fine)
        return sql_parse_pg_state_refuse(p, "syntax", token,
                                         "TABLESAMPLE takes BERNOULLI or SYSTEM and a number; "
                                         "write it so");
    if (item != NULL)
        item->sample_span = sql_parse_pg_state_span(p, token - 1, *cursor);
    return item;
}

/* Whether a query in parentheses that end at token ends there, and not in a longer one. */
static bool ends_query(const struct sql_parse_pg_state *p, size_t token)
{
    static const struct str more[] = {{"union", 5}, {"intersect", 9}, {"except", 6}, {"order", 5},
                                      {"limit", 5}, {"offset", 6},    {"fetch", 5},  {"for", 3}};
    if (sql_parse_pg_state_kind(p, token + 1) == SQL_TOKEN_RIGHT)
        return false;
    for (size_t i = 0; i < countof(more); i++)
        if (sql_parse_pg_state_is(p, token + 1, more[i]))
            return false;
    return true;
}

/* The parenthesis that opens a subquery after cursor: of several, those of joins stand outside. */
static size_t find_query(const struct sql_parse_pg_state *p, size_t cursor, bool lateral)
{
    size_t first = cursor;
    while (lateral && first < p->pg.tokens.count &&
           !sql_parse_pg_state_is(p, first, STR("lateral")))
        first++;
    first = sql_parse_pg_state_left(p, first);
    size_t inner = first;
    while (sql_parse_pg_state_kind(p, inner + 1) == SQL_TOKEN_LEFT)
        inner++;
    while (inner > first && !ends_query(p, sql_parse_pg_state_match(p, inner)))
        inner--;
    return inner;
}

static struct sql_from *convert_query(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      size_t *cursor)
{
    struct sql_from *item = make_item(p, SQL_FROM_SELECT);
    bool lateral = sql_parse_pg_node_is(node, STR("lateral"));
    size_t left = find_query(p, *cursor + 1, lateral);
    struct sql_expr *query = sql_parse_pg_expr_query(
        p, SQL_EXPR_SELECT, sql_parse_pg_node_get(node, STR("subquery")), left);
    if (item == NULL || query == NULL)
        return NULL;
    item->select = query->select;
    item->lateral = lateral;
    *cursor = sql_parse_pg_state_match(p, left);
    take_alias(p, node, item, cursor);
    item->span = sql_parse_pg_state_span(p, left, *cursor);
    return item;
}

/* AS t(a integer, b text): the names. */
static struct sql_names *take_definitions(struct sql_parse_pg_state *p,
                                          struct sql_parse_pg_node *list)
{
    struct sql_names *names = NULL, **tail = &names;
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_node *column = sql_parse_pg_node_enter(item);
        struct sql_names *name = sql_parse_pg_state_alloc(p, sizeof *name);
        if (name == NULL || !sql_parse_pg_node_of(column, STR("ColumnDef")))
            return sql_parse_pg_state_unknown(p, column);
        size_t token = sql_parse_pg_state_token(p, column);
        name->name = sql_parse_pg_state_member(p, column, STR("colname"));
        name->span = sql_parse_pg_state_span(p, token, token);
        (void)sql_parse_pg_type_check(p, sql_parse_pg_node_get(column, STR("typeName")), token + 1);
        *tail = name;
        tail = &name->next;
    }
    return names;
}

/* functions: [{"List":{"items":[call, definitions]}}, ...], one unless ROWS FROM (...). */
static struct sql_expr *convert_calls(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      size_t *cursor)
{
    struct sql_expr *first = NULL, **tail = &first;
    struct sql_parse_pg_node *functions = sql_parse_pg_node_get(node, STR("functions"));
    if (sql_parse_pg_node_is(node, STR("is_rowsfrom")))
        *cursor = sql_parse_pg_state_left(p, *cursor + 1);
    for (struct sql_parse_pg_node *item = functions == NULL ? NULL : functions->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_range at;
        struct sql_parse_pg_node *pair = sql_parse_pg_node_enter(item);
        struct sql_parse_pg_node *items = sql_parse_pg_node_get(pair, STR("items"));
        if (items == NULL || items->first == NULL)
            return sql_parse_pg_state_unknown(p, pair);
        if (items->first->next != NULL && !str_is_absent(items->first->next->text))
            return sql_parse_pg_state_refuse(p, "syntax", *cursor + 1,
                                             "column definitions within ROWS FROM are not "
                                             "accepted; call the function alone");
        *tail = sql_parse_pg_expr_convert(p, items->first, *cursor + 1, &at);
        if (*tail == NULL)
            return NULL;
        if ((*tail)->kind != SQL_EXPR_CALL)
            return sql_parse_pg_state_refuse(p, "syntax", at.first,
                                             "a function's call was expected in FROM");
        tail = &(*tail)->next;
        *cursor = at.last;
    }
    return first;
}

static struct sql_from *convert_call(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     size_t *cursor)
{
    struct sql_from *item = make_item(p, SQL_FROM_CALL);
    struct sql_expr *calls = convert_calls(p, node, cursor);
    if (item == NULL || calls == NULL)
        return NULL;
    item->call = calls;
    item->lateral = true;
    item->name = calls->call->name;
    item->name_span = calls->call->name_span;
    item->ordinality = sql_parse_pg_node_is(node, STR("ordinality"));
    *cursor += sql_parse_pg_node_is(node, STR("is_rowsfrom")) ? 1 : 0;
    *cursor += item->ordinality ? 2 : 0;
    take_alias(p, node, item, cursor);
    struct sql_parse_pg_node *definitions = sql_parse_pg_node_get(node, STR("coldeflist"));
    item->span = (struct sql_span){calls->span.start, p->pg.tokens.at[*cursor].end};
    if (definitions == NULL)
        return item;
    item->columns = take_definitions(p, definitions);
    item->defines_columns = true;
    size_t left = sql_parse_pg_state_left(p, *cursor + 1);
    *cursor = sql_parse_pg_state_match(p, left);
    return item;
}

static enum sql_join join_of(struct str type)
{
    return str_equal(type, STR("JOIN_LEFT"))    ? SQL_JOIN_LEFT
           : str_equal(type, STR("JOIN_RIGHT")) ? SQL_JOIN_RIGHT
           : str_equal(type, STR("JOIN_FULL"))  ? SQL_JOIN_FULL
                                                : SQL_JOIN_INNER;
}

static struct sql_from *convert_item(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     bool flat, size_t *cursor);

/* USING (a, b) [AS name] or ON condition, after token *cursor. */
static void convert_condition(struct sql_parse_pg_state *p, struct sql_parse_pg_node *join,
                              struct sql_from *item, size_t *cursor)
{
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(join, STR("usingClause"));
    struct sql_parse_pg_node *quals = sql_parse_pg_node_get(join, STR("quals"));
    struct sql_parse_pg_node *alias = sql_parse_pg_node_get(join, STR("join_using_alias"));
    size_t start = *cursor + 1;
    while (start < p->pg.tokens.count && !sql_parse_pg_state_is(p, start, STR("on")) &&
           !sql_parse_pg_state_is(p, start, STR("using")))
        start++; /* over parentheses that end a join */
    if (names != NULL) {
        item->using_columns = sql_parse_pg_state_names(p, names, start + 2);
        *cursor = sql_parse_pg_state_match(p, start + 1);
        item->using_span = sql_parse_pg_state_span(p, start, *cursor);
    }
    if (alias != NULL) {
        item->using_alias = sql_parse_pg_state_member(p, alias, STR("aliasname"));
        *cursor += 2;
    }
    if (quals != NULL) {
        struct sql_parse_pg_range at;
        item->on = sql_parse_pg_expr_convert(p, quals, start + 1, &at);
        *cursor = at.last;
        item->on_span = sql_parse_pg_state_span(p, start, at.last);
    }
}

/* left JOIN right: right is hung after the last of left's items. */
static struct sql_from *convert_join(struct sql_parse_pg_state *p, struct sql_parse_pg_node *join,
                                     size_t *cursor)
{
    struct sql_from *first =
        convert_item(p, sql_parse_pg_node_get(join, STR("larg")), true, cursor);
    struct sql_from *right =
        convert_item(p, sql_parse_pg_node_get(join, STR("rarg")), false, cursor);
    if (p->failed || first == NULL || right == NULL)
        return NULL;
    right->natural = sql_parse_pg_node_is(join, STR("isNatural"));
    p->tree->has_natural = p->tree->has_natural || right->natural;
    right->join = join_of(sql_parse_pg_node_text(join, STR("jointype")));
    convert_condition(p, join, right, cursor);
    if (right->join == SQL_JOIN_INNER && right->on == NULL && right->using_columns == NULL &&
        !right->natural)
        right->join = SQL_JOIN_CROSS;
    struct sql_from *last = first;
    while (last->next != NULL)
        last = last->next;
    last->next = right;
    return first;
}

/* A join as one item. */
static struct sql_from *convert_parens(struct sql_parse_pg_state *p, struct sql_parse_pg_node *join,
                                       size_t *cursor)
{
    struct sql_from *item = make_item(p, SQL_FROM_PARENS);
    size_t start = *cursor + 1;
    struct sql_from *inside = convert_join(p, join, cursor);
    if (item == NULL || inside == NULL)
        return NULL;
    item->inside = inside;
    bool aliased = sql_parse_pg_node_get(join, STR("alias")) != NULL;
    if (aliased && sql_parse_pg_state_kind(p, *cursor + 1) == SQL_TOKEN_RIGHT)
        ++*cursor;
    take_alias(p, join, item, cursor);
    item->span = sql_parse_pg_state_span(p, start, *cursor);
    return item;
}

static struct sql_from *convert_item(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     bool flat, size_t *cursor)
{
    struct sql_parse_pg_node *inner = sql_parse_pg_node_enter(node);
    struct sql_from *item = NULL;
    if (inner == NULL || p->failed)
        return sql_parse_pg_state_unknown(p, inner);
    if (!sql_parse_pg_state_enter(p))
        return NULL;
    if (sql_parse_pg_node_of(inner, STR("RangeVar")))
        item = convert_table(p, inner, cursor);
    else if (sql_parse_pg_node_of(inner, STR("RangeSubselect")))
        item = convert_query(p, inner, cursor);
    else if (sql_parse_pg_node_of(inner, STR("RangeFunction")))
        item = convert_call(p, inner, cursor);
    else if (sql_parse_pg_node_of(inner, STR("RangeTableSample")))
        item = convert_sample(p, inner, cursor);
    else if (!sql_parse_pg_node_of(inner, STR("JoinExpr")))
        item = sql_parse_pg_state_unknown(p, inner);
    else if (flat && sql_parse_pg_node_get(inner, STR("alias")) == NULL)
        item = convert_join(p, inner, cursor);
    else
        item = convert_parens(p, inner, cursor);
    p->depth--;
    return p->failed ? NULL : item;
}

struct sql_from *sql_parse_pg_from_list(struct sql_parse_pg_state *p,
                                        struct sql_parse_pg_node *list, size_t *cursor)
{
    struct sql_from *first = NULL, *last = NULL;
    for (struct sql_parse_pg_node *node = list == NULL ? NULL : list->first;
         node != NULL && !p->failed; node = node->next) {
        struct sql_from *item = convert_item(p, node, true, cursor);
        if (item == NULL)
            return NULL;
        item->join = first == NULL ? SQL_JOIN_FIRST : SQL_JOIN_COMMA;
        if (first == NULL)
            first = last = item;
        else
            last->next = item;
        while (last->next != NULL)
            last = last->next;
    }
    return first;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_expr.c - expressions: one function per type of node, by a table.
 *
 * Happy path: children first, in the order of the text; a node's range is theirs, widened by the
 * words and brackets its type is written with, then by the parentheses around it. A chain of
 * operators becomes one flat node.
 * Failure: a type that is not in the table, a chain of prefixes that is too deep. */
#include "agents/sql/postgres/parse_pg_state.h"

#include <string.h>

struct sql_expr *sql_parse_pg_expr_node(struct sql_parse_pg_state *p, enum sql_expr_kind kind,
                                        struct sql_parse_pg_range at, struct sql_expr *children)
{
    struct sql_expr *expr = sql_parse_pg_state_alloc(p, sizeof *expr);
    if (expr == NULL)
        return NULL;
    expr->kind = kind;
    expr->span = sql_parse_pg_state_span(p, at.first, at.last);
    expr->children = children;
    return expr;
}

/* Parentheses that begin or end within the range, then those right around it. */
static bool close_range(const struct sql_parse_pg_state *p, size_t low,
                        struct sql_parse_pg_range *at)
{
    bool around = false;
    if (at->first > at->last)
        return false;
    for (;;) {
        size_t before = at->first - 1, after = at->last + 1;
        bool left = at->first > low && sql_parse_pg_state_kind(p, before) == SQL_TOKEN_LEFT;
        size_t end = left ? sql_parse_pg_state_match(p, before) : 0;
        if (left && end <= after) {
            around = around || end == after;
            at->first--;
            at->last = size_max(at->last, end);
        } else if (sql_parse_pg_state_kind(p, after) == SQL_TOKEN_RIGHT &&
                   sql_parse_pg_state_match(p, after) >= at->first) {
            at->last++;
        } else {
            return around;
        }
    }
}

struct sql_expr *sql_parse_pg_expr_list(struct sql_parse_pg_state *p,
                                        struct sql_parse_pg_node *list, size_t low,
                                        struct sql_parse_pg_range *at)
{
    struct sql_expr *first = NULL, **tail = &first;
    *at = SQL_PARSE_PG_NOWHERE;
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_range one;
        *tail = sql_parse_pg_expr_convert(p, item, low, &one);
        if (*tail == NULL)
            return NULL;
        tail = &(*tail)->next;
        sql_parse_pg_state_join(at, one);
    }
    return first;
}

struct sql_expr *sql_parse_pg_expr_query(struct sql_parse_pg_state *p, enum sql_expr_kind kind,
                                         struct sql_parse_pg_node *select, size_t left)
{
    struct sql_parse_pg_node *inner = sql_parse_pg_node_enter(select);
    struct sql_parse_pg_range at = {left, sql_parse_pg_state_match(p, left)};
    if (!sql_parse_pg_node_of(inner, STR("SelectStmt")))
        return sql_parse_pg_state_unknown(p, inner);
    if (sql_parse_pg_state_kind(p, left) != SQL_TOKEN_LEFT)
        return sql_parse_pg_state_unknown(p, inner);
    p->tree->has_subquery = true;
    struct sql_expr *expr = sql_parse_pg_expr_node(p, kind, at, NULL);
    if (expr != NULL)
        expr->select = sql_parse_pg_select_convert(
            p, inner, (struct sql_parse_pg_range){left + 1, at.last - 1});
    return p->failed ? NULL : expr;
}

/* ---- leaves ---- */

/* The sign of a negative number is the constant's own; parentheses may stand between. */
static struct sql_expr *convert_constant(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node, size_t low UNUSED,
                                         struct sql_parse_pg_range *at)
{
    size_t token = sql_parse_pg_state_token(p, node);
    for (struct sql_parse_pg_node *member = node->first; member != NULL; member = member->next)
        member->seen = true;
    *at = (struct sql_parse_pg_range){token, token};
    while (sql_parse_pg_state_kind(p, at->last) == SQL_TOKEN_OPERATOR ||
           sql_parse_pg_state_kind(p, at->last) == SQL_TOKEN_LEFT)
        at->last++;
    struct sql_parse_pg_range number = {at->last, at->last};
    struct sql_expr *literal = sql_parse_pg_expr_node(p, SQL_EXPR_LITERAL, number, NULL);
    return at->first == at->last ? literal
                                 : sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, literal);
}

static struct sql_expr *convert_parameter(struct sql_parse_pg_state *p,
                                          struct sql_parse_pg_node *node, size_t low UNUSED,
                                          struct sql_parse_pg_range *at)
{
    size_t token = sql_parse_pg_state_token(p, node);
    *at = (struct sql_parse_pg_range){token, token};
    p->tree->has_placeholder = true;
    return sql_parse_pg_expr_node(p, SQL_EXPR_PARAMETER, *at, NULL);
}

/* c, t.c, s.t.c; t.* within an expression is the row. */
static struct sql_expr *convert_name(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     size_t low UNUSED, struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_node *fields = sql_parse_pg_node_get(node, STR("fields"));
    struct str parts[3];
    size_t count = 0, token = sql_parse_pg_state_token(p, node);
    struct sql_name *name = sql_parse_pg_state_alloc(p, sizeof *name);
    for (struct sql_parse_pg_node *field = fields == NULL ? NULL : fields->first; field != NULL;
         field = field->next, count++) {
        if (count == countof(parts))
            return sql_parse_pg_state_refuse(p, "syntax", token,
                                             "a column's name has too many parts; write "
                                             "table.column");
        bool star = sql_parse_pg_node_of(field, STR("A_Star"));
        field->seen = true;
        parts[count] = star ? STR("*") : sql_parse_pg_state_string(p, field);
    }
    if (name == NULL || count == 0 || p->failed)
        return count == 0 ? sql_parse_pg_state_unknown(p, node) : NULL;
    *at = (struct sql_parse_pg_range){token, token + 2 * (count - 1)};
    enum sql_token_kind kind = sql_parse_pg_state_kind(p, token);
    name->name = parts[count - 1];
    name->qualifier = count > 1 ? parts[count - 2] : str_make(NULL, 0);
    name->schema = count > 2 ? parts[0] : str_make(NULL, 0);
    name->quoted = count > 1 || kind == SQL_TOKEN_NAME;
    name->double_quoted = count == 1 && kind == SQL_TOKEN_NAME;
    name->whole_row = sql_parse_pg_state_kind(p, at->last) == SQL_TOKEN_STAR;
    struct sql_expr *expr = sql_parse_pg_expr_node(p, SQL_EXPR_NAME, *at, NULL);
    if (expr != NULL)
        expr->name = name;
    return expr;
}

/* ---- operators ---- */

static enum sql_expr_kind kind_of(struct str name, const struct sql_expr *children)
{
    bool two = children != NULL && children->next != NULL && children->next->next == NULL;
    return two && str_equal(name, STR("=")) ? SQL_EXPR_EQUAL : SQL_EXPR_OPERATOR;
}

static bool is_binary(struct sql_parse_pg_node *node)
{
    return str_equal(sql_parse_pg_node_text(node, STR("kind")), STR("AEXPR_OP")) &&
           sql_parse_pg_node_get(node, STR("lexpr")) != NULL;
}

/* As written in the JSON, where < is \u003c. */
static struct str operator_of(struct sql_parse_pg_node *node)
{
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(node, STR("name"));
    struct sql_parse_pg_node *string = names == NULL ? NULL : names->first;
    return string != NULL && string->next == NULL && string->boxed ? string->text : STR("");
}

static bool compares(struct str name)
{
    static const struct str names[] = {{"=", 1},        {"<>", 2},       {"!=", 2},
                                       {"<", 1},        {">", 1},        {"<=", 2},
                                       {">=", 2},       {"\\u003c", 6},  {"\\u003e", 6},
                                       {"\\u003c=", 7}, {"\\u003e=", 7}, {"\\u003c\\u003e", 12}};
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(names[i], name))
            return true;
    return false;
}

/* a + b - c: the left side of a left side, as far as it goes, is one flat list; but a = b has two
 * sides, whatever they are. The spine is turned round on the way down: parents lead back up. */
static struct sql_expr *convert_chain(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      size_t low, struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_node *top = node, *up = NULL;
    struct str name = STR("");
    size_t links = 0;
    for (;;) {
        struct sql_parse_pg_node *left = sql_parse_pg_node_get(node, STR("lexpr"));
        name = sql_parse_pg_type_operator(p, sql_parse_pg_node_get(node, STR("name")),
                                          sql_parse_pg_state_token(p, node));
        node->parent = up;
        up = node;
        links++;
        if (compares(name) || !sql_parse_pg_node_of(left, STR("A_Expr")) || !is_binary(left) ||
            compares(operator_of(left)))
            break;
        node = sql_parse_pg_node_enter(left);
    }
    struct sql_expr *first =
        sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(up, STR("lexpr")), low, at);
    struct sql_expr *last = first;
    for (; up != NULL && !p->failed; up = up == top ? NULL : up->parent) {
        struct sql_parse_pg_range right;
        size_t token = sql_parse_pg_state_token(p, up);
        last->next = sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(up, STR("rexpr")),
                                               token + 1, &right);
        last = last->next;
        sql_parse_pg_state_join(at, right);
        if (up != top) /* the parentheses around a + b in (a + b) * c */
            close_range(p, low, at);
    }
    if (p->failed)
        return NULL;
    struct sql_expr *expr = sql_parse_pg_expr_node(
        p, links == 1 ? kind_of(name, first) : SQL_EXPR_OPERATOR, *at, first);
    if (expr != NULL)
        expr->compares = links == 1 && compares(name);
    return expr;
}

static bool kind_compares(struct str kind)
{
    return str_equal(kind, STR("AEXPR_IN")) || str_equal(kind, STR("AEXPR_DISTINCT")) ||
           str_equal(kind, STR("AEXPR_NOT_DISTINCT"));
}

/* x IN (...), x BETWEEN a AND b, x LIKE y, x = ANY (...), NULLIF(x, y), -x. */
static struct sql_expr *convert_operation(struct sql_parse_pg_state *p,
                                          struct sql_parse_pg_node *node, size_t low,
                                          struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_range right;
    size_t token = sql_parse_pg_state_token(p, node), inside = token + 1;
    struct str kind = sql_parse_pg_node_text(node, STR("kind"));
    struct sql_parse_pg_node *name = sql_parse_pg_node_get(node, STR("name"));
    if (is_binary(node))
        return convert_chain(p, node, low, at);
    bool between = str_equal(str_slice(kind, 0, 13), STR("AEXPR_BETWEEN")) ||
                   str_equal(str_slice(kind, 0, 17), STR("AEXPR_NOT_BETWEEN"));
    if (between)
        name->first->seen = true;
    else
        (void)sql_parse_pg_type_operator(p, name, token);
    bool listed = str_equal(kind, STR("AEXPR_IN")) || str_equal(kind, STR("AEXPR_OP_ANY")) ||
                  str_equal(kind, STR("AEXPR_OP_ALL"));
    if (str_equal(kind, STR("AEXPR_NULLIF"))) {
        struct sql_parse_pg_node *first = sql_parse_pg_node_get(node, STR("lexpr"));
        struct sql_parse_pg_node *second = sql_parse_pg_node_get(node, STR("rexpr"));
        struct sql_parse_pg_node both = {.first = first};
        if (first == NULL || first->next != second || second->next != NULL)
            return sql_parse_pg_state_unknown(p, node);
        return sql_parse_pg_call_named(p, node, STR("nullif"), &both, at);
    }
    if (sql_parse_pg_state_is(p, inside, STR("("))) /* OPERATOR(pg_catalog.+) */
        inside = sql_parse_pg_state_match(p, inside) + 1;
    if (sql_parse_pg_state_is(p, token, STR("operator")))
        inside = sql_parse_pg_state_match(p, token + 1) + 1;
    if (listed)
        inside = sql_parse_pg_state_left(p, inside) + 1;
    struct sql_parse_pg_node *left = sql_parse_pg_node_get(node, STR("lexpr"));
    struct sql_expr *children = NULL;
    *at = (struct sql_parse_pg_range){token, token};
    if (left != NULL) {
        children = sql_parse_pg_expr_convert(p, left, low, &right);
        sql_parse_pg_state_join(at, right);
    }
    struct sql_parse_pg_node *operand = sql_parse_pg_node_get(node, STR("rexpr"));
    struct sql_expr *others =
        sql_parse_pg_node_of(operand, STR("List"))
            ? sql_parse_pg_expr_list(
                  p, sql_parse_pg_node_get(sql_parse_pg_node_enter(operand), STR("items")), inside,
                  &right)
            : sql_parse_pg_expr_convert(p, operand, inside, &right);
    sql_parse_pg_state_join(at, right);
    if (listed)
        at->last = size_max(at->last, sql_parse_pg_state_match(p, inside - 1));
    if (p->failed)
        return NULL;
    if (children == NULL)
        children = others;
    else
        children->next = others;
    struct sql_expr *expr = sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, children);
    if (expr != NULL)
        expr->compares = between || kind_compares(kind);
    return expr;
}

static struct sql_expr *convert_logic(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      size_t low, struct sql_parse_pg_range *at)
{
    struct str op = sql_parse_pg_node_text(node, STR("boolop"));
    bool negates = str_equal(op, STR("NOT_EXPR"));
    size_t token = sql_parse_pg_state_token(p, node);
    struct sql_expr *list = sql_parse_pg_expr_list(p, sql_parse_pg_node_get(node, STR("args")),
                                                   negates ? token + 1 : low, at);
    if (negates)
        at->first = size_min(at->first, token);
    bool conjunction = str_equal(op, STR("AND_EXPR"));
    if (!conjunction && !negates && !str_equal(op, STR("OR_EXPR")))
        return sql_parse_pg_state_unknown(p, node);
    struct sql_expr *expr =
        sql_parse_pg_expr_node(p, conjunction ? SQL_EXPR_AND : SQL_EXPR_OPERATOR, *at, list);
    if (expr != NULL) {
        expr->alternatives = !conjunction && !negates;
        expr->compares = negates;
    }
    return expr;
}

/* x IS NOT NULL, x ISNULL, x IS TRUE. */
static struct sql_expr *convert_test(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     size_t low, struct sql_parse_pg_range *at)
{
    size_t token = sql_parse_pg_state_token(p, node);
    struct sql_expr *arg =
        sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("arg")), low, at);
    size_t words = !sql_parse_pg_state_is(p, token, STR("is"))       ? 0
                   : sql_parse_pg_state_is(p, token + 1, STR("not")) ? 2
                                                                     : 1;
    at->last = size_max(at->last, token + words);
    struct sql_expr *expr = sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, arg);
    if (expr != NULL)
        expr->compares = true;
    return expr;
}

/* ---- the table ---- */

typedef sql_parse_pg_convert_fn convert_fn;

static const struct {
    struct str type;
    convert_fn *convert;
} converters[] = {
    {{"ColumnRef", 9}, convert_name},
    {{"A_Const", 7}, convert_constant},
    {{"A_Expr", 6}, convert_operation},
    {{"FuncCall", 8}, sql_parse_pg_call_function},
    {{"BoolExpr", 8}, convert_logic},
    {{"TypeCast", 8}, sql_parse_pg_form_cast},
    {{"NullTest", 8}, convert_test},
    {{"SubLink", 7}, sql_parse_pg_form_sublink},
    {{"CaseExpr", 8}, sql_parse_pg_form_case},
    {{"CoalesceExpr", 12}, sql_parse_pg_form_named},
    {{"MinMaxExpr", 10}, sql_parse_pg_form_named},
    {{"SQLValueFunction", 16}, sql_parse_pg_form_value},
    {{"BooleanTest", 11}, convert_test},
    {{"CollateClause", 13}, sql_parse_pg_form_collation},
    {{"A_ArrayExpr", 11}, sql_parse_pg_form_array},
    {{"RowExpr", 7}, sql_parse_pg_form_row},
    {{"A_Indirection", 13}, sql_parse_pg_form_indirection},
    {{"ParamRef", 8}, convert_parameter},
    {{"GroupingFunc", 12}, sql_parse_pg_form_named},
    {{"NamedArgExpr", 12}, sql_parse_pg_form_argument},
};

static convert_fn *find_converter(const struct sql_parse_pg_node *node)
{
    for (size_t i = 0; node != NULL && i < countof(converters); i++)
        if (str_equal(converters[i].type, node->text))
            return converters[i].convert;
    return NULL;
}

struct sql_expr *sql_parse_pg_expr_convert(struct sql_parse_pg_state *p,
                                           struct sql_parse_pg_node *node, size_t low,
                                           struct sql_parse_pg_range *at)
{
    *at = SQL_PARSE_PG_NOWHERE;
    if (node == NULL || p->failed)
        return NULL;
    convert_fn *convert = find_converter(sql_parse_pg_node_enter(node));
    if (convert == NULL)
        return sql_parse_pg_state_unknown(p, node);
    if (!sql_parse_pg_state_enter(p))
        return NULL;
    struct sql_expr *expr = convert(p, node, low, at);
    p->depth--;
    struct sql_parse_pg_range bare = *at;
    bool around = close_range(p, low, at);
    if (around && expr != NULL && expr->kind != SQL_EXPR_SELECT)
        expr = sql_parse_pg_expr_node(p, SQL_EXPR_PARENS, *at, expr);
    else if (expr != NULL && (bare.first != at->first || bare.last != at->last))
        expr->span = sql_parse_pg_state_span(p, at->first, at->last);
    return p->failed ? NULL : expr;
}

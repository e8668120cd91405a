/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_form.c - expressions that bring words or brackets of their own.
 *
 * Happy path: the parts are converted, the range ends with the bracket or word that ends the form.
 * Failure: a query that is none, a row taken apart. */
#include "agents/sql/grammar/grammar.h"
#include "agents/sql/postgres/parse_pg_state.h"

static void push(struct sql_expr ***tail, struct sql_expr *expr)
{
    if (expr == NULL)
        return;
    **tail = expr;
    *tail = &expr->next;
}

struct sql_expr *sql_parse_pg_form_collation(struct sql_parse_pg_state *p,
                                             struct sql_parse_pg_node *node, size_t low,
                                             struct sql_parse_pg_range *at)
{
    size_t token = sql_parse_pg_state_token(p, node), parts = 0;
    struct sql_expr *arg =
        sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("arg")), low, at);
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(node, STR("collname"));
    for (struct sql_parse_pg_node *name = names == NULL ? NULL : names->first; name != NULL;
         name = name->next, parts++)
        (void)sql_parse_pg_state_string(p, name);
    at->last = size_max(at->last, token + 2 * parts - (parts > 0 ? 1 : 0));
    return sql_parse_pg_expr_node(p, SQL_EXPR_COLLATE, *at, arg);
}

/* x::type, CAST(x AS type), type 'text'. */
struct sql_expr *sql_parse_pg_form_cast(struct sql_parse_pg_state *p,
                                        struct sql_parse_pg_node *node, size_t low,
                                        struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_node *type = sql_parse_pg_node_get(node, STR("typeName"));
    size_t token = sql_parse_pg_state_token(p, node);
    size_t first = sql_parse_pg_state_token(p, type);
    bool call = sql_parse_pg_state_is(p, token, STR("cast"));
    struct sql_expr *arg = sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("arg")),
                                                     call ? token + 2 : low, at);
    size_t end = sql_parse_pg_type_check(p, type, first);
    if (p->failed)
        return NULL;
    if (call) {
        sql_parse_pg_state_join(
            at, (struct sql_parse_pg_range){token, sql_parse_pg_state_match(p, token + 1)});
    } else if (first < p->pg.tokens.count && first < at->first) {
        at->first = first; /* interval '1' day: words may follow the text, too */
        at->last = sql_parse_pg_type_end(p, at->last);
    } else if (end < p->pg.tokens.count) {
        at->last = size_max(at->last, end);
    }
    return sql_parse_pg_expr_node(p, SQL_EXPR_CAST, *at, arg);
}

/* What begins at the location and ends with its parenthesis or bracket: ARRAY[...], ROW(...). */
static struct sql_expr *convert_bracketed(struct sql_parse_pg_state *p,
                                          struct sql_parse_pg_node *node, struct str members,
                                          enum sql_expr_kind kind, struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_range inside;
    size_t token = sql_parse_pg_state_token(p, node);
    size_t open = sql_parse_pg_state_match(p, token) == token ? token + 1 : token;
    struct sql_expr *list =
        sql_parse_pg_expr_list(p, sql_parse_pg_node_get(node, members), open + 1, &inside);
    *at = (struct sql_parse_pg_range){token, sql_parse_pg_state_match(p, open)};
    return sql_parse_pg_expr_node(p, kind, *at, list);
}

struct sql_expr *sql_parse_pg_form_array(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node, size_t low UNUSED,
                                         struct sql_parse_pg_range *at)
{
    return convert_bracketed(p, node, STR("elements"), SQL_EXPR_OPERATOR, at);
}

struct sql_expr *sql_parse_pg_form_row(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                       size_t low UNUSED, struct sql_parse_pg_range *at)
{
    (void)sql_parse_pg_node_get(node, STR("colnames"));
    struct sql_expr *row = convert_bracketed(p, node, STR("args"), SQL_EXPR_OPERATOR, at);
    if (row != NULL && row->children != NULL && row->children->next != NULL)
        row->kind = SQL_EXPR_PARENS; /* ROW(x) is not (x) */
    return row;
}

/* COALESCE, GROUPING, GREATEST and LEAST: calls with a type of node of their own. */
struct sql_expr *sql_parse_pg_form_named(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node, size_t low UNUSED,
                                         struct sql_parse_pg_range *at)
{
    bool least = str_equal(sql_parse_pg_node_text(node, STR("op")), STR("IS_LEAST"));
    struct str name = sql_parse_pg_node_of(node, STR("CoalesceExpr"))   ? STR("coalesce")
                      : sql_parse_pg_node_of(node, STR("GroupingFunc")) ? STR("grouping")
                      : least                                           ? STR("least")
                                                                        : STR("greatest");
    return sql_parse_pg_call_named(p, node, name, sql_parse_pg_node_get(node, STR("args")), at);
}

struct sql_expr *sql_parse_pg_form_value(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node, size_t low UNUSED,
                                         struct sql_parse_pg_range *at)
{
    return sql_parse_pg_call_value(p, node, at);
}

struct sql_expr *sql_parse_pg_form_argument(struct sql_parse_pg_state *p,
                                            struct sql_parse_pg_node *node, size_t low UNUSED,
                                            struct sql_parse_pg_range *at)
{
    size_t token = sql_parse_pg_state_token(p, node);
    struct sql_expr *arg =
        sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("arg")), token + 2, at);
    at->first = size_min(at->first, token);
    return sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, arg);
}

struct sql_expr *sql_parse_pg_form_case(struct sql_parse_pg_state *p,
                                        struct sql_parse_pg_node *node, size_t low UNUSED,
                                        struct sql_parse_pg_range *at)
{
    struct sql_expr *first = NULL, **tail = &first;
    struct sql_parse_pg_range part;
    size_t token = sql_parse_pg_state_token(p, node);
    struct sql_parse_pg_node *whens = sql_parse_pg_node_get(node, STR("args"));
    *at = (struct sql_parse_pg_range){token, token};
    push(&tail,
         sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("arg")), token + 1, &part));
    for (struct sql_parse_pg_node *item = whens == NULL ? NULL : whens->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_node *when = sql_parse_pg_node_enter(item);
        if (!sql_parse_pg_node_of(when, STR("CaseWhen")))
            return sql_parse_pg_state_unknown(p, when);
        size_t start = sql_parse_pg_state_token(p, when) + 1;
        push(&tail,
             sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(when, STR("expr")), start, &part));
        push(&tail, sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(when, STR("result")), start,
                                              &part));
        sql_parse_pg_state_join(at, part);
    }
    push(&tail, sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("defresult")),
                                          token + 1, &part));
    sql_parse_pg_state_join(at, part);
    at->last++; /* END */
    return sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, first);
}

/* EXISTS (...), x IN (...), x > ALL (...), ARRAY(...), (...). */
struct sql_expr *sql_parse_pg_form_sublink(struct sql_parse_pg_state *p,
                                           struct sql_parse_pg_node *node, size_t low,
                                           struct sql_parse_pg_range *at)
{
    struct str type = sql_parse_pg_node_text(node, STR("subLinkType"));
    size_t token = sql_parse_pg_state_token(p, node), left = token;
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(node, STR("operName"));
    struct sql_parse_pg_range test = SQL_PARSE_PG_NOWHERE;
    struct sql_expr *tested =
        sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("testexpr")), low, &test);
    if (names != NULL)
        (void)sql_parse_pg_type_operator(p, names, token);
    if (sql_parse_pg_state_is(p, token, STR("operator")))
        left = sql_parse_pg_state_match(p, token + 1) + 1;
    left = sql_parse_pg_state_left(p, left);
    bool exists = str_equal(type, STR("EXISTS_SUBLINK"));
    struct sql_expr *query =
        sql_parse_pg_expr_query(p, exists ? SQL_EXPR_EXISTS : SQL_EXPR_SELECT,
                                sql_parse_pg_node_get(node, STR("subselect")), left);
    *at = (struct sql_parse_pg_range){token, sql_parse_pg_state_match(p, left)};
    sql_parse_pg_state_join(at, test);
    if (query != NULL && exists)
        query->span = sql_parse_pg_state_span(p, at->first, at->last);
    if (query == NULL || str_equal(type, STR("EXPR_SUBLINK")) || exists)
        return query;
    if (tested != NULL)
        tested->next = query;
    return sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, tested == NULL ? query : tested);
}

/* ---- x[1], x[1:2], (x).field ---- */

/* (x).f is also a way to write f(x), so only names that are no function's are fields. */
static void convert_step(struct sql_parse_pg_state *p, struct sql_parse_pg_node *step,
                         struct sql_expr ***tail, struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_range part;
    size_t token = at->last + 1;
    if (sql_parse_pg_node_of(step, STR("A_Indices"))) {
        (void)sql_parse_pg_node_enter(step);
        push(tail, sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(step, STR("lidx")), token + 1,
                                             &part));
        push(tail, sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(step, STR("uidx")), token + 1,
                                             &part));
        at->last = sql_parse_pg_state_match(p, token);
    } else if (step->boxed) {
        struct str field = sql_parse_pg_state_string(p, step);
        if (!sql_grammar_is_record_field(field))
            sql_parse_pg_state_refuse(p, "whole_row", token + 1,
                                      "'(...).%.*s' takes a row apart, or calls a function; name "
                                      "the column as in table.column",
                                      STR_ARG(str_utf8_prefix(field, 60)));
        at->last += 2;
    } else {
        sql_parse_pg_state_refuse(p, "whole_row", token + 1,
                                  "'(...).*' takes a row apart; name the columns");
    }
}

/* (t).c, where t is one name: scope finds out whether that is a column or a row. */
static struct sql_expr *convert_field(struct sql_parse_pg_state *p, const struct sql_expr *row,
                                      struct sql_parse_pg_node *step, struct sql_parse_pg_range *at)
{
    while (row != NULL && row->kind == SQL_EXPR_PARENS)
        row = row->children;
    if (row == NULL || row->kind != SQL_EXPR_NAME || row->name->qualifier.len > 0 || !step->boxed)
        return NULL;
    struct sql_name *name = sql_parse_pg_state_alloc(p, sizeof *name);
    at->last += 2;
    struct sql_expr *expr = sql_parse_pg_expr_node(p, SQL_EXPR_NAME, *at, NULL);
    if (name == NULL || expr == NULL)
        return NULL;
    *name = (struct sql_name){.qualifier = row->name->name,
                              .name = sql_parse_pg_state_string(p, step),
                              .quoted = true,
                              .of_row = true};
    expr->name = name;
    return expr;
}

struct sql_expr *sql_parse_pg_form_indirection(struct sql_parse_pg_state *p,
                                               struct sql_parse_pg_node *node, size_t low,
                                               struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_node *steps = sql_parse_pg_node_get(node, STR("indirection"));
    struct sql_expr *first =
        sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("arg")), low, at);
    struct sql_parse_pg_node *step = steps == NULL ? NULL : steps->first;
    struct sql_expr *field = step == NULL ? NULL : convert_field(p, first, step, at);
    if (field != NULL && step->next == NULL)
        return field;
    if (field != NULL) {
        first = field;
        step = step->next;
    }
    struct sql_expr **tail = first == NULL ? &first : &first->next;
    for (; step != NULL && !p->failed; step = step->next)
        convert_step(p, step, &tail, at);
    return sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, first);
}

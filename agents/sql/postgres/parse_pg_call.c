/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_call.c - calls, CURRENT_DATE and its kin, windows, ORDER BY lists.
 *
 * Happy path: arguments, ORDER BY, FILTER and OVER in the order of the text; the range ends with
 * the last parenthesis. Calls that are written as operators (AT TIME ZONE) are as long as their
 * operands. Failure: a function of a schema other than pg_catalog. */
#include "agents/sql/postgres/parse_pg_state.h"

static struct sql_expr *make_call(struct sql_parse_pg_state *p, struct str name, size_t token,
                                  size_t last, struct sql_expr *arguments,
                                  struct sql_parse_pg_range at)
{
    struct sql_call *call = sql_parse_pg_state_alloc(p, sizeof *call);
    struct sql_expr *expr = sql_parse_pg_expr_node(p, SQL_EXPR_CALL, at, arguments);
    if (call == NULL || expr == NULL)
        return NULL;
    call->name = name;
    call->name_span = sql_parse_pg_state_span(p, token, last);
    for (const struct sql_expr *argument = arguments; argument != NULL; argument = argument->next)
        call->argument_count++;
    expr->call = call;
    return expr;
}

struct sql_expr *sql_parse_pg_call_named(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node, struct str name,
                                         struct sql_parse_pg_node *arguments,
                                         struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_range inside;
    size_t token = sql_parse_pg_state_token(p, node);
    struct sql_expr *list = sql_parse_pg_expr_list(p, arguments, token + 2, &inside);
    *at = (struct sql_parse_pg_range){token, sql_parse_pg_state_match(p, token + 1)};
    return make_call(p, name, token, token, list, *at);
}

/* CURRENT_DATE, CURRENT_TIMESTAMP(3), CURRENT_USER: SVFOP_CURRENT_USER says which. */
struct sql_expr *sql_parse_pg_call_value(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node,
                                         struct sql_parse_pg_range *at)
{
    struct str op = sql_parse_pg_node_text(node, STR("op"));
    size_t token = sql_parse_pg_state_token(p, node), last = token;
    bool sized = str_ends_with(op, STR("_N"));
    char *name = sql_parse_pg_state_alloc(p, op.len + 1);
    size_t skip = str_starts_with(op, STR("SVFOP_")) ? 6 : 0;
    for (size_t i = skip; name != NULL && i < op.len; i++)
        name[i - skip] = str_lower(op.at[i]);
    if (sized)
        last = sql_parse_pg_state_match(p, token + 1);
    *at = (struct sql_parse_pg_range){token, last};
    size_t len = op.len - skip - (sized ? 2 : 0);
    return name == NULL ? NULL : make_call(p, str_make(name, len), token, token, NULL, *at);
}

struct sql_expr *sql_parse_pg_call_order(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *list, size_t low,
                                         struct sql_parse_pg_range *at)
{
    struct sql_expr *first = NULL, **tail = &first;
    *at = SQL_PARSE_PG_NOWHERE;
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_range term;
        struct sql_parse_pg_node *sort = sql_parse_pg_node_enter(item);
        if (!sql_parse_pg_node_of(sort, STR("SortBy")))
            return sql_parse_pg_state_unknown(p, sort);
        *tail = sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(sort, STR("node")), low, &term);
        if (*tail == NULL)
            return NULL;
        tail = &(*tail)->next;
        sql_parse_pg_state_join(at, term);
        struct sql_parse_pg_node *operator= sql_parse_pg_node_get(sort, STR("useOp"));
        if (operator!= NULL)
            (void)sql_parse_pg_type_operator(p, operator, term.last + 1);
    }
    return first;
}

struct sql_window *sql_parse_pg_call_window(struct sql_parse_pg_state *p,
                                            struct sql_parse_pg_node *definition, size_t low)
{
    struct sql_parse_pg_range part;
    struct sql_window *window = sql_parse_pg_state_alloc(p, sizeof *window);
    if (window == NULL)
        return NULL;
    window->name = sql_parse_pg_state_member(p, definition, STR("name"));
    window->partition = sql_parse_pg_expr_list(
        p, sql_parse_pg_node_get(definition, STR("partitionClause")), low, &part);
    window->order = sql_parse_pg_call_order(
        p, sql_parse_pg_node_get(definition, STR("orderClause")), low, &part);
    window->frame = sql_parse_pg_expr_convert(
        p, sql_parse_pg_node_get(definition, STR("startOffset")), low, &part);
    struct sql_expr *end = sql_parse_pg_expr_convert(
        p, sql_parse_pg_node_get(definition, STR("endOffset")), low, &part);
    if (window->frame == NULL)
        window->frame = end;
    else
        window->frame->next = end;
    return p->failed ? NULL : window;
}

/* FILTER (WHERE ...) and OVER (...) or OVER name, after the token *last, which moves. */
static void convert_suffixes(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                             struct sql_call *call, size_t *last)
{
    struct sql_parse_pg_range part;
    struct sql_parse_pg_node *filter = sql_parse_pg_node_get(node, STR("agg_filter"));
    struct sql_parse_pg_node *over = sql_parse_pg_node_get(node, STR("over"));
    if (sql_parse_pg_node_is(node, STR("agg_within_group")) && call != NULL) {
        size_t left = sql_parse_pg_state_left(p, *last + 1);
        call->order = sql_parse_pg_call_order(p, sql_parse_pg_node_get(node, STR("agg_order")),
                                              left + 1, &part);
        *last = sql_parse_pg_state_match(p, left);
    }
    if (filter != NULL && call != NULL) {
        size_t left = sql_parse_pg_state_left(p, *last + 1);
        call->filter = sql_parse_pg_expr_convert(p, filter, left + 1, &part);
        *last = sql_parse_pg_state_match(p, left);
    }
    if (over == NULL || call == NULL)
        return;
    call->windowed = true;
    size_t left = sql_parse_pg_state_token(p, over); /* of what follows OVER */
    call->window = sql_parse_pg_call_window(p, over, left + 1);
    if (call->window != NULL && call->window->name.len > 0 &&
        sql_parse_pg_state_kind(p, left) != SQL_TOKEN_LEFT)
        call->window = NULL;
    *last = sql_parse_pg_state_match(p, left);
}

static struct str function_name(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                size_t token, size_t *parts)
{
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(node, STR("funcname"));
    struct str name = STR("");
    *parts = 0;
    for (struct sql_parse_pg_node *item = names == NULL ? NULL : names->first; item != NULL;
         item = item->next, ++*parts) {
        if (*parts == 1 && !str_equal(name, STR("pg_catalog")))
            sql_parse_pg_state_refuse(p, "function", token,
                                      "functions of schema '%.*s' are not accepted; use "
                                      "PostgreSQL's own",
                                      STR_ARG(str_utf8_prefix(name, 60)));
        name = sql_parse_pg_state_string(p, item);
    }
    if (*parts == 0 || *parts > 2)
        sql_parse_pg_state_refuse(p, "function", token, "a function's name has too many parts");
    return name;
}

/* x AT TIME ZONE y, a OVERLAPS b, and the pattern of x LIKE y ESCAPE z: at the word's place stands
 * another name than the function's. */
static bool is_infix(const struct sql_parse_pg_state *p, const struct sql_parse_pg_node *node,
                     struct str name, size_t token)
{
    static const struct str words[] = {{"at", 2},      {"like", 4}, {"ilike", 5},
                                       {"similar", 7}, {"not", 3},  {"is", 2}};
    if (sql_parse_pg_state_is(p, token, STR("overlaps")))
        return str_equal(sql_parse_pg_node_text(node, STR("funcformat")), STR("COERCE_SQL_SYNTAX"));
    for (size_t i = 0; i < countof(words); i++)
        if (sql_parse_pg_state_is(p, token, words[i]))
            return !str_equal(name, words[i]);
    return false;
}

static struct sql_expr *convert_infix(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      size_t low, struct sql_parse_pg_range *at)
{
    struct sql_expr *first = NULL, **tail = &first;
    struct sql_parse_pg_node *arguments = sql_parse_pg_node_get(node, STR("args"));
    for (struct sql_parse_pg_node *item = arguments == NULL ? NULL : arguments->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_range part;
        *tail = sql_parse_pg_expr_convert(p, item, low, &part);
        if (*tail != NULL)
            tail = &(*tail)->next;
        sql_parse_pg_state_join(at, part);
    }
    return sql_parse_pg_expr_node(p, SQL_EXPR_OPERATOR, *at, first);
}

struct sql_expr *sql_parse_pg_call_function(struct sql_parse_pg_state *p,
                                            struct sql_parse_pg_node *node, size_t low,
                                            struct sql_parse_pg_range *at)
{
    struct sql_parse_pg_range inside;
    size_t token = sql_parse_pg_state_token(p, node), parts;
    struct str name = function_name(p, node, token, &parts);
    size_t last = token; /* of the name */
    while (sql_parse_pg_state_kind(p, last + 1) == SQL_TOKEN_DOT)
        last += 2;
    size_t left = last + 1;
    if (p->failed)
        return NULL;
    if (is_infix(p, node, name, token) || sql_parse_pg_state_kind(p, left) != SQL_TOKEN_LEFT)
        return convert_infix(p, node, low, at);
    struct sql_expr *list =
        sql_parse_pg_expr_list(p, sql_parse_pg_node_get(node, STR("args")), left + 1, &inside);
    struct sql_expr *order = NULL;
    if (!sql_parse_pg_node_is(node, STR("agg_within_group")))
        order = sql_parse_pg_call_order(p, sql_parse_pg_node_get(node, STR("agg_order")), left + 1,
                                        &inside);
    *at = (struct sql_parse_pg_range){token, sql_parse_pg_state_match(p, left)};
    struct sql_expr *expr = make_call(p, name, token, last, list, *at);
    if (expr == NULL)
        return NULL;
    expr->call->star = sql_parse_pg_node_is(node, STR("agg_star"));
    expr->call->distinct = sql_parse_pg_node_is(node, STR("agg_distinct"));
    expr->call->order = order;
    convert_suffixes(p, node, expr->call, &at->last);
    expr->span = sql_parse_pg_state_span(p, at->first, at->last);
    return p->failed ? NULL : expr;
}

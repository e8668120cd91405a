/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_with.c - WITH: its queries, and what SEARCH and CYCLE add to them.
 *
 * Happy path: each query in the order of the text; behind its parentheses SEARCH and CYCLE, whose
 * words are counted, for they name columns of the query and give it further ones.
 * Failure: a query that is no SELECT, a mark of CYCLE that is no literal. */
#include "agents/sql/postgres/parse_pg_state.h"

enum { SEARCH_WORDS = 4, SET_WORDS = 2 }; /* SEARCH DEPTH FIRST BY; SET and a name */

static void add_name(struct sql_parse_pg_state *p, struct sql_cte *cte, struct str name,
                     size_t token)
{
    struct sql_names **tail = &cte->added;
    while (*tail != NULL)
        tail = &(*tail)->next;
    *tail = sql_parse_pg_state_alloc(p, sizeof **tail);
    if (*tail == NULL)
        return;
    (*tail)->name = name;
    (*tail)->span = sql_parse_pg_state_span(p, token, token);
}

/* How many tokens a list of names takes. */
static size_t list_tokens(struct sql_parse_pg_node *list)
{
    size_t count = 0;
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first; item != NULL;
         item = item->next) {
        item->seen = true;
        count += 2;
    }
    return count > 0 ? count - 1 : 0;
}

/* SEARCH DEPTH FIRST BY a, b SET c after token *last. */
static void convert_search(struct sql_parse_pg_state *p, struct sql_parse_pg_node *search,
                           struct sql_cte *cte, size_t *last)
{
    if (search == NULL)
        return;
    size_t names = list_tokens(sql_parse_pg_node_get(search, STR("search_col_list")));
    *last += SEARCH_WORDS + names + SET_WORDS;
    add_name(p, cte, sql_parse_pg_state_member(p, search, STR("search_seq_column")), *last);
}

/* A mark of CYCLE: TO 'y', DEFAULT date '2024-01-01'. */
static void check_mark(struct sql_parse_pg_state *p, struct sql_parse_pg_node *mark, size_t low)
{
    struct sql_parse_pg_range at;
    const struct sql_expr *expr = sql_parse_pg_expr_convert(p, mark, low, &at);
    while (expr != NULL && expr->kind == SQL_EXPR_CAST)
        expr = expr->children;
    if (expr != NULL && expr->kind != SQL_EXPR_LITERAL)
        sql_parse_pg_state_refuse(p, "syntax", low, "CYCLE marks rows by a literal; write one");
}

/* true and false, which nobody wrote. */
static void see_constant(struct sql_parse_pg_node *mark)
{
    struct sql_parse_pg_node *constant = sql_parse_pg_node_enter(mark);
    (void)sql_parse_pg_node_get(constant, STR("boolval"));
}

/* CYCLE a, b SET c [TO x DEFAULT y] USING d after token *last. */
static void convert_cycle(struct sql_parse_pg_state *p, struct sql_parse_pg_node *cycle,
                          struct sql_cte *cte, size_t *last)
{
    if (cycle == NULL)
        return;
    *last += 1 + list_tokens(sql_parse_pg_node_get(cycle, STR("cycle_col_list"))) + SET_WORDS;
    add_name(p, cte, sql_parse_pg_state_member(p, cycle, STR("cycle_mark_column")), *last);
    struct sql_parse_pg_node *value = sql_parse_pg_node_get(cycle, STR("cycle_mark_value"));
    struct sql_parse_pg_node *other = sql_parse_pg_node_get(cycle, STR("cycle_mark_default"));
    if (sql_parse_pg_state_is(p, *last + 1, STR("to"))) {
        check_mark(p, value, *last + 2);
        check_mark(p, other, *last + 2);
    } else {
        see_constant(value);
        see_constant(other);
    }
    while (*last < p->pg.tokens.count && !sql_parse_pg_state_is(p, *last, STR("using")))
        ++*last;
    ++*last;
    add_name(p, cte, sql_parse_pg_state_member(p, cycle, STR("cycle_path_column")), *last);
}

static struct sql_cte *convert_cte(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                   size_t *last)
{
    struct sql_cte *cte = sql_parse_pg_state_alloc(p, sizeof *cte);
    size_t token = sql_parse_pg_state_token(p, node), left = token + 1;
    if (cte == NULL)
        return NULL;
    cte->name = sql_parse_pg_state_member(p, node, STR("ctename"));
    cte->name_span = sql_parse_pg_state_span(p, token, token);
    struct sql_parse_pg_node *names = sql_parse_pg_node_get(node, STR("aliascolnames"));
    if (names != NULL) {
        cte->columns = sql_parse_pg_state_names(p, names, token + 2);
        left = sql_parse_pg_state_match(p, left) + 1;
    }
    left = sql_parse_pg_state_left(p, left);
    *last = sql_parse_pg_state_match(p, left);
    struct sql_parse_pg_node *query = sql_parse_pg_node_get(node, STR("ctequery"));
    if (!sql_parse_pg_node_of(query, STR("SelectStmt")))
        return sql_parse_pg_state_refuse(p, "select_only", token,
                                         "only SELECT may stand in a WITH; the data cannot be "
                                         "changed");
    cte->select = sql_parse_pg_select_convert(p, sql_parse_pg_node_enter(query),
                                              (struct sql_parse_pg_range){left + 1, *last - 1});
    cte->span = sql_parse_pg_state_span(p, token, *last);
    convert_search(p, sql_parse_pg_node_get(node, STR("search_clause")), cte, last);
    convert_cycle(p, sql_parse_pg_node_get(node, STR("cycle_clause")), cte, last);
    return p->failed ? NULL : cte;
}

void sql_parse_pg_with_convert(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                               struct sql_select *select, size_t *start)
{
    struct sql_parse_pg_node *with = sql_parse_pg_node_get(node, STR("withClause"));
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(with, STR("ctes"));
    struct sql_cte **tail = &select->ctes;
    size_t last = *start;
    if (list == NULL || !sql_parse_pg_state_is(p, *start, STR("with")))
        return;
    p->tree->has_with = true;
    select->recursive = sql_parse_pg_node_is(with, STR("recursive"));
    for (struct sql_parse_pg_node *item = list->first; item != NULL; item = item->next) {
        struct sql_parse_pg_node *inner = sql_parse_pg_node_enter(item);
        *tail = convert_cte(p, inner, &last);
        if (*tail == NULL)
            return;
        tail = &(*tail)->next;
    }
    select->with_span = sql_parse_pg_state_span(p, *start, last);
    *start = last + 1;
}

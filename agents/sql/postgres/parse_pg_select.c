/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_select.c - a query: branches, clauses, ORDER BY, LIMIT.
 *
 * libpg_query does not say where a query or its clauses begin. Its words do: they are reserved, so
 * at a query's own depth of parentheses they are clauses unless a dot or AS stands before them.
 * Happy path: cut the range of tokens at those words; convert what the tree says stands there.
 * Failure: INTO and locking; words and tree that do not agree. */
#include "agents/sql/postgres/parse_pg_state.h"

/* The tokens of a query's clauses; the count of tokens where there is none. */
struct outline {
    size_t start, end;         /* of the core: end is after its last token */
    size_t order, limit, last; /* of ORDER, of the first of LIMIT, OFFSET, FETCH; the query's end */
};

static bool is_set_word(const struct sql_parse_pg_state *p, size_t token)
{
    return sql_parse_pg_state_is(p, token, STR("union")) ||
           sql_parse_pg_state_is(p, token, STR("intersect")) ||
           sql_parse_pg_state_is(p, token, STR("except"));
}

/* Note ORDER BY, LIMIT, OFFSET, FETCH among the tokens from start up to end; where the first of
 * them stands, or end. */
static size_t find_options(const struct sql_parse_pg_state *p, size_t start, size_t end,
                           struct outline *out)
{
    size_t first = end;
    for (size_t i = start; i < end; i = sql_parse_pg_state_step(p, i)) {
        if (sql_parse_pg_state_kind(p, i) != SQL_TOKEN_WORD || sql_parse_pg_state_is_label(p, i))
            continue;
        bool order =
            sql_parse_pg_state_is(p, i, STR("order")) && sql_parse_pg_state_is(p, i + 1, STR("by"));
        bool limit = sql_parse_pg_state_is(p, i, STR("limit")) ||
                     sql_parse_pg_state_is(p, i, STR("offset")) ||
                     sql_parse_pg_state_is(p, i, STR("fetch"));
        if (order)
            out->order = i;
        if (limit && out->limit == p->pg.tokens.count) {
            out->limit = i;
            out->last = end - 1;
        }
        if (order || limit)
            first = size_min(first, i);
    }
    return first;
}

/* ---- set operations ---- */

static bool has_options(struct sql_parse_pg_node *node)
{
    return sql_parse_pg_node_get(node, STR("sortClause")) != NULL ||
           sql_parse_pg_node_get(node, STR("limitCount")) != NULL ||
           sql_parse_pg_node_get(node, STR("limitOffset")) != NULL ||
           sql_parse_pg_node_get(node, STR("withClause")) != NULL;
}

static bool is_set(const struct sql_parse_pg_node *node)
{
    return !str_equal(sql_parse_pg_node_text(node, STR("op")), STR("SETOP_NONE"));
}

static enum sql_set set_of(const struct sql_parse_pg_node *node)
{
    struct str op = sql_parse_pg_node_text(node, STR("op"));
    return str_equal(op, STR("SETOP_INTERSECT"))    ? SQL_SET_INTERSECT
           : str_equal(op, STR("SETOP_EXCEPT"))     ? SQL_SET_EXCEPT
           : sql_parse_pg_node_is(node, STR("all")) ? SQL_SET_UNION_ALL
                                                    : SQL_SET_UNION;
}

struct branches {
    struct sql_select *select;
    struct sql_branch **tail;
};

static void push_branch(struct sql_parse_pg_state *p, struct branches *out,
                        struct sql_branch *branch, enum sql_set set)
{
    if (branch == NULL || p->failed)
        return;
    if (++out->select->branch_count > SQL_PARSE_PG_MAX_BRANCHES)
        sql_parse_pg_state_refuse(p, "nesting", p->pg.tokens.count,
                                  "more than %d SELECTs in one UNION", SQL_PARSE_PG_MAX_BRANCHES);
    branch->set = set;
    *out->tail = branch;
    out->tail = &branch->next;
}

/* A branch with clauses of its own in parentheses: SELECT * FROM (it). */
static struct sql_branch *wrap_branch(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                      struct sql_parse_pg_range at)
{
    struct sql_branch *branch = sql_parse_pg_state_alloc(p, sizeof *branch);
    struct sql_item *star = sql_parse_pg_state_alloc(p, sizeof *star);
    struct sql_from *item = sql_parse_pg_state_alloc(p, sizeof *item);
    if (branch == NULL || star == NULL || item == NULL)
        return NULL;
    p->tree->has_subquery = true;
    item->kind = SQL_FROM_SELECT;
    item->table_ref = CATALOG_NONE;
    item->select = sql_parse_pg_select_convert(p, node, at);
    branch->span = star->span = item->span = sql_parse_pg_state_span(p, at.first, at.last);
    branch->items = star;
    branch->item_count = 1;
    branch->from = item;
    return p->failed ? NULL : branch;
}

/* Where the set operation of least strength stands between start and end: the last UNION or
 * EXCEPT, else the last INTERSECT. */
static size_t find_split(const struct sql_parse_pg_state *p, size_t start, size_t end)
{
    size_t strong = end;
    for (size_t i = end; i > start;) {
        i = size_min(i - 1, sql_parse_pg_state_match(p, i - 1));
        if (!is_set_word(p, i) || sql_parse_pg_state_is_label(p, i))
            continue;
        if (!sql_parse_pg_state_is(p, i, STR("intersect")))
            return i;
        if (strong == end)
            strong = i;
    }
    return strong;
}

static void refuse_writes(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                          size_t token)
{
    if (sql_parse_pg_node_get(node, STR("intoClause")) != NULL)
        sql_parse_pg_state_refuse(p, "into", token, "SELECT ... INTO writes; leave INTO out");
    if (sql_parse_pg_node_get(node, STR("lockingClause")) != NULL)
        sql_parse_pg_state_refuse(p, "locking", token,
                                  "rows may not be locked; leave FOR UPDATE or FOR SHARE out");
}

static void convert_core(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                         struct branches *out, size_t start, size_t end, enum sql_set set);

/* One side of a set operation. */
static void convert_side(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                         struct branches *out, size_t start, size_t end, enum sql_set set)
{
    if (p->failed || start >= end)
        return;
    refuse_writes(p, node, start);
    if (!has_options(node)) {
        convert_core(p, node, out, start, end, set);
        return;
    }
    while (sql_parse_pg_state_kind(p, start) == SQL_TOKEN_LEFT &&
           sql_parse_pg_state_match(p, start) == end - 1) {
        start++;
        end--;
    }
    push_branch(p, out, wrap_branch(p, node, (struct sql_parse_pg_range){start, end - 1}), set);
}

/* The branches of node, whose tokens are those from start up to end. */
static void convert_core(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                         struct branches *out, size_t start, size_t end, enum sql_set set)
{
    while (sql_parse_pg_state_kind(p, start) == SQL_TOKEN_LEFT &&
           sql_parse_pg_state_match(p, start) == end - 1) {
        start++;
        end--;
    }
    if (!is_set(node)) {
        push_branch(p, out, sql_parse_pg_branch_convert(p, node, start, end), set);
        return;
    }
    size_t split = find_split(p, start, end), right = split + 1;
    if (split == end || !sql_parse_pg_state_enter(p)) {
        sql_parse_pg_state_unknown(p, node);
        return;
    }
    if (sql_parse_pg_state_is(p, right, STR("all")) ||
        sql_parse_pg_state_is(p, right, STR("distinct")))
        right++;
    p->tree->has_set_operation = true;
    convert_side(p, sql_parse_pg_node_get(node, STR("larg")), out, start, split, set);
    convert_side(p, sql_parse_pg_node_get(node, STR("rarg")), out, right, end, set_of(node));
    p->depth--;
}

/* ---- ORDER BY and LIMIT ---- */

static void convert_order(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                          const struct outline *outline, struct sql_select *select)
{
    struct sql_parse_pg_range at;
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(node, STR("sortClause"));
    if (list == NULL)
        return;
    p->tree->has_order_by = true;
    select->order = sql_parse_pg_call_order(p, list, outline->order + 2, &at);
    select->order_span = sql_parse_pg_state_span(p, outline->order, at.last);
}

/* LIMIT n, LIMIT ALL, FETCH FIRST n ROWS ONLY. */
static void convert_count(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                          struct sql_select *select, size_t low)
{
    struct sql_parse_pg_range at;
    struct sql_limit *limit = &select->limit;
    bool written = node->location >= 0;
    limit->present = true;
    limit->is_number = !written;
    limit->number = 1;
    if (!written) { /* FETCH FIRST ROW */
        (void)sql_parse_pg_node_enter(node);
        for (struct sql_parse_pg_node *part = node->first; part != NULL; part = part->next)
            part->seen = true;
        return;
    }
    limit->all = sql_parse_pg_node_is(node, STR("isnull"));
    select->limit_count = sql_parse_pg_expr_convert(p, node, low, &at);
    if (select->limit_count == NULL)
        return;
    limit->count_span = select->limit_count->span;
    struct str count = str_slice(p->pg.tokens.text, limit->count_span.start, limit->count_span.end);
    size_t digits = 0;
    while (digits < count.len && str_is_digit(count.at[digits]))
        digits++;
    limit->is_number = digits > 0 && digits == count.len;
    limit->number = 0;
    if (limit->is_number && !str_to_i64(count, &limit->number))
        limit->number = INT64_MAX;
}

static void convert_limit(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                          const struct outline *outline, struct sql_select *select)
{
    struct sql_parse_pg_range at;
    struct sql_limit *limit = &select->limit;
    struct sql_parse_pg_node *count = sql_parse_pg_node_get(node, STR("limitCount"));
    struct sql_parse_pg_node *skip = sql_parse_pg_node_get(node, STR("limitOffset"));
    if (count == NULL && skip == NULL)
        return;
    if (outline->limit >= p->pg.tokens.count) {
        sql_parse_pg_state_unknown(p, node);
        return;
    }
    for (size_t i = outline->limit; i <= outline->last; i = sql_parse_pg_state_step(p, i))
        limit->fetch = limit->fetch || sql_parse_pg_state_is(p, i, STR("fetch"));
    limit->with_ties =
        str_equal(sql_parse_pg_node_text(node, STR("limitOption")), STR("LIMIT_OPTION_WITH_TIES"));
    limit->has_skip = skip != NULL;
    limit->clause_span = sql_parse_pg_state_span(p, outline->limit, outline->last);
    if (count != NULL)
        convert_count(p, count, select, outline->limit + 1);
    select->limit_skip = sql_parse_pg_expr_convert(p, skip, outline->limit + 1, &at);
}

struct sql_select *sql_parse_pg_select_convert(struct sql_parse_pg_state *p,
                                               struct sql_parse_pg_node *node,
                                               struct sql_parse_pg_range at)
{
    struct sql_select *select = sql_parse_pg_state_alloc(p, sizeof *select);
    size_t none = p->pg.tokens.count;
    struct outline outline = {.order = none, .limit = none};
    if (select == NULL || at.first > at.last || at.last >= none)
        return sql_parse_pg_state_unknown(p, node);
    size_t start = at.first, end = at.last + 1;
    refuse_writes(p, node, start);
    if (!sql_parse_pg_state_enter(p))
        return NULL;
    for (;;) { /* WITH, ORDER BY and LIMIT may stand outside of parentheses around the rest */
        sql_parse_pg_with_convert(p, node, select, &start);
        end = find_options(p, start, end, &outline);
        if (sql_parse_pg_state_kind(p, start) != SQL_TOKEN_LEFT ||
            sql_parse_pg_state_match(p, start) != end - 1)
            break;
        start++;
        end--;
    }
    struct branches branches = {.select = select, .tail = &select->branches};
    convert_core(p, node, &branches, start, end, SQL_SET_FIRST);
    convert_order(p, node, &outline, select);
    convert_limit(p, node, &outline, select);
    select->span = sql_parse_pg_state_span(p, at.first, at.last);
    p->depth--;
    return p->failed ? NULL : select;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_branch.c - one SELECT, VALUES or TABLE, from its list to its
 * windows.
 *
 * Happy path: the list, FROM, WHERE, GROUP BY, HAVING, WINDOW, in the order of the text.
 * Its list may be empty: EXISTS (SELECT FROM t). Failure: what its parts refuse. */
#include "agents/sql/postgres/parse_pg_state.h"

/* t.* or *: no expression, but whose it is. */
static bool take_star(struct sql_parse_pg_state *p, struct sql_parse_pg_node *column,
                      struct sql_item *item, size_t token)
{
    struct sql_parse_pg_node *fields = sql_parse_pg_node_get(column, STR("fields"));
    struct str before = str_make(NULL, 0), schema = before;
    size_t parts = 0;
    struct sql_parse_pg_node *field = fields == NULL ? NULL : fields->first;
    for (; field != NULL && field->next != NULL; field = field->next, parts++) {
        schema = before;
        before = sql_parse_pg_state_string(p, field);
    }
    if (!sql_parse_pg_node_of(field, STR("A_Star")))
        return false;
    field->seen = true;
    if (parts > 2)
        sql_parse_pg_state_refuse(p, "syntax", token, "a star's table has too many names");
    item->qualifier = before;
    item->schema = schema;
    item->span = sql_parse_pg_state_span(p, token, token + 2 * parts);
    return true;
}

/* (t).*, where t is one name. */
static bool take_row(struct sql_parse_pg_state *p, struct sql_parse_pg_node *taken,
                     struct sql_item *item)
{
    struct sql_parse_pg_node *steps = sql_parse_pg_node_get(taken, STR("indirection"));
    struct sql_parse_pg_node *row = sql_parse_pg_node_get(taken, STR("arg"));
    struct sql_parse_pg_node *step = steps == NULL ? NULL : steps->first;
    if (!sql_parse_pg_node_of(row, STR("ColumnRef")) ||
        !sql_parse_pg_node_of(step, STR("A_Star")) || step->next != NULL)
        return false;
    struct sql_parse_pg_node *fields = sql_parse_pg_node_get(row, STR("fields"));
    size_t token = sql_parse_pg_state_token(p, row), last = token;
    if (fields == NULL || fields->first == NULL || fields->first->next != NULL)
        return false;
    while (token > 0 && sql_parse_pg_state_kind(p, token - 1) == SQL_TOKEN_LEFT &&
           sql_parse_pg_state_match(p, token - 1) == last + 1) {
        token--;
        last++;
    }
    item->qualifier = sql_parse_pg_state_string(p, fields->first);
    item->of_row = true;
    item->span = sql_parse_pg_state_span(p, token, last + 2);
    row->entered = step->seen = true;
    return true;
}

static struct sql_item *convert_target(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                       size_t low, size_t *last)
{
    struct sql_parse_pg_node *target = sql_parse_pg_node_enter(node);
    struct sql_item *item = sql_parse_pg_state_alloc(p, sizeof *item);
    struct sql_parse_pg_range at;
    if (item == NULL || !sql_parse_pg_node_of(target, STR("ResTarget")))
        return sql_parse_pg_state_unknown(p, target);
    struct sql_parse_pg_node *value = sql_parse_pg_node_get(target, STR("val"));
    if ((sql_parse_pg_node_of(value, STR("ColumnRef")) &&
         take_star(p, value, item, sql_parse_pg_state_token(p, value))) ||
        (sql_parse_pg_node_of(value, STR("A_Indirection")) && take_row(p, value, item))) {
        value->entered = true;
        return item;
    }
    item->expr = sql_parse_pg_expr_convert(p, value, low, &at);
    if (item->expr == NULL)
        return sql_parse_pg_state_unknown(p, target);
    item->alias = sql_parse_pg_name_item(p, target);
    if (sql_parse_pg_node_text(target, STR("name")).len > 0) {
        at.last += sql_parse_pg_state_is(p, at.last + 1, STR("as")) ? 2 : 1;
        item->alias_span = sql_parse_pg_state_span(p, at.last, at.last);
    }
    item->span = sql_parse_pg_state_span(p, at.first, at.last);
    *last = at.last;
    return item;
}

static void convert_targets(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                            size_t low, struct sql_branch *branch)
{
    struct sql_item **tail = &branch->items;
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(node, STR("targetList"));
    for (struct sql_parse_pg_node *target = list == NULL ? NULL : list->first;
         target != NULL && !p->failed; target = target->next) {
        size_t last = low;
        *tail = convert_target(p, target, low, &last);
        if (*tail == NULL)
            return;
        tail = &(*tail)->next;
        branch->item_count++;
    }
    p->tree->select_items = size_max(p->tree->select_items, branch->item_count);
}

/* ---- one SELECT ---- */

/* GROUP BY's terms, out of their sets and rows: each may be the name of a column of the result. */
static void convert_groups(struct sql_parse_pg_state *p, struct sql_parse_pg_node *list, size_t low,
                           struct sql_expr ***tail)
{
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_range at;
        bool set = sql_parse_pg_node_of(item, STR("GroupingSet"));
        bool row =
            sql_parse_pg_node_of(item, STR("RowExpr")) &&
            str_equal(sql_parse_pg_node_text(item, STR("row_format")), STR("COERCE_IMPLICIT_CAST"));
        if ((set || row) && sql_parse_pg_state_enter(p)) {
            (void)sql_parse_pg_node_enter(item);
            convert_groups(p, sql_parse_pg_node_get(item, set ? STR("content") : STR("args")), low,
                           tail);
            p->depth--;
            continue;
        }
        **tail = sql_parse_pg_expr_convert(p, item, low, &at);
        if (**tail != NULL)
            *tail = &(**tail)->next;
    }
}

static void convert_windows(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                            struct sql_branch *branch)
{
    struct sql_window **tail = &branch->windows;
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(node, STR("windowClause"));
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first;
         item != NULL && !p->failed; item = item->next) {
        struct sql_parse_pg_node *window = sql_parse_pg_node_enter(item);
        if (!sql_parse_pg_node_of(window, STR("WindowDef"))) {
            sql_parse_pg_state_unknown(p, window);
            return;
        }
        *tail = sql_parse_pg_call_window(p, window, sql_parse_pg_state_token(p, window) + 1);
        if (*tail != NULL)
            tail = &(*tail)->next;
    }
}

static void convert_values(struct sql_parse_pg_state *p, struct sql_parse_pg_node *lists,
                           size_t low, struct sql_branch *branch)
{
    struct sql_expr **tail = &branch->rows;
    branch->values = true;
    for (struct sql_parse_pg_node *item = lists->first; item != NULL && !p->failed;
         item = item->next) {
        struct sql_parse_pg_node *list = sql_parse_pg_node_enter(item);
        struct sql_parse_pg_range at;
        struct sql_expr *values =
            sql_parse_pg_expr_list(p, sql_parse_pg_node_get(list, STR("items")), low, &at);
        *tail = sql_parse_pg_expr_node(p, SQL_EXPR_PARENS, at, values);
        if (*tail == NULL)
            return;
        size_t count = 0;
        for (const struct sql_expr *value = values; value != NULL; value = value->next)
            count++;
        branch->item_count = size_max(branch->item_count, count);
        tail = &(*tail)->next;
    }
}

static void convert_distinct(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                             size_t low, struct sql_branch *branch)
{
    struct sql_parse_pg_range at;
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(node, STR("distinctClause"));
    branch->distinct = list != NULL;
    if (list != NULL && list->first != NULL && !str_is_absent(list->first->text))
        branch->distinct_on = sql_parse_pg_expr_list(p, list, low, &at);
}

/* The FROM of a SELECT between start and end; not that of IS DISTINCT FROM. */
static size_t find_from(const struct sql_parse_pg_state *p, size_t start, size_t end)
{
    for (size_t i = start; i < end; i = sql_parse_pg_state_step(p, i))
        if (sql_parse_pg_state_is(p, i, STR("from")) && !sql_parse_pg_state_is_label(p, i) &&
            !sql_parse_pg_state_is(p, i - 1, STR("distinct")))
            return i;
    return end;
}

/* Where WHERE stands, or would, in the words behind FROM. */
static void note_where(const struct sql_parse_pg_state *p, size_t from, size_t end,
                       struct sql_branch *branch)
{
    static const struct str ends[] = {{"group", 5}, {"having", 6}, {"window", 6}};
    size_t where = end, last = end - 1;
    for (size_t i = from; i < end; i = sql_parse_pg_state_step(p, i)) {
        bool here = false;
        if (sql_parse_pg_state_kind(p, i) != SQL_TOKEN_WORD)
            continue;
        for (size_t j = 0; j < countof(ends); j++)
            here = here || sql_parse_pg_state_is(p, i, ends[j]);
        if (here && !sql_parse_pg_state_is_label(p, i)) {
            last = i - 1;
            break;
        }
        if (where == end && sql_parse_pg_state_is(p, i, STR("where")))
            where = i;
    }
    if (where < end)
        branch->where_span = sql_parse_pg_state_span(p, where, last);
    else
        branch->where_at = sql_parse_pg_state_span(p, last, last).end;
}

struct sql_branch *sql_parse_pg_branch_convert(struct sql_parse_pg_state *p,
                                               struct sql_parse_pg_node *node, size_t start,
                                               size_t end)
{
    struct sql_branch *branch = sql_parse_pg_state_alloc(p, sizeof *branch);
    struct sql_parse_pg_range at;
    if (branch == NULL)
        return NULL;
    branch->span = sql_parse_pg_state_span(p, start, end - 1);
    struct sql_parse_pg_node *values = sql_parse_pg_node_get(node, STR("valuesLists"));
    if (values != NULL) {
        convert_values(p, values, start + 1, branch);
        return p->failed ? NULL : branch;
    }
    if (sql_parse_pg_state_is(p, start, STR("table")))
        branch->table_span = sql_parse_pg_state_span(p, start, start);
    size_t from = branch->table_span.end > 0 ? start : find_from(p, start, end);
    note_where(p, from, end, branch);
    convert_distinct(p, node, start + 1, branch);
    convert_targets(p, node, start + 1, branch);
    if (branch->table_span.end > 0 && branch->items != NULL)
        branch->items->span = branch->table_span;
    branch->from = sql_parse_pg_from_list(p, sql_parse_pg_node_get(node, STR("fromClause")), &from);
    branch->where = sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("whereClause")),
                                              from + 1, &at);
    struct sql_parse_pg_node *groups = sql_parse_pg_node_get(node, STR("groupClause"));
    struct sql_expr **tail = &branch->groups;
    p->tree->has_group_by = p->tree->has_group_by || groups != NULL;
    convert_groups(p, groups, from + 1, &tail);
    branch->having = sql_parse_pg_expr_convert(p, sql_parse_pg_node_get(node, STR("havingClause")),
                                               from + 1, &at);
    convert_windows(p, node, branch);
    return p->failed ? NULL : branch;
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_name.c - what PostgreSQL calls a column that has no alias.
 *
 * ORDER BY and the queries around see these names. A name is weak when a type around the
 * expression would be preferred to it. Cannot fail: without a better one it is ?column?. */
#include "agents/sql/postgres/parse_pg_state.h"

enum strength { NAME_NONE, NAME_WEAK, NAME_STRONG };

static enum strength find_name(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                               struct str *name);

/* The last String of a list; false: none. */
static bool last_string(struct sql_parse_pg_state *p, struct sql_parse_pg_node *list,
                        struct str *name)
{
    struct sql_parse_pg_node *found = NULL;
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first; item != NULL;
         item = item->next)
        if (item->boxed)
            found = item;
    if (found != NULL)
        *name = sql_parse_pg_state_string(p, found);
    return found != NULL;
}

/* (SELECT x ...) is called x. */
static enum strength name_query(struct sql_parse_pg_state *p, struct sql_parse_pg_node *link,
                                struct str *name)
{
    struct str type = sql_parse_pg_node_text(link, STR("subLinkType"));
    *name = str_equal(type, STR("EXISTS_SUBLINK"))  ? STR("exists")
            : str_equal(type, STR("ARRAY_SUBLINK")) ? STR("array")
                                                    : STR("?column?");
    if (!str_equal(type, STR("EXPR_SUBLINK")))
        return name->at[0] == '?' ? NAME_NONE : NAME_STRONG;
    struct sql_parse_pg_node *select =
        sql_parse_pg_node_enter(sql_parse_pg_node_get(link, STR("subselect")));
    while (sql_parse_pg_node_get(select, STR("larg")) != NULL)
        select = sql_parse_pg_node_get(select, STR("larg"));
    struct sql_parse_pg_node *list = sql_parse_pg_node_get(select, STR("targetList"));
    struct sql_parse_pg_node *target = list == NULL ? NULL : sql_parse_pg_node_enter(list->first);
    if (target != NULL)
        *name = sql_parse_pg_name_item(p, target);
    return NAME_STRONG;
}

/* SVFOP_CURRENT_TIME_N: current_time. */
static enum strength name_value(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                struct str *name)
{
    struct str op = str_from(sql_parse_pg_node_text(node, STR("op")), 6);
    if (str_ends_with(op, STR("_N")))
        op = str_slice(op, 0, op.len - 2);
    char *bytes = sql_parse_pg_state_alloc(p, op.len + 1);
    for (size_t i = 0; bytes != NULL && i < op.len; i++)
        bytes[i] = str_lower(op.at[i]);
    *name = bytes == NULL ? STR("") : str_make(bytes, op.len);
    return NAME_STRONG;
}

static enum strength name_weak(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                               struct str *name)
{
    if (sql_parse_pg_node_of(node, STR("CaseExpr"))) {
        if (find_name(p, sql_parse_pg_node_get(node, STR("defresult")), name) == NAME_STRONG)
            return NAME_STRONG;
        *name = STR("case");
        return NAME_WEAK;
    }
    if (find_name(p, sql_parse_pg_node_get(node, STR("arg")), name) == NAME_STRONG)
        return NAME_STRONG;
    struct sql_parse_pg_node *type = sql_parse_pg_node_get(node, STR("typeName"));
    return last_string(p, sql_parse_pg_node_get(type, STR("names")), name) ? NAME_WEAK : NAME_NONE;
}

static enum strength name_typed(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                struct str *name)
{
    struct str type = node->text;
    if (str_equal(type, STR("ColumnRef")))
        return last_string(p, sql_parse_pg_node_get(node, STR("fields")), name) ? NAME_STRONG
                                                                                : NAME_NONE;
    if (str_equal(type, STR("FuncCall")))
        return last_string(p, sql_parse_pg_node_get(node, STR("funcname")), name) ? NAME_STRONG
                                                                                  : NAME_NONE;
    if (str_equal(type, STR("A_Indirection")) &&
        last_string(p, sql_parse_pg_node_get(node, STR("indirection")), name))
        return NAME_STRONG;
    if (str_equal(type, STR("A_Indirection")) || str_equal(type, STR("CollateClause")))
        return find_name(p, sql_parse_pg_node_get(node, STR("arg")), name);
    if (str_equal(type, STR("CaseExpr")) || str_equal(type, STR("TypeCast")))
        return name_weak(p, node, name);
    if (str_equal(type, STR("SubLink")))
        return name_query(p, node, name);
    if (str_equal(type, STR("SQLValueFunction")))
        return name_value(p, node, name);
    return NAME_NONE;
}

static enum strength find_name(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                               struct str *name)
{
    static const struct {
        struct str type, member, value, name;
    } fixed[] = {
        {{"CoalesceExpr", 12}, {NULL, 0}, {NULL, 0}, {"coalesce", 8}},
        {{"A_ArrayExpr", 11}, {NULL, 0}, {NULL, 0}, {"array", 5}},
        {{"RowExpr", 7}, {NULL, 0}, {NULL, 0}, {"row", 3}},
        {{"GroupingFunc", 12}, {NULL, 0}, {NULL, 0}, {"grouping", 8}},
        {{"MinMaxExpr", 10}, {"op", 2}, {"IS_LEAST", 8}, {"least", 5}},
        {{"MinMaxExpr", 10}, {NULL, 0}, {NULL, 0}, {"greatest", 8}},
        {{"A_Expr", 6}, {"kind", 4}, {"AEXPR_NULLIF", 12}, {"nullif", 6}},
    };
    if (node == NULL)
        return NAME_NONE;
    for (size_t i = 0; i < countof(fixed); i++)
        if (sql_parse_pg_node_of(node, fixed[i].type) &&
            (fixed[i].member.at == NULL ||
             str_equal(sql_parse_pg_node_text(node, fixed[i].member), fixed[i].value))) {
            *name = fixed[i].name;
            return NAME_STRONG;
        }
    if (!sql_parse_pg_state_enter(p))
        return NAME_NONE;
    enum strength strength = name_typed(p, node, name);
    p->depth--;
    return strength;
}

struct str sql_parse_pg_name_item(struct sql_parse_pg_state *p, struct sql_parse_pg_node *target)
{
    struct str name = sql_parse_pg_state_member(p, target, STR("name"));
    if (name.len > 0)
        return name;
    bool found = find_name(p, sql_parse_pg_node_get(target, STR("val")), &name) != NAME_NONE;
    return found ? name : STR("?column?");
}

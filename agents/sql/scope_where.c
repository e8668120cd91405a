/* SPDX-License-Identifier: MIT */
/* agents/sql/scope_where.c - names of a WHERE, and which relations it joins.
 *
 * Happy path: each conjunct that compares two sides joins what they name, t.a = u.b or t.a < u.b;
 * alternatives join what each of them joins: (t.a = u.b AND ...) OR (t.a = u.b AND ...).
 * Failure: what the names in it refuse. */
#include "agents/sql/scope_parts.h"

#include <string.h>

struct joined { /* of each relation those that it is joined with, itself among them */
    uint64_t with[SQL_GRAMMAR_MAX_RELATIONS];
};

static void part_all(struct sql_scope_frame *frame)
{
    for (size_t i = 0; i < frame->relation_count; i++)
        frame->relations[i].component = i;
}

/* Keep of joined what frame joins, too. */
static void keep_joined(struct sql_scope_frame *frame, struct joined *joined)
{
    struct joined now = {{0}};
    for (size_t i = 0; i < frame->relation_count; i++)
        now.with[sql_scope_from_component(frame, i)] |= (uint64_t)1 << i;
    for (size_t i = 0; i < frame->relation_count; i++)
        joined->with[i] &= now.with[sql_scope_from_component(frame, i)];
}

/* Each alternative begins with nothing joined; what all of them join is added to what was. */
static void walk_alternatives(struct sql_scope *s, struct sql_scope_frame *frame,
                              const struct sql_expr *first)
{
    struct joined before, all;
    memset(&before, 0xff, sizeof before);
    memset(&all, 0xff, sizeof all);
    keep_joined(frame, &before);
    for (const struct sql_expr *one = first; one != NULL && !s->failed; one = one->next) {
        part_all(frame);
        sql_scope_where_walk(s, frame, one);
        keep_joined(frame, &all);
    }
    part_all(frame);
    for (size_t i = 0; i < frame->relation_count; i++) {
        sql_scope_from_connect(frame, before.with[i]);
        sql_scope_from_connect(frame, all.with[i]);
    }
}

/* a < b and the like; an equality has a kind of its own. */
static bool compares(const struct sql_scope *s, const struct sql_expr *expr)
{
    static const char *const signs[] = {"<", "<=", ">", ">="};
    if (expr->kind != SQL_EXPR_OPERATOR || expr->children == NULL || expr->children->next == NULL ||
        expr->children->next->next != NULL)
        return false;
    struct str between =
        str_slice(s->parse->text, expr->children->span.end, expr->children->next->span.start);
    return str_is_listed(str_trim(between), signs, countof(signs));
}

void sql_scope_where_walk(struct sql_scope *s, struct sql_scope_frame *frame,
                          const struct sql_expr *where)
{
    if (where == NULL)
        return;
    if (where->kind == SQL_EXPR_AND || (where->kind == SQL_EXPR_PARENS && where->children != NULL &&
                                        where->children->next == NULL)) {
        for (const struct sql_expr *child = where->children; child != NULL; child = child->next)
            sql_scope_where_walk(s, frame, child);
        return;
    }
    if (where->alternatives && frame->relation_count > 1) {
        walk_alternatives(s, frame, where->children);
        return;
    }
    if (where->kind != SQL_EXPR_EQUAL && !compares(s, where)) {
        sql_scope_expr_walk(s, frame, where);
        return;
    }
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, where->children);
    uint64_t left = frame->touched;
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, where->children->next);
    if (left != 0 && frame->touched != 0)
        sql_scope_from_connect(frame, left | frame->touched);
}

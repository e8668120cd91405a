/* SPDX-License-Identifier: MIT */
/* agents/semantic/bind_sql.c - each expression is judged in the smallest statement around it, then
 * cut at its columns, so that it can be written over any alias.
 *
 * Happy path: SELECT expression FROM table, or SELECT 1 FROM table WHERE (expression), passes the
 * guard and reads that one table; a metric is made of aggregates, a filter of none.
 * Failure: the guard's own words, or what is more than one expression may do. "{today}" stands for
 * the day as 'YYYY-MM-DD'. */
#include "agents/semantic/bind_sql.h"

#include "agents/sql/grammar_tree.h"
#include "agents/sql/quote.h"

enum { SQL_BYTES = 16 << 10, MARKS = 64, JUDGE_BYTES = 16 << 20 };

static const struct str today_word = {"{today}", 7}, some_day = {"'2000-01-01'", 12};

struct mark { /* in the statement that is judged */
    struct sql_span span;
    int column; /* CATALOG_NONE: the day */
};

struct shape { /* an expression in its statement */
    struct buf text;
    size_t start, end; /* of the expression */
    struct mark marks[MARKS];
    size_t mark_count;
    const char *wrong;
};

static void push_expression(struct shape *shape, struct str text)
{
    shape->start = buf_len(&shape->text);
    text = str_trim(text);
    for (size_t i = 0; i < text.len;) {
        if (!str_starts_with(str_from(text, i), today_word)) {
            buf_push_char(&shape->text, text.at[i++]);
            continue;
        }
        size_t at = buf_len(&shape->text);
        if (shape->mark_count == MARKS)
            shape->wrong = "it names too much";
        else
            shape->marks[shape->mark_count++] =
                (struct mark){{at, at + some_day.len}, CATALOG_NONE};
        buf_push(&shape->text, some_day);
        i += today_word.len;
    }
    shape->end = buf_len(&shape->text);
}

/* Whether every column of the expression is inside an aggregate. */
static bool is_aggregate(const struct sql_parse *parse, const struct sql_expr *expr)
{
    if (expr->kind == SQL_EXPR_NAME)
        return false;
    for (size_t i = 0; expr->kind == SQL_EXPR_CALL && i < parse->function_count; i++)
        if (parse->functions[i].aggregate && !parse->functions[i].windowed &&
            parse->functions[i].span.start == expr->call->name_span.start)
            return true;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
        if (!is_aggregate(parse, child))
            return false;
    return true;
}

static const char *check_shape(struct shape *shape, const struct sql_parse *parse, bool is_metric)
{
    const struct sql_branch *branch = parse->tree->branches;
    const struct sql_expr *expr = is_metric ? branch->items->expr : branch->where;
    if (parse->table_count != 1 || parse->has_subquery || parse->has_set_operation)
        return "it may read the columns of its own table only";
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].windowed)
            return "a window function has no place in it";
    if (expr == NULL || parse->select_items != 1 || parse->has_group_by || parse->has_order_by ||
        parse->limit.present || expr->span.end != shape->end + (is_metric ? 0 : 1))
        return "it is more than one expression; write one, without FROM, WHERE or a comma";
    if (is_metric && branch->where != NULL)
        return "it is more than one expression; its condition belongs into \"filter\"";
    if (is_metric && (!parse->has_aggregate || !is_aggregate(parse, expr)))
        return "a metric is made of aggregates: SUM(x), not x";
    if (!is_metric && (parse->has_aggregate || branch->groups != NULL ||
                       expr->kind != SQL_EXPR_PARENS || expr->children->next != NULL))
        return "a filter is one condition on a row, without aggregates";
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (ref->table_ref != 0 || ref->column == CATALOG_NONE || ref->use != SQL_COLUMN_NAMED)
            return "it names something that is no column of its table";
        if (shape->mark_count == MARKS)
            return "it names too much";
        shape->marks[shape->mark_count++] = (struct mark){ref->span, ref->column};
    }
    return NULL;
}

static void sort_marks(struct shape *shape)
{
    for (size_t i = 1; i < shape->mark_count; i++)
        for (size_t k = i; k > 0 && shape->marks[k].span.start < shape->marks[k - 1].span.start;
             k--) {
            struct mark mark = shape->marks[k];
            shape->marks[k] = shape->marks[k - 1];
            shape->marks[k - 1] = mark;
        }
}

/* What lies between the marks, and the marks. */
static bool cut(struct binding *b, struct shape *shape, struct semantic_expression *to)
{
    struct arena *arena = &b->semantic->arena;
    struct semantic_piece *pieces = arena_array(arena, shape->mark_count + 1, sizeof *pieces);
    size_t at = shape->start;
    if (pieces == NULL)
        return false;
    sort_marks(shape);
    for (size_t i = 0; i < shape->mark_count; i++) {
        const struct mark *mark = &shape->marks[i];
        if (mark->span.start < at)
            continue;
        pieces[to->piece_count++] = (struct semantic_piece){
            arena_str(arena, str_slice(buf_str(&shape->text), at, mark->span.start)), mark->column,
            mark->column == CATALOG_NONE};
        at = mark->span.end;
    }
    pieces[to->piece_count++] = (struct semantic_piece){
        arena_str(arena, str_slice(buf_str(&shape->text), at, shape->end)), CATALOG_NONE, false};
    to->pieces = pieces;
    return arena_ok(arena);
}

static bool bind_expression(struct binding *b, struct str pointer, int table, bool is_metric,
                            struct semantic_expression *to, bool *additive)
{
    struct shape shape = {.wrong = NULL};
    struct sql_verdict verdict = {0};
    struct arena arena;
    arena_init(&arena, JUDGE_BYTES);
    buf_init(&shape.text, SQL_BYTES);
    buf_push(&shape.text, is_metric ? STR("SELECT ") : STR("SELECT 1 FROM "));
    if (is_metric) {
        push_expression(&shape, to->text);
        buf_push(&shape.text, STR(" FROM "));
    }
    sql_quote_table(b->dialect, &b->catalog->tables[table], &shape.text);
    if (!is_metric) {
        buf_push(&shape.text, STR(" WHERE ("));
        push_expression(&shape, to->text);
        buf_push_char(&shape.text, ')');
    }
    sql_policy_judge(b->policy, b->dialect, buf_str(&shape.text), b->catalog,
                     (struct sql_tenant){false}, &arena, &verdict);
    if (shape.wrong == NULL && verdict.code == ERR_OK)
        shape.wrong = check_shape(&shape, verdict.parse, is_metric);
    if (verdict.code != ERR_OK)
        semantic_report_add(b->report, pointer, "the guard refuses it (%s): %s",
                            verdict.rule == NULL ? "?" : verdict.rule, verdict.err.text);
    else if (shape.wrong != NULL)
        semantic_report_add(b->report, pointer, "%s", shape.wrong);
    bool ok = verdict.code == ERR_OK && shape.wrong == NULL && cut(b, &shape, to);
    if (ok && is_metric && additive != NULL) {
        const struct sql_expr *expr = verdict.parse->tree->branches->items->expr;
        *additive =
            expr->kind == SQL_EXPR_CALL && !expr->call->distinct &&
            (str_equal(expr->call->name, STR("sum")) || str_equal(expr->call->name, STR("count")));
    }
    buf_fini(&shape.text);
    arena_fini(&arena);
    return ok;
}

void semantic_bind_sql_named(struct binding *b, size_t i)
{
    struct semantic_named *named = &b->semantic->named[i];
    const char *list = named->is_metric ? "metrics" : "filters";
    size_t place = named->is_metric ? i : i - b->semantic->metric_count;
    struct arena *arena = &b->semantic->arena;
    named->table = semantic_bind_table(b, arena_printf(arena, "/%s/%zu/table", list, place),
                                       named->table_name);
    if (named->table == CATALOG_NONE)
        return;
    named->usable =
        bind_expression(b, arena_printf(arena, "/%s/%zu/expression", list, place), named->table,
                        named->is_metric, &named->expression, &named->additive);
    if (named->filter.text.len > 0)
        named->usable = bind_expression(b, arena_printf(arena, "/%s/%zu/filter", list, place),
                                        named->table, false, &named->filter, NULL) &&
                        named->usable;
}

void semantic_bind_sql_verified(struct binding *b, size_t i)
{
    struct semantic_verified *verified = &b->semantic->verified[i];
    struct sql_verdict verdict = {0};
    struct arena arena;
    arena_init(&arena, JUDGE_BYTES);
    sql_policy_judge(b->policy, b->dialect, verified->sql, b->catalog, (struct sql_tenant){false},
                     &arena, &verdict);
    if (verdict.code != ERR_OK) {
        semantic_report_add(b->report,
                            arena_printf(&b->semantic->arena, "/verified_queries/%zu/sql", i),
                            "the guard refuses it (%s): %s",
                            verdict.rule == NULL ? "?" : verdict.rule, verdict.err.text);
    } else {
        int *tables =
            arena_array(&b->semantic->arena, verdict.parse->table_count + 1, sizeof *tables);
        for (size_t t = 0; tables != NULL && t < verdict.parse->table_count; t++)
            if (verdict.parse->tables[t].table != CATALOG_NONE)
                tables[verified->table_count++] = verdict.parse->tables[t].table;
        verified->tables = tables;
        verified->usable = tables != NULL;
    }
    arena_fini(&arena);
}

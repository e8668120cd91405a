/* SPDX-License-Identifier: MIT */
/* agents/semantic/bind.c - tables and columns by name, words of the glossary, what changes.
 *
 * Happy path: every name finds its table or column. Each expression is judged in the smallest
 * statement around it, then cut at its columns, so that it can be written over any alias: SELECT
 * expression FROM table, or SELECT 1 FROM table WHERE (expression), passes the guard and reads that
 * one table; a metric is made of aggregates, a filter of none. "{today}" stands for the day as
 * 'YYYY-MM-DD'.
 * Failure: a name that is not there is said with the nearest one; of an expression, the guard's own
 * words, or what is more than one expression may do; no memory leaves things unused. */
#include "agents/semantic/bind.h"

#include "agents/semantic/places.h"
#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql/catalog/visible.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { COMMENT_BYTES = 8192, SQL_BYTES = 16 << 10, MARKS = 64, JUDGE_BYTES = 16 << 20 };

static const struct str today_word = {"{today}", 7}, some_day = {"'2000-01-01'", 12};

struct binding {
    struct semantic *semantic;
    const struct catalog *catalog;
    const struct sql_policy *policy;
    enum sql_dialect dialect;
    struct semantic_report *report;
};

/* ---- changes ---- */

static void push_part(struct buf *out, const char *before, struct str text)
{
    if (text.len == 0)
        return;
    if (buf_len(out) > 0)
        buf_push(out, STR("; "));
    buf_printf(out, "%s%.*s", before, STR_ARG(text));
}

static void push_synonyms(struct buf *out, const struct semantic_texts *synonyms)
{
    for (size_t i = 0; i < synonyms->count; i++) {
        if (i > 0)
            buf_printf(out, ", %.*s", STR_ARG(synonyms->at[i]));
        else
            push_part(out, "also called ", synonyms->at[i]);
    }
}

static struct str comment_of_table(struct semantic *semantic, const struct semantic_table *table)
{
    struct buf out;
    buf_init(&out, COMMENT_BYTES);
    push_part(&out, "", table->label);
    push_synonyms(&out, &table->synonyms);
    push_part(&out, "", table->description);
    push_part(&out, "one row is ", table->grain);
    push_part(&out, "its date is ", table->time);
    push_part(&out, "rows count only where ", table->rows.text);
    struct str text = arena_str(&semantic->arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

static struct str comment_of_column(struct semantic *semantic, const struct semantic_column *column)
{
    struct buf out;
    buf_init(&out, COMMENT_BYTES);
    push_part(&out, "", column->label);
    push_synonyms(&out, &column->synonyms);
    push_part(&out, "in ", column->unit);
    push_part(&out, "", column->description);
    struct str text = arena_str(&semantic->arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

const struct catalog_change *semantic_bind_changes(struct semantic *semantic, size_t *count)
{
    size_t most = 0;
    *count = 0;
    for (size_t i = 0; i < semantic->table_count; i++)
        most += 1 + semantic->tables[i].column_count;
    struct catalog_change *changes = arena_array(&semantic->arena, most + 1, sizeof *changes);
    for (size_t i = 0; changes != NULL && i < semantic->table_count; i++) {
        const struct semantic_table *table = &semantic->tables[i];
        changes[(*count)++] = (struct catalog_change){.table = table->name,
                                                      .comment = comment_of_table(semantic, table),
                                                      .pii = SEMANTIC_UNSAID,
                                                      .tenant = table->tenant};
        for (size_t c = 0; c < table->column_count; c++)
            changes[(*count)++] = (struct catalog_change){
                .table = table->name,
                .column = table->columns[c].name,
                .comment = comment_of_column(semantic, &table->columns[c]),
                .pii = table->columns[c].pii,
                .access = table->columns[c].access,
            };
    }
    return changes;
}

/* "schema.table.column": the column is behind the last dot. */
static struct str split_column(struct str dotted, struct str *table)
{
    size_t dot = dotted.len;
    while (dot > 0 && dotted.at[dot - 1] != '.')
        dot--;
    *table = str_slice(dotted, 0, dot > 0 ? dot - 1 : 0);
    return str_from(dotted, dot);
}

static void write_reference(const struct semantic_table *table,
                            const struct semantic_reference *reference, struct json_write *writer)
{
    struct str to_table, to_column = split_column(reference->to, &to_table);
    json_write_object(writer);
    json_write_member_str(writer, STR("from_table"), table->name);
    json_write_member_str(writer, STR("from_column"), reference->column);
    json_write_member_str(writer, STR("to_table"), to_table);
    json_write_member_str(writer, STR("to_column"), to_column);
    json_write_member_str(writer, STR("type"), STR("manual"));
    json_write_member_double(writer, STR("confidence"), 1.0);
    json_write_member_str(writer, STR("cardinality"), STR("N:1"));
    json_write_object_end(writer);
}

static void write_table(struct str name, bool lookup, struct json_write *writer)
{
    json_write_key(writer, name);
    json_write_object(writer);
    if (lookup)
        json_write_member_bool(writer, STR("lookup"), true);
    json_write_object_end(writer);
}

static struct str target_of(const struct semantic_reference *reference)
{
    struct str table;
    (void)split_column(reference->to, &table);
    return table;
}

/* Whether the file speaks of the table, or a reference before this one leads there. */
static bool is_known(const struct semantic *semantic, const struct semantic_reference *reference)
{
    struct str target = target_of(reference);
    for (size_t i = 0; i < semantic->table_count; i++)
        if (str_equal_nocase(semantic->tables[i].name, target))
            return true;
    for (size_t i = 0; i < semantic->table_count; i++)
        for (size_t r = 0; r < semantic->tables[i].reference_count; r++) {
            if (&semantic->tables[i].references[r] == reference)
                return false;
            if (str_equal_nocase(target_of(&semantic->tables[i].references[r]), target))
                return true;
        }
    return false;
}

/* A graph that lists tables lists all of them, also those that references only lead to. */
static void write_tables(const struct semantic *semantic, struct json_write *writer)
{
    for (size_t i = 0; i < semantic->table_count; i++) {
        const struct semantic_table *table = &semantic->tables[i];
        write_table(table->name, table->lookup == 1, writer);
        for (size_t r = 0; r < table->reference_count; r++)
            if (!is_known(semantic, &table->references[r]))
                write_table(target_of(&table->references[r]), false, writer);
    }
}

void semantic_bind_lookups(const struct semantic *semantic, struct buf *out)
{
    struct json_write writer;
    bool any = false;
    for (size_t i = 0; i < semantic->table_count; i++)
        any = any || semantic->tables[i].lookup == 1 || semantic->tables[i].reference_count > 0;
    if (!any)
        return;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("version"), 1);
    json_write_key(&writer, STR("tables"));
    json_write_object(&writer);
    write_tables(semantic, &writer);
    json_write_object_end(&writer);
    json_write_key(&writer, STR("relationships"));
    json_write_array(&writer);
    for (size_t i = 0; i < semantic->table_count; i++)
        for (size_t r = 0; r < semantic->tables[i].reference_count; r++)
            write_reference(&semantic->tables[i], &semantic->tables[i].references[r], &writer);
    json_write_array_end(&writer);
    json_write_object_end(&writer);
}

/* ---- names ---- */

static void say_unknown_table(struct binding *b, struct str pointer, struct str name)
{
    struct str near[1];
    const struct sql_visible sees = {b->policy, b->catalog};
    bool found = sql_visible_near_tables(sees, name, near, 1) > 0;
    semantic_report_add(b->report, pointer, "there is no table '%.*s'%s%.*s%s", STR_ARG(name),
                        found ? "; is '" : "; name one of the database's",
                        (int)(found ? near[0].len : 0), found ? near[0].at : "",
                        found ? "' meant?" : "");
}

/* The table, or CATALOG_NONE and a line at pointer. */
static int find_table(struct binding *b, struct str pointer, struct str name)
{
    int table = catalog_find_dotted(b->catalog, name);
    if (table != CATALOG_NONE &&
        sql_visible_table((struct sql_visible){b->policy, b->catalog}, table))
        return table;
    say_unknown_table(b, pointer, name);
    return CATALOG_NONE;
}

static int bind_column(struct binding *b, struct str pointer, int table, struct str name)
{
    const struct sql_visible sees = {b->policy, b->catalog};
    int column = catalog_find_column(b->catalog, table, name);
    if (column != CATALOG_NONE && sql_visible_column(sees, table, name))
        return column;
    struct str near = sql_visible_near_column(sees, table, name);
    struct str of = b->catalog->tables[table].name;
    if (str_is_empty(near))
        semantic_report_add(b->report, pointer, "%.*s has no column '%.*s'; name one it has",
                            STR_ARG(of), STR_ARG(name));
    else
        semantic_report_add(b->report, pointer, "%.*s has no column '%.*s'; is '%.*s' meant?",
                            STR_ARG(of), STR_ARG(name), STR_ARG(near));
    return CATALOG_NONE;
}

/* "/tables/NAME" and a step below it, such as "/time" or "/columns/" and more. */
static struct str pointer_of(struct binding *b, struct str table, const char *step, struct str more)
{
    return arena_printf(&b->semantic->arena, "/tables/%.*s%s%.*s", STR_ARG(table), step,
                        STR_ARG(more));
}

/* ---- expressions and statements ---- */

struct mark { /* where a column or the day stands in the statement judged */
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

/* Mark every column. Returns what is wrong, or NULL. */
static const char *mark_columns(struct shape *shape, const struct sql_parse *parse)
{
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

/* Whether the statement is more than the words around one expression. */
static bool is_more(const struct shape *shape, const struct sql_parse *parse,
                    const struct sql_expr *expr, bool is_metric)
{
    return expr == NULL || parse->select_items != 1 || parse->has_group_by || parse->has_order_by ||
           parse->limit.present || expr->span.end != shape->end + (is_metric ? 0 : 1);
}

/* Judge the parse of the statement, and mark its columns. Returns what is wrong, or NULL. */
static const char *check_shape(struct shape *shape, const struct sql_parse *parse, bool is_metric)
{
    const struct sql_branch *branch = parse->tree->branches;
    const struct sql_expr *expr = is_metric ? branch->items->expr : branch->where;
    if (parse->table_count != 1 || parse->has_subquery || parse->has_set_operation)
        return "it may read the columns of its own table only";
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].windowed)
            return "a window function has no place in it";
    if (is_more(shape, parse, expr, is_metric))
        return "it is more than one expression; write one, without FROM, WHERE or a comma";
    if (is_metric && branch->where != NULL)
        return "it is more than one expression; its condition belongs into \"filter\"";
    if (is_metric && (!parse->has_aggregate || !is_aggregate(parse, expr)))
        return "a metric is made of aggregates: SUM(x), not x";
    if (!is_metric && (parse->has_aggregate || branch->groups != NULL ||
                       expr->kind != SQL_EXPR_PARENS || expr->children->next != NULL))
        return "a filter is one condition on a row, without aggregates";
    return mark_columns(shape, parse);
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

/* Cut the expression at its marks (columns, the day): the text between marks, and the marks, become
 * pieces. */
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

/* Make named[i] usable, or say why it is not. */
static void bind_named(struct binding *b, size_t i)
{
    struct semantic_named *named = &b->semantic->named[i];
    const char *list = named->is_metric ? "metrics" : "filters";
    size_t place = named->is_metric ? i : i - b->semantic->metric_count;
    struct arena *arena = &b->semantic->arena;
    named->table =
        find_table(b, arena_printf(arena, "/%s/%zu/table", list, place), named->table_name);
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

static bool fill_null(void *owner, struct str name, struct buf *out, struct err *err)
{
    const struct json_value *properties = json_value_member(owner, STR("properties"));
    buf_push(out, STR("NULL"));
    if (str_equal(name, STR(SEMANTIC_PLACES_COMPANY)) ||
        str_equal(name, STR(SEMANTIC_PLACES_USER)) || json_value_member(properties, name) != NULL)
        return true;
    err_set(err, ERR_INVALID, "{%.*s} is no property of parameters",
            STR_ARG(str_utf8_prefix(name, 64)));
    return false;
}

/* The statement as it is judged: NULL for each place of a tool. Absent: a mistake, told,
 * or no memory. */
static struct str fill_places(struct binding *b, size_t i, struct arena *arena)
{
    const struct semantic_verified *verified = &b->semantic->verified[i];
    struct err err = {0};
    struct buf out;
    if (verified->name.len == 0)
        return verified->sql;
    const struct json_value *schema = json_value_parse(
        arena, verified->parameters.len > 0 ? verified->parameters : STR("{}"), NULL, &err);
    buf_init(&out, JUDGE_BYTES);
    struct str sql = {NULL, 0};
    if (schema != NULL && semantic_places_fill(verified->sql, fill_null, (void *)(uintptr_t)schema,
                                               &out, &err) == ERR_OK)
        sql = arena_str(arena, buf_str(&out));
    else
        semantic_report_add(b->report,
                            arena_printf(&b->semantic->arena, "/verified_queries/%zu/sql", i), "%s",
                            err.text);
    buf_fini(&out);
    return sql;
}

static void bind_verified(struct binding *b, size_t i)
{
    struct semantic_verified *verified = &b->semantic->verified[i];
    struct sql_verdict verdict = {0};
    struct arena arena;
    arena_init(&arena, JUDGE_BYTES);
    struct str sql = fill_places(b, i, &arena);
    if (str_is_absent(sql)) {
        arena_fini(&arena);
        return;
    }
    sql_policy_judge(b->policy, b->dialect, sql, b->catalog, (struct sql_tenant){false}, &arena,
                     &verdict);
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
        verified->callable = tables != NULL && verified->name.len > 0;
        verified->usable = tables != NULL && str_equal(sql, verified->sql);
    }
    arena_fini(&arena);
}

/* ---- all of it ---- */

static bool is_date(const struct binding *b, int table, int column)
{
    enum catalog_type type = b->catalog->tables[table].columns[column].type;
    return type == CATALOG_DATE || type == CATALOG_TIMESTAMP || type == CATALOG_TEXT ||
           type == CATALOG_UNKNOWN;
}

/* Whether rows of table have one row each of the other, by a reference. */
static bool refers(const struct catalog *catalog, int table, int to)
{
    const struct catalog_table *t = &catalog->tables[table];
    for (size_t r = 0; r < t->reference_count; r++)
        if (t->references[r].to_table == to)
            return true;
    return false;
}

/* The default date: of the table itself, or of one that its rows refer to. */
static void bind_time(struct binding *b, struct semantic_table *table)
{
    struct str pointer = pointer_of(b, table->name, "/time", STR("")), of;
    if (table->time.len == 0)
        return;
    struct str column = split_column(table->time, &of);
    table->time_table = of.len == 0 ? table->table : find_table(b, pointer, of);
    if (table->time_table == CATALOG_NONE)
        return;
    table->time_column = bind_column(b, pointer, table->time_table, column);
    if (table->time_column == CATALOG_NONE)
        return;
    bool reached =
        table->time_table == table->table || refers(b->catalog, table->table, table->time_table);
    if (reached && is_date(b, table->time_table, table->time_column))
        return;
    semantic_report_add(b->report, pointer,
                        reached ? "'%.*s' holds no dates; name a column that does"
                                : "rows of this table do not refer to that of '%.*s'; name a "
                                  "column of this one, or add the reference to \"references\"",
                        STR_ARG(table->time));
    table->time_column = CATALOG_NONE;
}

static void bind_references(struct binding *b, struct semantic_table *table)
{
    for (size_t i = 0; i < table->reference_count; i++) {
        const struct semantic_reference *reference = &table->references[i];
        struct str pointer = pointer_of(b, table->name, "/references/", reference->column), of;
        struct str column = split_column(reference->to, &of);
        int to = find_table(b, pointer, of);
        (void)bind_column(b, pointer, table->table, reference->column);
        if (to != CATALOG_NONE)
            (void)bind_column(b, pointer, to, column);
    }
}

static void bind_table(struct binding *b, struct semantic_table *table)
{
    const struct str name = table->name;
    table->table = find_table(b, pointer_of(b, name, "", STR("")), name);
    if (table->table == CATALOG_NONE)
        return;
    bind_time(b, table);
    bind_references(b, table);
    if (table->rows.text.len > 0)
        (void)bind_expression(b, pointer_of(b, name, "/rows", STR("")), table->table, false,
                              &table->rows, NULL);
    if (table->tenant.len > 0)
        (void)bind_column(b, pointer_of(b, name, "/tenant", STR("")), table->table, table->tenant);
    for (size_t i = 0; i < table->label_columns.count; i++) {
        struct str at = pointer_of(b, name, "/label_columns", STR(""));
        int column = bind_column(b, at, table->table, table->label_columns.at[i]);
        if (column != CATALOG_NONE)
            table->labels[table->label_count++] = column;
    }
    for (size_t i = 0; i < table->column_count; i++)
        table->columns[i].column =
            bind_column(b, pointer_of(b, name, "/columns/", table->columns[i].name), table->table,
                        table->columns[i].name);
}

static void bind_term(struct binding *b, size_t i)
{
    struct semantic_term *term = &b->semantic->terms[i];
    if (term->table_name.len == 0)
        return;
    term->table = find_table(b, arena_printf(&b->semantic->arena, "/glossary/%zu/table", i),
                             term->table_name);
    if (term->table != CATALOG_NONE)
        term->column = bind_column(b, arena_printf(&b->semantic->arena, "/glossary/%zu/column", i),
                                   term->table, term->column_name);
    if (term->column == CATALOG_NONE)
        term->table = CATALOG_NONE;
}

void semantic_bind_catalog(struct semantic *semantic, const struct catalog *catalog,
                           const struct sql_policy *policy, enum sql_dialect dialect,
                           struct semantic_report *report)
{
    struct binding b = {semantic, catalog, policy, dialect, report};
    for (size_t i = 0; i < semantic->table_count; i++)
        bind_table(&b, &semantic->tables[i]);
    for (size_t i = 0; i < semantic->named_count; i++)
        bind_named(&b, i);
    for (size_t i = 0; i < semantic->term_count; i++)
        bind_term(&b, i);
    for (size_t i = 0; i < semantic->verified_count; i++)
        bind_verified(&b, i);
}

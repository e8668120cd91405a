/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_rows.c - samples of rows, one statement at a time.
 *
 * Happy path: each reference that names suggest is held against SAMPLE values of its column; then,
 * where the engine has no type for dates (SQLite), the texts of each table are looked at; what is
 * clear is added to the catalog.
 * Failure: a statement that is refused or takes too long leaves what it asked about as it is; after
 * TOTAL_MS nothing more is asked; no memory or a cancel ends it with that. */
#include "agents/sql/catalog/introspect_rows.h"

#include "agents/sql/catalog/implied.h"
#include "agents/sql/catalog/quote.h"
#include "core/base/mem.h"

enum {
    CANDIDATES = 1000,
    SAMPLE = 1000,
    TEXTS = 40, /* columns looked at in one statement */
    STATEMENT_BYTES = 32 << 10,
    STATEMENT_MS = 1000,
    TOTAL_MS = 10 * 1000,
};

struct looking { /* what introspect_rows.impl points at */
    struct introspect_rows *rows;
    struct sql *sql;
    struct catalog *catalog;
    struct implied_reference *found;
    size_t count, next;   /* of found */
    size_t table, column; /* the next text to look at */
    int texts[TEXTS];     /* columns of the table asked about */
    size_t text_count;
    enum catalog_type *shows; /* by table and column, one after the other; NULL: no dates wanted */
    size_t *first;            /* of each table in shows */
    struct sql_query query;
    struct sql_statement statement;
    struct buf text;
    uint64_t began_ms;
};

static void cancel(struct op *op)
{
    struct looking *l = container_of(op, struct introspect_rows, op)->impl;
    if (l != NULL)
        op_cancel(&l->query.op);
}

static const struct op_kind kind = {.name = "sql.introspect_rows", .cancel = cancel};

static void finish(struct looking *l, const struct err *err)
{
    struct introspect_rows *rows = l->rows;
    struct err result = *err;
    op_release(&l->query.op);
    buf_fini(&l->text);
    mem_free(l->found);
    mem_free(l->shows);
    mem_free(l->first);
    mem_free(l);
    rows->impl = NULL;
    op_finish_err(&rows->op, &result);
}

static bool is_late(const struct looking *l)
{
    return loop_now_ms(l->sql->loop) - l->began_ms >= TOTAL_MS;
}

static void ask(struct looking *l, op_fn *done)
{
    l->statement = (struct sql_statement){.text = buf_str(&l->text), .timeout_ms = STATEMENT_MS};
    sql_query_start(&l->query, l->sql, &l->statement, (struct op_waiter){done, l, NULL, NULL});
}

/* ---- references ---- */

static void push_name(struct looking *l, int table, int column)
{
    sql_quote_name(l->sql->dialect, l->catalog->tables[table].columns[column].name, &l->text);
}

/* How many of a sample's values there are, and how many of them are keys of the other table. */
static void push_contained(struct looking *l, const struct implied_reference *ref)
{
    buf_push(&l->text, STR("SELECT count(*), count(p."));
    push_name(l, ref->to_table, ref->to_column);
    buf_push(&l->text, STR(") FROM (SELECT "));
    push_name(l, ref->table, ref->column);
    buf_push(&l->text, STR(" AS v FROM "));
    sql_quote_table(l->sql->dialect, &l->catalog->tables[ref->table], &l->text);
    buf_push(&l->text, STR(" WHERE "));
    push_name(l, ref->table, ref->column);
    buf_printf(&l->text, " IS NOT NULL LIMIT %d) AS c LEFT JOIN ", SAMPLE);
    sql_quote_table(l->sql->dialect, &l->catalog->tables[ref->to_table], &l->text);
    buf_push(&l->text, STR(" AS p ON p."));
    push_name(l, ref->to_table, ref->to_column);
    buf_push(&l->text, STR(" = c.v"));
}

static void judge(struct implied_reference *ref, const struct sql_result *result)
{
    bool read = result->row_count == 1 && result->column_count == 2 &&
                result->values[0].type == SQL_INT && result->values[1].type == SQL_INT;
    int64_t values = read ? result->values[0].integer : 0;
    if (values == 0)
        ref->percent = ref->needs_rows ? 0 : ref->percent + IMPLIED_UNSEEN;
    else if (result->values[1].integer == values)
        ref->percent += IMPLIED_CONTAINED;
    else
        ref->percent = 0;
}

static void ask_references(struct looking *l);
static void ask_texts(struct looking *l);

static void on_contained(struct op *op)
{
    struct looking *l = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_CANCELLED) {
        finish(l, &err);
        return;
    }
    judge(&l->found[l->next], &l->query.result);
    l->next++;
    op_release(op);
    ask_references(l);
}

static void ask_references(struct looking *l)
{
    struct err err = {0};
    for (; l->next < l->count && is_late(l); l->next++)
        judge(&l->found[l->next], &(struct sql_result){0});
    if (l->next < l->count) {
        buf_clear(&l->text);
        push_contained(l, &l->found[l->next]);
        ask(l, on_contained);
        return;
    }
    err.code = implied_add(l->catalog, l->found, l->count, &err);
    if (err.code != ERR_OK)
        finish(l, &err);
    else
        ask_texts(l);
}

/* ---- dates that are texts ---- */

static bool is_text(const struct catalog_column *column)
{
    return !column->hidden && (column->type == CATALOG_TEXT || column->type == CATALOG_UNKNOWN);
}

static void push_text(struct looking *l, int column)
{
    static const char day[] = "'[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]";
    buf_push(&l->text, l->text_count == 0 ? STR("SELECT count(") : STR(", count("));
    push_name(l, (int)l->table, column);
    buf_push(&l->text, STR("), sum("));
    push_name(l, (int)l->table, column);
    buf_printf(&l->text, " GLOB %s'), sum(", day);
    push_name(l, (int)l->table, column);
    buf_printf(&l->text, " GLOB %s[ T][0-2][0-9]:*')", day);
    l->texts[l->text_count++] = column;
}

static void keep_dates(struct looking *l)
{
    const struct sql_result *result = &l->query.result;
    for (size_t i = 0; i < l->text_count && result->row_count == 1; i++) {
        const struct sql_value *values = &result->values[3 * i];
        int64_t all = values[0].integer;
        enum catalog_type *to = &l->shows[l->first[l->table] + (size_t)l->texts[i]];
        if (all > 0 && values[1].integer == all)
            *to = CATALOG_DATE;
        else if (all > 0 && values[1].integer + values[2].integer == all)
            *to = CATALOG_TIMESTAMP;
    }
}

static bool keep_shows(struct looking *l)
{
    struct catalog *catalog = l->catalog;
    struct catalog_table *tables =
        arena_array(&catalog->arena, catalog->table_count + 1, sizeof *tables);
    for (size_t t = 0; tables != NULL && t < catalog->table_count; t++) {
        tables[t] = catalog->tables[t];
        struct catalog_column *columns =
            arena_array(&catalog->arena, tables[t].column_count + 1, sizeof *columns);
        if (columns == NULL)
            return false;
        for (size_t c = 0; c < tables[t].column_count; c++) {
            columns[c] = tables[t].columns[c];
            columns[c].shows = l->shows[l->first[t] + c];
        }
        tables[t].columns = columns;
    }
    if (tables != NULL)
        catalog->tables = tables;
    return tables != NULL;
}

static void on_texts(struct op *op)
{
    struct looking *l = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_CANCELLED) {
        finish(l, &err);
        return;
    }
    if (err.code == ERR_OK)
        keep_dates(l);
    op_release(op);
    ask_texts(l);
}

/* The next texts of one table into the statement. False: there are no more. */
static bool gather_texts(struct looking *l)
{
    buf_clear(&l->text);
    l->text_count = 0;
    for (; l->table < l->catalog->table_count; l->table++, l->column = 0) {
        const struct catalog_table *table = &l->catalog->tables[l->table];
        for (; !table->is_view && l->column < table->column_count && l->text_count < TEXTS;
             l->column++)
            if (is_text(&table->columns[l->column]))
                push_text(l, (int)l->column);
        if (l->text_count > 0)
            return true;
    }
    return false;
}

static void ask_texts(struct looking *l)
{
    struct err err = {0};
    if (l->shows != NULL && !is_late(l) && gather_texts(l)) {
        buf_push(&l->text, STR(" FROM (SELECT * FROM "));
        sql_quote_table(l->sql->dialect, &l->catalog->tables[l->table], &l->text);
        buf_printf(&l->text, " LIMIT %d) AS sample", SAMPLE);
        ask(l, on_texts);
        return;
    }
    if (l->shows != NULL && !keep_shows(l))
        err.code = err_set(&err, ERR_NO_MEMORY, "no memory for the catalog");
    finish(l, &err);
}

/* ---- beginning ---- */

static bool prepare(struct looking *l)
{
    size_t columns = 0;
    l->found = mem_zalloc(CANDIDATES, sizeof *l->found);
    if (l->found == NULL)
        return false;
    l->count = implied_find(l->catalog, l->found, CANDIDATES);
    if (l->sql->dialect != SQL_SQLITE)
        return true;
    l->first = mem_zalloc(l->catalog->table_count + 1, sizeof *l->first);
    for (size_t t = 0; l->first != NULL && t < l->catalog->table_count; t++) {
        l->first[t] = columns;
        columns += l->catalog->tables[t].column_count;
    }
    l->shows = l->first == NULL ? NULL : mem_zalloc(columns + 1, sizeof *l->shows);
    return l->shows != NULL;
}

void introspect_rows_start(struct introspect_rows *rows, struct sql *sql, struct catalog *catalog,
                           struct op_waiter waiter)
{
    rows->impl = NULL;
    op_begin(&rows->op, &kind, sql->loop, waiter);
    struct looking *l = mem_zalloc(1, sizeof *l);
    const struct err spent = {.code = ERR_NO_MEMORY, .text = "no memory for the catalog"};
    if (l == NULL) {
        op_finish_err(&rows->op, &spent);
        return;
    }
    rows->impl = l;
    l->rows = rows;
    l->sql = sql;
    l->catalog = catalog;
    l->began_ms = loop_now_ms(sql->loop);
    buf_init(&l->text, STATEMENT_BYTES);
    if (prepare(l))
        ask_references(l);
    else
        finish(l, &spent);
}

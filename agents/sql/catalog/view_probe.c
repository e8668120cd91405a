/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/view_probe.c - per view: whose row is there, then the same rows in table and
 * view.
 *
 * Happy path: one company is read from the table, where it has such a column; then up to SAMPLE
 * rows of the table are joined with the view by the primary key, and for each column the values
 * that are there are counted on both sides. Where the role may not read the column of the table
 * (as docs/secure-views.md advises), every row is taken to have a value.
 * Failure paths: a statement that ends badly is a warning with the engine's sentence, and the next
 * view's turn; a cancelled one ends the probe; so does missing memory. */
#include "agents/sql/catalog/view_probe.h"

#include <stdio.h>

#include "agents/sql/catalog/quote.h"
#include "core/base/mem.h"

enum {
    SAMPLE = 100,
    MAX_COLUMNS = 100,
    STATEMENT_BYTES = 64 * 1024,
    WARNING_BYTES = 64 * 1024,
    VALUE_BYTES = 4096,
    COMPANY_BYTES = 256,
    STATEMENT_MS = 2000,
    TOTAL_MS = 20000,
    /* A wrong key passes the padding's test once in 256: it is wrong below a tenth; or a fiftieth,
     * where the column may be empty by right. */
    LEAST_SHARE = 10,
    LEAST_SHARE_UNSEEN = 50
};

struct probing {
    struct view_probe *probe;
    struct sql *sql;
    const struct catalog *catalog;
    struct sql_variable *variables; /* room for one more: the company */
    size_t variable_count;
    struct sql_query query;
    struct sql_statement statement;
    struct buf text;
    uint64_t began_ms;
    size_t table;                               /* the one whose view is probed */
    int columns[MAX_COLUMNS], own[MAX_COLUMNS]; /* of the view; of the table, or CATALOG_NONE */
    size_t column_count;
    char company[COMPANY_BYTES];
};

static op_fn on_company, on_counts; /* in running order */

static void cancel(struct op *op)
{
    struct view_probe *probe = container_of(op, struct view_probe, op);
    struct probing *p = probe->impl;
    if (p != NULL)
        op_cancel(&p->query.op);
}

static const struct op_kind kind = {.name = "sql.view_probe", .cancel = cancel};

/* The only end. */
static void finish(struct probing *p, enum err_code code)
{
    struct view_probe *probe = p->probe;
    probe->impl = NULL;
    buf_fini(&p->text);
    mem_free(p->variables);
    mem_free(p);
    op_finish(&probe->op, code, "%s", code == ERR_OK ? "" : "the secure views were not probed");
}

/* ---- statements ---- */

static void push_name(struct probing *p, struct str name)
{
    sql_quote_name(p->sql->dialect, name, &p->text);
}

static const struct catalog_table *table_of(const struct probing *p)
{
    return &p->catalog->tables[p->table];
}

static const struct catalog_table *view_of(const struct probing *p)
{
    return &p->catalog->tables[table_of(p)->secure_view];
}

static void start(struct probing *p, op_fn *done)
{
    p->statement = (struct sql_statement){
        .text = buf_str(&p->text),
        .variables = p->variables,
        .variable_count = p->variable_count + (p->company[0] != '\0'),
        .max_rows = 1,
        .max_bytes = VALUE_BYTES,
        .timeout_ms = STATEMENT_MS,
    };
    sql_query_start(&p->query, p->sql, &p->statement, (struct op_waiter){done, p, NULL});
}

static void start_company(struct probing *p)
{
    const struct catalog_table *table = table_of(p);
    struct str column = table->columns[table->tenant_column].name;
    buf_clear(&p->text);
    buf_push(&p->text, STR("SELECT "));
    push_name(p, column);
    buf_push(&p->text, STR(" FROM "));
    sql_quote_table(p->sql->dialect, table, &p->text);
    buf_push(&p->text, STR(" WHERE "));
    push_name(p, column);
    buf_push(&p->text, STR(" IS NOT NULL LIMIT 1"));
    start(p, on_company);
}

/* SELECT COUNT(*), COUNT(b.x), COUNT(v.x), ... FROM (a few rows of the table) b JOIN view v. */
static void write_counts(struct probing *p)
{
    const struct catalog_table *table = table_of(p), *view = view_of(p);
    buf_clear(&p->text);
    buf_push(&p->text, STR("SELECT COUNT(*)"));
    for (size_t i = 0; i < p->column_count; i++) {
        buf_push(&p->text,
                 p->own[i] == CATALOG_NONE ? STR(", COUNT(*), COUNT(v.") : STR(", COUNT(b."));
        if (p->own[i] != CATALOG_NONE) {
            push_name(p, table->columns[p->own[i]].name);
            buf_push(&p->text, STR("), COUNT(v."));
        }
        push_name(p, view->columns[p->columns[i]].name);
        buf_push_char(&p->text, ')');
    }
    buf_push(&p->text, STR(" FROM (SELECT "));
    for (size_t i = 0, listed = 0; i < table->column_count; i++) {
        if (table->columns[i].unreadable)
            continue;
        if (listed++ > 0)
            buf_push(&p->text, STR(", "));
        push_name(p, table->columns[i].name);
    }
    buf_push(&p->text, STR(" FROM "));
    sql_quote_table(p->sql->dialect, table, &p->text);
    buf_printf(&p->text, " LIMIT %d) b JOIN ", SAMPLE);
    sql_quote_table(p->sql->dialect, view, &p->text);
    buf_push(&p->text, STR(" v ON "));
    for (size_t i = 0, keys = 0; i < table->column_count; i++) {
        if (!table->columns[i].primary_key)
            continue;
        buf_push(&p->text, keys++ > 0 ? STR(" AND b.") : STR("b."));
        push_name(p, table->columns[i].name);
        buf_push(&p->text, STR(" = v."));
        push_name(p, table->columns[i].name);
    }
}

/* ---- one view after the other ---- */

/* The columns worth counting; false: there are none, or no key to join by. */
static bool choose_columns(struct probing *p)
{
    const struct catalog_table *table = table_of(p), *view = view_of(p);
    bool has_key = false;
    for (size_t i = 0; i < table->column_count; i++) {
        if (!table->columns[i].primary_key)
            continue;
        has_key = true;
        if (table->columns[i].unreadable)
            return false;
        if (catalog_find_column(p->catalog, table->secure_view, table->columns[i].name) ==
            CATALOG_NONE)
            return false;
    }
    p->column_count = 0;
    for (size_t i = 0; i < view->column_count && p->column_count < MAX_COLUMNS; i++) {
        int own = catalog_find_column(p->catalog, (int)p->table, view->columns[i].name);
        if (own != CATALOG_NONE && table->columns[own].unreadable)
            own = CATALOG_NONE;
        if (view->columns[i].unreadable)
            continue;
        if (own != CATALOG_NONE && table->columns[own].primary_key)
            continue;
        p->columns[p->column_count] = (int)i;
        p->own[p->column_count++] = own;
    }
    return has_key && p->column_count > 0;
}

static void start_counts(struct probing *p)
{
    write_counts(p);
    if (buf_ok(&p->text))
        start(p, on_counts);
    else
        finish(p, ERR_NO_MEMORY);
}

static bool has_readable_company(const struct catalog_table *table)
{
    return table->tenant_column != CATALOG_NONE && !table->columns[table->tenant_column].unreadable;
}

static void probe_next(struct probing *p)
{
    struct str name;
    for (; p->table < p->catalog->table_count; p->table++) {
        if (table_of(p)->secure_view == CATALOG_NONE || !choose_columns(p))
            continue;
        if (loop_now_ms(p->sql->loop) - p->began_ms >= TOTAL_MS) {
            name = view_of(p)->name;
            buf_printf(&p->probe->warnings,
                       "view %.*s and those after it were not probed: it took too long\n",
                       STR_ARG(name));
            break;
        }
        p->company[0] = '\0';
        if (has_readable_company(table_of(p)))
            start_company(p);
        else
            start_counts(p);
        return;
    }
    finish(p, ERR_OK);
}

/* Whether the statement went well; if not, that is said, and the probe goes on or ends. */
static bool is_answered(struct probing *p)
{
    struct err err = p->query.op.err;
    if (err.code == ERR_OK && p->query.result.row_count <= 1)
        return true;
    op_release(&p->query.op);
    if (err.code == ERR_CANCELLED || err.code == ERR_NO_MEMORY) {
        finish(p, err.code);
        return false;
    }
    buf_printf(&p->probe->warnings, "view %.*s was not probed: %s\n", STR_ARG(view_of(p)->name),
               err.text);
    p->table++;
    probe_next(p);
    return false;
}

static void on_company(struct op *op)
{
    struct probing *p = op_owner(op);
    if (!is_answered(p))
        return;
    if (p->query.result.row_count == 1) {
        const struct sql_value *value = sql_result_at(&p->query.result, 0, 0);
        if (value->type == SQL_INT)
            snprintf(p->company, sizeof p->company, "%lld", (long long)value->integer);
        else
            snprintf(p->company, sizeof p->company, "%.*s", STR_ARG(value->text));
    }
    op_release(op);
    p->variables[p->variable_count] = (struct sql_variable){STR("company_id"), str_of(p->company)};
    start_counts(p);
}

static int64_t count_at(const struct sql_result *result, size_t column)
{
    return sql_result_at(result, 0, column)->integer;
}

/* Name the columns that show nothing of what is there. */
static void judge(struct probing *p, const struct sql_result *result)
{
    const struct catalog_table *view = view_of(p);
    struct buf *out = &p->probe->warnings;
    size_t empty = 0;
    for (size_t i = 0; i < p->column_count; i++) {
        int64_t least_share = p->own[i] == CATALOG_NONE ? LEAST_SHARE_UNSEEN : LEAST_SHARE;
        if (count_at(result, 2 + 2 * i) * least_share >= count_at(result, 1 + 2 * i))
            continue;
        if (empty++ == 0)
            buf_printf(out,
                       "view %.*s shows only NULL in columns that hold more; is DB_ENCRYPT_KEY the "
                       "right key? columns: ",
                       STR_ARG(view->name));
        else
            buf_push(out, STR(", "));
        buf_push(out, view->columns[p->columns[i]].name);
    }
    if (empty > 0)
        buf_push_char(out, '\n');
}

static void on_counts(struct op *op)
{
    struct probing *p = op_owner(op);
    if (!is_answered(p))
        return;
    if (p->query.result.row_count == 1)
        judge(p, &p->query.result);
    op_release(op);
    p->table++;
    probe_next(p);
}

void view_probe_start(struct view_probe *probe, struct sql *sql, const struct catalog *catalog,
                      const struct sql_variable *variables, size_t variable_count,
                      struct op_waiter waiter)
{
    op_begin(&probe->op, &kind, sql->loop, waiter);
    buf_init(&probe->warnings, WARNING_BYTES);
    struct probing *p = mem_zalloc(1, sizeof *p);
    probe->impl = p;
    if (p != NULL)
        p->variables = mem_zalloc(variable_count + 1, sizeof *p->variables);
    if (p == NULL || p->variables == NULL) {
        probe->impl = NULL;
        mem_free(p);
        op_finish(&probe->op, ERR_NO_MEMORY, "no memory to probe the secure views");
        return;
    }
    p->probe = probe;
    p->sql = sql;
    p->catalog = catalog;
    for (size_t i = 0; i < variable_count; i++)
        p->variables[i] = variables[i];
    p->variable_count = variable_count;
    p->began_ms = loop_now_ms(sql->loop);
    buf_init(&p->text, STATEMENT_BYTES);
    probe_next(p);
}

/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect.c - a database is asked about itself, then its rows are counted.
 *
 * Happy path: tables, columns, keys and references are asked for at once, each in one statement for
 * the whole schema; then, when wanted, tables that are small or that the engine has no estimate of
 * are counted, COUNT_BATCH a statement, each up to COUNT_LIMIT rows; then the catalog is built, and
 * samples of rows are looked at (introspect_rows).
 * Failure paths:
 *  - a view that refers to what is gone makes SQLite's columns statement fail: it is asked again
 *    without views, and a mapped view is then among the missing ones;
 *  - checks cannot be asked for (MySQL before 8.0.16): nothing is known of them;
 *  - counting is refused (a broken view): the batch is counted one by one, and what is refused
 *    stays as the engine estimated; counting takes too long: all that is not counted yet
 *    stays estimated, too;
 *  - more than MAX_ROWS answers: ERR_TOO_LARGE; anything else: the statement's own error.
 * Every way out passes finish(), which frees what was gathered. */
#include "agents/sql/catalog/introspect.h"

#include "agents/sql/catalog/introspect_internal.h"
#include "agents/sql/catalog/introspect_rows.h"
#include "agents/sql/catalog/quote.h"
#include "core/base/mem.h"

enum {
    MAX_ROWS = 200 * 1000, /* columns of the largest schema served */
    MAX_BYTES = 64 << 20,
    COUNT_BATCH = 64,
    COUNT_LIMIT = 100 * 1000, /* "at least so many": enough to tell large from small */
    COUNT_BELOW = 1000,       /* an estimate over this is good enough */
    COUNT_SQL_BYTES = 256 << 10,
    COUNT_MS = 10 * 1000,
};

struct gathering { /* what introspect.impl points at */
    struct introspect *introspect;
    struct sql *sql;
    const struct introspect_options *options;
    struct sql_query asks[INTROSPECT_ANSWERS];
    struct sql_statement statements[INTROSPECT_ANSWERS];
    struct sql_query count;
    struct introspect_rows rows;
    struct sql_statement count_statement;
    struct buf count_sql;
    struct list queries; /* all of the above, until released */
    size_t pending;
    bool without_views;
    struct err err; /* the first that went wrong */
    struct introspect_world world;
    size_t next;                  /* table to be counted */
    size_t single_until;          /* tables before it are counted one by one */
    size_t counting[COUNT_BATCH]; /* tables in the statement */
    size_t counting_count;
};

static void cancel_introspect(struct op *op)
{
    struct gathering *g = container_of(op, struct introspect, op)->impl;
    if (g != NULL)
        op_group_cancel(&g->queries);
}

static const struct op_kind introspect_kind = {.name = "sql.introspect",
                                               .cancel = cancel_introspect};

static void finish(struct gathering *g, const struct err *err)
{
    struct introspect *introspect = g->introspect;
    struct err result = *err;
    op_group_release(&g->queries);
    buf_fini(&g->count_sql);
    introspect_world_fini(&g->world);
    mem_free(g);
    introspect->impl = NULL;
    op_finish_err(&introspect->op, &result);
}

/* The end of the last step: a catalog that was cancelled meanwhile is not handed out. */
static void on_rows(struct op *op)
{
    struct gathering *g = op_owner(op);
    struct err err = op->err;
    if (err.code != ERR_OK) {
        catalog_destroy(g->introspect->catalog);
        g->introspect->catalog = NULL;
    }
    finish(g, &err);
}

static void finish_built(struct gathering *g)
{
    struct err err = {0};
    err.code = introspect_world_build(&g->world, g->options, &g->introspect->catalog, &err);
    if (err.code == ERR_OK && g->options->count_rows)
        introspect_rows_start(&g->rows, g->sql, g->introspect->catalog,
                              (struct op_waiter){on_rows, g, &g->queries, NULL});
    else
        finish(g, &err);
}

/* ---- counting ---- */

static void push_count(struct gathering *g, const struct introspect_found *table)
{
    enum sql_dialect dialect = g->sql->dialect;
    buf_push(&g->count_sql, g->counting_count == 0 ? STR("SELECT ") : STR(", "));
    buf_push(&g->count_sql, STR("(SELECT count(*) FROM (SELECT 1 FROM "));
    if (g->world.dialect->home_in_counts) {
        sql_quote_name(dialect, table->home, &g->count_sql);
        buf_push_char(&g->count_sql, '.');
    }
    sql_quote_name(dialect, table->name, &g->count_sql);
    buf_printf(&g->count_sql, " LIMIT %d) AS counted)", COUNT_LIMIT);
}

static bool needs_count(const struct introspect_found *table)
{
    return table->may_count && table->row_count < COUNT_BELOW;
}

static op_fn on_counted;

static void ask_counts(struct gathering *g)
{
    buf_clear(&g->count_sql);
    g->counting_count = 0;
    for (; g->options->count_rows && g->next < g->world.table_count; g->next++) {
        size_t most = g->next < g->single_until ? 1 : COUNT_BATCH;
        if (g->counting_count >= most)
            break;
        if (!needs_count(&g->world.tables[g->next]))
            continue;
        push_count(g, &g->world.tables[g->next]);
        g->counting[g->counting_count++] = g->next;
    }
    if (g->counting_count == 0 || !buf_ok(&g->count_sql)) {
        finish_built(g); /* in want of room counts stay as estimated */
        return;
    }
    g->count_statement =
        (struct sql_statement){.text = buf_str(&g->count_sql), .timeout_ms = COUNT_MS};
    sql_query_start(&g->count, g->sql, &g->count_statement,
                    (struct op_waiter){on_counted, g, &g->queries});
}

static void keep_counts(struct gathering *g)
{
    const struct sql_result *result = &g->count.result;
    for (size_t i = 0; i < g->counting_count && i < result->column_count; i++) {
        const struct sql_value *value = &result->values[i];
        int64_t *rows = &g->world.tables[g->counting[i]].row_count;
        /* Row security may hide rows that the engine's estimate knows of. */
        if (result->row_count == 1 && value->type == SQL_INT && value->integer > *rows)
            *rows = value->integer;
    }
}

static void on_counted(struct op *op)
{
    struct gathering *g = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_CANCELLED) {
        finish(g, &err);
        return;
    }
    if (err.code == ERR_OK) {
        keep_counts(g);
    } else if (err.code != ERR_REJECTED) {
        finish_built(g);
        return;
    } else if (g->counting_count > 1) {
        g->single_until = g->next;
        g->next = g->counting[0];
    }
    op_release(op);
    ask_counts(g);
}

/* ---- asking ---- */

static enum err_code gather(struct gathering *g, struct err *err)
{
    for (size_t i = 0; i < INTROSPECT_ANSWERS; i++) {
        if (g->asks[i].result.truncated)
            return err_set(err, ERR_TOO_LARGE,
                           "the schema has more than %d columns, keys or functions", MAX_ROWS);
        g->world.answers[i] = &g->asks[i].result;
    }
    return introspect_world_gather(&g->world, err);
}

static void ask(struct gathering *g, size_t i, const char *sql);

static void on_answer(struct op *op)
{
    struct gathering *g = op_owner(op);
    const char *again = g->world.dialect->columns_without_views;
    struct err err = {0};
    g->pending--;
    if (op->err.code == ERR_REJECTED && op == &g->asks[INTROSPECT_COLUMNS].op &&
        !g->without_views && again != NULL) {
        g->without_views = true;
        op_release(op);
        ask(g, INTROSPECT_COLUMNS, again);
        return;
    }
    bool optional = op->err.code == ERR_REJECTED && op == &g->asks[INTROSPECT_CHECKS].op;
    if (op->err.code != ERR_OK && !optional && g->err.code == ERR_OK)
        g->err = op->err;
    if (g->pending > 0)
        return;
    if (g->err.code != ERR_OK) {
        finish(g, &g->err);
    } else if (gather(g, &err) != ERR_OK) {
        finish(g, &err);
    } else {
        ask_counts(g);
    }
}

static void ask(struct gathering *g, size_t i, const char *sql)
{
    g->statements[i] =
        (struct sql_statement){.text = str_of(sql), .max_rows = MAX_ROWS, .max_bytes = MAX_BYTES};
    g->pending++;
    sql_query_start(&g->asks[i], g->sql, &g->statements[i],
                    (struct op_waiter){on_answer, g, &g->queries});
}

static const struct introspect_dialect *dialect_of(const struct sql *sql)
{
    return sql->dialect == SQL_SQLITE     ? &introspect_sqlite
           : sql->dialect == SQL_POSTGRES ? &introspect_pg
                                          : &introspect_mysql;
}

void introspect_start(struct introspect *introspect, struct sql *sql,
                      const struct introspect_options *options, struct op_waiter waiter)
{
    introspect->catalog = NULL;
    introspect->impl = NULL;
    op_begin(&introspect->op, &introspect_kind, sql->loop, waiter);
    struct gathering *g = mem_zalloc(1, sizeof *g);
    if (g == NULL) {
        op_finish(&introspect->op, ERR_NO_MEMORY, "no memory for the catalog");
        return;
    }
    introspect->impl = g;
    g->introspect = introspect;
    g->sql = sql;
    g->options = options;
    g->world.dialect = dialect_of(sql);
    g->world.show_private = options->show_private;
    list_init(&g->queries);
    buf_init(&g->count_sql, COUNT_SQL_BYTES);
    for (size_t i = 0; i < INTROSPECT_ANSWERS; i++)
        if (g->world.dialect->ask[i] != NULL)
            ask(g, i, g->world.dialect->ask[i]);
}

/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_sql.c - finishes at once (which is the next turn), or when cancelled. */
#include "tests/lib/fake_sql.h"

#include <stdio.h>

static void on_cancel(struct op *op)
{
    struct sql_query *query = container_of(op, struct sql_query, op);
    struct fake_sql *fake = container_of(query->sql, struct fake_sql, sql);
    fake->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static const struct op_kind kind = {.name = "sql.fake", .cancel = on_cancel};

static const struct fake_answer *pick(const struct fake_sql *fake, struct str text)
{
    for (size_t i = 0; i < fake->script_count; i++)
        if (str_find(text, str_of(fake->script[i].piece)) != STR_NONE)
            return &fake->script[i];
    return NULL;
}

static void start(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    struct fake_sql *fake = container_of(sql, struct fake_sql, sql);
    const struct fake_answer *answer = pick(fake, query->statement->text);
    fake->calls++;
    snprintf(fake->last, sizeof fake->last, "%.*s", STR_ARG(query->statement->text));
    fake->tables_listed =
        query->statement->reads == NULL ? 0 : query->statement->reads->table_count;
    op_begin(&query->op, &kind, sql->loop, waiter);
    if (fake->stall) {
        fake->pending++;
        return;
    }
    if (answer == NULL || answer->failure != ERR_OK) {
        op_finish(&query->op, answer == NULL ? ERR_INTERNAL : answer->failure, "%s",
                  answer == NULL ? "not in the script" : answer->message);
        return;
    }
    struct fake_rows *rows = &fake->rows[fake->calls % countof(fake->rows)];
    CHECK(answer->row_count <= countof(rows->value));
    rows->column = str_of(answer->column);
    for (size_t i = 0; i < answer->row_count; i++)
        rows->value[i] = answer->text != NULL
                             ? (struct sql_value){.type = SQL_TEXT, .text = str_of(answer->text)}
                             : (struct sql_value){.type = SQL_INT, .integer = answer->value};
    query->result = (struct sql_result){
        .columns = &rows->column,
        .column_count = 1,
        .values = rows->value,
        .row_count = answer->row_count,
        .duration_us = 3000,
    };
    op_finish(&query->op, ERR_OK, "%s", "");
}

static enum err_code ready(struct sql *sql, struct err *err)
{
    (void)sql;
    (void)err;
    return ERR_OK;
}

static void close_sql(struct sql *sql, void (*on_closed)(void *owner), void *owner)
{
    (void)sql;
    on_closed(owner);
}

static const struct sql_vtable vtable = {"fake", start, ready, close_sql};

void fake_sql_init(struct fake_sql *fake, struct loop *loop, const struct fake_answer *script,
                   size_t count)
{
    *fake = (struct fake_sql){
        .sql = {&vtable, loop, SQL_SQLITE}, .script = script, .script_count = count};
}

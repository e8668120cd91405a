/* SPDX-License-Identifier: MIT */
/* agents/rows/rows_apart.c - two calls of rows.h, here or there.
 *
 * Happy path: a small result is written at once, a large one by a thread of the pool. Failure: no
 * memory; cancelled: the thread is waited for, since it reads the result. */
#include "agents/rows/rows_apart.h"

enum { SMALL_BYTES = 64 * 1024, CELL_BYTES = 16 }; /* a cell costs something, however short */

static bool is_small(const struct sql_result *result)
{
    size_t bytes = 0, cells = result->row_count * result->column_count;
    for (size_t i = 0; i < cells && bytes <= SMALL_BYTES; i++) {
        const struct sql_value *value = &result->values[i];
        bool is_text =
            value->type == SQL_TEXT || value->type == SQL_BLOB || value->type == SQL_DECIMAL;
        bytes += CELL_BYTES + (is_text ? value->text.len : 0);
    }
    return bytes <= SMALL_BYTES;
}

static void write_texts(struct rows_apart *apart)
{
    apart->told = rows_write(&apart->whole, apart->result, &apart->of_whole);
    rows_write_shown(&apart->shown, apart->result, &apart->told, &apart->withheld);
}

/* On a thread of the pool. */
static enum err_code write_there(struct work *work, struct err *err UNUSED)
{
    write_texts(work->arg);
    return ERR_OK;
}

static void on_written(struct op *op)
{
    struct rows_apart *apart = op_owner(op);
    if (op->err.code != ERR_OK)
        apart->whole.failed = apart->shown.failed = true;
    op_finish_err(&apart->op, &op->err);
}

static void cancel_writing(struct op *op)
{
    struct rows_apart *apart = container_of(op, struct rows_apart, op);
    if (op_is_pending(&apart->work.op)) /* else the end is on its way */
        op_cancel(&apart->work.op);
}

static void release_texts(struct op *op)
{
    struct rows_apart *apart = container_of(op, struct rows_apart, op);
    buf_fini(&apart->whole);
    buf_fini(&apart->shown);
}

static const struct op_kind kind = {
    .name = "sql.rows", .cancel = cancel_writing, .release = release_texts};

void rows_apart_start(struct rows_apart *apart, struct loop *loop, struct op_waiter waiter)
{
    op_begin(&apart->op, &kind, loop, waiter);
    buf_init(&apart->whole, apart->whole_limit);
    buf_init(&apart->shown, apart->shown_limit);
    if (is_small(apart->result)) {
        write_texts(apart);
        op_finish(&apart->op, ERR_OK, "%s", "");
        return;
    }
    work_start(&apart->work, loop, write_there, apart,
               (struct op_waiter){.done = on_written, .owner = apart});
}

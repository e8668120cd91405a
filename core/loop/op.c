/* SPDX-License-Identifier: MIT */
/* core/loop/op.c - the phases of an operation.
 *
 * Happy path: op_begin puts it in its group, op_finish queues one task, the task makes it idle and
 * calls done; op_release drops the result and leaves the group.
 * Failure: an operation that fails ends by the same road. Misuse (begun twice, finished twice,
 * released while pending) is a CHECK. */
#include "core/loop/op.h"

#include <stdarg.h>
#include <stdio.h>

void op_begin(struct op *op, const struct op_kind *kind, struct loop *loop, struct op_waiter waiter)
{
    CHECK(op->phase == OP_IDLE);
    CHECK(kind->cancel != NULL && waiter.done != NULL);
    op_release(op); /* used before, done, never released: its result goes now */
    op->err = (struct err){0};
    op->kind = kind;
    op->loop = loop;
    op->waiter = waiter;
    op->phase = OP_PENDING;
    op->cancel_asked = op->held = false;
    if (waiter.group != NULL)
        list_push(waiter.group, &op->group_link);
}

static void deliver(struct loop_task *task)
{
    struct op *op = container_of(task, struct op, finish_task);
    op->phase = OP_IDLE;
    op->waiter.done(op);
}

static void queue_delivery(struct op *op)
{
    CHECK(op->phase == OP_PENDING);
    op->phase = OP_FINISHING;
    loop_post(op->loop, &op->finish_task, deliver);
}

void op_finish(struct op *op, enum err_code code, const char *fmt, ...)
{
    char text[ERR_TEXT_BYTES]; /* the arguments may point into op->err */
    va_list args;
    if (code == ERR_OK) { /* the usual end says nothing */
        op->err = (struct err){0};
        queue_delivery(op);
        return;
    }
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    err_set(&op->err, code, "%s", text);
    queue_delivery(op);
}

void op_finish_err(struct op *op, const struct err *err)
{
    op->err = *err;
    queue_delivery(op);
}

void op_cancel(struct op *op)
{
    if (op->phase != OP_PENDING || op->cancel_asked)
        return;
    op->cancel_asked = true;
    op->kind->cancel(op);
}

void op_hold(struct op *op)
{
    if (op->held)
        return;
    op->held = true;
    if (op->phase == OP_PENDING && op->kind->hold != NULL)
        op->kind->hold(op);
}

void op_go(struct op *op)
{
    if (!op->held)
        return;
    op->held = false;
    if (op->phase == OP_PENDING && op->kind->go != NULL)
        op->kind->go(op);
}

void op_release(struct op *op)
{
    CHECK(op->phase == OP_IDLE);
    const struct op_kind *kind = op->kind;
    list_remove(&op->group_link);
    op->kind = NULL;
    if (kind != NULL && kind->release != NULL)
        kind->release(op);
}

static struct op *op_of(struct list *link)
{
    return list_item(link, struct op, group_link);
}

void op_group_cancel(struct list *group)
{
    LIST_EACH_SAFE(link, group)
        op_cancel(op_of(link));
}

void op_group_hold(struct list *group)
{
    LIST_EACH_SAFE(link, group)
        op_hold(op_of(link));
}

void op_group_go(struct list *group)
{
    LIST_EACH_SAFE(link, group)
        op_go(op_of(link));
}

void op_group_release(struct list *group)
{
    while (!list_is_empty(group))
        op_release(op_of(group->next));
}

size_t op_group_pending(const struct list *group)
{
    size_t count = 0;
    for (struct list *link = group->next; link != group && link != NULL; link = link->next)
        count += op_is_pending(op_of(link));
    return count;
}

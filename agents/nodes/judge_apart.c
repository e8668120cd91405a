/* SPDX-License-Identifier: MIT */
/* agents/nodes/judge_apart.c - memory of its own while the other thread reads, the run's
 * afterwards.
 *
 * Happy path: the text is copied into an arena of its own; a thread of the pool reads it; back on
 * the loop the run's arena takes that memory over, and the run's readings what was read.
 * Failure: no memory; cancelled: the thread is waited for, and what it read is dropped. */
#include "agents/nodes/judge_apart.h"

#include "agents/sql/grammar/lexer.h"

bool judge_apart_pays(struct node *node, const struct sql_reading_rules *rules, struct str text)
{
    return text.len > JUDGE_APART_BYTES && text.len <= SQL_LEXER_MAX_BYTES &&
           !sql_reading_is_judged(node_readings(node), rules, text);
}

/* On a thread of the pool. */
static enum err_code judge(struct work *work, struct err *err)
{
    struct judge_apart *apart = work->arg;
    const struct sql_verdict *verdict =
        sql_reading_judge(&apart->readings, &apart->rules, apart->text, &apart->arena);
    if (verdict->code == ERR_NO_MEMORY)
        return err_set(err, ERR_NO_MEMORY, "%s", verdict->err.text);
    return ERR_OK;
}

static void on_judged(struct op *op)
{
    struct judge_apart *apart = op_owner(op);
    if (op->err.code == ERR_OK) {
        arena_adopt(node_arena(apart->node), &apart->arena);
        sql_readings_add(node_readings(apart->node), &apart->readings);
    }
    op_finish_err(&apart->op, &op->err);
}

static void cancel_judging(struct op *op)
{
    op_cancel(&container_of(op, struct judge_apart, op)->work.op);
}

static void release_judging(struct op *op)
{
    arena_fini(&container_of(op, struct judge_apart, op)->arena);
}

static const struct op_kind kind = {
    .name = "sql.judge", .cancel = cancel_judging, .release = release_judging};

void judge_apart_start(struct judge_apart *apart, struct node *node,
                       const struct sql_reading_rules *rules, struct str text)
{
    const struct arena *run = node_arena(node);
    op_begin(&apart->op, &kind, node_loop(node),
             apart->waiter.done == NULL ? node_waiter(node) : apart->waiter);
    arena_init(&apart->arena, run->budget - run->used);
    apart->node = node;
    apart->readings = (struct sql_readings){.next = 0};
    apart->policy = *rules->policy;
    apart->rules = *rules;
    apart->rules.policy = &apart->policy;
    apart->text = arena_str(&apart->arena, text);
    if (str_is_absent(apart->text))
        op_finish(&apart->op, ERR_NO_MEMORY, "no memory to check the statement");
    else
        work_start(&apart->work, node_loop(node), judge, apart,
                   (struct op_waiter){.done = on_judged, .owner = apart});
}

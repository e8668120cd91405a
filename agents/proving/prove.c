/* SPDX-License-Identifier: MIT */
/* agents/proving/prove.c - one proof after the other.
 *
 * Happy path: a proof passes the guard, costs little, runs, and its rows are read. Failure: what
 * the guard, the limits or the database refuse settles nothing; a cancelled statement ends the
 * node. */
#include "agents/proving/prove.h"

#include <inttypes.h>
#include <stdio.h>

#include "agents/sql/parse/reads.h"

enum { PROOF_ROWS = 2, PROOF_MS = 2000, FIGURE_BYTES = 64 };

static node_fn weigh, settle; /* in running order */
static enum step try_next(struct node *node);

/* What the proof is sent with. False: the guard does not pass it, or there is no memory. */
static bool prepare(struct node *node, struct prove *f)
{
    const struct limits *limits = services(node)->limits;
    const struct sql_proof *proof = &f->at[f->next].proof;
    f->passed = f->judge(node, f->reads_figures ? proof->figures : proof->sql);
    if (f->passed->code != ERR_OK)
        return false;
    f->statement = (struct sql_statement){
        .text = f->passed->sql,
        .variables = f->variables,
        .variable_count = services_variables(node_session(node), f->variables),
        .max_rows = PROOF_ROWS,
        .max_bytes = limits->max_result_bytes,
        .timeout_ms = limits->sql_timeout_ms > 0 && limits->sql_timeout_ms < PROOF_MS
                          ? limits->sql_timeout_ms
                          : PROOF_MS,
        .asker = node_session(node),
    };
    if (knowledge(node)->dialect != SQL_SQLITE)
        return true;
    f->statement.reads = sql_reads_of(f->passed->sent, knowledge(node)->catalog, node_arena(node));
    return f->statement.reads != NULL;
}

static enum step run(struct node *node, struct prove *f)
{
    node_count_sql(node);
    op_release(&f->query.op);
    f->query = (struct sql_query){0};
    sql_query_start(&f->query, services(node)->sql, &f->statement, node_waiter(node));
    return node_settle(node, settle);
}

static enum step go_on(struct node *node, struct prove *f)
{
    f->next++;
    f->reads_figures = false;
    return try_next(node);
}

static enum step try_next(struct node *node)
{
    struct prove *f = node_frame(node);
    while (f->next < f->count && !prepare(node, f)) {
        f->next++;
        f->reads_figures = false;
    }
    if (f->next == f->count)
        return f->then(node);
    if (!sql_cost_matters(&f->cost, knowledge(node)->catalog, f->passed->sent))
        return run(node, f);
    explain_start(node, &f->explain, &f->statement, node_waiter(node));
    return node_settle(node, weigh);
}

static enum step weigh(struct node *node)
{
    struct prove *f = node_frame(node);
    enum err_code code = explain_judge(node, &f->explain, f->passed->sent, &f->cost);
    if (code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", explain_error(&f->explain));
    return code == ERR_OK ? run(node, f) : go_on(node, f);
}

/* The text of a number, to two places where it has more. Absent: it is none. */
static struct str number_of(struct node *node, const struct sql_value *value)
{
    double real;
    char text[FIGURE_BYTES];
    if (value->type == SQL_INT)
        return arena_printf(node_arena(node), "%" PRId64, value->integer);
    if (value->type == SQL_REAL)
        real = value->real;
    else if ((value->type != SQL_TEXT && value->type != SQL_DECIMAL) ||
             !str_to_double(value->text, &real))
        return (struct str){NULL, 0};
    int len = snprintf(text, sizeof text, "%.2f", real);
    while (len > 1 && len < FIGURE_BYTES && (text[len - 1] == '0' || text[len - 1] == '.'))
        if (text[--len] == '.')
            break;
    return arena_printf(node_arena(node), "%.*s", len, text);
}

static void read_figures(struct node *node, const struct sql_result *rows, struct proved *proved)
{
    if (rows->row_count != 1 || rows->column_count != 2)
        return;
    proved->figure = number_of(node, sql_result_at(rows, 0, 0));
    proved->once = number_of(node, sql_result_at(rows, 0, 1));
}

static enum step settle(struct node *node)
{
    struct prove *f = node_frame(node);
    struct proved *proved = &f->at[f->next];
    if (f->query.op.err.code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", &f->query.op.err);
    if (f->reads_figures) {
        if (f->query.op.err.code == ERR_OK)
            read_figures(node, &f->query.result, proved);
        return go_on(node, f);
    }
    proved->is_settled = f->query.op.err.code == ERR_OK;
    if (proved->is_settled)
        proved->is_proven = sql_proofs_hold(&proved->proof, &f->query.result, &proved->count);
    else
        LOG(node_log(node), INFO, "sql.not_proven", "code=%s", err_name(f->query.op.err.code));
    f->reads_figures = proved->is_proven && !str_is_empty(proved->proof.figures);
    return f->reads_figures ? try_next(node) : go_on(node, f);
}

enum step prove_start(struct node *node, const struct sql_doubts_source *source)
{
    struct prove *f = node_frame(node);
    struct sql_proof proofs[SQL_PROOFS_MOST];
    f->count = sql_proofs_make(source, proofs);
    for (size_t i = 0; i < f->count; i++)
        f->at[i] = (struct proved){.proof = proofs[i]};
    return try_next(node);
}

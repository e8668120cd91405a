/* SPDX-License-Identifier: MIT */
/* agents/tools/run_sql.c - the tool that runs a statement: past the guard,
 * with the caller's rows, within the limits of every statement.
 *
 * Happy path: the guard passes the statement; the database explains it where a limit, or whether a
 * person is asked, depends on that; it runs; the first rows go to the model, all of them to the
 * reader of the answer. Failure: what the guard, the limits or the database say against it is a
 * result, in words that carry no data; the model may write another statement. */
#include "agents/nodes/approve_sql.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/engine_words.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/notes.h"
#include "agents/proving/explain.h"
#include "agents/rows/rows_apart.h"
#include "agents/semantic_query/missed.h"
#include "agents/semantic_query/statement.h"
#include "agents/tools/guarded.h"
#include "agents/tools/run_sql.h"
#include "core/loop/backoff.h"
#include "core/loop/delay.h"
#include "proto/json_write.h"

#include <stdio.h>

/* A database that has no place now is asked again: a turn of the model costs more than a wait. */
enum { MOST_TRIES = 8, FIRST_WAIT_MS = 100, MOST_WAIT_MS = 5000 };
enum { TEXT_BYTES = 1 << 20, NAMES_BYTES = 16 * 1024 };

struct run_sql_call {
    struct tools_guarded guarded;
    struct explain explain;
    struct sql_query query;
    struct delay delay;
    struct rows_apart rows;
    unsigned tries;
};

static tool_fn judge, weigh, run, keep, tell; /* in running order */
static void hear_person(struct tool_call *call, const struct sql_cost *cost);

/* Whether a person may have to look at the statement. */
static bool may_ask(const struct tool_call *call)
{
    return call->tool->asks || approve_sql_is_on(services(call->node)->limits);
}

static bool needs_weighing(const struct tool_call *call)
{
    const struct run_sql_call *f = call->frame;
    const struct sql_cost_limits limits = tools_guarded_limits(call);
    return may_ask(call) ||
           sql_cost_matters(&limits, knowledge(call->node)->catalog, f->guarded.passed->sent);
}

void tools_run_sql_start(struct tool_call *call, struct str sql)
{
    struct run_sql_call *f = call->frame;
    struct err why;
    if (str_is_absent(sql))
        tools_call_fail(call, "There is no memory for the statement.");
    else if (semantic_query_problem(call->node, sql, &why))
        tools_call_fail(call, "%s", why.text);
    else
        tools_guarded_judge(call, &f->guarded, semantic_query_statement(call->node, sql), judge);
}

size_t tools_run_sql_frame_bytes(void)
{
    return sizeof(struct run_sql_call);
}

static void start(struct tool_call *call)
{
    tools_run_sql_start(call, tools_call_str(call, STR("sql")));
}

static void judge(struct tool_call *call)
{
    struct run_sql_call *f = call->frame;
    if (!tools_guarded_pass(call, &f->guarded))
        return;
    const struct err *before =
        sql_reading_failure(node_readings(call->node), f->guarded.statement.text);
    if (before != NULL) {
        tools_call_fail(call, "The same statement failed before: %s", before->text);
        return;
    }
    if (!needs_weighing(call)) {
        run(call);
        return;
    }
    explain_start(call->node, &f->explain, &f->guarded.statement, tools_call_waiter(call));
    tools_call_settle(call, weigh);
}

/* A plan that cannot be had or read is no reason: the statement itself will say what is wrong. */
static void weigh(struct tool_call *call)
{
    struct run_sql_call *f = call->frame;
    const struct sql_cost_limits limits = tools_guarded_limits(call);
    struct sql_cost cost;
    struct err err = {0};
    bool is_known = explain_cost(call->node, &f->explain, f->guarded.passed->sent, &cost);
    if (is_known && sql_cost_check(&cost, &limits, &err) != ERR_OK)
        tools_call_fail(call, "%s", err.text);
    else if (explain_error(&f->explain)->code == ERR_TIMEOUT)
        tools_call_fail(call, "The database could not plan the statement in time.");
    else
        hear_person(call, is_known ? &cost : NULL);
}

static void ask_person(struct tool_call *call, const struct sql_cost *cost, const char *error)
{
    const struct run_sql_call *f = call->frame;
    tools_call_ask(call, approve_sql_details(call->node, &(struct approve_sql_question){
                                                             .guard = call->guard,
                                                             .sql = f->guarded.written,
                                                             .runs = f->guarded.statement.text,
                                                             .parse = f->guarded.passed->sent,
                                                             .cost = cost,
                                                             .error = error,
                                                         }));
}

/* A person's statement in the place of the model's: it passes the guard as that did. */
static void take_edited(struct tool_call *call, const struct sql_cost *cost, struct str edited)
{
    struct run_sql_call *f = call->frame;
    const struct sql_verdict *verdict = check_sql_judge(call->node, call->guard, edited);
    services_tell_verdict(node_session(call->node), verdict, edited);
    if (verdict->code != ERR_OK) {
        ask_person(call, cost, verdict->err.text);
        return;
    }
    f->guarded.passed = verdict;
    f->guarded.written = edited;
    if (tools_guarded_prepare(call, &f->guarded))
        run(call);
    else
        tools_call_fail(call, "There is no memory for the statement.");
}

static void hear_person(struct tool_call *call, const struct sql_cost *cost)
{
    struct str edited;
    if (!call->tool->asks && !approve_sql_asks(services(call->node)->limits, cost)) {
        run(call);
        return;
    }
    switch (approve_sql_read(call->node, call->said, &edited)) {
    case APPROVE_SQL_NOT_ASKED:
        ask_person(call, cost, NULL);
        break;
    case APPROVE_SQL_RUN:
        run(call);
        break;
    case APPROVE_SQL_EDIT:
        take_edited(call, cost, edited);
        break;
    case APPROVE_SQL_REFUSE:
        tools_call_fail(call, "A person refused the statement: it was not run, and is not to be "
                              "sent again.");
        break;
    case APPROVE_SQL_STRANGE:
        ask_person(call, cost,
                   "expected {\"action\":\"approve\"}, {\"action\":\"edit\",\"sql\":...} "
                   "or {\"action\":\"refuse\"}");
        break;
    }
}

static void run(struct tool_call *call)
{
    struct run_sql_call *f = call->frame;
    op_release(&f->query.op);
    op_release(&f->delay.op);
    if (f->tries++ == 0)
        node_count_sql(call->node);
    sql_query_start(&f->query, services(call->node)->sql, &f->guarded.statement,
                    tools_call_waiter(call));
    tools_call_settle(call, keep);
}

static void fail_query(struct tool_call *call)
{
    struct run_sql_call *f = call->frame;
    struct err err = f->query.op.err;
    bool is_refused = err.code == ERR_REJECTED || err.code == ERR_INVALID;
    if (is_refused)
        engine_words_tell(&(struct engine_words){knowledge(call->node)->dialect,
                                                 str_of(f->query.sqlstate),
                                                 str_of(f->query.op.err.text), f->guarded.written},
                          &err);
    if (is_refused || err.code == ERR_TIMEOUT || err.code == ERR_TOO_LARGE)
        sql_reading_note_failure(node_readings(call->node), f->guarded.statement.text, &err,
                                 node_arena(call->node));
    tools_call_fail(call, "The database says: %s", err.text);
}

/* Rows and tables for the reader of the answer. False: no memory. */
static bool keep_rows(struct tool_call *call)
{
    struct run_sql_call *f = call->frame;
    struct arena *arena = node_arena(call->node);
    struct json_write writer;
    struct buf out;
    if (!buf_ok(&f->rows.whole) || !buf_ok(&f->rows.shown))
        return false;
    buf_init(&out, NAMES_BYTES);
    json_write_init(&writer, &out);
    check_sql_write_tables(call->node, call->guard, f->guarded.passed->parse, &writer);
    if (buf_ok(&out))
        call->result.tables = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    call->result.data = arena_str(arena, buf_str(&f->rows.whole));
    call->result.sql = arena_str(arena, f->guarded.passed->sql);
    return arena_ok(arena);
}

/* A metric that the question names is computed by its definition alone. */
static void write_missed_metric(struct tool_call *call, struct json_write *writer)
{
    const struct run_sql_call *f = call->frame;
    const struct knowledge *knows = knowledge(call->node);
    struct arena *arena = node_arena(call->node);
    const struct semantic_missed_source source = {.semantic = knows->semantic,
                                                  .catalog = knows->catalog,
                                                  .dialect = knows->dialect,
                                                  .today = facts_today(call->node),
                                                  .question = call->question};
    const struct semantic_named *missed =
        semantic_query_missed(&source, f->guarded.passed->parse, arena);
    struct str advice = missed == NULL ? STR("") : semantic_query_advice(missed, arena);
    if (missed != NULL && !str_is_absent(advice))
        json_write_str(writer, advice);
}

/* What the model reads: columns, the first rows, how many there are, remarks. */
static void write_text(struct tool_call *call, struct buf *out)
{
    struct run_sql_call *f = call->frame;
    struct json_write writer;
    char id[16];
    snprintf(id, sizeof id, "s%u", call->number);
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("statement"), str_of(id));
    json_write_key(&writer, STR("columns"));
    rows_write_columns(&writer, &f->query.result);
    json_write_member_raw(&writer, STR("result"), buf_str(&f->rows.shown));
    json_write_key(&writer, STR("remarks"));
    json_write_array(&writer);
    notes_write(knowledge(call->node), f->guarded.passed->parse, &f->query.result, &f->rows.told,
                node_arena(call->node), &writer);
    for (size_t i = 0; i < f->guarded.passed->warning_count; i++)
        json_write_str(&writer, f->guarded.passed->warnings[i].text);
    write_missed_metric(call, &writer);
    json_write_array_end(&writer);
    json_write_object_end(&writer);
}

static void keep(struct tool_call *call)
{
    struct run_sql_call *f = call->frame;
    const struct limits *limits = services(call->node)->limits;
    if (f->query.op.err.code == ERR_BUSY && f->tries < MOST_TRIES) {
        const struct backoff backoff = backoff_of(MOST_TRIES, FIRST_WAIT_MS, MOST_WAIT_MS);
        delay_start(&f->delay, call->op.loop, backoff_wait_ms(&backoff, f->tries, UINT64_MAX),
                    tools_call_waiter(call));
        tools_call_settle(call, run);
        return;
    }
    if (f->query.op.err.code != ERR_OK) {
        fail_query(call);
        return;
    }
    f->rows = (struct rows_apart){
        .result = &f->query.result,
        .of_whole = {.max_bytes = limits->max_answer_bytes, .written = f->guarded.written},
        .whole_limit = 8 * limits->max_result_bytes,
        .shown_limit = TEXT_BYTES,
        .withheld = rows_private_of(knowledge(call->node)->catalog, f->guarded.passed->parse,
                                    f->query.result.column_count, node_arena(call->node)),
    };
    rows_apart_start(&f->rows, call->op.loop, tools_call_waiter(call));
    tools_call_settle(call, tell);
}

static void tell(struct tool_call *call)
{
    struct buf out;
    bool is_whole = keep_rows(call);
    buf_init(&out, 2 * TEXT_BYTES);
    if (is_whole)
        write_text(call, &out);
    if (is_whole && buf_ok(&out))
        tools_call_done(call, buf_str(&out));
    else
        tools_call_fail(call, "The result does not fit into memory: ask for fewer rows.");
    buf_fini(&out);
}

static bool is_there(const struct services *has, const struct knowledge *knows UNUSED)
{
    return has->sql != NULL;
}

const struct tool tools_run_sql = {
    .name = "run_sql",
    .description =
        "Runs one SELECT statement on the database and returns its columns and rows. Use it as "
        "often "
        "as you need: to look at a few rows, to count, to check a figure in a second way. The "
        "result's statement number (s3) is how you cite it.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{\"sql\":{\"type\":\"string\",\"minLength\":1,"
        "\"description\":\"One SELECT statement, with the names that describe_tables shows; or, "
        "for "
        "a metric that describe_tables shows, a query over it as JSON text: {\\\"metric\\\": its "
        "name "
        "or {\\\"count\\\": table}, \\\"dimensions\\\", \\\"filters\\\", \\\"period\\\", "
        "\\\"order\\\", "
        "\\\"limit\\\"}.\"}},"
        "\"required\":[\"sql\"],\"additionalProperties\":false}",
    .start = start,
    .frame_bytes = sizeof(struct run_sql_call),
    .asks_itself = true,
    .is_there = is_there,
};

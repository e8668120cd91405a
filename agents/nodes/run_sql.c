/* SPDX-License-Identifier: MIT */
/* agents/nodes/run_sql.c - sends the guarded statement and turns its rows into JSON.
 *
 * Happy path: the statement is, byte for byte, the one that the guard made of the written one; the
 * database explains it and it is cheap enough; a person, where one is asked, has approved it or
 * written another that passed the guard; it runs with the session variables of the run and reads
 * (where the engine reports that) only what the guard's parse lists; its rows are held against
 * those of other statements for the question (candidates.h); where not all rows are here
 * they are counted; the result is written with the remarks on it. Failure: REJECTED (too expensive,
 * or not passed by the guard), TIMEOUT and TOO_LARGE are put as text for the correction loop;
 * UNAVAILABLE, no catalog and all other errors end the node. */
#include "agents/nodes/run_sql.h"

#include "agents/common/texts.h"
#include "agents/nodes/approve_sql.h"
#include "agents/nodes/candidates.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/engine_words.h"
#include "agents/nodes/judge_apart.h"
#include "agents/nodes/notes.h"
#include "agents/proving/explain.h"
#include "agents/rows/rows_apart.h"
#include "agents/sql/guard/cost.h"
#include "agents/sql/parse/reads.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    WARNING_BYTES = 64 * 1024,
    SHOWN_BYTES = 1024 * 1024, /* a prompt's rows, and what JSON adds to them at worst */
    LEAST_COUNT_MS = 50,       /* less time than this is not worth asking for */
};

struct run_sql {
    struct candidates candidates; /* the first member */
    struct sql_query query, count;
    struct explain explain;
    struct sql_statement statement, counting;
    struct sql_reads counting_reads;
    struct rows_apart rows;
    struct judge_apart apart;         /* the written statement, again */
    uint64_t began_ms;                /* when the statement was sent */
    uint64_t total;                   /* rows there are */
    bool is_counted;                  /* total is known */
    const struct sql_verdict *passed; /* on the statement; NULL: the guard does not pass it */
    struct sql_variable variables[SERVICES_VARIABLES];
    struct str written;  /* the statement before the guard rewrote it */
    struct str warnings; /* on it: JSON array of texts */
    bool is_approved;    /* by a person, or nobody has to be asked */
    bool is_replaced;    /* by a person's, or by another candidate */
    bool is_open;        /* there are rivals to hold it against */
};

static node_fn decide, weigh, keep, take_chosen, begin_count, weigh_count, counted,
    put_written; /* in this order */
static enum step put_all(struct node *node, struct run_sql *f);

static enum step put_failure(struct node *node, const struct run_sql_config *config,
                             const struct err *err);

static struct sql_cost_limits cost_limits(struct node *node)
{
    const struct run_sql_config *config = node_config(node);
    const struct knowledge *knows = knowledge(node);
    const struct sql_policy *policy =
        config->guard->banking ? knows->banking_policy : knows->policy;
    return (struct sql_cost_limits){services(node)->limits->sql_max_cost, policy->max_plan_rows,
                                    services_is_shared(knows)};
}

static enum step start(struct node *node, struct run_sql *f)
{
    node_count_sql(node);
    f->began_ms = loop_now_ms(services(node)->loop);
    sql_query_start(&f->query, services(node)->sql, &f->statement, node_waiter(node));
    return node_settle(node, keep);
}

/* The guard's verdict on the written statement: as it was when it passed, made again where the run
 * has none. ERR_REJECTED: the statement to send is not what that lets pass. */
static enum err_code read_statement(struct node *node, struct run_sql *f, struct err *err)
{
    const struct run_sql_config *config = node_config(node);
    const struct knowledge *knows = knowledge(node);
    const struct sql_verdict *verdict = check_sql_judge(node, config->guard, f->written);
    services_tell_verdict(node_session(node), verdict, f->written);
    if (verdict->code != ERR_OK) {
        *err = verdict->err;
        return verdict->code;
    }
    if (!str_equal(verdict->sql, f->statement.text))
        return err_set(err, ERR_REJECTED,
                       "The statement was checked under another schema; write it again.");
    f->passed = verdict;
    if (knows->dialect != SQL_SQLITE)
        return ERR_OK;
    f->statement.reads = sql_reads_of(verdict->sent, knows->catalog, node_arena(node));
    return f->statement.reads != NULL ? ERR_OK
                                      : err_set(err, ERR_NO_MEMORY, "no memory for a statement");
}

static bool needs_weighing(struct node *node, const struct run_sql *f)
{
    const struct sql_cost_limits limits = cost_limits(node);
    return !f->is_approved || sql_cost_matters(&limits, knowledge(node)->catalog, f->passed->sent);
}

static enum step ask_for_plan(struct node *node, struct run_sql *f)
{
    explain_start(node, &f->explain, &f->statement, node_waiter(node));
    return node_settle(node, weigh);
}

static enum step ask_person(struct node *node, const struct run_sql *f,
                            struct approve_sql_question asked)
{
    const struct run_sql_config *config = node_config(node);
    asked.guard = config->guard;
    asked.sql = f->written;
    asked.runs = f->statement.text;
    asked.parse = f->passed == NULL ? NULL : f->passed->sent;
    return approve_sql_ask(node, &asked);
}

/* The answer was none, or one that the guard refuses. */
static enum step ask_again(struct node *node, struct run_sql *f, struct approve_sql_question asked)
{
    struct err ignored; /* it is read again when it is approved */
    (void)read_statement(node, f, &ignored);
    return ask_person(node, f, asked);
}

static bool take_edited(struct node *node, struct run_sql *f, struct str edited, enum step *step)
{
    const struct run_sql_config *config = node_config(node);
    struct check_sql_passed passed;
    struct err err;
    if (check_sql_adopt(node, config->guard, edited, true, &passed, &err) != ERR_OK) {
        *step =
            ask_again(node, f, (struct approve_sql_question){.edited = edited, .error = err.text});
        return false;
    }
    f->statement.text = passed.verdict->sql;
    f->warnings = passed.warnings;
    f->written = edited;
    f->is_approved = true;
    f->is_replaced = true;
    return true;
}

/* Take the answer of a person about the statement. False: *step is how the node goes on. */
static bool hear_person(struct node *node, struct run_sql *f, enum step *step)
{
    struct str edited;
    const enum approve_sql_action action = approve_sql_read(node, node_resume(node), &edited);
    f->is_approved = action == APPROVE_SQL_RUN || !approve_sql_is_on(services(node)->limits);
    if (action == APPROVE_SQL_NOT_ASKED || action == APPROVE_SQL_RUN)
        return true;
    if (action == APPROVE_SQL_REFUSE) {
        *step = approve_sql_decline(node);
        return false;
    }
    if (action == APPROVE_SQL_EDIT)
        return take_edited(node, f, edited, step);
    *step = ask_again(node, f,
                      (struct approve_sql_question){.error = "expected {\"action\":\"approve\"}, "
                                                             "{\"action\":\"edit\",\"sql\":...} or "
                                                             "{\"action\":\"refuse\"}"});
    return false;
}

static enum step enter(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct run_sql_config *config = node_config(node);
    const struct limits *limits = services(node)->limits;
    if (!node_has(node, slot_index(config->sql_slot)) ||
        str_is_empty(node_str(node, slot_index(config->sql_slot)))) {
        struct err err;
        err_set(&err, ERR_INTERNAL, "node '%s' was reached without a statement", node_name(node));
        return node_fail(node, &err);
    }
    f->statement = (struct sql_statement){
        .text = node_str(node, slot_index(config->sql_slot)),
        .variables = f->variables,
        .variable_count = services_variables(node_session(node), f->variables),
        .max_rows = check_sql_most_rows(node, config->guard),
        .max_bytes = limits->max_result_bytes,
        .timeout_ms = limits->sql_timeout_ms,
        .asker = node_session(node),
    };
    f->written = node_str(node, slot_index(config->guard->sql_slot));
    if (slot_is_named(config->warnings_slot))
        f->warnings = node_str(node, slot_index(config->warnings_slot));
    enum step instead;
    if (check_sql_catalog(node, &instead) == NULL)
        return instead;
    return check_sql_judge_apart(node, config->guard, f->written, false, &f->apart)
               ? node_settle(node, decide)
               : decide(node);
}

/* By a person, by the guard, by what it would cost. */
static enum step decide(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct run_sql_config *config = node_config(node);
    enum step instead;
    struct err err;
    if (!hear_person(node, f, &instead))
        return instead;
    enum err_code code = read_statement(node, f, &err);
    if (code == ERR_NO_MEMORY)
        return node_fail(node, &err);
    if (code != ERR_OK)
        return put_failure(node, config, &err);
    const struct err *before = sql_reading_failure(node_readings(node), f->statement.text);
    if (before != NULL)
        return put_failure(node, config, before);
    if (needs_weighing(node, f))
        return ask_for_plan(node, f);
    return f->is_approved ? start(node, f)
                          : ask_person(node, f, (struct approve_sql_question){.cost = NULL});
}

/* The database failed the statement: the same one is not sent again in this run. */
static enum step fail_statement(struct node *node, struct run_sql *f, const struct err *err)
{
    sql_reading_note_failure(node_readings(node), f->statement.text, err, node_arena(node));
    return put_failure(node, node_config(node), err);
}

/* A plan that cannot be had or read is no reason: the statement itself will say what is wrong. */
static enum step weigh(struct node *node)
{
    struct run_sql *f = node_frame(node);
    struct sql_cost cost;
    struct err err = {0};
    const struct err *asked = explain_error(&f->explain);
    const struct sql_cost_limits limits = cost_limits(node);
    if (asked->code == ERR_UNAVAILABLE)
        return node_fail_as(node, "database_unavailable", asked);
    if (asked->code == ERR_BUSY)
        return node_fail_as(node, "overloaded", asked);
    if (asked->code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", asked);
    if (asked->code == ERR_TIMEOUT) /* what cannot be planned in time */
        return fail_statement(node, f, asked);
    bool is_known = explain_cost(node, &f->explain, f->passed->sent, &cost);
    if (is_known && sql_cost_check(&cost, &limits, &err) != ERR_OK)
        return put_failure(node, node_config(node), &err);
    const struct sql_cost *known = is_known ? &cost : NULL;
    if (!f->is_approved && approve_sql_asks(services(node)->limits, known))
        return ask_person(node, f, (struct approve_sql_question){.cost = known});
    return start(node, f);
}

static void put_timeout(struct node *node, const struct run_sql_config *config, bool timeout)
{
    if (!slot_is_named(config->timeout_slot))
        return;
    if (timeout)
        node_put_bool(node, slot_index(config->timeout_slot), true);
    else if (node_has(node, slot_index(config->timeout_slot)))
        node_clear(node, slot_index(config->timeout_slot));
}

/* Whether the statement is of one of several readings of the question. */
static bool has_rivals(struct node *node, const struct run_sql_config *config)
{
    return slot_is_named(config->rivals_slot) && node_has(node, slot_index(config->rivals_slot));
}

/* Nobody knows whether the readings are one: whoever asked is asked. */
static enum step ask_back(struct node *node)
{
    const struct run_sql_config *config = node_config(node);
    config->settle_rivals(node, false);
    return STEP_DONE;
}

static enum step put_failure(struct node *node, const struct run_sql_config *config,
                             const struct err *err)
{
    struct str text = str_of(err->text);
    if (has_rivals(node, config) && err->code != ERR_REJECTED) /* a refused one is corrected */
        return ask_back(node);
    LOG(node_log(node), WARN, "sql.failed", "code=%s", err_name(err->code));
    node_put_str(node, slot_index(config->error_slot), text);
    put_timeout(node, config, err->code == ERR_TIMEOUT);
    if (config->clear_sql)
        node_clear(node, slot_index(config->sql_slot));
    if (slot_is_named(config->done_slot))
        node_put_bool(node, slot_index(config->done_slot), false);
    if (slot_is_named(config->shown_slot))
        node_clear(node, slot_index(config->shown_slot));
    if (!config->error_in_result) {
        node_clear(node, slot_index(config->result_slot));
        return STEP_DONE;
    }
    struct buf out;
    struct json_write writer;
    buf_init(&out, 8 * ERR_TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("error"), text);
    json_write_object_end(&writer);
    if (buf_ok(&out))
        node_put_str(node, slot_index(config->result_slot), buf_str(&out));
    buf_fini(&out);
    return STEP_DONE;
}

/* The warnings so far, then the remarks on this result. False: no memory, which is no silence. */
static bool add_remarks(struct node *node, const struct run_sql_config *config,
                        const struct run_sql *f, const struct rows_counted *told)
{
    struct buf out;
    struct json_write writer;
    struct arena *arena = node_arena(node);
    buf_init(&out, WARNING_BYTES);
    json_write_init(&writer, &out);
    texts_begin(&writer, arena, f->warnings);
    if (f->candidates.doubt != NULL)
        json_write_str(&writer, str_of(f->candidates.doubt));
    notes_write(knowledge(node), f->passed->parse, &f->query.result, told, arena, &writer);
    json_write_array_end(&writer);
    const bool ok = buf_ok(&out);
    if (ok)
        node_put_str(node, slot_index(config->warnings_slot), buf_str(&out));
    buf_fini(&out);
    return ok;
}

/* Say the rows before the answer about them, to whoever asked for that. */
static void say_rows(struct node *node, struct str rows)
{
    struct buf members;
    if (!node_is_heard(node, EVENT_DATA))
        return;
    buf_init(&members, rows.len + 16);
    buf_push(&members, STR("\"data\":"));
    buf_push(&members, rows);
    if (buf_ok(&members))
        node_emit(node, EVENT_DATA, STR(""), buf_str(&members), 0);
    buf_fini(&members);
}

/* Put what was written of the rows. False: no memory, which is no empty result. */
static bool put_rows(struct node *node, const struct run_sql_config *config, struct run_sql *f)
{
    struct json_write writer;
    struct buf *out = &f->rows.shown;
    if (!buf_ok(&f->rows.whole) || !buf_ok(out))
        return false;
    node_put_str(node, slot_index(config->result_slot), buf_str(&f->rows.whole));
    say_rows(node, buf_str(&f->rows.whole));
    if (slot_is_named(config->shown_slot))
        node_put_str(node, slot_index(config->shown_slot), buf_str(out));
    if (!slot_is_named(config->columns_slot))
        return true;
    buf_clear(out);
    json_write_init(&writer, out);
    rows_write_columns(&writer, &f->query.result);
    if (buf_ok(out))
        node_put_str(node, slot_index(config->columns_slot), buf_str(out));
    return buf_ok(out);
}

static enum step put_result(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct limits *limits = services(node)->limits;
    f->rows = (struct rows_apart){
        .result = &f->query.result,
        .of_whole = {.counted = f->is_counted ? &f->total : NULL,
                     .max_bytes = limits->max_answer_bytes,
                     .written = f->written},
        .whole_limit = 8 * limits->max_result_bytes,
        .shown_limit = SHOWN_BYTES,
        .withheld = rows_private_of(knowledge(node)->catalog, f->passed->parse,
                                    f->query.result.column_count, node_arena(node)),
    };
    rows_apart_start(&f->rows, node_loop(node), node_waiter(node));
    return node_settle(node, put_written);
}

static enum step put_written(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct run_sql_config *config = node_config(node);
    const struct sql_result *result = &f->query.result;
    const struct rows_counted told = f->rows.told;
    struct err err;
    if (!put_rows(node, config, f)) {
        err_set(&err, ERR_TOO_LARGE, "the result does not fit into memory: ask for fewer rows");
        return node_fail_as(node, "sql_failed", &err);
    }
    put_timeout(node, config, false);
    if (config->clear_error)
        node_clear(node, slot_index(config->error_slot));
    if (slot_is_named(config->done_slot))
        node_put_bool(node, slot_index(config->done_slot), true);
    if (slot_is_named(config->count_slot))
        node_put_int(node, slot_index(config->count_slot), (int64_t)told.here);
    if (slot_is_named(config->warnings_slot) && !add_remarks(node, config, f, &told)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for the remarks on the result");
        return node_fail(node, &err);
    }
    if (config->after != NULL)
        config->after(node, &(struct run_sql_done){result, f->passed->parse, f->is_replaced});
    return STEP_DONE;
}

/* ---- how many rows there are, where not all of them are here ---- */

/* SELECT COUNT(*) around the statement as the guard passes it without a LIMIT of its own, within
 * the time that the statement left. False: there is no such statement, or no time. */
static bool make_count(struct node *node, struct run_sql *f)
{
    const struct run_sql_config *config = node_config(node);
    const uint64_t spent = loop_now_ms(services(node)->loop) - f->began_ms;
    const struct sql_verdict *verdict = check_sql_judge_unlimited(node, config->guard, f->written);
    if (verdict->code != ERR_OK || spent + LEAST_COUNT_MS > f->statement.timeout_ms)
        return false;
    f->counting = f->statement;
    f->counting.text = arena_printf(node_arena(node), "SELECT COUNT(*) FROM (\n%.*s\n) AS counted",
                                    STR_ARG(verdict->sql));
    f->counting.max_rows = 1;
    f->counting.timeout_ms = f->statement.timeout_ms - spent;
    if (str_is_absent(f->counting.text))
        return false;
    if (knowledge(node)->dialect != SQL_SQLITE)
        return true;
    const struct sql_reads *reads =
        sql_reads_of(verdict->sent, knowledge(node)->catalog, node_arena(node));
    if (reads == NULL)
        return false;
    struct str *functions =
        arena_array(node_arena(node), reads->function_count + 1, sizeof *functions);
    struct str *own = arena_array(node_arena(node), reads->own_count + 1, sizeof *own);
    if (functions == NULL || own == NULL)
        return false;
    f->counting_reads = *reads;
    for (size_t i = 0; i < reads->function_count; i++)
        functions[i] = reads->functions[i];
    for (size_t i = 0; i < reads->own_count; i++)
        own[i] = reads->own[i];
    functions[f->counting_reads.function_count++] = STR("count");
    own[f->counting_reads.own_count++] = STR("counted");
    f->counting_reads.functions = functions;
    f->counting_reads.own = own;
    f->counting_reads.width = 1;
    f->counting.reads = &f->counting_reads;
    return true;
}

static enum step start_count(struct node *node)
{
    struct run_sql *f = node_frame(node);
    sql_query_start(&f->count, services(node)->sql, &f->counting, node_waiter(node));
    return node_settle(node, counted);
}

static enum step count_all(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct run_sql_config *config = node_config(node);
    op_release(&f->apart.op);
    return check_sql_judge_apart(node, config->guard, f->written, true, &f->apart)
               ? node_settle(node, begin_count)
               : begin_count(node);
}

/* Count under the rules that the statement ran under: what it would cost is asked first. */
static enum step begin_count(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct sql_cost_limits limits = cost_limits(node);
    if (!make_count(node, f))
        return put_result(node);
    if (!sql_cost_matters(&limits, knowledge(node)->catalog, f->passed->sent))
        return start_count(node);
    explain_start(node, &f->explain, &f->counting, node_waiter(node));
    return node_settle(node, weigh_count);
}

static enum step weigh_count(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct sql_cost_limits limits = cost_limits(node);
    enum err_code code = explain_judge(node, &f->explain, f->passed->sent, &limits);
    if (code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", explain_error(&f->explain));
    return code == ERR_OK ? start_count(node) : put_result(node);
}

/* A count that cannot be had costs the count, not the answer. */
static enum step counted(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct sql_result *result = &f->count.result;
    if (f->count.op.err.code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", &f->count.op.err);
    f->is_counted = f->count.op.err.code == ERR_OK && result->row_count == 1 &&
                    result->column_count == 1 && result->values[0].type == SQL_INT &&
                    result->values[0].integer >= (int64_t)f->query.result.row_count;
    if (f->is_counted) {
        f->total = (uint64_t)result->values[0].integer;
        f->query.result.truncated = f->total > f->query.result.row_count;
    } else
        LOG(node_log(node), INFO, "sql.not_counted", "code=%s", err_name(f->count.op.err.code));
    return put_result(node);
}

/* What the engine says may quote rows: only a log at debug has it. */
static enum step put_refusal(struct node *node, struct run_sql *f)
{
    struct err err = f->query.op.err;
    LOG(node_log(node), DEBUG, "sql.refused", "sqlstate=%s text=\"%s\"", f->query.sqlstate,
        err.text);
    engine_words_tell(&(struct engine_words){knowledge(node)->dialect, str_of(f->query.sqlstate),
                                             str_of(f->query.op.err.text), f->written},
                      &err);
    return fail_statement(node, f, &err);
}

/* Hold the rows against those of other statements for the question; a person's is alone. */
static enum step hold_against(struct node *node, struct run_sql *f)
{
    const struct run_sql_config *config = node_config(node);
    f->is_open = has_rivals(node, config);
    if (f->is_open && (f->is_replaced || approve_sql_is_on(services(node)->limits))) {
        config->settle_rivals(node, true); /* a person has chosen */
        f->is_open = false;
    }
    if (f->is_replaced)
        return put_all(node, f);
    f->candidates.guard = config->guard;
    f->candidates.generate = config->generate;
    f->candidates.cost = cost_limits(node);
    if (f->is_open) {
        const struct json_value *all = json_value_parse(
            node_arena(node), node_str(node, slot_index(config->rivals_slot)), NULL, NULL);
        f->candidates.rivals = all == NULL ? NULL : all->first;
        if (f->candidates.rivals == NULL)
            return ask_back(node);
    }
    f->candidates.then = take_chosen;
    f->candidates.first = (struct candidate){.written = f->written,
                                             .passed = f->passed,
                                             .statement = f->statement,
                                             .result = &f->query.result};
    return candidates_start(node);
}

/* Another candidate than the first takes its place, with all that is put about a statement. */
static enum step take_chosen(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct run_sql_config *config = node_config(node);
    const struct candidate *chosen = f->candidates.chosen;
    struct check_sql_passed passed;
    struct err err;
    if (chosen == NULL)
        return ask_back(node);
    if (f->is_open)
        config->settle_rivals(node, true);
    if (chosen == &f->candidates.first)
        return put_all(node, f);
    if (check_sql_adopt(node, config->guard, chosen->written, false, &passed, &err) != ERR_OK)
        return node_fail(node, &err);
    f->statement = chosen->statement;
    f->written = chosen->written;
    f->passed = passed.verdict;
    f->warnings = passed.warnings;
    f->query.result = *chosen->result;
    f->is_replaced = true;
    return put_all(node, f);
}

static enum step put_all(struct node *node, struct run_sql *f)
{
    return f->query.result.truncated ? count_all(node) : put_result(node);
}

static enum step keep(struct node *node)
{
    struct run_sql *f = node_frame(node);
    const struct err *err = &f->query.op.err;
    switch (err->code) {
    case ERR_OK:
        f->query.result.truncated |= check_sql_is_full(f->passed, f->query.result.row_count);
        return hold_against(node, f);
    case ERR_REJECTED:
    case ERR_INVALID:
        return put_refusal(node, f);
    case ERR_TIMEOUT:
    case ERR_TOO_LARGE:
        return fail_statement(node, f, err);
    case ERR_DENIED: /* the login */
    case ERR_UNAVAILABLE:
        return node_fail_as(node, "database_unavailable", err);
    case ERR_BUSY:
        return node_fail_as(node, "overloaded", err);
    case ERR_CANCELLED:
        return node_fail_as(node, "cancelled", err);
    default:
        return node_fail_as(node, "sql_failed", err);
    }
}

const struct graph_node_type run_sql_node = {.enter = enter, .frame_bytes = sizeof(struct run_sql)};

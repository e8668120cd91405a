/* SPDX-License-Identifier: MIT */
/* server/results/api_results.c - judged, weighed, run, written piece by piece.
 *
 * Happy path: the guard reads the statement on a thread of the pool, as the served policy of the
 * graph "statement" has it for the caller's role; the database explains it where a limit depends on
 * that; it runs with the caller's variables within the caps of downloads; the rows leave as fast as
 * the client takes them. Rows are in memory until the last one left, so a worker has
 * a budget of bytes for them.
 * Failure paths: a field that is wrong: 422; a statement that the guard or its cost refuses, or
 * that the database refuses: 422 with their words; too many at once: 429; the database's other
 * failures: their status; the client left: what is in flight is cancelled; no memory behind the
 * head: the connection is cut, so that nobody takes a part for the whole. */
#include "server/results/api_results.h"

#include "agents/nodes/check_sql.h"
#include "agents/nodes/engine_words.h"
#include "agents/sql/guard/cost.h"
#include "agents/sql/parse/reads.h"
#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "core/loop/work.h"
#include "core/store/wire_code.h"
#include "proto/json_value.h"
#include "server/api/caller.h"
#include "server/api/run_body.h"
#include "server/http/exchange_wait.h"
#include "server/results/result_writer.h"
#include "server/results/tables_json.h"
#include "server/runs/shard.h"

enum {
    LARGE_AT_ONCE = 2, /* of one worker; small ones have room for another beside them */
    SMALL_ROWS = 1000,
    SMALL_BYTES = 4 * 1024 * 1024,
    RETRY_S = 2,
    ARENA_BYTES = 64 * 1024 * 1024,
    STATEMENT_BYTES = 16 * 1024,
    HEAD_BYTES = 512,
    TABLES_BYTES = 16 * 1024 * 1024,
    PLAN_ROWS = 1000,
};

struct download {
    struct exchange_wait wait;
    struct shard *shard;
    struct knowledge_pin *pin;
    struct arena arena;
    struct session session;
    struct sql_policy policy;
    const struct sql_verdict *passed;
    struct str written;
    uint64_t most_rows, most_bytes;
    uint64_t reserved; /* bytes of the shard's that this one may fill, then those that it fills */
    const struct result_format *format;
    struct work judging;
    struct sql_statement statement, question;
    struct sql_variable variables[SERVICES_VARIABLES];
    struct sql_query explain, query;
    struct result_writer writer;
    struct timer next; /* the loop's other work comes between two pieces */
};

/* ---- the end ---- */

static void destroy(struct download *download)
{
    timer_stop(&download->next);
    result_writer_fini(&download->writer);
    op_release(&download->judging.op);
    op_release(&download->explain.op);
    op_release(&download->query.op);
    arena_fini(&download->arena);
    download->shard->download_bytes -= download->reserved;
    runs_unpin(download->shard->runs, download->pin);
    mem_free(download);
}

/* The exchange, for its last answer; the download is over. NULL: the client left. */
static struct exchange *leave(struct download *download)
{
    struct exchange *exchange = exchange_wait_take(&download->wait);
    destroy(download);
    return exchange;
}

static void fail(struct download *download, const struct err *err)
{
    const struct err told = *err;
    exchange_fail(leave(download), &told);
}

/* What is wrong with the statement. */
static void refuse(struct download *download, const struct err *err)
{
    struct problem problem;
    problem_field(&problem, "/sql", "/sql: %s", err->text);
    problem.code = "sql_rejected";
    exchange_problem(leave(download), &problem);
}

static void on_gone(struct exchange_wait *wait)
{
    struct download *download = container_of(wait, struct download, wait);
    struct op *const ops[] = {&download->judging.op, &download->explain.op, &download->query.op};
    bool is_waited_for = false;
    for (size_t i = 0; i < countof(ops); i++)
        if (op_is_pending(ops[i])) {
            op_cancel(ops[i]);
            is_waited_for = true;
        }
    if (!is_waited_for)
        destroy(download);
}

/* Whether the client is still there; else the download is over. */
static bool is_wanted(struct download *download)
{
    if (download->wait.exchange == NULL)
        destroy(download);
    else
        return true;
    return false;
}

/* ---- writing ---- */

static void write_more(struct download *download);

static void on_next(struct timer *timer)
{
    write_more(container_of(timer, struct download, next));
}

static void on_drained(struct exchange_wait *wait)
{
    write_more(container_of(wait, struct download, wait));
}

static void write_more(struct download *download)
{
    struct exchange *exchange = download->wait.exchange;
    struct channel *channel = exchange->channel;
    size_t mark = exchange_frames_begin(exchange);
    const bool goes_on = result_writer_step(&download->writer, channel->out);
    if (download->writer.failed) {
        exchange_cut(leave(download));
        return;
    }
    exchange_frames_end(exchange, mark);
    if (!goes_on) {
        exchange_pieces_end(leave(download));
        return;
    }
    channel_flush(channel);
    if (!channel_is_high(channel)) /* else on_drained comes */
        timer_start(&download->next, download->shard->loop, 0, on_next);
}

/* Where the policy's own LIMIT was reached there may be more rows than it lets through. */
static void tell_cut(struct download *download)
{
    const struct sql_limit *written = &download->passed->parse->limit;
    const size_t most = download->policy.max_limit;
    const bool is_own = written->present && written->is_number && (uint64_t)written->number <= most;
    if (most > 0 && download->query.result.row_count >= most && !is_own)
        download->query.result.truncated = true;
}

/* From here on the rows take what they take, where that is less. */
static void reserve_real(struct download *download)
{
    const struct sql_result *result = &download->query.result;
    const size_t cells = result->row_count * result->column_count;
    uint64_t bytes = cells * sizeof *result->values;
    for (size_t i = 0; i < cells; i++)
        bytes += result->values[i].text.len;
    if (bytes < download->reserved) {
        download->shard->download_bytes -= download->reserved - bytes;
        download->reserved = bytes;
    }
}

static void begin_file(struct download *download)
{
    struct exchange *exchange = download->wait.exchange;
    const struct sql_result *result = &download->query.result;
    const struct result_format *format = download->format;
    struct buf head;
    tell_cut(download);
    reserve_real(download);
    buf_init(&head, HEAD_BYTES);
    buf_printf(&head,
               "Content-Type: %s\r\nContent-Disposition: attachment; filename=\"rows%s\"\r\n"
               "Cache-Control: no-store\r\n"
               "X-Askd-Rows: %zu\r\nX-Askd-Truncated: %s\r\n",
               result_format_type(format), result_format_suffix(format), result->row_count,
               result->truncated ? "true" : "false");
    if (!buf_ok(&head)) {
        struct err err;
        err_set(&err, ERR_NO_MEMORY, "no memory for the answer");
        buf_fini(&head);
        fail(download, &err);
        return;
    }
    download->wait.on_drained = on_drained;
    exchange_pieces(exchange, buf_str(&head));
    buf_fini(&head);
    result_writer_init(&download->writer, format, result);
    write_more(download);
}

/* ---- running ---- */

static struct op_waiter waiter(struct download *download, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = download};
}

static void on_rows(struct op *op)
{
    struct download *download = op_owner(op);
    struct err err = op->err;
    if (!is_wanted(download))
        return;
    if (err.code == ERR_OK) {
        begin_file(download);
    } else if (err.code == ERR_REJECTED || err.code == ERR_INVALID) {
        engine_words_tell(&(struct engine_words){download->session.knows->dialect,
                                                 str_of(download->query.sqlstate),
                                                 str_of(op->err.text), download->written},
                          &err);
        refuse(download, &err);
    } else {
        fail(download, &err);
    }
}

static void run(struct download *download)
{
    sql_query_start(&download->query, download->session.has->sql, &download->statement,
                    waiter(download, on_rows));
}

static struct sql_cost_limits cost_limits(const struct download *download)
{
    return (struct sql_cost_limits){download->session.has->limits->sql_max_cost,
                                    download->session.knows->policy->max_plan_rows,
                                    services_is_shared(download->session.knows)};
}

/* A plan that cannot be had or read is no reason: the statement itself will say what is wrong. */
static void on_plan(struct op *op)
{
    struct download *download = op_owner(op);
    const struct knowledge *knows = download->session.knows;
    const struct sql_cost_limits limits = cost_limits(download);
    struct sql_cost cost;
    struct err err = {0};
    if (!is_wanted(download))
        return;
    if (op->err.code == ERR_OK &&
        sql_cost_read(knows->dialect, &download->explain.result, knows->catalog,
                      download->passed->sent, &download->arena, &cost) &&
        sql_cost_check(&cost, &limits, &err) != ERR_OK)
        refuse(download, &err);
    else if (op->err.code == ERR_TIMEOUT)
        fail(download, &op->err);
    else
        run(download);
}

static void weigh(struct download *download)
{
    const struct knowledge *knows = download->session.knows;
    const struct sql_cost_limits limits = cost_limits(download);
    const double most = limits.max_rows > 0 ? limits.max_rows : limits.max_cost;
    if (most <= 0 || sql_cost_is_small(knows->catalog, download->passed->sent, most)) {
        run(download);
        return;
    }
    download->question = download->statement;
    download->question.text =
        sql_cost_question(knows->dialect, download->statement.text, &download->arena);
    download->question.max_rows = PLAN_ROWS;
    sql_query_start(&download->explain, download->session.has->sql, &download->question,
                    waiter(download, on_plan));
}

/* False: no memory. */
static bool prepare(struct download *download)
{
    const struct knowledge *knows = download->session.knows;
    download->statement = (struct sql_statement){
        .text = download->passed->sql,
        .variables = download->variables,
        .variable_count = services_variables(&download->session, download->variables),
        .max_rows = download->most_rows,
        .max_bytes = download->most_bytes,
        .timeout_ms = download->session.has->limits->sql_timeout_ms,
        .asker = &download->session,
    };
    if (knows->dialect == SQL_SQLITE)
        download->statement.reads =
            sql_reads_of(download->passed->sent, knows->catalog, &download->arena);
    return knows->dialect != SQL_SQLITE || download->statement.reads != NULL;
}

static void on_judged(struct op *op)
{
    struct download *download = op_owner(op);
    struct err err = op->err;
    if (!is_wanted(download))
        return;
    if (err.code == ERR_OK && download->passed->code != ERR_OK)
        err = download->passed->err;
    if (op->err.code == ERR_OK)
        services_tell_verdict(&download->session, download->passed, download->written);
    if (err.code == ERR_OK && !prepare(download))
        err_set(&err, ERR_NO_MEMORY, "no memory for the statement");
    if (err.code == ERR_REJECTED)
        refuse(download, &err);
    else if (err.code != ERR_OK)
        fail(download, &err);
    else
        weigh(download);
}

/* On a thread of the pool, which has the session and the arena to itself. */
static enum err_code judge(struct work *work, struct err *err UNUSED)
{
    struct download *download = work->arg;
    const struct knowledge *knows = download->session.knows;
    const struct sql_reading_rules rules = {&download->policy, knows->dialect, knows->catalog,
                                            knows->tenant};
    download->passed =
        sql_reading_judge(&download->session.readings, &rules, download->written, &download->arena);
    return ERR_OK;
}

/* ---- reading the request ---- */

struct asked {
    struct identity caller;
    struct str sql;
    const struct result_format *format;
    uint64_t rows;
};

static bool read_rows(const struct json_value *root, uint64_t most, uint64_t *rows,
                      struct problem *problem)
{
    struct err err = {0};
    int64_t number = (int64_t)most;
    enum err_code code = json_value_i64(root, "/rows", &number, &err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return problem_field(problem, "/rows", "%s", err.text);
    if (number < 1 || (uint64_t)number > most)
        return problem_field(problem, "/rows", "/rows: expected 1 to %llu, got %lld",
                             (unsigned long long)most, (long long)number);
    *rows = (uint64_t)number;
    return true;
}

static bool read_body(struct exchange *exchange, struct asked *asked, struct problem *problem)
{
    const struct json_value *root = run_body_parse(exchange, problem);
    struct str format = STR("json");
    struct err err = {0};
    if (root == NULL)
        return false;
    if (json_value_str(root, "/sql", &asked->sql, &err) != ERR_OK)
        return problem_field(problem, "/sql", "%s",
                             err.code == ERR_NOT_FOUND ? "/sql: expected a string, got nothing"
                                                       : err.text);
    asked->sql = str_trim(asked->sql);
    if (asked->sql.len == 0 || asked->sql.len > STATEMENT_BYTES)
        return problem_field(problem, "/sql", "/sql: expected 1 to %d bytes, got %zu",
                             STATEMENT_BYTES, asked->sql.len);
    enum err_code code = json_value_str(root, "/format", &format, &err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return problem_field(problem, "/format", "%s", err.text);
    asked->format = result_format_find(format);
    if (asked->format == NULL)
        return problem_field(problem, "/format", "/format: expected json, csv or xlsx, got '%.*s'",
                             STR_ARG(str_utf8_prefix(format, 32)));
    return read_rows(root, exchange->shard->group->config->download_rows, &asked->rows, problem);
}

static bool may_begin(const struct shard *shard, struct problem *problem)
{
    struct err err;
    if (shard->group->config->download_rows == 0)
        return problem_set(problem, 403, "forbidden",
                           "whole results are not given: ASKD_DOWNLOAD_MAX_ROWS is 0");
    if (shard->draining || shard->pin == NULL) {
        problem_set(problem, 503, "overloaded", "this server takes no questions now");
    } else if (shard->services->sql == NULL) {
        return problem_set(problem, 503, "database_unavailable", "no database is configured");
    } else if (shard->pin->set->knows.catalog == NULL) {
        err = shard->pin->set->knows.catalog_err;
        problem_set(problem, 503, "database_unavailable", "%.*s",
                    STR_ARG(wire_code_public("database_unavailable", err.code, str_of(err.text))));
    } else {
        return true;
    }
    problem->retry_after = RETRY_S;
    return false;
}

static uint64_t bytes_for(const struct shard *shard, uint64_t rows)
{
    const uint64_t most = shard->group->config->download_bytes;
    return rows > SMALL_ROWS || most < SMALL_BYTES ? most : SMALL_BYTES;
}

/* Whether there is room for a result of so many rows. */
static bool has_room(const struct shard *shard, uint64_t rows, struct problem *problem)
{
    const uint64_t large = shard->group->config->download_bytes;
    const uint64_t most = (rows > SMALL_ROWS ? LARGE_AT_ONCE : LARGE_AT_ONCE + 1U) * large;
    if (shard->download_bytes + bytes_for(shard, rows) <= most)
        return true;
    problem_set(problem, 429, "overloaded",
                "other results fill the memory for whole results; try again later, or ask for at "
                "most %d rows",
                SMALL_ROWS);
    problem->retry_after = RETRY_S;
    return false;
}

static bool begin(struct download *download, const struct asked *asked)
{
    struct shard *shard = download->shard;
    const struct str graph = STR("statement");
    download->written = arena_str(&download->arena, asked->sql);
    download->format = asked->format;
    download->most_rows = asked->rows;
    download->most_bytes = download->reserved;
    download->session = (struct session){
        .has = shard->services,
        .caller = identity_copy(&download->arena, &asked->caller),
        .graph = graph,
        .message = download->written,
    };
    download->session.knows =
        knowledge_of(download->pin->set, graph, download->session.caller.role);
    download->policy = check_sql_policy(&download->session, false, asked->rows);
    if (download->policy.max_is_built_in) /* else somebody wrote how many rows may leave */
        download->policy.default_limit = download->policy.max_limit = asked->rows + 1;
    return arena_ok(&download->arena);
}

void api_results_send(struct exchange *exchange)
{
    struct shard *shard = exchange->shard;
    struct asked asked = {.rows = 0};
    struct problem problem = {0};
    if (!caller_take_query(exchange, &asked.caller, &problem) || !may_begin(shard, &problem) ||
        !read_body(exchange, &asked, &problem) || !has_room(shard, asked.rows, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct download *download = mem_zalloc(1, sizeof *download);
    struct err err;
    if (download == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another result");
        exchange_fail(exchange, &err);
        return;
    }
    arena_init(&download->arena, ARENA_BYTES);
    download->shard = shard;
    download->pin = shard->pin;
    download->pin->runs++;
    download->reserved = bytes_for(shard, asked.rows);
    shard->download_bytes += download->reserved;
    const bool is_ready = begin(download, &asked);
    exchange_wait_begin(&download->wait, exchange, on_gone);
    if (is_ready) {
        work_start(&download->judging, shard->loop, judge, download, waiter(download, on_judged));
        return;
    }
    err_set(&err, ERR_NO_MEMORY, "no memory for another result");
    fail(download, &err);
}

void api_results_tables(struct exchange *exchange)
{
    struct identity caller;
    struct problem problem;
    struct buf out;
    struct err err;
    if (!caller_take_query(exchange, &caller, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (exchange->shard->pin == NULL) {
        err_set(&err, ERR_UNAVAILABLE, "nothing is known about the database yet");
        exchange_fail(exchange, &err);
        return;
    }
    buf_init(&out, TABLES_BYTES);
    if (tables_json_write_all(
            knowledge_of(exchange->shard->pin->set, STR("statement"), caller.role), &out, &err) ==
        ERR_OK) {
        exchange_reply_json(exchange, 200, &out);
        return;
    }
    buf_fini(&out);
    exchange_fail(exchange, &err);
}

/* SPDX-License-Identifier: MIT */
/* backends/passages/ledger_pg.c - each call is one task of pg_passages.
 *
 * Happy path: the verb says the statements; rows of a list become entries as they come. Failure
 * paths: the table is not there: nothing is listed, nothing to remove; else as pg_passages.h. */
#include "backends/passages/ledger_pg.h"

#include "backends/ledger_errors.h"
#include "backends/passages/passage_pg.h"
#include "backends/passages/pg_passages.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

/* Under a lock of the transaction, since two may come first; its number is arbitrary. */
static const char lock_text[] = "SELECT pg_advisory_xact_lock(6100271735)";
static const char make_text[] =
    "CREATE TABLE IF NOT EXISTS askd_documents (collection text COLLATE \"C\" NOT NULL,"
    " company_id text COLLATE \"C\" NOT NULL, user_id text COLLATE \"C\" NOT NULL,"
    " name text COLLATE \"C\" NOT NULL, source text NOT NULL, title text NOT NULL,"
    " hash text NOT NULL, passages int8 NOT NULL, added_ms int8 NOT NULL,"
    " PRIMARY KEY (collection, company_id, user_id, name))";
static const char list_text[] = "SELECT collection, company_id, user_id, name, source, title, hash,"
                                " passages, added_ms FROM askd_documents";
static const char company_text[] = " WHERE company_id IN ('', $1)";
static const char order_text[] = " ORDER BY collection, company_id, user_id, name";
static const char put_text[] =
    "INSERT INTO askd_documents SELECT $1, $2, $3, $4, $5, $6, $7, $8::int8, $9::int8 WHERE true";
/* Under the lock of above nobody else puts, and what was put before is seen. */
static const char within_text[] =
    " AND (SELECT count(*) < $10::int8 AND coalesce(sum(passages), 0) + $8::int8 <= $11::int8"
    " FROM askd_documents WHERE company_id = $2"
    " AND (collection, user_id, name) IS DISTINCT FROM ($1::text, $3::text, $4::text))";
static const char replace_text[] =
    " ON CONFLICT (collection, company_id, user_id, name) DO UPDATE SET source = excluded.source,"
    " title = excluded.title, hash = excluded.hash, passages = excluded.passages,"
    " added_ms = excluded.added_ms RETURNING 1";
/* Who may change a document, until when by the server's clock. */
static const char make_claims_text[] =
    "CREATE TABLE IF NOT EXISTS askd_document_claims (collection text COLLATE \"C\" NOT NULL,"
    " company_id text COLLATE \"C\" NOT NULL, user_id text COLLATE \"C\" NOT NULL,"
    " name text COLLATE \"C\" NOT NULL, holder text NOT NULL, until timestamptz NOT NULL,"
    " PRIMARY KEY (collection, company_id, user_id, name))";
static const char forget_text[] =
    "DELETE FROM askd_document_claims WHERE until < clock_timestamp()";
static const char claim_text[] =
    "INSERT INTO askd_document_claims AS old VALUES ($1, $2, $3, $4, $5,"
    " clock_timestamp() + $6::int8 * interval '1 millisecond')"
    " ON CONFLICT (collection, company_id, user_id, name) DO UPDATE SET until = excluded.until"
    " WHERE old.holder = excluded.holder RETURNING 1";
#define OF_KEY " WHERE collection = $1 AND company_id = $2 AND user_id = $3 AND name = $4"
/* What comes before a change: a step without rows says why it is none, and holds the claim. */
static const char held_text[] =
    "SELECT 1 FROM askd_document_claims" OF_KEY " AND holder = $5 FOR UPDATE";
/* In the change itself, since all statements of a task are sent at once. */
static const char put_held_text[] =
    " AND EXISTS (SELECT 1 FROM askd_document_claims" OF_KEY " AND holder = ";
static const char yield_text[] = "DELETE FROM askd_document_claims" OF_KEY " AND holder = $5";
static const char key_text[] = OF_KEY;
static const char remove_text[] = "DELETE FROM askd_documents" OF_KEY;
static const char remove_held_text[] =
    "DELETE FROM askd_documents" OF_KEY " AND EXISTS (SELECT 1 FROM askd_document_claims" OF_KEY
    " AND holder = $5)";
enum { COLUMNS = 9 };

struct ledger_pg {
    struct ledger ledger;
    struct pg_passages *passages;
    struct closing closing; /* out: passages */
};

/* ---- statements ---- */

static void put_statement(struct pg_passages_run *run, const char *text)
{
    struct passage_pg statement;
    passage_pg_begin(&statement, &run->arena, text);
    passage_pg_end(&statement, &run->task);
}

static void put_key(struct passage_pg *statement, const struct ledger_entry *entry)
{
    passage_pg_put_str(statement, entry->collection);
    passage_pg_put_str(statement, entry->company_id);
    passage_pg_put_str(statement, entry->user_id);
    passage_pg_put_str(statement, entry->name);
}

/* A statement of entry's key and the holder. */
static void put_keyed(struct pg_passages_run *run, const char *text)
{
    const struct ledger_call *call = run->request;
    struct passage_pg statement;
    passage_pg_begin(&statement, &run->arena, text);
    put_key(&statement, call->entry);
    passage_pg_put_str(&statement, call->holder);
    passage_pg_end(&statement, &run->task);
}

/* ---- rows ---- */

static enum err_code take_entries(struct pg_passages_run *run, const struct pg_result *result,
                                  struct err *err)
{
    struct ledger_call *call = container_of(run->op, struct ledger_call, op);
    const size_t count = pg_task_row_count(result);
    struct ledger_entry *entries = arena_array(call->arena, count + 1, sizeof *entries);
    if (pg_task_column_count(result) != COLUMNS)
        return err_set(err, ERR_PROTOCOL, "PostgreSQL's list of documents has other columns");
    for (size_t row = 0; entries != NULL && row < count; row++) {
        struct ledger_entry *entry = &entries[row];
        struct str *const texts[] = {&entry->collection, &entry->company_id, &entry->user_id,
                                     &entry->name,       &entry->source,     &entry->title,
                                     &entry->hash};
        for (size_t i = 0; i < countof(texts); i++)
            *texts[i] = arena_str(call->arena, pg_task_cell(result, row, i));
        if (!str_to_u64(pg_task_cell(result, row, COLUMNS - 2), &entry->passages) ||
            !str_to_u64(pg_task_cell(result, row, COLUMNS - 1), &entry->added_ms))
            return err_set(err, ERR_PROTOCOL, "PostgreSQL's list of documents has wrong numbers");
    }
    if (!arena_ok(call->arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for the list of documents");
    call->entries = entries;
    call->count = count;
    return ERR_OK;
}

/* The last statement is what was asked for; of those before it only the claim can have no rows. */
static enum err_code take_rows(struct pg_task *task, size_t step, const struct pg_result *result,
                               struct err *err)
{
    struct pg_passages_run *run = task->arg;
    const bool has_none = pg_task_row_count(result) == 0;
    if (step + 1 < task->count)
        return has_none ? ledger_fail_claim(err) : ERR_OK;
    if (((const struct ledger_call *)run->request)->verb != LEDGER_PUT)
        return take_entries(run, result, err);
    return has_none ? ledger_fail_limits(err) : ERR_OK;
}

/* ---- what each verb is ---- */

static enum err_code prepare_list(struct pg_passages_run *run, struct err *err)
{
    const struct ledger_call *call = run->request;
    struct passage_pg statement;
    run->task.on_rows = take_rows;
    passage_pg_begin(&statement, &run->arena, list_text);
    if (!str_is_absent(call->company_id)) {
        passage_pg_put_str(&statement, call->company_id);
        buf_push(&statement.text, str_of(company_text));
    }
    buf_push(&statement.text, str_of(order_text));
    passage_pg_end(&statement, &run->task);
    return passage_pg_check(&run->arena, err);
}

static enum err_code prepare_put(struct pg_passages_run *run, struct err *err)
{
    const struct ledger_call *call = run->request;
    const struct ledger_entry *entry = call->entry;
    struct passage_pg statement;
    run->task.on_rows = take_rows;
    put_statement(run, lock_text);
    put_statement(run, make_text);
    if (!str_is_absent(call->holder))
        put_keyed(run, held_text);
    passage_pg_begin(&statement, &run->arena, put_text);
    put_key(&statement, entry);
    passage_pg_put_str(&statement, entry->source);
    passage_pg_put_str(&statement, entry->title);
    passage_pg_put_str(&statement, entry->hash);
    passage_pg_put_u64(&statement, entry->passages);
    passage_pg_put_u64(&statement, entry->added_ms);
    if (call->limits != NULL) {
        passage_pg_put_u64(&statement, call->limits->documents);
        passage_pg_put_u64(&statement, call->limits->passages);
        buf_push(&statement.text, str_of(within_text));
    }
    if (!str_is_absent(call->holder)) {
        passage_pg_put_str(&statement, call->holder);
        buf_printf(&statement.text, "%s$%zu)", put_held_text, statement.param_count);
    }
    buf_push(&statement.text, str_of(replace_text));
    passage_pg_end(&statement, &run->task);
    return passage_pg_check(&run->arena, err);
}

static enum err_code prepare_remove(struct pg_passages_run *run, struct err *err)
{
    const struct ledger_call *call = run->request;
    struct passage_pg statement;
    run->task.on_rows = take_rows;
    if (!str_is_absent(call->holder)) {
        put_keyed(run, held_text);
        put_keyed(run, remove_held_text);
        return passage_pg_check(&run->arena, err);
    }
    passage_pg_begin(&statement, &run->arena, remove_text);
    put_key(&statement, call->entry);
    passage_pg_end(&statement, &run->task);
    return passage_pg_check(&run->arena, err);
}

static enum err_code prepare_claim(struct pg_passages_run *run, struct err *err)
{
    const struct ledger_call *call = run->request;
    struct passage_pg statement;
    run->task.on_rows = take_rows;
    put_statement(run, lock_text);
    put_statement(run, make_text);
    put_statement(run, make_claims_text);
    put_statement(run, forget_text);
    passage_pg_begin(&statement, &run->arena, claim_text);
    put_key(&statement, call->entry);
    passage_pg_put_str(&statement, call->holder);
    passage_pg_put_u64(&statement, call->lease_ms);
    passage_pg_end(&statement, &run->task);
    passage_pg_begin(&statement, &run->arena, list_text);
    put_key(&statement, call->entry);
    buf_push(&statement.text, str_of(key_text));
    passage_pg_end(&statement, &run->task);
    return passage_pg_check(&run->arena, err);
}

static enum err_code prepare_yield(struct pg_passages_run *run, struct err *err)
{
    put_keyed(run, yield_text);
    return passage_pg_check(&run->arena, err);
}

/* ---- calls ---- */

static void end(struct pg_passages_run *run, struct err *err)
{
    if (err->code != ERR_OK && pg_passages_lacks_table(run))
        *err = (struct err){0}; /* nothing was ever added */
}

static const struct pg_passages_kind courses[] = {
    [LEDGER_LIST] = {prepare_list, end, false},    [LEDGER_PUT] = {prepare_put, end, true},
    [LEDGER_REMOVE] = {prepare_remove, end, true}, [LEDGER_CLAIM] = {prepare_claim, end, true},
    [LEDGER_YIELD] = {prepare_yield, end, true},
};

static void cancel(struct op *op)
{
    pg_passages_cancel(container_of(op, struct ledger_call, op)->impl);
}

static void release(struct op *op)
{
    struct ledger_call *call = container_of(op, struct ledger_call, op);
    pg_passages_release(call->impl);
    call->impl = NULL;
}

static const struct op_kind kind = {.name = "ledger.pg", .cancel = cancel, .release = release};

static void start(struct ledger *ledger, struct ledger_call *call, struct op_waiter waiter)
{
    struct ledger_pg *pg = container_of(ledger, struct ledger_pg, ledger);
    op_begin(&call->op, &kind, ledger->loop, waiter);
    call->impl = pg_passages_start(pg->passages, &call->op, &courses[call->verb], call, 0);
}

/* ---- making, closing ---- */

static void free_ledger(struct closing *closing)
{
    mem_free(container_of(closing, struct ledger_pg, closing));
}

static void close_ledger(struct ledger *ledger, void (*on_closed)(void *owner), void *owner)
{
    struct ledger_pg *pg = container_of(ledger, struct ledger_pg, ledger);
    closing_begin(&pg->closing, on_closed, owner);
    closing_enter(&pg->closing);
    pg_passages_close(pg->passages, closing_leave_part, &pg->closing);
}

static const struct ledger_vtable vtable = {"postgresql", start, close_ledger};

struct ledger *ledger_pg_create(struct loop *loop, const char *url, struct err *err)
{
    static closing_fn *const steps[] = {free_ledger, NULL};
    struct ledger_pg *pg = mem_zalloc(1, sizeof *pg);
    if (pg == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for the ledger of documents");
        return NULL;
    }
    pg->ledger = (struct ledger){&vtable, loop};
    closing_init(&pg->closing, loop, steps);
    pg->passages = pg_passages_create(loop, url, err);
    if (pg->passages != NULL)
        return &pg->ledger;
    mem_free(pg);
    return NULL;
}

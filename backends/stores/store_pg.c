/* SPDX-License-Identifier: MIT */
/* backends/stores/store_pg.c - core/store over pg_task: a call is one function in one transaction.
 *
 * Happy path: its turn comes, companies in turns; the ask goes out as a function's parameters, as
 * store_wire.h has its fields, its rows are copied into the call.
 * Failure paths:
 *   no such schema or function    the tables are made, once a call; then again
 *   no connection, lost, deadlock again after a short jittered pause, while the deadline lasts; the
 *                                 functions know by the token, or by what they find, what they did
 *   the deadline                  ERR_TIMEOUT, or ERR_UNAVAILABLE saying what was wrong
 *   another format                ERR_PROTOCOL; what else PostgreSQL refuses: ERR_UNAVAILABLE, in
 *                                 its words
 *   the store closes              all calls end with ERR_CANCELLED */
#include "backends/stores/store_pg.h"

#include <string.h>

#include "backends/sql/pg_rows.h"
#include "backends/sql/pg_task.h"
#include "backends/stores/store_attend.h"
#include "backends/stores/store_pg_sql.h"
#include "backends/stores/store_try.h"
#include "backends/stores/store_wire.h"
#include "core/base/mem.h"
#include "core/loop/gate.h"

enum { MOST_WAITING = 4096 };
enum { TYPE_BOOL = 16, TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_BYTEA_ARRAY = 1001 };
enum { ARRAY_HEAD = 20, LENGTH_BYTES = 4 };
enum { SEPARATOR = 0xFF }; /* between question and answer: no text that is looked for holds it */
enum { AT_KIND, AT_NUMBERS, AT_TEXTS = 8, COLUMNS = 16 }; /* of a row */
enum { DEFAULT_CONNECTIONS = 4, LOCK_BYTES = 1 << 16 };
enum { MAKING_MS = 30 * 1000 }; /* the tables, once, however slow the server is */

static const size_t ask_bytes = (size_t)256 << 20;
static const size_t message_bytes = (size_t)2 * STORE_ANSWER_BYTES + (1 << 20); /* bytes in hex */
static const char other_format[] = "AK001"; /* as tables.sql raises it */

struct store_pg {
    struct store store;
    struct pg_target *target;
    struct pg_conn_site site;
    struct conn_pool *pool;
    struct gate gate; /* a place for each connection */
    char *sql;        /* that makes the tables */
    struct store_tries tries;
    struct list asked; /* calls not yet ended */
    struct store_attend attend;
    struct conn_pool *lock_pool; /* one connection, whose session holds attend's lock */
    struct pg_task lock;
    struct pg_conn_param lock_param;
    bool is_locked, makes_tables; /* the tables are made, since they are not there yet */
    struct closing closing;       /* out: calls, then the pool */
};

struct asked { /* one call on its way: call->impl */
    struct store_try try;
    struct list link;
    struct store_pg *pg;
    struct store_attend_wait wait;
    struct gate_ticket ticket;
    struct pg_task task;
    struct arena arena;    /* of the parameters */
    enum err_code verdict; /* of the function; ERR_OK: none, or that */
    bool is_making, was_made;
};

static struct asked *asked_of(struct store_try *try)
{
    return container_of(try, struct asked, try);
}

static struct store_pg *pg_of(struct store *store)
{
    return container_of(store, struct store_pg, store);
}

/* ---- asks: one function call each, its parameters typed ---- */

/* first, a separator and second with small letters; second absent: first alone. */
static struct str fold(struct arena *arena, struct str first, struct str second)
{
    bool is_pair = !str_is_absent(second);
    size_t len = first.len + (is_pair ? 1 + second.len : 0);
    char *folded = arena_alloc(arena, size_max(len, 1));
    if (folded == NULL)
        return (struct str){0};
    for (size_t i = 0; i < first.len; i++)
        folded[i] = str_lower(first.at[i]);
    if (is_pair)
        folded[first.len] = (char)SEPARATOR;
    for (size_t i = 0; i < second.len; i++)
        folded[first.len + 1 + i] = str_lower(second.at[i]);
    return str_make(folded, len);
}

static struct pg_conn_param param_of(struct arena *arena, enum store_wire_type type,
                                     struct str word)
{
    switch (type) {
    case STORE_WIRE_SOUGHT:
        word = fold(arena, word, (struct str){0});
        return (struct pg_conn_param){word.at, word.len, TYPE_BYTEA, true};
    case STORE_WIRE_TEXT:
    case STORE_WIRE_TITLE:
    case STORE_WIRE_TOKEN:
        return (struct pg_conn_param){word.at, word.len, TYPE_BYTEA, true};
    default: /* digits, which end where their text does in the arena */
        return (struct pg_conn_param){.value = arena_cstr(arena, word),
                                      .len = word.len,
                                      .type = type == STORE_WIRE_TRUTH ? TYPE_BOOL : TYPE_INT8};
    }
}

static void put_u32(char *at, size_t value)
{
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        at[i] = (char)(value >> (8 * (LENGTH_BYTES - 1 - i)) & 0xFF);
}

/* As array_recv reads it: dimensions, no NULLs, the type, how many from 1 on, then each. */
static struct pg_conn_param array_of(struct arena *arena, const struct str *items, size_t count)
{
    size_t bytes = ARRAY_HEAD;
    for (size_t i = 0; i < count; i++)
        bytes += LENGTH_BYTES + items[i].len;
    char *array = arena_alloc(arena, bytes), *at = array;
    if (array == NULL)
        return (struct pg_conn_param){0};
    const size_t head[] = {count > 0, 0, TYPE_BYTEA, count, 1};
    for (size_t i = 0; i < countof(head); i++, at += LENGTH_BYTES)
        put_u32(at, head[i]);
    for (size_t i = 0; i < count; i++) {
        put_u32(at, items[i].len);
        at += LENGTH_BYTES;
        if (items[i].len > 0)
            memcpy(at, items[i].at, items[i].len);
        at += items[i].len;
    }
    size_t len = count > 0 ? bytes : ARRAY_HEAD - 2 * LENGTH_BYTES; /* of no dimension */
    return (struct pg_conn_param){array, len, TYPE_BYTEA_ARRAY, true};
}

/* All words of a list; each item of one that is searched gets its text in small letters, too. */
static struct pg_conn_param list_of(struct arena *arena, const struct store_call *call,
                                    const struct store_wire_list *list)
{
    struct store_wire_words words = {.arena = arena};
    size_t count = store_wire_list_count(call, list);
    store_wire_push_list(&words, call, list);
    if (!list->is_searched || !arena_ok(arena))
        return array_of(arena, words.at, words.count);
    struct str *items = arena_array(arena, count * (list->count + 1) + 1, sizeof *items);
    if (items == NULL)
        return (struct pg_conn_param){0};
    for (size_t i = 0; i < count; i++) {
        const struct store_turn *turn = &call->ask.save->turns[i];
        struct str *item = &items[i * (list->count + 1)];
        memcpy(item, words.at + i * list->count, list->count * sizeof *item);
        item[list->count] = fold(arena, turn->question, turn->answer);
    }
    return array_of(arena, items, count * (list->count + 1));
}

/* "SELECT * FROM askd_store.v1_list($1,$2,$3,$4)"; NULL: no memory. */
static const char *statement_of(struct arena *arena, const char *function, size_t params)
{
    static const char all[] = "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,";
    size_t len = params <= 9 ? 3 * params : 27 + 4 * (params - 9);
    CHECK(params > 0 && len < sizeof all);
    return arena_printf(arena, "SELECT * FROM askd_store.%s(%.*s)", function, (int)(len - 1), all)
        .at;
}

/* Make the call's function the one statement of the task. What it points at is in asked's arena, or
 * the ask's. False: no memory. */
static bool write_ask(struct asked *asked)
{
    struct arena *arena = &asked->arena;
    const struct store_call *call = asked->try.call;
    const struct store_wire_verb *verb = store_wire_verb_of(call->verb);
    struct store_wire_words words = {.arena = arena};
    size_t count = verb->count + verb->list_count;
    store_wire_push_fields(&words, call, str_of(asked->try.token.text));
    struct pg_conn_param *params = arena_array(arena, count, sizeof *params);
    if (params == NULL || !arena_ok(arena))
        return false;
    for (size_t i = 0; i < verb->count; i++)
        params[i] = param_of(arena, verb->fields[i].type, words.at[i]);
    for (size_t i = 0; i < verb->list_count; i++)
        params[verb->count + i] = list_of(arena, call, &verb->lists[i]);
    asked->task.statements[0] =
        (struct pg_task_statement){statement_of(arena, verb->function, count), params, count};
    asked->task.count = 1;
    asked->task.writes = store_verb_effect(call->verb) != STORE_READS;
    return arena_ok(arena);
}

/* ---- answers: rows of askd_store.v1_row, each what it is, numbers, texts ---- */

struct row { /* read in order; texts go to arena */
    struct store_wire_source source;
    const struct pg_result *result;
    struct arena *arena;
    size_t at, numbers, texts;
};

static bool next_text(struct store_wire_source *source, struct str *text)
{
    struct row *row = container_of(source, struct row, source);
    struct str cell = pg_task_cell(row->result, row->at, AT_TEXTS + row->texts++);
    *text = pg_rows_bytea(row->arena, cell);
    return true;
}

static bool next_number(struct store_wire_source *source, uint64_t *number)
{
    struct row *row = container_of(source, struct row, source);
    return str_to_u64(pg_task_cell(row->result, row->at, AT_NUMBERS + row->numbers++), number);
}

static struct row row_of(const struct pg_result *result, struct arena *arena, size_t at)
{
    return (struct row){
        {"the store in PostgreSQL", next_text, next_number}, result, arena, at, 0, 0};
}

static enum err_code add_record(struct store_call *call, struct row *row, struct err *err)
{
    struct str name = pg_task_cell(row->result, row->at, AT_KIND);
    for (enum store_wire_kind kind = 0; kind < STORE_WIRE_KINDS; kind++) {
        if (!str_equal(name, str_of(store_wire_kind_name(kind))))
            continue;
        enum err_code code = store_wire_add(call, kind, &row->source, err);
        return code == ERR_OK && !arena_ok(row->arena)
                   ? err_set(err, ERR_TOO_LARGE, "the answer of the store is over its limit")
                   : code;
    }
    return store_wire_strange(&row->source, err);
}

/* Fill the call's answers from a result: the first row has the code and the call's numbers, each
 * further one a record. The code that the function gave, or ERR_PROTOCOL, ERR_TOO_LARGE. */
static enum err_code read_answer(struct store_call *call, const struct pg_result *result,
                                 struct err *err)
{
    struct arena arena;
    struct row head = row_of(result, &arena, 0);
    size_t rows = pg_task_row_count(result);
    if (rows == 0 || pg_task_column_count(result) != COLUMNS)
        return store_wire_strange(&head.source, err);
    arena_init(&arena, STORE_ANSWER_BYTES);
    enum err_code given = store_wire_read_numbers(call, &head.source, err);
    if (given == ERR_OK)
        given = store_wire_code(call, pg_task_cell(result, 0, AT_KIND), &head.source, err);
    enum err_code code = given;
    for (size_t i = 1; i < rows && code == given && given != ERR_PROTOCOL; i++) {
        struct row row = row_of(result, &arena, i);
        enum err_code added = add_record(call, &row, err);
        code = added == ERR_OK ? code : added;
        arena_fini(&arena); /* the call has copies */
    }
    arena_fini(&arena);
    return code;
}

/* ---- a call's course ---- */

static void drop(struct store_try *try)
{
    struct asked *asked = asked_of(try);
    op_release(&asked->task.op);
    op_release(&asked->ticket.op);
    arena_fini(&asked->arena);
    list_remove(&asked->link);
    mem_free(asked);
}

static void on_answered(struct op *op);

static enum err_code take_rows(struct pg_task *task, size_t step UNUSED,
                               const struct pg_result *result, struct err *err)
{
    struct asked *asked = task->arg;
    if (!asked->is_making)
        asked->verdict = read_answer(asked->try.call, result, err);
    return asked->verdict;
}

static void ask(struct store_try *try)
{
    struct asked *asked = asked_of(try);
    asked->verdict = ERR_OK;
    arena_fini(&asked->arena);
    if (asked->is_making) {
        asked->task.statements[0] = (struct pg_task_statement){.text = asked->pg->sql};
        asked->task.count = 1;
        asked->task.writes = true;
    } else if (!write_ask(asked)) {
        store_try_finish_as(try, ERR_NO_MEMORY, "no memory to ask the store");
        return;
    }
    asked->task.timeout_ms = store_try_left_ms(try);
    asked->task.message_bytes = message_bytes;
    asked->task.on_rows = take_rows;
    asked->task.arg = asked;
    pg_task_start(&asked->task, asked->pg->store.loop, asked->pg->pool,
                  (struct op_waiter){.done = on_answered, .owner = asked});
}

static void on_let_in(struct op *op)
{
    struct asked *asked = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_BUSY)
        err.code = ERR_UNAVAILABLE;
    if (err.code == ERR_OK && !asked->try.is_cancelled)
        store_try_ask(&asked->try);
    else if (err.code == ERR_OK)
        store_try_finish_as(&asked->try, ERR_CANCELLED, "the call of the store was cancelled");
    else
        store_try_finish(&asked->try, &err);
}

static bool is_task_state(const struct pg_task *task, const char *sqlstate)
{
    return strncmp(task->sqlstate, sqlstate, strlen(sqlstate)) == 0;
}

static bool is_state(const struct asked *asked, const char *sqlstate)
{
    return is_task_state(&asked->task, sqlstate);
}

/* What PostgreSQL refuses is not our caller's input. */
static void rename_refusal(const struct asked *asked, struct err *err)
{
    if (is_state(asked, other_format) || is_state(asked, "XX00")) /* or what is stored is broken */
        err->code = ERR_PROTOCOL;
    else if (err->code == ERR_REJECTED || err->code == ERR_DENIED || err->code == ERR_BUSY)
        err->code = ERR_UNAVAILABLE;
}

static bool lacks_tables(const struct pg_task *task)
{
    static const char *const states[] = {"3F000", "42883", "42P01"}; /* schema, function, table */
    for (size_t i = 0; i < countof(states); i++)
        if (is_task_state(task, states[i]))
            return true;
    return false;
}

/* A deadlock or a lost connection passes by itself. */
static bool may_pass(const struct asked *asked)
{
    return asked->task.op.err.code == ERR_UNAVAILABLE || is_state(asked, "40");
}

static void fail_or_repeat(struct asked *asked)
{
    struct err err = asked->task.op.err;
    if (lacks_tables(&asked->task) && !asked->was_made && !asked->try.is_cancelled) {
        asked->is_making = asked->was_made = true;
        store_try_extend(&asked->try, MAKING_MS);
        store_try_ask(&asked->try);
    } else if (!may_pass(asked) || !store_try_again(&asked->try, err.code)) {
        rename_refusal(asked, &err);
        store_try_finish(&asked->try, &err);
    }
}

static void on_answered(struct op *op)
{
    struct asked *asked = op_owner(op);
    struct err err = op->err;
    bool is_verdict = asked->verdict != ERR_OK && err.code == asked->verdict;
    if (err.code == ERR_OK && asked->is_making) {
        asked->is_making = false;
        store_try_ask(&asked->try);
    } else if (is_verdict && err.code == ERR_NOT_FOUND && asked->try.call->verb == STORE_ERASE &&
               (asked->try.attempts > 1 || asked->task.is_retried)) {
        err = (struct err){.code = ERR_OK}; /* by an earlier attempt, perhaps: it is gone */
        store_try_finish(&asked->try, &err);
    } else if (err.code == ERR_OK || is_verdict) {
        store_try_finish(&asked->try, &err);
    } else {
        fail_or_repeat(asked);
    }
}

/* ---- the vtable ---- */

static void enter(struct asked *asked)
{
    store_wire_caller(asked->try.call, &asked->ticket);
    gate_enter_start(&asked->ticket, &asked->pg->gate, asked->pg->tries.timeout_ms,
                     (struct op_waiter){.done = on_let_in, .owner = asked});
}

static void on_attended(struct store_attend_wait *wait)
{
    struct asked *asked = container_of(wait, struct asked, wait);
    if (store_try_goes_on(&asked->try))
        enter(asked);
}

/* The last that is done with asked, which may be gone then. */
static void give_up(struct asked *asked)
{
    store_try_cancel(&asked->try);
    op_cancel(&asked->ticket.op);
    op_cancel(&asked->task.op);
    if (list_is_linked(&asked->wait.link)) {
        list_remove(&asked->wait.link);
        on_attended(&asked->wait);
    }
}

static void cancel_call(struct op *op)
{
    struct asked *asked = container_of(op, struct store_call, op)->impl;
    if (asked != NULL) /* else it is finishing since its start */
        give_up(asked);
}

static const struct op_kind call_kind = {
    .name = "store.postgres", .cancel = cancel_call, .release = store_call_release};

static void start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct store_pg *pg = pg_of(store);
    op_begin(&call->op, &call_kind, store->loop, waiter);
    store_call_begin(call);
    struct asked *asked = mem_zalloc(1, sizeof *asked);
    call->impl = asked;
    if (asked != NULL) {
        asked->pg = pg;
        arena_init(&asked->arena, ask_bytes);
        list_push(&pg->asked, &asked->link);
    }
    if (!store_try_begin(asked == NULL ? NULL : &asked->try, call, &pg->tries))
        return;
    if (!store_attend_await(&pg->attend, call->verb, &asked->wait, on_attended))
        enter(asked);
}

/* ---- attending: the lock of a session that runs.sql looks for ---- */

static void lock(struct store_attend *attend);

/* Without tables nothing can say who is known: they are made, and the lock taken then. */
static void on_locked(struct op *op)
{
    struct store_pg *pg = op_owner(op);
    bool is_fine = op->err.code == ERR_OK, was_making = pg->makes_tables;
    op_release(op);
    pg->makes_tables = !is_fine && !was_making && lacks_tables(&pg->lock);
    if (!closing_is_begun(&pg->closing) && (pg->makes_tables || (is_fine && was_making)))
        lock(&pg->attend);
    else
        store_attend_again(&pg->attend, is_fine && pg->is_locked);
}

static void on_lock_lost(void *user)
{
    struct store_pg *pg = user;
    store_attend_lost(&pg->attend);
}

/* Not taken: a session that was cut has it until the server knows. */
static enum err_code take_lock(struct pg_task *task, size_t step UNUSED,
                               const struct pg_result *result, struct err *err UNUSED)
{
    struct store_pg *pg = task->arg;
    if (!pg->makes_tables)
        pg->is_locked = str_equal(pg_task_cell(result, 0, 0), STR("t"));
    return ERR_OK;
}

/* A lock that the session has already is counted, and nothing else. Who has it is known from now on
 * (v6_end_leases). */
static void lock(struct store_attend *attend)
{
    static const char text[] =
        "WITH sign AS MATERIALIZED"
        " (SELECT pg_try_advisory_lock(610027174, hashtext(encode($1::bytea, 'hex'))) AS is_ours),"
        " known AS (INSERT INTO askd_store.alive SELECT $1, NULL FROM sign WHERE is_ours"
        " ON CONFLICT DO NOTHING) SELECT is_ours FROM sign";
    struct store_pg *pg = container_of(attend, struct store_pg, attend);
    struct str instance = str_of(attend->instance.text);
    pg->lock_param = (struct pg_conn_param){instance.at, instance.len, TYPE_BYTEA, true};
    pg->lock.statements[0] = pg->makes_tables
                                 ? (struct pg_task_statement){.text = pg->sql}
                                 : (struct pg_task_statement){text, &pg->lock_param, 1};
    pg->lock.count = 1;
    pg->lock.writes = true;
    pg->lock.timeout_ms = pg->makes_tables    ? MAKING_MS
                          : attend->is_coming ? pg->tries.timeout_ms
                                              : STORE_ATTEND_TIMEOUT_MS;
    pg->lock.message_bytes = LOCK_BYTES;
    pg->lock.on_rows = take_lock;
    pg->lock.arg = pg;
    pg->is_locked = false;
    pg_task_start(&pg->lock, pg->store.loop, pg->lock_pool,
                  (struct op_waiter){.done = on_locked, .owner = pg});
}

static void attend(struct store *store, struct str instance)
{
    struct store_pg *pg = pg_of(store);
    store_attend_start(&pg->attend, store->loop, &pg->closing, instance, lock);
}

static enum err_code ready(struct store *store, struct err *err)
{
    return conn_pool_ready(pg_of(store)->pool, err);
}

static void free_store(struct store_pg *pg)
{
    gate_fini(&pg->gate);
    pg_target_destroy(pg->target);
    mem_free(pg->sql);
    mem_free(pg);
}

static void close_pools(struct closing *closing)
{
    struct store_pg *pg = container_of(closing, struct store_pg, closing);
    closing_enter(closing);
    conn_pool_close(pg->pool, closing_leave_part, closing);
    closing_enter(closing);
    conn_pool_close(pg->lock_pool, closing_leave_part, closing);
}

static void free_closed(struct closing *closing)
{
    free_store(container_of(closing, struct store_pg, closing));
}

static void close_store(struct store *store, void (*on_closed)(void *owner), void *owner)
{
    struct store_pg *pg = pg_of(store);
    closing_begin(&pg->closing, on_closed, owner);
    store_attend_stop(&pg->attend);
    op_cancel(&pg->lock.op);
    LIST_EACH_SAFE(link, &pg->asked)
        give_up(list_item(link, struct asked, link));
}

/* With a terminator, as libpq wants it. NULL: no memory. */
static char *copy_sql(void)
{
    char *sql = mem_alloc(store_pg_sql.len + 1);
    if (sql != NULL) {
        memcpy(sql, store_pg_sql.at, store_pg_sql.len);
        sql[store_pg_sql.len] = '\0';
    }
    return sql;
}

/* False: no memory, and no pool is open. */
static bool open_pools(struct store_pg *pg, size_t size)
{
    const struct conn_pool_options many = {.size = size, .queue_limit = MOST_WAITING};
    const struct conn_pool_options one = {.size = 1,
                                          .queue_limit = 1,
                                          .recycle_ms = UINT64_MAX / 2,
                                          .check_after_ms = UINT64_MAX / 2,
                                          .on_idle_lost = on_lock_lost,
                                          .user = pg};
    pg->pool = conn_pool_create(pg->store.loop, &pg_conn_kind, &pg->site, &many);
    pg->lock_pool = conn_pool_create(pg->store.loop, &pg_conn_kind, &pg->site, &one);
    if (pg->pool != NULL && pg->lock_pool != NULL)
        return true;
    if (pg->pool != NULL)
        conn_pool_close(pg->pool, NULL, NULL);
    if (pg->lock_pool != NULL)
        conn_pool_close(pg->lock_pool, NULL, NULL);
    return false;
}

struct store *store_pg_create(struct loop *loop, const struct store_pg_options *options,
                              struct err *err)
{
    static const struct store_vtable vtable = {"postgres", start, ready, close_store, attend};
    static closing_fn *const steps[] = {close_pools, free_closed, NULL};
    struct store_pg *pg = mem_zalloc(1, sizeof *pg);
    if (pg == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a store");
        return NULL;
    }
    pg->store = (struct store){&vtable, loop};
    store_tries_init(&pg->tries, loop, &pg->closing, options->timeout_ms);
    pg->tries.ask = ask;
    pg->tries.drop = drop;
    list_init(&pg->asked);
    closing_init(&pg->closing, loop, steps);
    pg->target = pg_target_create(options->url, err);
    if (pg->target == NULL)
        goto fail;
    pg->site = (struct pg_conn_site){
        .loop = loop, .target = pg->target, .connect_ms = pg->tries.timeout_ms};
    size_t size = options->connections == 0 ? DEFAULT_CONNECTIONS : options->connections;
    gate_init(&pg->gate, loop, "connections of the store", size, MOST_WAITING);
    pg->sql = copy_sql();
    if (pg->sql != NULL && open_pools(pg, size))
        return &pg->store;
    err_set(err, ERR_NO_MEMORY, "no memory for a store");
fail:
    free_store(pg);
    return NULL;
}

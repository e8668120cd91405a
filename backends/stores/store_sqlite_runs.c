/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_runs.c - runs, their leases and what they said.
 *
 * Leases are kept by the machine's clock since its start, which is the same for all processes that
 * can share the file: a wall clock that jumps would take over live runs. They are told by the wall
 * clock.
 *
 * Failure: as core/store/store_asks.h says of each call; SQLite's, told by sqlite_row_end. */
#include <sqlite3.h>

#include "backends/stores/store_sqlite_alive.h"
#include "backends/stores/store_sqlite_internal.h"
#include "core/store/event.h"

#define RUN_COLUMNS                                                                                \
    "run_id, conversation_id, company_id, user_id, graph, input, idempotency_key, instance, "      \
    "epoch, began_ms, changed_ms, lease_until_ms, last_event_id, status, cancel_asked"

/* cancel_asked: 0, 1, or this when the run is to be forgotten, too. */
enum { FORGET = 2 };

/* The time of a run's end: now, or just behind that of the user's run that ended last. */
#define END_OF(now)                                                                                \
    "max(" now ", coalesce((SELECT max(o.changed_ms) + 1 FROM runs o"                              \
    " WHERE o.company_id = runs.company_id AND o.user_id = runs.user_id AND o.status > 1), 0))"

/* ?1 to ?3 name the caller and the conversation as far as they do. */
#define IS_OF                                                                                      \
    "(?1 = '' OR conversation_id = ?1) AND (?2 = '' OR company_id = ?2)"                           \
    " AND (?3 = '' OR user_id = ?3)"

static void bind_key(struct sqlite_row *row, const struct identity *key)
{
    sqlite_row_text(row, key->conversation_id);
    sqlite_row_text(row, key->company_id);
    sqlite_row_text(row, key->user_id);
}

static enum err_code no_run(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "there is no such run");
}

static enum err_code lost(struct err *err)
{
    return err_set(err, ERR_CONFLICT, "the run has ended or is another instance's now");
}

/* All rows of a SELECT of RUN_COLUMNS. */
static enum err_code add_runs(const struct store_sqlite_job *job, struct sqlite_row *row,
                              struct err *err)
{
    enum err_code added = ERR_OK;
    while (added == ERR_OK && sqlite_row_next(row)) {
        struct store_run run = {
            .run_id = sqlite_row_text_at(row, 0),
            .key = {sqlite_row_text_at(row, 1), sqlite_row_text_at(row, 2),
                    sqlite_row_text_at(row, 3)},
            .graph = sqlite_row_text_at(row, 4),
            .input = sqlite_row_bytes_at(row, 5),
            .idempotency_key = sqlite_row_text_at(row, 6),
            .instance = sqlite_row_text_at(row, 7),
            .epoch = sqlite_row_number_at(row, 8),
            .began_ms = sqlite_row_number_at(row, 9),
            .changed_ms = sqlite_row_number_at(row, 10),
            .lease_until_ms = job->now_ms + sqlite_row_number_at(row, 11) - job->steady_ms,
            .last_event_id = sqlite_row_number_at(row, 12),
            .status = (enum store_status)sqlite_row_number_at(row, 13),
            .cancel_asked = sqlite_row_number_at(row, 14) != 0,
            .forget_asked = sqlite_row_number_at(row, 14) == FORGET,
        };
        run.last_event_id = store_sqlite_journal_last(job, run.run_id, run.last_event_id);
        added = store_add_run(job->call, &run);
    }
    enum err_code code = sqlite_row_end(row, err);
    return added == ERR_OK ? code : added;
}

/* The run of this id that fits key, as the answer's only one. */
static enum err_code add_run(const struct store_sqlite_job *job, const struct identity *key,
                             struct str run_id, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT " RUN_COLUMNS " FROM runs WHERE run_id = ?4 AND " IS_OF);
    bind_key(&row, key);
    sqlite_row_text(&row, run_id);
    enum err_code code = add_runs(job, &row, err);
    return code == ERR_OK && job->call->run_count == 0 ? no_run(err) : code;
}

/* ---- beginning ---- */

static enum err_code add_by_key(const struct store_sqlite_job *job, const struct identity *key,
                                struct str idempotency_key, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT " RUN_COLUMNS " FROM runs WHERE conversation_id = ?1"
                              " AND (?2 = '' OR company_id = ?2) AND (?3 = '' OR user_id = ?3)"
                              " AND idempotency_key = ?4 LIMIT 1");
    bind_key(&row, key);
    sqlite_row_text(&row, idempotency_key);
    return add_runs(job, &row, err);
}

static enum err_code add_open(const struct store_sqlite_job *job, const struct identity *key,
                              struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT " RUN_COLUMNS " FROM runs WHERE conversation_id = ?1"
                              " AND company_id = ?2 AND user_id = ?3 AND status <= 1 LIMIT 1");
    bind_key(&row, key);
    return add_runs(job, &row, err);
}

/* Which version of its conversation the run begins with. */
static enum err_code tell_version(const struct store_sqlite_job *job, const struct identity *key,
                                  struct err *err)
{
    struct sqlite_row row = store_sqlite_row(job, "SELECT version FROM conversations WHERE id = ?1"
                                                  " AND company_id = ?2 AND user_id = ?3");
    bind_key(&row, key);
    job->call->knows_version = true;
    job->call->version = sqlite_row_next(&row) ? sqlite_row_number_at(&row, 0) : 0;
    return sqlite_row_end(&row, err);
}

static bool has_changed(const struct store_sqlite_job *job)
{
    return sqlite3_changes(job->db) > 0;
}

/* What is in the way of the run, as the answer's only run: one with its key, or one that has its
 * conversation. Asked in statements of their own: an INSERT that asks the table which it changes
 * has SQLite make a table for its one row, which costs more than all of this. */
static enum err_code add_rival(const struct store_sqlite_job *job, const struct store_begin *ask,
                               struct err *err)
{
    const struct store_run *run = &ask->run;
    enum err_code code = ERR_OK;
    if (!str_is_empty(run->idempotency_key))
        code = add_by_key(job, &run->key, run->idempotency_key, err);
    if (code == ERR_OK && job->call->run_count == 0 && ask->alone &&
        !str_is_empty(run->key.conversation_id))
        code = add_open(job, &run->key, err);
    return code;
}

/* Put the run, unless it is there already: then there is no answer. What is put is known: to ask
 * for it would have SQLite make a table for the one row. */
static enum err_code insert_run(const struct store_sqlite_job *job, const struct store_begin *ask,
                                struct err *err)
{
    const struct store_run *run = &ask->run;
    struct sqlite_row row = store_sqlite_row(
        job, "INSERT OR IGNORE INTO runs (conversation_id, company_id, user_id, run_id, graph,"
             " input, idempotency_key, instance, began_ms, changed_ms, lease_until_ms, epoch,"
             " last_event_id, status, cancel_asked)"
             " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, 1, 0, 0, 0)");
    bind_key(&row, &run->key);
    sqlite_row_text(&row, run->run_id);
    sqlite_row_text(&row, run->graph);
    sqlite_row_bytes(&row, run->input);
    sqlite_row_text(&row, run->idempotency_key);
    sqlite_row_text(&row, run->instance);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, job->steady_ms + ask->lease_ms);
    enum err_code code = sqlite_row_run(&row, err);
    if (code != ERR_OK || !has_changed(job))
        return code;
    code = tell_version(job, &run->key, err);
    if (code != ERR_OK)
        return code;
    struct store_run put = *run;
    put.epoch = 1;
    put.began_ms = put.changed_ms = job->now_ms;
    put.lease_until_ms = job->now_ms + ask->lease_ms;
    put.last_event_id = 0;
    put.status = STORE_RUNNING;
    put.cancel_asked = put.forget_asked = false;
    return store_add_run(job->call, &put);
}

/* The run itself, when it was begun before: the first answer was lost, or came too late. */
static enum err_code add_itself(const struct store_sqlite_job *job, struct str run_id,
                                struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT " RUN_COLUMNS " FROM runs WHERE run_id = ?1");
    sqlite_row_text(&row, run_id);
    return add_runs(job, &row, err);
}

static enum err_code begin(const struct store_sqlite_job *job, const struct store_begin *ask,
                           struct err *err)
{
    enum err_code code = add_rival(job, ask, err);
    bool is_free = code == ERR_OK && job->call->run_count == 0;
    if (is_free)
        code = insert_run(job, ask, err);
    if (code != ERR_OK || (is_free && job->call->run_count > 0))
        return code;
    job->call->run_count = 0; /* the run itself is no rival of its own */
    code = add_itself(job, ask->run.run_id, err);
    if (code == ERR_OK && job->call->run_count > 0 &&
        str_equal(job->call->runs[0].instance, ask->run.instance))
        return ERR_OK;
    if (code == ERR_OK && job->call->run_count == 0)
        code = add_rival(job, ask, err);
    if (code != ERR_OK)
        return code;
    CHECK(job->call->run_count > 0); /* in this transaction nothing else was in the way */
    return err_set(err, ERR_CONFLICT, "there is a run already: %.*s",
                   STR_ARG(job->call->runs[0].run_id));
}

enum err_code store_sqlite_begin(const struct store_sqlite_job *job, struct err *err)
{
    return begin(job, job->call->ask.begin, err);
}

static enum err_code put_mark(const struct store_sqlite_job *job, struct str run_id,
                              const struct store_checkpoint *checkpoint, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "INSERT OR IGNORE INTO marks VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    sqlite_row_text(&row, run_id);
    sqlite_row_number(&row, checkpoint->version);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, checkpoint->step);
    sqlite_row_number(&row, checkpoint->is_full);
    sqlite_row_bytes(&row, checkpoint->bytes);
    return sqlite_row_run(&row, err);
}

static enum err_code drop_marks(const struct store_sqlite_job *job, struct str run_id,
                                struct err *err)
{
    struct sqlite_row row = store_sqlite_row(job, "DELETE FROM marks WHERE run_id = ?1");
    sqlite_row_text(&row, run_id);
    return sqlite_row_run(&row, err);
}

/* The run of paused_id, if it is paused, is complete. */
static enum err_code complete_paused(const struct store_sqlite_job *job,
                                     const struct identity *caller, struct str paused_id,
                                     struct err *err)
{
    enum err_code code = add_run(job, caller, paused_id, err);
    if (code != ERR_OK)
        return code;
    if (job->call->runs[0].status != STORE_PAUSED)
        return err_set(err, ERR_CONFLICT, "the run does not wait for anybody (any more)");
    job->call->run_count = 0; /* the new one is the answer */
    struct sqlite_row row =
        store_sqlite_row(job, "UPDATE runs SET changed_ms = " END_OF("?2") ", status = 2"
                                                                           " WHERE run_id = ?1");
    sqlite_row_text(&row, paused_id);
    sqlite_row_number(&row, job->now_ms);
    code = sqlite_row_run(&row, err);
    return code == ERR_OK ? drop_marks(job, paused_id, err) : code;
}

enum err_code store_sqlite_resume(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_resume *ask = job->call->ask.resume;
    const struct store_run *run = &ask->begin.run;
    const struct identity caller = identity_user(&run->key);
    const struct store_checkpoint first = {.version = 1,
                                           .step = ask->checkpoint.step,
                                           .is_full = true,
                                           .bytes = ask->checkpoint.bytes};
    enum err_code code = complete_paused(job, &caller, ask->paused_id, err);
    if (code == ERR_OK)
        code = begin(job, &ask->begin, err);
    return code == ERR_OK ? put_mark(job, run->run_id, &first, err) : code;
}

/* ---- leases ---- */

/* The run's last event is known once all is settled that its last owner wrote. */
static enum err_code settle_claimed(const struct store_sqlite_job *job, struct err *err)
{
    struct str run_id = job->call->runs[0].run_id;
    job->call->run_count = 0;
    enum err_code code = store_sqlite_journal_settle_all(job, err);
    return code == ERR_OK ? add_itself(job, run_id, err) : code;
}

enum err_code store_sqlite_claim(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_claim *ask = job->call->ask.claim;
    const struct identity any = {STR(""), STR(""), STR("")};
    bool named = !str_is_empty(ask->run_id);
    if (store_sqlite_alive_end_leases(job->alive, job->db, err) != ERR_OK)
        return err->code;
    struct sqlite_row row = store_sqlite_row(
        job,
        named ? "UPDATE runs SET instance = ?1, epoch = epoch + 1, status = 0, changed_ms = ?2,"
                " lease_until_ms = ?4 + ?3 WHERE run_id = ?5"
                " AND (status = 1 OR (status = 0 AND lease_until_ms <= ?4)) RETURNING " RUN_COLUMNS
              : "UPDATE runs SET instance = ?1, epoch = epoch + 1, changed_ms = ?2,"
                " lease_until_ms = ?4 + ?3 WHERE run_id = (SELECT run_id FROM runs"
                " WHERE status = 0 AND lease_until_ms <= ?4 ORDER BY lease_until_ms LIMIT 1)"
                " RETURNING " RUN_COLUMNS);
    sqlite_row_text(&row, ask->instance);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, ask->lease_ms);
    sqlite_row_number(&row, job->steady_ms);
    if (named)
        sqlite_row_text(&row, ask->run_id);
    enum err_code code = add_runs(job, &row, err);
    if (code == ERR_OK && job->call->run_count > 0)
        return settle_claimed(job, err);
    if (code != ERR_OK)
        return code;
    if (!named || add_run(job, &any, ask->run_id, err) != ERR_OK)
        return no_run(err);
    return err_set(err, ERR_CONFLICT, "the run has ended or is another instance's");
}

#define IS_FENCED "run_id = ?1 AND instance = ?2 AND epoch = ?3 AND status = 0"

static void bind_fence(struct sqlite_row *row, const struct store_fence *fence)
{
    sqlite_row_text(row, fence->run_id);
    sqlite_row_text(row, fence->instance);
    sqlite_row_number(row, fence->epoch);
}

/* A change of the run that fence is for, which becomes the answer's run. */
static enum err_code change(const struct store_sqlite_job *job, struct sqlite_row *row,
                            struct err *err)
{
    enum err_code code = add_runs(job, row, err);
    return code == ERR_OK && job->call->run_count == 0 ? lost(err) : code;
}

enum err_code store_sqlite_renew(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_renew *ask = job->call->ask.renew;
    struct sqlite_row row =
        store_sqlite_row(job, "UPDATE runs SET changed_ms = ?4, lease_until_ms = ?5 + ?6"
                              " WHERE " IS_FENCED " RETURNING " RUN_COLUMNS);
    bind_fence(&row, &ask->fence);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, job->steady_ms);
    sqlite_row_number(&row, ask->lease_ms);
    return change(job, &row, err);
}

/* How often the fence of a running run has moved. */
static enum err_code count_moves(const struct store_sqlite_job *job, uint64_t *moves,
                                 struct err *err)
{
    struct sqlite_row row = store_sqlite_row(job, "SELECT moves FROM fences");
    *moves = sqlite_row_next(&row) ? sqlite_row_number_at(&row, 0) : 0;
    return sqlite_row_end(&row, err);
}

/* Drop checkpoints once the run has ended: those of its conversation's ended runs but the one that
 * began last; of a run without a conversation its own. */
static enum err_code drop_old_marks(const struct store_sqlite_job *job, struct str run_id,
                                    struct err *err)
{
    struct str ended[8]; /* older ones have none */
    size_t count = 0;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT * FROM (SELECT o.run_id FROM runs r CROSS JOIN runs o"
             " ON o.conversation_id = r.conversation_id AND o.company_id = r.company_id"
             " AND o.user_id = r.user_id WHERE r.run_id = ?1 AND r.conversation_id <> ''"
             " AND o.status > 1 ORDER BY o.rowid DESC LIMIT ?2 OFFSET 1) UNION ALL"
             " SELECT run_id FROM runs WHERE run_id = ?1 AND conversation_id = ''");
    sqlite_row_text(&row, run_id);
    sqlite_row_number(&row, countof(ended));
    while (count < countof(ended) && sqlite_row_next(&row))
        ended[count++] = arena_str(&job->call->arena, sqlite_row_text_at(&row, 0));
    enum err_code code = sqlite_row_end(&row, err);
    if (code == ERR_OK && !arena_ok(&job->call->arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for the names of runs");
    for (size_t i = 0; i < count && code == ERR_OK; i++)
        code = drop_marks(job, ended[i], err);
    return code;
}

#define ENDS ", status = ?5, last_event_id = max(last_event_id, ?6) WHERE " IS_FENCED

enum err_code store_sqlite_finish(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_finish *ask = job->call->ask.finish;
    struct store_verdict known = {0};
    uint64_t moves;
    enum err_code code = count_moves(job, &moves, err);
    if (code != ERR_OK)
        return code;
    /* whom nobody has come between since its events were judged has them noted with its end */
    bool is_known = store_sqlite_journal_knows(job, &ask->fence, moves, &known);
    if (!is_known)
        code = store_sqlite_journal_settle(job, ask->fence.run_id, err);
    if (code != ERR_OK)
        return code;
    struct sqlite_row row = store_sqlite_row(
        job, ask->status > STORE_PAUSED ? "UPDATE runs SET changed_ms = " END_OF("?4") ENDS
                                        : "UPDATE runs SET changed_ms = ?4" ENDS);
    bind_fence(&row, &ask->fence);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, ask->status);
    sqlite_row_number(&row, known.last_id);
    code = sqlite_row_run(&row, err);
    if (code == ERR_OK && !has_changed(job))
        return lost(err);
    if (code == ERR_OK && is_known)
        code = store_sqlite_journal_settle_noted(job, ask->fence.run_id, err);
    if (code != ERR_OK || ask->status <= STORE_PAUSED)
        return code;
    return drop_old_marks(job, ask->fence.run_id, err);
}

/* ---- finding ---- */

enum err_code store_sqlite_find(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_find *ask = job->call->ask.find;
    enum err_code code = ERR_OK;
    if (!str_is_empty(ask->run_id))
        code = add_run(job, &ask->key, ask->run_id, err);
    else if (!str_is_empty(ask->idempotency_key))
        code = add_by_key(job, &ask->key, ask->idempotency_key, err);
    if (code != ERR_OK)
        return code;
    return job->call->run_count == 0 ? no_run(err) : store_sqlite_journal_tell(job, err);
}

enum err_code store_sqlite_runs(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_runs *ask = job->call->ask.runs;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT " RUN_COLUMNS " FROM runs WHERE " IS_OF
             " AND (?4 = 0 OR status <= 1) ORDER BY began_ms DESC, rowid DESC LIMIT ?5");
    bind_key(&row, &ask->key);
    sqlite_row_number(&row, ask->only_open);
    sqlite_row_number(&row, store_rows(ask->limit));
    enum err_code code = add_runs(job, &row, err);
    return code == ERR_OK ? store_sqlite_journal_tell(job, err) : code;
}

enum err_code store_sqlite_ended(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_ended *ask = job->call->ask.ended;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT " RUN_COLUMNS " FROM runs WHERE company_id = ?1 AND user_id = ?2"
             " AND status > 1 AND (changed_ms, run_id) > (?3, ?4)"
             " ORDER BY changed_ms, run_id LIMIT ?5");
    sqlite_row_text(&row, ask->key.company_id);
    sqlite_row_text(&row, ask->key.user_id);
    sqlite_row_number(&row, ask->after_ms);
    sqlite_row_text(&row, ask->after_id);
    sqlite_row_number(&row, store_rows(ask->limit));
    enum err_code code = add_runs(job, &row, err);
    return code == ERR_OK ? store_sqlite_journal_tell(job, err) : code;
}

enum err_code store_sqlite_stop(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_stop *ask = job->call->ask.stop;
    struct sqlite_row row =
        store_sqlite_row(job, "UPDATE runs SET cancel_asked = max(cancel_asked, ?5 * (status <= 1))"
                              " WHERE run_id = ?4 AND " IS_OF " RETURNING " RUN_COLUMNS);
    bind_key(&row, &ask->key);
    sqlite_row_text(&row, ask->run_id);
    sqlite_row_number(&row, ask->forget ? FORGET : 1);
    enum err_code code = add_runs(job, &row, err);
    return code == ERR_OK && job->call->run_count == 0 ? no_run(err) : code;
}

/* ---- checkpoints ---- */

/* The last event of the run that fence is for, and what it is asked. */
static enum err_code find_last(const struct store_sqlite_job *job, const struct store_fence *fence,
                               struct store_verdict *verdict, struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT last_event_id, cancel_asked FROM runs WHERE " IS_FENCED);
    bind_fence(&row, fence);
    bool found = sqlite_row_next(&row);
    if (found) {
        verdict->last_id = sqlite_row_number_at(&row, 0);
        verdict->cancel_asked = sqlite_row_number_at(&row, 1) != 0;
        verdict->forget_asked = sqlite_row_number_at(&row, 1) == FORGET;
    }
    enum err_code code = sqlite_row_end(&row, err);
    return code == ERR_OK && !found ? lost(err) : code;
}

enum err_code store_sqlite_mark(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_mark *ask = job->call->ask.mark;
    struct store_verdict ignored;
    enum err_code code = find_last(job, &ask->fence, &ignored, err);
    if (code != ERR_OK)
        return code;
    return put_mark(job, ask->fence.run_id, &ask->checkpoint, err);
}

enum err_code store_sqlite_marks(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_marks *ask = job->call->ask.marks;
    struct store_call *call = job->call;
    enum err_code code = add_run(job, &ask->key, ask->run_id, err), added = ERR_OK;
    if (code != ERR_OK)
        return code;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT * FROM (SELECT version, time_ms, step, is_full,"
             " CASE WHEN ?4 = 0 THEN bytes ELSE x'' END FROM marks WHERE run_id = ?1 AND"
             " version < ?2 ORDER BY version DESC LIMIT ?3) ORDER BY version");
    sqlite_row_text(&row, ask->run_id);
    sqlite_row_number(&row, ask->before_version == 0 ? INT64_MAX : ask->before_version);
    sqlite_row_number(&row, store_rows(ask->limit));
    sqlite_row_number(&row, ask->only_list);
    while (added == ERR_OK && sqlite_row_next(&row))
        added = store_add_checkpoint(
            call, &(struct store_checkpoint){.version = sqlite_row_number_at(&row, 0),
                                             .time_ms = sqlite_row_number_at(&row, 1),
                                             .run_id = ask->run_id,
                                             .step = sqlite_row_number_at(&row, 2),
                                             .is_full = sqlite_row_number_at(&row, 3) != 0,
                                             .bytes = sqlite_row_bytes_at(&row, 4)});
    code = sqlite_row_end(&row, err);
    return added == ERR_OK ? code : added;
}

/* ---- events ---- */

/* Whether batch comes next. ERR_OK with *is_there: it is stored. */
static enum err_code judge_next(const struct store_append *ask, const struct store_verdict *verdict,
                                bool *is_there, struct err *err)
{
    uint64_t end_id = ask->batch.first_id + ask->batch.count - 1;
    *is_there = end_id <= verdict->last_id;
    if (!*is_there && !event_comes_next(ask->batch.first_id, verdict->last_id, ask->fence.epoch))
        return err_set(err, ERR_CONFLICT, "the events before these are not there");
    return ERR_OK;
}

/* The last event of the run, and whether batch comes next, as the run's row says. */
static enum err_code judge(const struct store_sqlite_job *job, const struct store_append *ask,
                           struct store_verdict *verdict, bool *is_there, struct err *err)
{
    enum err_code code = find_last(job, &ask->fence, verdict, err);
    if (code != ERR_OK)
        return code;
    verdict->last_id = store_sqlite_journal_last(job, ask->fence.run_id, verdict->last_id);
    return judge_next(ask, verdict, is_there, err);
}

/* The row of a run is read when its first batch comes, and again when fences have moved since. */
static enum err_code append_one(const struct store_sqlite_job *job, const struct store_append *ask,
                                uint64_t moves, struct store_verdict *verdict, struct err *err)
{
    bool is_there = false;
    bool is_known = store_sqlite_journal_knows(job, &ask->fence, moves, verdict);
    enum err_code code = is_known ? judge_next(ask, verdict, &is_there, err)
                                  : judge(job, ask, verdict, &is_there, err);
    if (code != ERR_OK || is_there)
        return code;
    code = store_sqlite_journal_add(job, ask, verdict->last_id, err);
    verdict->last_id = ask->batch.first_id + ask->batch.count - 1;
    if (code == ERR_OK && !is_known)
        store_sqlite_journal_note(job, &ask->fence, moves, verdict);
    return code;
}

enum err_code store_sqlite_append(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_append *ask = job->call->ask.append;
    struct store_verdict verdict = {0};
    bool is_there = false;
    enum err_code code = judge(job, ask, &verdict, &is_there, err);
    job->call->last_id = verdict.last_id;
    if (code != ERR_OK || is_there)
        return code;
    job->call->last_id = ask->batch.first_id + ask->batch.count - 1;
    code = store_sqlite_journal_settle(job, ask->fence.run_id, err);
    return code == ERR_OK ? store_sqlite_journal_insert(job, ask->fence.run_id, &ask->batch, err)
                          : code;
}

enum err_code store_sqlite_write(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_write *ask = job->call->ask.write;
    uint64_t moves;
    enum err_code code = count_moves(job, &moves, err);
    for (size_t i = 0; i < ask->count && code == ERR_OK; i++) {
        struct store_verdict verdict = {0};
        code = append_one(job, &ask->appends[i], moves, &verdict, err);
        verdict.is_kept = code == ERR_OK;
        if (code == ERR_CONFLICT) /* is its verdict, not the call's */
            *err = (struct err){.code = ERR_OK};
        if (code == ERR_OK || code == ERR_CONFLICT)
            code = store_add_verdict(job->call, &verdict);
    }
    return code == ERR_OK ? store_sqlite_journal_put(job, err) : code;
}

enum err_code store_sqlite_read(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_read *ask = job->call->ask.read;
    enum err_code code = add_run(job, &ask->key, ask->run_id, err);
    return code == ERR_OK ? store_sqlite_journal_read(job, ask->after_id, ask->limit_bytes, err)
                          : code;
}

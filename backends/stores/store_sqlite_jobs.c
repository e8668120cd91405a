/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_jobs.c - jobs: a row each, found by when they are due and whose they
 * are.
 *
 * Failure: as core/store/store_job_asks.h says of each call; SQLite's, told by sqlite_row_end. */
#include <sqlite3.h>

#include "backends/stores/store_sqlite_internal.h"
#include "backends/stores/store_wire.h"

#define COLUMNS                                                                                    \
    "conversation_id, company_id, user_id, kind, job_id, version, due_ms, began_ms, changed_ms, "  \
    "bytes"

static enum err_code no_job(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "there is no such job");
}

/* All rows of a statement with COLUMNS. */
static enum err_code add_jobs(struct store_call *call, struct sqlite_row *row, struct err *err)
{
    enum err_code added = ERR_OK;
    while (added == ERR_OK && sqlite_row_next(row))
        added = store_add_job(
            call, &(struct store_job){.key = {.conversation_id = sqlite_row_text_at(row, 0),
                                              .company_id = sqlite_row_text_at(row, 1),
                                              .user_id = sqlite_row_text_at(row, 2)},
                                      .kind = sqlite_row_text_at(row, 3),
                                      .job_id = sqlite_row_text_at(row, 4),
                                      .version = sqlite_row_number_at(row, 5),
                                      .due_ms = sqlite_row_number_at(row, 6),
                                      .began_ms = sqlite_row_number_at(row, 7),
                                      .changed_ms = sqlite_row_number_at(row, 8),
                                      .bytes = sqlite_row_bytes_at(row, 9)});
    enum err_code code = sqlite_row_end(row, err);
    return added == ERR_OK ? code : added;
}

static void bind_name(struct sqlite_row *row, struct str kind, struct str job_id)
{
    sqlite_row_text(row, kind);
    sqlite_row_text(row, job_id);
}

/* The version of the job (0: there is none), and whether it fits key. */
static enum err_code find(const struct store_sqlite_job *job, const struct identity *key,
                          struct str kind, struct str job_id, uint64_t *version, bool *is_of,
                          struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT version, conversation_id, company_id, user_id FROM jobs"
                              " WHERE kind = ?1 AND job_id = ?2");
    bind_name(&row, kind, job_id);
    *version = 0;
    *is_of = false;
    if (sqlite_row_next(&row)) {
        const struct identity owner = {.conversation_id = sqlite_row_text_at(&row, 1),
                                       .company_id = sqlite_row_text_at(&row, 2),
                                       .user_id = sqlite_row_text_at(&row, 3)};
        *version = sqlite_row_number_at(&row, 0);
        *is_of = identity_fits(&owner, key);
    }
    return sqlite_row_end(&row, err);
}

static enum err_code count_users(const struct store_sqlite_job *job, uint64_t *count,
                                 struct err *err)
{
    const struct store_job *put = &job->call->ask.put->job;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT count(*) FROM jobs WHERE company_id = ?1 AND user_id = ?2 AND kind = ?3");
    sqlite_row_text(&row, put->key.company_id);
    sqlite_row_text(&row, put->key.user_id);
    sqlite_row_text(&row, put->kind);
    *count = sqlite_row_next(&row) ? sqlite_row_number_at(&row, 0) : 0;
    return sqlite_row_end(&row, err);
}

/* Whether the put may be done, by the version that is there. */
static enum err_code judge_put(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_put *ask = job->call->ask.put;
    const struct identity user = identity_user(&ask->job.key);
    uint64_t version, count = 0;
    bool is_of;
    enum err_code code = find(job, &user, ask->job.kind, ask->job.job_id, &version, &is_of, err);
    if (code != ERR_OK)
        return code;
    if (ask->expected_version > 0 && (version == 0 || !is_of))
        return no_job(err);
    if (version != ask->expected_version)
        return err_set(err, ERR_CONFLICT, "the job was changed meanwhile");
    if (version == 0 && ask->most > 0)
        code = count_users(job, &count, err);
    return code == ERR_OK && ask->most > 0 && count >= ask->most
               ? err_set(err, ERR_BUSY, STORE_WIRE_MANY)
               : code;
}

enum err_code store_sqlite_put(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_put *ask = job->call->ask.put;
    enum err_code code = judge_put(job, err);
    if (code != ERR_OK)
        return code;
    struct sqlite_row row = store_sqlite_row(
        job, "INSERT INTO jobs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)"
             " ON CONFLICT (kind, job_id) DO UPDATE SET conversation_id = ?3, version = ?6,"
             " due_ms = ?7, changed_ms = ?8, bytes = ?9 RETURNING " COLUMNS);
    bind_name(&row, ask->job.kind, ask->job.job_id);
    sqlite_row_text(&row, ask->job.key.conversation_id);
    sqlite_row_text(&row, ask->job.key.company_id);
    sqlite_row_text(&row, ask->job.key.user_id);
    sqlite_row_number(&row, ask->expected_version + 1);
    sqlite_row_number(&row, ask->job.due_ms);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_bytes(&row, ask->job.bytes);
    return add_jobs(job->call, &row, err);
}

enum err_code store_sqlite_take(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_take *ask = job->call->ask.take;
    struct sqlite_row row = store_sqlite_row(
        job, "UPDATE jobs SET version = version + 1, due_ms = ?2 + ?3, changed_ms = ?2"
             " WHERE kind = ?1 AND job_id = (SELECT job_id FROM jobs WHERE kind = ?1"
             " AND due_ms > 0 AND due_ms <= ?2 ORDER BY due_ms LIMIT 1) RETURNING " COLUMNS);
    sqlite_row_text(&row, ask->kind);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, ask->lease_ms);
    enum err_code code = add_jobs(job->call, &row, err);
    return code == ERR_OK && job->call->job_count == 0
               ? err_set(err, ERR_NOT_FOUND, "no job is due")
               : code;
}

enum err_code store_sqlite_jobs(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_jobs *ask = job->call->ask.jobs;
    struct sqlite_row row = store_sqlite_row(
        job, "SELECT " COLUMNS " FROM jobs WHERE kind = ?1 AND (?2 = '' OR job_id = ?2)"
             " AND (?3 = '' OR conversation_id = ?3) AND (?4 = '' OR company_id = ?4)"
             " AND (?5 = '' OR user_id = ?5) ORDER BY began_ms DESC, job_id LIMIT ?6");
    bind_name(&row, ask->kind, ask->job_id);
    sqlite_row_text(&row, ask->key.conversation_id);
    sqlite_row_text(&row, ask->key.company_id);
    sqlite_row_text(&row, ask->key.user_id);
    sqlite_row_number(&row, store_rows(ask->limit));
    return add_jobs(job->call, &row, err);
}

enum err_code store_sqlite_drop(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_drop *ask = job->call->ask.drop;
    uint64_t version;
    bool is_of;
    enum err_code code = find(job, &ask->key, ask->kind, ask->job_id, &version, &is_of, err);
    if (code != ERR_OK)
        return code;
    if (!is_of)
        return no_job(err);
    if (ask->expected_version > 0 && version != ask->expected_version)
        return err_set(err, ERR_CONFLICT, "the job was changed meanwhile");
    struct sqlite_row row =
        store_sqlite_row(job, "DELETE FROM jobs WHERE kind = ?1 AND job_id = ?2");
    bind_name(&row, ask->kind, ask->job_id);
    return sqlite_row_run(&row, err);
}

enum err_code store_sqlite_drop_jobs(const struct store_sqlite_job *job, const struct identity *key,
                                     struct err *err)
{
    struct sqlite_row row =
        store_sqlite_row(job, "DELETE FROM jobs WHERE company_id = ?1 AND user_id = ?2"
                              " AND (?3 = '' OR conversation_id = ?3)");
    sqlite_row_text(&row, key->company_id);
    sqlite_row_text(&row, key->user_id);
    sqlite_row_text(&row, key->conversation_id);
    return sqlite_row_run(&row, err);
}

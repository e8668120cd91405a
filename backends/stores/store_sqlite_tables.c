/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_tables.c - the tables and their version, and what removes from all
 * of them.
 *
 * Happy path: an empty file gets the tables of this version; one of this version is used as it is.
 * When the machine has started since the file was used last, the leases in it are over.
 * Failure: a file of a newer version is ERR_NOT_CONFIGURED; SQLite's. */
#include <sqlite3.h>
#include <stdio.h>

#include "backends/sqlite/sqlite_thread.h"
#include "backends/stores/store_sqlite_alive.h"
#include "backends/stores/store_sqlite_internal.h"
#include "core/loop/loop.h"

enum { FORMAT = 7 };
/* One call to prune holds the file no longer than about so, but removes something if anything is
 * there. */
enum { PRUNE_NS = 8 * 1000 * 1000 };
enum { BOOT_ID_BYTES = 64 };

/* Tables whose rows may be long have rowids, and their keys are in indexes beside them: of a tree
 * that is ordered by its rows' own keys SQLite reads whole rows to compare their beginnings. Files
 * that were made otherwise stay so, since no statement can tell. */
static const char tables[] =
    "CREATE TABLE conversations (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " company_id TEXT NOT NULL, user_id TEXT NOT NULL, version INTEGER NOT NULL,"
    " turns INTEGER NOT NULL, began_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,"
    " title TEXT NOT NULL);"
    "CREATE INDEX conversations_by_user ON conversations (company_id, user_id, changed_ms);"
    "CREATE INDEX conversations_by_change ON conversations (changed_ms);"
    "CREATE TABLE checkpoints (conversation INTEGER NOT NULL, version INTEGER NOT NULL,"
    " time_ms INTEGER NOT NULL, run_id TEXT NOT NULL, step INTEGER NOT NULL,"
    " is_full INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (conversation, version));"
    "CREATE TABLE turns (conversation INTEGER NOT NULL, number INTEGER NOT NULL,"
    " version INTEGER NOT NULL, time_ms INTEGER NOT NULL, run_id TEXT NOT NULL,"
    " question TEXT NOT NULL, answer TEXT NOT NULL, details BLOB NOT NULL,"
    " partial INTEGER NOT NULL, PRIMARY KEY (conversation, number));"
    "CREATE TABLE notes (conversation INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY (conversation, name)) WITHOUT ROWID;"
    "CREATE TABLE user_notes (company_id TEXT NOT NULL, user_id TEXT NOT NULL, name TEXT NOT NULL,"
    " bytes BLOB NOT NULL, PRIMARY KEY (company_id, user_id, name)) WITHOUT ROWID;"
    "CREATE TABLE runs (run_id TEXT NOT NULL PRIMARY KEY, conversation_id TEXT NOT NULL,"
    " company_id TEXT NOT NULL, user_id TEXT NOT NULL, graph TEXT NOT NULL, input BLOB NOT NULL,"
    " idempotency_key TEXT NOT NULL, instance TEXT NOT NULL, epoch INTEGER NOT NULL,"
    " began_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL, lease_until_ms INTEGER NOT NULL,"
    " last_event_id INTEGER NOT NULL, status INTEGER NOT NULL, cancel_asked INTEGER NOT NULL);"
    "CREATE INDEX runs_by_conversation ON runs (conversation_id);"
    "CREATE INDEX runs_by_change ON runs (changed_ms);"
    "CREATE INDEX runs_by_lease ON runs (lease_until_ms) WHERE status = 0;"
    "CREATE TABLE events (run_id TEXT NOT NULL, first_id INTEGER NOT NULL,"
    " count INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (run_id, first_id));"
    "CREATE TABLE pruner (one INTEGER PRIMARY KEY, instance TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL);"
    "PRAGMA user_version = 1;";

/* Which start of the machine the leases are of, and who shows that it lives. Of no format: older
 * programs do not look at it. */
static const char boots[] =
    "CREATE TABLE IF NOT EXISTS alive (instance TEXT NOT NULL PRIMARY KEY, file INTEGER NOT NULL)"
    " WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS boot (one INTEGER PRIMARY KEY, id TEXT NOT NULL);"
    "CREATE TRIGGER IF NOT EXISTS boot_comes AFTER INSERT ON boot BEGIN"
    " UPDATE runs SET lease_until_ms = 0 WHERE status = 0; END;";

/* A number that moves whenever a running run gets another owner, is asked to stop, or goes, and
 * when the journal is settled: while it stands, what a connection knows of its runs holds. Of no
 * format, either: what older programs write moves it, too. */
#define FENCES_MOVE                                                                                \
    " BEGIN INSERT INTO fences VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET moves = moves + 1; "  \
    "END;"
static const char fences[] =
    "CREATE TABLE IF NOT EXISTS fences (one INTEGER PRIMARY KEY, moves INTEGER NOT NULL);"
    "CREATE TRIGGER IF NOT EXISTS fences_change AFTER UPDATE OF instance, epoch, cancel_asked ON"
    " runs WHEN old.status = 0 AND (old.instance <> new.instance OR old.epoch <> new.epoch OR"
    " old.cancel_asked <> new.cancel_asked)" FENCES_MOVE
    "CREATE TRIGGER IF NOT EXISTS fences_go AFTER DELETE ON runs WHEN old.status = 0" FENCES_MOVE
    "CREATE TRIGGER IF NOT EXISTS fences_settle AFTER DELETE ON journal" FENCES_MOVE;

/* From each format to the next. */
static const char *const upgrades[FORMAT] = {
    tables,
    "CREATE TABLE marks (run_id TEXT NOT NULL, version INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
    " step INTEGER NOT NULL, is_full INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY (run_id, version));"
    "CREATE TRIGGER marks_go AFTER DELETE ON runs BEGIN"
    " DELETE FROM marks WHERE run_id = old.run_id; END;"
    "PRAGMA user_version = 2;",
    "CREATE TABLE journal (writer INTEGER NOT NULL, slot INTEGER NOT NULL,"
    " sequence INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (writer, slot)) WITHOUT ROWID;"
    "ALTER TABLE events ADD COLUMN parts INTEGER NOT NULL DEFAULT 0;"
    "PRAGMA user_version = 3;",
    /* an id is its owner's own */
    "CREATE TABLE owned (row INTEGER PRIMARY KEY, id TEXT NOT NULL, company_id TEXT NOT NULL,"
    " user_id TEXT NOT NULL, version INTEGER NOT NULL, turns INTEGER NOT NULL,"
    " began_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL, title TEXT NOT NULL,"
    " UNIQUE (company_id, user_id, id));"
    "INSERT INTO owned SELECT row, id, company_id, user_id, version, turns, began_ms, changed_ms,"
    " title FROM conversations;"
    "DROP TABLE conversations;"
    "ALTER TABLE owned RENAME TO conversations;"
    "CREATE INDEX conversations_by_user ON conversations (company_id, user_id, changed_ms);"
    "CREATE INDEX conversations_by_change ON conversations (changed_ms);"
    "DROP INDEX runs_by_conversation;"
    "CREATE INDEX runs_by_conversation ON runs (conversation_id, company_id, user_id);"
    "PRAGMA user_version = 4;",
    "CREATE TABLE jobs (kind TEXT NOT NULL, job_id TEXT NOT NULL, conversation_id TEXT NOT NULL,"
    " company_id TEXT NOT NULL, user_id TEXT NOT NULL, version INTEGER NOT NULL,"
    " due_ms INTEGER NOT NULL, began_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,"
    " bytes BLOB NOT NULL, PRIMARY KEY (kind, job_id)) WITHOUT ROWID;"
    "CREATE INDEX jobs_by_due ON jobs (kind, due_ms) WHERE due_ms > 0;"
    "CREATE INDEX jobs_by_user ON jobs (company_id, user_id, kind, began_ms);"
    "PRAGMA user_version = 5;",
    "CREATE INDEX runs_by_end ON runs (company_id, user_id, changed_ms, run_id) WHERE status > 1;"
    "PRAGMA user_version = 6;",
    /* which turn's answer is cut out of a checkpoint, and where it was; 0: of none */
    "ALTER TABLE checkpoints ADD COLUMN cut_turn INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE checkpoints ADD COLUMN cut_at INTEGER NOT NULL DEFAULT 0;"
    "PRAGMA user_version = 7;",
};

/* Pages of indexes are written again and again: 16 MiB of them are kept in memory, and reach the
 * file out of the log of writes when that has as much. */
static const char settings[] =
    "PRAGMA secure_delete = 1; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4096";

/* holds(text, part): whether part is in text, ASCII letters of either case alike. */
static void holds(sqlite3_context *context, int count UNUSED, sqlite3_value **values)
{
    struct str text = {(const char *)sqlite3_value_text(values[0]),
                       (size_t)sqlite3_value_bytes(values[0])};
    struct str part = {(const char *)sqlite3_value_text(values[1]),
                       (size_t)sqlite3_value_bytes(values[1])};
    bool found = part.len == 0;
    for (size_t at = 0; !found && at + part.len <= text.len; at++)
        found = str_lower(text.at[at]) == str_lower(part.at[0]) &&
                str_equal_nocase(str_slice(text, at, at + part.len), part);
    sqlite3_result_int(context, found);
}

static enum err_code read_format(struct sqlite3 *db, uint64_t *format, struct err *err)
{
    struct sqlite_row row = sqlite_row_make(db, "PRAGMA user_version");
    *format = sqlite_row_next(&row) ? sqlite_row_number_at(&row, 0) : 0;
    return sqlite_row_end(&row, err);
}

/* Make or upgrade the tables in one transaction: two processes may open a new file at once. */
static enum err_code upgrade(struct sqlite3 *db, struct err *err)
{
    struct err ignored;
    uint64_t format;
    enum err_code code = sqlite_row_exec(db, "BEGIN IMMEDIATE", err);
    if (code != ERR_OK)
        return code;
    code = read_format(db, &format, err);
    for (; code == ERR_OK && format < FORMAT; format++)
        code = sqlite_row_exec(db, upgrades[format], err);
    if (code == ERR_OK)
        code = sqlite_row_exec(db, "COMMIT", err);
    if (code != ERR_OK)
        (void)sqlite_row_exec(db, "ROLLBACK", &ignored);
    return code;
}

/* What the kernel calls this start of the machine; "": it does not say. */
static void read_boot_id(char id[BOOT_ID_BYTES])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file == NULL || fgets(id, BOOT_ID_BYTES, file) == NULL)
        id[0] = '\0';
    if (file != NULL)
        fclose(file);
}

/* Leases count from the machine's start: those of another start say nothing. */
static enum err_code end_old_leases(struct sqlite3 *db, struct err *err)
{
    char id[BOOT_ID_BYTES];
    read_boot_id(id);
    struct sqlite_row row = sqlite_row_make(db, "SELECT 1 FROM boot WHERE id = ?1");
    sqlite_row_text(&row, str_of(id));
    bool is_same = sqlite_row_next(&row);
    enum err_code code = sqlite_row_end(&row, err);
    if (code != ERR_OK || is_same)
        return code;
    row = sqlite_row_make(db, "INSERT OR REPLACE INTO boot VALUES (1, ?1)");
    sqlite_row_text(&row, str_of(id)); /* a trigger ends the leases in the same transaction */
    return sqlite_row_run(&row, err);
}

enum err_code store_sqlite_prepare(void *owner, struct sqlite3 *db, struct err *err)
{
    struct store_sqlite_parts *parts = owner;
    uint64_t format;
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int made = sqlite3_create_function(db, "holds", 2, flags, NULL, holds, NULL, NULL);
    if (made != SQLITE_OK)
        return sqlite_thread_fail(db, made, err);
    store_sqlite_journal_forget(parts->journal);
    parts->places = (struct sqlite_row_places){0};
    if (store_sqlite_alive_prepare(parts->alive, db, err) != ERR_OK)
        return err->code;
    enum err_code code = sqlite_row_exec(db, settings, err);
    if (code == ERR_OK)
        code = read_format(db, &format, err);
    if (code == ERR_OK && format < FORMAT)
        code = upgrade(db, err);
    if (code == ERR_OK && format > FORMAT)
        return err_set(err, ERR_NOT_CONFIGURED,
                       "the store of conversations is of format %llu, this version knows %d: use a "
                       "newer program, or another file",
                       (unsigned long long)format, FORMAT);
    if (code == ERR_OK)
        code = sqlite_row_exec(db, boots, err);
    if (code == ERR_OK)
        code = sqlite_row_exec(db, fences, err);
    return code == ERR_OK ? end_old_leases(db, err) : code;
}

/* ---- removing ---- */

static enum err_code remove_runs(const struct store_sqlite_job *job, const struct identity *key,
                                 uint64_t *count, struct err *err)
{
    static const char *const statements[] = {
        "DELETE FROM events WHERE run_id IN (SELECT run_id FROM runs"
        " WHERE conversation_id = ?1 AND company_id = ?2 AND user_id = ?3)",
        "DELETE FROM runs WHERE conversation_id = ?1 AND company_id = ?2 AND user_id = ?3",
    };
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < countof(statements) && code == ERR_OK; i++) {
        struct sqlite_row row = store_sqlite_row(job, statements[i]);
        sqlite_row_text(&row, key->conversation_id);
        sqlite_row_text(&row, key->company_id);
        sqlite_row_text(&row, key->user_id);
        code = sqlite_row_run(&row, err);
    }
    *count = (uint64_t)sqlite3_changes(job->db);
    return code;
}

static enum err_code remove_conversation(const struct store_sqlite_job *job, uint64_t row_id,
                                         struct err *err)
{
    static const char *const statements[] = {
        "DELETE FROM checkpoints WHERE conversation = ?1",
        "DELETE FROM turns WHERE conversation = ?1",
        "DELETE FROM notes WHERE conversation = ?1",
        "DELETE FROM conversations WHERE row = ?1",
    };
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < countof(statements) && code == ERR_OK; i++) {
        struct sqlite_row row = store_sqlite_row(job, statements[i]);
        sqlite_row_number(&row, row_id);
        code = sqlite_row_run(&row, err);
    }
    return code;
}

/* Any conversation of the user, or else any of the user's runs, is removed. */
static enum err_code remove_users(const struct store_sqlite_job *job, const struct identity *user,
                                  bool *any, struct err *err)
{
    static const char *const statements[] = {
        "SELECT row, id FROM conversations WHERE company_id = ?1 AND user_id = ?2 LIMIT 1",
        "SELECT 0, conversation_id FROM runs WHERE company_id = ?1 AND user_id = ?2 LIMIT 1",
    };
    enum err_code code = ERR_OK;
    *any = false;
    for (size_t i = 0; i < countof(statements) && code == ERR_OK && !*any; i++) {
        uint64_t row_id = 0, count;
        struct sqlite_row row = store_sqlite_row(job, statements[i]);
        sqlite_row_text(&row, user->company_id);
        sqlite_row_text(&row, user->user_id);
        *any = sqlite_row_next(&row);
        if (*any) {
            row_id = sqlite_row_number_at(&row, 0);
            const struct identity key = identity_in(user, sqlite_row_text_at(&row, 1));
            code = remove_runs(job, &key, &count, err);
        }
        enum err_code ended = sqlite_row_end(&row, err);
        code = code == ERR_OK ? ended : code;
        if (code == ERR_OK && *any)
            code = remove_conversation(job, row_id, err);
    }
    return code;
}

static bool may_go_on(const struct store_sqlite_job *job, uint64_t until_ns)
{
    return job->call->total == 0 || loop_precise_ns() < until_ns;
}

static enum err_code erase_user(const struct store_sqlite_job *job, struct err *err)
{
    const struct identity *user = &job->call->ask.erase->key;
    uint64_t until_ns = loop_precise_ns() + PRUNE_NS;
    bool any = true;
    enum err_code code = ERR_OK;
    while (code == ERR_OK && any && may_go_on(job, until_ns)) {
        code = remove_users(job, user, &any, err);
        job->call->total += any;
    }
    if (code != ERR_OK || job->call->total > 0)
        return code;
    code = store_sqlite_drop_jobs(job, user, err);
    if (code != ERR_OK)
        return code;
    struct sqlite_row row =
        store_sqlite_row(job, "DELETE FROM user_notes WHERE company_id = ?1 AND user_id = ?2");
    sqlite_row_text(&row, user->company_id);
    sqlite_row_text(&row, user->user_id);
    return sqlite_row_run(&row, err);
}

enum err_code store_sqlite_erase(const struct store_sqlite_job *job, struct err *err)
{
    const struct identity *key = &job->call->ask.erase->key;
    uint64_t row_id, version, turns, runs = 0;
    enum err_code code = store_sqlite_journal_settle_all(job, err);
    if (code != ERR_OK || str_is_empty(key->conversation_id))
        return code != ERR_OK ? code : erase_user(job, err);
    code = store_sqlite_find_conversation(job, key, &row_id, &version, &turns, err);
    if (code == ERR_OK)
        code = remove_runs(job, key, &runs, err);
    if (code == ERR_OK && row_id == 0 && runs == 0)
        return err_set(err, ERR_NOT_FOUND, "there is no such conversation");
    if (code == ERR_OK)
        code = store_sqlite_drop_jobs(job, key, err);
    return code == ERR_OK ? remove_conversation(job, row_id, err) : code;
}

/* ERR_BUSY: another instance was at it just now. */
static enum err_code take_lock(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_prune *ask = job->call->ask.prune;
    struct sqlite_row row = store_sqlite_row(
        job, "INSERT INTO pruner VALUES (1, ?1, ?2) ON CONFLICT (one) DO UPDATE SET"
             " instance = ?1, at_ms = ?2 WHERE instance = ?1 OR at_ms + ?3 <= ?2");
    sqlite_row_text(&row, ask->instance);
    sqlite_row_number(&row, job->now_ms);
    sqlite_row_number(&row, ask->lock_ms);
    enum err_code code = sqlite_row_run(&row, err);
    return code == ERR_OK && sqlite3_changes(job->db) == 0
               ? err_set(err, ERR_BUSY, "another instance prunes")
               : code;
}

/* One conversation, or run, that is old enough: removed, if there is one. */
static enum err_code remove_oldest(const struct store_sqlite_job *job, uint64_t before_ms,
                                   bool *any, struct err *err)
{
    uint64_t row_id = 0, count;
    struct identity key = {STR(""), STR(""), STR("")};
    struct sqlite_row row =
        store_sqlite_row(job, "SELECT c.row, c.id, c.company_id, c.user_id FROM conversations c"
                              " WHERE c.changed_ms <= ?1 AND NOT EXISTS (SELECT 1 FROM runs r"
                              " WHERE r.conversation_id = c.id AND r.company_id = c.company_id"
                              " AND r.user_id = c.user_id AND r.changed_ms > ?1)"
                              " ORDER BY c.changed_ms LIMIT 1");
    sqlite_row_number(&row, before_ms);
    enum err_code code = ERR_OK;
    if (sqlite_row_next(&row)) {
        row_id = sqlite_row_number_at(&row, 0);
        key = (struct identity){sqlite_row_text_at(&row, 1), sqlite_row_text_at(&row, 2),
                                sqlite_row_text_at(&row, 3)};
        code = remove_runs(job, &key, &count, err);
    }
    enum err_code ended = sqlite_row_end(&row, err);
    *any = row_id != 0;
    code = code == ERR_OK ? ended : code;
    return code == ERR_OK && *any ? remove_conversation(job, row_id, err) : code;
}

static enum err_code remove_old_run(const struct store_sqlite_job *job, uint64_t before_ms,
                                    bool *any, struct err *err)
{
    static const char *const statements[] = {
        "DELETE FROM events WHERE run_id ="
        " (SELECT run_id FROM runs WHERE changed_ms <= ?1 ORDER BY changed_ms, run_id LIMIT 1)",
        "DELETE FROM runs WHERE run_id ="
        " (SELECT run_id FROM runs WHERE changed_ms <= ?1 ORDER BY changed_ms, run_id LIMIT 1)",
    };
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < countof(statements) && code == ERR_OK; i++) {
        struct sqlite_row row = store_sqlite_row(job, statements[i]);
        sqlite_row_number(&row, before_ms);
        code = sqlite_row_run(&row, err);
    }
    *any = sqlite3_changes(job->db) > 0;
    return code;
}

enum err_code store_sqlite_prune(const struct store_sqlite_job *job, struct err *err)
{
    const struct store_prune *ask = job->call->ask.prune;
    uint64_t before_ms = job->now_ms > ask->age_ms ? job->now_ms - ask->age_ms : 0;
    uint64_t limit = store_rows(ask->limit), until_ns = loop_precise_ns() + PRUNE_NS;
    bool any = true, conversations = true;
    enum err_code code = take_lock(job, err);
    if (code == ERR_OK)
        code = store_sqlite_journal_settle_all(job, err);
    while (code == ERR_OK && job->call->total < limit && may_go_on(job, until_ns)) {
        code = conversations ? remove_oldest(job, before_ms, &any, err)
                             : remove_old_run(job, before_ms, &any, err);
        job->call->total += any;
        if (!any && !conversations)
            break;
        conversations = conversations && any;
    }
    return code;
}

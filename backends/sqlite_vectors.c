/* SPDX-License-Identifier: MIT */
/* backends/sqlite_vectors.c - the statements of the store of vectors.
 *
 * Happy path: a change is one immediate transaction: removals, then the collection (made, or
 * compared), then points, each replacing what had its key. A refresh is one read transaction: the
 * collections, passages after the last one seen, removals after the last one seen.
 * Failure paths:
 * - another model or number of dimensions: ERR_INVALID with both, unless the removals of the same
 *   change emptied the collection;
 * - removals were pruned since the image was made, or it is another file: all is read again;
 * - interrupted or no memory: the transaction ends, nothing is published. */
#include "backends/sqlite_vectors.h"

#include <sqlite3.h>

#include "backends/passage_check.h"
#include "backends/sqlite_passages.h"
#include "backends/sqlite_thread.h"

/* A file keeps so many removals for images that have not seen them: more than between two looks. */
#define KEPT_REMOVALS "100000"

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS vec_store(number INTEGER NOT NULL);"
    "INSERT INTO vec_store SELECT random() WHERE NOT EXISTS (SELECT 1 FROM vec_store);"
    "CREATE TABLE IF NOT EXISTS vec_collections(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL UNIQUE, model TEXT NOT NULL, dimensions INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS vec_passages(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " collection INTEGER NOT NULL, key TEXT NOT NULL, fields BLOB NOT NULL,"
    " vector BLOB NOT NULL, text TEXT NOT NULL, UNIQUE(collection, key));"
    "CREATE INDEX IF NOT EXISTS vec_by_fields ON vec_passages(collection, fields);"
    "CREATE TABLE IF NOT EXISTS vec_removed(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " passage INTEGER NOT NULL);"
    "CREATE TRIGGER IF NOT EXISTS vec_on_removed AFTER DELETE ON vec_passages BEGIN"
    " INSERT INTO vec_removed(passage) VALUES (old.id); END";

static const struct sqlite_passages_sql passages = SQLITE_PASSAGES_SQL("vec");

enum err_code sqlite_vectors_prepare(void *owner, struct sqlite3 *db, struct err *err)
{
    (void)owner;
    enum err_code code = sqlite_passages_prepare(db, err);
    return code == ERR_OK ? sqlite_passages_make(db, "vec_on_removed", schema, err) : code;
}

/* ---- changes ---- */

/* Set *id to the change's collection, 0: there is none. ERR_INVALID: points do not belong there. */
static enum err_code find_target(struct sqlite3 *db, const struct vec_change *change, int64_t *id,
                                 bool must_fit, struct err *err)
{
    static const char sql[] = "SELECT id, model, dimensions FROM vec_collections WHERE name = ?1";
    enum err_code code = ERR_OK;
    *id = 0;
    sqlite3_stmt *statement = sqlite_passages_statement(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_passages_bind_str(statement, 1, change->collection);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *id = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        code = sqlite_thread_fail(db, step, err);
    if (step == SQLITE_ROW && must_fit)
        code = passage_check_kind(change->collection, sqlite_passages_column(statement, 1),
                                  (size_t)sqlite3_column_int64(statement, 2), change->model,
                                  change->dimensions, err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code add_target(struct sqlite3 *db, const struct vec_change *change, int64_t *id,
                                struct err *err)
{
    static const char sql[] =
        "INSERT INTO vec_collections(name, model, dimensions) VALUES (?1, ?2, ?3)";
    sqlite3_stmt *statement = sqlite_passages_statement(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_passages_bind_str(statement, 1, change->collection);
    sqlite_passages_bind_str(statement, 2, change->model);
    sqlite3_bind_int64(statement, 3, (int64_t)change->dimensions);
    enum err_code code = sqlite_passages_run(db, statement, err);
    sqlite3_finalize(statement);
    *id = sqlite3_last_insert_rowid(db);
    return code;
}

static enum err_code put_points(struct sqlite3 *db, const struct vec_change *change,
                                int64_t collection, struct err *err)
{
    static const char sql[] = "INSERT INTO vec_passages(collection, key, fields, vector, text)"
                              " VALUES (?1, ?2, ?3, ?4, ?5)";
    enum err_code code = ERR_OK;
    struct buf fields;
    sqlite3_stmt *remove = sqlite_passages_statement(db, passages.remove_key, err);
    sqlite3_stmt *insert = sqlite_passages_statement(db, sql, err);
    buf_init(&fields, 2 * PASSAGE_MAX_TEXT);
    if (remove == NULL || insert == NULL)
        code = err->code;
    for (size_t i = 0; i < change->upsert_count && code == ERR_OK; i++) {
        const struct vec_point *point = &change->upsert[i];
        const char *vector = (const char *)point->vector;
        code = sqlite_passages_encode(&point->passage, &fields, err);
        if (code != ERR_OK)
            break;
        sqlite3_bind_int64(remove, 1, collection);
        sqlite_passages_bind_str(remove, 2, point->passage.id);
        sqlite3_bind_int64(insert, 1, collection);
        sqlite_passages_bind_str(insert, 2, point->passage.id);
        sqlite_passages_bind_blob(insert, 3, buf_str(&fields));
        sqlite_passages_bind_blob(insert, 4, str_make(vector, change->dimensions * sizeof(float)));
        sqlite_passages_bind_str(insert, 5, point->passage.text);
        code = sqlite_passages_run(db, remove, err);
        if (code == ERR_OK)
            code = sqlite_passages_run(db, insert, err);
    }
    sqlite3_finalize(remove);
    sqlite3_finalize(insert);
    buf_fini(&fields);
    return code;
}

static enum err_code put_all(struct sqlite3 *db, const struct vec_change *change, struct err *err)
{
    int64_t id;
    enum err_code code = find_target(db, change, &id, false, err);
    if (code == ERR_OK && id != 0) {
        const struct sqlite_passages_removal removal = {
            .collection = id,
            .ids = change->remove_ids,
            .id_count = change->remove_count,
            .filters = {change->remove_filters, change->remove_filter_count}};
        code = sqlite_passages_remove(db, &passages, &removal, err);
    }
    if (code != ERR_OK || change->upsert_count == 0)
        return code;
    code = find_target(db, change, &id, true, err); /* it may have gone with its last passage */
    if (code == ERR_OK && id == 0)
        code = add_target(db, change, &id, err);
    return code == ERR_OK ? put_points(db, change, id, err) : code;
}

enum err_code sqlite_vectors_change(struct sqlite3 *db, const struct vec_change *change,
                                    struct err *err)
{
    enum err_code code = passage_check_vec_change(change, err);
    if (code == ERR_OK)
        code = sqlite_passages_exec(db, "BEGIN IMMEDIATE", err);
    if (code != ERR_OK)
        return code;
    code = put_all(db, change, err);
    if (code == ERR_OK)
        code = sqlite_passages_exec(db,
                                    "DELETE FROM vec_removed WHERE id <= (SELECT max(id) FROM "
                                    "vec_removed) - " KEPT_REMOVALS,
                                    err);
    return sqlite_passages_end(db, code, err);
}

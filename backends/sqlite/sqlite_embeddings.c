/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_embeddings.c - one table, one row a text.
 *
 * Happy path: a lookup reads by primary key and writes nothing, but once an hour a row's time of
 * use; a save is one transaction, which drops the longest unused rows while the file is too large.
 * Failure paths: SQLite's own errors; a value of the wrong length or that is no vector of length 1
 * is passed over; a time of use that cannot be written is not written. */
#include "backends/sqlite/sqlite_embeddings.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "backends/embed.h"
#include "backends/sqlite/sqlite_row.h"
#include "backends/sqlite/sqlite_statement.h"
#include "backends/sqlite/sqlite_thread.h"
#include "core/base/mem.h"

enum { TOUCH_SECONDS = 3600, DROPPED_AT_ONCE = 64, DROPS_PER_SAVE = 16 };

enum err_code sqlite_embeddings_make(struct sqlite3 *db, struct err *err)
{
    return sqlite_statement_make_tables(
        db, "embeddings",
        "BEGIN IMMEDIATE;"
        "CREATE TABLE IF NOT EXISTS embeddings("
        "model TEXT NOT NULL, key BLOB NOT NULL, used INTEGER NOT NULL, "
        "vector BLOB NOT NULL, PRIMARY KEY(model, key));"
        "CREATE INDEX IF NOT EXISTS embeddings_used ON embeddings(used)",
        err);
}

static struct str bytes_of(const struct sqlite_embeddings_key *key)
{
    return str_make((const char *)key->bytes, sizeof key->bytes);
}

/* Whether the numbers can be a vector: finite, of length 1 or 0. */
static bool is_vector(const float *vector, size_t dimensions)
{
    double sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += (double)vector[i] * (double)vector[i];
    return isfinite(sum) && (sum == 0 || fabs(sum - 1) < 0.01);
}

/* Take the value of key i. */
static enum err_code take_row(struct sqlite_embeddings *rows, size_t i, struct str value,
                              struct err *err)
{
    float vector[EMBED_MAX_DIMENSIONS];
    size_t dimensions = value.len / sizeof *vector;
    if (value.len % sizeof *vector != 0 || dimensions == 0 || dimensions > EMBED_MAX_DIMENSIONS ||
        (rows->dimensions != 0 && rows->dimensions != dimensions))
        return ERR_OK; /* not ours */
    memcpy(vector, value.at, value.len);
    if (!is_vector(vector, dimensions))
        return ERR_OK;
    if (rows->vectors == NULL)
        rows->vectors = mem_zalloc(rows->count, value.len);
    if (rows->vectors == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for vectors");
    memcpy(rows->vectors + i * dimensions, vector, value.len);
    rows->dimensions = dimensions;
    rows->found[i] = true;
    return ERR_OK;
}

static void touch(struct sqlite3 *db, const struct sqlite_embeddings *rows, size_t i)
{
    struct err ignored; /* a file that cannot be written can be read all the same */
    sqlite3_stmt *statement = sqlite_statement_make(
        db, "UPDATE embeddings SET used = ?3 WHERE model = ?1 AND key = ?2", &ignored);
    if (statement == NULL)
        return;
    sqlite_statement_bind_str(statement, 1, rows->model);
    sqlite_statement_bind_blob(statement, 2, bytes_of(&rows->keys[i]));
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)rows->now_s);
    (void)!sqlite_statement_run(db, statement, &ignored);
    sqlite3_finalize(statement);
}

enum err_code sqlite_embeddings_load(struct sqlite3 *db, struct sqlite_embeddings *rows,
                                     struct err *err)
{
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement = sqlite_statement_make(
        db, "SELECT vector, used FROM embeddings WHERE model = ?1 AND key = ?2", err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, rows->model);
    for (size_t i = 0; i < rows->count && code == ERR_OK; i++) {
        if (rows->found[i])
            continue;
        sqlite_statement_bind_blob(statement, 2, bytes_of(&rows->keys[i]));
        int step = sqlite3_step(statement);
        uint64_t used_s = step == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 1) : 0;
        if (step == SQLITE_ROW)
            code = take_row(rows, i, sqlite_statement_column(statement, 0), err);
        else if (step != SQLITE_DONE)
            code = sqlite_thread_fail(db, step, err);
        sqlite3_reset(statement);
        if (code == ERR_OK && rows->found[i] && used_s + TOUCH_SECONDS < rows->now_s)
            touch(db, rows, i);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum err_code insert_rows(struct sqlite3 *db, const struct sqlite_embeddings *rows,
                                 struct err *err)
{
    size_t bytes = rows->dimensions * sizeof *rows->vectors;
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement = sqlite_statement_make(
        db, "INSERT OR REPLACE INTO embeddings(model, key, used, vector) VALUES(?1, ?2, ?3, ?4)",
        err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, rows->model);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)rows->now_s);
    for (size_t i = 0; i < rows->count && code == ERR_OK; i++) {
        if (rows->found[i])
            continue;
        const float *row = rows->vectors + i * rows->dimensions;
        sqlite_statement_bind_blob(statement, 2, bytes_of(&rows->keys[i]));
        sqlite_statement_bind_blob(statement, 4, str_make((const char *)row, bytes));
        code = sqlite_statement_run(db, statement, err);
    }
    sqlite3_finalize(statement);
    return code;
}

/* What the file holds: free pages are filled before it grows. */
static enum err_code measure(struct sqlite3 *db, uint64_t *bytes, struct err *err)
{
    sqlite3_stmt *statement = sqlite_statement_make(
        db,
        "SELECT (c.page_count - f.freelist_count) * s.page_size FROM pragma_page_count AS c, "
        "pragma_freelist_count AS f, pragma_page_size AS s",
        err);
    if (statement == NULL)
        return err->code;
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *bytes = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return step == SQLITE_ROW ? ERR_OK : sqlite_thread_fail(db, step, err);
}

static enum err_code drop_oldest(struct sqlite3 *db, struct err *err)
{
    sqlite3_stmt *statement =
        sqlite_statement_make(db,
                              "DELETE FROM embeddings WHERE rowid IN "
                              "(SELECT rowid FROM embeddings ORDER BY used, rowid LIMIT ?1)",
                              err);
    if (statement == NULL)
        return err->code;
    sqlite3_bind_int(statement, 1, DROPPED_AT_ONCE);
    enum err_code code = sqlite_statement_run(db, statement, err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code keep_size(struct sqlite3 *db, uint64_t limit, struct err *err)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < DROPS_PER_SAVE; i++) {
        if (measure(db, &bytes, err) != ERR_OK)
            return err->code;
        if (bytes <= limit)
            return ERR_OK;
        if (drop_oldest(db, err) != ERR_OK)
            return err->code;
    }
    return ERR_OK;
}

enum err_code sqlite_embeddings_save(struct sqlite3 *db, const struct sqlite_embeddings *rows,
                                     struct err *err)
{
    if (sqlite_row_exec(db, "BEGIN IMMEDIATE", err) != ERR_OK)
        return err->code;
    enum err_code code = insert_rows(db, rows, err);
    if (code == ERR_OK)
        code = keep_size(db, rows->file_bytes, err);
    return sqlite_statement_end_transaction(db, code, err);
}

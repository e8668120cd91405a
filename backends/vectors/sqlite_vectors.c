/* SPDX-License-Identifier: MIT */
/* backends/vectors/sqlite_vectors.c - the statements of the store of vectors.
 *
 * Happy path: a change is one immediate transaction: removals, then the collection (made, or
 * compared), then points, each replacing what had its key. A refresh is one read transaction: what
 * the file's last ids are; if they are the image's, nothing is to do; else collections, passages
 * after the last one seen, removals after the last one seen. Hits are read within one, too: a
 * change is seen whole or not at all.
 * Failure paths:
 * - another model or number of dimensions: ERR_INVALID with both, unless the removals of the same
 *   change emptied the collection;
 * - removals were pruned since the image was made, or it is another file: all is read again;
 * - interrupted or no memory: the transaction ends, nothing is published;
 * - hits that are gone or do not pass after all are counted as lost, for the caller to search
 *   again. */
#include "backends/vectors/sqlite_vectors.h"

#include <sqlite3.h>

#include "backends/passages/passage_check.h"
#include "backends/passages/sqlite_passages.h"
#include "backends/sqlite/sqlite_row.h"
#include "backends/sqlite/sqlite_statement.h"
#include "backends/sqlite/sqlite_thread.h"

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
    return code == ERR_OK ? sqlite_statement_make_tables(db, "vec_on_removed", schema, err) : code;
}

/* ---- changes ---- */

/* Set *id to the change's collection, 0: there is none. ERR_INVALID: points do not belong there. */
static enum err_code find_target(struct sqlite3 *db, const struct vec_change *change, int64_t *id,
                                 bool must_fit, struct err *err)
{
    static const char sql[] = "SELECT id, model, dimensions FROM vec_collections WHERE name = ?1";
    enum err_code code = ERR_OK;
    *id = 0;
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, change->collection);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *id = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        code = sqlite_thread_fail(db, step, err);
    if (step == SQLITE_ROW && must_fit)
        code = passage_check_kind(change->collection, sqlite_statement_column(statement, 1),
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
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_statement_bind_str(statement, 1, change->collection);
    sqlite_statement_bind_str(statement, 2, change->model);
    sqlite3_bind_int64(statement, 3, (int64_t)change->dimensions);
    enum err_code code = sqlite_statement_run(db, statement, err);
    sqlite3_finalize(statement);
    *id = sqlite3_last_insert_rowid(db);
    return code;
}

static const struct passage *passage_at(const void *change, size_t i)
{
    return &((const struct vec_change *)change)->upsert[i].passage;
}

static void bind_vector(struct sqlite3_stmt *statement, int index, const void *asked, size_t i)
{
    const struct vec_change *change = asked;
    const char *vector = (const char *)change->upsert[i].vector;
    sqlite_statement_bind_blob(statement, index,
                               str_make(vector, change->dimensions * sizeof(float)));
}

static enum err_code put_points(struct sqlite3 *db, const struct vec_change *change,
                                int64_t collection, struct err *err)
{
    const struct sqlite_passages_put put = {
        .collection = collection,
        .insert = "INSERT INTO vec_passages(collection, key, fields, vector, text)"
                  " VALUES (?1, ?2, ?3, ?4, ?5)",
        .count = change->upsert_count,
        .change = change,
        .passage_at = passage_at,
        .bind_own = bind_vector,
    };
    return sqlite_passages_put(db, &passages, &put, err);
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
        code = sqlite_row_exec(db, "BEGIN IMMEDIATE", err);
    if (code != ERR_OK)
        return code;
    code = put_all(db, change, err);
    if (code == ERR_OK)
        code = sqlite_row_exec(db,
                               "DELETE FROM vec_removed WHERE id <= (SELECT max(id) FROM "
                               "vec_removed) - " KEPT_REMOVALS,
                               err);
    return sqlite_statement_end_transaction(db, code, err);
}

/* ---- the image, and hits ---- */

struct state { /* of the file */
    uint64_t store;
    int64_t last_passage, last_removed, first_removed;
};

/* Step statement; true: a row. False: *code says whether that was the end. */
static bool next_row(struct sqlite3 *db, sqlite3_stmt *statement, enum err_code *code,
                     struct err *err)
{
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        *code = sqlite_thread_fail(db, step, err);
    return step == SQLITE_ROW;
}

static enum err_code read_state(struct sqlite3 *db, struct state *state, struct err *err)
{
    static const char sql[] =
        "SELECT (SELECT number FROM vec_store), (SELECT max(id) FROM vec_passages),"
        " (SELECT max(id) FROM vec_removed), (SELECT min(id) FROM vec_removed)";
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    if (next_row(db, statement, &code, err))
        *state = (struct state){
            (uint64_t)sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
            sqlite3_column_int64(statement, 2), sqlite3_column_int64(statement, 3)};
    sqlite3_finalize(statement);
    return code;
}

/* Whether what happened since old can be read from the file. */
static bool can_follow(const struct vec_image *old, const struct state *state)
{
    return old != NULL && old->store == state->store && old->last_removed <= state->last_removed &&
           (state->first_removed == 0 || old->last_removed + 1 >= state->first_removed);
}

/* Collections that are not there any more go, new ones come. */
static enum err_code read_collections(struct sqlite3 *db, struct vec_image *image, struct err *err)
{
    static const char sql[] = "SELECT id, name, model, dimensions FROM vec_collections ORDER BY id";
    enum err_code code = ERR_OK;
    size_t known = image->count;
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    for (size_t i = 0; i < known; i++)
        image->collections[i].is_listed = false;
    while (code == ERR_OK && next_row(db, statement, &code, err)) {
        struct vec_collection *found = vec_image_find_id(image, sqlite3_column_int64(statement, 0));
        const struct vec_collection like = {.id = sqlite3_column_int64(statement, 0),
                                            .name = sqlite_statement_column(statement, 1),
                                            .model = sqlite_statement_column(statement, 2),
                                            .is_listed = true};
        if (found != NULL)
            found->is_listed = true;
        else
            code = vec_image_add(image, &like, (size_t)sqlite3_column_int64(statement, 3), err);
    }
    sqlite3_finalize(statement);
    for (size_t i = image->count; i-- > 0 && code == ERR_OK;)
        if (!image->collections[i].is_listed)
            vec_image_drop(image, &image->collections[i]);
    return code;
}

static enum err_code read_passages(struct sqlite3 *db, struct vec_image *image, struct err *err)
{
    static const char sql[] =
        "SELECT id, collection, key, fields, vector FROM vec_passages WHERE id > ?1 ORDER BY id";
    enum err_code code = ERR_OK;
    struct vec_collection *collection = NULL;
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite3_bind_int64(statement, 1, image->last_passage);
    while (code == ERR_OK && next_row(db, statement, &code, err)) {
        int64_t id = sqlite3_column_int64(statement, 1);
        const struct vec_rows_new row = {.id = sqlite3_column_int64(statement, 0),
                                         .key = sqlite_statement_column(statement, 2),
                                         .fields = sqlite_statement_column(statement, 3),
                                         .vector = sqlite3_column_blob(statement, 4)};
        size_t bytes = (size_t)sqlite3_column_bytes(statement, 4);
        if (collection == NULL || collection->id != id)
            collection = vec_image_find_id(image, id);
        if (collection == NULL || bytes != collection->rows->dimensions * sizeof(float))
            code = err_set(err, ERR_UNAVAILABLE,
                           "passage %lld of the store of vectors is damaged: remove its documents "
                           "and add them again",
                           (long long)row.id);
        else
            code = vec_rows_append(collection->rows, &row, err);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum err_code read_removed(struct sqlite3 *db, struct vec_image *image, struct err *err)
{
    static const char sql[] = "SELECT passage FROM vec_removed WHERE id > ?1";
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite3_bind_int64(statement, 1, image->last_removed);
    while (code == ERR_OK && next_row(db, statement, &code, err))
        code = vec_image_bury(image, sqlite3_column_int64(statement, 0), err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code follow(struct sqlite3 *db, struct vec_image *image, const struct state *state,
                            struct err *err)
{
    enum err_code code = read_collections(db, image, err);
    if (code == ERR_OK)
        code = read_passages(db, image, err);
    vec_image_settle(image);
    if (code == ERR_OK && image->store == state->store)
        code = read_removed(db, image, err); /* a new image has read none of those */
    if (code == ERR_OK)
        code = vec_image_compact(image, err);
    image->store = state->store;
    image->last_passage =
        state->last_passage > image->last_passage ? state->last_passage : image->last_passage;
    image->last_removed = state->last_removed;
    return code;
}

static enum err_code refresh(struct sqlite3 *db, const struct vec_image *old,
                             struct vec_image **fresh, struct err *err)
{
    struct state state = {0};
    enum err_code code = read_state(db, &state, err);
    if (code != ERR_OK)
        return code;
    bool follows = can_follow(old, &state);
    if (follows && old->last_passage >= state.last_passage &&
        old->last_removed == state.last_removed)
        return ERR_OK;
    struct vec_image *image = vec_image_grow(follows ? old : NULL);
    if (image == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the collections of vectors");
    code = follow(db, image, &state, err);
    if (code == ERR_OK)
        *fresh = image;
    else
        vec_image_unref(image);
    return code;
}

enum err_code sqlite_vectors_refresh(struct sqlite3 *db, const struct vec_image *old,
                                     struct vec_image **fresh, struct err *err)
{
    *fresh = NULL;
    enum err_code code = sqlite_row_exec(db, "BEGIN", err);
    if (code != ERR_OK)
        return code;
    code = sqlite_statement_end_transaction(db, refresh(db, old, fresh, err), err);
    if (code != ERR_OK) {
        vec_image_unref(*fresh);
        *fresh = NULL;
    }
    return code;
}

static enum err_code fetch_hits(struct sqlite3 *db, struct sqlite_vectors_fetch *fetch,
                                struct err *err)
{
    const struct vec_scan *scan = fetch->scan;
    const struct vec_query *query = fetch->query;
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement = sqlite_statement_make(db, passages.fetch, err);
    if (statement == NULL)
        return err->code;
    fetch->hit_count = fetch->lost = 0;
    fetch->hits = arena_array(fetch->arena, scan->hit_count, sizeof *fetch->hits);
    if (fetch->hits == NULL)
        code = err_set(err, ERR_NO_MEMORY, "no memory for what was found");
    for (size_t i = 0; i < scan->hit_count && code == ERR_OK; i++) {
        struct passage_hit *hit = &fetch->hits[fetch->hit_count];
        sqlite3_bind_int64(statement, 1, vec_rows_id(scan->collection->rows, scan->hits[i].row));
        bool found = next_row(db, statement, &code, err);
        if (found) {
            hit->score = (double)scan->hits[i].score;
            code = sqlite_passages_read(statement, 0, fetch->arena, &hit->passage, err);
        }
        found = found && passage_passes(&hit->passage, query->filters, query->filter_count);
        fetch->hit_count += found;
        fetch->lost += !found;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return code;
}

enum err_code sqlite_vectors_fetch(struct sqlite3 *db, struct sqlite_vectors_fetch *fetch,
                                   struct err *err)
{
    enum err_code code = sqlite_row_exec(db, "BEGIN", err);
    return code == ERR_OK ? sqlite_statement_end_transaction(db, fetch_hits(db, fetch, err), err)
                          : code;
}

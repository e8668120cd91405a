/* SPDX-License-Identifier: MIT */
/* backends/sqlite_keywords.c - the tables of the store of words, and changes to them.
 *
 * Happy path: a change is one immediate transaction: removals, then the collection (made with its
 * index, when it is new), then passages, each replacing what had its key; triggers keep the index.
 * Failure: what SQLite says; a change that fails is rolled back.
 *
 * The index is external content: it holds no text of its own, and must be told the old text when a
 * passage goes, which is what the triggers do. */
#include "backends/sqlite_keywords.h"

#include <sqlite3.h>

#include "backends/passage_check.h"
#include "backends/sqlite_bm25.h"
#include "backends/sqlite_passages.h"
#include "backends/sqlite_thread.h"

enum { SQL_BYTES = 2048 };

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS text_collections(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS text_passages(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " collection INTEGER NOT NULL, key TEXT NOT NULL, fields BLOB NOT NULL,"
    " heading TEXT NOT NULL, text TEXT NOT NULL, UNIQUE(collection, key));"
    "CREATE INDEX IF NOT EXISTS text_by_fields ON text_passages(collection, fields)";

/* ?: the collection's id */
static const char index_schema[] =
    "CREATE VIRTUAL TABLE text_words_%lld USING fts5(heading, text, content='text_passages',"
    " content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');"
    "CREATE TRIGGER text_in_%lld AFTER INSERT ON text_passages WHEN new.collection = %lld BEGIN"
    " INSERT INTO text_words_%lld(rowid, heading, text)"
    " VALUES (new.id, new.heading, new.text); END;"
    "CREATE TRIGGER text_out_%lld AFTER DELETE ON text_passages WHEN old.collection = %lld BEGIN"
    " INSERT INTO text_words_%lld(text_words_%lld, rowid, heading, text)"
    " VALUES ('delete', old.id, old.heading, old.text); END";

static const char index_drop[] =
    "DROP TRIGGER text_in_%lld; DROP TRIGGER text_out_%lld; DROP TABLE text_words_%lld";

static const struct sqlite_passages_sql passages = SQLITE_PASSAGES_SQL("text");

enum err_code sqlite_keywords_prepare(void *owner, struct sqlite3 *db, struct err *err)
{
    (void)owner;
    enum err_code code = sqlite_passages_prepare(db, err);
    if (code == ERR_OK)
        code = sqlite_bm25_prepare(db, err);
    return code == ERR_OK ? sqlite_passages_make(db, "text_by_fields", schema, err) : code;
}

/* form with id in each of its places. */
static const char *with_id(const char *form, int64_t id, char sql[SQL_BYTES])
{
    long long n = (long long)id;
    return sqlite3_snprintf(SQL_BYTES, sql, form, n, n, n, n, n, n, n, n);
}

enum err_code sqlite_keywords_collection(struct sqlite3 *db, struct str name, int64_t *id,
                                         struct err *err)
{
    static const char sql[] = "SELECT id FROM text_collections WHERE name = ?1";
    enum err_code code = ERR_OK;
    *id = 0;
    sqlite3_stmt *statement = sqlite_passages_statement(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_passages_bind_str(statement, 1, name);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *id = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        code = sqlite_thread_fail(db, step, err);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code count_collections(struct sqlite3 *db, struct err *err)
{
    enum err_code code = ERR_OK;
    sqlite3_stmt *statement =
        sqlite_passages_statement(db, "SELECT count(*) FROM text_collections", err);
    if (statement == NULL)
        return err->code;
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW)
        code = sqlite_thread_fail(db, step, err);
    else if (sqlite3_column_int64(statement, 0) >= SQLITE_KEYWORDS_COLLECTIONS)
        code = err_set(err, ERR_TOO_LARGE, "a file holds at most %d collections",
                       SQLITE_KEYWORDS_COLLECTIONS);
    sqlite3_finalize(statement);
    return code;
}

static enum err_code add_collection(struct sqlite3 *db, struct str name, int64_t *id,
                                    struct err *err)
{
    char sql[SQL_BYTES];
    enum err_code code = count_collections(db, err);
    if (code != ERR_OK)
        return code;
    sqlite3_stmt *statement =
        sqlite_passages_statement(db, "INSERT INTO text_collections(name) VALUES (?1)", err);
    if (statement == NULL)
        return err->code;
    sqlite_passages_bind_str(statement, 1, name);
    code = sqlite_passages_run(db, statement, err);
    sqlite3_finalize(statement);
    *id = sqlite3_last_insert_rowid(db);
    return code == ERR_OK ? sqlite_passages_exec(db, with_id(index_schema, *id, sql), err) : code;
}

static enum err_code put_passages(struct sqlite3 *db, const struct text_change *change,
                                  int64_t collection, struct err *err)
{
    static const char sql[] = "INSERT INTO text_passages(collection, key, fields, heading, text)"
                              " VALUES (?1, ?2, ?3, ?4, ?5)";
    enum err_code code = ERR_OK;
    struct buf fields;
    sqlite3_stmt *remove = sqlite_passages_statement(db, passages.remove_key, err);
    sqlite3_stmt *insert = sqlite_passages_statement(db, sql, err);
    buf_init(&fields, 2 * PASSAGE_MAX_TEXT);
    if (remove == NULL || insert == NULL)
        code = err->code;
    for (size_t i = 0; i < change->upsert_count && code == ERR_OK; i++) {
        const struct passage *passage = &change->upsert[i];
        code = sqlite_passages_encode(passage, &fields, err);
        if (code != ERR_OK)
            break;
        sqlite3_bind_int64(remove, 1, collection);
        sqlite_passages_bind_str(remove, 2, passage->id);
        sqlite3_bind_int64(insert, 1, collection);
        sqlite_passages_bind_str(insert, 2, passage->id);
        sqlite_passages_bind_blob(insert, 3, buf_str(&fields));
        sqlite_passages_bind_str(insert, 4, passage_get(passage, STR("heading")));
        sqlite_passages_bind_str(insert, 5, passage->text);
        code = sqlite_passages_run(db, remove, err);
        if (code == ERR_OK)
            code = sqlite_passages_run(db, insert, err);
    }
    sqlite3_finalize(remove);
    sqlite3_finalize(insert);
    buf_fini(&fields);
    return code;
}

static enum err_code remove_passages(struct sqlite3 *db, const struct text_change *change,
                                     int64_t *id, struct err *err)
{
    char sql[SQL_BYTES];
    int64_t before = *id;
    const struct sqlite_passages_removal removal = {
        .collection = *id,
        .ids = change->remove_ids,
        .id_count = change->remove_count,
        .filters = {change->remove_filters, change->remove_filter_count}};
    enum err_code code = sqlite_passages_remove(db, &passages, &removal, err);
    if (code == ERR_OK)
        code = sqlite_keywords_collection(db, change->collection, id, err);
    if (code == ERR_OK && *id == 0) /* it went with its last passage */
        code = sqlite_passages_exec(db, with_id(index_drop, before, sql), err);
    return code;
}

static enum err_code put_all(struct sqlite3 *db, const struct text_change *change, struct err *err)
{
    int64_t id;
    enum err_code code = sqlite_keywords_collection(db, change->collection, &id, err);
    if (code == ERR_OK && id != 0)
        code = remove_passages(db, change, &id, err);
    if (code != ERR_OK || change->upsert_count == 0)
        return code;
    if (id == 0)
        code = add_collection(db, change->collection, &id, err);
    return code == ERR_OK ? put_passages(db, change, id, err) : code;
}

enum err_code sqlite_keywords_change(struct sqlite3 *db, const struct text_change *change,
                                     struct err *err)
{
    enum err_code code = passage_check_text_change(change, err);
    if (code == ERR_OK)
        code = sqlite_passages_exec(db, "BEGIN IMMEDIATE", err);
    return code == ERR_OK ? sqlite_passages_end(db, put_all(db, change, err), err) : code;
}

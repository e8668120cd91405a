/* SPDX-License-Identifier: MIT */
/* backends/sqlite_passages.c - removing and reading passages, and the filter as an SQL function.
 *
 * Happy path: statements are prepared per job, filters travel as a pointer value to askd_passes.
 * Failure: whatever SQLite says, in sqlite_thread's words; a transaction that failed is rolled
 * back by sqlite_passages_end. */
#include "backends/sqlite_passages.h"

#include <sqlite3.h>

#include "backends/passage_codec.h"
#include "backends/sqlite_thread.h"

static const char filters_type[] = "askd_filters";

static void run_passes(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct sqlite_passages_filters *filters = sqlite3_value_pointer(values[1], filters_type);
    const char *bytes = sqlite3_value_blob(values[0]);
    struct str fields = str_make(bytes, (size_t)sqlite3_value_bytes(values[0]));
    (void)count;
    sqlite3_result_int(context, filters != NULL &&
                                    passage_codec_passes(fields, filters->filters, filters->count));
}

enum err_code sqlite_passages_prepare(struct sqlite3 *db, struct err *err)
{
    int code = sqlite3_create_function(db, "askd_passes", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                       run_passes, NULL, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

struct sqlite3_stmt *sqlite_passages_statement(struct sqlite3 *db, const char *sql, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        (void)sqlite_thread_fail(db, code, err);
    return statement;
}

/* Borrowed until the statement's next reset: what is bound lives as long as its job. A bind that
 * finds no memory leaves NULL, which the columns refuse. */
void sqlite_passages_bind_str(struct sqlite3_stmt *statement, int index, struct str value)
{
    sqlite3_bind_text64(statement, index, value.at == NULL ? "" : value.at, value.len,
                        SQLITE_STATIC, SQLITE_UTF8);
}

void sqlite_passages_bind_blob(struct sqlite3_stmt *statement, int index, struct str value)
{
    sqlite3_bind_blob64(statement, index, value.at == NULL ? "" : value.at, value.len,
                        SQLITE_STATIC);
}

void sqlite_passages_bind_filters(struct sqlite3_stmt *statement, int index,
                                  const struct sqlite_passages_filters *filters)
{
    sqlite3_bind_pointer(statement, index, (void *)(uintptr_t)filters, filters_type, NULL);
}

struct str sqlite_passages_column(struct sqlite3_stmt *statement, int index)
{
    const char *at = sqlite3_column_blob(statement, index);
    size_t len = (size_t)sqlite3_column_bytes(statement, index);
    return str_make(at == NULL ? "" : at, at == NULL ? 0 : len);
}

enum err_code sqlite_passages_run(struct sqlite3 *db, struct sqlite3_stmt *statement,
                                  struct err *err)
{
    int code = sqlite3_step(statement);
    enum err_code result = ERR_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        result = sqlite_thread_fail(db, code, err);
    sqlite3_reset(statement);
    return result;
}

enum err_code sqlite_passages_exec(struct sqlite3 *db, const char *sql, struct err *err)
{
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

enum err_code sqlite_passages_end(struct sqlite3 *db, enum err_code code, struct err *err)
{
    if (code == ERR_OK)
        code = sqlite_passages_exec(db, "COMMIT", err);
    if (code != ERR_OK && !sqlite3_get_autocommit(db)) /* SQLite may have rolled back by itself */
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

/* Run sql with the collection as its first parameter and, if there are, filters as the second. */
static enum err_code run_for(struct sqlite3 *db, const char *sql,
                             const struct sqlite_passages_removal *removal, struct err *err)
{
    sqlite3_stmt *statement = sqlite_passages_statement(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite3_bind_int64(statement, 1, removal->collection);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite_passages_bind_filters(statement, 2, &removal->filters);
    enum err_code code = sqlite_passages_run(db, statement, err);
    sqlite3_finalize(statement);
    return code;
}

enum err_code sqlite_passages_remove(struct sqlite3 *db, const struct sqlite_passages_sql *sql,
                                     const struct sqlite_passages_removal *removal, struct err *err)
{
    enum err_code code = ERR_OK;
    if (removal->id_count == 0 && removal->filters.count == 0)
        return ERR_OK;
    if (removal->id_count > 0) {
        sqlite3_stmt *statement = sqlite_passages_statement(db, sql->remove_key, err);
        if (statement == NULL)
            return err->code;
        sqlite3_bind_int64(statement, 1, removal->collection);
        for (size_t i = 0; i < removal->id_count && code == ERR_OK; i++) {
            sqlite_passages_bind_str(statement, 2, removal->ids[i]);
            code = sqlite_passages_run(db, statement, err);
        }
        sqlite3_finalize(statement);
    }
    if (code == ERR_OK && removal->filters.count > 0)
        code = run_for(db, sql->remove_passing, removal, err);
    return code == ERR_OK ? run_for(db, sql->drop_empty, removal, err) : code;
}

/* The column fields of passage, in fields instead of what was there. ERR_NO_MEMORY. */
static enum err_code encode(const struct passage *passage, struct buf *fields, struct err *err)
{
    buf_clear(fields);
    passage_codec_write(fields, passage->fields, passage->field_count);
    return buf_ok(fields) ? ERR_OK
                          : err_set(err, ERR_NO_MEMORY, "no memory for a passage's fields");
}

static enum err_code put_one(struct sqlite3 *db, const struct sqlite_passages_put *put, size_t i,
                             sqlite3_stmt *remove, sqlite3_stmt *insert, struct buf *fields,
                             struct err *err)
{
    const struct passage *passage = put->passage_at(put->change, i);
    enum err_code code = encode(passage, fields, err);
    if (code != ERR_OK)
        return code;
    sqlite3_bind_int64(remove, 1, put->collection);
    sqlite_passages_bind_str(remove, 2, passage->id);
    sqlite3_bind_int64(insert, 1, put->collection);
    sqlite_passages_bind_str(insert, 2, passage->id);
    sqlite_passages_bind_blob(insert, 3, buf_str(fields));
    put->bind_own(insert, 4, put->change, i);
    sqlite_passages_bind_str(insert, 5, passage->text);
    code = sqlite_passages_run(db, remove, err);
    return code == ERR_OK ? sqlite_passages_run(db, insert, err) : code;
}

enum err_code sqlite_passages_put(struct sqlite3 *db, const struct sqlite_passages_sql *sql,
                                  const struct sqlite_passages_put *put, struct err *err)
{
    enum err_code code = ERR_OK;
    struct buf fields;
    sqlite3_stmt *remove = sqlite_passages_statement(db, sql->remove_key, err);
    sqlite3_stmt *insert = sqlite_passages_statement(db, put->insert, err);
    buf_init(&fields, 2 * PASSAGE_MAX_TEXT);
    if (remove == NULL || insert == NULL)
        code = err->code;
    for (size_t i = 0; i < put->count && code == ERR_OK; i++)
        code = put_one(db, put, i, remove, insert, &fields, err);
    sqlite3_finalize(remove);
    sqlite3_finalize(insert);
    buf_fini(&fields);
    return code;
}

enum err_code sqlite_passages_read(struct sqlite3_stmt *statement, int first, struct arena *arena,
                                   struct passage *passage, struct err *err)
{
    struct passage_field *fields = arena_array(arena, PASSAGE_MAX_FIELDS, sizeof *fields);
    struct str bytes = arena_str(arena, sqlite_passages_column(statement, first + 1));
    *passage =
        (struct passage){.id = arena_str(arena, sqlite_passages_column(statement, first)),
                         .text = arena_str(arena, sqlite_passages_column(statement, first + 2)),
                         .fields = fields};
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for what was found");
    while (passage->field_count < PASSAGE_MAX_FIELDS &&
           passage_codec_next(&bytes, &fields[passage->field_count]))
        passage->field_count++;
    return ERR_OK;
}

enum err_code sqlite_passages_make(struct sqlite3 *db, const char *marker, const char *schema,
                                   struct err *err)
{
    static const char sql[] = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    sqlite3_stmt *statement = sqlite_passages_statement(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite_passages_bind_str(statement, 1, str_of(marker));
    int step = sqlite3_step(statement);
    enum err_code code = ERR_OK;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        code = sqlite_thread_fail(db, step, err);
    sqlite3_finalize(statement);
    if (code == ERR_OK && step == SQLITE_DONE)
        code = sqlite_passages_end(db, sqlite_passages_exec(db, schema, err), err);
    return code;
}

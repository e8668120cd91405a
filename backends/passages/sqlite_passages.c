/* SPDX-License-Identifier: MIT */
/* backends/passages/sqlite_passages.c - removing, putting and reading passages, and the filter as
 * an SQL function.
 *
 * Happy path: statements are prepared per job, filters travel as a pointer value to askd_passes.
 * Failure: whatever SQLite says, in sqlite_thread's words. */
#include "backends/passages/sqlite_passages.h"

#include <sqlite3.h>

#include "backends/passages/passage_codec.h"
#include "backends/sqlite/sqlite_statement.h"
#include "backends/sqlite/sqlite_thread.h"

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

void sqlite_passages_bind_filters(struct sqlite3_stmt *statement, int index,
                                  const struct sqlite_passages_filters *filters)
{
    sqlite3_bind_pointer(statement, index, (void *)(uintptr_t)filters, filters_type, NULL);
}

/* Run sql with the collection as its first parameter and, if there are, filters as the second. */
static enum err_code run_for(struct sqlite3 *db, const char *sql,
                             const struct sqlite_passages_removal *removal, struct err *err)
{
    sqlite3_stmt *statement = sqlite_statement_make(db, sql, err);
    if (statement == NULL)
        return err->code;
    sqlite3_bind_int64(statement, 1, removal->collection);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite_passages_bind_filters(statement, 2, &removal->filters);
    enum err_code code = sqlite_statement_run(db, statement, err);
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
        sqlite3_stmt *statement = sqlite_statement_make(db, sql->remove_key, err);
        if (statement == NULL)
            return err->code;
        sqlite3_bind_int64(statement, 1, removal->collection);
        for (size_t i = 0; i < removal->id_count && code == ERR_OK; i++) {
            sqlite_statement_bind_str(statement, 2, removal->ids[i]);
            code = sqlite_statement_run(db, statement, err);
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
    sqlite_statement_bind_str(remove, 2, passage->id);
    sqlite3_bind_int64(insert, 1, put->collection);
    sqlite_statement_bind_str(insert, 2, passage->id);
    sqlite_statement_bind_blob(insert, 3, buf_str(fields));
    put->bind_own(insert, 4, put->change, i);
    sqlite_statement_bind_str(insert, 5, passage->text);
    code = sqlite_statement_run(db, remove, err);
    return code == ERR_OK ? sqlite_statement_run(db, insert, err) : code;
}

enum err_code sqlite_passages_put(struct sqlite3 *db, const struct sqlite_passages_sql *sql,
                                  const struct sqlite_passages_put *put, struct err *err)
{
    enum err_code code = ERR_OK;
    struct buf fields;
    sqlite3_stmt *remove = sqlite_statement_make(db, sql->remove_key, err);
    sqlite3_stmt *insert = sqlite_statement_make(db, put->insert, err);
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
    struct str bytes = arena_str(arena, sqlite_statement_column(statement, first + 1));
    *passage =
        (struct passage){.id = arena_str(arena, sqlite_statement_column(statement, first)),
                         .text = arena_str(arena, sqlite_statement_column(statement, first + 2)),
                         .fields = fields};
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for what was found");
    while (passage->field_count < PASSAGE_MAX_FIELDS &&
           passage_codec_next(&bytes, &fields[passage->field_count]))
        passage->field_count++;
    return ERR_OK;
}
